"""The document of a graph: the single source of truth of its window. Views read it, and change it only through its methods.

It joins parts that know little of each other and offers them under one roof: what documents of every kind have
(:mod:`gui.document.document`), the :class:`~gui.document.plan.board.AssignmentBoard`,
:class:`~gui.document.plan.editing.Editing` (the edits), selection, folding and previews.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np
from PySide6.QtCore import QObject, Signal

from gui.document.document import PlannedDocument
from gui.document.plan import opening
from gui.document.plan import preview as previews
from gui.document.plan.board import AssignmentBoard
from gui.document.plan.constraining import KEEP_CLASSES
from gui.document.plan.editing import Editing
from gui.document.plan.folding import Folding
from gui.document.plan.machine_change import GIVEN, MachineChange
from gui.document.plan.opening import Opened
from gui.document.plan.preview import Preview, Previewing
from gui.document.plan.selection import Selection
from gui.document.plan_list import PlanEntry, fill_figures, fits
from gui.document.steps import apply_words
from gui.document.values import DecisionChange
from gui.look.numbers import plural
from gui.words.methods import method_name
from planner.errors import PlanError
from planner.model.graph import Graph, Ints
from planner.model.groups import GroupView
from planner.problem.bound import better
from planner.problem.decision import Evaluation, Violation
from planner.problem.evaluator import Live
from planner.problem.grouping import unkept_words
from planner.problem.problem import Plan, Problem
from planner.problem.provenance import Provenance
from planner.problem.worst import LATENCY

if TYPE_CHECKING:
    from planner.feasibility import Explanation
    from planner.methods.feasibility.conflicts import Conflict
    from planner.problem.target import Target
    from planner.runs.start_plan import StartPlan


class Document(PlannedDocument[Problem, Evaluation]):
    """A graph's problem and assignment, and everything that may be done to them."""

    pointed_changed = Signal()
    groups_changed = Signal()
    preview_changed = Signal()
    machine_changed = Signal(object)
    """Another machine is planned for (:class:`gui.document.plan.machine_change.MachineChange`)."""
    plan_noted = Signal(object)
    """A saved plan was opened whose file says what is not so here (:class:`gui.document.plan.opening.Opened`)."""
    stand_in_opened = Signal()
    """A model was opened with a plan that stands in for one whose planner is not compiled yet."""

    board: AssignmentBoard

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(AssignmentBoard(), parent)
        self.selecting = Selection(self)
        self.folding = Folding(self)
        self.previewing = Previewing(self.board, self)
        self.editing = Editing(self)
        self.batch = 1

        self.selecting.selection_changed.connect(self.selection_changed)
        self.selecting.hover_changed.connect(self.hover_changed)
        self.selecting.pointed_changed.connect(self.pointed_changed)
        self.folding.groups_changed.connect(self.groups_changed)
        self.previewing.preview_changed.connect(self.preview_changed)
        self.readouts_changed.connect(self.previewing.bounds_found)

        # Parts' own methods under the document's roof; their docstrings are there.
        self.moving_set, self.closure, self.move = (
            self.editing.moving_set,
            self.editing.closure,
            self.editing.move,
        )
        self.set_problem, self.clear_constraints = self.editing.set_problem, self.editing.clear_constraints
        self.change_problem = self.editing.change_problem
        self.pin, self.unpin = self.editing.pin, self.editing.unpin
        self.keep_together, self.separate = self.editing.keep_together, self.editing.separate
        self.plan_by, self.take_over = self.editing.plan_by, self.editing.take_over
        self.select, self.select_connected = self.selecting.select, self.selecting.select_connected
        self.set_hover, self.point_at = self.selecting.set_hover, self.selecting.point_at
        self.set_grouping = self.folding.set_grouping
        self.fold, self.unfold = self.folding.fold, self.folding.unfold
        self.fold_all, self.unfold_all = self.folding.fold_all, self.folding.unfold_all
        self.update_preview, self.end_preview = self.previewing.update, self.previewing.end
        self.best_moves = self.board.best_moves

    # ------------------------------------------------------------------ state
    @property
    def graph(self) -> Graph | None:
        """The open graph with all its times."""
        return None if self.board.problem is None else self.board.problem.graph

    @property
    def live(self) -> Live | None:
        """The live evaluation of the assignment; only undo commands may change it."""
        return self.board.live

    @property
    def status_text(self) -> str:
        """``valid`` or how many violations there are."""
        broken = 0 if self.live is None else len(self.evaluation.violations)
        return plural(broken, "violation") if broken else "valid"

    @property
    def suggested_objective(self) -> tuple[str, str]:
        """Another objective that suits the plan on the canvas better, and why; empty where none does."""
        problem = self.problem
        return (
            ("", "")
            if problem is None
            else problem.target.suggested_objective(problem.objective, self.evaluation)
        )

    @property
    def optimum(self) -> PlanEntry | None:
        """A plan of the list that is proven optimal, where the one on the canvas is valid and is not; None where there is none."""
        if self.problem is None or not self.evaluation.valid or self.gap == 0.0:
            return None
        return self.plan_list.optimum(self.problem, self.bounds)

    @property
    def better(self) -> PlanEntry | None:
        """The best plan of the list that is better than the valid one on the canvas; None where that is the best."""
        if self.problem is None or not self.evaluation.valid:
            return None
        best = self.plan_list.best(self.problem, but=self.active)
        is_better = best is not None and best.problem == self.problem
        return (
            best
            if best is not None and is_better and better(best.components, self.evaluation.values)
            else None
        )

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

    # ------------------------------------------------------------------ opening and saving
    def open_model(self, paths: str | Path | Sequence[str | Path], batch: int = 1) -> None:
        """Open a model (several = deployed together). Raises :class:`StageboardError` before anything changes."""
        self.install(opening.prepare_model(paths, batch))

    def open_graph(
        self,
        graph: Graph,
        paths: Sequence[str | Path] = (),
        target: Target | None = None,
        batch: int = 1,
    ) -> None:
        """Open a graph that is in memory already. Raises :class:`StageboardError` before anything changes."""
        self.install(opening.prepare_graph(graph, paths, batch, target))

    def install(self, opened: Opened) -> None:
        """Let what :mod:`gui.document.plan.opening` prepared take the place of the open document. Cannot fail."""
        problem, plan = opened.problem, opened.plan
        entry = PlanEntry(
            method_name(opened.planner) if opened.planner else "all on one device",
            opened.device_of.copy(),
            "start",
            planner=opened.planner,
        )
        if plan is not None and opened.plan_path is not None:
            entry.origin, entry.name, entry.provenance = (
                "file",
                plan.name or opened.plan_path.stem.removesuffix(".plan"),
                plan.provenance,
            )
            entry.seed, entry.seconds = plan.provenance.seed, plan.provenance.seconds
            entry.claims = opened.claims
        self.previewing.end()
        self.board.reset(problem, opened.live, opened.bounds)
        self.batch = opened.batch
        fill_figures(entry, problem, self.board.bounds)
        self._installed([entry], entry, opened.paths, opened.plan_path)
        self.selecting.reset(problem.graph)
        self.folding.reset(problem.graph)
        if self.history.recorder is not None:
            self.history.recorder.opened()
        self.model_changed.emit()
        self.decision_changed.emit(DecisionChange(None, "load"))
        self.readouts_changed.emit()
        self.plans_changed.emit()
        unkept = unkept_words(problem, KEEP_CLASSES)
        self._tell_warnings((*problem.graph.warnings, *([unkept] if unkept else [])))
        if opened.stands_in:
            self.stand_in_opened.emit()

    def take_start_plan(self, stand_in: PlanEntry, found: StartPlan) -> PlanEntry | None:
        """A start plan was found after the model was opened with a plan that stands in for it.

        It goes on the canvas, one undo step, where that is there as it was; else it waits in the list. None where it is no better.
        """
        self.add_bounds(found.bounds)
        problem, planner = self.open_problem, found.planner
        device_of = self.board.called_alike(problem, found.device_of)
        made = PlanEntry("", device_of, "start", planner=planner)
        fill_figures(made, problem, self.board.bounds)
        if not planner or not made.better_than(self.active):
            return None
        untouched = self.active is stand_in and not len(self.board.changes(stand_in.device_of)[0])
        entry = self.add_plan(
            device_of,
            self.plan_list.name_by(planner, problem),
            origin="start",
            planner=planner,
            provenance=Provenance(planner),
        )
        if untouched:
            saved = not self.modified
            self.follow(device_of, entry, f"start plan {entry.id}", apply_words(entry.name))
            if saved:  # nobody did anything that could be lost
                self.history.set_saved()
        return entry

    def open_plan(self, path: str | Path) -> Opened:
        """Open a saved plan of the open graph: one undo step, after which the document counts as saved.

        What the file says that is not so here is in the result's ``notes``, and is told to ``plan_noted``.
        Raises :class:`PlanError` (a damaged file, a plan of another graph) before anything changes.
        """
        opened = opening.prepare_plan(path, self.board.open_problem.graph, self.paths, self.batch)
        plan, file = opened.plan, opened.plan_path
        assert plan is not None
        assert file is not None
        bounds = (*opened.bounds, *opened.claims)
        before, left = self.open_problem, self.active
        name = plan.name or file.stem.removesuffix(".plan")
        self._take(plan, name, bounds, f"Open plan {file.name}", file, saved=True)
        active = self.active
        if left is not None and active is not None and not plan.problem.same_machine(before):
            self.editing.machines.tell(MachineChange(left, active, before, plan.problem, GIVEN, ""))
        if opened.notes:
            self.plan_noted.emit(opened)
        return opened

    def current_plan(self) -> Plan:
        """The assignment as a plan with where it came from. Raises :class:`StageboardError` where nothing is open."""
        plan: Plan = super().current_plan()
        return plan

    # ------------------------------------------------------------------ changes
    def enter(self, problem: Problem | None, ops: Ints, devices: Ints, active: str, reason: str) -> None:
        """Also ends what was shown of the assignment before."""
        self.previewing.end()
        self.selecting.point_at(None)
        super().enter(problem, ops, devices, active, reason)

    def apply_plan(self, entry: PlanEntry) -> bool:
        """Let a plan of the list take the place of the assignment, with its machine: one undo step. Raises :class:`PlanError`."""
        if not entry.is_of(self.problem):
            self.editing.machines.back_to(entry)
            return True
        self._check_fits(entry)
        return super().apply_plan(entry)

    def plan_of(self, entry: PlanEntry) -> Plan:
        """A plan of the list as a plan of the problem, or of its own machine. Raises :class:`PlanError` where it does not fit."""
        if entry.problem is not None and not entry.is_of(self.problem):
            other = cast(Problem, entry.problem)
            return other.plan(entry.device_of, entry.source, entry.name)
        self._check_fits(entry)
        plan: Plan = super().plan_of(entry)
        return plan

    def _check_fits(self, entry: PlanEntry) -> None:
        if not fits(entry.device_of, self.open_problem):
            raise PlanError(
                f"'{entry.shown_name}' uses devices that the target does not have; plan again, or undo the change of the target"
            )

    def _check_proposal(self, device_of: Ints) -> None:
        ops = self.open_problem.graph.n
        if np.shape(device_of) != (ops,):
            raise PlanError(f"a plan for {ops} ops was expected, this one places {np.size(device_of)}")

    # ------------------------------------------------------------------ questions
    def check(self, ops: object) -> Preview:
        """What moving the ops (mates included) to each device would do. Raises ValueError without ops."""
        moved = self.moving_set(ops)
        if not len(moved):
            raise ValueError("no ops were given")
        return previews.check(self.board.open_live, moved, self.board.bounds, self.board.domains)

    def legal_along(self, ops: object, device: int) -> bool:
        """Whether moving ``ops`` to a device breaks no rule where what must come along does."""
        return previews.legal_along(self.board.open_live, self.editing.closure(ops, device), device)

    def begin_preview(self, ops: object) -> Preview | None:
        """A drag of ops begins, or a suggestion is looked at. Returns the preview, None without ops."""
        return self.previewing.begin(self.moving_set(ops))

    def proved_infeasible(self, problem: Problem, why: Conflict | Explanation | None = None) -> None:
        """It is proven that ``problem`` has no valid plan: kept as an infinite bound, with the reason where that is known."""
        if why is not None:
            self.board.keep_why_none(problem, why)
        self.add_bounds([problem.bound(problem.components[0], math.inf, "feasibility", problem.assumptions)])
        self.readouts_changed.emit()

    def why_bottleneck(self) -> tuple[list[tuple[str, float]], str]:
        """What the cost of the bottleneck consists of, or the critical path of a single sample, largest part first, and one sentence."""
        from gui.words.explaining import critical_path, why_bottleneck

        problem = self.board.open_problem
        if problem.components[0] == LATENCY and problem.graph.n:
            return critical_path(problem, self.device_of)
        return why_bottleneck(problem, self.evaluation)

    def find(self, query: str) -> Ints:
        """The ops that a query of :mod:`gui.document.find.find` matches, sorted. Raises :class:`StageboardError`."""
        from gui.document.find.find import find

        return find(query, self.board.open_problem, self.device_of)
