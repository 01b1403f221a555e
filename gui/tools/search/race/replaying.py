"""Running a plan of the list again from its provenance, in a process beside the window, to see whether it comes out the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject

from gui.background.asking import Asking
from gui.document.plan_list import PlanEntry
from gui.document.values import Message
from gui.tools.search.race.replay_process import replayed
from planner.processes.question import Answer

if TYPE_CHECKING:
    from gui.document.plan.document import Document


class Replaying(Asking):
    """At most one replay at a time; how it went is a message of the document."""

    def __init__(self, document: Document, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._name = ""
        self.answered.connect(self._take)

    def replay(self, problem: Any, entry: PlanEntry) -> None:
        """Begin; an entry without provenance is told so."""
        if self.busy or entry.provenance is None:
            text = (
                "a replay is on its way"
                if self.busy
                else f"it is not known where '{entry.shown_name}' comes from"
            )
            self._document.message.emit(Message("info", text))
            return
        plan = problem.plan(entry.device_of.copy(), entry.provenance, entry.name)
        self._name = entry.shown_name
        self._document.message.emit(Message("info", f"Replaying '{entry.shown_name}' …"))
        self.ask(replayed, plan)

    def _take(self, answer: Answer) -> None:
        if answer.sentence:
            self._document.message.emit(
                Message("error", f"replay of '{self._name}': {answer.sentence}", answer.detail)
            )
        else:
            outcome, sentence = answer.value
            level = "warning" if outcome == "differs" else "info"
            self._document.message.emit(Message(level, f"Replay of '{self._name}': {sentence}"))
