"""A plan that is not the best, its file as it was made, and files that claim more of it than anybody proved."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from planner.formats import read_model
from planner.machines.pipeline.target import Pipeline
from planner.plan_files.plan_json import write_plan
from planner.problem.bound import Bound
from planner.problem.problem import Plan, Problem
from planner.problem.provenance import Provenance
from planner.runs.proving import known_at_once

SMALL = Path(__file__).resolve().parents[1] / "data" / "small.json"


class Files(NamedTuple):
    """The model, the honest file, and the one whose bound was edited to be the plan's objective."""

    model: Path
    honest: Path
    forged: Path
    plan: Plan
    best: float
    """The best objective that there is."""


def problem() -> Problem:
    """Three stages for five ops."""
    return Problem(read_model(SMALL), Pipeline(3))


def claim(plan: Plan, value: float, method: str = "exact") -> Bound:
    """A bound as a file would hold it."""
    return plan.problem.bound(plan.problem.components[0], value, method, frozenset({"rule:order"}))


def best_of(of: Problem) -> float:
    """The least objective of all assignments, one by one."""
    k, n = len(of.devices), of.graph.n
    least = float("inf")
    for number in range(k**n):
        plan = of.evaluate(np.array([number // k**v % k for v in range(n)], np.int32))
        if plan.valid:
            least = min(least, plan.objective)
    return least


def files(folder: Path) -> Files:
    """Everything on the first stage: about twice as slow as the best plan."""
    of = problem()
    plan = of.plan(np.zeros(of.graph.n, np.int32), Provenance("by hand", seed=1), "all on one")
    return Files(
        SMALL,
        write_plan(folder / "honest.plan.json", plan, known_at_once(of)),
        write_plan(folder / "forged.plan.json", plan, [claim(plan, plan.objective)]),
        plan,
        best_of(of),
    )
