"""Rows of a comparison: order, numbers, names, and that devices in a row never cross, whatever the plans."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.errors import StageboardError
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.mcm.target import McmPackage
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.problem.problem import Plan, Problem
from planner.problem.provenance import Provenance
from planner.problem.target import Target
from planner.reports.comparison import Comparison, compare
from planner.reports.comparison.rows import device_numbers
from tests.planner.reports.comparison.test_comparison import chain, plan
from tests.planner.strategies import graphs


@st.composite
def mixed_plans(draw: st.DrawFn, pools: bool = True) -> list[Plan]:
    """Two to four plans of one graph on rows and pools of devices of several lengths; they may break rules."""
    graph = draw(graphs())
    kinds = st.sampled_from([Pipeline, EdgeTpuPipeline, *([DevicePool] if pools else [])])
    found = []
    for _ in range(draw(st.integers(2, 4))):
        kind, count = draw(kinds), draw(st.integers(1, 5))
        target: Target = DevicePool(count, 1, contiguous=False) if kind is DevicePool else kind(count)
        problem = Problem(graph, target)
        k = len(problem.devices)
        device_of = draw(st.lists(st.integers(0, k - 1), min_size=graph.n, max_size=graph.n))
        found.append(problem.plan(np.array(device_of, np.int32), Provenance("test")))
    return found


def devices_of(comparison: Comparison, i: int) -> list[int]:
    """Plan i's devices as the rows list them."""
    return [row.devices[i] for row in comparison.rows if row.devices[i] >= 0]


@given(mixed_plans())
def test_devices_in_a_row_never_cross(given: list[Plan]) -> None:
    comparison = compare(given)
    in_a_row = [i for i, each in enumerate(given) if each.problem.target.in_a_row]
    for i, each in enumerate(given):
        assert sorted(devices_of(comparison, i)) == list(range(len(each.problem.devices)))
    for i in in_a_row:
        for j in in_a_row:
            pairs = [row.devices for row in comparison.rows if row.devices[i] >= 0 and row.devices[j] >= 0]
            pairs.sort(key=lambda devices: devices[i])
            assert [devices[j] for devices in pairs] == sorted(devices[j] for devices in pairs)
            counts = [len(given[at].problem.devices) for at in (i, j)]
            if counts[0] == counts[1]:
                assert all(devices[i] == devices[j] for devices in pairs) and len(pairs) == counts[0]
    if 0 in in_a_row:
        for i in in_a_row:  # the order of the rows is that of every row of devices
            assert devices_of(comparison, i) == list(range(len(given[i].problem.devices)))


@given(mixed_plans())
def test_the_reference_is_listed_in_its_order_and_keeps_its_numbers(given: list[Plan]) -> None:
    comparison = compare(given)
    first = len(given[0].problem.devices)
    own = [row for row in comparison.rows if row.devices[0] >= 0]
    assert [row.devices[0] for row in own] == [row.number for row in own] == list(range(first))
    assert sorted(comparison.numbers) == list(range(len(comparison.rows)))


@given(mixed_plans())
def test_matched_devices_have_one_number(given: list[Plan]) -> None:
    comparison = compare(given)
    for i, numbers in enumerate(device_numbers(given)):
        assert list(numbers) == [comparison.numbers[row] for row in comparison.row_of[i].tolist()]


@given(mixed_plans(), st.data())
def test_rows_are_numbered_as_devices_are_elsewhere(given: list[Plan], data: st.DataObject) -> None:
    counts = [len(each.problem.devices) for each in given]
    own = [data.draw(st.sampled_from([[], data.draw(st.permutations(range(k)))])) for k in counts]
    leading = data.draw(st.integers(0, len(given) - 1))
    before = compare(given)
    after = before.numbered(own, leading)
    rows = before.row_of[leading].tolist()
    assert [after.numbers[row] for row in rows] == list(own[leading] or range(counts[leading]))
    assert len(set(after.numbers)) == len(after.rows)
    assert [row.devices for row in after.rows] == [row.devices for row in before.rows]


@given(mixed_plans(pools=False))
def test_as_many_devices_meet_the_reference_as_there_can_be(given: list[Plan]) -> None:
    comparison = compare(given)
    for i, each in enumerate(given):
        met = sum(min(row.devices[0], row.devices[i]) >= 0 for row in comparison.rows)
        assert met == min(len(given[0].problem.devices), len(each.problem.devices))


@given(mixed_plans())
def test_another_plan_with_as_many_devices_changes_no_row(given: list[Plan]) -> None:
    """Plans on rows of equal length agree with each other on what is whose counterpart."""
    last = given[-1]
    if len(given) == 4 or not last.problem.target.in_a_row:
        return
    again = last.problem.plan(np.zeros(last.problem.graph.n, np.int32), Provenance("test"))
    before, after = compare(given), compare([*given, again])
    assert [row.devices for row in before.rows] == [row.devices[:-1] for row in after.rows]
    assert all(row.devices[-1] == row.devices[-2] for row in after.rows)


