"""Plans of small models and quick checks of their stages, for the tests of TFLite stages."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from planner.export.stages.stages import Checked, StageExport
from planner.export.tflite.check import CheckOrder, check_stages
from planner.export.tflite.stages import to_tflite_stages
from planner.machines.spec import parse_target
from planner.model.graph import Graph
from planner.problem.problem import Plan, Problem
from planner.problem.provenance import Provenance


def plan_of(graph: Graph, devices: list[int] | np.ndarray, spec: str = "") -> Plan:
    """The plan that puts each op on the device of that number; by default on a pipeline."""
    k = int(np.max(devices)) + 1
    problem = Problem(graph, parse_target(spec or f"pipeline:{k},bandwidth=1e9"))
    return problem.plan(np.asarray(devices, np.int32), Provenance("test"))


def plan_by_rank(graph: Graph, stages: int, rng: np.random.Generator) -> Plan:
    """A random valid plan: every op on a stage not before those of its predecessors, some stages far apart."""
    device = np.zeros(graph.n, np.int32)
    ptr, idx = graph.preds
    # Moving on by chance makes branches of a model lie on different stages, not only cuts across all of them.
    chance = stages / max(graph.depth, 1)
    for v in graph.topological_order:
        before = device[idx[ptr[v] : ptr[v + 1]]]
        device[v] = min(stages - 1, int(before.max(initial=0)) + int(rng.random() < chance))
    runs = np.array([kind != "Input" for kind in graph.kinds])
    if len(set(device[runs].tolist())) == 1:  # a sink may go anywhere later: nothing reads what it makes
        device[runs] = 0
        device[int(graph.topological_order[-1])] = stages - 1
        device[~runs] = 0
    return plan_of(graph, device, f"pipeline:{stages},bandwidth=1e9")


def check_here(
    export: StageExport, sources: list[Path], diary: Path, samples: int = 2, seed: int = 0
) -> Checked:
    """The check in this process: quicker than in its own, for models known to be sound."""
    return check_stages(CheckOrder(str(export.folder), tuple(map(str, sources)), samples, seed, str(diary)))


def exported(plan: Plan, source: Path, folder: Path) -> StageExport:
    """The export with its check in this process."""
    export = to_tflite_stages(plan, [source], folder, check=False)
    check_here(export, [source], folder.parent / "diary")
    return export
