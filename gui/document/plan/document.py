"""The document: the single source of truth of the window. Views read it, and change it only through its methods.

It joins parts that know little of each other and offers them under one roof: the :class:`~gui.document.plan.board.Board` (problem,
assignment, bounds), the :class:`~gui.document.history.History` (undo, unsaved changes), :class:`~gui.document.plan.editing.Editing` (the
edits), selection, folding, previews, the plan list and what was found for it (:class:`~gui.document.plan.results.Results`).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from gui.document.commands import Command
from gui.document.history import History
from gui.document.plan import opening
from gui.document.plan import preview as previews
from gui.document.plan.board import Board
from gui.document.plan.constraining import KEEP_CLASSES
from gui.document.plan.editing import Editing
from gui.document.plan.folding import Folding
from gui.document.plan.opening import Opened
from gui.document.plan.preview import Preview, Previewing
from gui.document.plan.results import Results
from gui.document.plan.selection import Selection
from gui.document.plan_list import (
    PlanEntry,
    PlanList,
    bounds_with,
    differences,
    fill_figures,
    set_figures,
    telling_of,
)
from gui.document.values import AssignmentChange, Message
from planner.model.graph import Bools, Graph, Ints
from planner.model.groups import GroupView
from planner.problem.bound import Bound, Standing
from planner.problem.decision import Evaluation, Violation
from planner.problem.evaluator import Live
from planner.problem.grouping import unkept_words
from planner.problem.problem import Plan, Problem
from planner.problem.provenance import Provenance

if TYPE_CHECKING:
    from planner.problem.target import Target


class Document(QObject):
    """What is open. Signals carry no payload unless said; views read the state.

    ``graph_changed``: another graph is open, everything is new. ``problem_changed``: target, objective, constraints or
    cost model changed. ``assignment_changed(AssignmentChange)``: ops moved. ``readouts_changed``: objective, bound,
    gap or violations are to be read again. ``modified_changed(bool)``. ``message(Message)``: something to say.
    """

    graph_changed = Signal()
    problem_changed = Signal()
    assignment_changed = Signal(object)
    readouts_changed = Signal()
    plans_changed = Signal()
    selection_changed = Signal()
    hover_changed = Signal()
    pointed_changed = Signal()
    groups_changed = Signal()
    preview_changed = Signal()
    modified_changed = Signal(bool)
    message = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.board = Board()
        self.history = History(self)
        self.plan_list = PlanList(self)
        self.selecting = Selection(self)
        self.folding = Folding(self)
        self.previewing = Previewing(self.board, self)
        self.results = Results(self)
        self.editing = Editing(self)
        self.undo_stack = self.history.undo_stack
        self.paths: tuple[Path, ...] = ()
        self.batch = 1
        self.plan_path: Path | None = None
        self.graph_serial = 0
        """Counts the models opened: what was begun on an earlier one is stale."""

        self.history.modified_changed.connect(self.modified_changed)
        self.plan_list.plans_changed.connect(self.plans_changed)
        self.selecting.selection_changed.connect(self.selection_changed)
        self.selecting.hover_changed.connect(self.hover_changed)
        self.selecting.pointed_changed.connect(self.pointed_changed)
        self.folding.groups_changed.connect(self.groups_changed)
        self.previewing.preview_changed.connect(self.preview_changed)

        # Parts' own methods under the document's roof; their docstrings are there.
        self.moving_set, self.closure, self.move = (
            self.editing.moving_set,
            self.editing.closure,
            self.editing.move,
        )
        self.set_assignment, self.follow = self.editing.set_assignment, self.editing.follow
        self.set_problem, self.clear_constraints = self.editing.set_problem, self.editing.clear_constraints
        self.change_problem = self.editing.change_problem
        self.pin, self.unpin = self.editing.pin, self.editing.unpin
        self.keep_together, self.separate = self.editing.keep_together, self.editing.separate
        self.plan_by, self.take_over = self.editing.plan_by, self.editing.take_over
        self.apply_plan, self.remove_plan = self.editing.apply_plan, self.editing.remove_plan
        self.rename_plan = self.editing.rename_plan
        self.add_plan, self.update_plan = self.results.add_plan, self.results.update_plan
        self.refresh_entry, self.add_bounds = self.results.refresh_entry, self.results.add_bounds
        self.select, self.select_connected = self.selecting.select, self.selecting.select_connected
        self.set_hover, self.point_at = self.selecting.set_hover, self.selecting.point_at
        self.set_grouping, self.groupings = self.folding.set_grouping, self.folding.available
        self.fold, self.unfold = self.folding.fold, self.folding.unfold
        self.fold_all, self.unfold_all = self.folding.fold_all, self.folding.unfold_all
        self.update_preview, self.end_preview = self.previewing.update, self.previewing.end
        self.best_moves = self.board.best_moves

    # ------------------------------------------------------------------ state
    @property
    def problem(self) -> Problem | None:
        """What is planned; None where nothing is open."""
        return self.board.problem

    @property
    def graph(self) -> Graph | None:
        """The open graph with all its times."""
        return None if self.board.problem is None else self.board.problem.graph

    @property
    def live(self) -> Live | None:
        """The live evaluation of the assignment; only undo commands may change it."""
        return self.board.live

    @property
    def device_of(self) -> Ints:
        """The device of each op (int32[n]); a read-only view of the present, copy it to keep it."""
        return self.board.device_of

    @property
    def evaluation(self) -> Evaluation:
        """Costs and violations of the assignment. Raises :class:`StageboardError` where nothing is open."""
        return self.board.evaluation

    @property
    def bounds(self) -> list[Bound]:
        """Every bound that was proven, for this problem or another of the same graph."""
        return self.board.bounds

    @property
    def bound(self) -> Bound | None:
        """The strongest bound on the objective's first component that applies to the problem."""
        return self.board.bound

    @property
    def standing(self) -> Standing | None:
        """How the assignment stands against the bounds, component by component; None where nothing is open."""
        return self.board.standing

    @property
    def plan_bounds(self) -> list[Bound]:
        """What is proven, and what the file of the plan on the canvas claims."""
        return bounds_with(self.active, self.bounds)

    @property
    def claim(self) -> Bound | None:
        """What the file of the plan on the canvas claims beyond what is proven; None where it claims nothing more."""
        active, problem = self.active, self.problem
        if active is None or problem is None or not active.claims:
            return None
        evaluation = self.evaluation
        return telling_of(active, problem, evaluation.values, evaluation.valid, self.bounds)

    @property
    def gap(self) -> float | None:
        """The gap of the first component not yet proven; None without a bound or while rules are broken."""
        return self.board.gap

    @property
    def status_text(self) -> str:
        """``valid`` or how many rules are broken."""
        broken = 0 if self.live is None else len(self.evaluation.violations)
        return "valid" if not broken else f"{broken} rule{'s' if broken > 1 else ''} broken"

    @property
    def selection(self) -> Ints:
        """The selected ops, sorted."""
        return self.selecting.ops

    @property
    def hover(self) -> int:
        """The op under the pointer, -1 for none."""
        return self.selecting.hover

    @property
    def pointed(self) -> Violation | None:
        """The broken rule whose paths are drawn: the one in the way of a drag, else the one looked at in a list."""
        preview = self.previewing.preview
        if preview is None:
            return self.selecting.pointed
        over = preview.target
        said = preview.violations(over) if over >= 0 and not preview.legal[over] else ()
        return said[0] if said else None

    @property
    def plans(self) -> list[PlanEntry]:
        """The plan list."""
        return self.plan_list.entries

    @property
    def active(self) -> PlanEntry | None:
        """The plan on the canvas; None where nothing is open."""
        return self.plan_list.active

    @property
    def grouping(self) -> GroupView | None:
        """The grouping that is shown."""
        return self.folding.grouping

    @property
    def grouping_name(self) -> str:
        """none, layers, scopes or blocks."""
        return self.folding.name

    @property
    def folded(self) -> frozenset[int]:
        """The folded groups."""
        return self.folding.folded

    @property
    def preview(self) -> Preview | None:
        """What a drag in progress would do."""
        return self.previewing.preview

    @property
    def modified(self) -> bool:
        """Whether the plan differs from what was opened or saved last."""
        return self.history.modified

    @property
    def title(self) -> str:
        """Model and plan as a window title names them."""
        if self.board.problem is None:
            return "Stageboard"
        return self.board.problem.graph.name + (f" – {self.plan_path.name}" if self.plan_path else "")

    @property
    def edit_serial(self) -> int:
        """Counts what the user did to plan and problem: steps taken, undone and done again."""
        return self.history.edits

    @property
    def assignment_serial(self) -> int:
        """Counts every change of the assignment or the problem, whoever made it."""
        return self.board.serial

    # ------------------------------------------------------------------ opening and saving
    def open_model(self, paths: str | Path | Sequence[str | Path], batch: int = 1) -> None:
        """Open a model (several = deployed together). Raises :class:`StageboardError` before anything changes."""
        self.install(opening.prepare_model(paths, batch))

    def open_graph(
        self, graph: Graph, paths: Sequence[str | Path] = (), target: Target | None = None
    ) -> None:
        """Open a graph that is in memory already. Raises :class:`StageboardError` before anything changes."""
        self.install(opening.prepare_graph(graph, paths, target=target))

    def install(self, opened: Opened) -> None:
        """Let what :mod:`gui.document.plan.opening` prepared take the place of the open document. Cannot fail."""
        problem, plan = opened.problem, opened.plan
        entry = PlanEntry(
            opened.planner or "all on one device", opened.device_of.copy(), "start", planner=opened.planner
        )
        if plan is not None and opened.plan_path is not None:
            entry.origin, entry.name, entry.provenance = (
                "file",
                plan.name or opened.plan_path.stem,
                plan.provenance,
            )
            entry.seed, entry.seconds = plan.provenance.seed, plan.provenance.seconds
            entry.claims = opened.claims
        self.previewing.end()
        self.board.reset(problem, opened.live, opened.bounds)
        self.paths, self.batch, self.plan_path = opened.paths, opened.batch, opened.plan_path
        self.graph_serial += 1
        fill_figures(entry, problem, self.board.bounds)
        self.plan_list.reset([entry], entry.id)
        self.selecting.reset(problem.graph)
        self.folding.reset(problem.graph)
        self.history.reset()
        if self.history.recorder is not None:
            self.history.recorder.opened()
        self.graph_changed.emit()
        self.assignment_changed.emit(AssignmentChange(None, "load"))
        self.readouts_changed.emit()
        self.plans_changed.emit()
        unkept = unkept_words(problem, KEEP_CLASSES)
        for warning in (*problem.graph.warnings, *([unkept] if unkept else [])):
            self.message.emit(Message("warning", warning))

    def open_plan(self, path: str | Path) -> None:
        """Open a saved plan of the open graph: one undo step, after which the document counts as saved.

        Raises :class:`PlanError` (a damaged file, a plan of another graph) before anything changes.
        """
        self.editing.open_plan(
            opening.prepare_plan(path, self.board.open_problem.graph, self.paths, self.batch)
        )

    def save_plan(self, path: str | Path) -> None:
        """Write the assignment as a plan file, whole or not at all. Raises :class:`StageboardError`."""
        from planner.plan_files.plan_json import write_plan

        target = Path(path).absolute()
        write_plan(target, self.current_plan(), self.plan_bounds)
        self.plan_path = target
        self.history.set_saved()
        self.plans_changed.emit()

    def current_plan(self) -> Plan:
        """The assignment as a plan with where it came from. Raises :class:`StageboardError` where nothing is open."""
        problem, active = self.board.open_problem, self.active
        assert active is not None
        planner = "hand" if active.origin == "hand" else active.planner
        provenance = active.provenance or Provenance(
            planner=planner, seed=active.seed, seconds=active.seconds or 0.0
        )
        return problem.plan(self.device_of.copy(), provenance, active.name)

    # ------------------------------------------------------------------ changes
    def push(self, command: Command) -> None:
        """Take a step that was made elsewhere, from a journal for one."""
        self.history.push(command)

    def enter(self, problem: Problem | None, ops: Ints, devices: Ints, active: str, reason: str) -> None:
        """Called by undo commands only: take on a problem (None = the same), some devices and an active plan."""
        self.previewing.end()
        self.selecting.point_at(None)
        self.board.enter(problem, ops, devices)
        self.plan_list.active_id = active
        if problem is not None:
            self.board.add_bounds(opening.quick_bounds(problem))
        entry = self.active
        if entry is not None and entry.origin == "hand":
            entry.device_of = self.device_of.copy()
        if problem is not None:
            self.plan_list.evaluate_all(problem, self.board.bounds)
            self.problem_changed.emit()
        elif entry is not None and entry.origin == "hand":
            evaluation = self.evaluation
            set_figures(
                entry,
                self.board.open_problem,
                evaluation.values,
                len(evaluation.violations),
                self.board.bounds,
            )
            self.results.drop_refuted(entry)
        if len(ops):
            self.assignment_changed.emit(AssignmentChange(ops, reason))
        self.readouts_changed.emit()
        self.plans_changed.emit()

    # ------------------------------------------------------------------ questions
    def check(self, ops: object) -> Preview:
        """What moving the ops (mates included) to each device would do. Raises ValueError without ops."""
        moved = self.moving_set(ops)
        if not len(moved):
            raise ValueError("no ops were given")
        return previews.check(self.board.open_live, moved, self.board.bounds, self.board.domains)

    def begin_preview(self, ops: object) -> Preview | None:
        """A drag of ops begins, or a suggestion is looked at. Returns the preview, None without ops."""
        return self.previewing.begin(self.moving_set(ops))

    def differences(self, entry: PlanEntry) -> Bools:
        """Where a plan differs from the assignment (bool[n]); devices are matched by index."""
        return differences(entry, self.device_of)

    def why_bottleneck(self) -> tuple[list[tuple[str, float]], str]:
        """What the cost of the bottleneck consists of, largest part first, and one sentence."""
        from gui.words.explaining import why_bottleneck

        return why_bottleneck(self.board.open_problem, self.evaluation)

    def find(self, query: str) -> Ints:
        """The ops that a query of :mod:`gui.document.find.find` matches, sorted. Raises :class:`StageboardError`."""
        from gui.document.find.find import find

        return find(query, self.board.open_problem, self.device_of)
