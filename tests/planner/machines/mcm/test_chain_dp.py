"""Chains of ideals as a relaxation of multi-chip modules: bounds that hold, plans that keep all rules or are not reported."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.formats import read_model
from planner.machines.catalogue import bound_method, planner
from planner.machines.mcm.target import McmPackage
from planner.model.graph import Graph, Op, Tensor
from planner.problem.problem import Pin, Problem, Together
from planner.search.run import run, run_bound
from planner.search.search import Shared
from tests.planner.machines.mcm.strategies import mcm_problems
from tests.planner.machines.mcm.test_solver import valid_plans
from tests.planner.strategies import graphs

CHAIN, PROVES = planner("chain-dp"), bound_method("chain-dp")
small = mcm_problems(most=3, graph=graphs(most=5, training=False), objective="chip-latency")
copying = st.builds(
    lambda problem, over: replace(problem, target=replace(problem.target, copy_sources=over)),
    mcm_problems(most=3, graph=graphs(least=3, most=6, training=False), objective="chip-latency"),
    st.sampled_from([1, 2]),
)


def check(problem: Problem, costs: list[float]) -> None:
    """``costs`` are those of all valid plans: no bound is above one, and what is said to be optimal is."""
    if CHAIN.refusal(problem) is not None:
        return
    result = run(CHAIN, problem)
    for bound in (*result.bounds, *run_bound(PROVES, problem).bounds):
        assert bound.value <= min(costs, default=float("inf")) and bound.assumes <= problem.assumptions
        for rule in ("no_skip", "every_chip", "memory"):
            assert f"rule:{rule}" not in bound.assumes or not costs
    if result.device_of is not None:
        assert not problem.evaluator.violations(result.device_of)
        if result.status == "optimal":
            assert result.objective == pytest.approx(min(costs), rel=1e-9)


@settings(max_examples=60)
@given(st.one_of(small, copying))
def test_no_valid_plan_is_below_the_bound(problem: Problem) -> None:
    check(problem, [problem.evaluator.objective(plan) for plan in valid_plans(problem)])


@st.composite
def skipping(draw: st.DrawFn) -> Problem:
    """Six or seven ops, most in a row, with tensors past some of them; perhaps one is copied, one pinned, two together."""
    n, k = draw(st.sampled_from([(6, 3), (6, 4), (7, 3)]))
    dear = st.sampled_from([0.0, 0.25, 1.0, 4.0])
    ops = [Op(f"v{i}", f"v{i}", work=draw(dear) + 0.5, work_cpu=0.0) for i in range(n)]
    tensors = []
    for i in range(n - 1):
        readers = draw(st.sets(st.integers(i + 1, n - 1), max_size=3)) | (
            {i + 1} if draw(st.integers(0, 4)) else set()
        )
        if readers:
            tensors.append(Tensor(f"v{i}", tuple(f"v{j}" for j in sorted(readers)), 1.0, time=draw(dear)))
    target = McmPackage(
        k, check_memory=False, no_skip=draw(st.booleans()), copy_sources=draw(st.sampled_from([0, 0, 1, 2]))
    )
    constraints: list[Pin | Together] = []
    if draw(st.booleans()):
        constraints.append(
            Pin(f"v{draw(st.integers(0, n - 1))}", f"chip {draw(st.integers(0, min(k, 2) - 1))}")
        )
    if draw(st.booleans()):
        a, b = sorted(draw(st.sets(st.integers(0, n - 1), min_size=2, max_size=2)))
        constraints.append(Together((f"v{a}", f"v{b}")))
    return Problem(
        Graph.build("skipping", ops, tensors, time_unit="s"), target, "chip-latency", tuple(constraints)
    )


@settings(max_examples=150)
@given(skipping())
def test_tensors_past_a_chip(problem: Problem) -> None:
    """With the triangle rule, against all plans; and never less than without it."""
    e = problem.evaluator
    plans = np.array(list(product(range(e.k), repeat=e.n)), np.int32)
    plans = plans[(plans[:, e.edge_src] <= plans[:, e.edge_dst]).all(axis=1)]
    check(problem, [e.objective(plan) for plan in plans if not e.violations(plan)])
    if CHAIN.refusal(problem) is None:
        free = replace(problem, target=replace(problem.target, triangle=False))  # type: ignore[type-var]
        least, most = (
            max((b.value for b in run_bound(PROVES, p).bounds), default=0.0) for p in (free, problem)
        )
        assert most >= least * (1 - 1e-9)


@settings(max_examples=40)
@given(skipping())
def test_a_plan_that_others_found_and_a_pass_far_below_it(problem: Problem) -> None:
    """Neither changes what is proven in the end."""
    if CHAIN.refusal(problem) is not None:
        return
    found = run(CHAIN, problem)
    alone = run_bound(PROVES, problem).bounds
    if found.device_of is None or not alone:
        return
    news = [Shared(found.device_of, (found.objective or 0.0,), "another")]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("planner.methods.ideals.rows.MANY_IDEALS", 1)
        told = run_bound(PROVES, problem, news=lambda: [news.pop() for _ in news[:]])
    assert told.device_of is None
    assert max(b.value for b in told.bounds) == pytest.approx(max(b.value for b in alone), rel=1e-8)


def test_a_plan_that_keeps_all_rules_is_optimal_with_copies_too() -> None:
    ops = [Op(f"v{i}", f"v{i}", work=1.0, work_cpu=0.0) for i in range(4)]
    tensors = [Tensor(f"v{i}", (f"v{i + 1}",), 1.0, time=0.25) for i in range(3)]
    problem = Problem(Graph.build("row", ops, tensors), McmPackage(2, check_memory=False), "chip-latency")
    result = run(CHAIN, problem)
    assert (result.objective, result.status) == (2.25, "optimal")
    ops = [Op("mask", "mask", work=0.0, work_cpu=0.0), *ops]
    tensors = [Tensor("mask", tuple(f"v{i}" for i in range(4)), 1.0, time=5.0), *tensors]
    target = McmPackage(2, check_memory=False, copy_sources=2)
    copied = Problem(Graph.build("masked", ops, tensors), target, "chip-latency")
    result = run(CHAIN, copied)
    assert (result.objective, result.status) == (2.25, "optimal")
    tied = replace(copied, constraints=(Together(("mask", "v2")),))
    assert "kept together" in (CHAIN.refusal(tied) or "") and PROVES.refusal(tied) is not None


@pytest.mark.parametrize(
    ("model", "chips", "microseconds"),
    [("densenet121.json", 36, 410.075), ("resnet50_v2.json", 12, 425.021), ("resnet152.json", 36, 410.143)],
)
def test_known_networks(model: str, chips: int, microseconds: float) -> None:
    """Where skip connections allow no more chips."""
    problem = Problem(
        read_model(f"sample_models/{model}"), McmPackage(chips, check_memory=False), "chip-latency"
    )
    result = run(CHAIN, problem)
    assert result.status == "optimal" and result.objective == pytest.approx(microseconds * 1e-6, rel=1e-5)
