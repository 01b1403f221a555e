"""How many random partitions of a multi-chip module break the memory rule, and from which memory on they are as few as in the paper.

The paper's partitions fail on hardware, 13.5 % of BERT's random ones among them (section 5.4), where ours break the rule that parameters and
peak activations of a chip fit its memory. Partitions are drawn by SAMPLE from the uniform distribution under all other rules, seeds 0 onwards: the same on every machine.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, cast

import numpy as np

from benchmarks.mcm_runs import BERT, problem_of
from planner.machines.mcm.evaluator import McmEvaluator
from planner.machines.mcm.solver.solver import McmSolver
from planner.machines.mcm.target import McmPackage
from planner.model.graph import Floats
from planner.quantity import bytes_text

if TYPE_CHECKING:
    from benchmarks.mcm_tables import Table, Tables

SAMPLES = 100
PAPER_INVALID = 0.135
"""The share of random partitions of BERT that failed on the paper's hardware."""
PRECISIONS = ("file", "int8")


def fullest(graph: str, target: str, samples: int = SAMPLES) -> Floats:
    """Bytes on the fullest chip of each random partition of a graph (float64[samples]); ``target`` is one without the memory rule."""
    problem = problem_of(graph, target)
    solver, evaluator = McmSolver(problem), cast(McmEvaluator, problem.evaluator)
    found = []
    for seed in range(samples):
        plan = solver.sample(None, seed)
        if plan is not None:
            found.append(float((evaluator.parameter_bytes(plan) + evaluator.peaks(plan)).max()))
    return np.array(found)


def table(graphs: Sequence[str], samples: int = SAMPLES) -> tuple[str, list[str], list[list[str]]]:
    """Title, head and a row per graph: the share of random partitions that do not fit, and the memory with the paper's share."""
    memory = McmPackage().sram
    rows = []
    for graph in graphs:
        cells = [graph, str(problem_of(graph, "mcm:36").size)]
        for precision in PRECISIONS:
            target = replace(
                McmPackage(36), check_memory=False, precision=precision, copy_sources=2 if graph == BERT.stem else 0
            )  # fmt: skip
            found = fullest(graph, target.spec(), samples)
            share = float((found > memory).mean())
            at = float(np.quantile(found, 1.0 - PAPER_INVALID, method="higher"))
            cells += [f"{share:.0%}", bytes_text(at)]
        rows.append(cells)
    title = (
        f"Random partitions ({samples} each, seeds 0 onwards) that do not fit {bytes_text(memory)} per chip, and the memory that"
        f" all but the paper's {PAPER_INVALID:.1%} of BERT's fit"
    )
    head = ["graph", "ops", *(f"{name}{p}" for p in ("", " int8") for name in ("invalid", "memory"))]
    return title, head, rows


def improvements(tables: Tables) -> Iterator[Table]:
    """The improvements over greedy with the memory rule on: after so many samples, and per graph."""
    for which in ("sixteen-memory", "bert-memory"):
        yield from tables.growth(which)
        yield from tables.graphs(which)
