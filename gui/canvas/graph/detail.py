"""Level of detail: what is drawn of a card at the size it has on screen."""

from __future__ import annotations

from enum import IntEnum

OVERVIEW_BELOW = 2.2
BLOCK_BELOW = 11.0
CARD_FROM = 28.0
CELL_NAMED = 72.0
"""Width in pixels from which on the cells of the stages view carry names."""


class Detail(IntEnum):
    """From far to near."""

    OVERVIEW = 0
    """Stages as areas with ribbons between them whose width is bytes."""
    BLOCKS = 1
    """Every op a small block in its stage's colour."""
    LABELS = 2
    """Cards with a name."""
    CARDS = 3
    """Cards with name, kind and cost."""


def detail_at(card_px: float) -> Detail:
    """The level for cards that are ``card_px`` device-independent pixels high."""
    if card_px < OVERVIEW_BELOW:
        return Detail.OVERVIEW
    if card_px < BLOCK_BELOW:
        return Detail.BLOCKS
    if card_px < CARD_FROM:
        return Detail.LABELS
    return Detail.CARDS
