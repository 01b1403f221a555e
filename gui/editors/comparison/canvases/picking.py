"""Cherry-picking: ops of one plan as another plan has them, judged before anything changes, applied as one undo step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject, Signal

from gui.background.repairing import SECONDS, why_not
from gui.document.commands import SetAssignment, SetProblem
from gui.document.plan.selection import named, op_array
from gui.document.plan_list import PlanEntry
from gui.editors.comparison.state import CompareState
from gui.look.numbers import plural
from gui.widgets.background_thread import Background
from gui.words.objectives import Change, change, component_words
from planner.errors import StageboardError
from planner.model.graph import Ints
from planner.problem.decision import Evaluation, Violation
from planner.problem.problem import Plan

if TYPE_CHECKING:
    from planner.repair import Repair
    from planner.reports.comparison import Comparison


@dataclass(frozen=True, eq=False)
class Pick:
    """What taking ``ops`` (int32, colocated mates included) from plan ``source`` into plan ``into`` would give.

    ``device_of`` int32[n] and ``after`` are the plan then, ``broken`` the rules that hold now and would not hold any more.
    """

    comparison: Comparison
    ops: Ints
    source: int
    into: int
    device_of: Ints
    after: Evaluation
    change: Change
    broken: tuple[Violation, ...]
    repaired: int = 0
    """How many further ops a repair moved."""

    @property
    def plan(self) -> Plan:
        """The plan that would change."""
        return self.comparison.plans[self.into]

    @property
    def what(self) -> str:
        """``conv_3`` or ``12 ops``."""
        return named(self.plan.problem, self.ops)

    @property
    def text(self) -> str:
        """The undo step."""
        letter = self.comparison.letter
        more = " and repair" if self.repaired else ""
        return f"Take {self.what} from {letter(self.source)} into {letter(self.into)}{more}"

    @property
    def effect(self) -> str:
        """What becomes of the objective: ``max load 21.91  −21.5 %``."""
        single = len(self.plan.problem.components) == 1
        title = f"{component_words(self.plan.problem.components[0]).title} " if single else ""
        return f"{title}{self.change.text}"

    @property
    def rules(self) -> str:
        """Whether the rules hold, in a few words."""
        if self.broken:
            return f"adds {plural(len(self.broken), 'violation')}"
        left = len(self.after.violations)
        return "rules hold" if not left else f"breaks no further rule, {plural(left, 'violation')} before"

    @property
    def sentence(self) -> str:
        """The first rule in the way, and how many more there are."""
        if not self.broken:
            return ""
        more = f" (and {plural(len(self.broken) - 1, 'more problem')})" if len(self.broken) > 1 else ""
        return self.broken[0].sentence + more


def look(comparison: Comparison, ops: object, source: int, into: int) -> Pick | None:
    """Judge a pick; None where the plans have all these ops alike.

    Raises :class:`StageboardError` where a device has no counterpart in the plan that would change.
    """
    plan = comparison.plans[into]
    chosen = op_array(ops)
    if len(chosen):
        chosen = plan.problem.groups.expand(chosen)
    chosen = chosen[comparison.places[source][chosen] != comparison.places[into][chosen]]
    if not len(chosen):
        return None
    device_of = comparison.picked(chosen, source, into)
    return judged(comparison, chosen.astype(np.int32), source, into, device_of)


def judged(comparison: Comparison, ops: Ints, source: int, into: int, device_of: Ints) -> Pick:
    """What an assignment that takes ``ops`` over would give."""
    plan = comparison.plans[into]
    after = plan.problem.evaluate(device_of)
    # Sentences may name amounts, which differ although the rule was broken before.
    before = {(v.kind, v.ops, v.devices) for v in plan.evaluation.violations}
    broken = tuple(v for v in after.violations if (v.kind, v.ops, v.devices) not in before)
    changed = change(plan.problem, plan.evaluation.values, after.values)
    return Pick(comparison, ops, source, into, device_of, after, changed, broken)


def differing(comparison: Comparison, row: int, source: int, into: int) -> Ints:
    """The ops that ``source`` has on the device of a row and ``into`` elsewhere (int32)."""
    there = comparison.places[source] == row
    return np.flatnonzero(there & (comparison.places[into] != row)).astype(np.int32)


class Picking(QObject):
    """Applies picks to the document. Call :meth:`close` before the window goes.

    ``taken(Pick)`` after one was applied; ``failed(str)`` where a repair found nothing, and then nothing has changed.
    """

    taken = Signal(object)
    failed = Signal(str)
    busy_changed = Signal()

    def __init__(self, state: CompareState, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self._background = Background("pick", self)
        self._background.busy_changed.connect(self.busy_changed)
        state.ended.connect(self._background.cancel)

    @property
    def busy(self) -> bool:
        """Whether a repair is being looked for."""
        return self._background.busy

    def close(self) -> None:
        """Stop, and wait until the thread is gone."""
        self._background.close()

    def cancel(self) -> None:
        """Look no further."""
        self._background.cancel()

    def puts_on_canvas(self, into: int) -> bool:
        """Whether a plan is not on the main canvas, so that taking something into it puts it there in the same step."""
        return not self._state.sources[into].live(self._state.document)

    # ------------------------------------------------------------------ repairing
    def look_for_repair(self, pick: Pick, deliver: Callable[[Pick | StageboardError], None]) -> None:
        """Find what else must move so that the rules hold; ``deliver`` gets the whole, or why there is none."""
        # Not on the thread, see gui.background.repairing.
        from planner.feasibility import decide  # noqa: F401
        from planner.machines.catalogue import machine_of
        from planner.methods.repair import ordered  # noqa: F401
        from planner.repair import repair
        from planner.repair.kept import explained

        problem, keep = pick.plan.problem, pick.ops.copy()
        machine_of(problem).part("repair")
        start = pick.device_of.copy()

        def found(result: object) -> None:
            if isinstance(result, StageboardError):
                deliver(result)
            elif isinstance(result, Exception):
                raise result
            else:
                deliver(_repaired(pick, result))  # type: ignore[arg-type]

        self._background.run(
            lambda stopped: explained(repair(problem, start, keep=keep, seconds=SECONDS, stopped=stopped)),
            found,
        )

    # ------------------------------------------------------------------ applying
    def stands(self, pick: Pick) -> bool:
        """Whether both plans are still those that were judged."""
        now, then = (
            [source.now(self._state.document) for source in self._state.sources],
            pick.comparison.plans,
        )
        return max(pick.source, pick.into) < len(now) and all(
            now[i] is then[i] for i in (pick.source, pick.into)
        )

    def take(self, pick: Pick) -> bool:
        """Make it so: one undo step. False where the plans changed meanwhile."""
        state, document = self._state, self._state.document
        if not self.stands(pick):
            return False
        source = state.sources[pick.into]
        if source.live(document):
            document.set_assignment(pick.device_of, "pick", pick.text)
        else:
            self._put_on_canvas(pick)
        state.refresh()
        self.taken.emit(pick)
        return True

    def _put_on_canvas(self, pick: Pick) -> None:
        """The plan, with what was taken, becomes an entry of its own on the canvas; the plan itself stays as it is."""
        document, source = self._state.document, self._state.sources[pick.into]
        problem, plan = document.board.open_problem, pick.plan
        entry = PlanEntry(
            document.plan_list.unused_name(f"{source.name}, edited"), pick.device_of.copy(), "hand",
            path=source.path if source.entry is None else source.entry.path,
        )  # fmt: skip
        other = plan.problem != problem
        ops = np.flatnonzero(document.device_of != pick.device_of).astype(np.int32)
        kind = SetProblem if other else SetAssignment
        command = kind(
            document, pick.text, ops, pick.device_of[ops], problems=(problem, plan.problem) if other else None,
            active=entry.id, creates=entry, reason="pick",
        )  # fmt: skip
        source.follow(entry)
        document.push(command)


def _repaired(pick: Pick, result: Repair) -> Pick | StageboardError:
    """The pick with what a repair moved; an error where it moved the picked ops away again."""
    if not np.array_equal(result.device_of[pick.ops], pick.device_of[pick.ops]):
        return StageboardError(
            f"no valid plan was found with {pick.what} where {pick.comparison.letter(pick.source)} has them;"
            f" nothing changed{why_not(result)}"
        )
    whole = judged(pick.comparison, pick.ops, pick.source, pick.into, result.device_of)
    return replace(whole, repaired=int(np.count_nonzero(result.device_of != pick.device_of)))
