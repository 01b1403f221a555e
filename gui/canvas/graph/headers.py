"""The lane headers: a margin at the left of the lanes view that names each device and shows what it costs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from gui.canvas.graph.header_data import HeaderData
from gui.canvas.graph.lanes.header_form import (
    LEAST_TITLED,
    Extents,
    HeaderForm,
    form_of,
    free_of,
    has_costs,
    mark_size,
)
from gui.canvas.graph.lanes.links import paint_links
from gui.canvas.graph.palette import CanvasPalette
from gui.canvas.graph.scene import Scene
from gui.canvas.graph.viewport import Viewport
from gui.look.fonts import font, metrics
from gui.look.glyphs import GLYPH_SIZE, paint_glyph
from gui.look.numbers import cache_text
from gui.look.theme import mix
from gui.widgets.bars import paint_load
from planner.model.graph import Bools
from planner.quantity import bytes_text

HEADER_WIDTH = 160
"""Logical pixels: how wide headers are."""


def lane_extents(scene: Scene, viewport: Viewport) -> list[tuple[float, float]]:
    """Top and bottom of each lane in device pixels."""
    out = []
    for lane in scene.layout.lanes:
        _, y, _, h = lane.band
        out.append((y * viewport.scale + viewport.oy, (y + h) * viewport.scale + viewport.oy))
    return out


def paint_headers(
    painter: QPainter,
    scene: Scene,
    viewport: Viewport,
    palette: CanvasPalette,
    data: HeaderData | None,
    ratio: float,
    least: float = 0.0,
    veil: Callable[[], None] = lambda: None,
    some: bool = False,
    wide: float = HEADER_WIDTH,
) -> None:
    """All headers that are in sight, ``wide`` logical pixels, in the one form that the lowest lane has room for: title and cost, then bar, then traffic.

    No letters are smaller than ``least`` logical pixels: lanes that are too low for them have their marks alone, or, where ``some`` are to
    be named or nothing says how small they may be, as many a title as have room.
    ``veil`` covers what steps back, below the plates of links: they stand in two lanes, and half of one would be covered.
    """
    if not scene.layout.lanes:
        return
    theme = palette.theme
    width = wide * ratio
    painter.fillRect(QRectF(0, 0, width, viewport.height), QColor(theme.canvas))
    extents = lane_extents(scene, viewport)
    lowest = min((bottom - top for top, bottom in extents if bottom > top), default=0.0)
    plated = data is not None and data.links is not None
    form = form_of(extents, scene.ops > 0, plated, ratio, least)
    some = (some and lowest < (least + 1) * ratio) or (not least and not form.size)
    heads = None
    if data is not None and form.size and not some:
        heads = _heads(data, extents, form, scene.ops > 0, (width - 19 * ratio, ratio, least))
    for d, (top, bottom) in enumerate(extents):
        if bottom < 0 or top > viewport.height or bottom <= top:
            continue
        box = QRectF(0, top, width, bottom - top)
        painter.fillRect(box, QColor(palette.devices[d].band))
        painter.fillRect(QRectF(0, top, 4 * ratio, box.height()), QColor(palette.devices[d].accent))
        if not 0 <= box.center().y() <= viewport.height:
            continue  # its words, in its middle, are out of sight
        if heads is not None:
            _paint_header(painter, box, d, viewport, palette, heads, 1 if scene.ops[d] == 0 else form.rows)
        elif data is not None and not some:
            mark = min(GLYPH_SIZE * ratio, 0.8 * box.height())
            paint_glyph(painter, palette.devices[d], (11 + GLYPH_SIZE / 2) * ratio, box.center().y(), mark)
    if data is not None and data.unused:
        _paint_unused(painter, scene, viewport, palette, data.unused, ratio, width)
    if some and data is not None:
        _paint_some_titles(painter, extents, palette, data, ratio, least or LEAST_TITLED, wide, least > 0.0)
    painter.setPen(QPen(QColor(theme.border), ratio))
    painter.drawLine(int(width), 0, int(width), viewport.height)
    veil()
    if data is not None and data.links is not None:
        paint_links(painter, data.links, lane_extents(scene, viewport), width, viewport, palette, ratio)


def header_rows(scene: Scene, viewport: Viewport, data: HeaderData | None, least: float) -> int:
    """How many rows headers have (0: there are none), in pictures whose letters are no smaller than ``least``: from two on they have
    bars, from three on the bars of two plans their letters and figures."""
    if data is None or not scene.layout.lanes:
        return 0
    return form_of(lane_extents(scene, viewport), scene.ops > 0, data.links is not None, 1.0, least).rows


def headers_fit(scene: Scene, viewport: Viewport, least: float) -> bool:
    """Whether every lane has room for its title in letters of ``least`` pixels."""
    return form_of(lane_extents(scene, viewport), scene.ops > 0, False, 1.0, least).size > 0


def _paint_unused(
    painter: QPainter, scene: Scene, viewport: Viewport, palette: CanvasPalette, words: str, ratio: float, width: float
) -> None:  # fmt: skip
    """How many devices have no ops, in the band that stands for all of them."""
    assert scene.layout.rest is not None
    _, y, _, h = scene.layout.rest.band
    top, high = viewport.to_pixels(0, y)[1], h * viewport.scale
    size = int(min(12.0, high / ratio - 1) * ratio)
    line = QRectF(11 * ratio, top, width - 19 * ratio, high)
    painter.setPen(QColor(palette.theme.muted))
    painter.setFont(font(size, False))
    painter.drawText(line, int(Qt.AlignmentFlag.AlignVCenter), words)


def _paint_some_titles(
    painter: QPainter, extents: list[tuple[float, float]], palette: CanvasPalette, data: HeaderData, ratio: float, least: float, wide: float, page: bool
) -> None:  # fmt: skip
    """Where lanes are too low for letters of ``least`` logical pixels: the mark of each, title and cost of as many as have room."""
    size, named = int(np.ceil(least * ratio)), list[float]()
    there = [d for d, (top, bottom) in enumerate(extents) if bottom > top]
    # On a page the bottleneck's first: its colour is explained there. In a window as evenly as the marks of an axis.
    for d in sorted(there, key=lambda one: page and one != data.bottleneck):
        top, bottom = extents[d]
        middle, x = (top + bottom) / 2, (11 + GLYPH_SIZE + 6) * ratio
        mark = min(GLYPH_SIZE * ratio, 0.9 * (bottom - top))
        paint_glyph(painter, palette.devices[d], 11 * ratio + GLYPH_SIZE * ratio / 2, middle, mark)
        if any(abs(middle - other) < 1.2 * size for other in named):
            continue
        named.append(middle)
        line = QRectF(x, middle - 0.7 * size, wide * ratio - x - 8 * ratio, 1.4 * size)
        hot = d == data.bottleneck
        painter.setPen(QColor(palette.theme.warning if hot else palette.theme.text))
        painter.setFont(font(size, hot))
        painter.drawText(line, int(Qt.AlignmentFlag.AlignVCenter), data.titles[d])
        if np.isfinite(data.pace[d]):
            words = data.cost_words(d)
            if metrics(size, hot).horizontalAdvance(data.titles[d] + " " + words) <= line.width():
                painter.drawText(
                    line, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight), words
                )


@dataclass(frozen=True, eq=False)
class _Heads:
    """What all headers of a picture are painted with: their form, and what each is called, in letters of ``letters`` device pixels."""

    data: HeaderData
    extents: Extents
    form: HeaderForm
    titles: tuple[str, ...]
    letters: int
    ratio: float
    both: bool
    """Whether bytes in and out have room in one line, in all of them."""

    @cached_property
    def around_bars(self) -> tuple[float, float]:
        """Device pixels of the widest letter before the bars of two plans, and of the widest figure after them."""
        size, plans = int(10 * self.ratio), [one for one in (self.data, self.data.other) if one is not None]
        before, after = metrics(size, False), metrics(size, True)
        figures = (one.bar_words(lane) for one in plans for lane in range(len(one.pace)))
        letters = max(map(before.horizontalAdvance, self.data.letters)) + 5 * self.ratio
        return letters, max(map(after.horizontalAdvance, figures), default=0.0)


def _heads(
    data: HeaderData, extents: Extents, form: HeaderForm, used: Bools, room: tuple[float, float, float]
) -> _Heads:
    """``used`` bool[k]: devices with ops; ``room``: device pixels that a header is wide inside, device pixels for a logical one, and logical pixels that letters have at least."""
    width, ratio, least = room
    there = [d for d, (top, bottom) in enumerate(extents) if bottom > top]
    beside_bars = data.other is not None and form.rows >= 3 and not data.apart
    beside_titles = [d for d in there if not (beside_bars and used[d])]
    taken = max(
        (metrics(form.size, True).horizontalAdvance(data.cost_words(d)) for d in beside_titles), default=0.0
    )
    form = replace(form, costs=has_costs(taken, width, ratio))
    beside = width - mark_size(form, ratio) - 4 * ratio - (taken + 6 * ratio if form.costs and taken else 0.0)
    titles, letters = _titles(
        data, there, beside, form.size, int(np.ceil(least * ratio)) if least else form.size
    )
    measure = metrics(int(10 * ratio), False)
    both = all(measure.horizontalAdvance("  ".join(_in_and_out(data, d))) <= width for d in there)
    return _Heads(data, extents, form, titles, letters, ratio, both)


def _paint_header(
    painter: QPainter, box: QRectF, d: int, viewport: Viewport, palette: CanvasPalette, heads: _Heads, rows: int
) -> None:  # fmt: skip
    """One header, with so many ``rows``."""
    theme, data, form, ratio = palette.theme, heads.data, heads.form, heads.ratio
    low, high = free_of(heads.extents, d, data.links is not None, ratio)
    paired = data.other is not None and rows >= 3
    rows = 3 if paired else min(rows, 5 if data.passing(d) > 0 else 4)
    line = min(15 * ratio, high - low)
    block = (line if rows == 1 else line + (rows - 1) * 14 * ratio) + 2 * ratio
    # The text stays in sight while the lane is scrolled, as far as the lane goes.
    seen = (max(low, 0.0) + min(high, float(viewport.height))) / 2
    y = min(max(seen - block / 2, low), max(low, high - block))
    x, w = 11 * ratio, box.width() - 19 * ratio
    hot = d == data.bottleneck and data.other is None
    rect = QRectF(x, y, w, line)
    if form.costs and (not paired or data.apart):
        painter.setPen(QColor(theme.warning if hot else theme.text))
        painter.setFont(font(form.size, True))
        painter.drawText(
            rect, int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter), data.cost_words(d)
        )
    painter.setPen(QColor(theme.warning if hot and not form.costs else theme.text))
    mark = mark_size(form, ratio)
    paint_glyph(painter, palette.devices[d], x + mark / 2, rect.center().y(), mark)
    painter.setFont(font(heads.letters, False))
    rect.setLeft(x + mark + 4 * ratio)
    painter.drawText(rect, int(Qt.AlignmentFlag.AlignVCenter), heads.titles[d])
    _paint_details(painter, QRectF(x, y + line + 3 * ratio, w, 0.0), d, palette, heads, rows)


def _paint_details(
    painter: QPainter, place: QRectF, d: int, palette: CanvasPalette, heads: _Heads, rows: int
) -> None:
    """What stands below a header's title, from the top of ``place``: a bar where there are two ``rows``, words where there are more."""
    x, y, w, ratio = place.left(), place.top(), place.width(), heads.ratio
    if heads.data.other is not None:
        _paint_both(painter, QRectF(x, y, w, 0.0), d, palette, heads, rows)
        return
    if rows >= 2:
        paint_bar = _paint_cache if heads.data.loaded(d) else _paint_bar
        paint_bar(painter, QRectF(x, y, w, 6 * ratio), d, palette, heads.data)
        y += 9 * ratio
    if rows >= 3:
        _paint_traffic(painter, QRectF(x, y, w, 13 * ratio), rows, d, palette, heads)


