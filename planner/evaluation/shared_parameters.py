"""Parameters that several ops read, such as an embedding that is also the output layer of a language model.

A graph counts them at the first of these ops. A device must hold what each of its ops reads, so a plan counts them at each op: as if
every op had a copy of its own. Ops that every valid plan keeps together, by constraints or pins, share one. So no valid plan
needs more memory than it says; one that puts ops which are free to part on one device all the same needs less.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from planner.model.graph import Floats, Graph
from planner.model.ops import Shared
from planner.problem.problem import Pin, Problem


def copies(problem: Problem, size: Callable[[Shared], float] = lambda one: one.param_bytes) -> Floats:
    """Bytes of the parameters that each op reads and another op of the graph counts (float64[n]); of ops that are kept together once.

    ``size``: the bytes that shared parameters take on the machine.
    """
    graph = problem.graph
    out = np.zeros(graph.n)
    place_of = places(problem) if graph.shared else []
    for one in graph.shared:
        first, *others = (graph.index[op] for op in one.ops)
        seen = {place_of[first]}
        for v in others:
            if place_of[v] not in seen:
                seen.add(place_of[v])
                out[v] += size(one)
    return out


def params_read(graph: Graph) -> Floats:
    """How many parameters each op reads, whoever counts them (float64[n])."""
    out = graph.params.copy()
    for one in graph.shared:
        out[[graph.index[op] for op in one.ops[1:]]] += one.params
    return out


def places(problem: Problem) -> list[tuple[str, int]]:
    """What each op shares with those that every valid plan puts on its device, and with no other: a device that it is pinned to, or a group."""
    graph, group_of = problem.graph, problem.groups.group_of
    pinned = {}
    for constraint in problem.constraints:
        if isinstance(constraint, Pin):
            pinned[int(group_of[graph.index[constraint.op]])] = problem.device_index(constraint.device)
    return [("device", pinned[g]) if g in pinned else ("group", g) for g in group_of.tolist()]
