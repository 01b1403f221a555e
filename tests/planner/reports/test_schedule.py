"""Schedules: nothing overlaps, nothing comes too early, and the figures are those of the objective."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from planner.errors import StageboardError
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.model.graph import Graph, Op, Tensor
from planner.problem.problem import Problem
from planner.problem.provenance import Provenance
from planner.reports.schedule.common import (
    common_schedules,
    counted_alike,
    practice_interval,
    speed,
)
from planner.reports.schedule.parts import RECEIVE, SEND, SYNC, WORK
from planner.reports.schedule.schedule import KINDS, MOST_SAMPLES, PHASES, Schedule, kinds_for, schedule
from tests.planner.machines.mcm.strategies import mcm_problems
from tests.planner.problem.examples import streaming_row
from tests.planner.strategies import graphs, placements, pools, problems

CLOSE = 1e-6
few = settings(max_examples=30)


def drawn(data: st.DataObject, kind: str | None = None) -> tuple[Problem, np.ndarray, Schedule]:
    problem = data.draw(problems(constraints=False, options=True))
    kinds = kinds_for(problem)
    assume(kind is None or kind in kinds)
    device_of = np.array(data.draw(placements(problem)), np.int32)
    chosen = kind or data.draw(st.sampled_from(kinds))
    return (
        problem,
        device_of,
        schedule(problem, device_of, kind=chosen, samples=data.draw(st.integers(1, 6))),
    )


def slack(s: Schedule) -> float:
    return CLOSE * max(1.0, s.end)


@few
@given(st.data())
def test_bars_of_one_lane_do_not_overlap(data: st.DataObject) -> None:
    _, _, s = drawn(data)
    assert (s.finish > s.start).all()
    assert (s.lane < s.lane_count[s.device]).all()
    for d in np.unique(s.device):
        for lane in range(s.lane_count[d]):
            mine = np.flatnonzero((s.device == d) & (s.lane == lane))
            mine = mine[np.argsort(s.start[mine], kind="stable")]
            assert (s.start[mine[1:]] >= s.finish[mine[:-1]] - slack(s)).all()


@few
@given(st.data())
def test_a_piece_starts_when_all_it_needs_is_there(data: st.DataObject) -> None:
    problem, device_of, s = drawn(data)
    src, dst = problem.graph.edges
    assert (s.piece_device[s.piece_of] == device_of).all()
    assert (s.piece_of[src] <= s.piece_of[dst]).all()
    for sample in range(s.samples):
        end = np.zeros(len(s.piece_device))
        for p in range(len(end)):
            feeding = np.unique(s.piece_of[src[(s.piece_of[dst] == p) & (s.piece_of[src] != p)]])
            ready = end[feeding].max(initial=0.0)
            bars = np.flatnonzero((s.piece == p) & (s.sample == sample))
            assert (s.start[bars] >= ready - slack(s)).all()
            # Phases follow each other.
            bars = bars[np.argsort(s.phase[bars])]
            assert (s.start[bars[1:]] >= s.finish[bars[:-1]] - slack(s)).all()
            end[p] = s.finish[bars].max(initial=ready)


@few
@given(st.data())
def test_each_sample_takes_what_the_evaluation_says(data: st.DataObject) -> None:
    problem, device_of, s = drawn(data)
    assume(s.kind != "latency" and problem.objective != "latency" and problem.evaluator.sync_rate == 0)
    evaluation = problem.evaluate(device_of)
    used = np.bincount(device_of, minlength=len(problem.devices)) > 0
    parts = (evaluation.receive, evaluation.streaming, evaluation.work, evaluation.send)
    for sample in range(s.samples):
        for phase, expected in enumerate(parts):
            bars = (s.sample == sample) & (s.phase == phase)
            told = np.bincount(s.device[bars], (s.finish - s.start)[bars], minlength=len(used))
            assert told == pytest.approx(np.where(used, expected, 0.0), abs=slack(s))


@few
@given(st.data())
def test_the_period_is_the_objective(data: st.DataObject) -> None:
    problem, device_of, s = drawn(data)
    assume(s.kind == kinds_for(problem)[0])
    if problem.objective == "latency":
        assert s.period == pytest.approx(problem.evaluate(device_of).objective)
        return
    if (problem.objective == "gpipe") == (s.kind == "gpipe"):
        assert s.period == pytest.approx(problem.evaluate(device_of).objective)


@few
@given(st.data())
def test_one_more_sample_takes_one_more_period(data: st.DataObject) -> None:
    problem, device_of, s = drawn(data)
    more = schedule(problem, device_of, kind=s.kind, samples=s.samples + 1)
    assert more.end - s.end == pytest.approx(s.period, abs=slack(more))
    assert more.period == s.period


@few
@given(st.data())
def test_the_bottleneck_never_waits_in_the_steady_state(data: st.DataObject) -> None:
    problem, device_of, _ = drawn(data)
    kind = kinds_for(problem)[0]
    assume(kind in ("pipelined", "pipedream"))
    s = schedule(problem, device_of, kind=kind, samples=30)
    steady = [span for span in s.spans if span.name == "steady state"]
    assume(steady)
    finish = steady[0].finish
    turns = math.lcm(*np.maximum(problem.evaluate(device_of).replicas, 1).tolist())
    whole = (finish - steady[0].start) // (turns * s.period) * turns
    assume(whole)
    start = finish - whole * s.period
    busy = np.zeros((len(problem.devices), int(s.lane_count.max())))
    inside = np.maximum(0.0, np.minimum(s.finish, finish) - np.maximum(s.start, start))
    np.add.at(busy, (s.device, s.lane), inside)
    told = busy.max(axis=1) / (finish - start)
    assert told == pytest.approx(s.share, abs=1e-6)
    for d in s.bottlenecks:
        assert told[d] == pytest.approx(1.0, abs=1e-6)


@few
@given(st.data())
def test_one_sample_at_a_time_equals_a_slow_simulation(data: st.DataObject) -> None:
    problem, _, s = drawn(data, "latency")
    assert s.period == pytest.approx(slow_latency(problem, s), abs=1e-9)
    assert s.end == pytest.approx(s.period * s.samples, abs=slack(s))
    # The critical pieces leave no hole from the start to the end.
    first = s.sample == 0
    if not first.any():
        return
    chain = sorted((s.start[b], s.finish[b]) for b in np.flatnonzero(first & s.critical[s.piece]))
    assert chain[0][0] == 0.0
    assert chain[-1][1] == pytest.approx(s.period)
    assert all(b == pytest.approx(c) for (_, b), (c, _) in itertools.pairwise(chain))


def slow_latency(problem: Problem, s: Schedule) -> float:
    """Section 4 by sets and loops over the pieces that the schedule has."""
    graph, e = problem.graph, problem.evaluator
    # One sample is on one copy of a stage: there is nothing to synchronise, which evaluations count as streaming.
    streamed_in = problem.evaluate(s.piece_device[s.piece_of]).streaming
    streaming = streamed_in if e.sync_rate == 0 else np.zeros(e.k)
    tensors = [
        (
            int(graph.tensor_producer[t]),
            graph.consumer_idx[graph.consumer_ptr[t] : graph.consumer_ptr[t + 1]].tolist(),
            float(e.tensor_time[t]),
        )
        for t in range(graph.tensor_count)
    ]
    end: dict[int, float] = {}
    free: dict[int, float] = {}
    streamed: set[int] = set()
    for p, d in enumerate(s.piece_device.tolist()):
        ops = set(s.ops(p).tolist())
        takes = sum(float(e.work[e.class_of[d], v]) for v in ops)
        ready = 0.0
        for producer, consumers, time in tensors:
            if producer not in ops and ops & set(consumers):
                ready = max(ready, end[int(s.piece_of[producer])])
                takes += time if e.pays[d] else 0.0
            if producer in ops and set(consumers) - ops:
                takes += time if e.pays[d] else 0.0
        if d not in streamed:
            takes += float(streaming[d])
            streamed.add(d)
        if e.pays[d]:
            ready = max(ready, free.get(int(e.owner[d]), 0.0))
            free[int(e.owner[d])] = ready + takes
        end[p] = ready + takes
    return max(end.values(), default=0.0)


@few
@given(graphs(training=True), st.data())
def test_gpipe_flushes_between_forward_and_backward(graph: Graph, data: st.DataObject) -> None:
    problem = Problem(graph, data.draw(pools()), "gpipe")
    assume("gpipe" in kinds_for(problem))
    device_of = np.array(data.draw(placements(problem)), np.int32)
    s = schedule(problem, device_of, samples=data.draw(st.integers(1, 5)))
    backward = s.piece_part[s.piece] == 1
    if backward.any() and (~backward).any():
        assert s.start[backward].min() >= s.finish[~backward].max() - slack(s)


# ---------------------------------------------------------------------- the figures of the paper
def chain(devices: int, *, training: bool = False) -> Problem:
    """One op per device, each of work 3 with transfers of 0.5: figures 5a and 7."""
    ops = [Op(f"f{i}", f"f{i}", work=3.0, work_cpu=3.0) for i in range(devices)]
    tensors = [Tensor(f"f{i}", (f"f{i + 1}",), 1.0, 0.5) for i in range(devices - 1)]
    if training:
        ops += [Op(f"b{i}", f"b{i}", work=3.0, work_cpu=3.0, backward=True) for i in range(devices)]
        tensors += [Tensor(f"b{i + 1}", (f"b{i}",), 1.0, 0.5) for i in range(devices - 1)]
        tensors += [Tensor(f"f{devices - 1}", (f"b{devices - 1}",), 1.0, 0.0)]
    return Problem(Graph.build("chain", ops, tensors), DevicePool(devices, 0))


def test_pipelined_inference() -> None:
    s = schedule(chain(3), np.arange(3, dtype=np.int32))
    assert s.kind == "pipelined"
    assert s.period == 4.0  # the one in the middle receives and sends
    assert s.bottlenecks == (1,)
    assert s.share.tolist() == [0.875, 1.0, 0.875]
    middle = s.device == 1
    assert sorted({(int(x), PHASES[p]) for x, p in zip(s.sample[middle], s.phase[middle], strict=True)})[
        :3
    ] == [
        (0, "receive"),
        (0, "send"),
        (0, "work"),
    ]
    work = np.sort(s.start[middle & (s.phase == WORK)])
    assert (np.diff(work) == 4.0).all()
    assert [span.name for span in s.spans] == ["ramp-up", "steady state", "drain"]
    assert not s.virtual


def test_pipedream_alternates_forward_and_backward() -> None:
    s = schedule(chain(3, training=True), np.tile(np.arange(3, dtype=np.int32), 2))
    assert s.kind == "pipedream"
    steady = next(span for span in s.spans if span.name == "steady state")
    for d in range(3):
        inside = np.flatnonzero(
            (s.device == d) & (s.phase == WORK) & (s.start >= steady.start) & (s.finish <= steady.finish)
        )
        parts = s.piece_part[s.piece[inside[np.argsort(s.start[inside])]]]
        assert (parts[1:] != parts[:-1]).all()


def test_a_split_that_is_not_contiguous_has_virtual_devices() -> None:
    problem = chain(4)
    problem = Problem(problem.graph, DevicePool(2, 0, contiguous=False))
    s = schedule(problem, np.array([0, 1, 0, 1], np.int32))
    assert s.virtual
    assert s.piece_device.tolist() == [0, 1, 0, 1]
    assert s.numbers.tolist() == [0, 0, 1, 1]
    assert s.ops(2).tolist() == [2]
    assert s.period == problem.evaluate(np.array([0, 1, 0, 1], np.int32)).objective


def test_a_lane_for_each_resource_when_transfers_overlap_work() -> None:
    graph = chain(3).graph
    for communication, lanes in (
        ("overlap", ("work", "transfers")),
        ("duplex", ("receive", "work", "send")),
    ):
        problem = Problem(graph, DevicePool(3, 0, communication=communication))
        s = schedule(problem, np.arange(3, dtype=np.int32))
        assert s.lanes == lanes
        assert s.period == problem.evaluate(np.arange(3, dtype=np.int32)).objective == 3.0
        sends = s.lane[s.phase == SEND]
        assert (sends == (1 if communication == "overlap" else 2)).all()


def test_copies_of_a_stage_take_turns() -> None:
    ops = [Op(x, x, work=6.0, work_cpu=6.0, param_bytes=8.0) for x in "ab"]
    graph = Graph.build("two", ops, [Tensor("a", ("b",), 2.0, 1.0)])
    halves = np.array([0, 2], np.int32)
    for communication, period in (("sum", 7.0), ("overlap", 6.0)):
        pool = DevicePool(4, 0, bandwidth=2.0, communication=communication, replication=True)
        problem = Problem(graph, pool)
        evaluation = problem.evaluate(halves)
        s = schedule(problem, halves, samples=6)
        assert s.period == evaluation.objective < period
        stage = {d: int(evaluation.serves[d]) for d in range(4)}
        assert sorted(stage.values()) == [0, 0, 2, 2]
        work = s.phase == WORK
        for sample in range(6):
            devices = s.device[work & (s.sample == sample)].tolist()
            assert sorted(stage[d] for d in devices) == [0, 2]
        assert np.bincount(s.device[work]).tolist() == [3, 3, 3, 3]
        synchronised = (s.finish - s.start)[s.phase == SYNC]
        assert synchronised == pytest.approx(4.0)  # (r - 1) P / B for each of a copy's own samples
        assert s.share[0] == s.share[1]


@few
@given(st.data())
def test_every_plan_has_both_speeds_of_its_schedules_whatever_its_objective(data: st.DataObject) -> None:
    problem = data.draw(problems(constraints=False, options=True))
    plan = problem.plan(np.array(data.draw(placements(problem)), np.int32), Provenance("hand"))
    kinds, figures, found = kinds_for(problem), plan.evaluation.figures, speed(plan)
    device_of = plan.decision.device_of
    if "latency" not in figures:
        assert found.latency == pytest.approx(schedule(problem, device_of, kind="latency").period)
    if kinds == ("latency",):
        assert math.isnan(found.interval) and "subgraphs" in found.why
        return
    assert not found.why
    stream = next(kind for kind in kinds if kind != "latency")
    period = schedule(problem, device_of, kind=stream).period
    if "throughput" in figures:
        assert found.interval == pytest.approx(1.0 / figures["throughput"], nan_ok=True)
    else:
        assert found.interval == pytest.approx(period if period > 0.0 else math.nan, nan_ok=True)


def test_slots_of_an_accelerator_have_one_kind_of_schedule() -> None:
    problem = Problem(chain(2).graph, DevicePool(1, 0, subgraphs=2), "latency")
    assert kinds_for(problem) == ("latency",)


def test_cores_of_a_cpu_run_side_by_side() -> None:
    ops = [Op(x, x, work=1.0, work_cpu=2.0) for x in "abcd"]
    graph = Graph.build("fan", ops, [Tensor("a", ("b", "c", "d"), 1.0, 1.0)])
    s = schedule(Problem(graph, DevicePool(1, 1)), np.ones(4, np.int32), kind="latency")
    assert s.period == 4.0
    assert s.lane_count.tolist() == [1, 3]


def test_parameters_that_do_not_fit_are_streamed() -> None:
    ops = [Op(x, x, work=1.0, work_cpu=1.0, param_bytes=10.0) for x in "ab"]
    graph = Graph.build("two", ops, [Tensor("a", ("b",), 1.0, 1.0)])
    problem = Problem(graph, Pipeline(2, bandwidth=2.0, memory=6.0))
    for kind in ("pipelined", "latency"):
        s = schedule(problem, np.array([0, 1], np.int32), kind=kind, samples=1)
        streamed = s.phase == PHASES.index("stream parameters")
        assert (s.finish - s.start)[streamed].tolist() == [2.0, 2.0]


@pytest.mark.parametrize("objective", ["stage-time", "inference-time"])
def test_what_comes_from_the_host_is_received_and_what_goes_to_it_sent(objective: str) -> None:
    """Bars have the parts of each stage's time as its evaluation has them: no transfer looks like work."""
    kib = 2.0**10
    ops = [Op(f"n{i}", f"n{i}", "Conv2D" if i else "Input", work=1e-3 * i, work_cpu=1e-3) for i in range(4)]
    tensors = [Tensor(f"n{i}", (f"n{i + 1}",) if i < 3 else (), 256 * kib) for i in range(4)]
    problem = Problem(Graph.build("fed", ops, tensors, time_unit="s"), EdgeTpuPipeline(2), objective)
    device_of = np.array([0, 0, 1, 1], np.int32)
    evaluation, s = problem.evaluate(device_of), schedule(problem, device_of, samples=1)
    for phase, part in ((RECEIVE, evaluation.receive), (WORK, evaluation.work), (SEND, evaluation.send)):
        for d in range(2):
            bars = (s.device == d) & (s.phase == phase)
            assert (s.finish - s.start)[bars].sum() == pytest.approx(part[d]) and part[d] > 0
    alone = schedule(problem, device_of, kind="latency", samples=1)
    for phase, part in (
        (RECEIVE, evaluation.receive),
        (SEND, evaluation.send),
    ):  # each at the rate of its direction
        for d in range(2):
            bars = (alone.device == d) & (alone.phase == phase)
            assert (alone.finish - alone.start)[bars].sum() == pytest.approx(part[d])
    assert alone.finish.max() == pytest.approx(evaluation.cost.sum())


