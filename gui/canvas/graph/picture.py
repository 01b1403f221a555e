"""Pictures of a plan without a window: PNG from the raster engine, SVG and PDF drawn as vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen

from gui.canvas.graph.detail import Detail, detail_at
from gui.canvas.graph.headers import HEADER_WIDTH, HeaderData, header_data, paint_headers
from gui.canvas.graph.items import items_of
from gui.canvas.graph.labels import paint_labels
from gui.canvas.graph.links import links_of
from gui.canvas.graph.painter import edge_style, paint_scene, wrap_image
from gui.canvas.graph.palette import CanvasPalette, canvas_palette, model_shade
from gui.canvas.graph.scene import STYLE, Scene, crossing_bytes, scene_of
from gui.canvas.graph.viewport import Viewport
from gui.layout.result import EdgeClass
from gui.look.drawn import drawn, encoded
from gui.look.fonts import font, metrics
from gui.look.numbers import gap_text, plural
from gui.look.theme import Theme
from gui.raster import engine as raster
from gui.words.objectives import component_words, components_text
from gui.words.proofs import claimed_note
from planner.errors import StageboardError
from planner.files import write_atomically
from planner.model.graph import Ints
from planner.model.groups import GroupView
from planner.problem.bound import Bound
from planner.problem.claims import telling_claim
from planner.problem.decision import Evaluation
from planner.problem.problem import Problem
from planner.problem.target import Device

TITLE_HEIGHT = 54
SUFFIXES = (".png", ".svg", ".pdf")
FADED = 0.35
"""Opacity of what is not highlighted, where something is."""


@dataclass(frozen=True, eq=False)
class Picture:
    """What is drawn: a scene fitted into a size, with a title line and, in the lanes view, lane headers."""

    scene: Scene
    viewport: Viewport
    palette: CanvasPalette
    headers: HeaderData | None
    title: str
    subtitle: str
    size: tuple[int, int]


def compose(
    problem: Problem,
    device_of: Ints | None,
    size: tuple[int, int],
    theme: Theme,
    view: str,
    title: str = "",
    bounds: Sequence[Bound] = (),
    grouping: GroupView | None = None,
    folded: frozenset[int] = frozenset(),
) -> Picture:
    """Lay everything out for ``size`` (width, height in pixels). Without a plan every op is drawn in one colour."""
    k = len(problem.devices) if device_of is not None else 1
    assigned = np.zeros(problem.graph.n, np.int32) if device_of is None else device_of
    items = items_of(problem.graph, grouping, folded)
    header = HEADER_WIDTH if view == "lanes" else 0
    room = (max(100.0, size[0] - header - 24.0), max(80.0, size[1] - TITLE_HEIGHT - 24.0))
    named = problem.devices if device_of is not None else (Device("ops", "none", "not placed"),)
    scene = scene_of(items, view, assigned, k, room, named, problem.evaluator)
    subtitle = f"{plural(problem.graph.n, 'op')}, {problem.target.in_words.partition(' ')[2]}"
    headers = None
    if device_of is not None:
        scene.evaluation = evaluation = problem.evaluate(assigned)
        crossing = crossing_bytes(problem.graph, assigned, k, scene.size)
        headers = header_data(scene, problem, crossing, links_of(problem, assigned))
        broken = [op for violation in evaluation.violations for op in violation.ops]
        scene.violating = scene.mask(np.array(broken, np.int64))
        subtitle += f"   {standing_text(problem, evaluation, bounds)}"
        rules = "valid" if evaluation.valid else plural(len(evaluation.violations), "rule") + " broken"
        subtitle += f"   {rules}"
    viewport = Viewport(left=header)
    viewport.resize(size[0], size[1] - TITLE_HEIGHT)
    viewport.fit(scene.layout.bounds, margin=10, largest=1.6)
    palette = canvas_palette(theme, k)
    return Picture(scene, viewport, palette, headers, title or problem.graph.name, subtitle, size)


def standing_text(problem: Problem, evaluation: Evaluation, bounds: Sequence[Bound]) -> str:
    """The components of a plan's objective, how far from proven the first open one is, where a bound says so, and what is only claimed."""
    standing = problem.standing(evaluation.values, bounds)
    shown = components_text(problem, evaluation.values)
    if len(problem.components) == 1:
        shown = f"{component_words(problem.components[0]).title} {shown}"
    if not evaluation.valid:
        return shown
    claim = telling_claim(problem, evaluation.values, bounds)
    end = "" if claim is None else f"   {claimed_note(problem, claim)}, not proven"
    if standing.gap is None:
        return shown + end
    where = "" if len(problem.components) == 1 or standing.first_open is None else (
        f" ({component_words(standing.first_open.name).title})"
    )  # fmt: skip
    return f"{shown}   {'proven optimal' if standing.gap == 0.0 else f'gap {gap_text(standing.gap)}{where}'}{end}"


