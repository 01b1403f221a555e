"""Which devices of a story's plans have one colour."""

from __future__ import annotations

from itertools import permutations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from planner.machines.pool.target import DevicePool
from planner.problem.problem import Plan, Problem
from planner.problem.provenance import Provenance
from planner.reports.comparison import compare
from planner.story.matching import Matched
from planner.story.telling import moved_ops
from tests.planner.reports.comparison.test_comparison import chain

POOL = Problem(chain(10), DevicePool(3, 1))
ALL_ON_ONE = [0] * 10
# Four ops on the last accelerator: most of what is on the first one where all are there, though no op is to be renamed.
SPREAD = [0, 0, 0, 1, 1, 1, 2, 2, 2, 2]
ALMOST = [0, 0, 0, 0, 1, 1, 2, 2, 2, 2]
RENAMED = [2, 2, 2, 0, 0, 0, 1, 1, 1, 1]


def plan(device_of: list[int], by: str = "slice") -> Plan:
    return POOL.plan(np.array(device_of, np.int32), Provenance(by), "")


def test_a_plan_on_one_device_renames_none_of_the_plans_after_it() -> None:
    plans = [plan(each) for each in (ALL_ON_ONE, SPREAD, ALMOST)]
    assert Matched(plans, [(False, [i]) for i in range(3)]).numbers == {}
    matched = Matched(plans, [*((False, [i]) for i in range(3)), (True, [0, 2])])
    assert matched.numbers == {0: (0, 1, 2, 3), 2: (0, 1, 2, 3)}
    # The first and the last compared match otherwise, in the story as in the window.
    alone = compare([plans[0], plans[2]])
    assert len(alone.moved(1)) == 6
    assert compare([plans[0], plans[2]], rows=matched.rows([0, 2])).rows == alone.rows
    assert matched.rows([0, 1]) is None


def test_ops_that_stay_keep_their_colour_from_plan_to_plan() -> None:
    """Accelerators that are only called otherwise have the colours of those shown before."""
    plans = [plan(each) for each in (ALL_ON_ONE, SPREAD, RENAMED, ALMOST)]
    matched = Matched(plans, [(False, [i]) for i in (0, 1, 2, 3, 2)])
    assert matched.numbers == {2: (1, 2, 0, 3)}  # and the one after it those of its own
    compared = Matched(plans, [*((False, [i]) for i in range(3)), (True, [1, 2])])
    rows = compared.rows([1, 2])
    assert rows == [(0, (0, 2)), (1, (1, 0)), (2, (2, 1)), (3, (3, 3))]
    assert not len(compare([plans[1], plans[2]], rows=rows).moved(1))


def placed(data: st.DataObject, count: int) -> list[Plan]:
    """Plans that differ from the one before by a few ops and by names of accelerators."""
    found = [data.draw(st.lists(st.integers(0, 3), min_size=10, max_size=10))]
    while len(found) < count:
        names = [*data.draw(st.permutations(range(3))), 3]
        moved = data.draw(st.dictionaries(st.integers(0, 9), st.integers(0, 3), max_size=5))
        found.append([names[moved.get(op, device)] for op, device in enumerate(found[-1])])
    return [plan(each) for each in found]


@given(st.data())
def test_a_comparison_of_a_story_is_that_of_the_window(data: st.DataObject) -> None:
    """Whichever is the reference, whatever was shown in between, and however many comparisons there are."""
    plans = placed(data, 4)
    pairs = data.draw(st.lists(st.permutations(range(4)).map(lambda p: p[:2]), min_size=1, max_size=3))
    told = [*((False, [i]) for i in range(4)), *((True, pair) for pair in pairs)]
    matched = Matched(plans, data.draw(st.permutations(told)))
    for a, b in pairs:
        pair = [plans[a], plans[b]]
        assert compare(pair, rows=matched.rows([a, b])).rows == compare(pair).rows


@given(st.data())
def test_devices_keep_their_names_unless_others_halve_what_moves(data: st.DataObject) -> None:
    first, second = placed(data, 2)
    fewest, as_named = (
        min(
            np.count_nonzero(first.decision.device_of != np.array([*names, 3])[second.decision.device_of])
            for names in possible
        )
        for possible in (list(permutations(range(3))), [range(3)])
    )
    moved = len(compare([first, second]).moved(1))
    assert moved == (fewest if 2 * fewest <= as_named else as_named)


def test_what_is_made_by_hand_keeps_its_devices() -> None:
    """Nobody who moved all ops to another accelerator looks at a slide on which no op moved, or has moved the few that stayed."""
    most = [0] + [1] * 9
    for by, numbers, moved in (("hand", {}, 9), ("slice", {1: (1, 0, 2, 3)}, 1)):
        plans = [plan(ALL_ON_ONE, by), plan(most, by)]
        assert Matched(plans, [(False, [0]), (False, [1])]).numbers == numbers
        assert len(compare(plans).moved(1)) == moved
        assert len(moved_ops(*plans)) == moved
    half = [plan(ALL_ON_ONE), plan([0] * 4 + [1] * 6)]
    assert Matched(half, [(False, [0]), (False, [1])]).numbers == {}
    assert len(compare(half).moved(1)) == 6, "exchanged, four would have moved: no reason to"
