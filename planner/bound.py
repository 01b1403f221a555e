"""Lower bounds: proven for a problem, valid for every problem that assumes at least as much."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Bound:
    """A proven lower bound on one objective component over all valid plans.

    ``relaxation`` is the fingerprint of the graph, the machine and the objective; ``assumes`` holds the tokens of the rules
    and constraints the proof used (see :meth:`planner.problem.Problem.assumptions`). The bound holds for every
    problem with the same relaxation whose tokens include ``assumes``.
    """

    component: str
    value: float
    method: str
    relaxation: str
    assumes: frozenset[str] = frozenset()
    seconds: float = 0.0

    def applies_to(self, relaxation: str, tokens: frozenset[str]) -> bool:
        """Whether the bound holds for a problem with this relaxation and these assumption tokens."""
        return self.relaxation == relaxation and self.assumes <= tokens


def strongest(
    bounds: Iterable[Bound], component: str, relaxation: str, tokens: frozenset[str]
) -> Bound | None:
    """The largest bound on ``component`` that applies, or None."""
    usable = [b for b in bounds if b.component == component and b.applies_to(relaxation, tokens)]
    return max(usable, key=lambda b: b.value, default=None)


def gap(objective: float, bound: float | None) -> float | None:
    """``(objective - bound) / objective``: 0 when they are equal, None without a bound.

    Values that differ by rounding only (1e-9 relative) count as equal.
    """
    if bound is None:
        return None
    if objective - bound <= 1e-9 * abs(objective):
        return 0.0
    return (objective - bound) / objective
