"""The main window: readouts on top, panels around the canvas, one list of actions behind menus, keys and palette."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QMenu

from gui.editors.plan.actions import ACTIONS, ELSEWHERE, MENUS
from gui.editors.plan.body import CanvasFactory, GraphBody, default_canvas
from gui.editors.plan.files import Files
from gui.editors.plan.memory import VIEWS
from gui.editors.plan.pickers import Pickers
from gui.editors.plan.pin_notice import tell_off_pins
from gui.editors.plan.plan_runs import PlanRuns
from gui.editors.plan.planning_anew import PlanningAnew
from gui.editors.plan.policy_weights import PolicyWeights
from gui.editors.plan.repair_offers import Mending
from gui.editors.plan.stage_control import StageControl
from gui.editors.plan.stage_exports import StageExports
from gui.look.numbers import plural
from gui.look.theme import ThemeController
from gui.panels.mcm.state import is_package
from gui.shell.kinds import windows_of
from gui.shell.open_tabs import Left, Tab, left
from gui.shell.palette import Choice
from gui.tools.search.running import Errand
from gui.tools.story.actions import SHIPPED
from gui.widgets.later import soon
from gui.words.machines import counted_devices, counted_titles
from planner.model.precision import FILE, precision_of

if TYPE_CHECKING:
    from gui.background.job import Job
    from gui.background.jobs import Jobs
    from gui.document.plan.document import Document
    from gui.document.plan_list import PlanEntry
    from gui.document.values import DecisionChange
    from gui.shell.session import Session


ON_OPS = (
    "edit.move", "edit.move_along", "edit.move_repair", "", "edit.pin", "edit.unpin", "edit.together", "edit.separate", "", "edit.ancestors",
    "edit.descendants", "", "view.fold", "view.unfold", "view.zoom_selection",
)  # fmt: skip
ON_GROUND = (
    "plan.repair", "", "view.fit", "view.fold_all", "view.unfold_all", "", "edit.select_all", "edit.find", "file.export.picture",
)  # fmt: skip
"""What the canvas's context menu offers, with ops and without; empty: a line."""

ROOM_FOR_PLOT = 860
"""Window height in pixels from which the convergence plot opens by itself."""