def test_no_plan_on_as_many_stages_differs_by_its_stages_names() -> None:
    """All ops on the first stage, against most of them on the last: nothing is called otherwise."""
    problem = Problem(chain(), Pipeline(4))
    comparison = compare([plan(problem, [0, 1, 2, 3, 3, 3]), plan(problem, [0] * 6)])
    assert [row.devices for row in comparison.rows] == [(d, d) for d in range(4)]
    assert comparison.moved(1).tolist() == [1, 2, 3, 4, 5]
    assert [comparison.row_title(row) for row in range(4)] == [f"Stage {d}" for d in range(4)]
    assert comparison.picked([4, 5], 1).tolist() == [0, 1, 2, 3, 0, 0]


def test_further_stages_come_where_they_belong_and_all_names_are_said() -> None:
    graph = chain(8)
    two, three, four = (Problem(graph, Pipeline(count)) for count in (2, 3, 4))
    comparison = compare(
        [
            plan(two, [0, 0, 0, 0, 1, 1, 1, 1]),
            plan(three, [0, 0, 0, 1, 2, 2, 2, 2]),
            plan(four, [0, 0, 1, 2, 3, 3, 3, 3]),
        ]
    )
    assert [row.devices for row in comparison.rows] == [(0, 0, 0), (-1, -1, 1), (-1, 1, 2), (1, 2, 3)]
    assert comparison.numbers == (0, 3, 2, 1)
    assert [comparison.row_title(row) for row in range(4)] == [
        "Stage 0", "Stage 1 (C)", "Stage 1 in B, 2 in C", "Stage 1 in A, 2 in B, 3 in C",
    ]  # fmt: skip
    assert comparison.row_title(3, short=True) == "stage 1 in A, 2 in B, 3 in C"
    assert comparison.device_name(3, 2) == "stage 3" and comparison.device_name(1, 0) == ""
    assert comparison.moved(2).tolist() == [2, 3]
    assert comparison.moved(2, 1).tolist() == [2]
    # Ops go to the counterpart, by whatever name.
    assert comparison.picked([4, 7], 2).tolist() == [0, 0, 0, 0, 1, 1, 1, 1]


def test_no_two_devices_of_a_comparison_have_one_name() -> None:
    """The first plan's own stage 1, which the second does not have, is not what the second calls stage 1."""
    graph = chain(8)
    two, four = Problem(graph, Pipeline(2)), Problem(graph, Pipeline(4))
    comparison = compare(
        [plan(four, [0, 0, 1, 2, 3, 3, 3, 3]), plan(two, [0, 0, 0, 0, 1, 1, 1, 1]), plan(four, [0] * 8)]
    )
    names = [comparison.row_title(row) for row in range(4)]
    assert names == ["Stage 0", "Stage 1 (A and C)", "Stage 2", "Stage 3 in A and C, 1 in B"]
    with pytest.raises(StageboardError, match=r"Stage 1 \(A and C\) has no counterpart in plan B"):
        comparison.picked([2], 0, 1)


def test_several_letters_share_a_name() -> None:
    graph = chain()
    two, three = Problem(graph, Pipeline(2)), Problem(graph, Pipeline(3))
    later = plan(three, [0, 0, 1, 2, 2, 2])
    comparison = compare([plan(two, [0, 0, 0, 1, 1, 1]), later, later])
    assert comparison.row_title(1) == "Stage 1 (B and C)"
    assert comparison.row_title(2) == "Stage 1 in A, 2 in B and C"


def test_chips_and_edge_tpus_stand_in_a_row_and_a_pool_does_not() -> None:
    assert (McmPackage.in_a_row, EdgeTpuPipeline.in_a_row, Pipeline.in_a_row) == (True, True, True)
    assert not DevicePool.in_a_row


def test_beside_a_pool_any_stage_meets_any_accelerator() -> None:
    graph = chain()
    pool = plan(Problem(graph, DevicePool(2, 0)), [1, 1, 1, 0, 0, 0])
    row = plan(Problem(graph, Pipeline(2)), [0, 0, 0, 1, 1, 1])
    longer = plan(Problem(graph, Pipeline(3)), [0, 0, 0, 1, 1, 2])
    assert [each.devices for each in compare([row, pool]).rows] == [(0, 1), (1, 0)]
    # Rows of devices are still aligned with each other where the reference is a pool.
    assert [each.devices for each in compare([pool, row, longer]).rows] == [(0, 1, 1), (1, 0, 0), (-1, -1, 2)]
    # A pool's device beyond the reference can be the counterpart of a stage that comes between.
    three = plan(Problem(graph, DevicePool(3, 0)), [2, 2, 2, 0, 1, 1])
    between = plan(Problem(graph, Pipeline(3)), [0, 0, 0, 1, 2, 2])
    assert [each.devices for each in compare([row, three, between]).rows] == [
        (0, 2, 0),
        (-1, 0, 1),
        (1, 1, 2),
    ]
