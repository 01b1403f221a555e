"""A page of facts that fills a panel, with links that a panel follows."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QUrl
from PySide6.QtGui import QTextOption
from PySide6.QtWidgets import QFrame, QTextBrowser, QVBoxLayout, QWidget


def facts_view(panel: QWidget, name: str, follow: Callable[[QUrl], object]) -> QTextBrowser:
    """The page, called ``name`` for screen readers."""
    view = QTextBrowser(panel)
    view.setOpenLinks(False)
    view.setFrameShape(QFrame.Shape.NoFrame)
    view.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    view.setAccessibleName(name)
    view.document().setDocumentMargin(10)
    view.anchorClicked.connect(follow)
    layout = QVBoxLayout(panel)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.addWidget(view)
    return view
