"""What is told above a chart: the pace, what to expect in practice, who is busy, and the critical path."""

from __future__ import annotations

import numpy as np
import pytest

from gui.look.numbers import one_time
from gui.panels.schedule.panel import in_practice, shorter, summary
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.model.cost_model import fill
from planner.model.graph import Graph, Op, Tensor
from planner.problem.problem import Problem
from planner.reports.schedule.schedule import schedule
from tests.gui.models import chain_graph


def test_a_summary_loses_its_last_parts_first() -> None:
    assert shorter("a sample every 2.00 s   Stage 1 sets the pace   96 % busy") == (
        "a sample every 2.00 s   Stage 1 sets the pace   96 % busy",
        "a sample every 2.00 s   Stage 1 sets the pace",
        "a sample every 2.00 s",
    )


def test_summary_of_nothing() -> None:
    graph = Graph.build("nothing", [Op("a", "a", work=0.0, work_cpu=0.0)], [])
    s = schedule(Problem(graph, Pipeline(1)), np.zeros(1, np.int32))
    assert summary(s, ["Stage 0"], None) == "nothing takes any time"


def test_devices_without_ops_are_not_busy() -> None:
    problem = Problem(chain_graph(12), Pipeline(4))
    titles = [device.title for device in problem.devices]
    worst = summary(schedule(problem, np.zeros(12, np.int32)), titles, "s")
    assert "devices 25 % busy on average, 1 of 4 used" in worst
    half = summary(schedule(problem, (np.arange(12) // 6).astype(np.int32)), titles, "s")
    assert ", 2 of 4 used" in half and "100 %" not in half
    best = summary(schedule(problem, (np.arange(12) // 3).astype(np.int32)), titles, "s")
    assert "used" not in best


def test_a_critical_path_is_said_in_the_order_of_time() -> None:
    ops = [Op(f"o{i}", f"o{i}", work=1.0, work_cpu=1.0) for i in range(3)]
    tensors = [Tensor(f"o{i}", (f"o{i + 1}",), 1.0, time=0.5) for i in range(2)]
    problem = Problem(Graph.build("row", ops, tensors, time_unit="s"), DevicePool(2, 1), "latency")
    s = schedule(problem, np.array([2, 0, 1], np.int32), kind="latency", samples=1)
    said = summary(s, [device.title for device in problem.devices], "s")
    assert "critical path: CPU 0, Accelerator 0, Accelerator 1 (underlined)" in said


# ---------------------------------------------------------------------- in practice
def edge_tpus(pushed_out: float, objective: str = "") -> Problem:
    """Two stages of 8 MiB of parameters, whose caches have so many bytes less beside the activations."""
    ops = [Op(f"n{i}", f"n{i}", param_bytes=4.0 * 2**20, params=4 * 2**20, macs=1e6) for i in range(4)]
    edges = [Tensor(f"n{i}", (f"n{i + 1}",), 2e5) for i in range(3)]
    graph = fill(Graph.build("chain", ops, edges, time_unit="s"))
    return Problem(graph, EdgeTpuPipeline(2, cache=8.0 * 2**20 + 4e5 - pushed_out), objective)


@pytest.mark.parametrize("pushed_out", [0.0, 4e3, 4e4, 4e5])
def test_summary_says_what_to_expect_in_practice(pushed_out: float) -> None:
    problem, device_of = edge_tpus(pushed_out), np.array([0, 0, 1, 1], np.int32)
    evaluation, s = problem.evaluate(device_of), schedule(problem, device_of)
    practice = in_practice(problem.target, evaluation, s, "s")
    assert bool(practice) == (pushed_out > 0)  # however little later, where figures show it
    if practice:
        interval = one_time(1 / evaluation.figures["throughput"], "s")
        why = problem.target.throughput_note(evaluation)
        assert practice == f"about {interval} in practice ({why})" and "activations push out" in why
    head = f"a sample every {one_time(s.period, 's')}"
    words = summary(s, ["Stage 0", "Stage 1"], "s", practice)
    assert words.startswith(f"{head}, {practice}" if practice else f"{head}   ")
    # The other pace is told as long as any is, the reason goes before it.
    assert all(("in practice" in text) == bool(practice) for text in shorter(words))
    assert shorter(words)[-1] == (f"{head}, {practice.split(' (')[0]}" if practice else head)


@pytest.mark.parametrize("pushed_out", [0.0, 4e5])
def test_summary_of_one_sample_says_what_it_takes_in_practice(pushed_out: float) -> None:
    problem, device_of = edge_tpus(pushed_out, "stage-time"), np.array([0, 0, 1, 1], np.int32)
    evaluation, s = problem.evaluate(device_of), schedule(problem, device_of, kind="latency")
    practice, alone = in_practice(problem.target, evaluation, s, "s"), evaluation.figures["latency"]
    told = one_time(alone, "s") != one_time(s.period, "s")
    assert practice == (f"about {one_time(alone, 's')} in practice" if told else "")
    words = summary(s, ["Stage 0", "Stage 1"], "s", practice)
    head = f"a sample takes {one_time(s.period, 's')}"
    assert words.startswith(f"{head}, {practice}   " if told else f"{head}   ")
    assert told or not pushed_out


def test_other_machines_have_one_pace() -> None:
    problem = Problem(chain_graph(12), Pipeline(2))
    device_of = (np.arange(12) // 6).astype(np.int32)
    s = schedule(problem, device_of)
    assert in_practice(problem.target, problem.evaluate(device_of), s, "s") == ""
