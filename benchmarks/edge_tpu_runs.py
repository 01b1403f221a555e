"""Plans for Edge TPU pipelines, each made once: a CSV file keeps what every run cost and what its plan is worth."""

from __future__ import annotations

import csv
import math
import resource
import time
from collections.abc import Sequence
from dataclasses import asdict, astuple, dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

from planner.formats import read_models
from planner.machines.catalogue import planner, planners
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.model.cost_model import fill
from planner.model.graph import Graph
from planner.problem.problem import Problem
from planner.search.run import run
from planner.search.stop import TimeLimit

HEURISTIC_SECONDS = 10.0
"""Seconds after which a search for the stage time ends; it would go on otherwise, having no proof."""
SAMPLES = Path(__file__).resolve().parents[1] / "sample_models"


@dataclass(frozen=True)
class Case:
    """One run: sample models (``+`` between those deployed together), stages, the rule, objective and planner."""

    models: str
    stages: int
    shared_children: bool
    objective: str
    planner: str


@dataclass(frozen=True)
class Worth:
    """What a run came to: its status, the components proven, bytes (totals and per stage), seconds, joules.

    ``interval`` is the estimated time per inference, ``slowest`` the time of the slowest stage, ``memory`` the bytes of
    parameters on each stage, ``cpu`` the seconds of this process and its children that the search took.
    """

    status: str
    proven: str = ""
    max_memory: float = math.nan
    dram: float = math.nan
    max_communication: float = math.nan
    memory: tuple[float, ...] = ()
    slowest: float = math.nan
    interval: float = math.nan
    energy: float = math.nan
    cpu: float = math.nan


def cpu_seconds() -> float:
    """CPU time of this process and of its children that have ended."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + ended.ru_utime + ended.ru_stime


@cache
def graph_of(models: str) -> Graph:
    """The graph of sample models by their file names."""
    return fill(read_models([SAMPLES / f"{name}.json" for name in models.split("+")]))


@cache
def warm(name: str, objective: str) -> None:
    """Compile and load what a planner needs, on problems that take it through most of what it can do."""
    for model in ("resnet50", "inception_resnet_v2"):
        for stages in (2, 3, 6):
            for shared in (False, True):
                target = EdgeTpuPipeline(stages, shared_children=shared)
                run(planner(name), Problem(graph_of(model), target, objective), TimeLimit(0.2))


def solve(case: Case, seconds: float) -> Worth:
    """Run a case. Reading the model and what planners load at first use are not counted."""
    target = EdgeTpuPipeline(case.stages, shared_children=case.shared_children)
    problem = Problem(graph_of(case.models), target, case.objective)
    warm(case.planner, case.objective)
    began = cpu_seconds()
    result = run(planner(case.planner), problem, TimeLimit(seconds))
    spent = cpu_seconds() - began
    if result.device_of is None or result.components is None:
        return Worth(result.status, cpu=spent)
    e = problem.evaluate(result.device_of)
    parts = problem.standing(result.components, result.bounds).components
    return Worth(
        status=result.status,
        proven=" ".join(c.name for c in parts if c.proven),
        max_memory=float(e.memory.max()),
        dram=float(e.details["dram"].sum()),
        max_communication=float(e.details["bytes_in"].max()),
        memory=tuple(e.memory.tolist()),
        slowest=Problem(problem.graph, target, "stage-time").evaluate(result.device_of).objective,
        interval=1.0 / e.figures["throughput"],
        energy=e.figures["energy"],
        cpu=spent,
    )


class Runs:
    """The rows of a CSV file; what is not there is run and appended at once, unless the file is only to be printed."""

    def __init__(self, path: Path, seconds: float, only_print: bool = False) -> None:
        self._path, self._seconds, self._only_print = path, seconds, only_print
        self._rows: dict[Case, Worth] = {}
        if path.exists():
            with path.open(newline="", encoding="utf-8") as file:
                for row in csv.DictReader(file):
                    case, worth = _read(row)
                    self._rows[case] = worth

    def get(self, case: Case) -> Worth | None:
        """The worth of a case; None where its planner is not in the catalogue or it may not be run."""
        if case not in self._rows:
            if self._only_print or case.planner not in planners():
                return None
            proves = case.objective != "stage-time"
            self._rows[case] = solve(case, self._seconds if proves else min(self._seconds, HEURISTIC_SECONDS))
            self._append(case)
        return self._rows[case]

    def _append(self, case: Case) -> None:
        names = [f.name for f in (*fields(Case), *fields(Worth))]
        new = not self._path.exists()
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            if new:
                writer.writerow(names)
            worth = asdict(self._rows[case])
            worth["memory"] = " ".join(f"{m:.0f}" for m in worth["memory"])
            writer.writerow([*astuple(case), *worth.values()])


def _read(row: dict[str, str]) -> tuple[Case, Worth]:
    values: dict[str, Any] = dict(row)
    values["stages"] = int(row["stages"])
    values["shared_children"] = row["shared_children"] == "True"
    values["memory"] = tuple(float(m) for m in row["memory"].split())
    texts = {"models", "objective", "planner", "status", "proven", "stages", "shared_children", "memory"}
    for name in values.keys() - texts:
        values[name] = float(row[name])
    case = {f.name: values[f.name] for f in fields(Case)}
    return Case(**case), Worth(**{f.name: values[f.name] for f in fields(Worth)})


def write_table(path: Path, head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A table as CSV."""
    from planner.files import write_atomically

    lines = [",".join(f'"{c}"' if "," in c else c for c in line) for line in (head, *rows)]
    write_atomically(path, "\n".join(lines) + "\n")
