"""How long the constraint solver of multi-chip modules takes for one partition: SAMPLE and FIX, CPU milliseconds."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import numpy as np

from benchmarks.mcm_runs import BERT, PUBLISHED, ROOT, pruned
from planner.formats import read_models
from planner.machines.mcm.solver.solver import McmSolver
from planner.machines.spec import parse_target
from planner.model.cost_model import fill
from planner.model.graph import Graph, Ints
from planner.problem.problem import Problem

TARGET = "mcm:36,check_memory=false"
CALLS = 200
SECONDS = 20.0
"""CPU seconds after which a slow case ends with the calls it has made."""


def cases() -> Iterator[tuple[str, Graph, str]]:
    """Graphs of about 800 ops, and BERT, with their machines."""
    if PUBLISHED.exists():
        yield "bert_l-12 inference, pruned", pruned(read_models([PUBLISHED])), TARGET
    yield "inception_resnet_v2", read_models([ROOT / "sample_models" / "inception_resnet_v2.json"]), TARGET
    yield "speech_gru", read_models([ROOT / "benchmarks" / "graphs" / "speech_gru.json"]), TARGET
    yield "bert_large", read_models([BERT]), f"{TARGET},copy_sources=2"


def table(calls: int = CALLS, seconds: float = SECONDS) -> Iterator[tuple[str, list[str], list[list[str]]]]:
    """One row per graph: median and worst of SAMPLE from the uniform distribution and of FIX on random candidates, all static rules."""
    rows = []
    for name, graph, target in cases():
        problem = Problem(fill(graph), parse_target(target), "chip-latency")
        solver = McmSolver(problem)
        rng = np.random.default_rng(0)
        candidates = rng.integers(0, problem.evaluator.k, (calls, problem.evaluator.n)).astype(np.int32)
        cells = [name, str(graph.n)]
        for one in (
            lambda i, solver=solver: solver.sample(None, i),
            lambda i, solver=solver, candidates=candidates: solver.fix(candidates[i], i),
        ):
            cells += measured(problem, one, calls, seconds)
        rows.append(cells)
    head = ["graph", "ops", "SAMPLE ms", "worst", "failed", "FIX ms", "worst", "failed"]
    yield f"One partition by the constraint solver, CPU milliseconds (median) on {TARGET}", head, rows


def measured(
    problem: Problem, one: Callable[[int], Ints | None], calls: int, seconds: float
) -> tuple[str, str, str]:
    """Median and worst CPU milliseconds of ``one(i)``, and the share that found nothing. Raises where a result breaks a rule."""
    one(0)
    spent: list[float] = []
    failed = 0
    while len(spent) < calls and sum(spent) < seconds:
        began = time.process_time()
        found = one(len(spent))
        spent.append(time.process_time() - began)
        failed += found is None
        if found is not None and problem.evaluator.violations(found):
            raise AssertionError("the solver broke a rule")
    milliseconds = 1e3 * np.array(spent)
    return f"{np.median(milliseconds):.2f}", f"{milliseconds.max():.1f}", f"{failed / len(spent):.1%}"
