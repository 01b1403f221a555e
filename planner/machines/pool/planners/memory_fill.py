"""Memory fill: the greedy baseline that fills one accelerator after another."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from planner.evaluation import kernels
from planner.methods.filling import fill
from planner.methods.obvious_infeasibility import report_infeasible
from planner.methods.orders import depth_first_order
from planner.methods.units import build_units, chain, forced_units, mirrors
from planner.problem.problem import Problem
from planner.search.method import Planner, Source
from planner.search.search import Search


class MemoryFill(Planner):
    """Fill each accelerator in topological order as far as its memory goes; the rest goes to the CPU.

    Neither times nor transfers are looked at: with unlimited memory everything lands on the first accelerator. Ops that no
    accelerator supports go to a CPU; under contiguity each run of them takes a CPU of its own, and while none is
    left no plan is found. For latency one CPU takes all runs, as its cores do not run out.
    """

    name: ClassVar[str] = "memory-fill"
    title: ClassVar[str] = "Memory fill"
    summary: ClassVar[str] = (
        "fills one accelerator after another in topological order, the rest goes to the CPU"
    )
    source: ClassVar[Source] = Source("device placement", "section 7, greedy")
    targets: ClassVar[frozenset[str]] = frozenset({"pool"})
    objectives: ClassVar[frozenset[str]] = frozenset({"max-load", "gpipe", "latency"})
    honours: ClassVar[frozenset[str]] = frozenset({"together"})

    def search(self, problem: Problem, search: Search) -> None:
        """One greedy pass per contraction (see :class:`planner.machines.pool.planners.dpl.Dpl`)."""
        if report_infeasible(problem, search, self.name):
            return
        codes = {rule.code for rule in problem.evaluator.rules}
        contiguous = bool(codes & {kernels.RULE_CONTIGUOUS, kernels.RULE_SUBGRAPHS})
        cores = problem.objective == "latency"
        for mirror in mirrors(problem) if contiguous else ("none",):
            if contiguous:
                units = chain(problem, mirror)
                order = depth_first_order(*units.succs)
            else:
                unit_of = forced_units(problem)
                units = build_units(problem, unit_of)
                first = np.full(units.count, problem.graph.n, np.int64)
                np.minimum.at(first, unit_of[problem.graph.topological_order], np.arange(problem.graph.n))
                order = np.argsort(first, kind="stable").astype(np.int32)
            device_of = fill(units, order, contiguous, cores=cores)
            if device_of is not None:
                search.incumbent(device_of[units.unit_of])
            search.iteration()
