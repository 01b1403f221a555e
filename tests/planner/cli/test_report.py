"""What commands say of a plan in text: its figures, bounds and constraints, the table of devices, and how the search ended."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from planner.cli.report import bound_rows, constraints_text, device_table, ending, summary
from planner.formats import read_model
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.mcm.target import McmPackage
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.model.graph import Graph, Op, Tensor
from planner.model.samples import sample
from planner.problem.problem import Pin, Problem, Together
from tests.gui.models import chain_graph
from tests.gui.stage_models import even
from tests.planner.cli.calling import RESNET, TARGET


def test_plan_text_shows_devices_and_the_bottleneck(stageboard: Any) -> None:
    out = stageboard("plan", RESNET, "--target", TARGET, "--planner", "slice").out
    lines = out.splitlines()
    assert lines[0] == "ResNet50 on pipeline:4,bandwidth=12e9"
    assert sum("< bottleneck" in line for line in lines) == 1
    assert "lower bound" in out and "gap" in out and "valid" in out
    assert not any(line != line.rstrip() for line in lines)
    rows = [line for line in lines if line.startswith("  stage ")]
    assert len(rows) == 4 and len({line.index("iB") for line in rows}) == 1, "memory is flush right"


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("pipeline:4,memory=64MiB", "parameters: 64.00 MiB per stage, what exceeds it is streamed each time"),
        ("pool:2+1,memory=256MiB", "parameters and outputs: 256.00 MiB per accelerator, which ops must fit"),
        ("pipeline:4", ""),
    ],
)
def test_plan_text_says_what_the_memory_counts_and_its_limit(stageboard: Any, target: str, said: str) -> None:
    out = stageboard("plan", RESNET, "--target", target, "--time-limit", "1").out
    lines = [line for line in out.splitlines() if line.startswith("  memory ")]
    assert [line.split(maxsplit=1)[1] for line in lines] == ([said] if said else [])


@pytest.mark.parametrize(("unit", "rate"), [("s", "0.5 per second"), (None, "0.5 per unit of time")])
def test_the_figures_of_chips_are_in_the_unit_of_the_file(unit: str | None, rate: str) -> None:
    from planner.cli.report import figure_rows
    from planner.machines.mcm.target import McmPackage
    from planner.model.graph import Graph, Op
    from planner.problem.problem import Problem

    problem = Problem(
        Graph.build("one", [Op("a", "a", work=2.0, work_cpu=2.0)], [], time_unit=unit), McmPackage(2)
    )
    rows = dict(figure_rows(problem, problem.evaluate(np.zeros(1, np.int32))))
    assert rows["throughput, estimated"] == rate
    assert rows["latency, estimated"] == ("2.00 s" if unit else "2.00")


def test_bounds_that_say_nothing_or_that_no_plan_is_valid_are_said_in_words() -> None:
    problem = Problem(read_model(sample("unet.onnx")), EdgeTpuPipeline(2), "memory-1-2-3")
    standing = problem.standing(problem.evaluate(np.zeros(problem.graph.n, np.int32)).values, ())
    bounds = [problem.bound(name, 0.0, "simple", frozenset()) for name in problem.components]
    values = tuple(max(part.value, 1.0) for part in standing.components)
    rows = dict(bound_rows(problem, None, problem.standing(values, bounds)))
    assert {rows[f"{name} at least"] for name in problem.components} == {"nothing proven"}
    none = problem.bound(problem.components[0], float("inf"), "cp-sat", frozenset())
    assert bound_rows(problem, none, None) == [("lower bound", "none, as no plan is valid (cp-sat)")]


def test_whose_time_it_was_that_ended_a_search() -> None:
    assert ending("time", 20.0, 20.0).startswith("time limit of 20 s, ")
    assert ending("time", 12.0, None).startswith("usual work done, ")
    assert ending("finished", 1.0, 20.0).startswith("finished, ")


def test_the_constraints_that_a_plan_keeps_are_named() -> None:
    ops = [Op(f"o{i}", f"o{i}", work=1.0, work_cpu=1.0) for i in range(3)]
    graph = Graph.build("row", ops, [Tensor("o0", ("o1",), 1.0), Tensor("o1", ("o2",), 1.0)])
    problem = Problem(graph, Pipeline(2), "", (Pin("o0", "stage 0"), Together(("o1", "o2"))))
    assert constraints_text(problem) == "1 pin and 1 group kept together: o0 on Stage 0, o1 with o2"
    evaluation = problem.evaluate(np.array([0, 1, 1], np.int32))
    assert constraints_text(problem) in summary(problem, evaluation)
    assert "constraints" not in summary(problem.with_constraints(()), evaluation)


# ---------------------------------------------------------------------- the table of devices
@pytest.mark.parametrize("host_io", [True, False])
def test_a_table_of_stages_counts_the_bytes_of_its_transfers(host_io: bool) -> None:
    from planner.cli.report import summary
    from planner.machines.edge_tpu.target import EdgeTpuPipeline
    from planner.model.cost_model import fill
    from planner.model.graph import Graph, Op, Tensor
    from planner.problem.problem import Problem

    ops = [
        Op("in", "in", "Input"),
        Op("a", "a", macs=1e6, params=2**20, param_bytes=2.0**20),
        Op("b", "b", macs=1e6, params=2**20, param_bytes=2.0**20),
    ]
    tensors = [Tensor("in", ("a",), 2048.0), Tensor("a", ("b",), 1024.0), Tensor("b", (), 4096.0)]
    target = EdgeTpuPipeline(2, precision="file", cache=2.0**20, host_io=host_io)
    problem = Problem(fill(Graph.build("two", ops, tensors, time_unit="s")), target)
    evaluation = problem.evaluate(np.array([0, 0, 1], np.int32))
    out = summary(problem, evaluation)
    rows = [line.split("  ") for line in out.splitlines() if line.startswith("  stage ")]
    cells = [[cell.strip() for cell in row if cell.strip()] for row in rows]
    exchanged = (
        [["2.0 KiB", "1.0 KiB"], ["1.0 KiB", "4.0 KiB"]]
        if host_io
        else [["0 B", "1.0 KiB"], ["1.0 KiB", "0 B"]]
    )
    assert [row[7:9] for row in cells] == exchanged
    note = "the model's inputs (2.0 KiB) and outputs (4.0 KiB), which cross the host link; max-communication leaves"
    assert (note in out) == host_io
    latency = next(line for line in out.splitlines() if "latency, estimated" in line)
    assert not problem.target.latency_note(evaluation) and not latency.endswith(")"), (
        "stages stream what is pushed out"
    )
    published = replace(problem, objective="stage-time")
    evaluation = published.evaluate(np.array([0, 0, 1], np.int32))
    note = problem.target.latency_note(evaluation)
    assert note and f"({note})" in summary(published, evaluation)


def test_where_memory_is_to_be_small_the_fullest_device_is_marked(stageboard: Any) -> None:
    asked = ("plan", RESNET, "--target", "edge-tpu:2", "--planner", "edge-tpu-balanced")
    for objective, word, other in (
        ("memory-1-2-3", "fullest", "bottleneck"), ("stage-time", "bottleneck", "fullest"),
        ("inference-time", "largest rest", "bottleneck"),
    ):  # fmt: skip
        lines = stageboard(*asked, "--objective", objective).out.splitlines()
        assert sum(line.endswith(f"< {word}") for line in lines) == 1
        assert not any(f"< {other}" in line or line != line.rstrip() for line in lines)


def test_many_idle_devices_are_counted_in_one_line() -> None:
    graph = chain_graph(12)
    for count, idle in ((36, 33), (5, 0)):
        problem = Problem(graph, McmPackage(count))
        lines = device_table(problem, problem.evaluate(even(12, 3))).splitlines()
        assert sum(line.startswith("  chip ") for line in lines) == (3 if idle else count)
        assert (lines[-1] == f"  {idle} more chips, idle") == bool(idle)
    pool = Problem(graph, DevicePool(4, 3))
    assert device_table(pool, pool.evaluate(even(12, 1))).endswith("\n  6 more devices, idle")
