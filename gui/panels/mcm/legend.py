"""The line that explains the marks of the package view."""

from __future__ import annotations

import math

from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QFontMetricsF, QPainter

from gui.look.theme import Theme, device_colours, mix
from gui.look.writing import LEFT, RIGHT, face, write
from gui.panels.mcm.ink import heat, thickness
from gui.panels.mcm.state import Package
from planner.quantity import bytes_text

LEGEND = 18.0
"""Height of the line."""


def paint_legend(painter: QPainter, rect: QRectF, package: Package, theme: Theme) -> None:
    """What tones and thicknesses mean, as much of it as fits; the heat of the links at the right."""
    letters = face(7.5)
    measure = QFontMetricsF(letters)
    most = bytes_text(package.hottest)
    ramp = 54.0
    heat_room = measure.horizontalAdvance("link") + measure.horizontalAdvance(most) + ramp + 16
    if rect.width() >= heat_room:
        _ramp(
            painter, QRectF(rect.right() - heat_room, rect.top(), heat_room, rect.height()), most, ramp, theme
        )
    x, end = rect.left(), rect.right() - heat_room - 8
    tone = device_colours(1, theme)[0]
    size = bytes_text(package.sram).replace(".00", "")
    marks = [
        (tone.accent, 9.0, "parameters"), (tone.soft, 9.0, "activations"), (theme.text, 1.5, f"memory {size}"),
        (theme.muted, 9.0, "work"), (mix(theme.panel, theme.muted, 0.5), 9.0, "transfers"),
    ]  # fmt: skip
    for shade, swatch, words in marks if math.isfinite(package.sram) else marks[:2] + marks[3:]:
        wide = swatch + 4 + measure.horizontalAdvance(words)
        if x + wide > end:
            return
        painter.fillRect(QRectF(x, rect.center().y() - 4, swatch, 8), QColor(shade))
        write(
            painter,
            QRectF(x + swatch + 4, rect.top(), wide, rect.height()),
            LEFT,
            words,
            letters,
            theme.muted,
        )
        x += wide + 10


def _ramp(painter: QPainter, rect: QRectF, most: str, length: float, theme: Theme) -> None:
    """A wedge from nothing to the most bytes on a link."""
    measure = QFontMetricsF(face(7.5))
    word = measure.horizontalAdvance("link")
    write(painter, rect, LEFT, "link", face(7.5), theme.muted)
    write(painter, rect, RIGHT, most, face(7.5), theme.muted)
    x, steps = rect.left() + word + 6, 18
    for step in range(steps):
        share = step / (steps - 1)
        thick = thickness(share)
        piece = QRectF(x + length * step / steps, rect.center().y() - thick / 2, length / steps + 0.5, thick)
        painter.fillRect(piece, QColor(heat(share, theme)))