def test_no_device_sets_the_pace_where_all_stream_over_one_link() -> None:
    """Samples are as far apart as the objective says, and devices are busy for shares of that."""
    target, device_of = EdgeTpuPipeline(2, precision="file", cache=6e8), np.array([0, 0, 1, 1], np.int32)
    problem = Problem(streaming_row(), target, "inference-time")
    e, s = problem.evaluate(device_of), schedule(problem, device_of, samples=5)
    assert s.period == e.objective > e.cost.max() and s.bottlenecks == ()
    assert s.share == pytest.approx(e.cost / e.objective)
    assert math.isnan(practice_interval(e, s.period))
    first = [float(s.start[s.sample == i].min()) for i in range(5)]
    assert np.diff(first) == pytest.approx(s.period)
    by_stages = Problem(streaming_row(), target, "stage-time")
    s = schedule(by_stages, device_of)
    assert s.period == by_stages.evaluate(device_of).objective and s.bottlenecks == (1,)


def test_forward_work_that_waits_for_backward_work_runs_after_the_flush() -> None:
    ops = [
        Op("f", "f", work=1.0, work_cpu=1.0),
        Op("b", "b", work=2.0, work_cpu=2.0, backward=True),
        Op("late", "late", work=1.0, work_cpu=1.0),
    ]
    graph = Graph.build("odd", ops, [Tensor("f", ("b",), 1.0, 0.0), Tensor("b", ("late",), 1.0, 0.0)])
    s = schedule(Problem(graph, DevicePool(3, 0)), np.arange(3, dtype=np.int32), kind="gpipe", samples=3)
    late = s.device == 2
    assert s.start[late].min() >= s.finish[s.device == 0].max()


