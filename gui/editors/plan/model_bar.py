"""Which models are deployed together: a bar above the canvas, one button per model, which is its legend too."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QEvent, QObject, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QGuiApplication, QIcon, QPainter, QPen, QPixmap
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QWidget

from gui.canvas.graph.palette import model_shade
from gui.document.plan.document import Document
from gui.look.numbers import plural
from gui.look.theme import Theme
from gui.widgets.labels import set_role
from gui.widgets.plain import plain_tip
from planner.model.graph import Ints

SWATCH = 14


def swatch(model: int, theme: Theme) -> QIcon:
    """How full the cards of a model are, whatever the colour of their stage."""
    ratio = QGuiApplication.primaryScreen().devicePixelRatio() if QGuiApplication.primaryScreen() else 1.0
    pixmap = QPixmap(int(SWATCH * ratio), int(SWATCH * ratio))
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(QColor(theme.muted), 1.0))
    painter.setBrush(QColor(model_shade(model, theme)))
    painter.drawRoundedRect(QRectF(1, 3, SWATCH - 2, SWATCH - 6), 2, 2)
    painter.end()
    return QIcon(pixmap)


def ops_of(document: Document, model: int) -> Ints:
    """The ops of a model, sorted."""
    graph = document.graph
    return np.empty(0, np.int32) if graph is None else np.flatnonzero(graph.model == model).astype(np.int32)


class ModelBar(QWidget):
    """Hidden while there is one model. ``highlight(mask or None)`` while the pointer is on a model.

    A click selects a model's ops, with Ctrl or Shift it adds them.
    """

    highlight = Signal(object)

    def __init__(self, document: Document, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("header")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._document, self._theme = document, theme
        self.buttons: list[QPushButton] = []
        label = QLabel("Models", self)
        set_role(label, "muted")
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(12, 3, 12, 3)
        self._row.setSpacing(6)
        self._row.addWidget(label)
        self._row.addStretch(1)
        document.model_changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """One button per model of the open graph."""
        for button in self.buttons:
            self._row.removeWidget(button)
            button.hide()
            button.deleteLater()
        graph = self._document.graph
        names = () if graph is None or len(graph.model_names) < 2 else graph.model_names
        self.buttons = [self._button(model, name) for model, name in enumerate(names)]
        for place, button in enumerate(self.buttons):
            self._row.insertWidget(1 + place, button)
        self.setVisible(bool(names))

    def _button(self, model: int, name: str) -> QPushButton:
        count = plural(len(ops_of(self._document, model)), "op")
        # A name comes from a file: it is neither a mnemonic nor markup.
        button = QPushButton(f"{name}   {count}".replace("&", "&&"), self)
        button.setObjectName("link")
        button.setIcon(swatch(model, self._theme))
        button.setIconSize(QSize(SWATCH, SWATCH))
        query = f'model:"{name}"' if " " in name else f"model:{name}"
        tip = f"Select the ops of {name}; with Ctrl or Shift add them (find: {query})"
        button.setToolTip(plain_tip(tip))
        button.setAccessibleName(f"Select the {count} of {name}")
        button.clicked.connect(lambda _=False: self._choose(model))
        button.installEventFilter(self)
        return button

    def _choose(self, model: int) -> None:
        modifiers = QGuiApplication.keyboardModifiers()
        adding = modifiers & (Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
        self._document.select(ops_of(self._document, model), "add" if adding else "replace")

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The model under the pointer stands out on the canvas."""
        graph = self._document.graph
        if event.type() == QEvent.Type.Enter and watched in self.buttons and graph is not None:
            self.highlight.emit(graph.model == self.buttons.index(watched))  # type: ignore[arg-type]
        elif event.type() == QEvent.Type.Leave:
            self.highlight.emit(None)
        return super().eventFilter(watched, event)

    def set_theme(self, theme: Theme) -> None:
        """Other colours."""
        self._theme = theme
        for model, button in enumerate(self.buttons):
            button.setIcon(swatch(model, theme))
