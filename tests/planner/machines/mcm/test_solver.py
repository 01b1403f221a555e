"""The chip solver loses no valid plan, proves infeasibility only where there is none, and gives valid plans only."""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.machines.mcm.solver import solver as chip_solver
from planner.machines.mcm.solver.search import run
from planner.machines.mcm.solver.solver import Infeasible, McmSolver
from planner.machines.mcm.target import McmPackage
from planner.model.graph import Graph, Op, Tensor
from planner.problem.problem import Pin, Problem, Together
from tests.planner import strategies
from tests.planner.machines.mcm.reference import dependencies, violations
from tests.planner.machines.mcm.strategies import mcm_problems

small = mcm_problems(graph=strategies.graphs(most=5, training=False), objective="chip-latency", memory=False)
larger = mcm_problems(
    most=9, graph=strategies.graphs(most=20, training=False), objective="chip-latency", memory=False
)


@cache
def valid_plans(problem: Problem) -> np.ndarray:
    """Every plan that breaks no static rule, pin or group, by the reference (int32[plans, n])."""
    edges = dependencies(problem)
    n, k = problem.graph.n, len(problem.devices)
    found = [
        plan
        for plan in product(range(k), repeat=n)
        if all(plan[u] <= plan[v] for u, v in edges) and not violations(problem, plan)
    ]
    return np.array(found, np.int32).reshape(-1, n)


def inside(solver: McmSolver, plan: np.ndarray) -> bool:
    return bool((solver.domains() >> plan.astype(np.uint64) & np.uint64(1)).all())


def listed(plan: np.ndarray | None) -> list[int] | None:
    return None if plan is None else plan.tolist()


def made(edges: list[tuple[int, int]], n: int, **options: Any) -> Problem:
    """Ops 0..n-1 with one tensor per edge, on a package without the memory rule."""
    ops = [Op(str(v), str(v), work=1.0, work_cpu=1.0) for v in range(n)]
    tensors = [Tensor(str(u), (str(v),), 1.0, 1.0) for u, v in edges]
    graph = Graph.build("made", ops, tensors)
    return Problem(graph, McmPackage(check_memory=False, **options))


