"""Seen from afar: the ground each stage covers, one plate per stage, and ribbons between them whose width is bytes."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from gui.canvas.graph.detail import Detail
from gui.canvas.graph.heat.ramps import heat_fills
from gui.canvas.graph.palette import CanvasPalette, packed
from gui.canvas.graph.rules.signs import paint_signs
from gui.canvas.graph.scene import STYLE, Scene
from gui.canvas.graph.stages.plate_form import names_of
from gui.canvas.graph.viewport import Viewport
from gui.look.fonts import font, metrics
from gui.look.theme import mix
from gui.raster import engine as raster
from planner.model.graph import Floats
from planner.quantity import bytes_text

PLATE_HEIGHT = 24.0
PLATE_WIDTH, NAME_WIDTH = 178.0, 76.0
"""How wide plates are, and those that are names alone."""
LEAST_PITCH = 12.0
"""From one plate of a column to the next, at least."""
BETWEEN = 10.0
"""Between plates of a column, so that ribbons are seen there: where whole plates leave less they are names alone, and lower."""
GROUND_WIDTH = 68.0
WIDEST_RIBBON = 16.0
MOST_PLATES = 12
"""With more devices the plates shrink to their names, and in the flow view each stands on the ground of its own ops."""
TRIED = 24
"""Places that are tried for such a plate before it is left out."""
LEAST_SHARE = 0.02
"""Ribbons thinner than this share of the widest carry no figure."""
FAR_RING = 1.2
"""Logical pixels that the line around what is selected is wide, from afar, and around a group that is selected in part."""


@dataclass(frozen=True, eq=False)
class Ribbon:
    """Bytes from one device to another, as a curve in device pixels (float64[8]) and a place for the figure."""

    src: int
    dst: int
    bytes: float
    width: float
    curve: Floats
    apex: QPointF


def paint_overview(
    buffer: np.ndarray, scene: Scene, viewport: Viewport, palette: CanvasPalette, ratio: float
) -> None:
    """The ground of the stages and the ribbons; :func:`paint_plates` adds what QPainter draws."""
    paint_ground(buffer, scene, viewport, palette, ratio)
    found = ribbons(scene, viewport, ratio)
    if not found or scene.heat is not None:  # hot ops must not lie under what crosses them
        return
    curves = np.array([r.curve for r in found])
    width = np.array([r.width for r in found])
    place = (1.0, 0.0, 0.0)
    arrow = np.maximum(7.0 * ratio, 1.5 * width)
    edge = packed(palette.theme.canvas)
    raster.curves(buffer, None, curves, *place, colour=edge, width_px=width + 3.0 * ratio, opacity=0.85)
    colour = palette.accent[np.array([r.src for r in found])]
    raster.curves(buffer, None, curves, *place, colour=colour, width_px=width, opacity=0.9, arrow_px=arrow)


def paint_ground(
    buffer: np.ndarray, scene: Scene, viewport: Viewport, palette: CanvasPalette, ratio: float
) -> None:
    """Every op as its whole cell of the grid, so that the ops of a stage flow together into one area."""
    grow = 0.6 * ratio / viewport.scale
    pad_x, pad_y = STYLE.gap_x / 2 + grow, STYLE.gap_y / 2 + grow
    raster.rounded_rects(
        buffer, None, scene.x - pad_x, scene.y - pad_y, scene.w + 2 * pad_x, scene.h + 2 * pad_y,
        viewport.scale, viewport.ox, viewport.oy, fill=ground_colours(scene, palette), radius_px=0.0, min_px=1.0,
        visible=~scene.selected,  # what is selected is painted over all of its cell
    )  # fmt: skip
    _paint_selected(buffer, scene, viewport, palette, ratio)
    paint_signs(buffer, scene, viewport, palette, Detail.OVERVIEW, ratio)


def _paint_selected(
    buffer: np.ndarray, scene: Scene, viewport: Viewport, palette: CanvasPalette, ratio: float
) -> None:
    """A line around what is selected, which has the full colour of its devices."""
    items = np.flatnonzero(scene.selected)
    if not len(items):
        return
    colour = palette.accent[scene.device[items]]
    if scene.heat is not None:
        colour = heat_fills(scene.heat, palette)[items]
    colour = np.where(scene.violating[items], np.uint32(packed(palette.theme.bad)), colour).astype(np.uint32)
    for wide, fill in ((FAR_RING, np.uint32(packed(palette.theme.edge_selected))), (0.0, colour)):
        pad_x, pad_y = (gap / 2 + wide * ratio / viewport.scale for gap in (STYLE.gap_x, STYLE.gap_y))
        raster.rounded_rects(
            buffer, None, scene.x[items] - pad_x, scene.y[items] - pad_y, scene.w[items] + 2 * pad_x,
            scene.h[items] + 2 * pad_y, viewport.scale, viewport.ox, viewport.oy, fill=fill, radius_px=0.0,
            min_px=(1.0 + 2 * wide) * ratio,
        )  # fmt: skip


def ground_colours(scene: Scene, palette: CanvasPalette) -> np.ndarray:
    """The colour of each op's cell (uint32[ops])."""
    theme = palette.theme
    fill = np.array(
        [packed(mix(theme.canvas, d.accent, 0.5 if theme.dark else 0.42)) for d in palette.devices], np.uint32
    )
    cells = fill[scene.device]
    if scene.items.model.any():
        cells = np.where(scene.items.model == 0, cells, palette.blocks_of(scene.device, scene.items.model))
    if scene.highlighted.any() or scene.all_faded:
        faded = np.array([packed(mix(theme.canvas, d.accent, 0.14)) for d in palette.devices], np.uint32)
        cells = np.where(scene.highlighted, palette.accent[scene.device], faded[scene.device])
    if scene.heat is not None:
        cells = heat_fills(scene.heat, palette)
        if scene.faded.any():
            cells = np.where(scene.faded, np.uint32(packed(theme.grid)), cells)
    return np.where(scene.violating, np.uint32(packed(theme.bad)), cells).astype(np.uint32)


