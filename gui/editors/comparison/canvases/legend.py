"""Which colour and shape is which device: one line over the canvases of the flow view, where no lane says so."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QHelpEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from gui.editors.comparison.state import CompareState
from gui.look.glyphs import paint_glyph
from gui.look.theme import Theme, font, numbered_colours
from gui.panels.comparison.names import numbered, short_title
from gui.widgets.plain import plain_tip
from planner.reports.comparison import Comparison

HEIGHT = 24
GLYPH, GAP, MARGIN = 9.0, 16.0, 12.0


class Legend(QWidget):
    """The rows of a comparison; names where there is room, else numbers, else as many as fit."""

    def __init__(self, state: CompareState, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state, self._theme = state, theme
        self._boxes: list[QRectF] = []
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFont(font(8.5))
        for signal in (state.comparison_changed, state.pair_changed):
            signal.connect(self._changed)
        state.view_changed.connect(lambda _: self._changed())
        self._changed()

    def set_theme(self, theme: Theme) -> None:
        """Other colours."""
        self._theme = theme
        self.update()

    def sizeHint(self) -> QSize:
        """One line."""
        return QSize(300, HEIGHT)

    def minimumSizeHint(self) -> QSize:
        """One line."""
        return QSize(80, HEIGHT)

    def _changed(self) -> None:
        comparison = self._state.comparison
        self.setVisible(comparison is not None and self._state.view == "flow")
        if comparison is not None:
            rows = ", ".join(row_words(comparison, row) for row in range(len(comparison.rows)))
            self.setAccessibleName(f"Devices: {rows}")
        self.update()

    def _words(self, comparison: Comparison) -> list[str]:
        """What stands beside each shape, as long as all of it fits."""
        rows = range(len(comparison.rows))
        whole = [comparison.row_title(row, every=True) for row in rows]
        short = [short_title(comparison, row, every=True) for row in rows]
        numbers = [numbered(comparison, row, every=True) for row in rows]
        for words in (whole, short, numbers):
            if self._wide(words) <= self.width():
                return words
        return numbers

    def _wide(self, words: list[str]) -> float:
        measure = self.fontMetrics()
        return 2 * MARGIN + sum(GLYPH + 5 + measure.horizontalAdvance(word) + GAP for word in words) - GAP

    def paintEvent(self, event: QPaintEvent) -> None:
        """Shapes with their names."""
        comparison, theme = self._state.comparison, self._theme
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(theme.window))
        self._boxes = []
        if comparison is None:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        words, colours = self._words(comparison), numbered_colours(comparison.numbers, theme)
        gap = min(GAP, GAP if self._wide(words) <= self.width() else 6.0)
        x = MARGIN
        for row, word in enumerate(words):
            wide = GLYPH + 5 + self.fontMetrics().horizontalAdvance(word)
            if x + wide > self.width() - MARGIN:
                painter.setPen(QColor(theme.muted))
                painter.drawText(QPointF(x, HEIGHT / 2 + 4), f"+{len(words) - row}")
                return
            paint_glyph(painter, colours[row], x + GLYPH / 2, HEIGHT / 2, GLYPH)
            painter.setPen(QColor(theme.text))
            box = QRectF(x + GLYPH + 5, 0, wide, HEIGHT)
            painter.drawText(box, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft), word)
            self._boxes.append(QRectF(x, 0, wide, HEIGHT))
            x += wide + gap

    def event(self, event: QEvent) -> bool:
        """What each plan calls the device of a row."""
        comparison = self._state.comparison
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip and comparison is not None:
            at = QPointF(event.pos())
            row = next((row for row, box in enumerate(self._boxes) if box.contains(at)), -1)
            words = row_words(comparison, row) if row >= 0 else ""
            QToolTip.showText(event.globalPos(), plain_tip(words), self)
            return True
        return super().event(event)


def row_words(comparison: Comparison, row: int) -> str:
    """``acc 1``, or ``acc 1 in A, acc 3 in B`` where plans call a device differently, or have none."""
    titles = [comparison.device_title(row, i) for i in range(len(comparison.plans))]
    if len(set(titles)) == 1:
        return titles[0]
    return ", ".join(f"{title or 'none'} in {comparison.letter(i)}" for i, title in enumerate(titles))