def _paint_both(
    painter: QPainter, place: QRectF, d: int, palette: CanvasPalette, heads: _Heads, rows: int
) -> None:
    """The bars of two plans that show at once below each other; with their letters and figures where there are three ``rows``."""
    data, ratio, theme = heads.data, heads.ratio, palette.theme
    assert data.other is not None
    size, plans = int(10 * ratio), (data, data.other)
    high, step = (6 * ratio, 14 * ratio) if rows >= 3 else (3 * ratio, 4 * ratio)
    for number, one in enumerate(plans[: 2 if rows >= 2 else 0]):
        bar = QRectF(place.left(), place.top() + number * step, place.width(), high)
        if rows >= 3:
            letters, figures = heads.around_bars
            line = QRectF(bar.left(), bar.top() - 2 * ratio, bar.width(), step)
            painter.setFont(font(size, False))
            painter.setPen(QColor(theme.muted))
            painter.drawText(line, int(Qt.AlignmentFlag.AlignVCenter), data.letters[number])
            painter.setFont(font(size, True))
            painter.setPen(QColor(theme.warning if d == one.bottleneck else theme.text))
            flags = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            painter.drawText(line, flags, one.bar_words(d))
            bar = QRectF(line.left() + letters, line.center().y() - high / 2, line.width() - letters - figures - 6 * ratio, high)  # fmt: skip
        paint_bar = _paint_cache if one.loaded(d) else _paint_bar
        paint_bar(painter, bar, d, palette, one)


