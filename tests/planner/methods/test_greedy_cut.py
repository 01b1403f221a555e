"""Greedy cuts of one order against slow ones: by bytes after the compiler's rule, by time with full evaluation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.methods.greedy_cut import TimedCut, cut_by_bytes, stages_of, units_in_order
from planner.problem.problem import Pin, Problem
from tests.planner.machines.edge_tpu.strategies import edge_problems


def test_a_stage_ends_before_it_exceeds_the_average_and_a_byte() -> None:
    weight = np.array([4.0, 0.0, 3.0, 4.0, 1.0, 0.0, 2.0])
    order = np.arange(7, dtype=np.int32)
    # 14 bytes: 4 + 1 on each of three stages; 4 and 0, then 3, then what is left.
    assert cut_by_bytes(weight, order, 3).tolist() == [0, 0, 1, 2, 2, 2, 2]
    # 7 + 1 on each of two: the second byte count of 8 is reached exactly and stays.
    assert cut_by_bytes(np.array([4.0, 4.0, 3.0, 3.0]), order[:4], 2).tolist() == [0, 0, 1, 1]
    assert cut_by_bytes(weight, order, 1).tolist() == [0] * 7
    assert cut_by_bytes(np.array([9.0, 1.0, 1.0]), order[:3], 3).tolist() == [0, 1, 1]


@given(st.lists(st.integers(0, 9), min_size=1, max_size=12), st.integers(1, 5), st.randoms())
def test_cuts_by_bytes_follow_the_order(weights: list[int], stages: int, random: object) -> None:
    order = np.array(random.sample(range(len(weights)), len(weights)), np.int32)  # type: ignore[attr-defined]
    stage_of = cut_by_bytes(np.array(weights, float), order, stages)
    along = stage_of[order].tolist()
    assert along == sorted(along) and along[-1] < stages
    share = sum(weights) // stages + 1
    for k in range(along[-1]):
        held = sum(w for w, s in zip(weights, stage_of, strict=True) if s == k)
        after = weights[order[along.index(k + 1)]]
        assert held > 0 and held + after > share
        assert held <= share or sum(1 for w, s in zip(weights, stage_of, strict=True) if s == k and w) == 1


def only_together(problem: Problem) -> Problem:
    return problem.with_constraints(tuple(c for c in problem.constraints if not isinstance(c, Pin)))


@given(edge_problems(objective="stage-time"))
def test_units_stand_as_in_the_file(problem: Problem) -> None:
    problem = only_together(problem)
    units, order = units_in_order(problem)
    assert sorted(order.tolist()) == list(range(units.count))
    place = np.empty(units.count, int)
    place[order] = range(units.count)
    src, dst = problem.graph.edges
    assert (place[units.unit_of[src]] <= place[units.unit_of[dst]]).all()
    if units.count == problem.graph.n:
        assert [
            int(np.flatnonzero(units.unit_of == u)[0]) for u in order
        ] == problem.graph.topological_order.tolist()


def slow(problem: Problem, unit_of: np.ndarray, order: np.ndarray, limit: float) -> list[int] | None:
    """Ends of the longest runs of units within the limit, each priced by evaluating a whole plan."""
    wide = Problem(
        problem.graph, problem.target.__class__(**{**vars(problem.target), "count": 3}), "stage-time"
    )
    m, begin, ends = len(order), 0, []
    place = np.empty(m, int)
    place[order] = range(m)
    for _ in range(problem.target.count):
        best = begin
        for end in range(begin + 1, m + 1):
            where = place[unit_of]
            stage = np.where(where < begin, 0, np.where(where < end, 1, 2)).astype(np.int32)
            if wide.evaluate(stage).cost[1] <= limit + 1e-12:
                best = end
        if best == begin and begin < m:
            return None
        ends.append(best)
        begin = best
    return ends if begin == m else None


@settings(max_examples=60)
@given(edge_problems(objective="stage-time"), st.floats(0.0, 30.0))
def test_each_stage_takes_the_longest_run_within_the_limit(problem: Problem, limit: float) -> None:
    problem = only_together(problem)
    units, order = units_in_order(problem)
    cut = TimedCut(units, order)
    found, expected = cut.within(limit), slow(problem, units.unit_of, order, limit)
    assert (None if found is None else found[0].tolist()) == expected
    if found is not None:
        device_of = stages_of(found[0], order)[units.unit_of]
        assert problem.evaluate(device_of).cost.max() == pytest.approx(found[1])
    everything = cut.within(math.inf)
    assert everything is not None and (everything[0] == units.count).all()