def save_picture(
    problem: Problem,
    device_of: Ints | None,
    path: str | Path,
    *,
    size: tuple[int, int] = (1600, 1000),
    theme: str = "light",
    view: str = "flow",
    title: str = "",
    bounds: Sequence[Bound] = (),
    grouping: GroupView | None = None,
    folded: frozenset[int] = frozenset(),
) -> None:
    """Write a picture; the suffix of ``path`` (.png, .svg, .pdf) says which kind. Needs a QGuiApplication, no display.

    Raises :class:`StageboardError` for another suffix or a size that cannot be drawn.
    """
    from gui.look.theme import THEMES

    file = Path(path)
    if file.suffix.lower() not in SUFFIXES:
        raise StageboardError(
            f"{file}: pictures are written as .png, .svg or .pdf; choose one of these endings"
        )
    if not (64 <= size[0] <= 16384 and 64 <= size[1] <= 16384):
        raise StageboardError(
            f"a picture of {size[0]} x {size[1]} pixels cannot be drawn; 64 to 16384 each way"
        )
    picture = compose(problem, device_of, size, THEMES[theme], view, title, bounds, grouping, folded)
    write_atomically(file, _encoded(picture, file.suffix.lower()))


def _encoded(picture: Picture, suffix: str) -> bytes:
    if suffix != ".png":
        return drawn(suffix, picture.size, picture.title, lambda painter: paint_vectors(painter, picture))
    pixels = raster.new_image(*picture.size)
    paint_png(pixels, picture)
    return encoded(wrap_image(pixels))


def paint_png(pixels: np.ndarray, picture: Picture) -> None:
    """Paint into ``pixels`` (uint32[height, width])."""
    width, height = picture.size
    part = raster.new_image(width, height - TITLE_HEIGHT)
    paint_scene(part, picture.scene, picture.viewport, picture.palette, 1.0)
    pixels[TITLE_HEIGHT:] = part
    painter = QPainter(wrap := wrap_image(pixels))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
    paint_title(painter, picture)
    painter.translate(0, TITLE_HEIGHT)
    paint_headers(painter, picture.scene, picture.viewport, picture.palette, picture.headers, 1.0)
    painter.end()
    del wrap


def paint_vectors(painter: QPainter, picture: Picture) -> None:
    """The same picture as shapes and text."""
    scene, viewport, palette = picture.scene, picture.viewport, picture.palette
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
    painter.fillRect(QRectF(0, 0, *picture.size), QColor(palette.theme.canvas))
    painter.save()
    painter.translate(0, TITLE_HEIGHT)
    detail = max(Detail.BLOCKS, detail_at(STYLE.card_h * viewport.scale))
    paint_graph(painter, scene, viewport, palette, detail)
    paint_headers(painter, scene, viewport, palette, picture.headers, 1.0)
    painter.restore()
    paint_title(painter, picture)


