"""Taking ops over, as a person meets it: at once where the rules hold, with a question where one would break."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, Signal
from PySide6.QtWidgets import QWidget

from gui.canvas.graph.drop_choice import DropChoice
from gui.editors.comparison.canvases.picking import Pick, Picking, look
from gui.editors.comparison.state import CompareState
from gui.look.numbers import plural
from planner.errors import StageboardError

if TYPE_CHECKING:
    from planner.model.graph import Ints


class Taking(QObject):
    """Asks in ``place`` (the middle of the window). ``said(level, text)`` is worth a notice."""

    said = Signal(str, str)
    answered = Signal()
    """The question is gone: the keyboard goes back to where it was."""

    def __init__(self, state: CompareState, picking: Picking, place: QWidget) -> None:
        super().__init__(place)
        self._state, self._picking, self._place = state, picking, place
        self._pick: Pick | None = None
        self._repaired: Pick | None = None
        self.choice = DropChoice(place)
        self.choice.repair_chosen.connect(self._take_repaired)
        self.choice.anyway_chosen.connect(self._take_anyway)
        self.choice.dismissed.connect(self._leave)
        picking.taken.connect(self._taken)
        state.comparison_changed.connect(self._forget)

    def take(self, ops: Ints, source: int, into: int, at: QPoint | None = None) -> None:
        """Take ``ops`` from plan ``source`` into plan ``into``; a question appears near ``at`` (in ``place``)."""
        comparison = self._state.comparison
        if comparison is None or source == into:
            return
        try:
            pick = look(comparison, ops, source, into)
        except StageboardError as error:
            self.said.emit("warning", str(error))
            return
        if pick is None:
            a, b = comparison.letter(into), comparison.letter(source)
            self.said.emit("info", f"{a} and {b} have these ops on the same devices: nothing to take over.")
            return
        if not pick.broken:
            self._picking.take(pick)
            return
        self._ask(pick, at)

    def _ask(self, pick: Pick, at: QPoint | None) -> None:
        self._pick, self._repaired = pick, None
        middle = QPoint(self._place.width() // 2 - 200, self._place.height() // 2 - 60)
        self.choice.ask(
            middle if at is None else at,
            pick.sentence,
            0,
            {"anyway": pick.effect},
            True,
            "repair",
            "Take",
        )
        self._picking.look_for_repair(pick, self._repair_found)

    def _repair_found(self, result: Pick | StageboardError) -> None:
        pick = self._pick
        if pick is None:
            return
        if isinstance(result, StageboardError):
            self.choice.show_repair(None)
            return
        self._repaired = result
        self.choice.show_repair(result.repaired)
        self.choice.say({"repair": result.effect, "anyway": pick.effect})

    def _take_repaired(self) -> None:
        pick, repaired = self._pick, self._repaired
        self.answered.emit()
        if repaired is not None:
            self._picking.take(repaired)
        elif pick is not None:  # chosen before it was found
            self._picking.look_for_repair(pick, self._repaired_late)

    def _repaired_late(self, result: Pick | StageboardError) -> None:
        if isinstance(result, StageboardError):
            self.said.emit("warning", f"{result}")
        else:
            self._picking.take(result)

    def _take_anyway(self) -> None:
        pick = self._pick
        self._picking.cancel()
        self.answered.emit()
        if pick is not None:
            self._picking.take(pick)

    def _leave(self) -> None:
        self._picking.cancel()
        self._pick = self._repaired = None
        self.answered.emit()

    def _forget(self) -> None:
        """A question about plans that are others now is none any more."""
        if self._pick is not None and self._picking.stands(self._pick):
            return
        self._picking.cancel()
        self._pick = self._repaired = None
        self.choice.hide()

    def _taken(self, pick: Pick) -> None:
        broken = f"; {pick.rules}" if pick.broken else ""
        more = f", {plural(pick.repaired, 'more op')} repaired" if pick.repaired else ""
        letter = pick.comparison.letter
        self.said.emit(
            "warning" if pick.broken else "info",
            f"Took {pick.what} from {letter(pick.source)} into {letter(pick.into)}{more}: {pick.effect}{broken}."
            " Ctrl+Z takes it back.",
        )
