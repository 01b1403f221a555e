"""Below the slots of fast memory: what rings, bars, colours and numbers mean."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen

from gui.canvas.network.colours import ink_of, layer_colour
from gui.look.theme import Theme, contrast
from gui.look.writing import CENTRE, LEFT, face
from gui.panels.network.playback.labels import SlotLabels

FOOT, MARGIN = 20.0, 8.0
"""The height of one line, and what stays free at its ends (logical pixels)."""
KINDS = ("read", "written", "evicted")
_LETTERS = ("#ffffff", "#10151d")


def letters_on(ground: str) -> str:
    """White or black, whichever can be read on a colour."""
    return max(_LETTERS, key=lambda letters: contrast(letters, ground))


def tones(theme: Theme) -> tuple[str, str, str]:
    """The colours of the rings around what was just read, written and evicted."""
    return theme.text, theme.bad, theme.muted


def paint_marks(painter: QPainter, theme: Theme, width: float, y: float) -> None:
    """What rings and bars mean, as much of it as fits."""
    measure = QFontMetricsF(face(8.0))
    x = MARGIN
    marks = [*zip(tones(theme), KINDS, strict=True), (ink_of(theme).dirty, "unwritten")]
    painter.setFont(face(8.0))
    for i, (colour, words) in enumerate(marks):
        wide = 13 + measure.horizontalAdvance(words) + 9
        if x + wide - 9 > width - MARGIN:
            return
        painter.setPen(QPen(QColor(colour), 2.0) if i < len(KINDS) else Qt.PenStyle.NoPen)
        painter.setBrush(Qt.BrushStyle.NoBrush if i < len(KINDS) else QColor(colour))
        box = QRectF(x + 1, y + 7, 8, 8) if i < len(KINDS) else QRectF(x, y + 10, 10, 4)
        painter.drawRoundedRect(box, 2, 2)
        painter.setPen(QColor(theme.muted))
        painter.drawText(QRectF(x + 14, y, wide, FOOT), LEFT, words)
        x += wide


def paint_layers(
    painter: QPainter, theme: Theme, width: float, y: float, labels: SlotLabels, labelled: bool
) -> None:
    """The colours of the layers where they are few enough, and what the labels mean as far as it fits."""
    measure = QFontMetricsF(face(8.0))
    painter.setFont(face(8.0))
    painter.setPen(QColor(theme.muted))
    x = MARGIN
    if labels.coloured:
        painter.drawText(QRectF(x, y, width, FOOT), LEFT, "Layer")
        x = _paint_colours(
            painter, theme, labels.network.depth, x + measure.horizontalAdvance("Layer") + 8, y
        )
    if labelled and x + measure.horizontalAdvance(labels.legend) <= width - MARGIN:
        painter.setPen(QColor(theme.muted))
        painter.drawText(QRectF(x, y, width - x, FOOT), LEFT, labels.legend)


def _paint_colours(painter: QPainter, theme: Theme, depth: int, x: float, y: float) -> float:
    """A patch for each layer, from ``x`` on; where the last one ends."""
    for layer in range(depth + 1):
        ground = layer_colour(layer, theme)
        box = QRectF(x, y + 3, 16, FOOT - 6)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(ground))
        painter.drawRoundedRect(box, 2, 2)
        painter.setPen(QColor(letters_on(ground)))
        painter.drawText(box, CENTRE, str(layer))
        x += 19
    return x + 4
