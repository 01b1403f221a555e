"""What a window does where another machine is planned for: a plan made anew, as on opening, and a notice of what changed. And where a model was opened before
its planner was compiled: the plan that follows."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from gui.background.start_planning import StartPlanning
from gui.document.plan.machine_change import CARRIED, GIVEN, KEPT, KNOWN, LISTED, PLANNED, MachineChange
from gui.look.numbers import plural
from gui.tools.search.running import Errand
from gui.widgets.labels import capital
from gui.widgets.later import Later
from gui.words.machines import changed_words, machine_words, machines_told_apart
from gui.words.objectives import amount, component_words, objective_in_words, objective_title
from planner.errors import StageboardError
from planner.machines.evident import conflict_at_once, conflict_of, knowledge_of
from planner.methods.feasibility.conflicts import Conflict
from planner.runs.start_plan import StartPlan

if TYPE_CHECKING:
    from gui.document.plan_list import PlanEntry
    from gui.editors.plan.body import GraphBody
    from planner.problem.problem import Problem

SLOW_MS = 500
"""Milliseconds after which a plan that is still being made is worth a word."""
HELP = "What would help?"
AT_HAND = "feasibility"
"""Who is said to have made a valid plan that was known before any planner ran."""


class PlanningAnew(QObject):
    """Makes a start plan beside the window whenever the ops were carried over to another machine, unless none can be valid, and where a plan stands in for one on opening.

    Call :meth:`close` before the window goes.
    """

    busy_changed = Signal()
    ended = Signal()
    help_requested = Signal()
    """No plan can be valid: what would help?"""

    def __init__(self, window: GraphBody) -> None:
        super().__init__(window)
        self._window = window
        self._document = window.document
        self._beside = StartPlanning(self)
        self._change: MachineChange | None = None
        self._making = False
        """Whether what runs makes a plan, rather than looking for a reason why there is none."""
        self._slow = Later(self._say_planning, self, SLOW_MS, about=lambda: self._document.problem)
        self._document.machine_changed.connect(self._changed)
        self._document.model_changed.connect(self._opened)
        self._document.stand_in_opened.connect(self._plan_opened)
        self._document.problem_changed.connect(self._look_at_once)
        self._document.readouts_changed.connect(self._drop_offer)
        self._document.readouts_changed.connect(self._drop_stand_in)
        self._offer = ""
        """What the notice says while it offers a plan made anew; empty: it did not."""
        self._beside.busy_changed.connect(self.busy_changed)
        self.errand = Errand(self._title, lambda: self.busy and self._making, self.cancel)

    def _title(self) -> str:
        return "Planning" if self._change is None else "Planning anew"

    def cancel(self) -> None:
        """Make no plan: what was carried over, or stands in, stays on the canvas."""
        if self.busy and self._making:
            self._slow.stop()
            self._beside.cancel()
            if self._change is not None:
                self._say(self._change, CARRIED)
            self.ended.emit()

    def _opened(self) -> None:
        """Another model is open: nobody waits any more, and the objective that its machine begins with may not suit it."""
        self._beside.cancel()
        if self._document.problem is None:
            return
        self._change = None
        self._look_for_conflict()
        text, action = self._suggested()
        if text:
            self._window.notice.show_message(
                "info", text, action=action, run=self.take_suggestion, until_change=True
            )

    def _suggested(self) -> tuple[str, str]:
        """Which other objective suits the plan better, and what the button says that plans for it; empty where none does."""
        objective, why = self._document.suggested_objective
        if not objective:
            return "", ""
        return f"{capital(why)}: {objective} plans for speed instead.", suggestion_title(objective)

    def take_suggestion(self) -> None:
        """Plan for the suggested objective: one undo step. Raises :class:`StageboardError` where there is none."""
        objective, _ = self._document.suggested_objective
        if not objective:
            raise StageboardError("no other objective suits this plan better than the one it is planned for")
        self._document.editing.machines.plan_for(objective)

    @property
    def busy(self) -> bool:
        """Whether a plan is being made."""
        return self._beside.busy

    def close(self) -> None:
        """End the thread."""
        self._slow.stop()
        self._beside.close()

    def _changed(self, change: MachineChange) -> None:
        self._change = change
        if change.came != CARRIED:
            self._beside.cancel()
            self._say(change, change.came)
            self._look_for_conflict()
            return
        problem, doubtful = change.after, not change.entry.valid
        if self._document.board.infeasible:
            self._beside.cancel()
            self._say(change, CARRIED)
            return
        self._slow.ask()
        knowledge_of(problem)  # what it imports is not to be imported on a thread beside the window
        self._making = True
        self._beside.make(problem, doubtful, partial(self._planned, change))

    def _look_at_once(self) -> None:
        """Whatever the change: where an op fits nowhere, or memory cannot be enough, that no plan is valid is known with it."""
        document, problem = self._document, self._document.problem
        if problem is None or document.evaluation.valid or document.board.infeasible:
            return
        if (conflict := conflict_at_once(problem)) is not None:
            document.proved_infeasible(problem, conflict)
            self._say_hopeless(conflict.sentence)

    def _say_hopeless(self, sentence: str) -> None:
        """No plan can be valid, and why, until the problem is another one."""
        self._window.notice.show_message(
            "warning", f"{capital(hopeless_words(sentence))}.", action=HELP, run=self.help_requested.emit,
            until_problem=True,
        )  # fmt: skip

    def _look_for_conflict(self) -> None:
        """Ask at once whether any plan can be valid, where the one on the canvas is not and nothing is known."""
        document = self._document
        if document.evaluation.valid or document.board.infeasible:
            return
        problem = document.open_problem
        knowledge_of(problem)
        self._making = False
        self._beside.run(lambda: conflict_of(problem), partial(self._looked, problem))

    def _looked(self, problem: Problem, conflict: object) -> None:
        document = self._document
        if problem != document.problem or not isinstance(conflict, Conflict):
            return
        document.proved_infeasible(problem, conflict)
        if self._change is not None:
            self._say(self._change, self._change.came)
        else:
            self._say_hopeless(conflict.sentence)

    def _plan_opened(self) -> None:
        document, stand_in = self._document, self._document.active
        assert stand_in is not None
        problem = document.open_problem
        knowledge_of(problem)
        self._making = True
        self._beside.make(problem, not stand_in.valid, partial(self._planned_opened, problem, stand_in))
        if not self._window.notice.isVisible():
            self._window.notice.show_message("info", stands_in_words(stand_in), until_change=True, stays=True)

    def _planned_opened(self, problem: Problem, stand_in: PlanEntry, result: object) -> None:
        document, notice = self._document, self._window.notice
        if problem != document.problem:
            return
        if isinstance(result, Conflict):
            document.proved_infeasible(problem, result)
            self._say_hopeless(result.sentence)
        said = stands_in_words(stand_in), self._suggested()[0]
        free = (
            not notice.isVisible() or notice.text in said
        )  # else something else is being said; the plan is named above
        entry = document.take_start_plan(stand_in, result) if isinstance(result, StartPlan) else None
        self.ended.emit()
        if isinstance(result, Exception):
            notice.show_message("warning", f"No planner could be run: {result}")
        elif isinstance(result, StartPlan) and free:
            self._say_planned_opened(problem, entry)

    def _say_planned_opened(self, problem: Problem, entry: PlanEntry | None) -> None:
        """What became of the plan that followed: ``entry`` of the list, None where it is no better."""
        document, notice = self._document, self._window.notice
        figure = "" if entry is None else amount(problem, problem.components[0], entry.objective)
        if entry is not None and document.active is not entry:
            text = f"A better plan waits in Plans: “{entry.shown_name}”, {figure}."
            notice.show_message("info", text, until_change=True)
            return
        more, other = self._suggested()
        what = "nothing better was found at once" if entry is None else f"“{entry.shown_name}”, {figure}"
        notice.show_message(
            "info", f"Planned: {what}. {more}".strip(), action="" if entry is None else "Undo",
            run=document.undo_stack.undo, until_change=True, other=other, run_other=self.take_suggestion,
        )  # fmt: skip

    def _drop_stand_in(self) -> None:
        """Nobody waits for the plan that was to follow once another is proven to be the best."""
        if self._change is None and self.busy and self._making and self._document.gap == 0.0:
            self.cancel()

    def _planned(self, change: MachineChange, result: object) -> None:
        self._slow.stop()
        document = self._document
        if change.after != document.problem or change.entry not in document.plans:
            return  # undone, or another machine by now
        came = CARRIED
        if isinstance(result, Conflict):
            document.proved_infeasible(change.after, result)
        elif isinstance(result, StartPlan):
            at_hand = None if result.planner else change.at_hand
            found = result if at_hand is None else replace(result, device_of=at_hand, planner=AT_HAND)
            came = document.editing.machines.planned(change, found)
        self._say(change, came)
        self.ended.emit()

    # ------------------------------------------------------------------ what is said
    def _say_planning(self) -> None:
        if self.busy and self._change is not None:
            words = machine_words(self._change.after)
            self._window.notice.show_message(
                "info",
                f"Planning for {words} …",
                action="Cancel",
                run=self.cancel,
                until_change=True,
                stays=True,
            )

    def _say_kept(self, change: MachineChange) -> None:
        """Offer a plan made anew for the same devices, until there is one, unless the present one is proven best."""
        document = self._document
        if document.evaluation.valid and document.gap == 0.0:
            return
        broken = len(document.evaluation.violations)
        self._offer = kept_words(change, broken)
        self._window.notice.show_message(
            "warning" if broken else "info", self._offer, action="Plan Again", run=self._window.start_planner,
            until_change=True, other="Undo", run_other=document.undo_stack.undo, stays=True,
        )  # fmt: skip

    def _drop_offer(self) -> None:
        """Whatever proved the plan best, a new one is of no use any more."""
        document, notice = self._document, self._window.notice
        if not self._offer or not document.evaluation.valid or document.gap != 0.0:
            return
        if notice.isVisible() and notice.text == self._offer:
            notice.dismiss()
        self._offer = ""

    def _say(self, change: MachineChange, came: str) -> None:
        board, undo = self._document.board, self._document.undo_stack.undo
        if board.infeasible:
            why = "" if board.why_none is None else board.why_none.sentence
            happened = "" if came == KEPT else f"{change_words(change, came)} "
            self._window.notice.show_message(
                "warning", f"{happened}{capital(hopeless_words(why))}.", action=HELP,
                run=self.help_requested.emit, other="Undo", run_other=undo, until_problem=True,
            )  # fmt: skip
            return
        if came == KEPT:
            self._say_kept(change)
            return
        level = "warning" if change.notes or not change.entry.valid else "info"
        objective, why = self._document.suggested_objective
        more = f" {capital(why)}." if objective else ""
        self._window.notice.show_message(
            level, change_words(change, came) + more, action="Undo", run=undo,
            until_change=True, other=suggestion_title(objective) if objective else "", run_other=self.take_suggestion,
        )  # fmt: skip


def stands_in_words(stand_in: PlanEntry) -> str:
    """What is on the canvas until a plan is made on a machine that has compiled no planner yet."""
    what = "Ops are in equal shares" if stand_in.planner else "All ops are on one device"
    return f"{what} for now: planners are compiled once on a computer, and a plan follows by itself."


def kept_words(change: MachineChange, broken: int) -> str:
    """That the plan on the canvas was made for other settings, and what rules it breaks now."""
    made = f"This plan was made for another {changed_words(change.before, change.after)}"
    return f"{made}: {plural(broken, 'violation') + ' now' if broken else 'there may be a better one now'}."


def hopeless_words(sentence: str) -> str:
    """That no plan can be valid, and why (a sentence, or nothing where nobody knows)."""
    return f"no plan can be valid: {sentence.rstrip('.') or 'proven'}"


def suggestion_title(objective: str) -> str:
    """What the button says that plans for another objective."""
    return f"Plan for {objective_title(objective)}"


def change_words(change: MachineChange, came: str) -> str:
    """What is on the canvas now, what it costs, and where the plan that was there stays."""
    entry, same = change.entry, change.objective_only
    before, after = machines_told_apart(change.before, change.after)
    spec = objective_in_words(change.after.objective) if same else after
    head = {
        PLANNED: f"Planned anew for {spec}",
        KNOWN: f"“{entry.shown_name}” for {spec} is on the canvas",
        GIVEN: f"“{entry.shown_name}” for {spec} is on the canvas",
        CARRIED: f"Carried over to {spec}",
        LISTED: f"A better plan for {spec} waits in Plans",
    }[came]
    if came != LISTED and entry.components:
        broken = "" if entry.valid else f", {plural(entry.broken, 'violation')}"
        first = change.after.components[0]
        several = f"{component_words(first).title} " if len(entry.components) > 1 else ""
        head += f": {several}{amount(change.after, first, entry.objective)}{broken}"
    lost = "".join(f" {capital(note)}." for note in change.notes)
    of = "" if same else f" for {before},"
    name = f"“{change.left.shown_name}”" if same else f"“{change.left.shown_name}”,"
    return f"{head}. The plan{of} {name} stays in Plans.{lost}"
