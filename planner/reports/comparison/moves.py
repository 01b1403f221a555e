"""Differences as a person counts them: neighbouring ops that moved together, from one device to one device."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from planner.model.graph import Graph, Ints
from planner.model.groups import union

HUB = 8
"""An op with more producers, or more consumers, does not make neighbours of them."""


class Move(NamedTuple):
    """Ops (int32, sorted) that hang together and go from the row ``source`` to the row ``target``."""

    ops: Ints
    source: int
    target: int


def moves(graph: Graph, before: Ints, after: Ints) -> tuple[Move, ...]:
    """What differs between two plans, group by group in the order of the graph; ``before`` and ``after`` (int32[n]) are rows.

    Moved ops of the same rows hang together where an edge leads from one to the other, or where they share a producer or a consumer
    that has few neighbours: what feeds every layer of a model does not make its layers one group.
    """
    moved = before != after
    sets: list[list[int]] = []
    for ptr, idx in (graph.succs, graph.preds):
        for v in range(graph.n):
            near = idx[ptr[v] : ptr[v + 1]]
            hub = len(near) > HUB
            near = near[moved[near]]
            ways: dict[tuple[int, int], list[int]] = {}
            if moved[v]:
                ways[int(before[v]), int(after[v])] = [v]
            for w in near.tolist():
                way = (int(before[w]), int(after[w]))
                if way in ways or not hub:
                    ways.setdefault(way, []).append(w)
            sets += [members for members in ways.values() if len(members) > 1]
    groups = union(graph.n, sets, graph.op_names)
    place = np.empty(graph.n, np.int64)
    place[graph.topological_order] = np.arange(graph.n)
    found = []
    for group in np.unique(groups.group_of[moved]).tolist():
        ops = groups.ops(group)
        found.append(Move(ops, int(before[ops[0]]), int(after[ops[0]])))
    return tuple(sorted(found, key=lambda move: int(place[move.ops].min())))
