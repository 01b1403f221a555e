"""A network with an order of its connections as a picture file: PNG, or SVG and PDF with its links as vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QFontMetricsF, QPainter

from gui.canvas.graph.painter import wrap_image
from gui.canvas.network.colours import ink_of
from gui.canvas.network.layout import first_use
from gui.canvas.network.legend import HEIGHT, legend_width, paint_legend
from gui.canvas.network.lens import Lens, Shown
from gui.canvas.network.links import USUAL_LINKS, LinksPicture
from gui.canvas.network.matrix import MatrixPicture
from gui.document.network.memory_history import Counters, Residents, history_of
from gui.look.drawn import Drawing, fill_ground
from gui.look.heading import Heading, heading_of
from gui.look.numbers import gap_text, percent, plural
from gui.look.page import SHEET, Page
from gui.look.theme import Theme
from gui.look.writing import LEFT, face, write
from gui.raster import engine as raster
from gui.words.proofs import claimed_note
from planner.errors import StageboardError
from planner.model.graph import Ints
from planner.problem.claims import telling_claim

if TYPE_CHECKING:
    from planner.machines.two_level_memory.problem import NetworkProblem
    from planner.problem.bound import Bound

WIDTH, HEIGHT_OF = 1100.0, 700.0
"""Size in logical units of a picture of usual proportions; words are as large as in a window of that size."""
SMALLEST = 11.0
"""Pixels of the smallest letters in it, in these units."""
VIEWS = {"links": "Links", "matrix": "Matrix"}
MARGIN = 12.0
POLICY_WORDS = {
    "min": "evicts what is used farthest ahead (MIN)", "lru": "evicts what was used longest ago (LRU)", "rr": "evicts slots in turn (RR)",
}  # fmt: skip
"""What the rule that makes room in the fast memory does, by its name."""


@dataclass(frozen=True, eq=False)
class Scene:
    """All that a picture shows of an order at a moment."""

    shown: Shown
    picture: MatrixPicture | LinksPicture
    residents: Residents
    counters: Counters
    moment: int
    title: str
    heading: Heading
    lens: Lens


def draw_network(
    problem: NetworkProblem,
    order: Ints,
    page: Page = SHEET,
    title: str = "",
    bounds: Sequence[Bound] = (),
    position: int | None = None,
    view: str | None = None,
    by_first_use: bool = True,
) -> Drawing:
    """The picture of an order.

    ``position`` is how many connections are done (default: all), ``view`` is ``links`` or ``matrix`` (default: what suits the
    network's size). Raises :class:`StageboardError` for a position outside the order, PlanError for no order of the network's
    connections. Needs a QGuiApplication, no display.
    """
    order = problem.evaluator.checked(order)
    moment = len(order) if position is None else position
    if not 0 <= moment <= len(order):
        raise StageboardError(f"position {moment} is outside the order; choose 0 to {len(order)}")
    page = page.usual
    size, colours = page.pixels, page.theme
    scale = max(0.3, min(size[0] / WIDTH, size[1] / HEIGHT_OF), page.least / SMALLEST)
    room = (size[0] / scale, size[1] / scale)
    scene = compose_network(problem, order, room, scale, colours, title, bounds, moment, view, by_first_use)

    def paint(painter: QPainter, shapes: bool) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        fill_ground(painter, page, colours.panel)
        painter.scale(scale, scale)
        paint_network(painter, scene, room, colours, vectors=shapes)

    return Drawing(page, scene.title, paint)


def compose_network(
    problem: NetworkProblem, order: Ints, room: tuple[float, float], scale: float, theme: Theme, title: str,
    bounds: Sequence[Bound], moment: int, view: str | None = None, by_first_use: bool = True,
) -> Scene:  # fmt: skip
    """What a picture of ``room`` logical units (width, height) at ``scale`` pixels per unit shows; the rest as for :func:`draw_network`."""
    network = problem.network
    when = np.empty(len(order), np.int32)
    when[order] = np.arange(len(order), dtype=np.int32)
    shown = Shown(network, order, when, first_use(network, order), by_first_use, ink_of(theme))
    links = network.connection_count <= USUAL_LINKS if view is None else view == "links"
    heading = heading_of_order(problem, order, title or network.name, bounds, room[0])
    inner = (room[0], room[1] - heading.height - foot_of(room[0]))
    history = history_of(network, order, problem.evaluator.trace(order), problem.evaluator.slots)
    lens = Lens(ratio=scale)
    lens.resize(round(inner[0] * scale), round(inner[1] * scale))
    lens.whole()
    return Scene(
        shown, (LinksPicture if links else MatrixPicture)(shown, inner), history.residents(moment),
        history.counters(moment), moment, title or network.name, heading, lens,
    )  # fmt: skip


def heading_of_order(
    problem: NetworkProblem, order: Ints, title: str, bounds: Sequence[Bound], width: float
) -> Heading:
    """Title and standing, in as many lines as they take in a picture of so many units across."""
    return heading_of(
        title, _standing(problem, order, bounds), width - 2 * MARGIN, face(12.0, True), face(9.0)
    )


def foot_of(width: float) -> float:
    """Height of what stands below a picture: the moment and the legend in a line, or in two or three where that has no room for all."""
    wide = width - 2 * MARGIN
    lines = 1 if legend_width() <= 0.5 * wide else 2 if legend_width() <= wide else 3
    return lines * HEIGHT + 4.0


def _standing(problem: NetworkProblem, order: Ints, bounds: Sequence[Bound]) -> str:
    """The fast memory, what the order costs on it, and how far from proven that is."""
    target, evaluation = problem.target, problem.evaluate(order)
    parts = [
        f"fast memory of {target.size:,} values, {POLICY_WORDS[target.policy]}",
        f"{evaluation.reads + evaluation.writes:,} I/Os",
    ]
    gap = problem.standing(evaluation.values, bounds).gap
    if not evaluation.valid:
        parts.append(plural(len(evaluation.violations), "violation"))
    elif gap is not None:
        parts.append("proven optimal" if gap == 0.0 else f"gap {gap_text(gap)}")
    claim = telling_claim(problem, evaluation.values, bounds) if evaluation.valid else None
    if claim is not None:
        parts.append(claimed_note(problem, claim))
    return "   ".join(parts)


def paint_network(
    painter: QPainter, scene: Scene, room: tuple[float, float], theme: Theme, *, vectors: bool
) -> None:
    """Paint a composed picture at the painter's origin, titles and legend included; links as vectors where ``vectors`` says so."""
    painter.save()
    _paint_frame(painter, scene, room, theme)
    high = scene.heading.height
    painter.translate(0, high)
    painter.setClipRect(QRectF(0, 0, room[0], room[1] - high - foot_of(room[0])))
    _paint_picture(painter, scene, vectors=vectors)
    painter.restore()


def _paint_frame(painter: QPainter, scene: Scene, room: tuple[float, float], theme: Theme) -> None:
    """Title and standing above, the moment and the legend below."""
    wide = room[0] - 2 * MARGIN
    scene.heading.paint(painter, MARGIN, wide, theme)
    c, length = scene.counters, len(scene.shown.order)
    brief = f"{c.reads:,} reads, {c.writes:,} writes"
    counted = f"{c.reads + c.writes:,} I/Os ({brief}), {c.beyond:,} beyond the bound"
    done = f"{scene.moment:,} of {length:,} connections done ({percent(scene.moment / length)}): {counted}"
    metrics = QFontMetricsF(face(8.5))
    beside = foot_of(room[0]) <= HEIGHT + 4.0
    free = wide * 0.5 if beside else wide
    # Orders beside each other have little room.
    words = next((w for w in (done, counted) if metrics.horizontalAdvance(w) <= free), brief)
    high = foot_of(room[0]) - 4.0
    line = QRectF(MARGIN, room[1] - high - 2, wide, HEIGHT)
    write(painter, line.adjusted(0, 0, free - wide, 0), LEFT, words, face(8.5), theme.text)
    legend = line.adjusted(wide * 0.5, 0, 0, 0) if beside else line.adjusted(0, HEIGHT, 0, high - HEIGHT)
    paint_legend(painter, legend, theme)


def _paint_picture(painter: QPainter, scene: Scene, *, vectors: bool) -> None:
    """The connections and neurons; links as vectors where the file can hold them."""
    picture, lens, shown = scene.picture, scene.lens, scene.shown
    inner = QRectF(0, 0, lens.width / lens.ratio, lens.height / lens.ratio)
    if vectors and isinstance(picture, LinksPicture):
        painter.fillRect(inner, QColor(shown.ink.theme.canvas))
        picture.paint_vectors(painter, lens, scene.moment)
        picture.paint_dots(painter, lens, scene.residents)
    else:
        buffer = raster.new_image(lens.width, lens.height)
        picture.paint(buffer, lens, scene.moment)
        picture.paint_states(buffer, lens, scene.residents)
        # A copy: files are written after this buffer is gone.
        image = wrap_image(buffer).copy()
        painter.drawImage(inner, image)
    picture.paint_words(painter, lens)
    if 0 < scene.moment < len(shown.order):
        colour = shown.ink.at(scene.moment - 1, len(shown.order))
        picture.paint_connection(painter, lens, int(shown.order[scene.moment - 1]), colour)
