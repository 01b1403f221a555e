"""The doors through which names from files come onto the screen: nothing in them is taken for markup or turns the text around."""

from __future__ import annotations

from html import escape

from PySide6 import QtGui
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget

from planner.printable import escaped


def plain(text: str) -> str:
    """Text for a widget that takes no markup; lines stay apart."""
    return escaped(text, keep="\n")


def plain_tip(text: str) -> str:
    """Text for a tool tip. Qt takes a tip for markup where it looks like some, so such a tip is escaped as markup."""
    text = plain(text)
    if not QtGui.Qt.mightBeRichText(text):
        return text
    return f"<qt>{escape(text).replace(chr(10), '<br>')}</qt>"


class PlainLabel(QLabel):
    """A label whose text may hold names from files; it is never taken for markup."""

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setText(text)

    def setText(self, text: str) -> None:
        """Show another text."""
        super().setText(plain(text))
