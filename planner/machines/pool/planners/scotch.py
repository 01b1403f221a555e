"""Scotch: balanced graph partitioning, which knows neither the order of the ops nor what a device pays."""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from planner.errors import PlannerRefusal
from planner.evaluation import kernels
from planner.methods.obvious_infeasibility import report_infeasible
from planner.methods.units import Units, build_units, forced_units
from planner.model.graph import Floats, Ints, csr
from planner.options import Option
from planner.problem.problem import Problem
from planner.search.method import Planner, Source
from planner.search.search import Search

INSTALL = "pip install scotchpy64"
HEAVIEST = 2**30
"""What the weights of all vertices, and of all edges, add up to at most: Scotch sums them in whole numbers."""
FINEST = 10_000
"""What the speeds of all devices add up to as whole numbers."""


class Scotch(Planner):
    """Parts of equal work with little between them, from the Scotch library (Pellegrini).

    Ops that must share a device are one vertex, weighted with its work on an accelerator; edges are weighted with the
    transfers that cutting them costs. There are as many parts as accelerators (CPUs, where the pool has none); what
    runs on no accelerator goes to the first CPU. Where devices are not alike each gets work in proportion to how fast it is with
    all of it, and a vertex weighs its mean share of what a device takes for all. The best of several seeds is kept; parts may break memory caps, which
    Scotch does not know.
    """

    name: ClassVar[str] = "scotch"
    title: ClassVar[str] = "Scotch"
    summary: ClassVar[str] = (
        "balanced partition of the graph with small cuts, by the Scotch library (an extra)"
    )
    source: ClassVar[Source] = Source("device placement", "section 6, baselines")
    targets: ClassVar[frozenset[str]] = frozenset({"pool"})
    objectives: ClassVar[frozenset[str]] = frozenset({"max-load", "gpipe"})
    honours: ClassVar[frozenset[str]] = frozenset({"together"})
    options: ClassVar[tuple[Option, ...]] = (
        Option("seeds", 1, "how many partitions, each from another seed", low=1, high=100_000),
    )

    def refusal(self, problem: Problem) -> str | None:
        """Refuses contiguity too, which a partition does not keep, and to run without the library."""
        reason = super().refusal(problem)
        if reason is not None:
            return reason
        if any(rule.code == kernels.RULE_CONTIGUOUS for rule in problem.evaluator.rules):
            return "'scotch' does not keep devices contiguous; add contiguous=false to the target"
        if importlib.util.find_spec("scotchpy") is None:
            return f"'scotch' needs the Scotch library, which is not installed; {INSTALL}"
        return None

    def search(self, problem: Problem, search: Search) -> None:
        """One iteration per partition."""
        if report_infeasible(problem, search, self.name):
            return
        library: Any = _library()
        units = build_units(problem, forced_units(problem))
        e = problem.evaluator
        parts = np.flatnonzero(e.pays)
        cpus = np.flatnonzero(~e.pays)
        devices = parts if len(parts) else cpus
        free = np.flatnonzero(units.allowed[:, devices[0]]).astype(np.int32)
        place = np.full(units.count, cpus[0] if len(cpus) else devices[0], np.int32)
        times = units.work.sum(axis=2)[e.class_of[devices]][:, free]
        weights, speeds = shares(times)
        graph = _graph(library, units, weights, free)
        uneven = not np.allclose(speeds, speeds[0], rtol=1e-9)
        count = int(search.options["seeds"])
        for i in range(count):
            search.check()
            library.common.random_seed((search.seed + i) % 2**31)
            library.common.random_reset()
            part = np.zeros(len(free), np.int64)
            if len(free) and len(devices) > 1:
                if uneven:
                    machine = library.Arch()
                    machine.cmpltw(whole(speeds, FINEST))
                    graph.map(machine, parttab=part)
                else:
                    graph.part(len(devices), parttab=part)
            place[free] = devices[part]
            search.incumbent(place[units.unit_of])
            search.iteration()
            search.progress((i + 1) / count, f"partition {i + 1} of {count}")


def _library() -> Any:
    """The Scotch bindings. Raises :class:`PlannerRefusal` where they are not installed or do not load."""
    try:
        library = importlib.import_module("scotchpy")
        importlib.import_module("scotchpy.common")
    except (ImportError, OSError) as error:
        raise PlannerRefusal(f"the Scotch library cannot be loaded ({error}); {INSTALL}") from error
    return library


def shares(times: Floats) -> tuple[Floats, Floats]:
    """What units weigh (float64[u]) and how fast devices are (float64[d]), from what each takes on each (``times`` float64[d, u]).

    A unit weighs its mean share of what a device takes for all; a device is as fast as it is soon done with all.
    """
    total = times.sum(axis=1)
    if not (total > 0).all():
        return times.mean(axis=0), np.ones(len(times))
    return (times / total[:, None]).mean(axis=0), total.min() / total


def _graph(library: Any, units: Units, weights: Floats, free: Ints) -> Any:
    """The undirected graph of the units ``free``, of ``weights`` (float64[free]), as Scotch takes it."""
    a, b, weight = pair_weights(units)
    number = np.full(units.count, -1, np.int64)
    number[free] = np.arange(len(free))
    inside = (number[a] >= 0) & (number[b] >= 0)
    begins, ends, weight = number[a[inside]], number[b[inside]], weight[inside]
    sources = np.concatenate([begins, ends]).astype(np.int32)
    targets = np.concatenate([ends, begins])
    ptr, edge = csr(sources, np.arange(len(sources), dtype=np.int32), len(free))
    graph = library.Graph()
    graph.build(
        verttab=ptr.astype(np.int64),
        velotab=whole(weights),
        edgetab=targets[edge],
        edlotab=whole(np.concatenate([weight, weight])[edge]),
    )
    return graph


def pair_weights(units: Units) -> tuple[Ints, Ints, Floats]:
    """Pairs of units a < b (int32[p] each) that tensors pass between, with the sums of their transfer times (float64[p])."""
    unit = np.repeat(np.arange(units.count, dtype=np.int64), np.diff(units.entry_ptr))
    producer = units.tensor_producer[units.entry_tensor].astype(np.int64)
    uses = unit != producer
    low, high = np.minimum(unit, producer)[uses], np.maximum(unit, producer)[uses]
    keys, where = np.unique(low * max(units.count, 1) + high, return_inverse=True)
    weight = np.bincount(
        where.reshape(-1), weights=units.tensor_time[units.entry_tensor][uses], minlength=len(keys)
    )
    m = max(units.count, 1)
    return (keys // m).astype(np.int32), (keys % m).astype(np.int32), weight.astype(np.float64)


def whole(weights: Floats, total_weight: int = HEAVIEST) -> NDArray[np.int64]:
    """Weights (float64[w]) as whole numbers from 1 on, in proportion, of about ``total_weight`` together (int64[w])."""
    total = float(weights.sum())
    if total <= 0:
        return np.ones(len(weights), np.int64)
    return np.maximum(1, np.round(weights * (total_weight / total))).astype(np.int64)
