"""Contraction: ops that every valid plan keeps together become one unit, so that planners move units only.

Ops of one colocation group share a device by demand. Where devices follow one another along the graph, so do all groups
on a cycle of the contracted graph (device placement, appendix B): a path u, v, w with u and w together forces v in.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from planner.compiling.kernel import njit
from planner.evaluation import kernels
from planner.lifetime import while_it_lives
from planner.model.graph import Bools, Floats, Ints, csr
from planner.problem.problem import Problem


@njit(cache=True, nogil=True)
def strong_components(ptr, idx):
    """Label of each node's strongly connected component (int32[n], any numbering); Tarjan without recursion."""
    n = len(ptr) - 1
    label = np.full(n, -1, np.int32)
    low = np.zeros(n, np.int32)
    number = np.zeros(n, np.int32)  # 0 = not seen yet
    next_edge = np.zeros(n, np.int32)
    path = np.empty(n, np.int32)
    open_nodes = np.empty(n, np.int32)
    seen = 0
    opened = 0
    found = 0
    for root in range(n):
        if number[root] > 0:
            continue
        depth = 1
        path[0] = root
        seen += 1
        number[root] = seen
        low[root] = seen
        next_edge[root] = ptr[root]
        open_nodes[opened] = root
        opened += 1
        while depth > 0:
            v = path[depth - 1]
            if next_edge[v] < ptr[v + 1]:
                w = idx[next_edge[v]]
                next_edge[v] += 1
                if number[w] == 0:
                    seen += 1
                    number[w] = seen
                    low[w] = seen
                    next_edge[w] = ptr[w]
                    open_nodes[opened] = w
                    opened += 1
                    path[depth] = w
                    depth += 1
                elif label[w] < 0 and number[w] < low[v]:
                    low[v] = number[w]
                continue
            depth -= 1
            if depth > 0 and low[v] < low[path[depth - 1]]:
                low[path[depth - 1]] = low[v]
            if low[v] == number[v]:
                while True:
                    opened -= 1
                    w = open_nodes[opened]
                    label[w] = found
                    if w == v:
                        break
                found += 1
    return label


def renumbered(labels: Ints) -> Ints:
    """The same partition (``labels`` int32[n]) with parts numbered 0.. by their smallest member (int32[n])."""
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.int32)
    rank[np.argsort(first, kind="stable")] = np.arange(len(first), dtype=np.int32)
    return rank[inverse.reshape(-1)].astype(np.int32)