def _in_and_out(data: HeaderData, d: int) -> list[str]:
    return [f"in {bytes_text(float(data.received[d]))}", f"out {bytes_text(float(data.sent[d]))}"]


def _paint_traffic(
    painter: QPainter, line: QRectF, rows: int, d: int, palette: CanvasPalette, heads: _Heads
) -> None:
    """Bytes in and out, or what memory holds and the other cost, from ``line`` down; in one line where there are but three ``rows``,
    and with the bytes that pass by where there are five."""
    theme, data, ratio, loaded = palette.theme, heads.data, heads.ratio, heads.data.loaded(d)
    painter.setFont(font(int(10 * ratio), False))
    lines, held = _in_and_out(data, d), ""
    if loaded:
        used, cache = float(data.memory[d]), float(data.budget[d])
        other = f"{data.time} {data.times.level(float(data.cost[d]))}"
        if np.array_equal(data.pace, data.cost):  # stands beside the title already
            other = "  ".join(lines)
        held = cache_text(used, cache, brief=True, beside=data.column, pushed=data.around(d)[0])
        lines = [held, other]
    joined = "  ".join(lines)
    if not heads.both:
        joined = lines[0] if data.received[d] else lines[1]  # whole, rather than both of which one is cut
    if rows >= 5:
        lines.append(f"{bytes_text(data.passing(d))} pass by")
    if loaded and rows < 4:
        # What stands beside the title is not said again where there is one line.
        again = (
            np.array_equal(data.pace, data.memory)
            and bool((data.memory <= data.budget).all())
            and not any(data.pushed)
        )
        lines = lines[1:2] if again else lines[:1]
    for text in lines if rows >= 4 or loaded else [joined]:
        streamed = text == held and (data.memory[d] > data.budget[d] or data.around(d)[0] > 0)
        painter.setPen(QColor(theme.warning if streamed else theme.muted))
        shown = metrics(int(10 * ratio), False).elidedText(text, Qt.TextElideMode.ElideRight, line.width())
        painter.drawText(line, int(Qt.AlignmentFlag.AlignVCenter), shown)
        line = line.translated(0, 13 * ratio)