class MainWindow(GraphBody):
    """One graph."""

    files: Files
    elsewhere = ELSEWHERE

    def __init__(
        self,
        document: Document,
        jobs: Jobs,
        themes: ThemeController,
        session: Session | None = None,
        canvas_factory: CanvasFactory = default_canvas,
    ) -> None:
        super().__init__(document, jobs, themes, session, canvas_factory)
        self._sized = self._plot_shown = False
        self.files = Files(self)
        self.exports = StageExports(self, self.files)
        self.runs = PlanRuns(self)
        for signal in (
            document.model_changed,
            document.problem_changed,
        ):  # before anything is said of what is new
            signal.connect(self.notice.problem_changed)
        self.mending = Mending(self)
        self.planning_anew = PlanningAnew(self)
        self.planning_anew.help_requested.connect(self.mending.explain)
        self.planning_anew.ended.connect(self.mending.say_done)
        self.pickers = Pickers(self, self.mending.repairing)
        self.equip(ACTIONS, MENUS, lambda: self.readouts, lambda: (self.canvas, self.devices, self.ops.table))
        self.offer_recent("file.batch")
        self.header.add_control(StageControl(document, self.header))
        for view in VIEWS:
            self.header.add_view(view, self.actions_set[f"view.{view}"], partial(self.canvas.set_view, view))
        self.connect_planning()
        for work in (self.planning_anew, self.mending):
            self.running.follow(work.errand, work.busy_changed)
        training = self.training.run
        errand = Errand(lambda: training.words, lambda: training.running, training.cancel)
        self.running.follow(errand, training.changed)
        self._connect()
        self._graph_changed()
        self._sized = self.memory.restore(self.set_reduced_motion)
        self.policy_weights = PolicyWeights(self)

    # ------------------------------------------------------------------ making
    def _connect(self) -> None:
        document, jobs, canvas = self.document, self.jobs, self.canvas
        document.decision_changed.connect(self.notice.plan_changed)
        document.decision_changed.connect(self._tell_off_pins)  # after what the notice was about has gone
        document.model_changed.connect(self._graph_changed)
        document.model_changed.connect(self.palette_window.problem_changed)
        for signal in (
            document.decision_changed, document.groups_changed, canvas.view_changed, canvas.earlier_changed,
            canvas.colouring_changed,
        ):  # fmt: skip
            signal.connect(self.update_soon)
        self.race.racing.started.connect(self._show_plot_once)
        self.target.unapplied_changed.connect(lambda: self.docks.mark("target", self.target.unapplied))
        for begun in (self.planners.started, self.race.racing.started):
            begun.connect(self._tell_unapplied)
        self.race.racing.ended.connect(self._race_ended)
        self.race.highlight_requested.connect(canvas.set_highlight)
        self.race.compare_requested.connect(self.compare)
        jobs.jobs_changed.connect(self._show_plot_once)
        for signal in (document.problem_changed, document.model_changed):
            signal.connect(self.docks.make_room_for_devices)
            signal.connect(self.docks.follow_target)
            signal.connect(self._name_counts)
        self._name_counts()
        document.problem_changed.connect(self.memory.remember_model)
        canvas.context_menu.connect(self._context_menu)
        canvas.card_clicked.connect(self._show_facts)
        canvas.add_drop_target(self.devices)
        canvas.add_drop_target(self.package)
        self.package.device_shown.connect(self.inspector.show_device)
        self.package.device_shown.connect(canvas.reveal_lane)
        self.package.op_shown.connect(canvas.reveal)
        self.package.menu_requested.connect(self.devices.show_menu)
        self.plans.highlight_requested.connect(canvas.set_highlight)
        self.plans.save_requested.connect(self.files.save_entry)
        self.plans.compare_requested.connect(self.compare)
        self.models.highlight.connect(canvas.set_highlight)
        self.suggestions.hovered.connect(self._highlight_ops)
        self.devices.device_shown.connect(self.inspector.show_device)
        self.inspector.reveal_requested.connect(canvas.reveal)
        self.ops.zoom_requested.connect(canvas.zoom_to_ops)
        self.ops.reveal_requested.connect(canvas.reveal)
        self.ops.found.connect(partial(self._highlight_ops, fade_all=True))
        self.ops.left.connect(canvas.setFocus)
        canvas.left_alone.connect(self.ops.find_box.clear)
        self.violations.reveal_requested.connect(canvas.zoom_to_ops)
        self.readouts.violations_requested.connect(lambda: self.focus_panel("violations"))
        self.readouts.speed.suggestion_taken.connect(self.planning_anew.take_suggestion)
        self.readouts.target_requested.connect(lambda: self.focus_panel("target"))
        self.readouts.bottleneck_requested.connect(self._explain_bottleneck)
        self.readouts.prove_requested.connect(self.proving_unasked.prove_more)
        self.why.sure_requested.connect(lambda: self.focus_panel("robust"))
        self.start_page.offer([
            ("Two plans of a transformer, compared", self.actions_set["compare.example"]),
            *((title, self.actions_set[f"story.shipped.{name}"]) for name, title in SHIPPED),
        ])  # fmt: skip

    # ------------------------------------------------------------------ state
    def say_state(self) -> None:
        """Title, header, and the view that is shown."""
        document, problem = self.document, self.document.problem
        self.header.show_view(self.canvas.view, problem is not None)
        self.say_title()
        if problem is None:
            return
        active = document.active
        ops = plural(problem.graph.n, "op")
        long = f"{ops} on {counted_devices(problem)}"
        if active is None:
            self.header.show_title(problem.graph.name, long, ops)
            return
        plan, unsaved = f"plan “{active.shown_name}”", "not saved" if document.modified else ""
        # The strip and the control of the machine say how many devices there are; that a plan is not saved is said nowhere else.
        last = f"{unsaved} · {plan}" if unsaved else plan
        plan = f"{plan} · {unsaved}" if unsaved else plan
        self.header.show_title(problem.graph.name, f"{long}  ·  {plan}", f"{ops}  ·  {plan}", plan, last)

    def _graph_changed(self) -> None:
        self.show_content()
        self.update_soon()

    def show_waiting(self) -> None:
        """Show the page that says what is being read."""
        self._stack.setCurrentWidget(self.waiting)

    def show_content(self) -> None:
        """Show the canvas, or where to begin."""
        is_open = self.document.problem is not None
        self._stack.setCurrentWidget(self.canvas if is_open else self.start_page)
        if not is_open:
            self.start_page.show_recent(self.memory.recent, self.memory.saved_plans, self.memory.stories)

    # ------------------------------------------------------------------ messages
    def job_ended(self, job: Job) -> None:
        """What proves or suggests that there is no valid plan is told in full."""
        if job.infeasible and job.problem == self.document.problem:
            self.mending.proven_infeasible(job.title)
        elif job.found_none and job.problem == self.document.problem and not self.document.evaluation.valid:
            self.mending.found_none(job)
        else:
            super().job_ended(job)

    def _tell_unapplied(self) -> None:
        """Who changed the target and starts a planner may believe that it plans for that."""
        if self.target.unapplied:
            self.notice.show_message(
                "warning", "The change in Target is not applied yet: this plans without it.", action="Show Target",
                run=lambda: self.focus_panel("target"),
            )  # fmt: skip

    def _tell_off_pins(self, change: DecisionChange) -> None:
        tell_off_pins(self, change)

    def _race_ended(self, course: Any) -> None:
        if course.outcome == "infeasible" and course.problem == self.document.problem:
            self.mending.proven_infeasible("The race")

    def _explain_bottleneck(self) -> None:
        if self.document.problem is not None:
            self.select_bottleneck()
            self.docks.reveal("why")

    def _highlight_ops(self, ops: np.ndarray | None, fade_all: bool = False) -> None:
        graph = self.document.graph
        if ops is None or graph is None:
            self.canvas.set_highlight(None)
            return
        mask = np.zeros(graph.n, bool)
        mask[ops] = True
        self.canvas.set_highlight(mask, fade_all)

    def _name_counts(self) -> None:
        """The question how many is asked of what the machine has."""
        self.docks.rename("counts", f"How Many {counted_titles(self.document.problem)[1]}?")

    def _show_facts(self) -> None:
        """What was clicked is told by the inspector, unless one finds ops in the table in front of it."""
        if not self.ops.find_box.text().strip():
            self.docks.offer("inspector")

    def _context_menu(self, position: QPoint, op: int) -> None:
        menu = self.context_menu(op)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(position)

    def context_menu(self, op: int) -> QMenu:
        """What can be done with the selection, or with the canvas where nothing is selected (op -1)."""
        self.update_actions()
        menu = QMenu(self)
        for id in ON_OPS if op >= 0 or len(self.document.selection) else ON_GROUND:
            if id:
                menu.addAction(self.actions_set[id])
            else:
                menu.addSeparator()
        return menu

    def further_choices(self, text: str) -> Iterable[Choice]:
        """Ops by name, once two letters are typed."""
        return self.pickers.ops_after_commands(text)

    # ------------------------------------------------------------------ comparing
    def compare(self, entries: Sequence[PlanEntry]) -> None:
        """Show plans of the list side by side; a single one beside the plan on the canvas."""
        windows_of("comparison").open_comparison(self, entries)

    def compare_chosen(self) -> None:
        """Compare what is selected in the list, or say what to do where that are no plans to compare."""
        chosen = self.plans.comparable()
        if chosen:
            self.compare(chosen)
        else:
            self.tell_incomparable()

    def compare_files(self) -> None:
        """Ask for saved plans of this model, and show them beside the one on the canvas."""
        chosen = self.files.ask_plans()
        if chosen:
            windows_of("comparison").open_with_canvas(self, chosen)

    def compare_example(self) -> None:
        """Show two plans that are worth comparing, in a new tab where a model is open."""
        beside = self if self.document.problem is None else self.files.open_start_page()
        windows_of("comparison").open_example(beside)

    # ------------------------------------------------------------------ panels and themes
    def _show_plot_once(self) -> None:
        """The first run opens the convergence plot where there is room; closing it keeps it closed.

        The view of a package keeps its place.
        """
        covers = is_package(self.document.problem) and self.package.isVisible()
        runs = bool(self.jobs.running) or self.race.racing.running
        if runs and not self._plot_shown and not covers and self.height() >= ROOM_FOR_PLOT:
            self._plot_shown = True
            self.docks.reveal("convergence")

    @property
    def settled(self) -> bool:
        """Whether nothing is on its way: no reading, no layout, no animation, no panel about to redraw."""
        panels = (*self.docks.panels.values(), self.readouts)
        return not (
            self.files.loading.busy
            or self.update_later.waiting
            or self.canvas.busy
            or self.canvas.animating
            or self.mending.repairing.busy
            or self.planning_anew.busy
            or any(panel.waiting for panel in panels)
        )

    # ------------------------------------------------------------------ sizes
    def showEvent(self, event: QShowEvent) -> None:
        """The first time without a remembered layout: sizes that suit the window."""
        super().showEvent(event)
        if not self._sized:
            self._sized = True
            self.size_docks()
            # Else the first button there is would have the keyboard: the one that takes a panel out of the window.
            (self.start_page if self.document.problem is None else self.canvas).setFocus()
            # A window manager may still maximise it; and the first model says how many devices there are.
            soon(self, self.size_docks, 200)
            self.document.model_changed.connect(self.size_docks, Qt.ConnectionType.SingleShotConnection)

    # ------------------------------------------------------------------ the end
    def left(self, whole: bool) -> Left | None:
        """The graph, its plan and its list."""
        document, problem = self.document, self.document.problem
        read_as = FILE if problem is None else precision_of(problem.graph)
        tab = Tab(
            "plan", list(map(str, document.paths)), str(document.plan_path or ""), document.batch, read_as,
            story=self.studio.file,
        )  # fmt: skip
        return left(document, tab, whole)

    def end(self) -> None:
        """End every process and thread."""
        self.files.drop()
        self.exports.exporting.drop()
        self.runs.running.drop()
        super().end()
        self.mending.close()
        self.planning_anew.close()
        self.counting.close()
        self.sureness.close()
        self.inspector.end_threads()
        self.package.end_threads()
        self.training.close_run()
        self.proving_unasked.close()
        self.canvas.close_canvas()
