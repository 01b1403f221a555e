"""A page of facts that fills a panel, with links that a panel follows."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QMimeData, QUrl
from PySide6.QtGui import QTextOption
from PySide6.QtWidgets import QFrame, QTextBrowser, QVBoxLayout, QWidget

MAY_BREAK = "\u200b"
"""Where a long identifier may go on in the next line; what is copied has none."""


class _Page(QTextBrowser):
    def createMimeDataFromSelection(self) -> QMimeData:
        """The text that was selected, as it is spelt."""
        copied = QMimeData()
        copied.setText(self.textCursor().selection().toPlainText().replace(MAY_BREAK, ""))
        return copied


def facts_view(panel: QWidget, name: str, follow: Callable[[QUrl], object]) -> QTextBrowser:
    """The page, called ``name`` for screen readers."""
    view = _Page(panel)
    view.setOpenLinks(False)
    view.setFrameShape(QFrame.Shape.NoFrame)
    # Letters of a word are never parted: columns make room for their longest word, and where there is no room the page scrolls.
    view.setWordWrapMode(QTextOption.WrapMode.WordWrap)
    view.setAccessibleName(name)
    view.document().setDocumentMargin(10)
    view.anchorClicked.connect(follow)
    layout = QVBoxLayout(panel)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.addWidget(view)
    return view
