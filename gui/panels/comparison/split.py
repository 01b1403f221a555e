"""Cards of moved ops split in two: the left half in plan A's colour, the right half in plan B's, with both shapes."""

from __future__ import annotations

from math import ceil

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from gui.canvas.graph.detail import Detail
from gui.canvas.graph.labels import name_on_card
from gui.canvas.graph.naming.card_names import wide
from gui.canvas.graph.painter import SPLIT_SHARE
from gui.canvas.graph.palette import CanvasPalette, packed
from gui.canvas.graph.scene import STYLE, Scene
from gui.canvas.graph.viewport import Viewport
from gui.look.fonts import font
from gui.look.glyphs import paint_glyph
from gui.look.theme import mix
from gui.panels.comparison.marks import MOST_BADGES, Marks
from gui.raster import engine as raster
from planner.problem.target import Device

CENTRE = int(Qt.AlignmentFlag.AlignCenter)
SOFT = 0.34
"""How much of a device's colour fills its half of a card that is near enough to read."""


def paint_split(
    buffer: np.ndarray,
    scene: Scene,
    second: Scene,
    viewport: Viewport,
    palette: CanvasPalette,
    marks: Marks,
    detail: Detail,
    ratio: float,
) -> None:
    """Both halves and a ring around them; from afar the halves of the ops' cells."""
    items = np.flatnonzero(marks.moved)
    if len(items) == 0:
        return
    grow_x = STYLE.gap_x / 2 if detail == Detail.OVERVIEW else 0.0
    grow_y = STYLE.gap_y / 2 if detail == Detail.OVERVIEW else 0.0
    x, y = scene.x[items] - grow_x, scene.y[items] - grow_y
    w, h = scene.w[items] + 2 * grow_x, scene.h[items] + 2 * grow_y
    place = (viewport.scale, viewport.ox, viewport.oy)
    theme = palette.theme
    near = detail >= Detail.LABELS
    for half, device in ((0.0, scene.device[items]), (0.5, second.device[items])):
        fill = palette.accent[device]
        if near:
            soft = np.array([packed(mix(theme.card, d.accent, SOFT)) for d in palette.devices], np.uint32)
            fill = soft[device]
        raster.rounded_rects(
            buffer,
            None,
            x + half * w,
            y,
            w / 2,
            h,
            *place,
            fill=fill.astype(np.uint32),
            radius_px=0.0,
            min_px=1.0,
        )
    bar_x, bar_y, bar_w, bar_h, of = split_parts(scene, second, marks, detail, ratio / viewport.scale)
    raster.rounded_rects(
        buffer, None, bar_x, bar_y, bar_w, bar_h, *place, fill=palette.accent[of], radius_px=0.0, min_px=0.0
    )
    if detail == Detail.OVERVIEW:
        return
    if near:  # a bar of full colour at each end
        bar = 4.0 * ratio / viewport.scale
        for left, device in ((x, scene.device[items]), (x + w - bar, second.device[items])):
            raster.rounded_rects(
                buffer,
                None,
                left,
                y,
                np.full(len(items), bar),
                h,
                *place,
                fill=palette.accent[device],
                radius_px=0.0,
            )
    raster.rounded_rects(
        buffer, None, x, y, w, h, *place, fill=0, stroke=np.uint32(packed(theme.text)),
        stroke_px=(1.2 if near else 0.8) * ratio, radius_px=0.0, min_px=2.0, opacity=1.0 if near else 0.5,
    )  # fmt: skip


