"""The areas of devices at a moment: bands of lanes with their headers, blocks with plates and what flows between them, names of rows."""

from __future__ import annotations

import copy
from dataclasses import dataclass, replace

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from gui.canvas.graph.header_data import PARTS, HeaderData
from gui.canvas.graph.headers import HEADER_WIDTH, lane_extents, paint_headers
from gui.canvas.graph.naming.row_headers import header_width, paint_row_headers
from gui.canvas.graph.palette import CanvasPalette
from gui.canvas.graph.scene import Scene
from gui.canvas.graph.stages.blocks import paint_grounds, paint_plates
from gui.canvas.graph.stages.plate_form import form_of, plate_boxes
from gui.canvas.graph.stages.ribbons import paint_figures, paint_ribbons
from gui.canvas.graph.viewport import Viewport
from gui.layout.result import Layout, Rect, Stages
from gui.present.captions import LEAST
from gui.present.scenes import HEADERS, ROWS, GraphStage
from gui.present.transition.legend import legend_of, paint_legend
from gui.raster import engine as raster
from planner.model.graph import Bools, Floats
from planner.problem.worst import LARGEST_REST

VEIL = 0.15
"""How much of the header of a device is covered that steps back: what is compared with what stands out is still read, 4.5 : 1."""


@dataclass(frozen=True, eq=False)
class Areas:
    """What is drawn for the devices of one scene: ``shown`` is its opacity, ``lit`` float64[k] how much each device stands out.

    ``scene`` has the lanes or blocks where they are at the moment, ``headers`` what is written on them; ``width`` is that of the stage
    beside a panel (pixels of a frame of 1280 x 800).
    """

    scene: Scene
    headers: HeaderData | None
    palette: CanvasPalette
    lit: Floats
    width: float
    shown: float = 1.0
    note: str = ""
    """What the legend says of what stands out."""
    brief: int | None = None
    """How briefly plates tell memory (:func:`~gui.canvas.graph.stages.plate_form.memory_words`); None: as they have room."""


def settled_areas(stage: GraphStage, lit: Bools, width: float, note: str = "") -> Areas:
    """Those of a scene at rest; ``lit`` bool[k], none: all alike."""
    return Areas(stage.scene, stage.headers, stage.palette, shares(lit), width, note=note)


def shares(lit: Bools) -> Floats:
    """1 for each device that stands out, and for all where none does."""
    return lit.astype(np.float64) if lit.any() else np.ones(len(lit))


# ---------------------------------------------------------------------- on the way
def moved_scene(scene: Scene, grow: float, dx: float, dy: float) -> Scene:
    """A scene in other units: all of it ``grow`` times larger, then moved by (``dx``, ``dy``)."""
    out, old = copy.copy(scene), scene.layout

    def box(rect: Rect) -> Rect:
        x, y, w, h = rect
        return x * grow + dx, y * grow + dy, w * grow, h * grow

    stages = old.stages
    if stages is not None:
        stages = replace(
            stages, blocks=tuple(box(b) if b[2] > 0 else b for b in stages.blocks), gap=stages.gap * grow,
            channel=tuple(c * grow for c in stages.channel), plate=stages.plate * grow, cell=stages.cell * grow, unit=stages.unit * grow,
        )  # fmt: skip
    out.layout = replace(
        old, x=old.x * grow + dx, y=old.y * grow + dy, w=old.w * grow, h=old.h * grow, bounds=box(old.bounds),
        rows=tuple(replace(row, y=row.y * grow + dy, h=row.h * grow) for row in old.rows),
        lanes=tuple(replace(lane, band=box(lane.band)) for lane in old.lanes), stages=stages,
    )  # fmt: skip
    out.x, out.y = out.layout.x, out.layout.y
    out.route_x, out.route_y = scene.route_x * grow + dx, scene.route_y * grow + dy
    return out


