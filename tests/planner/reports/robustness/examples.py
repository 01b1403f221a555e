"""Problems and slow twins for the tests of robustness."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.pipeline.target import Pipeline
from planner.model.cost_model import fill
from planner.model.graph import Graph, Measured, Op, Tensor
from planner.problem.problem import Plan, Problem
from planner.problem.provenance import Provenance
from tests.planner.machines.edge_tpu.strategies import edge_problems
from tests.planner.machines.mcm.strategies import mcm_problems
from tests.planner.strategies import graphs, problems, stage_problems

small = st.one_of(
    problems(graph=graphs(least=1, most=4), options=False, alike=False), stage_problems(graph=graphs(most=4))
)
"""Problems whose devices pay sums, small enough to try every assignment."""
every = st.one_of(
    problems(options=True, alike=False),
    stage_problems(),
    mcm_problems(),
    edge_problems("stage-time"),
    edge_problems("inference-time"),
)
"""Problems on every machine with an objective that is a time."""


def with_factors(problem: Problem, factors: np.ndarray) -> Problem:
    """The problem with its graph's times multiplied, plainly: for machines that have no rates of their own."""
    graph = problem.graph
    own = tuple((device, times * factors) for device, times in graph.device_times)
    return replace(
        problem,
        graph=replace(graph, work=graph.work * factors, work_cpu=graph.work_cpu * factors, device_times=own),
    )


def has_times(problem: Problem) -> bool:
    """Whether any op takes time."""
    return bool((problem.evaluator.op_work > 0).any())


def chain(works: list[float], name: str = "chain", sizes: float = 0.0) -> Graph:
    """Ops v0, v1, ... in a row."""
    ops = [
        Op(f"v{i}", f"v{i}", kind="Conv" if i % 2 else "Add", work=w, work_cpu=w) for i, w in enumerate(works)
    ]
    return Graph.build(
        name, ops, [Tensor(f"v{i}", (f"v{i + 1}",), sizes, time=sizes) for i in range(len(works) - 1)]
    )


def measured(graph: Graph, spread: list[float]) -> Graph:
    """The graph with all times measured, and so far apart (quartiles, in the graph's unit)."""
    n = graph.n
    marks = Measured(
        np.ones(n, bool),
        np.zeros(n, bool),
        np.array(spread, float),
        ("a test",),
        (graph.work, graph.work_cpu, "s"),
        np.zeros(n, bool),
    )
    return fill(graph.with_given_times(graph.work.copy(), graph.work_cpu.copy(), "s", marks))


def plan(problem: Problem, device_of: list[int], name: str = "") -> Plan:
    """A plan by hand."""
    return problem.plan(np.array(device_of, np.int32), Provenance("hand"), name or "a plan")


def row_of(works: list[float], stages: int = 2) -> Problem:
    """A chain on a pipeline with free transfers."""
    return Problem(chain(works), Pipeline(stages, bandwidth=1.0))


def in_bytes() -> Problem:
    """A problem whose objective counts bytes."""
    return Problem(chain([1.0, 2.0]), EdgeTpuPipeline(2), "memory-1-3")
