"""Differences as a person counts them: neighbouring ops that moved together, from one device to one device."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from planner.model.graph import Graph, Ints

HUB = 8
"""An op with more producers, or more consumers, does not make neighbours of them."""


class Move(NamedTuple):
    """Ops (int32, sorted) that hang together and go from the row ``source`` to the row ``target``."""

    ops: Ints
    source: int
    target: int


def hanging_together(n: int, one: Ints, two: Ints) -> NDArray[np.int64]:
    """For each of ``n`` ops the least op (int64[n]) that it hangs together with, where ``one[i]`` hangs together with ``two[i]``.

    By NumPy alone: a comparison opens in the window's thread, and to load SciPy's graphs takes a sixth of a second there.
    """
    least = np.arange(n, dtype=np.int64)
    while True:
        a, b = least[one], least[two]
        apart = a != b
        if not apart.any():
            return least
        a, b, one, two = a[apart], b[apart], one[apart], two[apart]
        # Every group that has a smaller neighbour joins the smallest of them.
        np.minimum.at(least, np.maximum(a, b), np.minimum(a, b))
        while True:
            further = least[least]
            if np.array_equal(further, least):
                break
            least = further


def moves(graph: Graph, before: Ints, after: Ints) -> tuple[Move, ...]:
    """What differs between two plans, group by group in the order of the graph; ``before`` and ``after`` (int32[n]) are rows.

    Moved ops of the same rows hang together where an edge leads from one to the other, or where they share a producer or a consumer
    that has few neighbours: what feeds every layer of a model does not make its layers one group.
    """
    moved = before != after
    way = before.astype(np.int64) * (int(after.max(initial=0)) + 1) + after
    pairs: list[tuple[Ints, Ints]] = []
    for ptr, idx in (graph.succs, graph.preds):
        many = np.diff(ptr)
        op = np.repeat(np.arange(graph.n), many)
        near = moved[idx]
        op, other = op[near], idx[near]
        if ptr is graph.succs[0]:  # an edge from its one end; from the other it is the same
            alike = moved[op] & (way[op] == way[other])
            pairs.append((op[alike], other[alike]))
        few = many[op] <= HUB
        op, other = op[few], other[few]
        order = np.lexsort((way[other], op))
        op, other = op[order], other[order]
        beside = (op[1:] == op[:-1]) & (way[other[1:]] == way[other[:-1]])
        pairs.append((other[:-1][beside], other[1:][beside]))
    one, two = (np.concatenate(ends) for ends in zip(*pairs, strict=True))
    group_of = hanging_together(graph.n, one, two)
    ops = np.flatnonzero(moved)
    place = np.empty(graph.n, np.int64)
    place[graph.topological_order] = np.arange(graph.n)
    _, first, group = np.unique(group_of[ops], return_index=True, return_inverse=True)
    earliest = np.full(len(first), graph.n)
    np.minimum.at(earliest, group, place[ops])
    by_group = np.split(
        ops[np.argsort(group, kind="stable")].astype(np.int32), np.cumsum(np.bincount(group))[:-1]
    )
    return tuple(
        Move(by_group[g], int(before[ops[first[g]]]), int(after[ops[first[g]]]))
        for g in np.argsort(earliest).tolist()
    )