def areas_between(
    first: Scene, a: GraphStage, b: GraphStage, lit: tuple[Bools, Bools], widths: tuple[float, float], notes: tuple[str, str],
    share: float,
) -> tuple[Areas, ...]:  # fmt: skip
    """The areas a ``share`` of the way from stage ``a`` to ``b``; ``first`` is the scene of ``a`` in the units of that of ``b``.

    Areas of the same devices move and count, others give way to each other.
    """
    one, other = shares(lit[0]), shares(lit[1])
    layout = _layout_between(first.layout, b.scene.layout, share)
    if layout is not None and len(one) == len(other):
        scene = copy.copy(b.scene)
        scene.layout = layout
        scene.__dict__["flow"] = first.flow + (b.scene.flow - first.flow) * share
        headers = headers_between(a.headers, b.headers, share)
        if headers is not None and scene.evaluation is not None:
            rests = None if scene.evaluation.rests is None else rests_of(headers)
            scene.evaluation = replace(scene.evaluation, pace=headers.pace, rests=rests)
        later = share >= 0.5
        return (
            Areas(scene, headers, b.palette, one + (other - one) * share, widths[later], note=notes[later]),
        )
    return (
        Areas(first, a.headers, a.palette, one, widths[0], max(0.0, 1.0 - 2.0 * share), notes[0]),
        Areas(b.scene, b.headers, b.palette, other, widths[1], max(0.0, 2.0 * share - 1.0), notes[1]),
    )


def _layout_between(a: Layout, b: Layout, share: float) -> Layout | None:
    """A layout with lanes, blocks or rows between those of two; None where they have other ones."""
    if a.lanes and len(a.lanes) == len(b.lanes):
        pairs = zip(a.lanes, b.lanes, strict=True)
        return replace(b, lanes=tuple(replace(q, band=_box(p.band, q.band, share)) for p, q in pairs))
    if a.stages is not None and b.stages is not None:
        stages = _stages_between(a.stages, b.stages, share)
        return None if stages is None else replace(b, stages=stages)
    plain = not (a.lanes or b.lanes) and a.stages is None and b.stages is None
    return b if plain and a.rows == b.rows else None


def _stages_between(a: Stages, b: Stages, share: float) -> Stages | None:
    if a.columns != b.columns or a.lines != b.lines or not np.array_equal(a.place, b.place):
        return None
    blocks = tuple(_box(p, q, share) for p, q in zip(a.blocks, b.blocks, strict=True))
    channel = tuple(p + (q - p) * share for p, q in zip(a.channel, b.channel, strict=True))
    rest = {
        n: getattr(a, n) + (getattr(b, n) - getattr(a, n)) * share for n in ("gap", "plate", "cell", "unit")
    }
    return replace(b, blocks=blocks, channel=channel, **rest)


def _box(a: Rect, b: Rect, share: float) -> Rect:
    x, y, w, h = (p + (q - p) * share for p, q in zip(a, b, strict=True))
    return x, y, w, h


def headers_between(a: HeaderData | None, b: HeaderData | None, share: float) -> HeaderData | None:
    """Headers whose numbers are on their way from ``a`` to ``b``; those of ``b`` where the two are of other devices."""
    if a is None or b is None or a.titles != b.titles or share >= 1.0:
        return b
    names = ("pace", "parts", "received", "sent", "cost", "memory")
    now = {n: getattr(a, n) + (getattr(b, n) - getattr(a, n)) * share for n in names}
    if a.pushed and b.pushed:
        now["pushed"] = tuple(p + (q - p) * share for p, q in zip(a.pushed, b.pushed, strict=True))
    if a.needs and b.needs:
        now["needs"] = tuple(p + (q - p) * share for p, q in zip(a.needs, b.needs, strict=True))
    links = a.links if share < 0.5 else b.links
    if a.links is not None and b.links is not None:
        entering = a.links.entering + (b.links.entering - a.links.entering) * share
        links = replace(b.links, entering=entering)
    between = replace(b, **now, links=links)
    if share <= 0.0:
        return replace(between, bottleneck=a.bottleneck)
    counted = rests_of(between) if b.worst == LARGEST_REST else between.pace
    return replace(between, bottleneck=int(np.argmax(counted)))


