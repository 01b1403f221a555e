"""The Edge TPU pipeline against its slow reference: bytes, times, rules, live evaluation, and what the names mean."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.errors import TargetError
from planner.evaluation.parameter_bytes import parameter_bytes, tensor_bytes
from planner.formats import read_model
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.pipeline.target import Pipeline
from planner.machines.spec import parse_target, target_from_dict
from planner.model.cost_model import fill
from planner.model.graph import Graph, Op, Tensor
from planner.problem.problem import Pin, Problem
from planner.quantity import bytes_text
from planner.reports.schedule.schedule import schedule
from planner.search.search import Callbacks, Search
from planner.search.stop import Never
from tests.planner.machines.edge_tpu import reference
from tests.planner.machines.edge_tpu.brute import valid_plans
from tests.planner.machines.edge_tpu.strategies import edge_problems

pytestmark = pytest.mark.coverage

any_problems = st.one_of(edge_problems(), edge_problems(objective="inference-time"))


def assignment(data: st.DataObject, problem: Problem) -> list[int]:
    k = problem.target.count
    return data.draw(st.lists(st.integers(0, k - 1), min_size=problem.graph.n, max_size=problem.graph.n))


@given(any_problems, st.data())
def test_evaluation_is_the_reference(problem: Problem, data: st.DataObject) -> None:
    device_of = assignment(data, problem)
    e = problem.evaluate(np.array(device_of, np.int32))
    assert dict(e.components) == pytest.approx(reference.components(problem, device_of))
    assert e.objective == e.values[0]
    assert problem.evaluator.objective(np.array(device_of, np.int32)) == pytest.approx(e.objective)
    for k in range(problem.target.count):
        parts = reference.parts(problem, device_of, k)
        off_chip = parts["streaming"]
        streaming = reference.adding(problem, device_of)[0][k]
        if (
            problem.objective != "stage-time"
        ):  # all but the published formula count what activations push out, too
            parts["streaming"] = streaming
        for name, value in parts.items():
            assert getattr(e, name)[k] == pytest.approx(value, abs=1e-9)
        assert e.cost[k] == pytest.approx(sum(parts.values()))
        held = reference.memory(problem, device_of, k)
        assert e.memory[k] == held == e.details["cache"][k] + e.details["dram"][k]
        assert e.details["cache"][k] <= problem.target.cache
        pushed = (streaming - off_chip) * problem.target.streaming
        assert e.details["pushed"][k] == pytest.approx(pushed, abs=1.0) and e.details["pushed"][k] >= 0
        assert e.details["bytes_in"][k] == reference.entering(problem, device_of, k)
        assert e.details["bytes_out"][k] == reference.leaving(problem, device_of, k)
    assert e.valid == reference.is_valid(problem, device_of)
    assert e.figures["latency"] == pytest.approx(np.sum(reference.adding(problem, device_of)))
    # A stream can be run one inference at a time.
    assert 1.0 / e.figures["throughput"] <= e.figures["latency"] * (1.0 + 1e-9)
    if problem.objective == "inference-time":
        assert e.pace == pytest.approx(np.add(*reference.adding(problem, device_of)))
        assert 1.0 / e.figures["throughput"] == pytest.approx(e.objective)
    else:
        assert (e.pace == (e.cost if problem.objective == "stage-time" else e.memory)).all()
    assert problem.evaluator.components(np.array(device_of, np.int32)) == pytest.approx(e.values)
    assert problem.evaluator.plain is (problem.objective == "stage-time")


@given(any_problems, st.data())
@settings(max_examples=60)
def test_live_evaluation_follows_moves(problem: Problem, data: st.DataObject) -> None:
    n, k = problem.graph.n, problem.target.count
    live = problem.live(assignment(data, problem))
    for _ in range(data.draw(st.integers(1, 5))):
        ops = sorted(data.draw(st.sets(st.integers(0, n - 1), min_size=1, max_size=3)))
        delta, check = live.delta(ops), live.check(ops)
        for d in range(k):
            after = live.device_of.copy()
            after[ops] = d
            full = problem.evaluate(after)
            assert delta.components[:, d] == pytest.approx(full.values)
            assert delta.objective[d] == pytest.approx(full.objective)
            assert delta.cost[d] == pytest.approx(full.cost)
            assert delta.memory[d] == pytest.approx(full.memory)
            if full.valid:
                assert check.legal[d]
        if live.evaluation.valid:
            for d in np.flatnonzero(check.legal):
                after = live.device_of.copy()
                after[ops] = d
                assert reference.is_valid(problem, after.tolist())
        live.apply(ops, data.draw(st.integers(0, k - 1)))
        assert live.components == pytest.approx(live.evaluation.values)
        assert live.objective == pytest.approx(live.evaluation.objective)
    live.undo()
    assert live.components == pytest.approx(live.evaluation.values)


@given(st.sampled_from(["memory-1-2-3", "inference-time"]).flatmap(edge_problems), st.data())
@settings(max_examples=40)
def test_suggested_moves_improve_in_order(problem: Problem, data: st.DataObject) -> None:
    live = problem.live(assignment(data, problem))
    now = problem.evaluate(live.device_of).values
    for move in live.best_moves(10):
        after = live.device_of.copy()
        after[list(move.ops)] = move.device
        then = problem.evaluate(after).values
        assert then == pytest.approx(move.components) and then < now
        first = next(i for i, (a, b) in enumerate(zip(now, then, strict=True)) if a != b)
        assert move.component == problem.components[first]
        assert move.gain == pytest.approx(now[first] - then[first]) and move.objective == move.components[0]


def made(*, dtype: str = "float32", time_unit: str | None = "s") -> Graph:
    """Input -> convolution -> batch normalisation -> two readers, one of which reads the input too."""
    ops = [
        Op("in", "in", "InputLayer"),
        Op(
            "conv", "conv", "Conv2D", params=9.0, param_bytes=36.0, macs=100.0, attrs={"activation": "linear"}
        ),
        Op("norm", "norm", "BatchNormalization", params=4.0, param_bytes=16.0),
        Op("a", "a", "Conv2D", params=2.0, param_bytes=8.0),
        Op("b", "b", "Add"),
    ]
    tensors = [
        Tensor("in", ("conv", "b"), 16.0, dtype=dtype),
        Tensor("conv", ("norm",), 8.0, dtype=dtype),
        Tensor("norm", ("a", "b"), 8.0, dtype=dtype),
        Tensor("a", (), 4.0, dtype=dtype),
        Tensor("b", (), 4.0, dtype=dtype),
    ]
    return fill(Graph.build("made", ops, tensors, time_unit=time_unit))


def test_floating_point_counts_as_int8() -> None:
    graph = made()
    assert parameter_bytes(graph).tolist() == [0, 9, 4, 2, 0]
    assert parameter_bytes(graph, fold_batch_norm=True).tolist() == [0, 9, 0, 2, 0]
    assert parameter_bytes(graph, "file").tolist() == [0, 36, 16, 8, 0]
    assert tensor_bytes(graph).tolist() == [4, 2, 2, 1, 1]
    assert tensor_bytes(graph, "file").tolist() == [16, 8, 8, 4, 4]
    assert parameter_bytes(made(dtype="int8")).tolist() == [0, 36, 16, 8, 0]


def test_a_shared_op_keeps_its_children_on_one_stage() -> None:
    problem = Problem(made(), EdgeTpuPipeline(2, shared_children=True))
    groups = problem.groups.group_of
    assert groups[1] == groups[4] == groups[3] and groups[0] != groups[1]
    assert problem.assumptions == {"rule:order", "rule:shared_children"}
    e = problem.evaluate(np.array([0, 0, 0, 1, 0], np.int32))
    assert [v.kind for v in e.violations] == ["shared_children"]
    assert e.violations[0].sentence == (
        "a and b both read from norm and must share a stage but are on stage 1 and stage 0"
    )
    live = problem.live(np.zeros(5, np.int32))
    assert live.check([3]).codes[1] and live.check(problem.groups.expand([3])).codes.tolist() == [0, 1]
    split = problem.live(np.array([0, 0, 0, 1, 0], np.int32))
    # One of three children of one op: the others disagree, so every place is wrong; with the mates it is right.
    assert split.check([0]).legal.tolist() == [True, False]


def test_three_children_in_disagreement_block_every_place() -> None:
    ops = [Op(x, x, work=0.0, work_cpu=0.0) for x in "rabc"]
    graph = Graph.build("g", ops, [Tensor("r", ("a", "b", "c"), 1.0)])
    live = Problem(graph, EdgeTpuPipeline(2, shared_children=True)).live([0, 0, 1, 0])
    assert not live.check([3]).legal.any()
    assert live.check([1, 2, 3]).legal.all()


def test_specification_round_trip() -> None:
    target = parse_target("edge-tpu:6,cache=6.9MiB,shared_children=true,up=40e6,precision=file")
    assert isinstance(target, EdgeTpuPipeline) and target.count == 6 and target.cache == 6.9 * 2**20
    assert parse_target(target.spec()) == target == target_from_dict(target.to_dict())
    assert parse_target("edge-tpu").spec() == "edge-tpu:4"
    assert target.unit("dram") == "B" and target.unit("stage-time") == target.unit("inference-time") == ""
    assert [d.name for d in target.devices(made())][:2] == ["stage 0", "stage 1"]


@pytest.mark.parametrize(
    ("spec", "part"),
    [
        ("edge-tpu:0", "at least one Edge TPU"),
        ("edge-tpu:2,precision=int4", "choose from int8, file"),
        ("edge-tpu:2,up=0", "up is 0"),
        ("edge-tpu:2,cache=-1", "cache"),
        ("edge-tpu:2,idle_power=-1", "idle_power"),
        ("edge-tpu:2,utilisation=45", "utilisation is 45; .* at most 1"),
    ],
)
def test_bad_parameters_are_refused(spec: str, part: str) -> None:
    with pytest.raises(TargetError, match=part):
        parse_target(spec)


def test_a_graph_without_a_time_unit_is_refused() -> None:
    graph = Graph.build("g", [Op("a", "a", work=1.0, work_cpu=1.0)], [], time_unit=None)
    with pytest.raises(TargetError, match="without a unit"):
        Problem(graph, EdgeTpuPipeline(2))


def test_a_sample_by_hand() -> None:
    """ResNet50's parameters at a byte each, wherever they are put."""
    graph = read_model("sample_models/resnet50.json")
    problem = Problem(graph, EdgeTpuPipeline(1))
    e = problem.evaluate(np.zeros(graph.n, np.int32))
    assert problem.components == ("max-memory", "dram", "max-communication")
    assert e.values == (25_636_712.0, 25_636_712.0 - 8 * 2**20, 0.0)
    # The picture comes in, 1,000 scores go out.
    assert e.receive[0] == pytest.approx(224 * 224 * 3 / problem.target.down)
    assert e.send[0] == pytest.approx(1000 / problem.target.up)


