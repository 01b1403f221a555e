"""The legend at the foot of a slide: each device with its mark, name and cost, which fill is whose where models share the devices, and
why some cards stand out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from gui.canvas.graph.header_data import HeaderData
from gui.canvas.graph.heat.heat import Heat
from gui.canvas.graph.heat.legend import HEIGHT, MARGIN, paint_heat_legend
from gui.canvas.graph.palette import CanvasPalette, model_shade
from gui.canvas.graph.scene import Scene
from gui.look.glyphs import paint_glyph
from gui.look.theme import Theme
from gui.present.captions import LEAST, letters, measure
from planner.problem.worst import plain_word

LINE, BETWEEN, CLOSE, BESIDE, SIDE = 27.0, 26.0, 8.0, 7.0, 22.0
"""Height of a line, room between entries (``CLOSE``: of numbers alone) and between the words of one, and beside the lines (pixels of a frame of 1280 x 800)."""
MARK = 15.0
SCALE = 1.4
"""The scale of a heat map is so much larger than in a window."""
MOST_NAMED = 12
"""Of more devices those with ops have a mark and a number, and the one that sets the pace its name and cost."""
NO_OPS = "no ops"
"""What a legend says of a device without ops."""


@dataclass(frozen=True)
class Entry:
    """A device (its number) or a model (``model``), neither where cards have other colours than those of their devices, and of words on all
    cards; the words beside its mark, each bold or not, and how wide all is with the room behind it."""

    device: int
    model: int
    words: tuple[tuple[str, bool], ...]
    hot: bool
    width: float


def legend_of(scene: Scene, headers: HeaderData | None, width: float, note: str = "") -> list[list[Entry]]:
    """The entries line by line, for lines ``width`` pixels of a frame of 1280 x 800 wide; none where nothing needs a legend.

    Lanes and blocks carry the names of their devices themselves. ``note``: what is said of what stands out.
    """
    found = [] if headers is None or scene.by_device else _devices(scene, headers)
    models = scene.items.graph.model_names
    if len(models) > 1:
        found += [_entry(-1, m, [(name, False)], False) for m, name in enumerate(models)]
    found += [_entry(-1, -1, [(note, False)], False)] if note else []
    lines: list[list[Entry]] = []
    free = 0.0
    for entry in found:
        if not lines or entry.width > free:
            lines.append([])
            free = width - 2 * SIDE
        lines[-1].append(entry)
        free -= entry.width
    return lines


def _devices(scene: Scene, headers: HeaderData) -> list[Entry]:
    """All devices where they are few, so that one sees which of them have nothing to do; of many those with ops."""
    used = np.bincount(scene.op_device, minlength=scene.k) > 0
    shown = [d for d in range(scene.k) if used[d] or scene.k <= MOST_NAMED]
    if len(shown) < 2:
        return []
    out = []
    for d in shown:
        hot = d == headers.bottleneck
        named = hot or len(shown) <= MOST_NAMED
        cost = headers.column.text(float(headers.pace[d])) if used[d] else NO_OPS
        words = [(headers.titles[d], hot), (cost, bool(used[d]))]
        if not named:
            words = [(str(d), False)]
        if scene.heat is not None and not named:
            continue  # no card has its mark
        out.append(
            _entry(
                d if scene.heat is None else -1,
                -1,
                [*words, *([(plain_word(headers.worst), True)] if hot else [])],
                hot,
            )
        )
    return out


def _entry(device: int, model: int, words: Sequence[tuple[str, bool]], hot: bool) -> Entry:
    wide = sum(measure(LEAST, bold).horizontalAdvance(word) + BESIDE for word, bold in words)
    apart = CLOSE if len(words) == 1 and device >= 0 else BETWEEN
    mark = MARK + BESIDE if max(device, model) >= 0 else 0.0
    return Entry(device, model, tuple(words), hot, mark + wide + apart)


def scale_height(scene: Scene) -> float:
    """How high the scale of a heat map is with the room around it (pixels of a frame of 1280 x 800); 0 where there is none."""
    return 0.0 if scene.heat is None else (HEIGHT + MARGIN) * SCALE


def paint_scale(
    painter: QPainter, heat: Heat, theme: Theme, left: float, bottom: float, ratio: float
) -> None:
    """The scale of a heat map above ``bottom``, right of ``left`` (device pixels), larger than in a window as words of slides are."""
    grown = SCALE * ratio
    painter.save()
    painter.scale(grown, grown)
    paint_heat_legend(painter, heat, theme, left / grown + MARGIN, bottom / grown - HEIGHT - MARGIN / 2)
    painter.restore()


def paint_legend(
    painter: QPainter,
    lines: Sequence[Sequence[Entry]],
    palette: CanvasPalette,
    width: float,
    bottom: float,
    ratio: float,
) -> None:
    """All lines above ``bottom`` on a ground of ``width`` (device pixels)."""
    theme, middle = palette.theme, int(Qt.AlignmentFlag.AlignVCenter)
    top = bottom - len(lines) * LINE * ratio
    if lines:  # what a camera looks at may go on below it
        painter.fillRect(
            QRectF(0, top - 0.2 * LINE * ratio, width, bottom - top + LINE * ratio), QColor(theme.canvas)
        )
    for row, line in enumerate(lines):
        x, y = SIDE * ratio, top + (row - 0.25) * LINE * ratio
        for entry in line:
            at = x
            if entry.device >= 0:
                colour = palette.devices[entry.device]
                paint_glyph(painter, colour, at + MARK * ratio / 2, y + LINE * ratio / 2, MARK * ratio)
            elif entry.model >= 0:
                painter.setPen(QPen(QColor(theme.muted), ratio))
                painter.setBrush(QColor(model_shade(entry.model, theme)))
                painter.drawRect(QRectF(at, y + 8 * ratio, MARK * ratio, (LINE - 16) * ratio))
            if max(entry.device, entry.model) >= 0:
                at += (MARK + BESIDE) * ratio
            for word, bold in entry.words:
                painter.setFont(letters(LEAST * ratio, bold))
                painter.setPen(QColor(theme.warning if entry.hot else theme.text))
                wide = measure(LEAST * ratio, bold).horizontalAdvance(word)
                painter.drawText(QRectF(at, y, wide + 4, LINE * ratio), middle, word)
                at += wide + BESIDE * ratio
            x += entry.width * ratio
