"""Interchangeable devices are numbered as those of another plan, and nothing else changes."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.problem.problem import Pin, Problem
from planner.problem.provenance import Provenance
from planner.reports.comparison import compare
from planner.reports.comparison.renumbering import elsewhere, renumbered
from tests.planner.reports.comparison.test_comparison import chain
from tests.planner.strategies import placements, problems

GRAPH = chain(10)
POOL = Problem(GRAPH, DevicePool(2, 1))
FIRST = np.array([0, 0, 0, 0, 1, 1, 1, 2, 2, 2], np.int32)
OTHER = np.array([1, 1, 1, 0, 0, 0, 0, 2, 2, 2], np.int32)
CALLED_ALIKE = [0, 0, 0, 1, 1, 1, 1, 2, 2, 2]


def test_accelerators_are_called_as_in_the_plan_on_the_canvas() -> None:
    assert renumbered(POOL, OTHER, FIRST).tolist() == CALLED_ALIKE
    assert renumbered(POOL, renumbered(POOL, OTHER, FIRST), FIRST).tolist() == CALLED_ALIKE
    assert np.flatnonzero(elsewhere(POOL, OTHER, FIRST)).tolist() == [3]


def test_what_a_pin_names_or_stands_in_a_row_keeps_its_number() -> None:
    for device in ("acc 0", "acc 1"):
        pinned = replace(POOL, constraints=(Pin(GRAPH.op_ids[0], device),))
        assert renumbered(pinned, OTHER, FIRST) is OTHER
    row = Problem(GRAPH, Pipeline(3))
    assert renumbered(row, OTHER, FIRST) is OTHER
    assert np.count_nonzero(elsewhere(row, OTHER, FIRST)) == 6


@settings(max_examples=25)
@given(st.data())
def test_a_renumbered_plan_is_worth_the_same_and_no_further_away(data: st.DataObject) -> None:
    problem = data.draw(problems(options=True, alike=False))
    device_of, like = (np.asarray(data.draw(placements(problem)), np.int32) for _ in range(2))
    found = renumbered(problem, device_of, like)
    before, after = problem.evaluate(device_of), problem.evaluate(found)
    assert before.values == after.values
    assert Counter(v.kind for v in before.violations) == Counter(v.kind for v in after.violations)
    assert np.count_nonzero(found != like) <= np.count_nonzero(device_of != like)
    assert not np.any(
        (problem.evaluator.pinned >= 0) & (found != device_of) & (device_of == problem.evaluator.pinned)
    )


@settings(max_examples=25)
@given(st.data())
def test_one_count_of_moved_ops(data: st.DataObject) -> None:
    """That of a comparison, whichever of both is its reference."""
    problem = data.draw(problems(options=True, alike=False))
    first, second = (np.asarray(data.draw(placements(problem)), np.int32) for _ in range(2))
    by = data.draw(st.sampled_from(["hand", "slice"]))
    plans = [problem.plan(device_of, Provenance(by), "") for device_of in (first, second)]
    count = np.count_nonzero(elsewhere(problem, second, first, by_hand=by == "hand"))
    assert count == len(compare(plans).moved(1)) == len(compare(plans[::-1]).moved(1))