def test_the_time_per_inference_is_suggested_where_everything_fits() -> None:
    ops = [Op(f"n{i}", f"n{i}", param_bytes=4.0 * 2**20, params=2**20, macs=1e6) for i in range(4)]
    edges = [Tensor(f"n{i}", (f"n{i + 1}",), 1000.0) for i in range(3)]
    graph = fill(Graph.build("chain", ops, edges, time_unit="s"))
    even = np.array([0, 0, 1, 1], np.int32)
    target = EdgeTpuPipeline(2, cache=9 * 2.0**20)
    problem = Problem(graph, target)
    name, why = target.suggested_objective(problem.objective, problem.evaluate(even))
    assert (
        name == "inference-time"
        and why == "all parameters fit the caches, so that memory is not what is short"
    )
    # Activations that push parameters out again are not what the memory objectives count, and cost time.
    tight = Problem(graph, replace(target, cache=8 * 2.0**20))
    name, why = tight.target.suggested_objective(tight.objective, tight.evaluate(even))
    out = bytes_text(float(tight.evaluate(even).details["pushed"].sum()))
    pushed = f"activations push out {out}"
    assert name == "inference-time" and tight.target.throughput_note(tight.evaluate(even)) == pushed
    assert why.startswith(f"all parameters fit the caches, but {pushed} (") and why.endswith(
        "), which this objective does not count"
    )
    apart = Problem(graph, replace(tight.target, shared_link=False))
    _, why = apart.target.suggested_objective(apart.objective, apart.evaluate(even))
    assert why == f"all parameters fit the caches, but {pushed}, which this objective does not count"
    # Nothing is suggested where something is streamed, rules are broken, or time is what is planned for.
    assert target.suggested_objective(problem.objective, problem.evaluate(np.zeros(4, np.int32))) == ("", "")
    assert target.suggested_objective(problem.objective, problem.evaluate(even[::-1].copy())) == ("", "")
    timed = Problem(graph, target, "inference-time")
    assert target.suggested_objective("inference-time", timed.evaluate(even)) == ("", "")
    pipeline = Problem(graph, Pipeline(2))
    assert Pipeline(2).suggested_objective("bottleneck", pipeline.evaluate(even)) == ("", "")


