"""How good orders are, and how soon: the constructive ones, the portfolio, and the paper's reordering given the same CPU time.

``python -m benchmarks.orders [--seconds S] [--seeds N] [--only NAME ...] [--out DIR]``: ratios of all I/Os to Theorem 1's bound, medians over the
seeds, with the worst in brackets; M = 100. CPU seconds of one thread, after imports and compilation; every figure is recounted
by the evaluator. Also written to ``DIR/orders.md`` (out/orders).
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

os.environ.setdefault("NUMBA_NUM_THREADS", "1")

from benchmarks.io_runs import CpuLimit
from benchmarks.marks import marked
from benchmarks.models import ROOT
from planner.generate.catalogue import generate_network
from planner.machines.catalogue import planner
from planner.machines.two_level_memory.orders.io_bounds import io_bounds
from planner.machines.two_level_memory.orders.theorem_1 import theorem_1_order
from planner.machines.two_level_memory.problem import NetworkProblem
from planner.machines.two_level_memory.target import TwoLevelMemory
from planner.search.run import run

REORDERING = "connection-reordering"


@dataclass(frozen=True)
class Case:
    """Networks of one kind under one policy; ``soon`` and ``late`` the goals: (ratio, CPU seconds) of the constructive and the refined."""

    name: str
    kind: str
    settings: Mapping[str, Any]
    policy: str = "min"
    soon: tuple[float, float] | None = None
    late: tuple[float, float] | None = None


BASELINE = {"width": 500, "depth": 4, "density": 0.1}
SPARSE = {"width": 500, "depth": 4, "density": 0.01}
CASES = (
    Case("baseline", "mlp", BASELINE, "min", (1.09, 0.1), (1.08, 60.0)),
    Case("baseline, LRU", "mlp", BASELINE, "lru"),
    Case("baseline, RR", "mlp", BASELINE, "rr"),
    Case("1 %", "mlp", SPARSE, "min", None, (1.30, 60.0)),
    Case("1 %, LRU", "mlp", SPARSE, "lru"),
    Case("1 %, RR", "mlp", SPARSE, "rr"),
    Case("1000 wide", "mlp", {**BASELINE, "width": 1000}),
    Case("10 layers", "mlp", {**BASELINE, "depth": 10}),
)


def measured(
    problem: NetworkProblem, name: str, seconds: float | None, **options: Any
) -> tuple[float, float]:
    """(I/Os over the bound, CPU seconds) of a planner stopped after ``seconds`` of CPU time, None for no limit; the order is recounted."""
    began = time.process_time()
    result = run(planner(name), problem, None if seconds is None else CpuLimit(seconds), options=options)
    took = time.process_time() - began
    return ratio(problem, result.device_of), took


def ratio(problem: NetworkProblem, order: Any) -> float:
    """I/Os of a valid order over Theorem 1's bound."""
    evaluation = problem.evaluate(order)
    assert evaluation.valid
    return evaluation.objective / io_bounds(problem.network).least


def rows(case: Case, seeds: int, seconds: float, effort: float) -> list[str]:
    """Lines of the table: how each planner does on the case."""
    found: dict[str, list[tuple[float, float]]] = {}
    for seed in range(seeds):
        network = generate_network(case.kind, case.settings, seed)
        problem = NetworkProblem(network, TwoLevelMemory(size=100, policy=case.policy))
        if seed == 0:
            for name in _known():
                measured(problem, name, 0.05)
        began = time.process_time()
        order = theorem_1_order(network)
        found.setdefault("theorem-1", []).append((ratio(problem, order), time.process_time() - began))
        found.setdefault("locality", []).append(measured(problem, "locality", 10.0))
        found.setdefault("order-portfolio", []).append(measured(problem, "order-portfolio", None))
        long = measured(problem, "order-portfolio", seconds, effort=effort)
        found.setdefault(f"order-portfolio, effort {effort:g}", []).append(long)
        if REORDERING in _known():
            for _, spent in (found["order-portfolio"][-1], long):
                found.setdefault(f"{REORDERING} beside", []).append(measured(problem, REORDERING, spent))
    lines = []
    beside = found.pop(f"{REORDERING} beside", [])
    for name, values in found.items():
        lines.append(_row(case, name, values))
        if beside and name.startswith("order-portfolio"):
            lines.append(_row(case, REORDERING, beside[1::2] if "effort" in name else beside[::2]))
    return lines


def _known() -> list[str]:
    from planner.machines.catalogue import planners

    return [name for name in ("locality", "order-portfolio", REORDERING) if name in planners()]


def _row(case: Case, name: str, values: Sequence[tuple[float, float]]) -> str:
    ratios, spent = [r for r, _ in values], [s for _, s in values]
    # These two are given processor time; the others end by themselves, after so many steps.
    hangs = name == REORDERING or "effort" in name
    goal = case.soon if name == "locality" else case.late if "effort" in name else None
    said = ""
    if goal is not None:
        met = max(ratios) <= goal[0] and max(spent) <= goal[1] * 1.02
        said = f"{goal[0]:.2f} in {goal[1]:g} s: {'met' if met else 'not met'}"
    ratio_text = marked(f"{statistics.median(ratios):.4f} ({max(ratios):.4f})", hangs)
    return f"| {case.name} | {name} | {ratio_text} | {statistics.median(spent):.3f} | {said} |"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table. Returns 0."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.orders", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="CPU seconds per run")
    parser.add_argument("--effort", type=float, default=18.0, help="effort of the longer run")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--only", nargs="*", default=[], help="names of cases")
    parser.add_argument("--out", type=Path, default=ROOT / "out" / "orders")
    given = parser.parse_args(arguments)
    lines = [
        f"| network | planner | ratio (worst) | {marked('CPU s')} | {marked('goal')} |",
        "|---|---|---|---|---|",
    ]
    print("\n".join(lines), flush=True)
    for case in CASES:
        if given.only and case.name not in given.only:
            continue
        for line in rows(case, given.seeds, given.seconds, given.effort):
            lines.append(line)
            print(line, flush=True)
    given.out.mkdir(parents=True, exist_ok=True)
    (given.out / "orders.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
