"""Appendix A of the device-placement paper: how much a split made for one pipeline schedule loses under another.

``python -m benchmarks gpipe [--workload NAME ...] [--cpu S] [--out DIR]``. PipeDream's schedule takes max (FW + BW) per sample,
GPipe's max FW + max BW. The paper says that splits made for either differ by 6 % at most where the backward pass
computes activations again. Also figure 10's picture: forward and backward time, added up op by op, as SVG in ``DIR``.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.intervals import Point, intervals
from benchmarks.marks import marked
from benchmarks.placement import WORKLOADS
from planner.files import write_atomically
from planner.formats import read_models
from planner.machines.catalogue import planner
from planner.machines.spec import parse_target
from planner.model.graph import Floats, Graph
from planner.problem.problem import Problem
from planner.search.run import run
from planner.search.stop import WorkBudget
from planner.text_table import percent, table

FOLDER = WORKLOADS / "throughput"
OUT = Path(__file__).resolve().parents[1] / "out" / "gpipe"
CPU = 20.0
"""Seconds of processor time for a plan."""
OBJECTIVES = ("max-load", "gpipe")
HEAD = ("workload", "ops", "activations", "planned for max-load", "and GPipe", "by so much longer",
        "planned for GPipe", "and max-load", "by so much longer")  # fmt: skip


def rematerialized(graph: Graph) -> Graph:
    """The graph of a training step whose backward pass first repeats the forward ops of its colour class (times added, CPU's too).

    Work of several backward ops of a class grows in proportion; forward ops without backward ones are not repeated.
    """
    classes = np.where(graph.colour_class >= 0, graph.colour_class, graph.colour_class.max(initial=0) + 1)
    used = graph.colour_class >= 0

    def again(work: Floats) -> Floats:
        forward = np.bincount(classes, weights=work * (used & ~graph.backward))
        backward = np.bincount(classes, weights=work * (used & graph.backward))
        grown = np.divide(forward, backward, out=np.zeros_like(forward), where=backward > 0)
        return np.where(graph.backward & used, work * (1.0 + grown[classes]), work)

    return replace(graph, work=again(graph.work), work_cpu=again(graph.work_cpu))


def row(graph: Graph, activations: str, cpu: float) -> list[str]:
    """Both objectives' plans of a graph, each under both: ms of the file, and how much more than the better plan. Marked where a search ended with its time."""
    value, proven = {}, True
    for made_for in OBJECTIVES:
        problem = Problem(graph, parse_target("pool", graph), made_for)
        found = run(planner("ideals-dp"), problem, WorkBudget(cpu, math.inf).stop())
        plan = found.device_of
        proven = proven and found.status == "optimal"
        for under in OBJECTIVES:
            costs = Problem(graph, parse_target("pool", graph), under).evaluator
            value[made_for, under] = np.inf if plan is None else costs.components(plan)[0]
    cells = [marked(graph.name, not proven), str(graph.n), activations]
    for made_for, under in (OBJECTIVES, OBJECTIVES[::-1]):
        best = min(value[o, under] for o in OBJECTIVES)
        loss = value[made_for, under] / best - 1.0
        cells += [f"{value[made_for, o]:.2f}" for o in (made_for, under)] + [percent(max(0.0, loss))]
    return cells


def accumulated(graph: Graph) -> dict[str, list[Point]]:
    """Over how many forward ops, the time up to there of both passes: forward ops in order, each followed by what is backward in its class."""
    order = [v for v in graph.topological_order.tolist() if not graph.backward[v]]
    of_class = np.bincount(
        np.maximum(graph.colour_class, 0), weights=graph.work * (graph.backward & (graph.colour_class >= 0))
    )
    seen: set[int] = set()
    sums = {"forward": 0.0, "backward": 0.0}
    series: dict[str, list[Point]] = {"forward": [], "backward": []}
    for place, op in enumerate(order, 1):
        sums["forward"] += float(graph.work[op])
        group = int(graph.colour_class[op])
        if group >= 0 and group not in seen:
            seen.add(group)
            sums["backward"] += float(of_class[group])
        for name, total in sums.items():
            series[name].append(Point(place, total, total, total))
    return series


def main(arguments: Sequence[str] = ()) -> int:
    """Print the table and write the pictures, of all training workloads beside this checkout or of those named."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks gpipe", description=__doc__.split("\n")[0])
    parser.add_argument("--workload", action="append", metavar="NAME", help="may be repeated (default: all)")
    parser.add_argument(
        "--cpu", type=float, default=CPU, help=f"processor seconds of a plan (default {CPU:g})"
    )
    parser.add_argument("--out", type=Path, default=OUT, help="folder of the pictures")
    given = parser.parse_args(arguments)
    files = [
        f for f in sorted(FOLDER.glob("*/*training.json")) if not given.workload or f.stem in given.workload
    ]
    if not files:
        print("the published training workloads are not beside this checkout, or none has that name")
        return 0
    rows = []
    for file in files:
        graph = read_models([file])
        rows += [row(graph, "kept", given.cpu), row(rematerialized(graph), "made again", given.cpu)]
        if file.parent.name == "LayerGraphs":
            given.out.mkdir(parents=True, exist_ok=True)
            title = f"{graph.name}: time of the layers so far"
            picture = intervals(title, "forward layers", "time", accumulated(graph), log_x=False, marks=False)
            print(f"wrote {write_atomically(given.out / f'{file.stem}.svg', picture)}", file=sys.stderr)
    print(
        "Device placement, appendix A: splits made for PipeDream's schedule and for GPipe's, each under both"
    )
    print(table(HEAD, rows))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
