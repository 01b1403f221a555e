"""What the halves of cards and the bars of lanes stand for where two plans lie on one canvas: a line of marks and words."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QFontMetricsF, QPainter

from gui.canvas.graph.palette import CanvasPalette
from gui.look.theme import font
from gui.look.writing import LEFT, write
from gui.panels.comparison.overlay import Overlaid

KEY = 20.0
"""Pixels that a line is high."""
MARK, HIGH, BESIDE, APART = 22.0, 9.0, 5.0, 20.0
"""Width and height of a mark, and pixels from it to its words and between entries."""


def card_key(letters: tuple[str, str]) -> list[str]:
    """What is said of cards in two colours and of cards in one."""
    first, second = letters
    return [f"moved: left half {first}, right half {second}", "one colour: same device in both"]


def card_key_height(letters: tuple[str, str], width: float) -> float:
    """Pixels that :func:`card_key` takes in a box so wide: a line, or one for each entry."""
    measure = QFontMetricsF(font(8.5))
    wide = [MARK + BESIDE + measure.horizontalAdvance(words) + 1.0 for words in card_key(letters)]
    return KEY if sum(wide) + APART <= width + 1.0 else KEY * len(wide)


def key_words(over: Overlaid, barred: bool) -> list[str]:
    """What is said of cards in two colours, of cards in one, where lanes are ``barred`` of bars, and of names of both plans."""
    first, second = over.letters
    words = card_key(over.letters)
    headers = over.headers[0]
    if barred and headers is not None and headers.scale_words:
        words.append(f"whole bar: {headers.scale_words}")
    if name := over.paired_name:
        words.append(f"{name}: its name in {first} | in {second}")
    return words


def paint_split_key(
    painter: QPainter, box: QRectF, over: Overlaid, palette: CanvasPalette, barred: bool
) -> None:
    """Lines at the left of ``box``, as many entries as it has room for."""
    face, devices, theme = font(8.5), palette.devices, palette.theme
    one, other = devices[0], devices[min(1, len(devices) - 1)]
    marks = ((one.accent, other.accent), (one.soft, one.soft), (one.accent, one.band))
    said = key_words(over, barred)
    marked = len(said) - bool(over.paired_name)
    x, y = box.left(), box.top()
    for at, words in enumerate(said):
        wide = QFontMetricsF(face).horizontalAdvance(words) + 1.0
        beside = MARK + BESIDE if at < marked else 0.0
        if x + beside + wide > box.right() + 1.0:
            x, y = box.left(), y + KEY
            if y + KEY > box.bottom() + 1.0 or x + beside + wide > box.right() + 1.0:
                return
        if at < marked:
            left, right = marks[at]
            mark = QRectF(x, y + (KEY - HIGH) / 2, MARK / 2, HIGH)
            painter.fillRect(mark, QColor(left))
            painter.fillRect(mark.translated(MARK / 2, 0.0), QColor(right))
        x += beside
        write(painter, QRectF(x, y, wide, KEY), LEFT, words, face, theme.muted)
        x += wide + APART