@given(mcm_problems(), st.data())
@settings(max_examples=60)
def test_one_sample_on_chips_takes_its_latency(problem: Problem, data: st.DataObject) -> None:
    device_of = np.array(data.draw(placements(problem)), np.int32)
    s = schedule(problem, device_of, kind="latency", samples=1)
    found = problem.evaluate(device_of)
    assert s.period == pytest.approx(found.figures["latency"])
    spent = [found.cost[s.piece_device[p]] for p in np.flatnonzero(s.critical)]
    hops = problem.target.hop * (problem.target.count - 1)
    assert s.period - hops <= sum(spent) + 1e-9
    assert sum(spent) <= s.period + 1e-9


def test_no_load_at_all() -> None:
    graph = Graph.build(
        "nothing", [Op("a", "a", work=0.0, work_cpu=0.0), Op("b", "b", work=0.0, work_cpu=0.0)], []
    )
    s = schedule(Problem(graph, Pipeline(2)), np.array([0, 1], np.int32))
    assert (s.end, s.period, len(s.start), s.spans, s.bottlenecks) == (0.0, 0.0, 0, (), ())
    assert schedule(Problem(graph, Pipeline(2)), np.array([0, 1], np.int32), kind="latency").end == 0.0


def test_what_cannot_be_shown_is_said() -> None:
    problem = chain(2)
    assert kinds_for(problem) == ("pipelined", "latency")
    assert set(kinds_for(chain(2, training=True))) <= set(KINDS)
    with pytest.raises(StageboardError, match="no gpipe schedule for chain; choose pipelined or latency"):
        schedule(problem, np.arange(2, dtype=np.int32), kind="gpipe")
    with pytest.raises(StageboardError, match=f"choose 1 to {MOST_SAMPLES}"):
        schedule(problem, np.arange(2, dtype=np.int32), samples=0)


