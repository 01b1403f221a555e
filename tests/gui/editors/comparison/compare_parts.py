"""Comparisons for the tests of their views: small ones, and a state that follows them without a window."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gui.document.plan.document import Document
from gui.editors.comparison.state import CompareState, entry_sources
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.model.graph import Graph
from planner.problem.bound import Bound
from planner.problem.problem import Problem
from planner.problem.provenance import Provenance
from planner.problem.target import Target
from planner.reports.comparison import Comparison, compare
from tests.gui.models import chain_graph

HAND, FOUND = Provenance(planner="hand"), Provenance(planner="found")


def comparison_of(
    *assignments: Sequence[int],
    target: Target | None = None,
    graph: Graph | None = None,
    bounds: Sequence[Bound] = (),
) -> Comparison:
    """Plans of a chain (a pipeline of as many blocks as the first needs), named by their letters."""
    graph = graph or chain_graph(len(assignments[0]))
    problem = Problem(graph, target or Pipeline(count=max(max(a) for a in assignments) + 1))
    names = ("first", "second", "third", "fourth")
    plans = [
        problem.plan(np.array(assignment, np.int32), FOUND, name)
        for assignment, name in zip(assignments, names, strict=False)
    ]
    return compare(plans, bounds)


def state_of(
    *assignments: Sequence[int], target: Target | None = None, graph: Graph | None = None
) -> CompareState:
    """The same as entries of an open document."""
    document = Document()
    graph = graph or chain_graph(len(assignments[0]))
    most = max(max(a) for a in assignments) + 1
    document.open_graph(graph, target=target or Pipeline(count=most))
    for name, assignment in zip(("first", "second", "third", "fourth"), assignments, strict=False):
        document.add_plan(np.array(assignment, np.int32), name)
    state = CompareState(document, document)
    state.set_sources(entry_sources(document.plans[-len(assignments) :]))
    return state


def pool(accelerators: int = 3, cpus: int = 1) -> DevicePool:
    """Devices that nothing puts in order."""
    return DevicePool(accelerators=accelerators, cpus=cpus)
