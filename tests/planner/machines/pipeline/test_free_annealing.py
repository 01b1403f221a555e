"""Annealing of blocks without an order: what it keeps on its way is what a count from nothing gives, and its plans are valid."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.generate import regal_like
from planner.machines.catalogue import planner
from planner.machines.pipeline.orders.free_annealing import FreeAnnealing, in_order, on_circle, shift_edges
from planner.machines.pipeline.orders.slicer import PipelineSlicer, pipeline_units
from planner.machines.pipeline.target import Pipeline
from planner.methods.orders import depth_first_order
from planner.problem.problem import Pin, Problem
from planner.search.run import run
from planner.search.search import Callbacks, Search
from planner.search.stop import Never
from tests.planner.strategies import graphs, stage_problems


def annealed(problem: Problem, moves: float, seed: int = 0) -> tuple[FreeAnnealing, PipelineSlicer]:
    units = pipeline_units(problem)
    slicer = PipelineSlicer(units)
    free = FreeAnnealing(units, slicer.network, np.random.default_rng(seed))
    if units.blocked < 0:
        slicer.solve(depth_first_order(*units.succs), Search(problem, Never(), Callbacks(), 0, {}))
    if free.possible:
        for _ in free.run(slicer.block_of, moves, 0.01, 1e-5):
            pass
    return free, slicer


@settings(max_examples=40)
@given(stage_problems(most=4, graph=graphs(most=8)))
def test_plans_are_valid_and_cost_what_it_says(problem: Problem) -> None:
    free, slicer = annealed(problem, 400)
    if not free.possible:
        return
    plan = problem.evaluator.checked(free.block_of[slicer.units.unit_of])
    assert not problem.evaluator.violations(plan)
    assert problem.evaluator.objective(plan) == pytest.approx(free.best)
    assert free.best <= slicer.value * (1 + 1e-9)


@settings(max_examples=40)
@given(graphs(most=8), st.integers(2, 5), st.data())
def test_edges_between_blocks_follow_moves(graph, k, data) -> None:  # type: ignore[no-untyped-def]
    units = pipeline_units(Problem(graph, Pipeline(k, bandwidth=1.0)))
    m = units.count
    block_of = np.array(data.draw(st.lists(st.integers(0, k - 1), min_size=m, max_size=m)), np.int32)
    tail, head = units.src, units.dst

    def counted() -> tuple[np.ndarray, np.ndarray]:
        edges = np.zeros((k, k), np.int32)
        for a, b in zip(block_of[tail], block_of[head], strict=True):
            edges[a, b] += a != b
        return edges, np.array([sum(1 << int(d) for d in np.flatnonzero(row)) for row in edges], np.int64)

    edges, after = counted()
    for _ in range(5):
        u, b = data.draw(st.integers(0, m - 1)), data.draw(st.integers(0, k - 1))
        if b == block_of[u]:
            continue
        shift_edges(u, b, block_of, *units.succs, *units.preds, edges, after)
        block_of[u] = b
        fresh, bits = counted()
        assert (edges == fresh).all() and (after == bits).all()
        reach = fresh > 0
        for _ in range(k):
            reach = reach | ((reach.astype(int) @ reach.astype(int)) > 0)
        assert [bool(on_circle(d, after)) for d in range(k)] == np.diag(reach).tolist()


def test_blocks_are_numbered_along_the_edges() -> None:
    problem = Problem(regal_like.generate(2, {"nodes": 20}), Pipeline(4))
    units = pipeline_units(problem)
    slicer = PipelineSlicer(units)
    slicer.solve(depth_first_order(*units.succs), Search(problem, Never(), Callbacks(), 0, {}))
    shuffled = np.array([2, 0, 3, 1], np.int32)[slicer.block_of]
    again = in_order(shuffled, slicer.network, 4)
    assert (again[units.src] <= again[units.dst]).all()
    assert len(set(zip(shuffled.tolist(), again.tolist(), strict=True))) == len(set(again.tolist()))


def test_it_is_not_for_pins_and_repeats() -> None:
    graph = regal_like.generate(2, {"nodes": 20})
    pinned = Problem(graph, Pipeline(4), constraints=(Pin("op0", "stage 0"),))
    assert not annealed(pinned, 0)[0].possible
    assert (
        run(planner("anneal"), pinned, options={"rounds": 1, "moves": 100, "orders": 5}).status == "feasible"
    )
    one, other = (annealed(Problem(graph, Pipeline(4)), 20_000, seed=3)[0] for _ in range(2))
    assert one.best == other.best and (one.block_of == other.block_of).all()