def plates(scene: Scene, viewport: Viewport, ratio: float) -> dict[int, QRectF]:
    """One plate per device that has ops, in a column, each as near to the middle of its ops as the others allow.

    Where they would hide the graph and the ribbons between them they are names alone. Where not even low ones all have room some are left out, evenly: headers name the lanes beside them.
    """
    count = np.bincount(scene.device, minlength=scene.k)
    used = np.flatnonzero(count)
    if len(used) == 0:
        return {}
    if on_ground(scene):
        return _ground_plates(scene, viewport, ratio)
    middle = np.bincount(scene.device, weights=scene.y + scene.h / 2, minlength=scene.k)[used] / count[used]
    y = middle * viewport.scale + viewport.oy
    order = np.lexsort((used, y)) if scene.layout.lanes == () else np.arange(len(used))
    bx, by, bw, bh = scene.layout.bounds
    top, bottom = by * viewport.scale + viewport.oy, (by + bh) * viewport.scale + viewport.oy
    tall = PLATE_HEIGHT * ratio
    fitting = max(1, int((bottom - top) / (LEAST_PITCH * ratio)))
    order = order[:: math.ceil(len(order) / fitting)]
    pitch = min(tall + 18 * ratio, max(LEAST_PITCH * ratio, (bottom - top) / len(order)))
    whole = scene.k <= MOST_PLATES and (len(order) == 1 or pitch >= tall + BETWEEN * ratio)
    tall = min(tall, max((LEAST_PITCH - 2) * ratio, pitch - BETWEEN * ratio))
    wide = (PLATE_WIDTH if whole else NAME_WIDTH) * ratio
    x = (bx + bw / 2) * viewport.scale + viewport.ox - wide / 2
    places = y[order]
    for i in range(1, len(places)):
        places[i] = max(places[i], places[i - 1] + pitch)
    limit = max(bottom, top + tall) - tall / 2
    for i in range(len(places) - 1, -1, -1):
        places[i] = min(places[i], limit)
        limit = places[i] - pitch
    return {
        int(used[d]): QRectF(x, float(p) - tall / 2, wide, tall) for d, p in zip(order, places, strict=True)
    }


