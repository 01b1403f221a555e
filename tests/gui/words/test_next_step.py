"""What is to be done about a bottleneck: the sentence follows from what is proven and what the cost consists of."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from gui.look.numbers import gap_text
from gui.words.explaining import (
    critical_path,
    gap_without_constraints,
    next_step,
    why_bottleneck,
)
from gui.words.idle_devices import idle_because
from gui.words.objectives import objective_help
from planner.cli.report import summary
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.mcm.target import McmPackage
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.model.graph import Graph, Op, Tensor
from planner.problem.problem import Pin, Problem
from planner.problem.worst import worst_word
from planner.quantity import bytes_text
from tests.planner.problem.examples import streaming_row


def row(work: list[float], size: float = 0.0) -> Problem:
    """Ops in a row on two stages."""
    ops = [Op(f"o{i}", f"o{i}", work=w, work_cpu=w) for i, w in enumerate(work)]
    tensors = [Tensor(f"o{i}", (f"o{i + 1}",), 1.0, time=size) for i in range(len(work) - 1)]
    return Problem(Graph.build("row", ops, tensors), Pipeline(2))


def said(problem: Problem, device_of: list[int], gap: float | None) -> str:
    """The sentence about an assignment."""
    devices = np.array(device_of, np.int32)
    return next_step(problem, problem.evaluate(devices), devices, gap)


def test_what_activations_push_out_is_told_beside_the_room_to_spare() -> None:
    """The room is what parameters and activations leave; where there is none, what these push out is said."""
    ops = [Op(f"o{i}", f"o{i}", work=0.1, work_cpu=0.1, param_bytes=1e5, macs=1e6) for i in range(4)]
    tensors = [Tensor(f"o{i}", (f"o{i + 1}",), 1e5) for i in range(3)]
    graph = Graph.build("row", ops, tensors, time_unit="s")
    target = EdgeTpuPipeline(2, precision="file", cache=2.5e5)
    problem = Problem(graph, target)
    e = problem.evaluate(np.array([0, 0, 1, 1], np.int32))
    assert not e.details["dram"].any() and e.details["pushed"].any()
    said = why_bottleneck(problem, e)[1]
    pushed, needed = (float(e.details[name][e.bottleneck]) for name in ("pushed", "scratch"))
    assert needed == 2.5e5 - float(e.memory[e.bottleneck]) + pushed
    assert said.endswith(
        f", but activations need {bytes_text(needed)} of it and push out {bytes_text(pushed)}."
    )
    roomy = Problem(graph, EdgeTpuPipeline(2, precision="file", cache=1e6))
    said = why_bottleneck(roomy, roomy.evaluate(np.array([0, 0, 1, 1], np.int32)))[1]
    assert said.endswith(
        f" beside activations of {bytes_text(needed)} with {bytes_text(8e5 - needed)} to spare."
    )


def test_an_objective_that_all_stages_stream_for_is_split_into_its_parts() -> None:
    target = EdgeTpuPipeline(2, precision="file", cache=6e8)
    problem, device_of = Problem(streaming_row(), target, "inference-time"), np.array([0, 0, 1, 1], np.int32)
    e = problem.evaluate(device_of)
    rows, words = why_bottleneck(problem, e)
    assert sum(value for _, value in rows) == pytest.approx(e.objective)
    assert e.objective > e.cost.max()
    assert dict(rows)["streaming"] == pytest.approx(e.streaming.sum())
    assert [value for _, value in rows] == sorted((value for _, value in rows), reverse=True)
    assert words.startswith(
        "All stages stream over one link, one after another: 2.80 s, 48 % of 5.81 s; Stage 1 (2.80 s)."
    )
    assert words.endswith(
        " Added to that is the largest rest: Stage 0 takes 3.01 s to receive, work and send."
    )
    assert "pushed out" not in words, "there are no activations of convolutions"
    assert "is the bottleneck" not in words and "Stage 1 takes" not in words
    # The work of an op is a share of the whole time, not of its stage's.
    assert "The work of o0 alone is" not in said(problem, [0, 0, 1, 1], 0.0)
    held = Problem(streaming_row(), replace(target, cache=2e9), "inference-time")
    assert why_bottleneck(held, held.evaluate(device_of))[1].startswith("Stage 0 takes 3.01 s")


def test_why_says_what_activations_push_out() -> None:
    ops = [Op(f"o{i}", f"o{i}", work=0.1, work_cpu=0.1, param_bytes=1e5, macs=1e6) for i in range(4)]
    tensors = [Tensor(f"o{i}", (f"o{i + 1}",), 1e5) for i in range(3)]
    graph = Graph.build("row", ops, tensors, time_unit="s")
    for cache, off in ((2.5e5, 0.0), (1.5e5, 1e5)):
        problem = Problem(graph, EdgeTpuPipeline(2, precision="file", cache=cache), "inference-time")
        e = problem.evaluate(np.array([0, 0, 1, 1], np.int32))
        pushed = float(e.details["pushed"].sum())
        assert pushed and float(e.details["dram"].sum()) == off
        fits = f"{bytes_text(off)} do not fit the caches, " if off else ""
        told = f" {bytes_text(off + pushed)} are streamed: {fits}{bytes_text(pushed)} are pushed out by activations. "
        assert told in why_bottleneck(problem, e)[1]


@pytest.mark.parametrize(
    ("work", "size", "gap", "words"),
    [
        ([1.0, 1.0, 1.0, 1.0], 0.0, None, "prove a bound"),
        ([1.0, 1.0, 1.0, 1.0], 0.0, 0.2, "up to 20.0 %"),
        ([1.0, 1.0, 1.0, 1.0], 0.0, 0.0004, "No plan is more than 0.040 % better: proven."),
        ([0.1, 0.1, 9.0, 0.1], 0.0, 0.0, "o2 alone is"),
        ([1.0, 1.0, 1.0, 1.0], 9.0, 0.0, "a faster link"),
        ([1.0, 1.0, 1.0, 1.0, 1.0, 1.0], 0.0, 0.0, "More or faster devices"),
    ],
)
def test_the_next_step_follows_from_what_is_proven(
    work: list[float], size: float, gap: float | None, words: str
) -> None:
    half = len(work) // 2
    assert words in said(row(work, size), [0] * half + [1] * (len(work) - half), gap)


def test_more_devices_do_not_help_where_some_are_idle() -> None:
    words = said(row([1.0, 1.0, 1.0, 1.0], 9.0), [0] * 4, 0.0)
    assert "1 of 2 stages has nothing to do, so more of them do not help: faster ones may" in words


def test_a_cpu_says_that_it_pays_no_transfers() -> None:
    """Where its cost is read; of accelerators nothing is said."""
    problem = Problem(row([1.0, 1.0, 1.0], 9.0).graph, DevicePool(1, 1))
    free = "CPUs pay no transfers"
    assert objective_help("max-load", problem.target).endswith(f" {free}.")
    assert free not in objective_help("max-load", DevicePool(2, 0)) + objective_help("max-load", Pipeline(2))
    for devices, is_cpu in (([1, 1, 1], True), ([0, 0, 1], False)):
        device_of = np.array(devices, np.int32)
        assert (free in why_bottleneck(problem, problem.evaluate(device_of))[1]) == is_cpu
        assert free in summary(problem, problem.evaluate(device_of))
    assert free not in summary(problem, problem.evaluate(np.zeros(3, np.int32)))


def triangle() -> Graph:
    """What feeds the last part directly, and through the one in between, may not be on three chips; nothing else forbids that."""
    names = ["a1", "a2", "b1", "b2", "c1", "c2"]
    ops = [Op(name, name, work=0.75, work_cpu=0.75) for name in names]
    pairs = {"a1": ("a2", "c1"), "a2": ("b1",), "b1": ("b2",), "b2": ("c1",), "c1": ("c2",)}
    tensors = [Tensor(name, to, 100.0 if name in ("b1", "c1") else 0.0) for name, to in pairs.items()]
    return Graph.build("triangle", ops, tensors, time_unit="s")


def test_the_rule_that_keeps_a_chip_idle_is_named() -> None:
    graph = triangle()

    def words(**switched: bool) -> str:
        problem = Problem(graph, McmPackage(3, link=1.0, **switched))
        return said(problem, [0, 0, 0, 0, 1, 1], 0.0)

    problem = Problem(graph, McmPackage(3, link=1.0))
    plans = (problem.evaluate(np.array(p, np.int32)) for p in itertools.product(range(3), repeat=6))
    assert min(e.objective for e in plans if e.valid) == 3.0, "that of the plan"
    told = words()
    assert "1 of 3 chips has nothing to do: the triangle rule keeps it idle." in told
    assert told.endswith("Without, a plan that shares the ops of Chip 0 with it would be 50.0 % better.")
    assert "so more of them do not help" in words(triangle=False), "that plan is valid: nothing is decided"
    ops = [Op(f"o{i}", f"o{i}", work=1.0, work_cpu=1.0, param_bytes=9.0) for i in range(4)]
    few = Problem(Graph.build("few", ops, []), Pipeline(6))
    assert (
        idle_because(few, few.evaluate(np.arange(4, dtype=np.int32)), np.arange(4)) == "there are only 4 ops."
    )
    # So it is where nothing is proven, and where a better plan may exist.
    for gap in (None, 0.3):
        assert said(problem, [0, 0, 0, 0, 1, 1], gap).endswith(told[told.index("1 of 3 chips") :])
    # A better plan that is valid shows no rule.
    three = np.array([0, 0, 1, 2], np.int32)
    assert idle_because(few, few.evaluate(three), three) == ""


def test_who_streams_is_told_of_memory() -> None:
    """Another stage brings its own memory: twice the link halves what is streamed, a third stage may end it."""
    ops = [Op(f"o{i}", f"o{i}", work=0.1, work_cpu=0.1, param_bytes=8.0) for i in range(4)]
    tensors = [Tensor(f"o{i}", (f"o{i + 1}",), 1.0) for i in range(3)]
    problem = Problem(Graph.build("row", ops, tensors, time_unit="s"), Pipeline(2, memory=8.0, bandwidth=2.0))
    words = said(problem, [0, 0, 1, 1], 0.0)
    assert "more memory for each stage or another stage helps" in words and "tensors" not in words
    assert "more memory for each stage helps" in said(problem, [0, 0, 0, 0], 0.0)


def test_devices_without_ops_are_no_measure_of_the_bottleneck() -> None:
    problem = row([1.0, 1.0, 1.0, 3.0])
    of_all, of_used = (
        why_bottleneck(problem, problem.evaluate(np.array(d, np.int32)))[1]
        for d in ([0, 0, 0, 1], [0, 0, 0, 0])
    )
    assert "average device;" in of_all and "average" not in of_used
    three = Problem(problem.graph, Pipeline(3))
    _, words = why_bottleneck(three, three.evaluate(np.array([0, 0, 1, 1], np.int32)))
    assert "33 % above the average device in use" in words


def test_a_gap_has_one_number() -> None:
    assert "up to 16.1 % better" in said(row([1.0] * 4), [0, 0, 1, 1], 0.16031)
    assert gap_text(0.16031) == "≤ 16.1 %"


def test_a_broken_plan_is_to_be_repaired_first() -> None:
    assert "Repair" in said(row([1.0, 1.0, 1.0, 1.0]), [1, 1, 0, 0], 0.0)


def pinned(where: str) -> Problem:
    """Four ops of one second, the last of them pinned to a stage."""
    return row([1.0, 1.0, 1.0, 1.0]).with_constraints((Pin("o3", where),))


def test_constraints_that_cost_something_are_named() -> None:
    problem = pinned("stage 0")  # so all are on the first stage
    devices = np.zeros(4, np.int32)
    evaluation = problem.evaluate(devices)
    free = problem.with_constraints(())
    bound = free.bound("bottleneck", 2.0, "test", frozenset())
    gap = gap_without_constraints(problem, evaluation, [bound])
    assert gap == pytest.approx(0.5)
    words = next_step(problem, evaluation, devices, 0.0, free_gap=gap)
    assert "With 1 pin no plan is better: proven" in words
    assert "up to 50.0 % better" in words
    assert "devices help" not in words
    assert "not known" in next_step(problem, evaluation, devices, 0.0)


def test_constraints_that_cost_nothing_are_not() -> None:
    problem = pinned("stage 1")
    devices = np.array([0, 0, 1, 1], np.int32)
    evaluation = problem.evaluate(devices)
    bound = problem.with_constraints(()).bound("bottleneck", 2.0, "test", frozenset())
    gap = gap_without_constraints(problem, evaluation, [bound])
    assert gap == 0.0
    assert next_step(problem, evaluation, devices, 0.0, free_gap=gap).startswith(
        "No plan is better: proven. "
    )
    assert gap_without_constraints(problem.with_constraints(()), evaluation, [bound]) is None


def test_a_single_sample_has_a_critical_path_and_no_bottleneck() -> None:
    graph = row([1.0, 1.0, 1.0, 3.0]).graph
    problem = Problem(graph, DevicePool(2, 0, contiguous=True), "latency")
    rows, words = critical_path(problem, np.array([0, 0, 0, 1], np.int32))
    assert words.startswith("A sample takes ")
    assert (
        "critical path leads over Accelerator 0 (" in words
        or "critical path leads over Accelerator 1 (" in words
    )
    assert "bottleneck" not in words and "average" not in words
    whole = problem.evaluate(np.array([0, 0, 0, 1], np.int32)).objective
    assert sum(value for _, value in rows) == pytest.approx(whole)
    assert (
        said(problem, [0, 0, 0, 1], 0.0)
        == "No plan is better: proven. Faster devices on its critical path may help, or a faster link between them."
        " Plans that need not keep contiguity may be better. Which of these helps most has not been tried."
    )
    assert worst_word(problem, problem.evaluate(np.array([0, 0, 0, 1], np.int32))) == "busiest"
    ops = [Op(f"n{i}", f"n{i}", work=1.0, work_cpu=1.0) for i in range(6)]
    tensors = [Tensor(f"n{i}", (f"n{i + 1}",), 1.0, time=0.0) for i in range(5)]
    many = Problem(Graph.build("six", ops, tensors, time_unit="s"), DevicePool(6, 0), "latency")
    assert "and 2 more" in critical_path(many, np.arange(6, dtype=np.int32))[1]


def test_a_better_plan_at_hand_is_offered() -> None:
    problem = row([1.0] * 4)
    evaluation = problem.evaluate(np.array([0, 0, 0, 1], np.int32))
    words = next_step(problem, evaluation, np.array([0, 0, 0, 1], np.int32), 0.3, better="Automatic 2")
    assert (
        words
        == "“Automatic 2” in Plans is better than this plan: go back to it, or let a planner start from there."
    )


def test_all_times_of_a_critical_path_have_the_unit_of_the_sample() -> None:
    """0.8 ms on one device and 2.4 ms on the other, of 3.2 ms."""
    problem = Problem(row([0.4e-3, 0.4e-3, 2.4e-3]).graph, DevicePool(2, 0), "latency")
    graph = replace(problem.graph, time_unit="s")
    words = critical_path(Problem(graph, DevicePool(2, 0), "latency"), np.array([0, 0, 1], np.int32))[1]
    assert words.startswith("A sample takes 3.20 ms.")
    assert "Accelerator 1 (2.40 ms) and Accelerator 0 (0.800 ms)" in words