def test_schedules_on_one_axis_count_the_same_whatever_plans_are_made_for() -> None:
    """A plan for least memory beside one for the time of an inference, on a link that all stages stream over."""
    ops = [
        Op(f"op{i}", f"op{i}", work=1e-3, work_cpu=1e-3, params=2**20, param_bytes=2**20) for i in range(6)
    ]
    edges = [Tensor(f"op{i}", (f"op{i + 1}",), bytes=4.0) for i in range(5)]
    graph = Graph.build("streamed", ops, edges, time_unit="s")
    target = EdgeTpuPipeline(2, cache=1e6)
    held, fast, late = (
        Problem(graph, target, objective).plan(np.array(split, np.int32), Provenance("hand"), "")
        for objective, split in (
            ("memory-1-2-3", [0, 0, 0, 0, 1, 1]), ("inference-time", [0, 0, 0, 1, 1, 1]), ("stage-time", [0, 0, 0, 1, 1, 1]),
        )
    )  # fmt: skip
    assert held.evaluation.rests is None and fast.evaluation.rests is not None
    for plans in ((held, fast), (fast, held), (late, held, fast)):
        _, made = common_schedules(plans)
        for plan, one in zip(plans, made, strict=True):
            assert one.period == pytest.approx(1.0 / plan.evaluation.figures["throughput"])
            assert not one.bottlenecks, "the link sets the pace of all"
    assert counted_alike((held, late)) == [(held.problem, held.evaluation), (late.problem, late.evaluation)]
    assert counted_alike((fast, fast)) == [(fast.problem, fast.evaluation)] * 2
