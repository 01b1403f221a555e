"""Every rule against the slow reference, and its sentences."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.evaluation.contiguity import device_cycles
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.model.graph import Graph, Op, Tensor
from planner.problem.problem import Pin, Problem, Together
from tests.planner import reference
from tests.planner.strategies import placements, problems

pytestmark = pytest.mark.coverage


@given(st.data())
def test_violations_equal_the_reference(data: st.DataObject) -> None:
    problem = data.draw(problems(options=True, alike=False))
    device_of = data.draw(placements(problem))
    violations = problem.evaluator.violations(np.array(device_of, np.int32))
    assert {v.kind for v in violations} == reference.broken(problem, device_of)
    for v in violations:
        assert v.sentence
        assert all(0 <= op < problem.graph.n for op in v.ops)
        assert all(0 <= d < len(problem.devices) for d in v.devices)


def abcd(**more: object) -> Graph:
    """Two independent edges a -> b and c -> d."""
    ops = [Op(i, f"op_{i}", work=1.0, work_cpu=1.0, memory=2.0**20, **more) for i in "abcd"]  # type: ignore[arg-type]
    return Graph.build("abcd", ops, [Tensor("a", ("b",), 1.0), Tensor("c", ("d",), 1.0)])


def sentences(problem: Problem, device_of: list[int]) -> list[str]:
    return [v.sentence for v in problem.evaluate(np.array(device_of)).violations]


def test_sending_back_names_producer_consumer_and_stages() -> None:
    problem = Problem(abcd(), Pipeline(3))
    assert sentences(problem, [2, 1, 0, 0]) == [
        "op_a sends back from stage 2 to stage 1, where op_b needs it"
    ]
    assert sentences(problem, [0, 2, 1, 1]) == []


def test_each_device_on_its_own_may_look_contiguous_while_two_wait_for_each_other() -> None:
    problem = Problem(abcd(), DevicePool(2, 0))
    found = problem.evaluate(np.array([0, 1, 1, 0])).violations
    assert [v.kind for v in found] == ["contiguous"]
    assert found[0].sentence == (
        "acc 0 and acc 1 wait for each other: op_a feeds op_b from acc 0 to acc 1, op_c feeds op_d from acc 1 to acc 0"
    )
    assert found[0].ops == (0, 1, 2, 3)
    assert sentences(problem, [0, 1, 0, 1]) == []


def test_backward_contiguity_says_so_and_long_cycles_are_shortened() -> None:
    n = 8
    ops = [Op(str(i), f"b{i}", work=1.0, work_cpu=1.0, backward=True) for i in range(n)]
    graph = Graph.build("ring", ops, [Tensor(str(i), (str(i + 1),), 1.0) for i in range(0, n, 2)])
    device_of = [i // 2 if i % 2 == 0 else (i // 2 + 1) % 4 for i in range(n)]
    text = sentences(Problem(graph, DevicePool(4, 0)), device_of)
    assert text == [
        "4 devices wait for each other in the backward pass: b0 feeds b1 from acc 0 to acc 1,"
        " b2 feeds b3 from acc 1 to acc 2, ..."
    ]


def test_memory_names_the_device_and_the_excess() -> None:
    problem = Problem(abcd(), DevicePool(2, 1, memory=2.5 * 2**20))
    found = problem.evaluate(np.array([0, 0, 0, 1])).violations
    assert [v.sentence for v in found] == ["acc 0 holds 3.00 MiB, 512.0 KiB more than fits"]
    assert found[0].devices == (0,)
    assert set(found[0].ops) == {0, 1, 2}
    assert sentences(problem, [2, 2, 2, 2]) == []


def test_support_pins_and_keep_together() -> None:
    graph = abcd(supported=False)
    problem = Problem(graph, DevicePool(1, 1))
    assert sentences(problem, [0, 1, 1, 1]) == ["op_a is not supported on acc 0"]
    problem = Problem(abcd(), Pipeline(3), constraints=(Pin("a", "stage 1"), Together(("b", "d"))))
    assert sentences(problem, [0, 1, 0, 2]) == [
        "op_b and op_d must share a device but are on stage 1 and stage 2",
        "op_a is pinned to stage 1 but placed on stage 0",
    ]
    assert sentences(problem, [1, 2, 0, 2]) == []


def test_colour_classes_hold_on_a_pool_only() -> None:
    ops = [Op(i, i, work=1.0, work_cpu=1.0, colour_class=7) for i in "ab"]
    graph = Graph.build("pair", ops, [])
    assert sentences(Problem(graph, Pipeline(2)), [0, 1]) == []
    assert sentences(Problem(graph, DevicePool(2, 0)), [0, 1]) == [
        "a and b must share a device but are on acc 0 and acc 1"
    ]


@given(
    st.integers(1, 5).flatmap(
        lambda k: st.lists(st.lists(st.booleans(), min_size=k, max_size=k), min_size=k, max_size=k)
    )
)
def test_device_cycles_are_cycles_and_none_is_missed(rows: list[list[bool]]) -> None:
    adjacent = np.array(rows)
    before = adjacent.copy()
    cycles = device_cycles(adjacent)
    assert (adjacent == before).all()
    k = len(adjacent)
    for cycle in cycles:
        assert len(set(cycle)) == len(cycle) > 1
        assert all(adjacent[a, b] for a, b in zip(cycle, cycle[1:] + cycle[:1], strict=True))
    arcs = {(a, b) for a in range(k) for b in range(k) if a != b and adjacent[a, b]}
    assert (not cycles) == reference.orderable(arcs, set(range(k)))