def rests_of(headers: HeaderData) -> Floats:
    """What devices take besides streaming (float64[k])."""
    found: Floats = headers.parts[[place for place, part in enumerate(PARTS) if part != "streaming"]].sum(
        axis=0
    )
    return found


def told_briefly(scene: Scene, headers: HeaderData | None, viewport: Viewport, ratio: float) -> int:
    """How briefly the plates of a scene at rest tell memory: on the way to it, or from it, they do, too."""
    return form_of(scene, viewport, headers, HEADERS * ratio, LEAST * ratio).brief


# ---------------------------------------------------------------------- painting
def paint_below(buffer: np.ndarray, areas: Areas, viewport: Viewport, ratio: float) -> None:
    """Bands, or the grounds of blocks with what flows between them: all that cards lie on."""
    scene, palette = areas.scene, areas.palette
    if areas.shown <= 0.0:
        return
    opacity = areas.shown * (0.4 + 0.6 * areas.lit)
    paint_grounds(buffer, scene, viewport, palette, ratio, opacity)
    paint_ribbons(buffer, scene, viewport, palette, ratio, areas.shown, HEADERS, LEAST * ratio)
    lanes = scene.layout.lanes
    if not lanes:
        return
    y = np.array([lane.band[1] for lane in lanes])
    h = np.array([lane.band[3] for lane in lanes])
    x0, _ = viewport.to_scene(0, 0)
    raster.rounded_rects(
        buffer, None, np.full(len(y), x0), y, np.full(len(y), viewport.width / viewport.scale), h,
        viewport.scale, viewport.ox, viewport.oy, fill=palette.band[: len(y)], radius_px=0.0, opacity=opacity,
    )  # fmt: skip


def paint_above(painter: QPainter, areas: Areas, viewport: Viewport, ratio: float) -> None:
    """Headers of lanes, plates and figures of blocks, names of rows: what is read (device pixels)."""
    if areas.shown <= 0.0:
        return
    scene, palette, grown = areas.scene, areas.palette, HEADERS * ratio
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    if scene.layout.lanes:
        away = (1.0 - areas.shown) * HEADER_WIDTH * grown
        painter.translate(-away, 0)
        paint_headers(
            painter, scene, viewport, palette, areas.headers, grown, LEAST / HEADERS,
            veil=lambda: _veil(painter, areas, viewport, grown),
        )  # fmt: skip
        painter.translate(away, 0)
    else:
        painter.setOpacity(areas.shown)
        if scene.layout.stages is not None:
            paint_figures(painter, scene, viewport, palette, grown, LEAST * ratio)
            paint_plates(painter, scene, viewport, palette, areas.headers, grown, LEAST * ratio, areas.brief)
        elif scene.view == "flow":
            wide = header_width(scene.items.graph) * ROWS * ratio
            paint_row_headers(painter, scene, viewport, palette, ROWS * ratio, wide)
        _veil(painter, areas, viewport, grown)
    painter.setOpacity(areas.shown)
    lines = legend_of(scene, areas.headers, areas.width, areas.note)
    paint_legend(painter, lines, palette, viewport.width, viewport.height, ratio)
    painter.restore()


def _veil(painter: QPainter, areas: Areas, viewport: Viewport, grown: float) -> None:
    """What is written of devices that step back is covered by a veil in the colour of the ground."""
    scene = areas.scene
    boxes = plate_boxes(scene, viewport)
    if scene.layout.lanes:
        extents = lane_extents(scene, viewport)
        boxes = {d: QRectF(0, top, HEADER_WIDTH * grown, low - top) for d, (top, low) in enumerate(extents)}
    painter.setPen(Qt.PenStyle.NoPen)
    for d, box in boxes.items():
        if areas.lit[d] < 1.0:
            ground = QColor(areas.palette.theme.canvas)
            ground.setAlphaF(VEIL * (1.0 - float(areas.lit[d])))
            painter.fillRect(box, ground)
