"""What helps a plan that is the best there is: what acts on the largest part of its cost, and the limits and rules that it keeps."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from gui.words.explaining import next_step
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.mcm.target import McmPackage
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.model.graph import Graph, Op, Tensor
from planner.problem.bound import Bound
from planner.problem.problem import Problem
from planner.problem.target import Target

MIB = 2.0**20


def row(target: Target, objective: str = "", n: int = 4, **costs: Any) -> Problem:
    """Ops of a second and a MiB each in a row; ``costs`` of the tensors."""
    ops = [Op(f"o{i}", f"o{i}", work=1.0, work_cpu=1.0, param_bytes=MIB) for i in range(n)]
    tensors = [Tensor(f"o{i}", (f"o{i + 1}",), 1.0, **costs) for i in range(n - 1)]
    return Problem(Graph.build("row", ops, tensors, time_unit="s"), target, objective)


def said(problem: Problem, device_of: list[int], bounds: tuple[Bound, ...] = ()) -> str:
    """What is said of an assignment that is proven optimal."""
    devices = np.array(device_of, np.int32)
    text = next_step(problem, problem.evaluate(devices), devices, 0.0, bounds=bounds)
    assert "only" not in text.lower()
    return text


def on_tpu(kind: str, entering: float, leaving: float, work: float = 0.0) -> str:
    """What is said of a single TPU that is given a tensor and returns one."""
    ops = [
        Op("in", "in", kind="Input", work=0.0, work_cpu=0.0),
        Op("op", "op", kind=kind, work=work, work_cpu=work),
    ]
    tensors = [Tensor("in", ("op",), entering), Tensor("op", (), leaving)]
    graph = Graph.build("one", ops, tensors, time_unit="s")
    return said(Problem(graph, EdgeTpuPipeline(1, precision="file"), "inference-time"), [0, 0])


def test_what_a_stage_sends_to_the_host_is_not_the_work_of_an_op() -> None:
    words = on_tpu("ArgMax", 10.0, 2 * MIB)
    assert "Sending 2.00 MiB, the model's own output, is 100 % of it: a faster link from it" in words
    assert "splitting" not in words and "emory" not in words
    words = on_tpu("Conv", 2 * MIB, 10.0)
    assert "Receiving 2.00 MiB, the model's own input, is 100 % of it" in words and "a smaller input" in words
    assert "The work of op alone is" in on_tpu("Conv", MIB, 10.0, work=1.0)


def test_tensors_between_stages_ask_for_a_faster_link() -> None:
    words = said(row(Pipeline(2), time=9.0), [0, 0, 0, 1])
    assert (
        "Sending tensors is 75 % of it: a faster link or smaller tensors between stages would help." in words
    )


@pytest.mark.parametrize("objective", ["max-load", "latency"])
def test_a_memory_that_is_full_is_named_first(objective: str) -> None:
    words = said(row(DevicePool(2, 0, memory=2 * MIB + 64), objective), [0, 0, 1, 1])
    assert words.startswith(
        "No plan is better: proven. Memory is short: Accelerator 0 holds 2.00 MiB of 2.00 MiB"
    )
    assert "per accelerator may help." in words and "keep contiguity may be better." in words
    assert words.endswith("Which of these helps most has not been tried.") and words.count("most") == 1
    assert "emory" not in said(row(DevicePool(2, 0, memory=9 * MIB), objective), [0, 0, 1, 1])
    assert "More memory per accelerator may help as well: the fullest holds 2.00 MiB of 3.00 MiB" in said(
        row(DevicePool(2, 0, memory=3 * MIB), objective), [0, 0, 1, 1]
    )


@pytest.mark.parametrize("gap", [0.3, None])
def test_a_full_memory_is_named_where_a_better_plan_may_exist(gap: float | None) -> None:
    ops = [0, 0, 1, 1, 1]

    def words(memory: float, device_of: list[int] = ops) -> str:
        problem, devices = row(DevicePool(1, 1, memory=memory), n=5), np.array(device_of, np.int32)
        return next_step(problem, problem.evaluate(devices), devices, gap)

    assert words(2 * MIB + 64).endswith(
        "(Ctrl+Shift+B). Memory is short: Accelerator 0 holds 2.00 MiB of 2.00 MiB, so more of it per accelerator may help."
        if gap
        else "(Ctrl+Return). Memory is short: Accelerator 0 holds 2.00 MiB of 2.00 MiB, so more of it per accelerator may help."
    )
    assert "emory" not in words(3 * MIB) and "emory" not in words(9 * MIB)
    # A full bottleneck keeps no op from going to the others.
    assert "emory" not in words(4 * MIB + 64, [0, 0, 0, 0, 1])


def test_a_memory_beyond_which_parameters_are_streamed_may_help_as_well() -> None:
    told = "More memory per stage may help as well: "
    both = f"{told}2 stages hold more than fits, up to 2.00 MiB of 1.90 MiB on Stage 0."
    assert both in said(row(Pipeline(2, memory=1.9 * MIB)), [0, 0, 1, 1])
    # Of several the one that is beyond most, wherever the bottleneck is.
    ops = [
        Op(f"o{i}", f"o{i}", work=w, work_cpu=w, param_bytes=m * MIB)
        for i, (w, m) in enumerate([(9.0, 2), (1.0, 2), (1.0, 5)])
    ]
    graph = Graph.build("row", ops, [Tensor("o0", ("o1",), 1.0), Tensor("o1", ("o2",), 1.0)], time_unit="s")
    assert "3 stages hold more than fits, up to 5.00 MiB of 1.90 MiB on Stage 2." in said(
        Problem(graph, Pipeline(3, memory=1.9 * MIB)), [0, 1, 2]
    )
    one = [*ops[:1], Op("o1", "o1", work=1.0, work_cpu=1.0, param_bytes=MIB)]
    graph = Graph.build("row", one, [Tensor("o0", ("o1",), 1.0)], time_unit="s")
    assert "Stage 0 holds more than fits (2.00 MiB of 1.90 MiB)" in said(
        Problem(graph, Pipeline(2, memory=1.9 * MIB)), [0, 1]
    )
    assert "emory" not in said(row(Pipeline(2, memory=3 * MIB)), [0, 0, 1, 1]), "nothing is streamed"
    assert "emory" not in said(row(Pipeline(2, memory=4 * MIB)), [0, 0, 1, 1])


def test_more_memory_is_named_once_where_streaming_is_most_of_it() -> None:
    ops = [Op(f"o{i}", f"o{i}", work=1e-3, work_cpu=1e-3, param_bytes=4 * MIB, kind="Conv") for i in range(4)]
    tensors = [Tensor(f"o{i}", (f"o{i + 1}",), 1e5) for i in range(3)]
    graph = Graph.build("row", ops, tensors, time_unit="s")
    for count, devices in ((1, [0, 0, 0, 0]), (2, [0, 0, 1, 1])):
        problem = Problem(graph, EdgeTpuPipeline(count, precision="file", cache=2 * MIB), "inference-time")
        words = said(problem, devices)
        assert "more memory for each TPU or another TPU helps, or a faster link." in words
        assert words.count("emory") == 1


def test_memory_is_not_named_where_nothing_is_streamed_and_the_full_stage_is_far() -> None:
    """The bottleneck holds little, its neighbour has room, and what is full is beyond."""
    sizes, work = [0.2, 1.0, 1.9], [3.0, 2.0, 1.0]
    ops = [
        Op(f"o{i}", f"o{i}", work=w, work_cpu=w, param_bytes=size * MIB)
        for i, (w, size) in enumerate(zip(work, sizes, strict=True))
    ]
    graph = Graph.build("row", ops, [Tensor("o0", ("o1",), 0.5), Tensor("o1", ("o2",), 0.5)], time_unit="s")
    assert "emory" not in said(Problem(graph, Pipeline(3, memory=2 * MIB)), [0, 1, 2])
    assert "More memory per stage may help as well" in said(
        Problem(graph, Pipeline(3, memory=0.9 * MIB)), [0, 1, 2]
    )


def test_rules_without_which_nothing_is_better_are_not_named() -> None:
    problem = row(DevicePool(2, 0, memory=2 * MIB + 64))
    free = problem.bound("max-load", 2.0, "test", frozenset())
    words = said(problem, [0, 0, 1, 1], (free,))
    assert (
        words.startswith("No plan is better: proven. ") and "emory" not in words and "contiguity" not in words
    )


def test_ops_that_few_devices_support_are_named() -> None:
    ops = [Op(f"o{i}", f"o{i}", work=1.0, work_cpu=9.0, supported=i > 0) for i in range(3)]
    graph = Graph.build("row", ops, [Tensor("o0", ("o1",), 1.0), Tensor("o1", ("o2",), 1.0)], time_unit="s")
    words = said(Problem(graph, DevicePool(1, 1)), [1, 0, 0])
    assert "The work of o0 alone is" in words
    assert "1 op cannot go everywhere: support for it may help as well." in words


@pytest.mark.parametrize("up", [1e5, 1e12])
def test_a_full_cache_comes_after_a_link_that_saves_more(up: float) -> None:
    """Memory can at most end the streaming, of which there is none here."""
    ops = [Op(f"o{i}", f"o{i}", work=1e-3, work_cpu=1e-3, param_bytes=MIB, kind="Conv") for i in range(4)]
    tensors = [Tensor(f"o{i}", (f"o{i + 1}",), 1e5) for i in range(3)]
    graph = Graph.build("row", ops, tensors, time_unit="s")
    target = EdgeTpuPipeline(2, precision="file", cache=2.2 * MIB, up=up, down=1e12, scratch=False)
    words = said(Problem(graph, target, "stage-time"), [0, 0, 1, 1])
    assert "Memory is short: Stage 0 holds 2.00 MiB of 2.20 MiB, so more of it per TPU may help." in words
    assert "may help most" not in words and not words.startswith("No plan is better: proven. Memory")
    if up == 1e5:
        assert words.index("Sending 97.7 KiB is ") < words.index("Memory")


def test_memory_of_a_chip_far_from_the_bottleneck_is_not_what_helps_most() -> None:
    """It can relieve nothing at once, and what any limit costs is proven to be little; the link is a good share of the bottleneck."""
    sizes, work = [1.0, 0.5, 0.5, 1.0, 1.0, 8.0], [1.0, 1.5, 1.5, 1.0, 1.0, 1.0]
    ops = [
        Op(f"o{i}", f"o{i}", work=w, work_cpu=w, param_bytes=size * MIB)
        for i, (w, size) in enumerate(zip(work, sizes, strict=True))
    ]
    tensors = [Tensor(f"o{i}", (f"o{i + 1}",), 0.5) for i in range(5)]
    target = McmPackage(4, sram=8.5 * MIB, link=1.0, precision="file")
    problem = Problem(Graph.build("row", ops, tensors, time_unit="s"), target)
    devices = np.array([0, 1, 1, 2, 2, 3], np.int32)
    evaluation = problem.evaluate(devices)
    assert evaluation.valid and evaluation.bottleneck == 1

    def words(*bounds: Bound) -> str:
        gap = problem.standing(evaluation.values, bounds).gap
        return next_step(problem, evaluation, devices, gap, bounds=bounds)

    free = problem.bound("chip-latency", 0.995 * evaluation.objective, "test", frozenset())
    link = "Receiving and sending are 25 % of it: a faster link or smaller tensors would help."
    assert "emory is short" not in words() and "may help most" not in words(free), words(free)
    assert words(free).index(link) < words(free).index("More memory per chip brings at most 0.5 %.")
    assert "More or faster devices may help as well." in words(free)
    # A neighbour of the bottleneck that is full may keep ops from leaving it, as far as nothing is proven of that.
    near = Problem(problem.graph, replace(target, count=3, sram=10.5 * MIB))
    devices = np.array([0, 1, 1, 2, 2, 2], np.int32)
    evaluation = near.evaluate(devices)
    assert evaluation.bottleneck == 1
    assert "Memory is short: Chip 2 holds" in next_step(near, evaluation, devices, None)
    assert "the fullest" not in next_step(near, evaluation, devices, None)


def test_the_fullest_device_is_named_beside_the_one_that_may_relieve_the_bottleneck() -> None:
    sizes = [(1.0, 19.9), (1.0, 19.0), (9.0, 19.0)]
    ops = [Op(f"o{i}", f"o{i}", work=w, work_cpu=w, param_bytes=m * MIB) for i, (w, m) in enumerate(sizes)]
    graph = Graph.build("row", ops, [Tensor("o0", ("o1",), 1.0), Tensor("o1", ("o2",), 1.0)], time_unit="s")
    problem, devices = Problem(graph, McmPackage(3, sram=20 * MIB)), np.arange(3, dtype=np.int32)
    words = next_step(problem, problem.evaluate(devices), devices, None)
    assert "of 20.00 MiB and Chip 0, the fullest, 19.90 MiB, so more of it per chip may help" in words


@pytest.mark.parametrize("objective", ["max-load", "latency"])
@pytest.mark.parametrize("gap", [0.0, 0.3])
def test_that_no_op_fits_empty_devices_comes_first(objective: str, gap: float) -> None:
    problem = row(DevicePool(2, 1, memory=220.0), objective, n=20)
    devices = np.full(20, 2, np.int32)
    words = next_step(problem, problem.evaluate(devices), devices, gap)
    told = "Memory is short: no op fits the 220 B of each of 2 empty accelerators, so more of it would help."
    assert told in words and "faster link" not in words and "More" not in words and "holds" not in words
    if not gap:
        assert words.startswith(f"No plan is better: proven. {told} Faster ")
    ops = [Op(f"o{i}", f"o{i}", work=1.0, work_cpu=1.0, param_bytes=MIB * (i > 0)) for i in range(20)]
    one = Problem(Graph.build("row", ops, [], time_unit="s"), DevicePool(1, 1, memory=220.0), objective)
    devices = np.ones(20, np.int32)
    words = next_step(one, one.evaluate(devices), devices, gap)
    assert "only 1 of 20 ops fit the 220 B of Accelerator 0, so" in words


def test_what_a_remedy_brings_at_most_is_said_where_it_is_proven() -> None:
    """What no one knows to be reached is a limit, and no rank."""
    problem = row(DevicePool(2, 0, memory=2 * MIB + 64))
    objective = problem.evaluate(np.array([0, 0, 1, 1], np.int32)).objective
    without_memory = frozenset(name for name in problem.assumptions if "memory" not in name)
    free = problem.bound("max-load", 0.8 * objective, "test", without_memory)
    words = said(problem, [0, 0, 1, 1], (free,))
    assert "so more of it per accelerator may help, by at most 20.0 %." in words
    looser = problem.bound("max-load", 0.6 * objective, "test", frozenset())
    words = said(problem, [0, 0, 1, 1], (free, looser))
    rules, memory = (
        "Plans that need not keep contiguity (by at most 40.0 %) may be better.",
        "Memory is short",
    )
    assert words.index(rules) < words.index(memory), "what can bring most at most comes first"
    assert "at most" not in said(
        problem, [0, 0, 1, 1], (problem.bound("max-load", 0.0, "test", frozenset()),)
    )
