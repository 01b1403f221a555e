"""Which devices of a story's plans have one colour."""

from __future__ import annotations

import numpy as np

from planner.machines.pool.target import DevicePool
from planner.problem.problem import Plan, Problem
from planner.problem.provenance import Provenance
from planner.reports.comparison import compare
from planner.story.matching import Matched
from tests.planner.reports.comparison.test_comparison import chain

POOL = Problem(chain(10), DevicePool(3, 1))
ALL_ON_ONE = [0] * 10
# Four ops on the last accelerator: most of what is on the first one where all are there, though no op is to be renamed.
SPREAD = [0, 0, 0, 1, 1, 1, 2, 2, 2, 2]
ALMOST = [0, 0, 0, 0, 1, 1, 2, 2, 2, 2]
RENAMED = [2, 2, 2, 0, 0, 0, 1, 1, 1, 1]


def plan(device_of: list[int]) -> Plan:
    return POOL.plan(np.array(device_of, np.int32), Provenance("hand"), "")


def test_a_plan_on_one_device_renames_none_of_the_plans_after_it() -> None:
    plans = [plan(each) for each in (ALL_ON_ONE, SPREAD, ALMOST)]
    assert Matched(plans, [(False, [i]) for i in range(3)]).numbers == {}
    # The first and the last compared match otherwise, in the story as elsewhere they have the colours of the window.
    assert compare([plans[0], plans[2]]).row_title(0) != "Accelerator 0"
    matched = Matched(plans, [*((False, [i]) for i in range(3)), (True, [0, 2])])
    assert matched.numbers == {0: (0, 1, 2, 3), 2: (0, 1, 2, 3)}
    assert matched.rows([0, 2]) == [(d, (d, d)) for d in range(4)]
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
