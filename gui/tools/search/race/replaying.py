"""Running a plan of the list again from its provenance, in a process beside the window, to see whether it comes out the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer, Signal

from gui.document.plan_list import PlanEntry
from gui.document.values import Message
from gui.tools.search.race.replay_process import replayed
from planner.processes.question import Aside

if TYPE_CHECKING:
    from gui.document.plan.document import Document

LOOK_MS = 100


class Replaying(QObject):
    """At most one replay at a time; how it went is a message of the document. Call :meth:`cancel` before the window goes."""

    busy_changed = Signal()

    def __init__(self, document: Document, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._aside: Aside | None = None
        self._name = ""
        self._timer = QTimer(self, interval=LOOK_MS)
        self._timer.timeout.connect(self._look)

    @property
    def busy(self) -> bool:
        """Whether a replay is on its way."""
        return self._aside is not None

    def replay(self, problem: Any, entry: PlanEntry) -> None:
        """Begin; an entry without provenance is told so."""
        if self.busy or entry.provenance is None:
            text = (
                "a replay is on its way" if self.busy else f"it is not known where '{entry.name}' comes from"
            )
            self._document.message.emit(Message("info", text))
            return
        plan = problem.plan(entry.device_of.copy(), entry.provenance, entry.name)
        self._name = entry.name
        self._aside = Aside(replayed, plan)
        self._timer.start()
        self._document.message.emit(Message("info", f"Replaying '{entry.name}' …"))
        self.busy_changed.emit()

    def _look(self) -> None:
        answer = None if self._aside is None else self._aside.poll()
        if answer is None:
            return
        self.cancel()
        if answer.sentence:
            self._document.message.emit(
                Message("error", f"replay of '{self._name}': {answer.sentence}", answer.detail)
            )
        else:
            outcome, sentence = answer.value
            level = "warning" if outcome == "differs" else "info"
            self._document.message.emit(Message(level, f"Replay of '{self._name}': {sentence}"))

    def cancel(self) -> None:
        """End the process, if there is one."""
        self._timer.stop()
        if self._aside is not None:
            aside, self._aside = self._aside, None
            aside.close()
            self.busy_changed.emit()