@pytest.mark.parametrize("objective", ["inference-time", "memory-1-2-3"])
@pytest.mark.parametrize("kind", ["pipelined", "latency"])
def test_what_activations_push_out_is_streamed_wherever_it_is_told(kind: str, objective: str) -> None:
    """Also where bytes are planned for: a stage has one time."""
    problem = replace(chained(precision="int8", cache=8.0 * 2**20), objective=objective)
    e, s = problem.evaluate(TWO), schedule(problem, TWO, kind=kind, samples=1)
    assert (e.details["pushed"] > 0).all() and not e.details["dram"].any()
    assert (e.pace == (e.memory if objective == "memory-1-2-3" else e.cost)).all()
    assert e.cost == pytest.approx(e.receive + e.work + e.streaming + e.send)
    assert e.streaming == pytest.approx(e.details["pushed"] / problem.target.streaming)
    took = np.bincount(s.device, s.finish - s.start, 2)
    assert took == pytest.approx(e.cost)
    pace = e.objective if objective == "inference-time" else e.cost.max()
    assert s.period == pytest.approx(pace if kind == "pipelined" else e.figures["latency"])
    live = problem.live(TWO)
    for op in range(problem.graph.n):
        delta = live.delta([op])
        for d in range(2):
            moved = TWO.copy()
            moved[op] = d
            after = problem.evaluate(moved)
            assert delta.cost[d] == pytest.approx(after.cost) and delta.components[:, d] == pytest.approx(
                after.values
            )
    assert live.objective == pytest.approx(e.objective)
    for move in live.best_moves(legal_only=False):
        after = TWO.copy()
        after[list(move.ops)] = move.device
        assert move.components == pytest.approx(problem.evaluate(after).values)
    # Nothing is left out of stage times that would have to be told beside the latency.
    assert e.figures["latency"] == pytest.approx(e.cost.sum()) and not problem.target.latency_note(e)
    # The published stage time leaves it out: that of a stage with a cache to itself.
    published = replace(problem, objective="stage-time")
    assert not published.evaluate(TWO).streaming.any() and not published.evaluator.streamed(TWO).any()
    apart = replace(published, target=replace(published.target, shared_link=False))
    assert apart.target.throughput_note(apart.evaluate(TWO)) == "activations push parameters out"


