"""Full evaluation against the slow reference, and hand-made cases of each formula."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.errors import PlanError, TargetError
from planner.evaluation import kernels
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.model.graph import Graph, Op, Tensor
from planner.problem.problem import Problem
from tests.planner import reference
from tests.planner.strategies import placements, problems

pytestmark = pytest.mark.coverage


@given(st.data())
def test_evaluation_equals_the_reference(data: st.DataObject) -> None:
    problem = data.draw(problems(options=True, alike=False))
    device_of = data.draw(placements(problem))
    evaluation = problem.evaluate(np.array(device_of))
    assert evaluation.objective == pytest.approx(reference.objective(problem, device_of))
    assert problem.evaluator.objective(np.array(device_of, np.int32)) == pytest.approx(evaluation.objective)
    assert evaluation.components == {problem.objective: evaluation.objective}
    assert not problem.evaluator.working_set().any()
    assert evaluation.cost[evaluation.bottleneck] == evaluation.cost.max()
    assert evaluation.ops.tolist() == [device_of.count(d) for d in range(len(problem.devices))]
    if problem.objective == "latency":
        check_busy_times(problem, device_of)
    elif getattr(problem.target, "replication", False):
        check_stages(problem, device_of)
    else:
        check_devices(problem, device_of)


def check_devices(problem: Problem, device_of: list[int]) -> None:
    """Each device pays what its own ops and border tensors cost."""
    evaluation = problem.evaluate(np.array(device_of))
    for d in range(len(problem.devices)):
        parts = reference.parts(problem, device_of, d)
        assert evaluation.receive[d] == pytest.approx(sum(parts["receive"]))
        assert evaluation.work[d] == pytest.approx(sum(parts["work"]))
        assert evaluation.send[d] == pytest.approx(sum(parts["send"]))
        assert evaluation.streaming[d] == pytest.approx(reference.streaming(problem, device_of, d))
        assert evaluation.cost[d] == pytest.approx(reference.cost(problem, device_of, d))
        assert evaluation.replicas[d] == (d in device_of)
        assert evaluation.serves[d] == (d if d in device_of else -1)


def check_stages(problem: Problem, device_of: list[int]) -> None:
    """A stage costs what its number of devices makes of it, every one of them alike; nobody serves another kind."""
    e = problem.evaluate(np.array(device_of))
    for d in range(len(problem.devices)):
        assert (e.replicas[d] > 0) == (d in device_of)
        stage = int(e.serves[d])
        if d in device_of:
            assert stage == d and e.replicas[d] == np.count_nonzero(e.serves == d)
            assert e.cost[d] == pytest.approx(reference.stage_cost(problem, device_of, d, int(e.replicas[d])))
        elif stage >= 0:
            assert stage in device_of and problem.devices[stage].kind == problem.devices[d].kind
            assert e.cost[d] == e.cost[stage]
        else:
            assert e.cost[d] == 0.0
        if problem.target.communication == "sum":
            assert e.receive[d] + e.work[d] + e.streaming[d] + e.send[d] == pytest.approx(e.cost[d])


def check_busy_times(problem: Problem, device_of: list[int]) -> None:
    """Each device is busy with its subgraphs, one after the other; every op runs when its subgraph does."""
    evaluation = problem.evaluate(np.array(device_of))
    times = reference.latency_times(problem, device_of)
    expected = np.zeros((3, len(problem.devices)))
    schedule = problem.evaluator.schedule(np.array(device_of))
    for ops, (start, finish) in times.items():
        expected[:, device_of[min(ops)]] += reference.piece_parts(problem, device_of, ops)
        for v in ops:
            assert (schedule.start[v], schedule.finish[v]) == pytest.approx((start, finish))
    assert evaluation.receive == pytest.approx(expected[0])
    assert evaluation.work == pytest.approx(expected[1])
    assert evaluation.send == pytest.approx(expected[2])
    assert evaluation.cost == pytest.approx(expected.sum(axis=0))
    assert (schedule.cuts == 0) == reference.runs_in_one_go(problem, device_of)


def fan_out() -> Graph:
    """a feeds b and c with one tensor of 8 bytes; b feeds c with 4 bytes."""
    ops = [
        Op(i, i, work=w, work_cpu=10 * w, param_bytes=16.0) for i, w in (("a", 1.0), ("b", 2.0), ("c", 3.0))
    ]
    return Graph.build("fan", ops, [Tensor("a", ("b", "c"), 8.0), Tensor("b", ("c",), 4.0)])


def test_a_tensor_is_sent_once_and_received_once_by_each_consuming_device() -> None:
    evaluation = Problem(fan_out(), Pipeline(3, bandwidth=4.0)).evaluate(np.array([0, 1, 2]))
    assert evaluation.send.tolist() == [2.0, 1.0, 0.0]
    assert evaluation.receive.tolist() == [0.0, 2.0, 3.0]
    assert evaluation.cost.tolist() == [3.0, 5.0, 6.0]
    assert evaluation.objective == 6.0
    assert evaluation.bottleneck == 2
    assert evaluation.valid


def test_two_consumers_on_one_device_receive_together() -> None:
    evaluation = Problem(fan_out(), Pipeline(2, bandwidth=4.0)).evaluate(np.array([0, 1, 1]))
    assert evaluation.receive.tolist() == [0.0, 2.0]
    assert evaluation.send.tolist() == [2.0, 0.0]


def test_parameters_beyond_the_memory_are_streamed() -> None:
    problem = Problem(fan_out(), Pipeline(2, bandwidth=4.0, memory=24.0, reserve=4.0))
    evaluation = problem.evaluate(np.array([0, 1, 1]))
    assert evaluation.streaming.tolist() == [0.0, (32.0 + 4.0 - 24.0) / 4.0]
    assert evaluation.cost[1] == 2.0 + 5.0 + 3.0


def test_a_reserve_alone_can_exceed_the_memory_even_of_an_empty_block() -> None:
    evaluation = Problem(fan_out(), Pipeline(2, bandwidth=4.0, memory=4.0, reserve=8.0)).evaluate(np.zeros(3))
    assert evaluation.streaming.tolist() == [(48.0 + 4.0) / 4.0, 1.0]


def test_cpus_pay_no_transfers_but_accelerators_pay_them_from_cpus_too() -> None:
    problem = Problem(fan_out(), DevicePool(2, 1, bandwidth=4.0))
    evaluation = problem.evaluate(np.array([2, 0, 1]))
    assert evaluation.cost.tolist() == [2.0 + 2.0 + 1.0, 2.0 + 1.0 + 3.0, 10.0]


@pytest.mark.parametrize(("mode", "expected"), [("sum", 5.0), ("overlap", 3.0), ("duplex", 2.0)])
def test_communication_modes(mode: str, expected: float) -> None:
    problem = Problem(fan_out(), DevicePool(2, 1, bandwidth=4.0, communication=mode))
    assert problem.evaluate(np.array([2, 0, 1])).cost[0] == expected


def test_gpipe_adds_the_forward_and_the_backward_maximum() -> None:
    ops = [Op("f", "f", work=5.0, work_cpu=0.0), Op("b", "b", work=7.0, work_cpu=0.0, backward=True)]
    graph = Graph.build("two", ops, [])
    apart = np.array([0, 1])
    assert Problem(graph, DevicePool(2, 0), "gpipe").evaluate(apart).objective == 12.0
    assert Problem(graph, DevicePool(2, 0), "max-load").evaluate(apart).objective == 7.0


def test_a_plan_must_place_every_op_on_a_known_device() -> None:
    problem = Problem(fan_out(), Pipeline(2))
    with pytest.raises(PlanError, match="a plan for 3 ops was expected, this one places 2"):
        problem.evaluate(np.array([0, 1]))
    with pytest.raises(PlanError, match="op 'b' is on device 2, but there are 2 devices"):
        problem.evaluate(np.array([0, 2, 1]))
    with pytest.raises(PlanError, match="op 'a' is on device -1"):
        problem.evaluate(np.array([-1, 0, 1]))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Pipeline(0), "at least one block"),
        (lambda: Pipeline(2.5), "must be a whole number"),  # type: ignore[arg-type]
        (lambda: Pipeline(True), "must be a whole number"),
        (lambda: Pipeline(2000), "from 0 to 1024"),
        (lambda: Pipeline(2, bandwidth=math.nan), "the bandwidth is nan"),
        (lambda: Pipeline(2, memory=-1.0), "the memory of a block is -1.0; it must be zero or more"),
        (lambda: Pipeline(2, reserve=-1.0), "the reserved memory"),
        (lambda: DevicePool(0, 0), "at least one device"),
        (lambda: DevicePool(1, -1), "the number of CPUs"),
        (lambda: DevicePool(1, 1, memory=0.0), "must be more than zero"),
        (lambda: DevicePool(1, 1, bandwidth="x"), "the bandwidth is 'x'"),  # type: ignore[arg-type]
        (lambda: DevicePool(1, 1, communication="none"), "choose sum, overlap or duplex"),
    ],
)
def test_impossible_machines_are_refused(make: object, words: str) -> None:
    with pytest.raises(TargetError, match=words):
        make()  # type: ignore[operator]


def test_streaming_without_a_time_unit_needs_a_bandwidth() -> None:
    graph = Graph.build("unitless", [Op("a", "a", work=1.0, work_cpu=1.0)], [], time_unit=None)
    with pytest.raises(TargetError, match="has no time unit"):
        Problem(graph, Pipeline(2, memory=8.0))
    assert Problem(graph, Pipeline(2, memory=8.0, bandwidth=1.0)).evaluate(np.array([0])).objective == 1.0


def test_infinite_parameters_are_written_as_null() -> None:
    assert Pipeline(2).to_dict()["memory"] is None
    assert DevicePool(2, 1).machine().keys() == {"kind", "accelerators", "cpus", "communication", "bandwidth"}


@given(st.data())
def test_loads_are_those_of_every_tensor_one_by_one(data: st.DataObject) -> None:
    problem = data.draw(problems())
    e = problem.evaluator
    device_of = np.array(data.draw(placements(problem)), np.int32)
    counts, receive, _, send, *_ = e.raw(device_of)
    summed, sent = np.zeros_like(receive), np.zeros_like(send)
    for i, u in enumerate(e.tensor_producer.tolist()):
        kernels.add_tensor(
            counts[i], device_of[u], e.part[u], e.tensor_time[i], e.send_time[i], e.pays, e.pace, summed, sent, 1.0
        )  # fmt: skip
    assert np.array_equal(receive, summed) and np.array_equal(send, sent)
