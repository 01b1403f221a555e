"""Where the plans of a race go: each runner's best is an entry of the plan list, the best of all moves onto the canvas.

The rules are those of :mod:`gui.background.following`: nothing changes under the user's hands. After an edit, while something is held with the
mouse, or where another problem is planned now, plans wait in the list.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from gui.background.following import held

if TYPE_CHECKING:
    from gui.document.plan.document import Document
    from gui.document.plan_list import PlanEntry
    from gui.tools.search.race.course import Course
    from gui.tools.search.race.runner import Runner
    from planner.problem.problem import Problem
    from planner.problem.provenance import Provenance


class Placing:
    """Puts the plans of one race into the document's list and onto its canvas, all of them one undo step."""

    def __init__(self, document: Document, course: Course) -> None:
        self._document = document
        self._course = course
        self._graph = document.model_serial
        self.follows = True
        self._edits = document.edit_serial

    def follow(self, follows: bool) -> None:
        """Whether the best plan is shown from now on, whatever was edited before."""
        self.follows = follows
        self._edits = self._document.edit_serial

    @property
    def may_show(self) -> bool:
        """Whether the canvas is the race's to change."""
        document = self._document
        return (
            self.follows
            and document.edit_serial == self._edits
            and document.model_serial == self._graph
            and document.problem == self._course.problem
        )

    # ------------------------------------------------------------------ list and canvas
    def list(self, runner: Runner, provenance: Provenance | None) -> bool:
        """Let the runner's entry hold its best plan; returns False where that has to wait.

        An entry that is on the canvas changes together with the canvas, or not at all: then the better plan gets another.
        """
        document, entry = self._document, runner.entry
        if runner.decision is None:
            return True
        on_canvas = entry is not None and entry is document.active
        if on_canvas and self.may_show:
            # It was overtaken before that could be shown, or is about to be shown itself.
            return False
        if entry is None or on_canvas or entry not in document.plans:
            if entry is not None:
                entry.running = False
            runner.entry = document.add_plan(
                runner.decision, runner.title, planner=runner.standing.entrant.method, seed=runner.standing.entrant.seed,
                seconds=runner.standing.found_after, provenance=provenance, problem=cast("Problem", self._course.problem),
            )  # fmt: skip
            runner.entry.running = runner.alive
        else:
            entry.provenance = provenance or entry.provenance
            document.update_plan(entry, runner.decision, runner.standing.found_after)
        runner.dirty = False
        return True

    def show(self, runner: Runner, provenance: Provenance | None) -> bool:
        """Put the best plan of all onto the canvas if it may be there; returns False while the user holds something."""
        if runner.decision is None or not self.may_show:
            return True
        if held(self._document):
            return False
        document, entry = self._document, runner.entry
        active = document.active
        if entry is None or (active is not entry and not self._deserves(entry)):
            return True
        if entry is active and not runner.dirty:
            return True
        entry.device_of = runner.decision
        entry.seconds = runner.standing.found_after
        entry.provenance = provenance or entry.provenance
        document.refresh_entry(entry)
        document.history.listed(entry)
        document.follow(runner.decision, entry, self._course.id, f"Race of {len(self._course.runners)}")
        runner.dirty = False
        return True

    def _deserves(self, entry: PlanEntry) -> bool:
        """Whether the race's best plan may take the canvas: it is better than what is there, and the list has no better one."""
        best = self._course.components
        return best is not None and self._document.plan_list.deserves(best, self._course.problem, entry)
