"""Which devices of a story's plans are matched: what has one number has one colour in all its keyframes.

Plans on one pool of devices keep the numbers of these, as in the window, unless devices are matched by other numbers with those of the plan shown
before it (:mod:`planner.reports.comparison.matching`): then it takes over those, and the plans after it have them for as long as most ops
stay. Where they are compared, each comparison is matched by itself, as in the window. Compared plans on other devices, of unlike machines or in
a row, are all matched with the first of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from planner.problem.problem import Plan
from planner.reports.comparison.matching import match_devices
from planner.reports.comparison.rows import Rows, device_numbers, matched_rows, rows_among

if TYPE_CHECKING:
    from planner.machines.two_level_memory.problem import OrderPlan

Numbers = dict[int, tuple[int, ...]]
"""The numbers of a plan's devices, by the number of the plan."""
Told = Sequence[tuple[bool, Sequence[int]]]
"""Of each keyframe whether it compares plans, and the numbers of the plans that it shows, in order."""


class Matched:
    """The devices of the plans of a story (``told``) as they are matched with one another."""

    def __init__(self, plans: Sequence[Plan | OrderPlan], told: Told) -> None:
        self.plans = {i: plan for i, plan in enumerate(plans) if isinstance(plan, Plan)}
        self.compared = sorted({i for compares, shown in told if compares for i in shown})
        self.numbers: Numbers = {}
        """Of plans that are compared, and of others that do not keep the numbers of their own."""
        for alike in self._by_model():
            if _pool(self.plans[i] for i in alike):
                continue
            of_each = device_numbers([self.plans[i] for i in alike])
            self.numbers |= dict(zip(alike, of_each, strict=True))
        self._follow([i for _, shown in told for i in shown if i in self.plans])

    def rows(self, chosen: Sequence[int]) -> Rows | None:
        """The rows of a comparison of these plans; None where the story does not compare them."""
        if not set(chosen) <= set(self.compared):
            return None
        alike = next(alike for alike in self._by_model() if chosen[0] in alike)
        if not _pool(self.plans[i] for i in alike):
            return rows_among([self.plans[i] for i in alike], [alike.index(i) for i in chosen])
        return matched_rows([self.plans[i] for i in chosen])

    def _by_model(self) -> list[list[int]]:
        """The compared plans, by model."""
        found: dict[str, list[int]] = {}
        for i in self.compared:
            if i in self.plans:
                found.setdefault(self.plans[i].problem.graph.fingerprint, []).append(i)
        return list(found.values())

    def _follow(self, shown: Sequence[int]) -> None:
        """Number the devices of the other plans, each after the one shown before it."""
        seen: Numbers = {}
        for before, i in zip((-1, *shown), shown, strict=False):
            if i in seen or i in self.numbers:
                continue
            follows = before in seen and _pool((self.plans[before], self.plans[i]))
            seen[i] = (
                _after(self.plans[before], seen[before], self.plans[i]) if follows else _own(self.plans[i])
            )
        for i, numbers in seen.items():
            if i in self.compared or numbers != _own(self.plans[i]):
                self.numbers[i] = numbers


def _pool(plans: Iterable[Plan]) -> bool:
    """Whether plans of one model are on devices of one pool, whose order tells nothing."""
    found = {
        (
            plan.problem.graph.fingerprint,
            plan.problem.target.kind,
            plan.problem.target.in_a_row,
            *(device.name for device in plan.problem.devices),
        )
        for plan in plans
    }
    return len(found) == 1 and not next(iter(found))[2]


def _own(plan: Plan) -> tuple[int, ...]:
    """The numbers that a plan's devices have by themselves."""
    return tuple(range(len(plan.problem.devices)))


def _after(before: Plan, numbers: Sequence[int], plan: Plan) -> tuple[int, ...]:
    """The numbers of a plan's devices after a plan that has these ``numbers``: those of the matched devices, unless they are not that plan's
    own and at most half of all ops stay."""
    match = match_devices(before, plan)
    if tuple(numbers) != _own(before) and 2 * match.ops <= plan.problem.graph.n:
        return _own(plan)
    return tuple(numbers[device] for device in match.first_of.tolist())
