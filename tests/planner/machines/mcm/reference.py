"""Multi-chip modules from the formulas: sets and loops over plain Python numbers, nothing of the fast code."""

from __future__ import annotations

import math
from collections.abc import Sequence

from planner.machines.mcm.target import McmPackage
from planner.model.graph import Graph
from planner.problem.problem import Pin, Problem, Together
from tests.planner.reference import edges, tensors


def package(problem: Problem) -> McmPackage:
    assert isinstance(problem.target, McmPackage)
    return problem.target


def copied_ops(problem: Problem) -> dict[int, set[int]]:
    """Ops that more than ``copy_sources`` ops read, with one tensor that is read, and what each copy consists of.

    What leads to such an op leads nowhere else and is at most 16 ops, itself among them.
    """
    graph, target = problem.graph, package(problem)
    if not target.copy_sources:
        return {}
    found = {}
    for v in range(graph.n):
        read = [consumers for u, consumers, _, _ in tensors(graph) if u == v and consumers]
        made = {v}
        while more := {u for u, w in edges(graph) if w in made} - made:
            made |= more
        alone = all(w in made for u, w in edges(graph) if u in made - {v})
        if len(read) == 1 and len(read[0]) > target.copy_sources and alone and len(made) <= 16:
            found[v] = made
    return found


def dependencies(problem: Problem) -> set[tuple[int, int]]:
    """The edges that bind: all but those that leave copied sources."""
    copies = copied_ops(problem)
    return {(u, v) for u, v in edges(problem.graph) if u not in copies}


def work(problem: Problem, v: int) -> float:
    return float(problem.graph.given_times[0][v])


def link_time(problem: Problem, size: float, profiled: float) -> float:
    target = package(problem)
    if target.link:
        return size / target.link
    return size / 25e9 if math.isnan(profiled) else profiled


def parts(problem: Problem, device_of: Sequence[int], chip: int) -> dict[str, float]:
    """What a chip pays: receive, work (copies among it) and send."""
    copies = copied_ops(problem)
    found = {"receive": 0.0, "work": 0.0, "send": 0.0}
    found["work"] = sum(work(problem, v) for v in range(problem.graph.n) if device_of[v] == chip)
    for u, consumers, size, profiled in tensors(problem.graph):
        readers = {device_of[v] for v in consumers}
        time = link_time(problem, size, profiled)
        if chip in readers and device_of[u] != chip:
            if u in copies:
                found["work"] += sum(work(problem, v) for v in copies[u])
            else:
                found["receive"] += time
        if device_of[u] == chip and u not in copies and readers - {chip}:
            found["send"] += time
    return found


def cost(problem: Problem, device_of: Sequence[int], chip: int) -> float:
    return sum(parts(problem, device_of, chip).values())


def arcs(problem: Problem, device_of: Sequence[int]) -> set[tuple[int, int]]:
    """Chips that feed one another."""
    return {(device_of[u], device_of[v]) for u, v in dependencies(problem) if device_of[u] != device_of[v]}


def forward_paths(direct: set[tuple[int, int]], a: int, b: int) -> list[list[int]]:
    """Every path from chip a to chip b along forward arcs."""
    if a == b:
        return [[b]]
    return [[a, *rest] for x, y in direct if x == a and a < y <= b for rest in forward_paths(direct, y, b)]


def components(problem: Problem, device_of: Sequence[int]) -> dict[str, float]:
    chips = range(package(problem).count)
    if problem.objective == "chip-latency":
        return {"chip-latency": max(cost(problem, device_of, c) for c in chips)}
    return {"latency": latency(problem, device_of)}


def latency(problem: Problem, device_of: Sequence[int]) -> float:
    """When the last chip finishes one sample."""
    hop = package(problem).hop if problem.graph.time_unit is not None else 0.0
    finish: list[float] = []
    for c in range(package(problem).count):
        waits = [finish[a] + hop * (c - a) for a, b in arcs(problem, device_of) if b == c and a < c]
        finish.append(max(waits, default=0.0) + cost(problem, device_of, c))
    return max(finish)


