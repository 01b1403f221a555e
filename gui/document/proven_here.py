"""What was proven while the program runs: a plan that is saved and opened again claims nothing that was proven just before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planner.problem.bound import Bound, proven
from planner.problem.carrying import Ground, carried, ground

if TYPE_CHECKING:
    from collections.abc import Iterable

    from planner.problem.base import PlanningProblem

MOST = 64
"""Machines, objectives and models (as one fingerprint each) of which it is remembered."""


class ProvenHere:
    """Bounds by the fingerprint of what they are about, the latest ones of many; of one proof the strongest.

    What is proven of one problem counts for others for which it holds, too: those with less memory, say."""

    def __init__(self) -> None:
        self._known: dict[str, dict[object, Bound]] = {}
        self._grounds: dict[str, Ground] = {}
        self._exhausted: dict[PlanningProblem, None] = {}

    def exhaust(self, problem: PlanningProblem) -> None:
        """Remember that what is proven without a method's being named is all that can be, however long it takes."""
        self._exhausted[problem] = None
        while len(self._exhausted) > MOST:
            del self._exhausted[next(iter(self._exhausted))]

    def exhausted(self, problem: PlanningProblem | None) -> bool:
        """Whether that is remembered of a problem."""
        return problem in self._exhausted

    def add(self, bounds: Iterable[Bound]) -> None:
        """Remember what is proven; what files claim is none of it."""
        for bound in proven(bounds):
            known = self._known.pop(bound.relaxation, {})
            self._known[bound.relaxation] = known
            proof = (bound.component, bound.method, bound.assumes, bound.given)
            before = known.get(proof)
            if before is None or bound.value > before.value:
                known[proof] = bound
        while len(self._known) > MOST:
            del self._known[next(iter(self._known))]

    def of_others(self, problem: PlanningProblem) -> tuple[Bound, ...]:
        """What is remembered of other problems that were open and holds for this one, as bounds of it (:mod:`planner.problem.carrying`)."""
        found: list[Bound] = []
        for former in tuple(self._grounds.values()):
            found.extend(carried(tuple(self._known.get(former.relaxation, {}).values()), former, problem))
        return tuple(found)

    def opened(self, problem: PlanningProblem) -> None:
        """Remember what bounds of a problem are about, so that they count for others."""
        self._grounds.pop(problem.relaxation, None)
        self._grounds[problem.relaxation] = ground(problem)
        while len(self._grounds) > MOST:
            del self._grounds[next(iter(self._grounds))]

    def of(self, problem: PlanningProblem) -> tuple[Bound, ...]:
        """What is remembered of a problem: bounds that apply to it."""
        # Models are opened on threads: a copy first.
        known = tuple(self._known.get(problem.relaxation, {}).values())
        return tuple(b for b in known if b.applies_to(problem.relaxation, problem.assumptions))

    def forget(self) -> None:
        """Everything."""
        self._known.clear()
        self._grounds.clear()
        self._exhausted.clear()


PROVEN = ProvenHere()
"""That of this process."""
