"""Folding groups into single cards: the reduced graph, which is acyclic whatever is folded."""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

from gui.canvas.layout.csr import adjacency, checked_edges, topological_order
from gui.canvas.layout.ranks import columns


@dataclass(frozen=True)
class Collapsed:
    """A graph whose folded groups are single nodes.

    n: nodes; edge_src, edge_dst: int32[k], unique; node_of: int32[ops], the node that shows each op;
    group: int32[n], the group that a node stands for, -1 for a single op; first_op: int32[n], its smallest op;
    size: int32[n], ops in each node; edge_of: int32[edges], the reduced edge that shows each edge, -1 inside a node;
    edge_count: int32[k], edges that each reduced edge stands for. large: bool[n], for `prepare`.
    A group may have several nodes, where one alone would close a cycle or mix the directions of a training graph.
    An op without a group that a folded group encloses on all sides is shown by that group's node.
    """

    n: int
    edge_src: NDArray[np.int32]
    edge_dst: NDArray[np.int32]
    node_of: NDArray[np.int32]
    group: NDArray[np.int32]
    first_op: NDArray[np.int32]
    size: NDArray[np.int32]
    edge_of: NDArray[np.int32]
    edge_count: NDArray[np.int32]

    @property
    def large(self) -> NDArray[np.bool_]:
        return self.group >= 0


@njit(cache=True, nogil=True)
def _absorb(order, out_off, out, in_off, ins, cluster, direction):
    """Give ops outside of all groups, in place, to the group that encloses them: all that reaches them comes from it
    and all that they reach lies in it, apart from sources and sinks, and apart from ops of the other direction of a
    training graph. cluster: >= 0 inside a group, -1 outside."""
    n = len(cluster)
    before = cluster.copy()  # -1 nothing yet, -2 several groups
    after = cluster.copy()
    for u in order:
        if cluster[u] < 0:
            for k in range(in_off[u], in_off[u + 1]):
                seen = before[ins[k]]
                if direction[ins[k]] == direction[u] and seen != -1 and before[u] != seen:
                    before[u] = seen if before[u] == -1 else -2
    for i in range(n - 1, -1, -1):
        u = order[i]
        if cluster[u] < 0:
            for k in range(out_off[u], out_off[u + 1]):
                seen = after[out[k]]
                if direction[out[k]] == direction[u] and seen != -1 and after[u] != seen:
                    after[u] = seen if after[u] == -1 else -2
    for u in range(n):
        if cluster[u] < 0 and before[u] >= 0 and before[u] == after[u]:
            cluster[u] = before[u]


@njit(cache=True, nogil=True)
def _sequence(count, out_off, out, indegree, rank):
    """Position of every cluster: a topological order, going on with the smallest rank wherever a cycle blocks it."""
    position = np.full(count, -1, np.int32)
    ready = [(0.0, np.int64(-1))]
    ready.pop()
    waiting = np.argsort(rank, kind="mergesort")
    for c in range(count):
        if indegree[c] == 0:
            heapq.heappush(ready, (rank[c], np.int64(c)))
    at = 0
    done = 0
    while done < count:
        c = -1
        while ready and c < 0:
            top = heapq.heappop(ready)[1]
            if position[top] < 0:
                c = int(top)
        if c < 0:
            while position[waiting[at]] >= 0:
                at += 1
            c = waiting[at]
        position[c] = done
        done += 1
        for k in range(out_off[c], out_off[c + 1]):
            indegree[out[k]] -= 1
            if indegree[out[k]] == 0 and position[out[k]] < 0:
                heapq.heappush(ready, (rank[out[k]], np.int64(out[k])))
    return position


@njit(cache=True, nogil=True)
def _pieces(order, out_off, out, cluster, position):
    """Piece of its cluster that each op belongs to: one more after every edge against the clusters' sequence.

    Along any edge (piece, position) never decreases, so clusters split by piece cannot form a cycle.
    """
    piece = np.zeros(len(cluster), np.int32)
    for u in order:
        for k in range(out_off[u], out_off[u + 1]):
            v = out[k]
            step = 1 if position[cluster[u]] > position[cluster[v]] else 0
            piece[v] = max(piece[v], piece[u] + step)
    # whatever only later pieces of its own cluster wait for joins them: weights, transposes of saved tensors
    loose = np.ones(len(cluster), np.bool_)
    for u in order:
        for k in range(out_off[u], out_off[u + 1]):
            v = out[k]
            loose[v] = loose[v] and (loose[u] or cluster[u] != cluster[v])
    for i in range(len(order) - 1, -1, -1):
        u = order[i]
        if not loose[u]:
            continue
        latest = 2**30
        joins = False
        for k in range(out_off[u], out_off[u + 1]):
            v = out[k]
            latest = min(latest, piece[v] - (1 if position[cluster[u]] > position[cluster[v]] else 0))
            joins = joins or cluster[u] == cluster[v]
        if joins:
            piece[u] = max(piece[u], latest)
    return piece


