"""What repair makes of a plan: another plan, whose provenance says what moved."""

from __future__ import annotations

import datetime

from planner import __version__
from planner.machines.two_level_memory.problem import OrderPlan
from planner.machines.two_level_memory.repair import OrderRepair
from planner.methods.repair.outcome import Repair
from planner.problem.problem import Plan
from planner.problem.provenance import Provenance


def repaired_plan(plan: Plan, found: Repair, seed: int, seconds: float) -> Plan:
    """The plan that repair made of ``plan``; an unchanged one stays what it was."""
    if not len(found.moved):
        return plan
    provenance = _provenance(plan.provenance, found.sentence, seed, seconds)
    return plan.problem.plan(found.device_of, provenance, plan.name)


def repaired_order(plan: OrderPlan, found: OrderRepair, seconds: float) -> OrderPlan:
    """The same of an order of connections."""
    if not len(found.moved):
        return plan
    return plan.problem.plan(
        found.order, _provenance(plan.provenance, found.sentence, None, seconds), plan.name
    )


def _provenance(of: Provenance, sentence: str, seed: int | None, seconds: float) -> Provenance:
    return Provenance(
        planner="repair",
        seed=seed,
        version=__version__,
        seconds=seconds,
        stop_reason="finished",
        created=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        note=f"{sentence} (a plan by {of.planner or 'hand'})",
    )