def unit_edges(unit_of: Ints, src: Ints, dst: Ints) -> tuple[Ints, Ints]:
    """Distinct edges between different units, sorted (sources and targets, int32[e] each).

    ``unit_of`` int32[n]; ``src``, ``dst`` int32[edges]: edges between ops.
    """
    a, b = unit_of[src].astype(np.int64), unit_of[dst].astype(np.int64)
    count = int(unit_of.max()) + 1 if len(unit_of) else 1
    keys = np.sort((a * count + b)[a != b])  # np.unique hashes, which takes ten times as long
    first = np.ones(len(keys), bool)
    first[1:] = keys[1:] != keys[:-1]
    keys = keys[first]
    return (keys // count).astype(np.int32), (keys % count).astype(np.int32)


def merge_cycles(unit_of: Ints, src: Ints, dst: Ints) -> Ints:
    """``unit_of`` (int32[n]) with the units on each cycle of the op edges ``src -> dst`` (int32[edges]) merged."""
    if len(unit_of) == 0:
        return unit_of
    a, b = unit_edges(unit_of, src, dst)
    count = int(unit_of.max()) + 1
    component = strong_components(*csr(a, b, count))
    return renumbered(component[unit_of])


def forced_units(problem: Problem) -> Ints:
    """The unit of each op (int32[n]): the finest partition that every valid plan keeps together.

    Colocation groups, and under an order or contiguity rule the cycles among them, part by part until none is left.
    """
    return _forced_units(problem).copy()


@while_it_lives
def _forced_units(problem: Problem) -> Ints:
    """Asked for by every planner and bound that says whether it serves the problem."""
    e = problem.evaluator
    unit_of = renumbered(problem.groups.group_of)
    codes = {rule.code for rule in e.rules}
    if not codes & {kernels.RULE_ORDER, kernels.RULE_CONTIGUOUS}:
        return unit_of
    same = e.part[e.edge_src] == e.part[e.edge_dst]
    chosen = [same & (e.part[e.edge_src] == part) for part in (0, 1)]
    while True:
        before = int(unit_of.max()) if len(unit_of) else 0
        for edges in chosen:
            if edges.any():
                unit_of = merge_cycles(unit_of, e.edge_src[edges], e.edge_dst[edges])
        if not chosen[1].any() or not len(unit_of) or int(unit_of.max()) == before:
            return unit_of


def mirrors(problem: Problem) -> tuple[str, ...]:
    """The contractions of :func:`chain_units` that differ for this problem: one where there is no backward part."""
    return ("all", "orphans") if (problem.evaluator.part == 1).any() else ("all",)


def chain_units(problem: Problem, mirror: str = "all") -> tuple[Ints, Ints, Ints]:
    """Units in one DAG whose every slicing is meant to be contiguous: ``(unit_of[n], src, dst)``.

    Device placement, appendix B: each unit's backward ops follow its forward ops, so a slice takes both. Backward
    edges enter the DAG mirrored. ``mirror="orphans"`` does so only where an end has no forward ops of its own, as
    the paper does; the backward part of a slicing may then have to be checked. ``mirror="all"`` mirrors every
    backward edge and merges the cycles that arise: every slicing of every topological order is contiguous.
    """
    e = problem.evaluator
    unit_of = forced_units(problem)
    count = int(unit_of.max()) + 1 if len(unit_of) else 0
    part = e.part
    src, dst = e.edge_src, e.edge_dst
    forward = (part[src] == 0) & (part[dst] == 0)
    backward = (part[src] == 1) & (part[dst] == 1)
    if mirror == "orphans":
        has_forward = np.zeros(count, bool)
        has_forward[unit_of[part == 0]] = True
        backward &= ~(has_forward[unit_of[src]] & has_forward[unit_of[dst]])
    a = np.concatenate([src[forward], dst[backward]])
    b = np.concatenate([dst[forward], src[backward]])
    unit_of = merge_cycles(unit_of, a, b)
    return unit_of, *unit_edges(unit_of, a, b)


@dataclass(frozen=True, eq=False)
class Units:
    """Units with everything a planner needs to cost them (m units, c cost classes, k devices, t tensors between units).

    ``work`` float64[c, m, 2] by part, ``memory`` and ``params`` float64[m], ``allowed`` bool[m, k] (support and
    pins). Tensors that stay inside a unit or cost nothing are left out; of the others ``tensor_time`` and ``send_time``
    float64[t] (what a receiving device pays and what the sending one does; for pools the same), ``tensor_part`` int8[t] (the producer's), ``tensor_total`` int32[t] (consumers). What a unit does to a tensor is a CSR:
    ``entry_ptr`` int32[m+1], ``entry_tensor``, ``entry_forward`` and ``entry_backward`` (consumers by part) int32,
    ``entry_produces`` bool. ``src``, ``dst`` int32: edges between units, if they were asked for.
    """

    problem: Problem
    unit_of: Ints
    count: int
    src: Ints
    dst: Ints
    work: Floats
    memory: Floats
    params: Floats
    allowed: Bools
    tensor_time: Floats
    send_time: Floats
    tensor_part: NDArray[np.int8]
    tensor_producer: Ints
    tensor_total: Ints
    entry_ptr: Ints
    entry_tensor: Ints
    entry_forward: Ints
    entry_backward: Ints
    entry_produces: Bools

    @cached_property
    def succs(self) -> tuple[Ints, Ints]:
        """Successor units as CSR ``(ptr int32[m + 1], idx int32[e])``."""
        return csr(self.src, self.dst, self.count)

    @cached_property
    def preds(self) -> tuple[Ints, Ints]:
        """Predecessor units as CSR ``(ptr int32[m + 1], idx int32[e])``."""
        return csr(self.dst, self.src, self.count)

    @cached_property
    def first_places(self) -> Floats:
        """Where the first op of each unit stands in the file, as far as the graph allows (float64[m])."""
        graph = self.problem.graph
        first = np.full(self.count, graph.n, np.float64)
        np.minimum.at(first, self.unit_of[graph.topological_order], np.arange(graph.n, dtype=np.float64))
        return first

    @cached_property
    def blocked(self) -> int:
        """A unit that no device may hold, or -1. One that exists proves that the problem has no plan."""
        none = np.flatnonzero(~self.allowed.any(axis=1))
        return int(none[0]) if len(none) else -1


def build_units(problem: Problem, unit_of: Ints, src: Ints | None = None, dst: Ints | None = None) -> Units:
    """Sum a problem's arrays over the units ``unit_of`` (int32[n], numbered 0..m-1)."""
    e = problem.evaluator
    m = int(unit_of.max()) + 1 if len(unit_of) else 0
    classes = len(e.work)
    work = np.zeros((classes, m, 2))
    for c in range(classes):
        np.add.at(work[c], (unit_of, e.part), e.work[c])
    forbidden = np.zeros((m, e.k), bool)
    np.logical_or.at(forbidden, unit_of, ~e.allowed)

    # What every op does to every tensor, summed over units; keys are (unit, tensor).
    t = len(e.tensor_time)
    tensor_of_consumer = np.repeat(np.arange(t, dtype=np.int64), np.diff(e.consumer_ptr))
    owner = unit_of[e.tensor_producer].astype(np.int64)
    away = unit_of[e.consumer_idx] != owner[tensor_of_consumer]
    costs = (e.tensor_time > 0) | (e.send_time > 0)
    kept = (np.bincount(tensor_of_consumer[away], minlength=t) > 0) & costs
    new = np.cumsum(kept) - 1
    use = kept[tensor_of_consumer]
    total = max(t, 1)
    consume = unit_of[e.consumer_idx[use]].astype(np.int64) * total + tensor_of_consumer[use]
    produce = (owner * total + np.arange(t))[kept]
    keys, where = np.unique(np.concatenate([consume, produce]), return_inverse=True)
    where = where.reshape(-1)
    backward = e.part[e.consumer_idx[use]] == 1
    consumers = np.zeros((2, len(keys)), np.int32)
    for part, mask in enumerate((~backward, backward)):
        np.add.at(consumers[part], where[: len(consume)][mask], 1)
    produces = np.zeros(len(keys), bool)
    produces[where[len(consume) :]] = True
    ptr = np.zeros(m + 1, np.int32)
    np.cumsum(np.bincount(keys // total, minlength=m), out=ptr[1:])
    nothing = np.empty(0, np.int32)
    return Units(
        problem=problem,
        unit_of=unit_of,
        count=m,
        src=nothing if src is None else src,
        dst=nothing if dst is None else dst,
        work=work,
        memory=np.bincount(unit_of, weights=e.memory, minlength=m).astype(np.float64),
        params=np.bincount(unit_of, weights=e.params, minlength=m).astype(np.float64),
        allowed=~forbidden,
        tensor_time=e.tensor_time[kept],
        send_time=e.send_time[kept],
        tensor_part=e.part[e.tensor_producer[kept]],
        tensor_producer=unit_of[e.tensor_producer[kept]],
        tensor_total=np.diff(e.consumer_ptr)[kept].astype(np.int32),
        entry_ptr=ptr,
        entry_tensor=new[keys % total].astype(np.int32),
        entry_forward=consumers[0],
        entry_backward=consumers[1],
        entry_produces=produces,
    )


def chain(problem: Problem, mirror: str = "all") -> Units:
    """The units of :func:`chain_units`, with their costs."""
    unit_of, src, dst = chain_units(problem, mirror)
    return build_units(problem, unit_of, src, dst)
