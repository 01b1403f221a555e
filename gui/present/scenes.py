"""Where everything of a story is drawn: the parts of a frame, and the layout of each graph, made once per plan, view and folding."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from PySide6.QtCore import QRectF

from gui.canvas.graph.header_data import HeaderData, header_data
from gui.canvas.graph.headers import HEADER_WIDTH
from gui.canvas.graph.heat.heat import STAGE, heat_of
from gui.canvas.graph.items import Items, items_of
from gui.canvas.graph.lanes.links import links_of
from gui.canvas.graph.lanes.transfers import crossing_bytes
from gui.canvas.graph.naming.row_headers import header_width
from gui.canvas.graph.palette import CanvasPalette, canvas_palette
from gui.canvas.graph.scene import Scene, arrange, laid_out, skeleton_of
from gui.canvas.graph.viewport import Viewport
from gui.layout.result import Layout
from gui.look.theme import Theme
from planner.model.graph import Graph, Ints
from planner.problem.problem import Plan
from planner.story.folded import FoldedGroup, grouping_of
from planner.story.keyframe import Camera

Folded = tuple[FoldedGroup, ...]

WIDTH, HEIGHT = 1280.0, 800.0
"""The frame whose type sizes and margins all others follow in proportion."""
HEADER = 50.0
"""Height of the line above."""
PANELS = {"schedule": 0.46, "package": 0.46}
PANEL, GAP = 0.3, 18.0
"""Share of the width that a panel takes, :data:`PANELS` those that need another, and what is around it."""
HEADERS, ROWS = 1.7, 1.55
"""Headers of lanes and plates of stages, and the names of rows, are drawn so much larger than in a window: they are read from afar."""
LANE = 30.0
"""Height of a lane, in pixels of its header's paper, that leaves room for its name between what comes and what goes."""
MARGIN = 14.0
"""What is around a scene."""
MOST_GROWN = 1.2
"""So many times as large as usual are packages at most."""
LARGEST = 2.4
"""A card is never drawn larger than so many times life size."""
NOTHING: Mapping[str, float] = {}


@dataclass(frozen=True)
class Places:
    """The parts of a frame of ``width`` x ``height`` logical pixels; ``unit`` is the size of one pixel of 1280 x 800."""

    width: float
    height: float
    unit: float
    band: float
    """Height of the captions below."""
    grown: float = 1.0
    """How much larger than usual all is drawn that is written on the stage."""
    usual_band: float = 0.0
    """Height of the captions in letters of the usual size, where they are larger; else 0."""

    @property
    def usual(self) -> Places:
        """The same parts with letters of the usual size."""
        return Places(self.width, self.height, self.unit, self.usual_band or self.band)

    @property
    def scene(self) -> float:
        """The :attr:`unit` of what is drawn on the stage."""
        return self.unit * self.grown

    @property
    def package(self) -> float:
        """The same of a package, whose legend would take the room of its chips."""
        return self.unit * min(self.grown, MOST_GROWN)

    @property
    def header(self) -> QRectF:
        """The line above."""
        return QRectF(0, 0, self.width, round(HEADER * self.unit))

    @property
    def stage(self) -> QRectF:
        """All between header and caption."""
        top = self.header.height()
        return QRectF(0, top, self.width, self.height - top - self.band)

    @property
    def caption(self) -> QRectF:
        """The band below."""
        return QRectF(0, self.height - self.band, self.width, self.band)

    def panel(self, kind: str) -> QRectF:
        """A panel at the right of the stage."""
        gap, wide = GAP * self.unit, round(PANELS.get(kind, PANEL) * self.width)
        stage = self.stage
        return QRectF(self.width - wide - gap, stage.top() + gap, wide, stage.height() - 2 * gap)

    def room(self, kind: str, foot: float = 0.0) -> tuple[float, float]:
        """Width and height of the stage beside a panel (all of it where ``kind`` is empty) and above a ``foot``."""
        wide = self.panel(kind).left() - GAP * self.unit if kind else self.width
        return wide, self.stage.height() - foot


@dataclass(frozen=True)
class View:
    """How a scene is seen on the stage: pixels = scene * scale + (ox, oy), in logical pixels from the stage's corner."""

    scale: float
    ox: float
    oy: float

    def viewport(self, width: int, height: int, ratio: float, left: float = 0.0) -> Viewport:
        """The same in device pixels."""
        return Viewport(
            width, height, self.scale * ratio, self.ox * ratio, self.oy * ratio, round(left * ratio), 0.0
        )

    def through(self, lens: View | None) -> View:
        """This view enlarged and moved by a ``lens`` (its scale a factor, its offsets in pixels)."""
        if lens is None:
            return self
        return View(self.scale * lens.scale, self.ox * lens.scale + lens.ox, self.oy * lens.scale + lens.oy)