def collapse(n: int, edge_src: ArrayLike, edge_dst: ArrayLike, group_of: ArrayLike, folded: ArrayLike,
             backward: ArrayLike | None = None) -> Collapsed:  # fmt: skip
    """Contract every folded group to one node, or to as few as keep the graph acyclic.

    n: op count; edge_src, edge_dst: int32[m]; group_of: int32[n], group of each op or -1; folded: the groups to fold;
    backward: bool[n]: forward and backward ops of a group get nodes of their own. Raises ValueError on a cycle in the
    input or arrays that do not match.
    """
    src, dst = checked_edges(n, edge_src, edge_dst)
    group = np.asarray(group_of, np.int64)
    if group.shape != (n,):
        raise ValueError(
            f"group_of needs one group for each of the {n} ops, not an array of shape {group.shape}."
        )
    out_off, out = adjacency(n, src, dst)
    in_off, ins = adjacency(n, dst, src)
    order, reached = topological_order(n, out_off, out, in_off)
    if reached < n:
        raise ValueError("The graph has a cycle; remove an edge of it before folding groups.")
    inside = np.isin(group, np.asarray(list(np.atleast_1d(np.asarray(folded, np.int64))))) & (group >= 0)
    direction = np.zeros(n, np.int64) if backward is None else np.asarray(backward).astype(np.int64)
    label = np.where(inside, group * 2 + direction, -1)
    held = label.copy()
    _absorb(order, out_off, out, in_off, ins, held, direction)
    label = np.where(group < 0, held, label)  # an unfolded group's ops stay visible
    inside = label >= 0
    key = np.where(inside, label, -1 - np.arange(n))
    _, cluster = np.unique(key, return_inverse=True)
    cluster = cluster.astype(np.int32)
    count = int(cluster.max(initial=-1)) + 1
    rank = columns(n, src, dst, np.ones(n, np.int32)).astype(np.float64)
    mean = np.bincount(cluster, rank, count) / np.maximum(1, np.bincount(cluster, minlength=count))
    a, b = cluster[src], cluster[dst]
    pairs = np.unique(a[a != b].astype(np.int64) * max(count, 1) + b[a != b])
    qa, qb = (pairs // max(count, 1)).astype(np.int32), (pairs % max(count, 1)).astype(np.int32)
    q_off, q_out = adjacency(count, qa, qb)
    position = _sequence(count, q_off, q_out, np.bincount(qb, minlength=count).astype(np.int32), mean)
    piece = _pieces(order, out_off, out, cluster, position)
    # nodes are numbered by their smallest op, so that unfolding elsewhere renumbers as little as possible
    code = cluster.astype(np.int64) * (int(piece.max(initial=0)) + 1) + piece
    _, first, inverse = np.unique(code, return_index=True, return_inverse=True)
    by_first = np.argsort(first, kind="stable")
    rename = np.empty(len(first), np.int32)
    rename[by_first] = np.arange(len(first), dtype=np.int32)
    node_of = rename[inverse].astype(np.int32)
    total = len(first)
    first_op = first[by_first].astype(np.int32)
    size = np.bincount(node_of, minlength=total).astype(np.int32)
    a, b = node_of[src].astype(np.int64), node_of[dst].astype(np.int64)
    between = a != b
    pairs, edge_index, counts = np.unique(
        a[between] * max(total, 1) + b[between], return_inverse=True, return_counts=True
    )
    edge_of = np.full(len(src), -1, np.int32)
    edge_of[between] = edge_index.astype(np.int32)
    stands_for = np.where(inside[first_op], label[first_op] // 2, -1).astype(np.int32)
    return Collapsed(total, (pairs // max(total, 1)).astype(np.int32), (pairs % max(total, 1)).astype(np.int32), node_of,
                     stands_for, first_op, size, edge_of, counts.astype(np.int32))  # fmt: skip