@given(small)
@settings(max_examples=25)
def test_every_valid_plan_is_in_the_domains_and_can_be_kept(problem: Problem) -> None:
    solver, plans = McmSolver(problem), valid_plans(problem)
    assert solver.feasible or not len(plans)
    for plan in plans:
        assert inside(solver, plan)
    for plan in plans[:: max(1, len(plans) // 8)]:
        assert listed(solver.fix(plan, seed=1)) == plan.tolist()


@given(small, st.randoms(use_true_random=False))
@settings(max_examples=25)
def test_decisions_that_agree_with_a_plan_never_exclude_it(problem: Problem, random) -> None:
    solver, plans = McmSolver(problem), valid_plans(problem)
    if not len(plans):
        return
    goal = plans[random.randrange(len(plans))]
    left = plans
    for made_so_far, op in enumerate(random.sample(range(problem.graph.n), problem.graph.n)):
        chips = {int(goal[op]), random.choice(solver.get_domain(op).tolist())}
        assert solver.set_domain(op, sorted(chips)) == made_so_far + 1
        left = left[np.isin(left[:, op], list(chips))]
        for plan in left:
            assert inside(solver, plan)
    solver.reset()
    assert all(inside(solver, plan) for plan in plans)


@given(small, st.randoms(use_true_random=False))
@settings(max_examples=25)
def test_decisions_that_fail_are_taken_back(problem: Problem, random) -> None:
    solver, plans = McmSolver(problem), valid_plans(problem)
    if not solver.feasible:
        with pytest.raises(Infeasible):
            solver.set_domain(0, [0])
        return
    try:
        for _ in range(6):
            op = random.randrange(problem.graph.n)
            count = solver.set_domain(op, [random.choice(solver.get_domain(op).tolist())])
            assert count >= 0 and solver.domains().all()
    except Infeasible:
        assert not len(plans)


@given(small, st.integers(0, 2**32))
@settings(max_examples=25)
def test_plans_are_found_where_there_are_any(problem: Problem, seed: int) -> None:
    solver, plans = McmSolver(problem), {tuple(p) for p in valid_plans(problem).tolist()}
    for plan in (solver.sample(None, seed), solver.fix(np.zeros(problem.graph.n, np.int32), seed)):
        assert (plan is None) == (not plans)
        assert plan is None or tuple(plan.tolist()) in plans


@given(larger, st.integers(0, 2**63), st.booleans())
@settings(max_examples=40)
def test_plans_of_larger_graphs_are_valid(problem: Problem, seed: int, ordered: bool) -> None:
    solver, rng = McmSolver(problem), np.random.default_rng(seed)
    n, k = problem.graph.n, len(problem.devices)
    order = rng.permutation(n).astype(np.int32) if ordered else None
    wish = rng.integers(0, k, n).astype(np.int32)
    weights = rng.random((n, k)) * (rng.random((n, k)) < 0.5)
    found = [
        solver.sample(None, seed, order),
        solver.sample(weights, seed, order),
        solver.fix(wish, seed, order),
        solver.fix(wish, seed, order, nearest=True),
    ]
    for plan in found:
        assert plan is None or not violations(problem, plan.tolist())
    if not solver.feasible:
        assert all(plan is None for plan in found)
    again = solver.sample(weights, seed, order)
    assert listed(again) == listed(found[1])


def test_sample_reaches_every_valid_plan() -> None:
    # Two branches and a lonely op: some plans jump over a chip that the lonely op fills.
    problem = made([(0, 1), (1, 2), (0, 3), (3, 4)], 6, count=4)
    solver, plans = McmSolver(problem), {tuple(p) for p in valid_plans(problem).tolist()}
    seen: set[tuple[int, ...]] = set()
    seed = 0
    while seen != plans and seed < 60_000:
        plan = solver.sample(None, seed)
        assert plan is not None
        seen.add(tuple(plan.tolist()))
        seed += 1
    assert seen == plans


def test_an_edge_of_a_chain_spans_one_chip() -> None:
    problem = made([(0, 1), (1, 2), (2, 3)], 4, count=4)
    solver = McmSolver(problem)
    assert [len(solver.get_domain(v)) for v in range(4)] == [1, 2, 3, 4]
    assert solver.set_domain(3, [3]) == 1
    assert [solver.get_domain(v).tolist() for v in range(4)] == [[0], [1], [2], [3]]


def test_what_lies_between_the_ends_of_an_edge_is_with_one_of_them() -> None:
    problem = made([(0, 1), (1, 2), (0, 2)], 5, count=4)
    solver = McmSolver(problem)
    solver.set_domain(0, [0])
    solver.set_domain(2, [3])
    assert solver.get_domain(1).tolist() == [0, 3]


def test_what_a_chip_between_reaches_is_with_it() -> None:
    # Op 0 feeds op 2 directly; its chip reaches that of op 1, which feeds op 2 as well.
    problem = made([(0, 2), (1, 2), (3, 4)], 5, count=4, no_skip=False)
    solver = McmSolver(problem)
    for op, chip in ((0, 0), (1, 2), (3, 0), (4, 2)):
        solver.set_domain(op, [chip])
    assert solver.get_domain(2).tolist() == [2]
    mirrored = McmSolver(made([(2, 0), (2, 1), (4, 3)], 5, count=4, no_skip=False))
    for op, chip in ((0, 3), (1, 1), (3, 3), (4, 1)):
        mirrored.set_domain(op, [chip])
    assert mirrored.get_domain(2).tolist() == [1]


@given(small, st.integers(0, 2**32))
@settings(max_examples=25)
def test_attempts_from_the_inputs_on_find_valid_plans(problem: Problem, seed: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chip_solver, "FORWARD", 0)
        solver, plans = McmSolver(problem), valid_plans(problem)
        for plan in plans[:: max(1, len(plans) // 4)]:
            assert listed(solver.fix(plan, seed)) == plan.tolist()
        found = [solver.sample(None, seed), solver.fix(np.zeros(problem.graph.n, np.int32), seed)]
    for plan in found:
        assert (plan is None) == (not len(plans))
        assert plan is None or plan.tolist() in plans.tolist()


def test_kernels_do_without_counting_references() -> None:
    # Where numba no longer knows the option the solver works, but several times slower.
    assert run.targetoptions["_nrt"] is False


def test_infeasible_problems_are_proven() -> None:
    too_few = made([(0, 1)], 2, count=3, every_chip=True)
    assert not McmSolver(too_few).feasible
    chain = made([(0, 1), (1, 2)], 3, count=3)
    against = Problem(chain.graph, chain.target, "", (Pin("0", "chip 1"), Pin("2", "chip 0")))
    solver = McmSolver(against)
    assert not solver.feasible and not solver.domains().any() and len(solver.get_domain(0)) == 0
    assert solver.sample(None, 0) is None and solver.fix(np.zeros(3, np.int32), 0) is None
    assert McmSolver(
        Problem(chain.graph, chain.target, "", (Together(("0", "2")), Pin("1", "chip 0")))
    ).feasible


def test_probabilities_and_orders_are_followed() -> None:
    problem = made([(0, 1), (1, 2)], 3, count=3, no_skip=False, triangle=False)
    solver = McmSolver(problem)
    weights = np.zeros((3, 3))
    weights[[0, 1, 2], [0, 1, 2]] = 1.0
    for seed in range(20):
        assert listed(solver.sample(weights, seed)) == [0, 1, 2]
    # The last op first, on chip 0: all others follow.
    weights[2] = [1.0, 0.0, 0.0]
    order = np.array([2, 1, 0], np.int32)
    assert listed(solver.sample(weights, 0, order)) == [0, 0, 0]
    assert listed(solver.fix(np.array([2, 1, 0], np.int32), 0, order, nearest=True)) == [0, 0, 0]


@given(larger, st.integers(0, 2**63))
@settings(max_examples=30)
def test_pauses_change_nothing(problem: Problem, seed: int) -> None:
    wish = np.random.default_rng(seed).integers(0, len(problem.devices), problem.graph.n).astype(np.int32)
    asked = []

    def paused() -> bool:
        asked.append(True)
        return False

    found = []
    for work, stopped in ((chip_solver.WORK_PER_SLICE, None), (0, paused)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(chip_solver, "WORK_PER_SLICE", work)
            solver = McmSolver(problem, stopped)
            plans = (solver.sample(None, seed), solver.fix(wish, seed), solver.fix(wish, seed, nearest=True))
            found.append(([listed(plan) for plan in plans], solver.attempts, solver.contradictions))
    assert found[0] == found[1]
    assert len(asked) >= found[1][1]


def test_a_search_for_a_plan_ends_when_it_is_told_to() -> None:
    problem = made([(0, 1), (1, 2), (0, 3), (3, 4)], 6, count=4)
    solver = McmSolver(problem, lambda: True)
    assert solver.feasible and solver.set_domain(0, [0]) == 1
    assert solver.sample(None, 0) is None and solver.fix(np.zeros(6, np.int32), 0) is None