def _titles(
    data: HeaderData, there: list[int], room: float, size: int, smallest: int
) -> tuple[tuple[str, ...], int]:
    """What devices are called in ``room`` device pixels, and in letters of which size: their titles if those of all that are ``there`` fit in
    letters of ``smallest`` at least, else their short names, else what their plan alone calls them."""

    def widest(words: tuple[str, ...], letters: int) -> float:
        return max(metrics(letters, False).horizontalAdvance(words[d]) for d in there)

    fitting = (s for s in range(size, smallest - 1, -1) if widest(data.titles, s) <= room)
    found = next(fitting, 0)
    if found:
        return data.titles, found
    named = data.own if data.own and widest(data.names, smallest) > room else data.names
    measure = metrics(smallest, False)
    return tuple(measure.elidedText(one, Qt.TextElideMode.ElideRight, room) for one in named), smallest


def _paint_cache(painter: QPainter, box: QRectF, d: int, palette: CanvasPalette, data: HeaderData) -> None:
    """Parameters around the cache line, all devices on one scale."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
    used, cache = float(data.memory[d]), float(data.budget[d])
    pushed, needs = data.around(d)
    paint_load(
        painter, box, used, cache, data.full, palette.devices[d], palette.theme, pushed=pushed, needs=needs
    )


def _paint_bar(painter: QPainter, box: QRectF, d: int, palette: CanvasPalette, data: HeaderData) -> None:
    """Receive, work, streaming and send on the scale of the worst device, or of all plans that are compared."""
    theme, colour = palette.theme, palette.devices[d]
    painter.fillRect(box, QColor(mix(colour.band, theme.text, 0.08)))
    worst = data.whole
    if worst <= 0:
        return
    x = box.left()
    shades = (colour.soft, colour.accent, theme.warning, colour.soft)
    for value, shade in zip(data.parts[:, d], shades, strict=True):
        wide = box.width() * float(value) / worst
        painter.fillRect(QRectF(x, box.top(), wide, box.height()), QColor(shade))
        x += wide
