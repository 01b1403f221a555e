"""The line above the overlay's canvas that says what halves of cards and bars stand for."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from gui.canvas.graph.headers import header_rows
from gui.editors.comparison.canvases.legend import row_words
from gui.editors.comparison.canvases.overlay import OverlayPane
from gui.panels.comparison.split_key import KEY, key_words, paint_split_key
from gui.widgets.plain import plain_tip

SIDE = 12.0


class OverlayKey(QWidget):
    """Says it of what ``pane`` shows."""

    def __init__(self, pane: OverlayPane, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._pane = pane
        self.setFixedHeight(int(KEY))
        for signal in (pane.laid_out, pane.viewport_changed):
            signal.connect(self._follow)

    def _follow(self) -> None:
        self.setAccessibleName("; ".join(self._said()))
        comparison = self._pane.state.comparison
        if comparison is not None:
            rows = (row_words(comparison, row) for row in range(len(comparison.rows)))
            self.setToolTip(plain_tip("\n".join(words for words in rows if " in " in words)))
        self.update()

    def _rows(self) -> int:
        over = self._pane.over
        return 0 if over is None else header_rows(over.first, self._pane.viewport, over.headers[0], 0.0)

    def _said(self) -> list[str]:
        over = self._pane.over
        return [] if over is None else key_words(over, self._rows())

    def paintEvent(self, event: QPaintEvent) -> None:
        """The line."""
        if self._pane.over is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(self.rect()).adjusted(SIDE, 0, -SIDE, 0)
        paint_split_key(painter, box, self._pane.over, self._pane.palette_now, self._rows())