def test_a_fixed_time_counts_once_on_each_stage_that_has_ops() -> None:
    problem = Problem(made(), EdgeTpuPipeline(3))
    slower = Problem(made(), EdgeTpuPipeline(3, overhead=1.5e-3))
    device_of = np.zeros(problem.graph.n, np.int32)
    device_of[problem.graph.topological_order[-1]] = 2
    plain, counted = problem.evaluate(device_of), slower.evaluate(device_of)
    assert counted.figures["latency"] == pytest.approx(plain.figures["latency"] + 2 * 1.5e-3)
    assert counted.components == plain.components


@pytest.mark.parametrize(
    ("changes", "note"),
    [
        # Two stages of 8 MiB each, 2 MiB for 2,000 bytes of activations less: both stream.
        ({"cache": 6.0 * 2**20}, "4.00 MiB streamed on one link"),
        ({"cache": 8.0 * 2**20 - 4096}, "11.9 KiB streamed on one link"),
        ({"cache": 8.0 * 2**20}, "activations push out 3.9 KiB"),
        ({"cache": 8.0 * 2**20, "shared_link": False}, ""),  # stage times say so themselves
        ({"cache": 9.0 * 2**20}, ""),
        ({"cache": 8.0 * 2**20, "scratch": False}, ""),
    ],
)
def test_why_a_stream_is_slower_than_its_slowest_stage(changes: dict[str, Any], note: str) -> None:
    ops = [Op(f"n{i}", f"n{i}", param_bytes=4.0 * 2**20, params=4 * 2**20, macs=1e6) for i in range(4)]
    edges = [Tensor(f"n{i}", (f"n{i + 1}",), 1000.0) for i in range(3)]
    graph = fill(Graph.build("chain", ops, edges, time_unit="s"))
    target = EdgeTpuPipeline(2, precision="int8", **changes)
    problem = Problem(graph, target)
    assert target.throughput_note(problem.evaluate(np.array([0, 0, 1, 1], np.int32))) == note


