"""How the plates of the stages view are written: all of a picture in one form, the fullest for which each has room."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil

import numpy as np
from PySide6.QtCore import QRectF

from gui.canvas.graph.areas import pixels
from gui.canvas.graph.header_data import HeaderData
from gui.canvas.graph.scene import MOST_GROWN, Scene
from gui.canvas.graph.viewport import Viewport
from gui.layout.stages import WIDE_PLATE
from gui.look.fonts import metrics
from gui.look.numbers import Column, cache_text, plural, pushed_text, share_text, streamed_word
from planner.problem.target import Device
from planner.quantity import bytes_text

LEAST_TYPE, LARGEST_TYPE = 0.35, MOST_GROWN
"""How far type follows the zoom."""
LEAST_READ = 5.0
"""Pixels below which nothing is written."""
SMALLER, SMALLEST = 0.8, 0.7
"""How much smaller than usual names are before they are shortened, and all letters at most."""
TELLING = 100.0
"""Costs of this much in their unit need no decimals where these have no room."""
SLIM = 0.6
"""Share of the usual room left around the words of plates of few short lines."""
LINE = 1.12
"""How high a line is at least, in its letters."""
UNTOLD = 4
"""The form of memory that says nothing: behind the shortest of :func:`memory_words`."""
MARK, BESIDE_MARK = 0.85, 4.0
"""How large the mark before a name is, in its letters, and the pixels between the two."""
AROUND = 16.0
"""Pixels left of and right of the words of a plate together."""
APART = 8.0
"""Pixels between two words of a line."""


@dataclass(frozen=True)
class PlateForm:
    """How all plates are written, in letters of how many device pixels (0: there is no room for such words), in how many ``lines``: one below
    the other name, cost, ops and memory, where plates are ``wide`` two in each.

    ``called``: which of :func:`names_of` stands for a device; ``column``: how costs are written; ``brief``: which of :func:`memory_words` tells memory.
    """

    wide: bool
    lines: int
    called: int
    big: int
    cost: int
    small: int
    column: Column | None
    brief: int

    @property
    def slim(self) -> float:
        """What share of the usual room is left around the words."""
        return _slim(self.wide, self.lines)

    @property
    def tells_memory(self) -> bool:
        """Whether there is a line for it."""
        return self.lines >= (2 if self.wide else 4)

    def rows(self, box: QRectF, zoom: float) -> list[QRectF]:
        """The lines of a plate."""
        return _rows(box, self.lines, self.slim, zoom)


def type_scale(scene: Scene, viewport: Viewport, ratio: float) -> float:
    """How large type is against its usual size: as the plates are, within limits."""
    unit = 1.0 if scene.layout.stages is None else scene.layout.stages.unit
    return min(LARGEST_TYPE, max(LEAST_TYPE, unit * viewport.scale / ratio))


def plate_boxes(scene: Scene, viewport: Viewport) -> dict[int, QRectF]:
    """Where the plate of each device that has ops is drawn (device pixels)."""
    stages = scene.layout.stages
    if stages is None:
        return {}
    return {
        d: pixels((x, y, wide, stages.plate), viewport)
        for d, (x, y, wide, _) in enumerate(stages.blocks)
        if wide > 0
    }


def names_of(device: Device) -> tuple[str, str, str]:
    """What a plate may call a device, the longest first; at last by its number and what follows that: ``2 (B)`` of ``Stage 2 (B)``."""
    number = re.search(r"(?<!\S)\d.*", device.title)
    return device.title, device.name, number.group() if number else device.title.rpartition(" ")[2]


def cost_text(data: HeaderData | None, d: int, column: Column | None) -> str:
    """What a device costs; empty where that is not known."""
    if data is None or column is None or not np.isfinite(data.pace[d]):
        return ""
    return column.level(float(data.pace[d]))


def memory_words(data: HeaderData | None, d: int) -> tuple[str, ...]:
    """What a device holds of what it can, in four ever shorter forms, where that is limited: of a cache what is on chip and what is
    streamed. What the device's cost says already, where that is its memory, is not said again; what activations need is not free, and the
    cache is full of parameters and activations."""
    if data is None:
        return ()
    used, most = float(data.memory[d]), min(float(data.budget[d]), float(data.capacity[d]))
    pushed, needs = data.around(d)
    if not np.isfinite(most) or most <= 0:
        return ()
    told = np.array_equal(data.pace, data.memory)
    # Full of parameters and activations together, also where they are too much: what is left of this is what is free.
    full = f"{100 * (used + min(needs, most)) / most:.0f} % full"
    if most < data.budget[d]:
        share = f"of {bytes_text(most)}" if told else share_text(used, most)
        return share, share, share, full
    on = cache_text(used, most, brief=True, beside=data.column, pushed=pushed)
    if used > most:
        streamed = f"{bytes_text(used - most + pushed)} {streamed_word(used - most, pushed)}"
        return on, on if pushed <= 0 else streamed, streamed, full
    if pushed > 0:
        brief = f"{bytes_text(pushed)} streamed"
        return pushed_text(pushed) if told else on, brief, brief, full
    if not told:
        return on, on, on, full
    free = f"{bytes_text(max(0.0, most - used - needs))} free"
    return f"{free} beside activations" if needs > 0 else free, free, free, full


def memory_tone(data: HeaderData | None, d: int) -> str:
    """The colour of a theme in which memory is told: what is streamed is a ``warning``, what a rule forbids ``bad``, all else ``muted``."""
    if data is None:
        return "muted"
    over = float(data.memory[d]) > min(data.budget[d], data.capacity[d])
    if not over and not (data.loaded(d) and data.around(d)[0] > 0):
        return "muted"
    return "warning" if np.isfinite(data.budget[d]) else "bad"


def form_of(
    scene: Scene, viewport: Viewport, data: HeaderData | None, ratio: float, least: float = LEAST_READ
) -> PlateForm:
    """The form of all plates, whether in sight or not, in letters of ``least`` device pixels at least."""
    stages, boxes = scene.layout.stages, plate_boxes(scene, viewport)
    zoom = type_scale(scene, viewport, ratio) * ratio
    if stages is None or not boxes:
        return PlateForm(False, 2, 0, 0, 0, 0, None, 0)
    shown = list(boxes)
    wide = stages.blocks[shown[0]][2] >= WIDE_PLATE * stages.unit
    # In a small frame the least size is more than the usual one: then there are as many lines as are high enough for it.
    floor = ceil(least)
    usual, small = max(floor, int((12.5 if wide else 11) * zoom)), max(floor, int(11 * zoom))

    def row(lines: int) -> tuple[float, float]:
        """Width and height of the smallest of as many lines."""
        rows = [_rows(box, lines, _slim(wide, lines), zoom)[0] for box in boxes.values()]
        return min(one.width() for one in rows), min(one.height() for one in rows)

    fewest = 1 if wide else 2
    lines = next((n for n in range(stages.lines, fewest - 1, -1) if usual * LINE <= row(n)[1]), 0)
    if not lines:
        return PlateForm(wide, stages.lines, 0, 0, 0, 0, None, 0)
    slim, room = _slim(wide, lines), row(lines)[0]
    tried = _columns(data)
    costs = [[cost_text(data, d, column) for d in shown] for column in tried]
    which, cost = largest(costs, usual if wide else small, True, least, room)
    taken = widest(costs[which], cost, True) + APART * zoom if wide and cost else 0.0
    names = [list(each) for each in zip(*(names_of(scene.devices[d]) for d in shown), strict=True)]
    called, big = largest(names, usual, True, least, room - taken, MARK, BESIDE_MARK * slim * zoom, SMALLER)
    ops = [plural(int(scene.ops[d]), "op") for d in shown]
    told = [words for d in shown if (words := memory_words(data, d))]
    brief = 0
    if lines >= (2 if wide else 4):
        held = [list(each) for each in zip(*told, strict=True)] or [[""]]
        beside = 0.0 if not wide else widest(ops, small, False) + APART * zoom
        # Shorter words come before smaller ones: they are as small as they may be read already.
        brief, fitting = largest(held, small, False, small, room - beside)
        brief = brief if fitting else UNTOLD
    return PlateForm(wide, lines, called, big, cost, small, tried[which], brief)


def plate_width(devices: Sequence[Device], used: Sequence[int], data: HeaderData, least: float) -> float:
    """How wide a plate of few lines is that has room for the name and the cost of each device that is ``used``, in letters of ``least``
    pixels."""
    size, around = ceil(least), SLIM * AROUND + 1.0
    costs = [cost_text(data, d, data.column) for d in used]
    names = min(widest([names_of(devices[d])[i] for d in used], size, True) for i in (0, 1))
    return around + max(widest(costs, size, True), MARK * size + BESIDE_MARK * SLIM + names)


def widest(words: Sequence[str], size: int, bold: bool) -> float:
    """Pixels that the longest of ``words`` is wide."""
    return max(map(metrics(size, bold).horizontalAdvance, words), default=0.0)


def largest(
    choices: Sequence[Sequence[str]], size: int, bold: bool, least: float, room: float, mark: float = 0.0, beside: float = 0.0,
    share: float = SMALLEST,
) -> tuple[int, int]:  # fmt: skip
    """The first of ``choices`` all of whose words have ``room``, and in letters of which size: a ``share`` of ``size`` at least, of the last
    one :data:`SMALLEST`; (0, 0) where none has. ``mark`` (in letters) and ``beside`` (in pixels) are what stands before each word."""
    for i, words in enumerate(choices):
        smaller = share if i + 1 < len(choices) else SMALLEST
        for tried in range(max(size, ceil(least)), max(ceil(least), int(smaller * size)) - 1, -1):
            if mark * tried + beside + widest(words, tried, bold) <= room:
                return i, tried
    return 0, 0


def _slim(wide: bool, lines: int) -> float:
    """What share of the usual room is left around the words."""
    return SLIM if not wide and lines < 4 else 1.0


def _rows(box: QRectF, lines: int, slim: float, zoom: float) -> list[QRectF]:
    """The lines of a plate."""
    inner = box.adjusted(10 * slim * zoom, 3 * slim * zoom, -6 * slim * zoom, -3 * slim * zoom)
    high = min(inner.height() / lines, 18 * zoom)
    first = inner.center().y() - high * lines / 2
    return [QRectF(inner.left(), first + i * high, inner.width(), high) for i in range(lines)]


def _columns(data: HeaderData | None) -> list[Column | None]:
    """How costs may be written: as all of a screen, or with fewer decimals where they are large."""
    if data is None:
        return [None]
    column = data.column
    known = data.pace[np.isfinite(data.pace)]
    large = float(known.max(initial=0.0)) / column.scale >= TELLING
    fewer = range(column.digits - 1, -1, -1) if large else ()
    return [column, *(replace(column, digits=digits) for digits in fewer)]
