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
from gui.canvas.network.legend import HEIGHT, legend_lines, legend_width, paint_legend
from gui.canvas.network.lens import Lens, Shown
from gui.canvas.network.links import USUAL_LINKS, LinksPicture
from gui.canvas.network.matrix import MatrixPicture
from gui.canvas.network.titles import GAP
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
SHAPE = 0.6
"""How high what is drawn below the heading is at least, of its width, where the page is as high as its picture."""
MARGIN = 12.0
BELOW = 4.0
"""Units below the last line of words."""
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
    heading: Heading
    head: float
    """Units above the connections: the height of the heading, or more where another picture beside this one takes it."""
    foot: float
    """Units below them."""
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
    scale, title, colours = scale_of(page), title or problem.network.name, page.theme
    width = page.pixels[0] / scale
    heading = heading_of_order(problem, order, title, bounds, width)
    foot = foot_of(width)
    page = page_for(page, heading.height + SHAPE * width + foot, scale)
    room = (width, page.pixels[1] / scale)
    scene = compose_network(
        problem, order, room, scale, colours, heading, (heading.height, foot), moment, view, by_first_use
    )

    def paint(painter: QPainter, shapes: bool) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        fill_ground(painter, page, colours.panel)
        painter.scale(scale, scale)
        paint_network(painter, scene, room, colours, vectors=shapes)

    return Drawing(page, title, paint)


def scale_of(page: Page, usual: tuple[float, float] = (WIDTH, HEIGHT_OF)) -> float:
    """Pixels per logical unit of a picture whose usual size is so many units."""
    width, height = page.usual.pixels
    return max(0.3, min(width / usual[0], height / usual[1]), page.least / SMALLEST)


def page_for(page: Page, height: float, scale: float) -> Page:
    """The page for a picture that is ``height`` units high, at ``scale`` pixels each: no lower than usual, and higher only where it is to be
    cropped."""
    return page.as_high_as(max(page.usual.room[1], height * scale / page.scale))


def compose_network(
    problem: NetworkProblem, order: Ints, room: tuple[float, float], scale: float, theme: Theme, heading: Heading,
    around: tuple[float, float], moment: int, view: str | None = None, by_first_use: bool = True,
) -> Scene:  # fmt: skip
    """What a picture of ``room`` logical units (width, height) at ``scale`` pixels per unit shows, ``around`` units kept above and below for
    words; the rest as for :func:`draw_network`."""
    network = problem.network
    when = np.empty(len(order), np.int32)
    when[order] = np.arange(len(order), dtype=np.int32)
    shown = Shown(network, order, when, first_use(network, order), by_first_use, ink_of(theme))
    links = network.connection_count <= USUAL_LINKS if view is None else view == "links"
    head, foot = around
    inner = (room[0], max(1.0, room[1] - head - foot))
    history = history_of(network, order, problem.evaluator.trace(order), problem.evaluator.slots)
    lens = Lens(ratio=scale)
    lens.resize(round(inner[0] * scale), round(inner[1] * scale))
    lens.whole()
    return Scene(
        shown, (LinksPicture if links else MatrixPicture)(shown, inner), history.residents(moment),
        history.counters(moment), moment, heading, head, foot, lens,
    )  # fmt: skip


def heading_of_order(
    problem: NetworkProblem, order: Ints, title: str, bounds: Sequence[Bound], width: float
) -> Heading:
    """Title, fast memory and standing, in as many lines as they take in a picture of so many units across."""
    said = [memory_words(problem), *standing(problem, order, bounds)]
    return heading_of(title, GAP.join(said), width - 2 * MARGIN, face(12.0, True), face(9.0))


def foot_of(width: float) -> float:
    """Height of what stands below a picture: the moment and the legend in a line, or in two or three where that has no room for all."""
    wide = width - 2 * MARGIN
    lines = 1 if legend_width() <= 0.5 * wide else 1 + legend_lines(wide)
    return lines * HEIGHT + BELOW


def memory_words(problem: NetworkProblem) -> str:
    """The fast memory and what makes room in it."""
    return f"fast memory of {problem.target.size:,} values, {POLICY_WORDS[problem.target.policy]}"


def standing(problem: NetworkProblem, order: Ints, bounds: Sequence[Bound]) -> list[str]:
    """What the order costs, and how far from proven that is."""
    evaluation = problem.evaluate(order)
    parts = [f"{evaluation.reads + evaluation.writes:,} I/Os"]
    gap = problem.standing(evaluation.values, bounds).gap
    if not evaluation.valid:
        parts.append(plural(len(evaluation.violations), "violation"))
    elif gap is not None:
        parts.append("proven optimal" if gap == 0.0 else f"gap {gap_text(gap)}")
    claim = telling_claim(problem, evaluation.values, bounds) if evaluation.valid else None
    if claim is not None:
        parts.append(claimed_note(problem, claim))
    return parts


def paint_network(
    painter: QPainter, scene: Scene, room: tuple[float, float], theme: Theme, *, vectors: bool, legend: bool = True
) -> None:  # fmt: skip
    """Paint a composed picture at the painter's origin, its words and, unless that stands elsewhere, its legend included; links as vectors
    where ``vectors`` says so."""
    painter.save()
    scene.heading.paint(painter, MARGIN, room[0] - 2 * MARGIN, theme)
    _paint_foot(
        painter,
        scene,
        QRectF(MARGIN, room[1] - scene.foot + 2.0, room[0] - 2 * MARGIN, scene.foot - BELOW),
        theme,
        legend,
    )
    painter.translate(0, scene.head)
    painter.setClipRect(QRectF(0, 0, room[0], room[1] - scene.head - scene.foot))
    _paint_picture(painter, scene, vectors=vectors)
    painter.restore()


def _paint_foot(painter: QPainter, scene: Scene, box: QRectF, theme: Theme, legend: bool) -> None:
    """What is counted at the moment, and the legend: beside it, or below it where ``box`` is narrow."""
    c, length = scene.counters, len(scene.shown.order)
    brief = f"{c.reads:,} reads, {c.writes:,} writes"
    counted = f"{c.reads + c.writes:,} I/Os ({brief}), {c.beyond:,} beyond the bound"
    done = f"{scene.moment:,} of {length:,} connections done ({percent(scene.moment / length)}): {counted}"
    metrics = QFontMetricsF(face(8.5))
    beside = legend and box.height() < 2 * HEIGHT
    free = box.width() * (0.5 if beside else 1.0)
    # Orders beside each other have little room.
    words = next((w for w in (done, counted) if metrics.horizontalAdvance(w) <= free), brief)
    write(painter, QRectF(box.left(), box.top(), free, HEIGHT), LEFT, words, face(8.5), theme.text)
    if legend:
        paint_legend(painter, box.adjusted(free, 0, 0, 0) if beside else box.adjusted(0, HEIGHT, 0, 0), theme)


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