def chained(**changes: Any) -> Problem:
    """Two stages of 8 MiB each, of a model with 2,000 bytes of input and 500 of output."""
    ops = [
        Op("in", "in", "Input"),
        *(Op(f"n{i}", f"n{i}", param_bytes=4.0 * 2**20, params=4 * 2**20, macs=1e6) for i in range(4)),
    ]
    edges = [
        Tensor("in", ("n0",), 2000.0),
        *(Tensor(f"n{i}", (f"n{i + 1}",), 1000.0) for i in range(3)),
        Tensor("n3", (), 500.0),
    ]
    return Problem(fill(Graph.build("chain", ops, edges, time_unit="s")), EdgeTpuPipeline(2, **changes))


TWO = np.array([0, 0, 0, 1, 1], np.int32)


@pytest.mark.parametrize(
    ("changes", "said", "silent"),
    [
        ({"cache": 9.0 * 2**20}, "", "stage times"),
        ({"cache": 8.0 * 2**20}, " because activations push out 4.9 KiB", "overhead"),
        (
            {"cache": 8.0 * 2**20, "overhead": 1e-3},
            "activations push out 4.9 KiB and 2.00 ms of overhead",
            "! ",
        ),
        ({"cache": 9.0 * 2**20, "overhead": 1e-3}, ", and 2.00 ms of overhead", "activations"),
        # What does not fit by itself is in the stage times already.
        ({"cache": 6.0 * 2**20, "scratch": False}, "", "stage times"),
    ],
)
def test_what_a_latency_holds_beside_the_stage_times(changes: dict[str, Any], said: str, silent: str) -> None:
    problem = replace(chained(precision="int8", **changes), objective="stage-time")
    evaluation = problem.evaluate(TWO)
    note = problem.target.latency_note(evaluation)
    assert said in note and silent not in note and bool(note) == bool(said)
    assert bool(note) == (evaluation.figures["latency"] > evaluation.cost.sum() * (1 + 1e-9))


@pytest.mark.parametrize("host_io", [True, False])
def test_transfers_are_those_of_the_bytes_between_stages_and_of_the_host(host_io: bool) -> None:
    problem = chained(precision="file", host_io=host_io)
    evaluation, target = problem.evaluate(TWO), problem.target
    details = evaluation.details
    assert details["host_in"].tolist() == [2000.0 * host_io, 0] and details["host_out"].tolist() == [
        0,
        500.0 * host_io,
    ]
    assert isinstance(target, EdgeTpuPipeline)
    assert evaluation.receive == pytest.approx((details["bytes_in"] + details["host_in"]) / target.down)
    assert evaluation.send == pytest.approx((details["bytes_out"] + details["host_out"]) / target.up)
    assert max(details["bytes_in"]) == evaluation.components["max-communication"] == 1000.0


@given(any_problems, st.data())
def test_no_search_leaves_a_stage_empty_before_one_that_has_ops(
    problem: Problem, data: st.DataObject
) -> None:
    """What is proposed is shown with its empty stages last, at the same price; pins keep ops where they are."""
    plans = valid_plans(problem)
    if not len(plans):
        return
    proposed = plans[data.draw(st.integers(0, len(plans) - 1))].astype(np.int32)
    search = Search(problem, Never(), Callbacks(), 0, {})
    assert search.incumbent(proposed)
    kept, used = search.best, np.unique(proposed)
    assert kept is not None and not problem.evaluator.violations(kept)
    assert problem.evaluator.components(kept) == pytest.approx(problem.evaluator.components(proposed))
    assert search.state.components == problem.evaluator.components(kept)
    if not any(isinstance(c, Pin) for c in problem.constraints):
        assert np.unique(kept).tolist() == list(range(len(used)))
    assert (np.unique(kept, return_inverse=True)[1] == np.unique(proposed, return_inverse=True)[1]).all()


def test_a_pin_keeps_its_stage_where_those_before_it_are_empty() -> None:
    ops = [Op(name, name, "Conv2D", params=4.0, param_bytes=4.0) for name in "ab"]
    graph = fill(Graph.build("pinned", ops, [Tensor("a", ("b",), 4.0)]))
    free = Problem(graph, EdgeTpuPipeline(4))
    for problem, shown in (
        (free, [0, 1]),
        (free.with_constraints((Pin("b", "stage 3"),)), [1, 3]),
    ):
        search = Search(problem, Never(), Callbacks(), 0, {})
        assert search.incumbent(np.array([1, 3], np.int32))
        assert search.best is not None and search.best.tolist() == shown