UNCHANGED = View(1.0, 0.0, 0.0)


def between(first: View, second: View, share: float, width: float, height: float) -> View:
    """A moment of the way from one view to another: the scale changes evenly in powers, around the place that both share.

    What looks like one movement: the centre moves as fast as what is seen shrinks or grows.
    """
    if share <= 0.0 or first == second:
        return first
    if share >= 1.0:
        return second
    a, b = 1.0 / first.scale, 1.0 / second.scale
    now = a * (b / a) ** share
    along = share if abs(b - a) < 1e-6 * a else (now - a) / (b - a)
    middle = (width / 2, height / 2)
    centre = []
    for half, old, new in ((middle[0], first.ox, second.ox), (middle[1], first.oy, second.oy)):
        begin, end = (half - old) * a, (half - new) * b
        centre.append(begin + (end - begin) * along)
    return View(1.0 / now, middle[0] - centre[0] / now, middle[1] - centre[1] / now)


@dataclass(frozen=True, eq=False)
class GraphStage:
    """A plan of a graph as it is drawn in one view. Scenes hold settled places."""

    plan: Plan
    view: str
    scene: Scene
    palette: CanvasPalette
    headers: HeaderData | None

    @property
    def left(self) -> float:
        """Width of the lane headers, or of the names of rows, in units of a frame of 1280 x 800."""
        if self.scene.layout.lanes:
            return HEADER_WIDTH * HEADERS
        return header_width(self.scene.items.graph) * ROWS if self.view == "flow" else 0.0

    def seen(self, camera: Camera | None, room: tuple[float, float], unit: float) -> View:
        """How the camera's part of the scene, or all of it, fills ``room`` (logical pixels); beside that part more of the scene is seen
        where there is any."""
        x, y, w, h = self.scene.layout.bounds
        viewport = Viewport(round(room[0]), round(room[1]), left=round(self.left * unit))
        if camera is None:
            viewport.fit((x, y, w, h), margin=MARGIN * unit, largest=1.6 * unit)
        else:
            left, top, across, down = camera.seen
            viewport.fit(
                (x + left * w, y + top * h, across * w, down * h),
                margin=MARGIN * unit,
                largest=LARGEST * unit,
            )
            margin, wide, high = MARGIN * unit, viewport.width - viewport.left, viewport.height
            first = x * viewport.scale + viewport.ox - viewport.left
            viewport.ox += _filling(first, wide - first - w * viewport.scale, margin)
            first = y * viewport.scale + viewport.oy
            viewport.oy += _filling(first, high - first - h * viewport.scale, margin)
        return View(viewport.scale, viewport.ox, viewport.oy)


def _filling(before: float, after: float, margin: float) -> float:
    """How far a scene moves along one side (pixels), so that nothing of the room is blank that more of it could fill: it has so much
    ``before`` and ``after`` it, less than none where it goes on. Where all of it has room it stands in the middle."""
    if before + after >= 2 * margin:
        return (after - before) / 2
    return max(0.0, after - margin) - max(0.0, before - margin)


