"""A slow, obvious evaluation of Edge TPU pipelines: sets and loops over plain Python numbers, from the formulas."""

from __future__ import annotations

import math

from planner.model.graph import Graph
from planner.problem.problem import Problem
from tests.planner.reference import tensors

WIDTHS = {"float64": 8, "float32": 4, "float16": 2}


def sizes(problem: Problem) -> list[float]:
    """Bytes of each tensor: one per value where it is in floating point and INT8 is asked for."""
    graph = problem.graph
    int8 = problem.target.precision == "int8"
    return [
        float(graph.tensor_bytes[i]) / (WIDTHS.get(graph.tensor_dtypes[i], 1) if int8 else 1)
        for i in range(graph.tensor_count)
    ]


def is_floating(graph: Graph, v: int) -> bool:
    """Whether an op computes in floating point, told by what it produces or else by what it reads."""
    made = [graph.tensor_dtypes[i] for i in range(graph.tensor_count) if graph.tensor_producer[i] == v]
    if not made:
        made = [graph.tensor_dtypes[i] for i, (_, readers, _, _) in enumerate(tensors(graph)) if v in readers]
    return any(dtype in WIDTHS for dtype in made)


def params(problem: Problem, v: int) -> float:
    """Bytes of an op's own parameters."""
    graph = problem.graph
    if problem.target.fold_batch_norm and is_folded(graph, v):
        return 0.0
    if problem.target.precision == "int8" and is_floating(graph, v) and graph.params[v] > 0:
        return float(graph.params[v])
    return float(graph.param_bytes[v])


def is_folded(graph: Graph, v: int) -> bool:
    """A batch normalisation that is the only reader of the only op it reads from, a convolution without activation."""
    edges = {(u, w) for u, readers, _, _ in tensors(graph) for w in readers}
    before = [u for u, w in edges if w == v]
    if graph.kinds[v] != "BatchNormalization" or len(before) != 1:
        return False
    (u,) = before
    alone = {w for x, w in edges if x == u} == {v}
    return graph.kinds[u] == "Conv2D" and alone and graph.attrs[u].get("activation", "linear") == "linear"


def entering(problem: Problem, device_of: list[int], k: int) -> float:
    """comm_k: each tensor made on another stage and read here counts once."""
    size = sizes(problem)
    return sum(
        size[i]
        for i, (u, readers, _, _) in enumerate(tensors(problem.graph))
        if device_of[u] != k and any(device_of[v] == k for v in readers)
    )


def leaving(problem: Problem, device_of: list[int], k: int) -> float:
    """Each tensor made here and read on another stage counts once."""
    size = sizes(problem)
    return sum(
        size[i]
        for i, (u, readers, _, _) in enumerate(tensors(problem.graph))
        if device_of[u] == k and any(device_of[v] != k for v in readers)
    )


def memory(problem: Problem, device_of: list[int], k: int) -> float:
    """m_k."""
    return sum(params(problem, v) for v in range(problem.graph.n) if device_of[v] == k)


def parts(problem: Problem, device_of: list[int], k: int) -> dict[str, float]:
    """Receive, work, streaming and send of a stage, in seconds."""
    target, graph, size = problem.target, problem.graph, sizes(problem)
    receive = entering(problem, device_of, k) / target.down
    send = leaving(problem, device_of, k) / target.up
    work = 0.0
    for v in range(graph.n):
        if device_of[v] != k:
            continue
        given = float(graph.given_times[0][v])
        if not math.isnan(given):
            work += given
        elif graph.kinds[v] not in {"Input", "InputLayer"}:
            work += 2.0 * float(graph.macs[v]) / (target.compute * target.utilisation)
        if not target.host_io:
            continue
        for i, (u, readers, _, _) in enumerate(tensors(graph)):
            if u == v and graph.kinds[v] in {"Input", "InputLayer"}:
                receive += size[i] / target.down
            elif u == v and not readers:
                send += size[i] / target.up
    over = max(0.0, memory(problem, device_of, k) - target.cache)
    return {"receive": receive, "work": work, "streaming": over / target.streaming, "send": send}


def adding(problem: Problem, device_of: list[int]) -> tuple[list[float], list[float]]:
    """Per stage the seconds that it streams, activations in its cache, and those that it receives, computes and sends."""
    target, graph, size = problem.target, problem.graph, sizes(problem)
    streaming, rest = [], []
    for k in range(target.count):
        largest = 0.0
        for v in range(graph.n):
            if device_of[v] == k and graph.macs[v] > 0 and target.scratch:
                seen = [
                    size[i] for i, (u, readers, _, _) in enumerate(tensors(graph)) if v == u or v in readers
                ]
                largest = max(largest, sum(seen))
        held = memory(problem, device_of, k)
        streaming.append(min(held, max(0.0, held - max(0.0, target.cache - largest))) / target.streaming)
        seconds = parts(problem, device_of, k)
        rest.append(seconds["receive"] + seconds["work"] + seconds["send"])
    return streaming, rest


def interval(problem: Problem, device_of: list[int]) -> float:
    """Seconds from one inference to the next."""
    streaming, rest = adding(problem, device_of)
    if problem.target.shared_link:
        return sum(streaming) + max(rest)
    return max(a + b for a, b in zip(streaming, rest, strict=True))


def components(problem: Problem, device_of: list[int]) -> dict[str, float]:
    """The components of the objective, in order."""
    stages = range(problem.target.count)
    held = [memory(problem, device_of, k) for k in stages]
    values = {
        "max-memory": max(held),
        "dram": sum(max(0.0, m - problem.target.cache) for m in held),
        "max-communication": max(entering(problem, device_of, k) for k in stages),
        "stage-time": max(sum(parts(problem, device_of, k).values()) for k in stages),
        "inference-time": interval(problem, device_of),
    }
    orders = {
        "memory-1-2-3": ("max-memory", "dram", "max-communication"),
        "memory-1-3": ("max-memory", "max-communication"),
        "memory-2-1-3": ("dram", "max-memory", "max-communication"),
        "memory-2-3": ("dram", "max-communication"),
        "stage-time": ("stage-time",),
        "inference-time": ("inference-time",),
    }
    return {name: values[name] for name in orders[problem.objective]}


def is_valid(problem: Problem, device_of: list[int]) -> bool:
    """Order, shared children and constraints."""
    from planner.problem.problem import Pin

    graph = problem.graph
    for u, readers, _, _ in tensors(graph):
        if any(device_of[u] > device_of[v] for v in readers):
            return False
    if problem.target.shared_children:
        for u in range(graph.n):
            children = {v for w, readers, _, _ in tensors(graph) if w == u for v in readers}
            if len({device_of[v] for v in children}) > 1:
                return False
    for constraint in problem.constraints:
        if isinstance(constraint, Pin):
            if device_of[graph.index[constraint.op]] != problem.device_index(constraint.device):
                return False
        elif len({device_of[graph.index[op]] for op in constraint.ops}) > 1:
            return False
    return True
