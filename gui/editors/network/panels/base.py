"""What the panels of a network's window share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from PySide6.QtWidgets import QWidget

from gui.look.theme import Theme
from gui.panels.base import Panel

if TYPE_CHECKING:
    from gui.document.network.document import OrderDocument


class OrderPanel(Panel):
    """A panel on an :class:`~gui.document.network.document.OrderDocument`."""

    document: OrderDocument  # type: ignore[assignment]

    def __init__(self, document: OrderDocument, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(cast(Any, document), theme, parent)
