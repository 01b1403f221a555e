"""What panels on orders share, and what policies of eviction are called."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from PySide6.QtWidgets import QWidget

from gui.look.theme import Theme
from gui.panels.base import Panel

if TYPE_CHECKING:
    from gui.document.network.document import OrderDocument


GUTTER, MARGIN = 62.0, 12.0
"""Pixels left of a time axis, for the names of lanes, and right of it: all of one window stand below each other."""
POLICY_WORDS = {
    "min": ("MIN", "evict the value used farthest ahead (clairvoyant)"),
    "lru": ("LRU", "evict the value used longest ago"),
    "rr": ("RR", "evict the slots in turn (round robin)"),
}


class OrderPanel(Panel):
    """A panel on an :class:`~gui.document.network.document.OrderDocument`."""

    document: OrderDocument  # type: ignore[assignment]

    def __init__(self, document: OrderDocument, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(cast(Any, document), theme, parent)
