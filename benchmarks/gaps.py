"""How good the first screen and a bare ``plan`` are, and what is proven about it: every sample graph on several machines.

``python -m benchmarks gaps [--models NAME ...] [--targets SPEC ...] [--cpu S]``; prints a Markdown table (docs/bounds.md has one).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gui.document.plan.opening import start_plan, with_times
from planner.formats import read_models
from planner.machines.catalogue import DEFAULT, bound_method, planner
from planner.machines.spec import parse_target
from planner.model.graph import Ints
from planner.problem.bound import Bound
from planner.problem.problem import Problem
from planner.runs.proving import known_at_once, proven_beside
from planner.runs.warm_up import warm_bound, warm_planner
from planner.search.run import run
from planner.search.search import Shared
from planner.search.stop import CPU_SECONDS, AnyOf, GapReached, WorkBudget, processor_seconds
from planner.text_table import percent

SAMPLES = Path(__file__).parents[1] / "sample_models"
TARGETS = (
    "pipeline:4", "pipeline:16", "pool:3+1", "edge-tpu:4", "mcm:12,copy_sources=15,check_memory=false",
    "mcm:36,copy_sources=15,check_memory=false",
)  # fmt: skip
CPU = 2.0
"""Seconds of processor time for the search, and as many for what is proven unasked."""
CLOSE = 0.1
"""What a gap should be at most."""


@dataclass(frozen=True)
class Row:
    """One model on one machine: gaps of the first screen and of a bare ``plan`` (None: no valid plan), and what they took.

    ``status`` is that of the plan; ``method`` proved its bound. Seconds are of processor time.
    """

    model: str
    target: str
    first: float | None
    gap: float | None
    status: str
    method: str
    searched: float
    proven: float

    @property
    def answered(self) -> bool:
        """Whether the gap is small, or it is proven that there is no plan."""
        return self.status == "infeasible" or (self.gap is not None and self.gap <= CLOSE)


def models() -> list[str]:
    """The sample graphs, by file name."""
    return sorted(f.name for f in SAMPLES.iterdir() if f.suffix in (".json", ".onnx", ".tflite"))


def _proven(
    problem: Problem, decision: Ints | None, bounds: Sequence[Bound], cpu: float
) -> tuple[tuple[Bound, ...], float]:
    """``bounds`` with what is proven unasked beside a plan (int32[n]), and the seconds that took."""
    if decision is None:
        return tuple(bounds), 0.0
    if (method := bound_method(DEFAULT)).refusal(problem) is None:
        warm_bound(method, problem)
    best = Shared(decision, tuple(problem.evaluator.components(decision)))
    began = processor_seconds()
    return proven_beside(problem, best, bounds, cpu), processor_seconds() - began


def _gap(problem: Problem, decision: Ints | None, bounds: Sequence[Bound]) -> float | None:
    if decision is None or problem.evaluator.violations(decision):
        return None
    return problem.standing(problem.evaluator.components(decision), tuple(bounds)).gap


def measured(model: str, spec: str, cpu: float = CPU) -> Row:
    """Open and plan one model on one machine."""
    graph = with_times(read_models([SAMPLES / model]))
    problem = Problem(graph, parse_target(spec, graph))
    opened, _, by_opening = start_plan(problem)
    known = (*known_at_once(problem), *by_opening)
    first = _gap(problem, opened, _proven(problem, opened, known, cpu)[0])
    warm_planner(planner(DEFAULT), problem)
    began = processor_seconds()
    result = run(
        planner(DEFAULT), problem, AnyOf([GapReached(0.0), WorkBudget(cpu, 10 * cpu).stop()]),
        options={"effort": cpu / CPU_SECONDS}, bounds=known_at_once(problem),
    )  # fmt: skip
    searched = processor_seconds() - began
    bounds, proven = _proven(problem, result.device_of, result.bounds, cpu)
    gap = _gap(problem, result.device_of, bounds)
    strongest = problem.strongest_bound(bounds)
    status = "optimal" if gap == 0.0 else result.status
    return Row(
        model, spec, first, gap, status, "" if strongest is None else strongest.method, searched, proven
    )


def main(arguments: Sequence[str]) -> int:
    """Print a row per model and machine, then how many are close and how many proven. Returns 0 when all are close."""
    parser = argparse.ArgumentParser(prog="benchmarks gaps", description=__doc__)
    parser.add_argument("--models", nargs="*", default=models())
    parser.add_argument("--targets", nargs="*", default=list(TARGETS))
    parser.add_argument("--cpu", type=float, default=CPU)
    given = parser.parse_args(arguments)
    print("| model | machine | first screen | `plan` | proven by | search, CPU s | proof, CPU s |")
    print("|---|---|---|---|---|---|---|")
    rows = []
    for spec in given.targets:
        for model in given.models:
            row = measured(model, spec, given.cpu)
            rows.append(row)
            said = "no plan: proven" if row.status == "infeasible" else _words(row.gap)
            print(
                f"| {model} | `{spec.partition(',')[0]}` | {_words(row.first)} | {said} | {row.method} |"
                f" {row.searched:.2f} | {row.proven:.2f} |",
                flush=True,
            )
    closed = sum(row.gap == 0.0 or row.status == "infeasible" for row in rows)
    close = sum(row.answered for row in rows)
    print(
        f"\n{close} of {len(rows)} within {percent(CLOSE)}, {closed} with nothing left open", file=sys.stderr
    )
    return 0 if close == len(rows) else 1


def _words(gap: float | None) -> str:
    return "no plan" if gap is None else "optimal" if gap == 0.0 else percent(gap)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
