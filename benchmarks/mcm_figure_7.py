"""Figure 7 of the paper on multi-chip modules: what the analytical cost says of random partitions, and what their simulation does.

The paper draws 2,000 partitions of BERT and runs them on hardware; here they are simulated (docs/mcm-simulation.md). Partitions are drawn by SAMPLE from
the uniform distribution, with seeds 0 onwards. Memory is left out of the simulation and counted: a partition runs on chips that
hold the highest address it uses, so that one run tells the share of invalid partitions for any memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import numpy as np

from benchmarks.mcm_runs import BERT, Rows, problem_of
from benchmarks.scatter import scatter
from planner.files import write_atomically
from planner.machines.mcm.evaluator import McmEvaluator
from planner.machines.mcm.simulation.simulator import SimulationSettings, Simulator
from planner.machines.mcm.solver.solver import McmSolver
from planner.model.graph import Floats

TARGET = "mcm:36,precision=int8,check_memory=false,sram=inf"
"""Edge TPUs compute with bytes. Memory is what the samples tell."""
MEMORIES = (16, 32, 64, 128, 256, 512)
"""MiB of a chip for which the share of invalid partitions is shown."""
SHARE, CORRELATION = 0.135, 0.91
"""The paper's share of invalid partitions and its correlation (section 5.4)."""
BEST = 0.1
"""The share of the partitions, best by the analytical cost, of which the correlation is shown on its own."""
MIB = 2.0**20


@dataclass(frozen=True)
class Drawn:
    """Random partitions of a graph (s): ``analytical`` and ``simulated`` time per inference, ``memory`` the highest address that a chip
    uses in bytes, float64[s] each."""

    analytical: Floats
    simulated: Floats
    memory: Floats

    def invalid(self, memory: float) -> float:
        """The share of the partitions that the allocator has no place for on chips of so many bytes."""
        return float((self.memory > memory).mean())


def target_of(graph: str) -> str:
    """The machine for a graph, named by its file."""
    return f"{TARGET},copy_sources=2" if graph == BERT.stem else TARGET


def drawn(graph: str, samples: int) -> Drawn:
    """Draw and simulate so many partitions of a graph, named by its file."""
    problem = problem_of(graph, target_of(graph))
    evaluator = cast(McmEvaluator, problem.evaluator)
    solver, simulator = McmSolver(problem), Simulator(evaluator, SimulationSettings())
    values = []
    for seed in range(samples):
        device_of = solver.sample(None, seed)
        if device_of is not None:
            found = simulator.run(device_of)
            values.append((evaluator.objective(device_of), found.interval, float(found.high.max())))
    return Drawn(*np.array(values).reshape(-1, 3).T)


def kept(rows: Rows, graph: str, samples: int) -> Drawn | None:
    """The partitions of a graph from the file, or drawn now; None where they are missing and nothing may be run."""
    head = ["graph", "target", "samples", "analytical", "simulated", "memory"]

    def run() -> list[str]:
        found = drawn(graph, samples)
        return [
            " ".join(map(repr, part.tolist())) for part in (found.analytical, found.simulated, found.memory)
        ]

    cells = rows.cells("random-partitions.csv", head, [graph, target_of(graph), str(samples)], run)
    return None if cells is None else Drawn(*(np.array(cell.split(), np.float64) for cell in cells))


def correlation(one: Floats, other: Floats) -> float:
    """Pearson's correlation; NaN where there are fewer than three values or one side never changes."""
    if len(one) < 3 or not one.std() or not other.std():
        return float("nan")
    return float(np.corrcoef(one, other)[0, 1])


def ranks(values: Floats) -> Floats:
    """The rank of each value, equal ones the mean of theirs (float64[s])."""
    _, which, count = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(count)
    return np.asarray((last - (count - 1) / 2)[which.reshape(-1)], np.float64)


def table(
    rows: Rows, graphs: Sequence[str], samples: int
) -> Iterator[tuple[str, list[str], list[list[str]]]]:
    """One row per graph: shares of invalid partitions by memory, and how far the two costs agree on all partitions and on the best ones."""
    lines = []
    for graph in graphs:
        found = kept(rows, graph, samples)
        if found is None or not len(found.analytical):
            continue
        best = found.analytical <= np.quantile(found.analytical, BEST)
        ratio = found.simulated / found.analytical
        lines.append(
            [
                graph, f"{len(found.analytical):,}", *(f"{found.invalid(m * MIB):.1%}" for m in MEMORIES),
                _number(correlation(found.analytical, found.simulated)),
                _number(correlation(ranks(found.analytical), ranks(found.simulated))),
                _number(correlation(found.analytical[best], found.simulated[best])),
                f"{np.median(ratio):.2f}",
            ]
        )  # fmt: skip
    head = [
        "graph", "partitions", *(f"{m} MiB" for m in MEMORIES), "R", "ranks", f"R of best {BEST:.0%}", "simulated / analytical",
    ]  # fmt: skip
    title = "Figure 7: invalid partitions by the memory of a chip, and analytical against simulated time"
    yield f"{title} (paper, BERT on hardware: {SHARE:.1%} invalid, R {CORRELATION:.2f})", head, lines


def figure(rows: Rows, graphs: Sequence[str], samples: int, folder: Path) -> Path | None:
    """Both times of every partition, each over the least: BERT where it is among ``graphs``, else all of them; None where one is missing."""
    shown = [BERT.stem] if BERT.stem in graphs else list(graphs)
    series = {}
    for graph in shown:
        found = kept(rows, graph, samples)
        if found is None or not len(found.analytical):
            return None
        analytical, simulated = (part / part.min() for part in (found.analytical, found.simulated))
        series[graph] = list(zip(analytical.tolist(), simulated.tolist(), strict=True))
    title = (
        f"Random partitions on {TARGET.split(',', maxsplit=1)[0].removeprefix('mcm:')} chips (as figure 7)"
    )
    picture = scatter(title, "analytical time over the least", "simulated time over the least", series)
    return write_atomically(folder / "figure-7.svg", picture)


def _number(value: float) -> str:
    return f"{value:.3f}" if np.isfinite(value) else "-"