def paint_graph(
    painter: QPainter, scene: Scene, viewport: Viewport, palette: CanvasPalette, detail: Detail
) -> None:
    """Lanes, edges, cards and their names as shapes and text; what is not highlighted is faded where something is."""
    for d, lane in enumerate(scene.layout.lanes):
        _, y = viewport.to_pixels(0, lane.band[1])
        painter.fillRect(
            QRectF(0, y, viewport.width, lane.band[3] * viewport.scale), QColor(palette.devices[d].band)
        )
    _vector_edges(painter, scene, viewport, palette, detail)
    _vector_cards(painter, scene, viewport, palette, detail)
    paint_labels(painter, scene, viewport, palette, detail, 1.0, most=scene.items.count)


def _vector_edges(
    painter: QPainter, scene: Scene, viewport: Viewport, palette: CanvasPalette, detail: Detail
) -> None:
    colours, widths, opacities = edge_style(scene, palette, detail, 1.0)
    routed = np.zeros(len(scene.items.edge_src), np.int64) - 1
    routed[scene.routed] = np.arange(len(scene.routed))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    standing_out = bool(scene.highlighted.any())
    for e in range(len(scene.items.edge_src)):
        if scene.edge_class[e] == EdgeClass.STUB and detail < Detail.LABELS:
            continue
        colour = QColor.fromRgb(int(colours[e]) & 0xFFFFFF)
        ends = (scene.items.edge_src[e], scene.items.edge_dst[e])
        faded = standing_out and not scene.highlighted[list(ends)].any()
        colour.setAlphaF(float(opacities[e]) * (FADED if faded else 1.0))
        painter.setPen(QPen(colour, float(widths[e])))
        stub = scene.edge_class[e] == EdgeClass.STUB
        painter.drawPath(
            _stub_path(scene, viewport, e) if stub else _edge_path(scene, viewport, e, int(routed[e]))
        )


def _edge_ends(scene: Scene, viewport: Viewport, e: int) -> tuple[QPointF, QPointF]:
    u, v = int(scene.items.edge_src[e]), int(scene.items.edge_dst[e])
    a = viewport.to_pixels(
        scene.x[u] + (scene.w[u] if scene.leave[e] == 0 else 0.0), scene.y[u] + scene.h[u] / 2
    )
    b = viewport.to_pixels(
        scene.x[v] + (scene.w[v] if scene.enter[e] == 0 else 0.0), scene.y[v] + scene.h[v] / 2
    )
    return QPointF(*a), QPointF(*b)


def _stub_path(scene: Scene, viewport: Viewport, e: int) -> QPainterPath:
    """Short tails where a hub's or a far edge leaves and arrives."""
    a, b = _edge_ends(scene, viewport, e)
    tail = min(8.0, 14.0 * viewport.scale)
    path = QPainterPath(a)
    path.lineTo(a + QPointF(tail if scene.leave[e] == 0 else -tail, 0))
    path.moveTo(b)
    path.lineTo(b + QPointF(tail if scene.enter[e] == 0 else -tail, 0))
    return path


def _edge_path(scene: Scene, viewport: Viewport, e: int, routed: int) -> QPainterPath:
    a, b = _edge_ends(scene, viewport, e)
    path = QPainterPath(a)
    if routed >= 0:
        inside = slice(scene.route_ptr[routed] + 1, scene.route_ptr[routed + 1] - 1)
        for x, y in zip(scene.route_x[inside], scene.route_y[inside], strict=True):
            path.lineTo(*viewport.to_pixels(float(x), float(y)))
        path.lineTo(b)
        return path
    reach = max(abs(b.x() - a.x()) / 2, 8 * viewport.scale)
    out, into = (1 if scene.leave[e] == 0 else -1), (1 if scene.enter[e] == 0 else -1)
    path.cubicTo(a + QPointF(out * reach, 0), b + QPointF(into * reach, 0), b)
    return path


