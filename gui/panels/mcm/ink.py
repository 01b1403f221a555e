"""What the painters of the package view share: letters, and how a link's load looks."""

from __future__ import annotations

import math
from functools import lru_cache

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter

from gui.look.theme import Theme, font, mix

LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
CENTRE = int(Qt.AlignmentFlag.AlignCenter)
THINNEST, THICKEST = 1.2, 6.5
"""Pixels of a link that carries nothing, and of the one that carries most."""


@lru_cache(maxsize=32)
def small(size: float, bold: bool = False) -> QFont:
    return font(size, bold=bold)


def heat(share: float, theme: Theme) -> str:
    """The colour of a link that carries ``share`` (0..1) of what the busiest one does."""
    if share < 0.5:
        return mix(theme.edge, theme.warning, 2 * max(share, 0.0))
    return mix(theme.warning, theme.bad, 2 * min(share, 1.0) - 1)


def share_of(value: float, most: float) -> float:
    """A link's load as a share of the busiest one's."""
    return value / most if most > 0 and math.isfinite(most) else 0.0


def thickness(share: float) -> float:
    """Pixels of a link that carries ``share`` of what the busiest one does."""
    return THINNEST + (THICKEST - THINNEST) * share


def write(painter: QPainter, rect: QRectF, flags: int, words: str, face: QFont, colour: str) -> None:
    """One line, elided."""
    painter.setFont(face)
    painter.setPen(QColor(colour))
    shown = QFontMetricsF(face).elidedText(words, Qt.TextElideMode.ElideRight, rect.width() + 1)
    painter.drawText(rect, flags, shown)