def on_ground(scene: Scene) -> bool:
    """Whether there are too many plates for a column beside ribbons: a column of them would hide the graph."""
    return scene.k > MOST_PLATES and not scene.layout.lanes


def _ground_plates(scene: Scene, viewport: Viewport, ratio: float) -> dict[int, QRectF]:
    """A small plate on one of each device's ops, as near to their middle as the other plates allow."""
    x = (scene.x + scene.w / 2) * viewport.scale + viewport.ox
    y = (scene.y + scene.h / 2) * viewport.scale + viewport.oy
    wide, tall = GROUND_WIDTH * ratio, PLATE_HEIGHT / 2 * ratio
    begins = max(
        0.0, scene.layout.bounds[0] * viewport.scale + viewport.ox
    )  # names of rows stand left of there
    left, top = (
        np.clip(x - wide / 2, min(begins, viewport.width - wide), viewport.width - wide),
        np.clip(y - tall / 2, 0.0, viewport.height - tall),
    )
    taken: dict[int, QRectF] = {}
    for d in range(scene.k):
        mine = np.flatnonzero(scene.device == d)
        if not len(mine):
            continue
        away = np.hypot(x[mine] - x[mine].mean(), y[mine] - y[mine].mean())
        near = mine[np.argsort(away, kind="stable")]
        for i in near[:: max(1, len(near) // TRIED)].tolist():
            box = QRectF(left[i], top[i], wide, tall)
            if not any(box.intersects(other) for other in taken.values()):
                taken[d] = box
                break
    return taken


def ribbons(scene: Scene, viewport: Viewport, ratio: float) -> list[Ribbon]:
    """From plate to plate, widest first: straight down or up between neighbours, else in an arc, forward ones on the right.

    None where plates stand on the ground: the ribbons of so many devices would bury it.
    """
    if on_ground(scene):
        return []
    flow, boxes = scene.flow, plates(scene, viewport, ratio)
    most = flow.max(initial=0.0)
    if most <= 0:
        return []
    rank = {d: i for i, d in enumerate(boxes)}
    out = []
    for a, b in np.argwhere(flow > 0).tolist():
        if a not in boxes or b not in boxes:
            continue
        width = max(1.2, WIDEST_RIBBON * float(np.sqrt(flow[a, b] / most))) * ratio
        curve = _curve(boxes[a], boxes[b], rank[b] - rank[a], ratio)
        middle = (curve[:2] + 3 * curve[2:4] + 3 * curve[4:6] + curve[6:]) / 8
        out.append(Ribbon(a, b, float(flow[a, b]), width, curve, QPointF(float(middle[0]), float(middle[1]))))
    return sorted(out, key=lambda r: -r.width)


def _curve(a: QRectF, b: QRectF, steps: int, ratio: float) -> Floats:
    down = steps > 0
    if abs(steps) == 1:
        x = a.center().x() + (-1 if down else 1) * 0.22 * a.width()
        y0, y1 = (a.bottom(), b.top()) if down else (a.top(), b.bottom())
        third = (y1 - y0) / 3
        return np.array([x, y0, x, y0 + third, x, y1 - third, x, y1])
    side = 1 if down else -1
    x = a.right() if down else a.left()
    y0 = a.center().y() + (0.15 if down else -0.15) * a.height()
    y1 = b.center().y() - (0.15 if down else -0.15) * b.height()
    reach = side * (30 * ratio + 0.42 * abs(y1 - y0))
    return np.array([x, y0, x + reach, y0, x + reach, y1, x, y1])


def paint_plates(
    painter: QPainter, scene: Scene, viewport: Viewport, palette: CanvasPalette, ratio: float
) -> None:
    """Each stage's title and number of ops, and the bytes of the wider ribbons."""
    theme = palette.theme
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
    painter.setRenderHint(QPainter.RenderHint.TextAntialiasing, True)
    boxes = plates(scene, viewport, ratio)
    _paint_figures(painter, scene, viewport, palette, boxes, ratio)
    called = _names(scene, boxes, ratio)
    for d, box in boxes.items():
        painter.setPen(QPen(QColor(palette.devices[d].accent), 1.5 * ratio))
        painter.setBrush(QColor(theme.card))
        painter.drawRoundedRect(box, 5 * ratio, 5 * ratio)
        painter.fillRect(
            QRectF(box.left() + ratio, box.top() + 3 * ratio, 4 * ratio, box.height() - 6 * ratio),
            QColor(palette.devices[d].accent),
        )
        inner = box.adjusted(11 * ratio, 0, -8 * ratio, 0)
        size, count, room = _on_plate(scene, d, box, ratio)
        painter.setFont(font(size, False))
        painter.setPen(QColor(theme.muted))
        painter.drawText(inner, int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter), count)
        painter.setFont(font(size, True))
        painter.setPen(QColor(theme.text))
        shown = metrics(size, True).elidedText(called[d], Qt.TextElideMode.ElideRight, room)
        painter.drawText(inner, int(Qt.AlignmentFlag.AlignVCenter), shown)


def _on_plate(scene: Scene, device: int, box: QRectF, ratio: float) -> tuple[int, str, float]:
    """How high letters on a plate are, how many ops it says, and the room that this leaves its name."""
    size = int(min(12 * ratio, box.height() - 2 * ratio))
    count = f"{int(scene.ops[device]):,} ops" if box.width() >= PLATE_WIDTH * ratio else ""
    beside = metrics(size, False).horizontalAdvance(count) + 4 * ratio if count else 0.0
    return size, count, box.width() - 19 * ratio - beside


def _names(scene: Scene, boxes: dict[int, QRectF], ratio: float) -> dict[int, str]:
    """What the plates say, all in the first form in which all have room: title, name, or what tells a device from others."""
    forms = {d: names_of(scene.devices[d]) for d in boxes}
    rooms = {d: _on_plate(scene, d, box, ratio) for d, box in boxes.items()}

    def fit(form: int) -> bool:
        return all(
            metrics(size, True).horizontalAdvance(forms[d][form]) <= room
            for d, (size, _, room) in rooms.items()
        )

    form = next((form for form in range(2) if fit(form)), 2)
    return {d: forms[d][form] for d in boxes}


def _paint_figures(
    painter: QPainter,
    scene: Scene,
    viewport: Viewport,
    palette: CanvasPalette,
    boxes: dict[int, QRectF],
    ratio: float,
) -> None:
    """Bytes beside the wider ribbons, left out where they would lie on something else."""
    theme, size = palette.theme, int(10.5 * ratio)
    taken = list(boxes.values())
    found = ribbons(scene, viewport, ratio)
    painter.setFont(font(size, True))
    for ribbon in found:
        if ribbon.bytes < LEAST_SHARE * found[0].bytes:
            break
        text = bytes_text(ribbon.bytes)
        wide = metrics(size, True).horizontalAdvance(text) + 8 * ratio
        straight = ribbon.curve[0] == ribbon.curve[2]
        down = ribbon.curve[7] > ribbon.curve[1]
        shift = ribbon.width / 2 + 4 * ratio
        left = ribbon.apex.x() + shift if straight != down else ribbon.apex.x() - shift - wide
        box = QRectF(left, ribbon.apex.y() - 8 * ratio, wide, 16 * ratio)
        if any(box.intersects(other) for other in taken):
            continue
        taken.append(box)
        back = QColor(theme.card)
        back.setAlphaF(0.88)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(back)
        painter.drawRoundedRect(box, 3 * ratio, 3 * ratio)
        painter.setPen(QColor(theme.text))
        painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter), text)
