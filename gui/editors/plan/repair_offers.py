"""What a window offers where rules are broken: repair, and the question whether there is a valid plan at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject, Signal

from gui.background.doubting import Doubting
from gui.background.infeasible import Checking
from gui.background.legal_chips import DomainSearch
from gui.background.repairing import Repairing, Report
from gui.document.plan.selection import named
from gui.document.values import Message
from gui.look.numbers import plural
from gui.tools.search.running import Errand
from gui.widgets.labels import capital
from gui.words.objectives import components_text
from planner.errors import StageboardError
from planner.machines.evident import conflict_at_once, knowledge_of
from planner.methods.feasibility.conflicts import Conflict
from planner.model.graph import Ints

if TYPE_CHECKING:
    from gui.background.job import Job
    from gui.editors.plan.body import GraphBody
    from gui.editors.plan.infeasible_dialog import FeasibilityDialog
    from planner.feasibility import Explanation, Remedy
    from planner.problem.problem import Problem


class Mending(QObject):
    """Joins repair, the legal chips and the explanation of infeasible problems with a window's notices and panels."""

    busy_changed = Signal()
    """A repair began to be looked for, or is looked for no longer."""

    def __init__(self, window: GraphBody) -> None:
        super().__init__(window)
        self._window = window
        self._document = document = window.document
        self.repairing = Repairing(document, self)
        self.domains = DomainSearch(document.board, self)
        self.checking = Checking(document, self)
        self.doubting = Doubting(document, self)
        self.dialog: FeasibilityDialog | None = None
        window.canvas.set_repairing(self.repairing)
        window.violations.repair_requested.connect(self.repair)
        window.violations.why_requested.connect(self.explain)
        for panel in (window.readouts, window.suggestions):
            panel.repair_requested.connect(self.repair)
        window.readouts.help_requested.connect(self.explain)
        window.suggestions.why_requested.connect(self.explain)
        window.devices.repair_requested.connect(self.repairing.move_and_repair)
        self.repairing.busy_changed.connect(self._busy_changed)
        self.repairing.busy_changed.connect(self.busy_changed)
        self.errand = Errand(lambda: "Repairing", lambda: self.repairing.busy, self.repairing.cancel)
        self.repairing.repaired.connect(self._repaired)
        self.repairing.failed.connect(self._not_repaired)
        self.checking.found.connect(self._explained)
        self.checking.failed.connect(self._unexplained)
        window.jobs.job_changed.connect(self.doubting.job_changed)
        self.doubting.disproved.connect(self._disproved)
        for signal in (document.model_changed, document.problem_changed):
            signal.connect(self.domains.problem_changed)
        self.domains.found.connect(document.previewing.domains_found)
        document.model_changed.connect(self._close_dialog)
        document.problem_changed.connect(self._problem_changed)
        document.decision_changed.connect(self.say_done)

    @property
    def busy(self) -> bool:
        """Whether something is being looked for."""
        return self.repairing.busy or self.domains.busy or self.checking.busy or self.doubting.running

    def close(self) -> None:
        """End every thread and process."""
        self.checking.stop()
        self.doubting.stop()
        self.repairing.close()
        self.domains.close()
        self._close_dialog()

    # ------------------------------------------------------------------ repair
    def repair(self) -> None:
        """Repair the plan on the canvas, or say that there is nothing to repair."""
        if self._document.evaluation.valid:
            text = "the plan keeps all rules and constraints: there is nothing to repair"
            self._document.message.emit(Message("info", text))
        elif self._document.board.infeasible:
            self._not_repaired(f"there is no valid plan at all{self._because}; nothing changed", True)
        else:
            self.repairing.repair()

    @property
    def _because(self) -> str:
        """Why the problem has no valid plan, to end a sentence with; empty where nobody knows."""
        why = self._document.board.why_none
        return "" if why is None else f": {why.sentence.rstrip('.')}"

    def _busy_changed(self) -> None:
        busy = self.repairing.busy
        self._window.readouts.set_repairing(busy)
        self._window.violations.set_repairing(busy)

    def _repaired(self, report: Report) -> None:
        window = self._window
        window.violations.show_report(report)
        if not len(report.ops):
            window.notice.show_message("info", report.text)
            return
        text, back = report.text, report.back
        if back is not None:
            text += f" {capital(named(report.problem, back.ops))} put back instead: {components_text(report.problem, back.values)}."
        window.notice.show_message(
            "info", text, report.detail, action="Show them", run=lambda: self.show_moved(report), until_change=True,
            other="Put Back Instead" if back is not None else "", run_other=lambda: self._put_back(report),
            stays=back is not None,
        )  # fmt: skip

    def _put_back(self, report: Report) -> None:
        """Undo a repair and the moves by hand that it kept."""
        if report.back is not None and self._document.assignment_serial == report.serial:
            for _ in range(report.back.steps + 1):
                self._document.undo_stack.undo()

    def show_moved(self, report: Report) -> None:
        """Select what a repair moved, and list it."""
        self._document.select(report.ops)
        self._window.canvas.zoom_to_ops(report.ops)
        self._window.focus_panel("violations")

    def _not_repaired(self, sentence: str, proven: bool) -> None:
        if proven:
            self._document.proved_infeasible(self._document.open_problem)
        self._warn(capital(sentence))

    # ------------------------------------------------------------------ is there a valid plan?
    def _warn(self, text: str, detail: str = "") -> None:
        """Say that there is no plan, and offer what can still be asked about that."""
        action = "What would help?" if self._document.board.infeasible else "Is there a valid plan?"
        self._window.notice.show_message(
            "warning", text, detail, action=action, run=self.explain, until_problem=True
        )

    def proven_infeasible(self, title: str) -> None:
        """A job proved that no plan is valid: offer to say why."""
        self._document.proved_infeasible(self._document.open_problem)
        why = self._document.board.why_none
        detail = "" if why is None else capital(why.sentence)
        self._warn(f"{title}: there is no valid plan, which is proven.", detail)

    def found_none(self, job: Job) -> None:
        """A planner ended without any plan: say what is known about that, or offer to find out."""
        known = f": there is none, which is proven{self._because}" if self._document.board.infeasible else ""
        self._warn(f"{job.title} found no valid plan{known}.")

    def _disproved(self, job: Job, sentence: str) -> None:
        """What a planner was looking for does not exist: end it, and offer to say what would help."""
        stopped = " was stopped" if job.alive else ""
        if job.alive:
            self._window.jobs.cancel(job)
        self._warn(f"{job.title}{stopped}: there is no valid plan, which is proven.", capital(sentence))

    def explain(self) -> None:
        """Open the dialog with the explanation of the problem as it is now, and look for one where none is known."""
        document = self._document
        problem, why = document.open_problem, document.board.why_none
        if why is not None and not isinstance(why, Conflict):
            self._dialog_shown().show_explanation(problem, why, document.evaluation.valid)
            return
        self.doubting.stop()
        self.checking.start()
        conflict = why or conflict_at_once(problem)
        if conflict is None:
            self._dialog_shown().show_search()
        else:
            self._dialog_shown().show_proof(problem, conflict)

    def _dialog_shown(self) -> FeasibilityDialog:
        """The dialog, in front of the window."""
        from gui.editors.plan.infeasible_dialog import FeasibilityDialog

        if self.dialog is None:
            dialog = FeasibilityDialog(self._window)
            dialog.ops_chosen.connect(self._go)
            dialog.remedy_chosen.connect(self.take)
            dialog.plan_chosen.connect(self._show_plan)
            dialog.repair_requested.connect(self.repair)
            dialog.planner_requested.connect(self._plan)
            dialog.again_requested.connect(self.explain)
            dialog.cancelled.connect(self._close_dialog)
            dialog.finished.connect(self._dialog_closed)
            self.dialog = dialog
        self.dialog.show()
        self.dialog.raise_()
        return self.dialog

    def _close_dialog(self) -> None:
        if self.dialog is not None:
            self.dialog.close()

    def _dialog_closed(self) -> None:
        self.dialog = None
        self.checking.stop()

    def _explained(self, problem: Problem, explanation: Explanation) -> None:
        if self.dialog is not None:
            self.dialog.show_explanation(problem, explanation, self._document.evaluation.valid)

    def _unexplained(self, sentence: str) -> None:
        if self.dialog is not None:
            self.dialog.show_failure(sentence)

    def _problem_changed(self) -> None:
        if self.dialog is not None:
            self.dialog.show_stale()

    def say_done(self, *_: object) -> None:
        """What a remedy left to be done may be done: the plan made anew has come or will not, or a repair has."""
        dialog = self.dialog
        if dialog is not None and dialog.applied is not None:
            dialog.show_done(
                dialog.applied,
                self._document.evaluation.valid,
                fullest=self._fullest(dialog.applied),
                stuck=self._stuck(),
            )

    def _go(self, ops: Ints) -> None:
        self._document.select(ops)
        self._window.canvas.zoom_to_ops(self._document.selection)

    def take(self, remedy: Remedy) -> None:
        """Make the change that a remedy asks for: one undo step. For another target a plan is made anew."""
        document = self._document
        before = document.open_problem
        try:
            after = remedy.apply(before)
            anew = after.target != before.target
            if anew:
                document.editing.machines.plan_anew(after, remedy.title, at_hand=remedy.device_of)
            else:
                document.change_problem(after, remedy.title)
        except StageboardError as error:
            document.message.emit(Message("error", str(error)))
            return
        if self.dialog is not None:
            self.dialog.show_done(
                remedy, document.evaluation.valid, anew, self._fullest(remedy), self._stuck()
            )
        if anew:
            return  # the notice is about the plan made anew
        broken = len(document.evaluation.violations)
        runs = f", but {stuck}" if (stuck := self._stuck()) else ""
        state = (
            f"the plan is valid now{runs}" if not broken else f"this plan has {plural(broken, 'violation')}"
        )
        self._window.notice.show_message(
            "info", f"{remedy.title}: {state}.", action="Start a planner", run=self._plan, until_change=True
        )

    def _stuck(self) -> str:
        """That the plan on the canvas does not run though it is valid, and why; else empty."""
        found = self._document.board.stuck
        return "" if found is None else found.rows[0][1]

    def _fullest(self, remedy: Remedy) -> str:
        """What the fullest device of the plan on the canvas holds, where the remedy made memories larger."""
        problem, target = self._document.open_problem, remedy.target
        field, _ = problem.target.grows.get("memory", ("", ""))
        if target is None or not field:
            return ""
        found = knowledge_of(problem).fullest(problem, self._document.device_of)
        return (
            ""
            if found is None
            else f"{problem.devices[found.device].title} is the fullest, with {found.parts}"
        )

    def _show_plan(self, device_of: Ints) -> None:
        """The plan that shows that there is one."""
        document = self._document
        device_of = document.board.called_alike(document.open_problem, np.asarray(device_of))
        entry = document.add_plan(device_of, "Valid plan found", planner="feasibility")
        document.apply_plan(entry)

    def _plan(self) -> None:
        """Start a planner; the dialog gives the view to what it does."""
        self._close_dialog()
        self._window.start_planner()
