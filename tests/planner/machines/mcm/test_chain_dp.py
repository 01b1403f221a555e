"""Chains of ideals as a relaxation of multi-chip modules: bounds that hold, plans that keep all rules or are not reported."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from planner.machines.catalogue import bound_method, planner
from planner.machines.mcm.target import McmPackage
from planner.model.graph import Graph, Op, Tensor
from planner.problem.problem import Problem
from planner.search.run import run, run_bound
from tests.planner.machines.mcm.strategies import mcm_problems
from tests.planner.machines.mcm.test_solver import valid_plans
from tests.planner.strategies import graphs

CHAIN, PROVES = planner("chain-dp"), bound_method("chain-dp")
small = mcm_problems(most=3, graph=graphs(most=5, training=False), objective="chip-latency")


@settings(max_examples=60)
@given(small)
def test_no_valid_plan_is_below_the_bound(problem: Problem) -> None:
    if CHAIN.refusal(problem) is not None:
        return
    costs = [problem.evaluator.objective(plan) for plan in valid_plans(problem)]
    result = run(CHAIN, problem)
    for bound in (*result.bounds, *run_bound(PROVES, problem).bounds):
        assert bound.value <= min(costs, default=float("inf")) and bound.assumes <= problem.assumptions
        for rule in ("triangle", "no_skip", "every_chip", "memory"):
            assert f"rule:{rule}" not in bound.assumes or not costs
    if result.device_of is not None:
        assert not problem.evaluator.violations(result.device_of)
        if result.status == "optimal":
            assert result.objective == pytest.approx(min(costs), rel=1e-9)


def test_a_plan_that_keeps_all_rules_is_optimal_and_copies_are_refused() -> None:
    ops = [Op(f"v{i}", f"v{i}", work=1.0, work_cpu=0.0) for i in range(4)]
    tensors = [Tensor(f"v{i}", (f"v{i + 1}",), 1.0, time=0.25) for i in range(3)]
    problem = Problem(Graph.build("row", ops, tensors), McmPackage(2, check_memory=False), "chip-latency")
    result = run(CHAIN, problem)
    assert (result.objective, result.status) == (2.25, "optimal")
    tensors = [Tensor("v0", ("v1", "v2", "v3"), 1.0, time=0.25)]
    copied = Problem(
        Graph.build("fan", ops, tensors), McmPackage(2, check_memory=False, copy_sources=1), "chip-latency"
    )
    assert "copies sources" in (CHAIN.refusal(copied) or "") and "copies sources" in (
        PROVES.refusal(copied) or ""
    )
