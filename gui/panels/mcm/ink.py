"""What the painters of the package view share: how a link's load looks."""

from __future__ import annotations

import math

from gui.look.theme import Theme, mix

THINNEST, THICKEST = 1.2, 6.5
"""Pixels of a link that carries nothing, and of the one that carries most."""


def heat(share: float, theme: Theme) -> str:
    """The colour of a link that carries ``share`` (0..1) of what the busiest one does: amber as all that has a price, red is for what is broken."""
    return mix(theme.edge, theme.warning, min(max(share, 0.0), 1.0))


def share_of(value: float, most: float) -> float:
    """A link's load as a share of the busiest one's."""
    return value / most if most > 0 and math.isfinite(most) else 0.0


def thickness(share: float) -> float:
    """Pixels of a link that carries ``share`` of what the busiest one does."""
    return THINNEST + (THICKEST - THINNEST) * share