class Graphs:
    """The stages of a story's plans of graphs. In the flow view all plans of a graph share one layout.

    Without ``legend`` the flow view does not name the devices: what shows it does that itself. The bars of lanes are on one scale
    for all ``barred``, the plans of which any bars are shown. Blocks stay in rows as long as those of the first of ``blocks`` of their problem, the
    plans that are shown so: they move and do not jump, and no keyframe looks otherwise for those that were asked for before it. Layouts of the
    views ``noted`` leave so many pixels below them.
    """

    def __init__(
        self, room: tuple[float, float], unit: float, theme: Theme, legend: bool = True, barred: Sequence[Plan] = (),
        blocks: Sequence[Plan] = (), noted: Mapping[str, float] = NOTHING,
    ) -> None:  # fmt: skip
        self._noted = noted
        self._room, self._unit, self._theme, self._legend = room, unit, theme, legend
        self._barred, self._blocks = barred, blocks
        self._items: dict[object, Items] = {}
        self._layouts: dict[object, Layout] = {}
        self._stages: dict[object, GraphStage] = {}

    def stage(
        self,
        plan: Plan,
        view: str,
        numbers: tuple[int, ...] = (),
        colouring: str = STAGE,
        folded: Folded = (),
    ) -> GraphStage:
        """The plan drawn in ``flow``, ``lanes`` or ``stages`` with these groups ``folded``, its devices in the colours of these ``numbers``
        (none: their own), its ops coloured by ``colouring``."""
        key = (id(plan), view, colouring, folded)
        if key not in self._stages:
            self._stages[key] = self._make(plan, view, numbers, colouring, folded)
        return self._stages[key]

    def _make(
        self, plan: Plan, view: str, numbers: tuple[int, ...], colouring: str, folded: Folded
    ) -> GraphStage:
        problem, device_of = plan.problem, plan.decision.device_of
        graph, k = problem.graph, len(problem.devices)
        items = self._items_of(plan, view, folded)
        skeleton, layout = skeleton_of(items), self._layout(plan, view, folded)
        scene = laid_out(items, skeleton, layout, view, device_of, k, problem.devices, problem.evaluator)
        scene.set_evaluation(problem, plan.evaluation)
        scene.heat = heat_of(problem, device_of, items, colouring, scene.times)
        broken = [op for violation in plan.evaluation.violations for op in violation.ops]
        scene.violating = scene.mask(np.array(broken, np.int64))
        crossing = crossing_bytes(graph, device_of, k, scene.size)
        headers = header_data(scene, problem, crossing, links_of(problem, device_of))
        if headers is not None:
            told = (p for p in self._barred if p.problem.graph.fingerprint == graph.fingerprint)
            headers = replace(
                headers.beside(p.evaluation for p in told), longest=longest_bar(plan, self._barred)
            )
        if view == "flow" and not self._legend:
            headers = None
        return GraphStage(plan, view, scene, canvas_palette(self._theme.numbered(numbers), k), headers)

    def _items_of(self, plan: Plan, view: str, folded: Folded) -> Items:
        """The cards: where devices have areas, each has one of a group that it shares with others."""
        graph, device_of = plan.problem.graph, plan.decision.device_of
        places = () if view == "flow" or not folded else (device_of,)
        key = (id(graph), folded, *(place.tobytes() for place in places))
        if key not in self._items:
            made = folded_items(graph, folded, places)
            alike = (
                known for known in self._items.values()
                if known.graph is graph and known.names == made.names and np.array_equal(known.item_of, made.item_of)
            )  # fmt: skip
            self._items[key] = next(alike, made)
        return self._items[key]

    def _layout(self, plan: Plan, view: str, folded: Folded) -> Layout:
        problem, device_of = plan.problem, plan.decision.device_of
        graph, items = problem.graph, self._items_of(plan, view, folded)
        # Plans that are told of twice, with another bound, look the same: nothing moves between them.
        made_for = graph.fingerprint if view == "flow" else (problem.fingerprint, device_of.tobytes())
        of = (made_for, folded)
        if (of, view) not in self._layouts:
            shown = self._blocks if view == "stages" else ()
            lead = next((p for p in shown if p.problem.fingerprint == problem.fingerprint), plan)
            alike = None if lead is plan else self._layout(lead, view, folded)
            room, in_a_row = self._layout_room(view, graph), problem.target.in_a_row
            k = len(problem.devices)
            made = arrange(
                items,
                skeleton_of(items),
                view,
                device_of,
                k,
                room,
                alike,
                in_a_row,
                LANE,
                problem.evaluator.sent,
            )
            self._layouts[of, view] = made
        return self._layouts[of, view]

    def _layout_room(self, view: str, graph: Graph) -> tuple[float, float]:
        """The room a layout is made for, in units in which its headers have the size that the layout expects."""
        grown = HEADERS * self._unit
        beside = {"lanes": HEADER_WIDTH, "flow": header_width(graph) * ROWS / HEADERS}
        room = self._room[0] / grown - beside.get(view, 0.0) - 24.0
        high = self._room[1] - self._noted.get(view, 0.0)
        return max(100.0, room), max(80.0, high / grown - 24.0)


def longest_bar(plan: Plan, plans: Sequence[Plan]) -> float:
    """The time that the whole of a device's bar stands for where bars of these ``plans`` are shown, of the model of ``plan``: in the headers
    of lanes and in panels. 0 where nothing takes any."""
    graph = plan.problem.graph
    longest = 0.0
    for p in (p for p in (plan, *plans) if p.problem.graph.fingerprint == graph.fingerprint):
        e = p.evaluation
        timed = p.problem.unit(p.problem.components[0]) == graph.time_unit
        each = [e.receive + e.work + e.streaming + e.send, *([e.pace] if timed else [])]
        most = (float(times.max(initial=0.0)) for times in each)
        longest = max(longest, *(time for time in most if math.isfinite(time)), 0.0)
    return longest


def folded_items(graph: Graph, folded: Folded, places: Sequence[Ints] = ()) -> Items:
    """The cards of a graph of which a keyframe has ``folded`` groups; ``places`` (int32[n] each) as for :func:`items_of`."""
    return items_of(graph, grouping_of(graph, folded), frozenset(range(len(folded))), places)


def highlighted(scene: Scene, ops: tuple[str, ...]) -> Ints:
    """The ops with these ids (int32); those that the graph does not have are left out."""
    index = scene.items.graph.index
    return np.array([index[op] for op in ops if op in index], np.int32)
