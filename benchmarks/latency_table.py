"""Table 4 of the device-placement paper: single-sample latency by its integer program and by its four baselines, beside ours.

``python -m benchmarks latency [--workload NAME ...] [--cpu S]``. The baselines plan for something else (memory, or the greatest
load), and their plans are costed as latency, each on the pool that the workload's file names. Limits are of processor time: only
what hangs on the program's, marked by ~, may come out otherwise when the script is run again.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from benchmarks.marks import marked
from benchmarks.placement import WORKLOADS, oracle
from planner.errors import StageboardError
from planner.formats import read_models
from planner.formats.graphs.device_placement import read_split_file
from planner.machines.catalogue import planner
from planner.machines.spec import parse_target
from planner.model.graph import Graph, Ints
from planner.problem.problem import Problem
from planner.runs.warm_up import warm_planner
from planner.search.run import run
from planner.search.stop import AnyOf, GapReached, WorkBudget, processor_seconds
from planner.text_table import percent, table

PUBLISHED = "device_placement_latency.tsv"
CPU = 60.0
"""Seconds of processor time for a plan."""
EXACT = 1e-5
"""A gap that is none: costs of the files have five digits."""
CLOSE = 0.01
"""The gap at which the paper ends its solver."""
FAR = 3.0
"""How many times the memory of an accelerator a baseline's plan may hold to be costed at all; the paper calls more than that OOM."""
HEAD = ("workload", "ops", "greedy", "paper", "max-load DP", "paper", "Scotch", "paper", "expert", "paper",
        marked("program"), "paper", marked("gap"), "paper", marked("CPU s"), "paper")  # fmt: skip


def _problem(graph: Graph, spec: str, objective: str) -> Problem:
    return Problem(graph, parse_target(spec, graph), objective)


def costed(graph: Graph, device_of: Ints, spec: str) -> str:
    """The latency of a plan (int32[n]) on a pool, with a plus where an accelerator holds more than fits; OOM where far more."""
    problem = _problem(graph, spec, "latency")
    limit = dict(graph.deployment)["memory"]
    held = np.bincount(device_of, weights=graph.memory, minlength=len(problem.devices))
    kinds = [device.kind for device in problem.devices]
    most = max(held[i] for i, kind in enumerate(kinds) if kind == "accelerator") / limit
    if most > FAR:
        return "OOM"
    return f"{problem.evaluator.components(device_of)[0]:.2f}" + ("+" if most > 1.0 else "")


def baseline(graph: Graph, spec: str, name: str, *, roomy: bool = False, **options: Any) -> str:
    """The latency of what a planner makes for the greatest load; a dash where it makes nothing, or is not installed.

    ``roomy``: made as if the accelerators had room for everything, and not contiguous.
    """
    problem = _problem(graph, f"{spec},memory=1e18,contiguous=false" if roomy else spec, "max-load")
    try:
        found = run(planner(name), problem, WorkBudget(CPU, math.inf).stop(), options=options).device_of
    except StageboardError as error:
        print(f"  {name}: {error}", file=sys.stderr)
        return "-"
    return "-" if found is None else costed(graph, found, f"{spec},contiguous=false" if roomy else spec)


def expert(graph: Graph, name: str) -> str:
    """The latency of the published split of a layer workload, on as many accelerators as it uses; a dash where there is none."""
    split = WORKLOADS / "expert-splits" / f"{name.rpartition('/')[2]}_expert.json"
    if not name.startswith("LayerGraphs/") or not split.exists():
        return "-"
    read = read_split_file(split, graph)
    return costed(graph, read.device_of, f"pool:{read.accelerators}+{read.cpus},contiguous=false")


def program(graph: Graph, cpu: float) -> tuple[str, str, str]:
    """Our planner for latency: what it found, the gap that is proven, and the seconds of processor time that both took."""
    method, problem = planner("latency-ip"), _problem(graph, "pool", "latency")
    warm_planner(method, problem)
    began = processor_seconds()
    result = run(method, problem, AnyOf([GapReached(CLOSE), WorkBudget(cpu, math.inf).stop()]))
    seconds = processor_seconds() - began
    if result.device_of is None:
        return "-", "-", f"{seconds:.1f}"
    gap = problem.standing(problem.evaluator.components(result.device_of), result.bounds).gap
    return (
        f"{result.objective:.2f}",
        "-" if gap is None else percent(gap if gap > EXACT else 0.0),
        f"{seconds:.1f}",
    )


def row(published: Mapping[str, str], cpu: float) -> list[str]:
    """One workload: every figure of ours with the paper's beside it."""
    name = published["workload"]
    graph = read_models([WORKLOADS / "latency" / f"{name}.json"])
    ours = {
        "greedy": baseline(graph, "pool", "memory-fill"),
        "max_load_dp": baseline(graph, "pool", "ideals-dp"),
        "scotch": baseline(graph, "pool", "scotch", roomy=True),
        "expert": expert(graph, name),
    }
    found, gap, seconds = program(graph, cpu)
    cells = [cell for key, value in ours.items() for cell in (value, published[key])]
    theirs = (published["ip"], published["ip_gap"], published["ip_runtime"])
    return [name, str(graph.n), *cells, *(cell for pair in zip((found, gap, seconds), theirs, strict=True) for cell in pair)]  # fmt: skip


def main(arguments: Sequence[str] = ()) -> int:
    """Print the table; rows of all workloads that are beside this checkout, or of those named."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks latency", description=__doc__.split("\n")[0])
    parser.add_argument("--workload", action="append", metavar="NAME", help="may be repeated (default: all)")
    parser.add_argument(
        "--cpu", type=float, default=CPU, help=f"processor seconds of the program (default {CPU:g})"
    )
    given = parser.parse_args(arguments)
    rows = [
        row(published, given.cpu)
        for published in oracle(PUBLISHED)
        if not given.workload or published["workload"] in given.workload
    ]
    print(
        "Device placement, table 4: single-sample latency (+: more than fits an accelerator; OOM: over three times)"
    )
    print(table(HEAD, rows))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
