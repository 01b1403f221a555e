"""What every bound of a pipeline starts from: infeasibility, what is known, and the simple bound."""

from __future__ import annotations

import math

from planner.machines.pipeline.exact.model import StageModel, stage_model
from planner.methods.least import shared_work
from planner.methods.obvious_infeasibility import report_infeasible
from planner.problem.problem import Problem
from planner.search.search import Search


def opening(problem: Problem, search: Search, method: str) -> tuple[StageModel, float] | None:
    """The model and the bound to improve on, already reported; None where that proves infeasibility.

    The bound is the stronger of what ``search`` was given and the simple bound with streaming.
    """
    if report_infeasible(problem, search, method):
        return None
    model = stage_model(problem, search.check)
    if not model.possible:
        search.prove(problem.bound(problem.objective, math.inf, method, model.assumes, search.seconds))
        return None
    known = problem.strongest_bound(search.bounds)
    value = max(simple(model), 0.0 if known is None else known.value)
    if not model.alike:
        value = max(value, *(least.value for least in shared_work(problem)))
    report(model, search, method, value)
    return model, value


def report(model: StageModel, search: Search, method: str, value: float) -> None:
    """Report a bound that was proven with all rules and constraints of the model."""
    problem = model.problem
    search.prove(problem.bound(problem.objective, value, method, model.assumes, search.seconds))


def simple(model: StageModel) -> float:
    """MTPP, Lemma 3.3, with overflow (equation 2): the dearest unit, an equal share of everything, or what a stage pays for nothing.

    k stages hold at most k budgets, so together they stream what exceeds these. Pins are looked at by
    :class:`planner.machines.several.bounds.simple.Simple`.
    """
    if model.count == 0:
        return 0.0
    largest = model.work
    share = float(model.work.sum())
    if model.streams:
        over = (model.params - model.budget) / model.rate
        largest = model.work + over.clip(min=0.0)
        share += max(0.0, float(model.params.sum()) - model.k * model.budget) / model.rate
    # A sum of floats may be some units in the last place too large.
    return max(float(largest.max()), share / model.k, model.idle) * (1 - 1e-14 * model.count)
