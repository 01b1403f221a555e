"""The bound method of Edge TPU pipelines: what it proves is the optimum, and never more."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.machines.catalogue import default_bound
from planner.machines.edge_tpu.bounds.ilp import Ilp
from planner.machines.edge_tpu.memory.units import MEMORY_OBJECTIVES
from planner.problem.problem import Problem
from planner.search.run import run_bound
from planner.search.stop import Cancel
from tests.planner.machines.edge_tpu.brute import components, least, valid_plans
from tests.planner.machines.edge_tpu.strategies import edge_problems

byte_problems = st.sampled_from(sorted(MEMORY_OBJECTIVES)).flatmap(
    lambda name: edge_problems(objective=name, most=6)
)


def check(problem: Problem, route: str) -> None:
    assert default_bound(problem).name == "ilp"
    result = run_bound(Ilp(), problem, options={"route": route})
    best = least(problem)
    if best is None:
        assert result.bounds[-1].value == math.inf
        return
    assert result.device_of is None
    standing = problem.standing(best, result.bounds)
    assert standing.status == "optimal"
    assert [c.bound.value for c in standing.components if c.bound] == pytest.approx(list(best))
    every = components(problem, valid_plans(problem))
    for bound in result.bounds:
        spoken = np.ones(len(every), bool)
        for name, most in bound.given:
            spoken &= every[:, problem.components.index(name)] <= most + 1e-9
        assert (every[spoken, problem.components.index(bound.component)] >= bound.value - 1e-9).all()


@settings(max_examples=40)
@given(byte_problems)
def test_bounds_over_ideals_are_the_optimum(problem: Problem) -> None:
    check(problem, "ideals")


@settings(max_examples=5)
@given(byte_problems)
def test_bounds_of_the_program_are_the_optimum(problem: Problem) -> None:
    check(problem, "ilp")


@settings(max_examples=20)
@given(byte_problems, st.integers(1, 6))
def test_what_was_proven_before_a_cancel_holds(problem: Problem, looks: int) -> None:
    left = iter(range(looks))
    result = run_bound(Ilp(), problem, Cancel(lambda: next(left, None) is None), options={"route": "ideals"})
    best = least(problem)
    if best is not None:
        first = [b.value for b in result.bounds if b.component == problem.components[0] and not b.given]
        assert all(value <= best[0] + 1e-9 for value in first)
