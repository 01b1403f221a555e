"""How far the time of an op may change while a plan stays optimal, and what proves that.

**Growing for free.** No plan becomes cheaper when an op takes longer. So a plan that is proven optimal stays so while its own objective
stays what it is: whatever its device has to spare.

**One interval.** Let an op take f times as long. A plan costs max(a, b + s f), or that and a constant, with s the op's time on its
device: a hinge. Let plan P be optimal at f1 < f2 and some Q better at an f between. If P is still flat at f, then it was so at
f1, and Q costs at f1 no more than at f: Q was better at f1. If P rises at f, then what Q pays without the op is less than what P pays at f, hence
than at f2, and Q's line is below P's at f, hence at f2 if it is not steeper: Q is better at f2. Both contradict. So as far as no better plan has the op on a slower device, the
factors at which a plan is optimal are one interval: proven at its ends, proven between. On a slower device the op alone costs
what P costs, or more, up to some factor: that far the theorem holds (:func:`reach`).

**Ends by crossings.** Where a plan Q is known that is better at some factor, the two curves cross between there and 1. P is solved for
again exactly at the crossing: either it is proven optimal there, and that is the end, for beyond it Q is better; or a better plan is found,
whose crossing lies nearer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from planner.model.graph import Ints
from planner.reports.robustness.curves import ROUNDING, Curves, crossing, last_true
from planner.reports.robustness.resolving import Solved

FREE = "growing for free"
"""What proves a factor where nothing had to be solved again."""
AS_IS = "optimal as it is"
"""What proves the factor 1 where another plan is better on one side of it."""
Solve = Callable[[int, float, Sequence[Ints]], Solved | None]
"""``(op, factor, starts)``: the problem solved again with the op's time multiplied by the factor; None where time is up."""


@dataclass(frozen=True)
class Side:
    """One direction, up (factors above 1) or down.

    ``proven``: between 1 and this factor the plan is proven optimal, by ``method`` (empty: nothing is proven). ``beaten``: beyond this
    factor a known plan is better, None where none is up to the factors looked at; ``by``: its place among the plans known.
    """

    proven: float = 1.0
    method: str = ""
    beaten: float | None = None
    by: int | None = None

    @property
    def settled(self) -> bool:
        """Whether it is known exactly where the plan stops being optimal."""
        return (
            bool(self.method)
            and self.beaten is not None
            and abs(self.proven - self.beaten) <= ROUNDING * self.beaten
        )


def reach(curves: Curves, op: int, upwards: bool, most: float) -> float:
    """The factor up (or down) to which the theorem of one interval holds for an op: 1 where it says nothing.

    Whoever has the op on a slower device pays its time there, which is at least what the plan costs, as far as that factor.
    """
    if not curves.linear:
        return 1.0
    end = most if upwards else 1.0 / most
    e = curves.evaluator
    there = e.op_work[e.class_of[e.allowed[op]], op]
    slower = there[there > float(curves.work[op]) * (1.0 + ROUNDING)]
    if not len(slower):
        return end
    least, curve = float(slower.min()), curves.of(op)
    if not upwards:
        return min(1.0, max(end, curves.nominal / least))
    return last_true(lambda factor: curve.at(factor) <= least, 1.0, end) if curves.nominal <= least else 1.0


def known_side(curves: Curves, others: Sequence[Curves], op: int, upwards: bool, optimal: bool) -> Side:
    """What is known of one direction without solving anything: the slack where the plan is ``optimal``, and plans that are better."""
    found = crossing(curves.of(op), [other.of(op) for other in others], 0.0, upwards)
    proven = curves.slack(op) if upwards and optimal else 1.0
    beaten, by = (None, None) if found is None else (found.factor, found.plan)
    if beaten is not None and upwards:
        # They meet at the same factor but for rounding.
        beaten = max(beaten, proven)
    method = FREE if upwards else AS_IS if beaten == 1.0 else ""
    return Side(proven, method if optimal else "", beaten, by)


def solved_side(
    curves: Curves,
    others: list[Curves],
    op: int,
    upwards: bool,
    most: float,
    solve: Solve,
    add: Callable[[Ints], Curves],
) -> Side:
    """The same, solved again at crossings until it is settled, or as far as the theorem reaches; for an optimal plan.

    Plans found on the way are made curves of by ``add`` and join ``others``.
    """
    side = known_side(curves, others, op, upwards, optimal=True)
    end = reach(curves, op, upwards, most)
    while not side.settled:
        at = end if side.beaten is None else min(end, side.beaten) if upwards else max(end, side.beaten)
        if at == 1.0 or (upwards and at <= side.proven):
            break
        found = solve(op, at, [curves.device_of, *(other.device_of for other in others)])
        if found is None:
            break
        mine = curves.of(op).at(at)
        if found.objective < mine * (1.0 - ROUNDING):
            others.append(add(found.device_of))
            nearer = known_side(curves, others, op, upwards, optimal=True)
            if nearer.beaten == side.beaten:
                break
            side = nearer
        elif found.optimal:
            return Side(at, found.method, side.beaten, side.by)
        else:
            break
    return side


def distance(factor: float | None) -> float:
    """How far a factor is from 1, as the factor above 1 of the same ratio; infinite for None."""
    return np.inf if factor is None else max(factor, 1.0 / factor)