def _vector_cards(
    painter: QPainter, scene: Scene, viewport: Viewport, palette: CanvasPalette, detail: Detail
) -> None:
    theme = palette.theme
    blocks = palette.blocks_of(scene.device, scene.items.model)
    bodies = palette.bodies_of(scene.device, scene.items.model)
    standing_out = bool(scene.highlighted.any())
    for i in range(scene.items.count):
        x, y = viewport.to_pixels(float(scene.x[i]), float(scene.y[i]))
        box = QRectF(x, y, max(1.0, scene.w[i] * viewport.scale), max(1.0, scene.h[i] * viewport.scale))
        accent = QColor(palette.devices[int(scene.device[i])].accent)
        edge = QColor(theme.bad) if scene.violating[i] else accent
        model = int(scene.items.model[i])
        painter.setOpacity(1.0 if scene.highlighted[i] or not standing_out else FADED)
        if detail == Detail.BLOCKS and (model == 0 or scene.violating[i]):
            painter.fillRect(box, edge)
            continue
        if detail == Detail.BLOCKS:
            painter.setPen(QPen(edge, 1.0))
            painter.setBrush(_rgb(blocks[i]))
            painter.drawRect(box)
            continue
        radius = 5.0 if detail == Detail.CARDS else 3.0
        painter.setPen(QPen(edge, 1.0))
        painter.setBrush(QColor(theme.card) if model == 0 else _rgb(bodies[i]))
        painter.drawRoundedRect(box, radius, radius)
        painter.fillRect(QRectF(box.left(), box.top() + 1, 3.0, box.height() - 2), accent)
    painter.setOpacity(1.0)


def _paint_models(painter: QPainter, picture: Picture, left: float) -> None:
    """Which fill is whose, where several models are deployed together and there is room beside the title."""
    names, theme = picture.scene.items.graph.model_names, picture.palette.theme
    painter.setFont(font(12, False))
    right = float(picture.size[0] - 16)
    for model in range(len(names) - 1, -1, -1) if len(names) > 1 else ():
        wide = metrics(12, False).horizontalAdvance(names[model])
        if right - wide - 22 < left:
            return
        painter.setPen(QColor(theme.text))
        painter.drawText(QRectF(right - wide, 6, wide, 24), int(Qt.AlignmentFlag.AlignVCenter), names[model])
        painter.setPen(QPen(QColor(theme.muted), 1))
        painter.setBrush(QColor(model_shade(model, theme.panel, theme.muted)))
        painter.drawRoundedRect(QRectF(right - wide - 19, 13, 13, 9), 2, 2)
        right -= wide + 36


def _rgb(colour: np.uint32) -> QColor:
    """A packed colour without its alpha."""
    return QColor.fromRgb(int(colour) & 0xFFFFFF)


def paint_title(painter: QPainter, picture: Picture) -> None:
    """The strip with title and subtitle, and which fill is whose model."""
    theme = picture.palette.theme
    width = picture.size[0]
    painter.fillRect(QRectF(0, 0, width, TITLE_HEIGHT), QColor(theme.panel))
    painter.setPen(QPen(QColor(theme.border), 1))
    painter.drawLine(0, TITLE_HEIGHT, width, TITLE_HEIGHT)
    painter.setFont(font(17, True))
    painter.setPen(QColor(theme.text))
    title = metrics(17, True).elidedText(picture.title, Qt.TextElideMode.ElideMiddle, width - 32)
    painter.drawText(QRectF(16, 6, width - 32, 24), int(Qt.AlignmentFlag.AlignVCenter), title)
    _paint_models(painter, picture, 16 + metrics(17, True).horizontalAdvance(title) + 24)
    painter.setFont(font(12, False))
    painter.setPen(QColor(theme.muted))
    shown = metrics(12, False).elidedText(picture.subtitle, Qt.TextElideMode.ElideRight, width - 32)
    painter.drawText(QRectF(16, 30, width - 32, 18), int(Qt.AlignmentFlag.AlignVCenter), shown)
