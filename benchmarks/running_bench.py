"""Plans run for real: what profiles predict of each stage, throughput against the slowest stage, the unsplit model, and hand cuts.

Every model is measured, planned on two stages, and run on two cores, in turn with the unsplit model, with two whole copies side by side, and with two
cuts by hand: into equal numbers of ops, and into equal parameters (libcoral's rule, as the Edge TPU compiler has it). A machine that does other things
meanwhile shows in ``disturbed``: times of stages are processor time, throughputs are not. The columns with ``CPU`` compare slowest stages by processor time.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.models import ROOT
from planner.formats import read_model
from planner.machines.catalogue import DEFAULT, planner
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.pipeline.target import Pipeline
from planner.model.graph import Graph, Ints
from planner.model.times import Use
from planner.problem.problem import Problem
from planner.runs.measuring.measuring import measure
from planner.runs.measuring.timed import Order
from planner.runs.running.order import RunOrder, Split
from planner.runs.running.result import PlanRun, ratio
from planner.runs.running.running import run_plan
from planner.search.run import run
from planner.text_table import percent, table

MODELS = (
    "branchy_int8.tflite", "transformer_encoder.onnx", "fpn_detector.onnx", "denoiser.onnx", "transformer_decoder.onnx", "unet.onnx",
)  # fmt: skip
STAGES = 2


def equal_ops(graph: Graph) -> Ints:
    """As many ops that run on each stage as on any other, along the topological order (int32[n])."""
    runs = np.array([kind != "Input" for kind in graph.kinds], bool)[graph.topological_order]
    device_of = np.empty(graph.n, np.int32)
    device_of[graph.topological_order] = np.minimum(
        (np.cumsum(runs) - runs) * STAGES // runs.sum(), STAGES - 1
    )
    return device_of


def equal_parameters(graph: Graph) -> Ints:
    """The Edge TPU compiler's segmentation into equal parameters (int32[n])."""
    found = run(planner("edge-tpu-balanced"), Problem(graph, EdgeTpuPipeline(count=STAGES))).device_of
    assert found is not None, "a row of ops can be cut"
    return found


CUTS: dict[str, Callable[[Graph], Ints]] = {"equal ops": equal_ops, "equal parameters": equal_parameters}


@dataclass(frozen=True, eq=False)
class Row:
    """A model's figures. ``joined`` and ``sum_over_run`` are of its profile."""

    model: str
    joined: float
    sum_over_run: float
    run: PlanRun


def measured(name: str) -> Row:
    """Measure, plan and run a sample."""
    path = ROOT / "sample_models" / name
    times = measure(Order(str(path)))
    graph = read_model(path, times=[Use(times)])
    problem = Problem(graph, Pipeline(count=STAGES))
    found = run(planner(DEFAULT), problem).device_of
    assert found is not None, "a pipeline has a plan"
    against = tuple(Split(problem, cut(graph), title) for title, cut in CUTS.items())
    done = run_plan(RunOrder(Split(problem, found, "plan"), (Path(path),), against=against, copies=True))
    assert times.seconds_sum is not None and times.seconds_run is not None
    return Row(name, float(times.about["joined"]), times.seconds_sum / times.seconds_run, done)


def cells(row: Row) -> list[str]:
    """A row of the table."""
    done, plan = row.run, row.run.plan
    assert done.copies is not None
    return [
        row.model,
        percent(row.joined),
        f"{row.sum_over_run:.2f}",
        " / ".join(f"{stage.own.seconds / stage.predicted:.2f}" for stage in plan.stages),
        f"{plan.of_slowest:.2f}",
        f"{done.speedup:.2f}",
        f"{ratio(done.copies, done.unsplit):.2f}",
        *(f"{ratio(plan, line):.2f}" for line in done.against),
        *(f"{line.least / plan.least:.2f}" for line in (done.unsplit, *done.against)),
        "yes" if done.outputs_equal else "NO",
        f"{len(plan.counted)}/{len(plan.rounds)}",
        percent(plan.disturbed),
    ]


HEAD = (
    "model", "joined", "sum / run", "took / predicted", "of slowest", "x unsplit", "x copies", *(f"x {name}" for name in CUTS), *(f"x {name}, CPU" for name in ("unsplit", *CUTS)),
    "equal", "rounds", "disturbed",
)  # fmt: skip


def main() -> int:
    """Print the table, row by row as they are measured. Returns 1 where outputs differ."""
    rows = []
    for name in MODELS:
        print(f"measuring and running {name} ...", file=sys.stderr, flush=True)
        rows.append(measured(name))
        print("  ".join(cells(rows[-1])), file=sys.stderr, flush=True)
    print(table(HEAD, [cells(row) for row in rows]))
    return 0 if all(row.run.outputs_equal for row in rows) else 1


if __name__ == "__main__":
    raise SystemExit(main())
