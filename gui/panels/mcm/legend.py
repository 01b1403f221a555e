"""The lines that explain the marks of the package view."""

from __future__ import annotations

import math

from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QFontMetricsF, QPainter

from gui.look.numbers import one_time
from gui.look.theme import Theme, device_colours, mix
from gui.look.writing import LEFT, RIGHT, face, write
from gui.panels.mcm.ink import heat, thickness
from gui.panels.mcm.layout import SLOWEST, PackageLayout
from gui.panels.mcm.painter import SHOWN, paint_shown, slowest_signed
from gui.panels.mcm.state import Package
from gui.widgets.bars import HATCH
from planner.quantity import bytes_text

LEGEND = 18.0
"""Height of a line."""
OF_MEMORY = ("parameters", "activations", "memory", "beyond")
"""The marks of charts of memory."""
RAMP = 54.0
"""Length of the wedge that links are compared with."""


def legend_height(package: Package, width: float, charted: bool = False) -> float:
    """What :func:`paint_legend` needs for all that it says."""
    return LEGEND * (1 + max((line for line, _ in _placed(package, width, charted)), default=0))


def paint_legend(
    painter: QPainter, rect: QRectF, package: Package, theme: Theme, layout: PackageLayout, charted: bool = False
) -> None:  # fmt: skip
    """What tones and thicknesses mean on chips in this ``layout``, as much of it as fits into the lines of ``rect``; the heat of the links at the right.
    ``charted``: whether a chip has the mark of a chart of its memory below."""
    most = bytes_text(package.hottest)
    heat_room = _heat_room(most)
    if rect.width() >= heat_room:
        ramp = QRectF(rect.right() - heat_room, rect.top(), heat_room, LEGEND)
        _ramp(painter, ramp, most, RAMP, theme)
    signed = slowest_signed(layout, package, theme)
    for mark, (line, x) in zip(
        _marks(package, charted, signed), _placed(package, rect.width(), charted, signed), strict=False
    ):
        y = rect.top() + line * LEGEND
        if y + LEGEND > rect.bottom() + 0.5:
            return
        _paint_mark(painter, QRectF(rect.left() + x, y, rect.width() - x, LEGEND), mark, package, theme)


def paint_memory_legend(painter: QPainter, line: QRectF, package: Package, theme: Theme) -> None:
    """What tones of charts of memory mean, in one ``line``, as far as there is room."""
    measure = QFontMetricsF(face(7.5))
    x = 0.0
    for what, swatch, words in _marks(package, False):
        if what in OF_MEMORY:
            said = words.partition(" (")[0]
            _paint_mark(painter, line.adjusted(x, 0.0, 0.0, 0.0), (what, swatch, said), package, theme)
            x += swatch + 4 + measure.horizontalAdvance(said) + 10


def _paint_mark(
    painter: QPainter, place: QRectF, mark: tuple[str, float, str], package: Package, theme: Theme
) -> None:
    """One mark of :func:`_marks` and its words at the left of ``place``."""
    what, swatch, words = mark
    tone, left, y = device_colours(1, theme)[0], place.left(), place.top()
    shades = {
        "parameters": tone.accent, "activations": tone.soft, "memory": theme.text, "work": theme.muted,
        "transfers": mix(theme.panel, theme.muted, 0.5), "slowest": theme.warning,
        "beyond": theme.bad if package.limited else theme.warning,
    }  # fmt: skip
    if what == "charted":
        paint_shown(painter, left + swatch / 2, y + LEGEND / 2 - SHOWN / 2, theme)
    else:
        painter.fillRect(QRectF(left, y + LEGEND / 2 - 4, swatch, 8), QColor(shades[what]))
    if what == "beyond":
        painter.fillRect(QRectF(left, y + LEGEND / 2 - 4, swatch, 8), HATCH)
    write(painter, place.adjusted(swatch + 4, 0.0, 0.0, 0.0), LEFT, words, face(7.5), theme.muted)


def _marks(package: Package, charted: bool, signed: bool = True) -> list[tuple[str, float, str]]:
    """What is explained: which mark, how wide it is, and its words, which say the length of bars where packages are compared; ``signed``: whether
    a sign stands for the slowest chip, for which there is room in any case."""
    size = bytes_text(package.sram).replace(".00", "")
    work = f"work, whole bar {one_time(package.longest, package.unit)}" if package.scale.time else "work"
    marks = [
        ("parameters", 9.0, "parameters"), ("activations", 9.0, "activations"), ("memory", 1.5, f"memory {size}"),
        ("work", 9.0, work), ("transfers", 9.0, "transfers"),
    ]  # fmt: skip
    if slowest := sum(chip.bottleneck for chip in package.chips):
        marks.insert(
            4,
            (
                "slowest",
                9.0,
                f"of the slowest chip{'s' if slowest > 1 else ''}{f' ({SLOWEST})' if signed else ''}",
            ),
        )
    over = [chip for chip in range(len(package.chips)) if package.overfull(chip)]
    if over:
        cut = " or \N{MULTIPLICATION SIGN}, bar broken off" if any(map(package.cut, over)) else ""
        marks.insert(3, ("beyond", 9.0, f"more than fits (!{cut})"))
    if not math.isfinite(package.sram):
        del marks[2]
    return [*marks, ("charted", 9.0, "its memory is below")] if charted else marks


def _placed(package: Package, width: float, charted: bool, signed: bool = True) -> list[tuple[int, float]]:
    """The line of each mark and where in it; the first line leaves room for the heat of the links."""
    measure = QFontMetricsF(face(7.5))
    end = width - _heat_room(bytes_text(package.hottest)) - 8
    line, x, found = 0, 0.0, []
    for _, swatch, words in _marks(package, charted, signed):
        wide = swatch + 4 + measure.horizontalAdvance(words)
        if x + wide > (end if line == 0 else width):
            line, x = line + 1, 0.0
        found.append((line, x))
        x += wide + 10
    return found


def _heat_room(most: str) -> float:
    measure = QFontMetricsF(face(7.5))
    return measure.horizontalAdvance("link") + measure.horizontalAdvance(most) + RAMP + 16


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
