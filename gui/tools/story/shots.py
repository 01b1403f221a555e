"""What a window shows now, as the beginnings of a keyframe: one small class per kind of window."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np

from gui.canvas.graph.heat.heat import STAGE, colourings_of
from gui.document.commands import Edit
from gui.document.steps import apply_words
from gui.tools.story.folds import folded_now
from gui.tools.story.frames import ModelSource, Shown
from gui.words.methods import shown_name
from planner.errors import StageboardError
from planner.problem.base import decision_of
from planner.story.folded import FoldedGroup
from planner.story.keyframe import MOST_HIGHLIGHTED as MOST_OPS
from planner.story.keyframe import Camera

if TYPE_CHECKING:
    from gui.canvas.graph.scene import Scene
    from gui.canvas.graph.scene_widget import SceneWidget
    from gui.document.network.document import OrderDocument
    from gui.document.plan.document import Document
    from planner.machines.two_level_memory.problem import OrderPlan
    from planner.model.graph import Graph, Ints
    from planner.problem.problem import Plan

MOST_HIGHLIGHTED = 400
"""More selected cards than this are no highlight any more."""


class Shots(Protocol):
    """What is on screen now."""

    def ready(self) -> bool:
        """Whether there is anything to capture and nothing on its way: no drag, no glide, no layout."""

    def shown(self) -> Shown:
        """The plan. Raises :class:`StageboardError` where nothing is open."""

    def view(self) -> str:
        """As :class:`planner.story.keyframe.Keyframe` has it."""

    def colouring(self) -> str:
        """What ops are coloured by, of :data:`planner.story.keyframe.COLOURINGS`."""

    def camera(self) -> Camera | None:
        """The part that is looked at; None where all of it is in sight."""

    def highlight(self) -> tuple[str, ...]:
        """The selected ops by id, neurons by number."""

    def left_over(self) -> bool:
        """Whether what is selected was selected before the plan became what it is."""

    def folded(self) -> tuple[FoldedGroup, ...]:
        """The groups that are one card each."""

    def at(self) -> int | None:
        """Connections done, of an order."""

    def step(self, since: Plan | OrderPlan | None = None) -> str:
        """What was done last, as a title; empty where that is not all that was done ``since`` a plan."""

    def watch(self, changed: Callable[[], None]) -> None:
        """Call ``changed`` whenever any of it may have changed."""


def camera_of(canvas: SceneWidget) -> Camera | None:
    """What a canvas shows as shares of its scene; None where that is everything."""
    scene = canvas.scene
    if scene is None or canvas.in_sight() is None:
        return None
    left, top, width, height = (float(side) for side in scene.layout.bounds)
    x, y, w, h = (float(side) for side in canvas.viewport.visible())
    width, height = max(width, 1e-9), max(height, 1e-9)
    return Camera(
        min(max((x - left) / width, -1.0), 2.0), min(max((y - top) / height, -1.0), 2.0),
        min(max(w / width, 0.001), 3.0), min(max(h / height, 0.001), 3.0),
    )  # fmt: skip


def highlight_of(graph: Graph, ops: Ints, scene: Scene | None) -> tuple[str, ...]:
    """Selected ops (int32[ops]) by id; none where they are the cards of a ``scene`` by hundreds."""
    cards = (
        len(ops)
        if scene is None or scene.items.graph is not graph
        else len(np.unique(scene.items.item_of[ops]))
    )
    if cards > MOST_HIGHLIGHTED or len(ops) > MOST_OPS:
        return ()
    return tuple(graph.op_ids[int(op)] for op in ops)


def last_step(document: Document | OrderDocument, since: Plan | OrderPlan | None = None) -> str:
    """What the undo stack calls the last step, which made the plan what it is, empty where it did not begin at the plan ``since``; the plan's
    name as it is shown where it is from a file, was chosen in the list, or came with another problem, and where no step led to it."""
    active, stack = document.active, document.undo_stack
    step, at = stack.undoText(), stack.index()
    if active is None:
        return step
    command = document.history.commands[at - 1] if at else None
    of_its_own = isinstance(command, Edit) and command.problems is None and step != apply_words(active.name)
    if not of_its_own or active.origin == "file":
        return shown_name(active.name)
    assert isinstance(command, Edit)
    if since is None:
        return step
    began = document.device_of.copy()
    began[command.ops] = command.before
    return step if np.array_equal(began, decision_of(since)) else ""


class SelectedFor:
    """Which state of a document's plan its selection was made for."""

    def __init__(self, document: Document | OrderDocument) -> None:
        self._document = document
        self._serial = document.assignment_serial
        document.selection_changed.connect(self._made)

    def _made(self) -> None:
        self._serial = self._document.assignment_serial

    @property
    def left_over(self) -> bool:
        """Whether it was made for an earlier one."""
        return self._serial != self._document.assignment_serial


