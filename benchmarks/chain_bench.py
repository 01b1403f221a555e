"""Chains of ideals: what ``chain-dp`` proves of the sample models on rows of stages, and in how many CPU seconds.

``python -m benchmarks chain`` prints a row for each model and number of stages: ideals, CPU seconds of the planner (kernels loaded), the
objective and the gap that is left. ``python -m benchmarks.chain_bench MODEL [...]`` measures these models only.
"""

from __future__ import annotations

import sys
import time

from benchmarks.bounds_bench import CpuLimit
from benchmarks.models import ROOT
from planner.formats import read_models
from planner.machines.catalogue import planner
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.pipeline.target import Pipeline
from planner.methods.ideals.rows import count_ideals
from planner.model.graph import Graph
from planner.problem.problem import Problem
from planner.search.run import run
from planner.search.search import Callbacks, Search
from planner.search.stop import Never

MODELS = ROOT / "sample_models"
STAGES, TPUS = (2, 4, 8, 16, 32, 64), (2, 3, 4, 5, 6, 7, 8)
KERAS = (
    "densenet121", "densenet169", "densenet201", "inception_resnet_v2", "resnet50", "resnet50_v2", "resnet101",
    "resnet101_v2", "resnet152", "resnet152_v2", "xception",
)  # fmt: skip
SECONDS = 60.0
"""CPU seconds of a cell."""
FEW, GOAL = 100_000, 1.0
"""Up to so many ideals the proof should take no longer than this."""
LIMIT = 1_000_000


def row(graph: Graph, problem: Problem, stages: int) -> bool:
    """Measure and print one cell; returns whether it misses the goal."""
    ideals = count_ideals(problem, LIMIT, Search(problem, Never(), Callbacks(), 0, {}))
    began = time.process_time()
    result = run(planner("chain-dp"), problem, CpuLimit(SECONDS), options={"ideals": LIMIT})
    seconds = time.process_time() - began
    assert result.components is not None and result.objective is not None
    gap = problem.standing(result.components, result.bounds).gap
    missed = ideals is not None and ideals <= FEW and (gap != 0.0 or seconds > GOAL)
    print(
        f"{graph.name:22} {problem.target.kind:9} {stages:6} {'-' if ideals is None else ideals:>8} {seconds:8.2f}"
        f" {result.objective * 1e6:14.3f} {'-' if gap is None else f'{gap:.2%}':>8} {'missed' if missed else ''}",
        flush=True,
    )
    return missed


def main(names: list[str] | None = None) -> bool:
    """Measure all sample models, or those whose names begin with one of ``names``; returns whether a goal is missed."""
    files = [
        path
        for path in sorted(MODELS.iterdir())
        if path.suffix in {".json", ".onnx", ".tflite"}
        and (not names or any(path.stem.startswith(name) for name in names))
    ]
    print(
        f"{'model':22} {'machine':9} {'stages':>6} {'ideals':>8} {'CPU s':>8} {'objective, us':>14} {'gap':>8}"
    )
    missed = False
    first = Problem(read_models([MODELS / "xception.json"]), Pipeline(2))
    run(planner("chain-dp"), first)
    for path in files:
        graph = read_models([path])
        for k in STAGES:
            missed |= row(graph, Problem(graph, Pipeline(k)), k)
        for n in TPUS if path.stem in KERAS else ():
            missed |= row(graph, Problem(graph, EdgeTpuPipeline(n), "stage-time"), n)
    return missed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