def parameters(problem: Problem, device_of: Sequence[int], chip: int) -> float:
    graph = problem.graph
    held = sum(float(graph.param_bytes[v]) for v in range(graph.n) if device_of[v] == chip)
    for u, consumers, _, _ in tensors(graph):
        if u in copied_ops(problem) and device_of[u] != chip and any(device_of[v] == chip for v in consumers):
            held += sum(float(graph.param_bytes[v]) for v in copied_ops(problem)[u])
    return held


def run(problem: Problem, device_of: Sequence[int], chip: int) -> list[int]:
    """The ops of a chip as they run: depth-first, the smallest id of what has just become ready next."""
    bound = dependencies(problem)
    on = [v for v in range(problem.graph.n) if device_of[v] == chip]
    done: list[int] = []
    stack = sorted((v for v in on if not any((u, v) in bound for u in on)), reverse=True)
    while stack:
        v = stack.pop()
        done.append(v)
        ready = [
            w
            for w in on
            if (v, w) in bound and all(u in done for u in on if (u, w) in bound) and w not in done
        ]
        stack += sorted(ready, reverse=True)
    return done


def live_bytes(problem: Problem, device_of: Sequence[int], chip: int) -> list[float]:
    """Bytes of activations while each op of :func:`run` runs."""
    order = run(problem, device_of, chip)
    copies = copied_ops(problem)
    out = [0.0] * len(order)
    for u, consumers, size, _ in tensors(problem.graph):
        uses = [order.index(v) for v in consumers if device_of[v] == chip]
        if u in copies or device_of[u] != chip:
            if not uses:
                continue
            first, last = 0, max(uses)
        else:
            first = order.index(u)
            sent = not consumers or any(device_of[v] != chip for v in consumers)
            last = len(order) - 1 if sent else max(uses)
        for step in range(first, last + 1):
            out[step] += size
    return out


def memory(problem: Problem, device_of: Sequence[int], chip: int) -> float:
    return parameters(problem, device_of, chip) + max(live_bytes(problem, device_of, chip), default=0.0)


def links(problem: Problem, device_of: Sequence[int]) -> list[float]:
    """Bytes from each chip to the next; a tensor for several chips travels once, to the farthest."""
    out = [0.0] * package(problem).count
    for u, consumers, size, _ in tensors(problem.graph):
        if u not in copied_ops(problem):
            for c in range(device_of[u], max((device_of[v] for v in consumers), default=0)):
                out[c] += size
    return out


def violations(problem: Problem, device_of: Sequence[int]) -> set[str]:
    """The kinds of rules and constraints that an assignment breaks."""
    target, graph = package(problem), problem.graph
    used = set(device_of)
    direct = arcs(problem, device_of)
    found = set()
    if any(a > b for a, b in direct):
        found.add("order")
    if target.no_skip and used and used != set(range(max(used) + 1)):
        found.add("no_skip")
    if target.every_chip and used != set(range(target.count)):
        found.add("every_chip")
    if target.triangle and any(
        len(path) > 2 for a, b in direct if a < b for path in forward_paths(direct, a, b)
    ):
        found.add("triangle")
    if target.check_memory and any(
        memory(problem, device_of, c) > target.sram * (1 + 1e-9) for c in range(target.count)
    ):
        found.add("memory")
    return found | constraint_violations(problem, graph, device_of)


def constraint_violations(problem: Problem, graph: Graph, device_of: Sequence[int]) -> set[str]:
    found = set()
    names = [d.name for d in problem.devices]
    for constraint in problem.constraints:
        if isinstance(constraint, Pin) and names[device_of[graph.index[constraint.op]]] != constraint.device:
            found.add("pin")
        if (
            isinstance(constraint, Together)
            and len({device_of[graph.index[op]] for op in constraint.ops}) > 1
        ):
            found.add("together")
    return found