class GraphShots:
    """The canvas of the main window."""

    def __init__(self, document: Document, canvas: SceneWidget) -> None:
        self._document, self._canvas = document, canvas
        self._last: tuple[int, int, Shown] | None = None
        self._selected = SelectedFor(document)

    def ready(self) -> bool:
        """See :class:`Shots`, as for the next ones."""
        canvas = self._canvas
        moving = any(getattr(canvas, name, False) for name in ("busy", "animating", "interacting"))
        return self._document.problem is not None and canvas.scene is not None and not moving

    def shown(self) -> Shown:
        """The plan on the canvas; the same object as long as nothing changes it."""
        document = self._document
        now = (document.model_serial, document.assignment_serial)
        if (
            self._last is not None
            and self._last[:2] == now
            and self._last[2].bounds == tuple(document.plan_bounds)
        ):
            return self._last[2]
        plan = document.current_plan()
        source = ModelSource(plan.problem.graph, tuple(Path(p) for p in document.paths), document.batch)
        shown = Shown(plan, tuple(document.plan_bounds), source)
        self._last = (*now, shown)
        return shown

    def view(self) -> str:
        """Flow, lanes or stages."""
        return self._canvas.view

    def colouring(self) -> str:
        """That of the canvas, by stage where the problem does not have it."""
        chosen = str(getattr(self._canvas, "colouring", STAGE))
        return chosen if chosen in colourings_of(self._document.open_problem) else STAGE

    def camera(self) -> Camera | None:
        """Shares of the scene."""
        return camera_of(self._canvas)

    def highlight(self) -> tuple[str, ...]:
        """The selection."""
        graph, ops = self._document.graph, self._document.selection
        return () if graph is None else highlight_of(graph, ops, self._canvas.scene)

    def left_over(self) -> bool:
        """See :class:`Shots`."""
        return self._selected.left_over

    def folded(self) -> tuple[FoldedGroup, ...]:
        """Those of the document."""
        return folded_now(self._document)

    def at(self) -> int | None:
        """Graphs have no such moment."""
        return None

    def step(self, since: Plan | OrderPlan | None = None) -> str:
        """See :func:`last_step`."""
        return last_step(self._document, since)

    def watch(self, changed: Callable[[], None]) -> None:
        """Plan, problem, view, folded groups, colouring, camera and selection."""
        document, canvas = self._document, self._canvas
        for signal in (
            document.decision_changed, document.problem_changed, document.selection_changed, document.groups_changed,
            canvas.viewport_changed,
        ):  # fmt: skip
            signal.connect(lambda *_: changed())
        for name in ("view_changed", "colouring_changed"):
            own = getattr(canvas, name, None)
            if own is not None:
                own.connect(lambda *_: changed())


class OrderShots:
    """The window of a sparse network: its order and the moment that is shown."""

    def __init__(self, document: OrderDocument) -> None:
        self._document = document
        self._last: tuple[np.ndarray, object, Shown] | None = None
        self._selected = SelectedFor(document)

    def ready(self) -> bool:
        """See :class:`Shots`, as for the next ones."""
        return self._document.problem is not None

    def shown(self) -> Shown:
        """The order on the canvas."""
        document = self._document
        if document.problem is None:
            raise StageboardError("no network is open; open one first")
        bounds = tuple(document.plan_bounds)
        if (
            self._last is not None
            and self._last[0] is document.order
            and self._last[1] is document.problem
            and self._last[2].bounds == bounds
        ):
            return self._last[2]
        plan = document.current_plan()
        network = document.problem.network
        source = ModelSource(network, tuple(Path(p) for p in document.paths), density=document.density)
        shown = Shown(plan, bounds, source)
        self._last = (document.order, document.problem, shown)
        return shown

    def view(self) -> str:
        """Always the network."""
        return "network"

    def colouring(self) -> str:
        """Networks have no heat map."""
        return STAGE

    def camera(self) -> Camera | None:
        """All of it."""
        return None

    def highlight(self) -> tuple[str, ...]:
        """The selected neuron."""
        document = self._document
        return (str(document.selection),) if document.selection >= 0 else ()

    def left_over(self) -> bool:
        """See :class:`Shots`."""
        return self._selected.left_over

    def folded(self) -> tuple[FoldedGroup, ...]:
        """Networks have no groups."""
        return ()

    def at(self) -> int | None:
        """The moment of the scrubber."""
        return int(self._document.position)

    def step(self, since: Plan | OrderPlan | None = None) -> str:
        """See :func:`last_step`."""
        return last_step(self._document, since)

    def watch(self, changed: Callable[[], None]) -> None:
        """Order, problem, moment and selection."""
        document = self._document
        for signal in (
            document.decision_changed, document.problem_changed, document.position_changed, document.selection_changed,
        ):  # fmt: skip
            signal.connect(lambda *_: changed())
