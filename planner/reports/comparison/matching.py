"""Which device of one plan is which device of another, so that a device that is only called otherwise is no difference.

Devices that stand in a row are aligned in their order (:mod:`planner.reports.comparison.alignment`). Those of a pool have none, but names: what
comes into a window is numbered like the plan on the canvas (:mod:`planner.reports.comparison.renumbering`), and who moves ops by hand names the
device. On the same devices each is therefore its own counterpart, unless other pairs at least halve the ops that move, as where a file
counts otherwise; between two plans made by hand it always is.

Those other pairs, and all pairs of unlike pools, are an optimal
matching of devices of one kind, as many as there are on the side that has fewer. Of all matchings those are best
that keep the most ops on their device; of these, those that keep the most work; of these, those that pair the most equal
names; of these, those that pair near numbers (least sum of squared distances, so that pairs do not cross).

Each step is a linear assignment problem, in whole numbers that float64 holds exactly. The next step may choose among *all*
optima of the one before: by complementary slackness these are the perfect matchings on the pairs that are tight under
optimal dual values (Burkard, Dell'Amico and Martello, "Assignment Problems", section 4.1.2), whichever optimum gave them.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from planner.model.graph import Bools, Floats, Ints
from planner.problem.provenance import HAND
from planner.reports.comparison.alignment import WORK_STEPS, aligned

if TYPE_CHECKING:
    from planner.problem.problem import Plan, Problem

    Placed = tuple[Problem, Ints]
    """Where ops are (int32[n]), and for which problem."""

Wide = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Matching:
    """``first_of`` (int32[k of second]) is the counterpart of each of the second plan's devices, -1 where it has none;
    ``second_of`` (int32[k of first]) the same the other way. ``ops`` (count) and ``work`` (share of all work, the mean of
    both plans) are what stays on its device."""

    first_of: Ints
    second_of: Ints
    ops: int
    work: float


def match_devices(first: Plan, second: Plan) -> Matching:
    """Which devices of two plans of one graph are matched: in order where the devices of both stand in a row, each with itself on one pool
    unless other pairs at least halve the ops that move, else any with any of one kind that are equally fast and large; devices of
    different kinds only where the targets differ in kind."""
    return match_placed(
        (first.problem, first.decision.device_of),
        (second.problem, second.decision.device_of),
        by_hand=first.provenance.planner == second.provenance.planner == HAND,
    )


def match_placed(first: Placed, second: Placed, *, by_hand: bool = False) -> Matching:
    """:func:`match_devices` of assignments; ``by_hand`` where both were made so."""
    common = _common(first, second)
    own = np.arange(len(common.names[0]), dtype=np.int32)
    if common.in_a_row or not common.same:
        return common.matching(common.closest())
    by_name = common.matching(own)
    if by_hand:
        return by_name
    closest = common.matching(common.closest())
    n = len(first[1])
    return closest if 2 * (n - closest.ops) <= n - by_name.ops and closest.ops > by_name.ops else by_name


def closest_match(first: Placed, second: Placed, named: Collection[int] = ()) -> Matching:
    """The matching of assignments that moves the fewest ops, whatever devices are called. Those of ``named`` that both have, each of them its
    own counterpart, are no others' in a pool."""
    common = _common(first, second, named)
    return common.matching(common.closest())


@dataclass(frozen=True, eq=False)
class _Common:
    """What each device of one assignment has in common with each of another: ``ops`` (int64[k, m]) and ``work`` (float64[k, m], shares of 1);
    and the ``kinds`` and ``names`` of both sides."""

    ops: Wide
    work: Floats
    kinds: list[list[str]]
    names: list[list[str]]
    in_a_row: bool

    @property
    def same(self) -> bool:
        """Whether both have the same devices."""
        return self.names[0] == self.names[1] and self.kinds[0] == self.kinds[1]

    def closest(self) -> Ints:
        """The partner of each of the first side's devices (int32[k], -1 = none)."""
        if self.in_a_row:
            return aligned(self.ops, self.work, self.names[0], self.names[1])
        return matched(self.ops, self.work, *self.kinds, *self.names)

    def matching(self, second_of: Ints) -> Matching:
        """With these partners (int32[k])."""
        first_of = np.full(len(self.names[1]), -1, np.int32)
        paired = np.flatnonzero(second_of >= 0)
        first_of[second_of[paired]] = paired
        kept = (paired, second_of[paired])
        return Matching(first_of, second_of, int(self.ops[kept].sum()), float(self.work[kept].sum()))


