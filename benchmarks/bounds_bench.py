"""What planners find and bounds prove on REGAL-like graphs within a number of CPU seconds (as MTPP, table 3).

Finished cells are kept in a CSV file and not measured again; delete it to start anew. ``STAGEBOARD_BOUNDS`` chooses what is
measured: ``graphs=20 stages=4,8,16 seconds=10 file=PATH`` (any of them, the values given here are the defaults, but the file
lies in the folder for temporary files).
"""

from __future__ import annotations

import csv
import math
import os
import tempfile
import time
from dataclasses import astuple, dataclass, fields
from pathlib import Path

from planner.generate import regal_like
from planner.machines.catalogue import bound_method, planner
from planner.machines.pipeline.target import Pipeline
from planner.problem.problem import Problem
from planner.runs.warm_up import like
from planner.search.run import run, run_bound
from planner.search.stop import Progress

GOALS = {(4, 10): 0.95, (8, 10): 0.92, (16, 10): 0.89}
"""Geometric mean of the best bound over the best plan, by (stages, CPU seconds)."""
PLAN_SHARE = 0.4
"""Share of the time that is spent on the plan; what it leaves is the bound's."""
MOST_ROUNDS = 40
"""Rounds of annealing where there are more than ten seconds: each takes longer than the one before, so time ends it."""


@dataclass(frozen=True)
class Cell:
    """One graph on one number of stages in one budget of CPU seconds."""

    seed: int
    stages: int
    seconds: int
    plan: float
    simple: float
    bound: float
    plan_seconds: float
    bound_seconds: float


class CpuLimit:
    """Stop after so many CPU seconds of this process."""

    reason = "time"

    def __init__(self, seconds: float) -> None:
        self._end = time.process_time() + seconds

    def __call__(self, progress: Progress) -> bool:
        return time.process_time() >= self._end


def measure(seed: int, stages: int, seconds: int) -> Cell:
    """Plan with ``anneal``, prove with ``two-superblock``; both know only this problem."""
    problem = Problem(regal_like.generate(seed), Pipeline(stages))
    began = time.process_time()
    rounds = {} if seconds <= 10 else {"rounds": MOST_ROUNDS}
    found = run(planner("anneal"), problem, CpuLimit(PLAN_SHARE * seconds), seed=seed, options=rounds)
    planned = time.process_time() - began
    simple = run_bound(bound_method("simple"), problem)
    began = time.process_time()
    proof = run_bound(
        bound_method("two-superblock"), problem, CpuLimit(seconds - planned - 0.1), bounds=simple.bounds
    )
    bound = problem.strongest_bound(proof.bounds)
    assert bound is not None and found.objective is not None
    return Cell(
        seed,
        stages,
        seconds,
        found.objective,
        simple.bounds[-1].value,
        bound.value,
        round(planned, 2),
        round(time.process_time() - began, 2),
    )


def settings() -> tuple[int, list[int], list[int], Path]:
    """Graphs, stages, budgets and the file of finished cells."""
    given = dict(part.split("=", 1) for part in os.environ.get("STAGEBOARD_BOUNDS", "").split())
    return (
        int(given.get("graphs", "20")),
        [int(x) for x in given.get("stages", "4,8,16").split(",")],
        [int(x) for x in given.get("seconds", "10").split(",")],
        Path(given.get("file", Path(tempfile.gettempdir()) / "stageboard-bounds.csv")),
    )


def load(path: Path) -> dict[tuple[int, int, int], Cell]:
    """Cells that are finished."""
    if not path.exists():
        return {}
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    names = [f.name for f in fields(Cell)]
    whole = {"seed", "stages", "seconds"}
    cells = [Cell(*(int(row[n]) if n in whole else float(row[n]) for n in names)) for row in rows]  # type: ignore[arg-type]
    return {(c.seed, c.stages, c.seconds): c for c in cells}


def mean(values: list[float]) -> float:
    """Geometric mean."""
    return math.exp(sum(math.log(v) for v in values) / len(values))


def main() -> None:
    """Measure what is missing, then one row per number of stages and budget."""
    graphs, stages, budgets, path = settings()
    done = load(path)
    for k in stages:
        tiny = like(Problem(regal_like.generate(0), Pipeline(k)))
        run(planner("anneal"), tiny, CpuLimit(1.0))
        run_bound(bound_method("two-superblock"), tiny)
    with path.open("a", newline="") as file:
        writer = csv.writer(file)
        if not done:
            writer.writerow([f.name for f in fields(Cell)])
        for seconds in budgets:
            for k in stages:
                for seed in range(graphs):
                    if (seed, k, seconds) not in done:
                        cell = measure(seed, k, seconds)
                        done[seed, k, seconds] = cell
                        writer.writerow(astuple(cell))
                        file.flush()
    print(f"Bounds over plans on {graphs} REGAL-like graphs, geometric means (cells in {path})")
    print("  stages  CPU s  simple  two-superblock  goal   plan s  bound s  slowest s")
    for seconds in budgets:
        for k in stages:
            cells = [done[seed, k, seconds] for seed in range(graphs)]
            goal = GOALS.get((k, seconds))
            print(
                f"  {k:6} {seconds:6}  {mean([c.simple / c.plan for c in cells]):6.4f}"
                f"  {mean([c.bound / c.plan for c in cells]):14.4f}  {goal or '':4}"
                f" {sum(c.plan_seconds for c in cells) / graphs:8.1f}"
                f" {sum(c.bound_seconds for c in cells) / graphs:8.1f}"
                f" {max(c.plan_seconds + c.bound_seconds for c in cells):10.1f}",
                flush=True,
            )
