"""Plans of one model beside each other."""

from __future__ import annotations

from typing import Any

from planner.cli.comparing import comparison_fields, comparison_text
from planner.cli.comparing_orders import order_fields, order_text
from planner.errors import PlanError
from planner.machines.two_level_memory.problem import OrderPlan
from planner.problem.bound import proven
from planner.reports import comparison as reports
from planner.text_table import percent
from stageboard.plans import Plan


class Comparison:
    """Two to four plans of one model; the first is the reference. Print it for the figures and what moved."""

    def __init__(self, plans: tuple[Plan, ...], found: Any) -> None:
        """For :func:`compare`."""
        self.plans = plans
        self.found = found

    @property
    def names(self) -> list[str]:
        """What the plans are called."""
        return [plan.found.name or plan.title for plan in self.plans]

    @property
    def moved(self) -> tuple[tuple[str, ...], ...]:
        """Of each plan but the first, the ops that are on another device there, devices matched; of networks none."""
        if isinstance(self.found, reports.OrderComparison):
            return tuple(() for _ in self.plans[1:])
        ops = self.plans[0].model.ops
        return tuple(tuple(ops[v] for v in self.found.moved(i).tolist()) for i in range(1, len(self.plans)))

    @property
    def differences(self) -> tuple[float, ...]:
        """Of each plan but the first, its objective less the first one's."""
        first = self.plans[0].objective or 0.0
        return tuple((plan.objective or 0.0) - first for plan in self.plans[1:])

    def to_dict(self) -> dict[str, Any]:
        """All figures, as ``stageboard compare --json`` prints them."""
        if isinstance(self.found, reports.OrderComparison):
            return order_fields(self.found, self.names)
        return comparison_fields(self.found, self.names)

    def __str__(self) -> str:
        """The figures of all plans, then what differs from the first."""
        if isinstance(self.found, reports.OrderComparison):
            return order_text(self.found, self.names)
        return comparison_text(self.found, self.names)

    def __repr__(self) -> str:
        """One line."""
        first = self.plans[0].objective or 0.0
        changes = [
            percent(difference / first) if first else f"{difference:g}" for difference in self.differences
        ]
        return f"<Comparison of {len(self.plans)} plans of {self.plans[0].problem.name}: {', '.join(changes)} against the first>"


def compare(*plans: Plan) -> Comparison:
    """Compare two to four plans of one model: stages and chips are aligned in their order, devices of a pool matched freely.

    Raises :class:`PlanError` for another number of plans, or plans of different models.
    """
    held: list[Any] = [plan._held() for plan in plans]
    bounds = tuple(dict.fromkeys(bound for plan in plans for bound in proven(plan.bounds)))
    orders = [isinstance(one, OrderPlan) for one in held]
    if any(orders) and not all(orders):
        raise PlanError(
            "one of the plans orders a network's connections and another places a graph's ops; compare plans of one model"
        )
    found = (reports.compare_orders if orders and all(orders) else reports.compare)(held, bounds)
    return Comparison(tuple(plans), found)