def split_parts(
    scene: Scene, second: Scene, marks: Marks, detail: Detail, edge: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Left, top, width, height (scene units, float64[parts]) and device of what each half of a moved group is spread over.

    As on a group's card they share the lower edge of their half, and from afar all of it. ``edge``: a logical pixel.
    """
    near, afar = detail >= Detail.LABELS, detail == Detail.OVERVIEW
    grow_x, grow_y = (STYLE.gap_x / 2, STYLE.gap_y / 2) if afar else (0.0, 0.0)
    found = []
    for half, parts in ((0.0, scene.splits), (0.5, second.splits)):
        chosen = marks.moved[parts.item]
        item, start, end = parts.item[chosen], parts.start[chosen], parts.end[chosen]
        w, h = scene.w[item] + 2 * grow_x, scene.h[item] + 2 * grow_y
        high, inside = (np.maximum(SPLIT_SHARE * h, 2 * edge), edge) if near else (h, 0.0)
        x = scene.x[item] - grow_x + (half + start / 2) * w
        y = scene.y[item] - grow_y + h - high - inside
        found.append((x, y, (end - start) / 2 * w, high, parts.device[chosen]))
    x, y, w, h, device = (np.concatenate(columns) for columns in zip(*found, strict=True))
    return x, y, w, h, device


def draw_split(
    painter: QPainter,
    scene: Scene,
    second: Scene,
    viewport: Viewport,
    palette: CanvasPalette,
    marks: Marks,
    detail: Detail,
) -> None:
    """The same as shapes, in logical pixels."""
    theme, near = palette.theme, detail >= Detail.LABELS
    for i in np.flatnonzero(marks.moved).tolist():
        x, y = viewport.to_pixels(float(scene.x[i]), float(scene.y[i]))
        w, h = max(2.0, float(scene.w[i]) * viewport.scale), max(1.0, float(scene.h[i]) * viewport.scale)
        for left, end, device in ((x, x, scene.device[i]), (x + w / 2, x + w - 4.0, second.device[i])):
            accent = palette.devices[int(device)].accent
            painter.fillRect(
                QRectF(left, y, w / 2, h), QColor(mix(theme.card, accent, SOFT) if near else accent)
            )
            if near:  # a bar of full colour at each end
                painter.fillRect(QRectF(end, y, 4.0, h), QColor(accent))
        painter.setPen(QPen(QColor(theme.text), 1.2 if near else 0.8))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(QRectF(x, y, w, h))
    for left, top, across, high, device in zip(
        *split_parts(scene, second, marks, detail, 1.0 / viewport.scale), strict=True
    ):
        x, y = viewport.to_pixels(float(left), float(top))
        box = QRectF(x, y, float(across) * viewport.scale, float(high) * viewport.scale)
        painter.fillRect(box, QColor(palette.devices[int(device)].accent))


def paint_split_text(
    painter: QPainter,
    scene: Scene,
    second: Scene,
    viewport: Viewport,
    palette: CanvasPalette,
    marks: Marks,
    detail: Detail,
    ratio: float,
    least: float = 0.0,
) -> None:
    """The name and both devices' shapes on split cards that are large enough, and where there is room both devices, in letters of
    ``least`` pixels at least."""
    if detail < Detail.LABELS:
        return
    items = np.flatnonzero(scene.in_sight(viewport.visible()) & marks.moved)
    if len(items) == 0 or len(items) > MOST_BADGES:
        return
    theme = palette.theme
    painter.setRenderHint(QPainter.RenderHint.TextAntialiasing, True)
    card = STYLE.card_h * viewport.scale
    cards = detail == Detail.CARDS
    mark = min(9.0 * ratio, 0.5 * card) if cards else min(7.0 * ratio, 0.6 * card)
    inset = 7 * ratio + mark
    names = {i: name_on_card(scene, viewport, palette, detail, i, ratio, least) for i in items.tolist()}
    across = {i: float(scene.w[i]) * viewport.scale for i in names}
    has_room = {
        i: wide(text, pixels, cards) <= across[i] - 2 * inset - 4 * ratio
        for i, (text, pixels) in names.items()
    }
    # Marks stand beside the name, below it where that has no room for them; where there is no below all cards have them, or none has.
    marked = min(across.values()) >= 3 * mark + 12 * ratio and (cards or all(has_room.values()))
    for i, (text, pixels) in names.items():
        x, y = viewport.to_pixels(float(scene.x[i]), float(scene.y[i]))
        w, h, beside = across[i], float(scene.h[i]) * viewport.scale, marked and has_room[i]
        row = QRectF(x, y, w, h / 2 if cards else h)
        # By the rule of all cards, and in their letters: two of a kind are called alike whether they moved or not.
        painter.setFont(font(pixels, cards))
        painter.setPen(QColor(theme.text))
        painter.drawText(row, CENTRE, text)
        devices = int(scene.device[i]), int(second.device[i])
        low = QRectF(x + 6 * ratio, y + h / 2, w - 12 * ratio, h / 2 - 2 * ratio)
        if marked:
            level = (row if beside else low).center().y()
            for device, at in zip(devices, (x + inset - mark / 2, x + w - inset + mark / 2), strict=True):
                paint_glyph(painter, palette.devices[device], at, level, mark)
        if cards:
            if marked and not beside:
                low.adjust(inset - 2 * ratio, 0, 2 * ratio - inset, 0)
            small = max(int(11 * ratio), ceil(least))
            painter.setFont(font(small, False))
            painter.setPen(QPen(QColor(theme.text)))
            said = moved_choices(*(one.devices[d] for one, d in zip((scene, second), devices, strict=True)))
            words = next((words for words in said if wide(words, small, False) <= low.width()), "")
            painter.drawText(low, CENTRE, words)


def moved_choices(first: Device, second: Device) -> tuple[str, ...]:
    """From which device an op goes to which, the longest way to say it first: ``Stage 2 → Stage 1``, ``Stage 2 → 1``, ``2 → 1``."""
    arrow = " \N{RIGHTWARDS ARROW} "
    (kind, _, number), (other, _, into) = first.title.partition(" "), second.title.partition(" ")
    brief = (f"{first.title}{arrow}{into}", f"{number}{arrow}{into}")
    alike = brief if kind == other and number and into else ()
    return (f"{first.title}{arrow}{second.title}", f"{first.name}{arrow}{second.name}", *alike)