def _common(first: Placed, second: Placed, named: Collection[int] = ()) -> _Common:
    k, m = len(first[0].devices), len(second[0].devices)
    pairs = first[1].astype(np.int64) * m + second[1]
    shared = np.bincount(pairs, minlength=k * m).reshape(k, m)
    weight = first[0].evaluator.work_on(first[1]) + second[0].evaluator.work_on(second[1])
    work = np.bincount(pairs, weight, k * m).reshape(k, m)
    total = float(work.sum())
    share = work / total if total > 0 else np.zeros((k, m))
    targets = first[0].target, second[0].target
    names = [[device.name for device in problem.devices] for problem, _ in (first, second)]
    alike = targets[0].kind == targets[1].kind
    kinds = [_kinds(problem, named) for problem, _ in (first, second)] if alike else [[""] * k, [""] * m]
    if sorted(kinds[0]) != sorted(kinds[1]):
        # Other machines: speeds and memories tell nothing of what is which.
        kinds = [[kind.partition("\0")[0] for kind in each] for each in kinds]
    return _Common(shared, share, kinds, names, all(target.in_a_row for target in targets))


def _kinds(problem: Problem, named: Collection[int]) -> list[str]:
    """What each device is: its kind, and what of speed, memory and measured times makes it unlike others; those of ``named`` are like none."""
    e = problem.evaluator
    same = e.alike
    found = []
    for d, device in enumerate(problem.devices):
        own = "" if same else f"{sha256(e.work[e.class_of[d]].tobytes()).hexdigest()} {e.capacity[d]}"
        found.append(f"{device.kind}\0{own}{f' {device.name}' if d in named else ''}")
    return found


def works(plan: Plan) -> Floats:
    """The time of each op on the device where the plan has it (float64[n], in the graph's time unit)."""
    return plan.problem.evaluator.work_on(plan.decision.device_of)


def matched(
    ops: Wide,
    work: Floats,
    kinds: Sequence[str],
    other_kinds: Sequence[str],
    names: Sequence[str],
    other_names: Sequence[str],
) -> Ints:
    """The partner of each row among the columns (int32[rows], -1 = none).

    ``ops`` (int64) and ``work`` (float64, shares of 1) are what each pair has in common; pairs are of one kind. Numbers are places
    among the devices of one kind.
    """
    partner = np.full(len(kinds), -1, np.int32)
    for kind in dict.fromkeys(kinds):
        rows = [i for i, own in enumerate(kinds) if own == kind]
        columns = [i for i, own in enumerate(other_kinds) if own == kind]
        if not columns:
            continue
        block = np.ix_(rows, columns)
        size = max(len(rows), len(columns))
        same = np.array([[names[r] == other_names[c] for c in columns] for r in rows], bool)
        apart = np.subtract.outer(np.arange(len(rows)), np.arange(len(columns))) ** 2
        # An equal name outweighs all distances together.
        nearness = same * float(size**3) - apart
        chosen = _best([ops[block].astype(np.float64), np.rint(work[block] * float(WORK_STEPS)), nearness])
        for row, column in enumerate(chosen.tolist()):
            if column < len(columns) and row < len(rows):
                partner[rows[row]] = columns[column]
    return partner


def _best(values: Sequence[Floats]) -> NDArray[np.int64]:
    """The perfect matching with the largest first value, among those the largest second one, and so on (column of each row).

    ``values`` hold whole numbers; sides of different length are filled up with devices that have nothing in common with any.
    """
    from scipy.optimize import linear_sum_assignment

    size = max(values[0].shape)
    allowed: Bools = np.ones((size, size), bool)
    column = np.arange(size)
    for value in values:
        cost = np.zeros((size, size))
        cost[: value.shape[0], : value.shape[1]] = -value
        cost[~allowed] = np.inf
        row, found = linear_sum_assignment(cost)
        column = np.asarray(found)[np.argsort(row)]
        allowed = _tight(cost, column)
    return column


def _tight(cost: Floats, column: NDArray[np.int64]) -> Bools:
    """The pairs that optimal matchings use, given one of them: where the dual values add up to the cost.

    The duals of the columns are shortest distances along exchanges (give up the column one has, take another), found by
    relaxing until nothing changes; there is no cycle of negative length, since the matching is optimal.
    """
    own = cost[np.arange(len(column)), column]
    step = cost - own[:, None]
    distance = np.zeros(len(column))
    while True:
        nearer = np.minimum(distance, (distance[column][:, None] + step).min(axis=0))
        if np.array_equal(nearer, distance):
            break
        distance = nearer
    slack = step + distance[column][:, None] - distance[None, :]
    return np.asarray(slack == 0.0, bool)
