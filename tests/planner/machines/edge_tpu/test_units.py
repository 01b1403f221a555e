"""Units of an Edge TPU pipeline: what they weigh and send is what the target says."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from planner.machines.edge_tpu.memory.ilp import narrowed
from planner.machines.edge_tpu.memory.units import MEMORY_OBJECTIVES, edge_tpu_units, grain_of
from planner.problem.problem import Problem
from planner.search.search import Callbacks, Search
from planner.search.stop import Never
from tests.planner.machines.edge_tpu import reference as edge_reference
from tests.planner.machines.edge_tpu.brute import components, valid_plans
from tests.planner.machines.edge_tpu.strategies import edge_problems

byte_problems = st.sampled_from(sorted(MEMORY_OBJECTIVES)).flatmap(
    lambda name: edge_problems(objective=name, most=6)
)


@given(byte_problems)
def test_every_valid_plan_is_one_of_the_units_and_measures_the_same(problem: Problem) -> None:
    edge, plans = edge_tpu_units(problem), valid_plans(problem)
    assert edge.feasible == bool(len(plans))
    first = np.unique(edge.units.unit_of, return_index=True)[1]
    for plan, values in zip(plans[:40], components(problem, plans[:40]), strict=True):
        stage_of = plan[first].astype(np.int32)
        assert (edge.device_of(stage_of) == plan).all() and edge.keeps(stage_of)
        found = edge.measures(stage_of)
        assert [edge.value(c, found[c]) for c in problem.components] == values.tolist()
        for c in problem.components:
            assert edge.simple_bound(c) <= found[c]
        limit = found["max-memory"]
        earliest, latest = narrowed(edge, limit, Search(problem, Never(), Callbacks(), 0, {}))
        assert (earliest <= stage_of).all() and (stage_of <= latest).all()


@given(byte_problems)
def test_the_plan_to_begin_with_is_valid(problem: Problem) -> None:
    edge = edge_tpu_units(problem)
    if edge.feasible:
        stage_of = edge.balanced()
        assert edge.keeps(stage_of)
        assert edge_reference.is_valid(problem, edge.device_of(stage_of).tolist())


@given(byte_problems, st.integers(2, 6))
def test_coarser_numbers_are_smaller_and_never_overstate(problem: Problem, bits: int) -> None:
    fine = edge_tpu_units(problem)
    coarse = fine.coarser(bits)
    for plan in valid_plans(problem)[:20]:
        stage_of = plan[np.unique(fine.units.unit_of, return_index=True)[1]].astype(np.int32)
        exact, found = fine.measures(stage_of), coarse.measures(stage_of)
        for c in problem.components:
            assert coarse.value(c, found[c]) <= fine.value(c, exact[c])
    assert (coarse.total * coarse.stages // coarse.weight_step).bit_length() <= bits
    assert (int(coarse.size.sum()) * coarse.stages // coarse.size_step).bit_length() <= bits


def test_the_grain_makes_numbers_whole_where_there_is_room() -> None:
    assert grain_of(np.array([1.0, 7.0]), 8.0) == 1.0
    assert grain_of(np.array([1.5, 0.125]), 2.0) == 8.0
    # 0.1 has 55 binary digits behind the point, of which as many are kept as sums have room for.
    assert grain_of(np.array([0.1]), 2.0**30) == 2.0**30
    assert grain_of(np.array([2.0**62]), 2.0**62) == 0.25
