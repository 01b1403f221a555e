"""Small networks with parameters for Edge TPU pipelines, and what a search for counts of stages finds on them."""

from __future__ import annotations

import numpy as np

from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.model.graph import Graph, Op, Tensor
from planner.problem.problem import Problem
from planner.runs.stage_counts import Found, StageCount, evaluated, with_count

CACHE = 1000.0


def network(n: int = 12, name: str = "net", params: float = 300.0) -> Graph:
    """A chain of n ops of ``params`` INT8 parameters each, with a skip edge from every fourth op over three others."""
    ops = [
        Op(id=f"{name}{i}", name=f"{name}{i}", kind="Conv2D", params=params, param_bytes=4 * params, macs=1e6 * (i + 1))
        for i in range(n)
    ]  # fmt: skip
    tensors = [
        Tensor(
            f"{name}{i}", tuple(f"{name}{j}" for j in ((i + 1, i + 3) if i % 4 == 0 else (i + 1,)) if j < n),
            4.0 * (100 + i), dtype="float32", name=f"{name}_out_{i}",
        )
        for i in range(n)
    ]  # fmt: skip
    return Graph.build(name, ops, tensors, time_unit="s")


def tpu_problem(n: int = 12, count: int = 3, **target: object) -> Problem:
    """The network on Edge TPUs with a cache of 1000 bytes, all times known."""
    from planner.model.cost_model import fill

    return Problem(fill(network(n), None), EdgeTpuPipeline(count, cache=CACHE, **target))  # type: ignore[arg-type]


def even(n: int, count: int) -> np.ndarray:
    """Equal shares of the ops in order (int32[n])."""
    return (np.arange(n) * count // n).astype(np.int32)


def found_for(problem: Problem, count: int, proven: bool = True) -> StageCount:
    """As if an exact planner had found the even cut, and a baseline that puts one op more on the first stage."""
    at = with_count(problem, count)
    n = problem.graph.n
    device_of = even(n, count)
    values = at.evaluate(device_of).components
    items = list(values.items())
    bounds = tuple(
        at.bound(name, value, "ilp", at.assumptions, given=tuple(items[:i])) for i, (name, value) in enumerate(items)
    )  # fmt: skip
    baseline = device_of.copy()
    if count > 1:
        baseline[np.flatnonzero(device_of == 1)[:1]] = 0
    return evaluated(
        problem, Found(count, "edge-tpu-ilp", device_of, bounds if proven else bounds[:1], baseline, 0.4)
    )
