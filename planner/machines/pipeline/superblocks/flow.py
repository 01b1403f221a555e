"""Minimum cuts of a DAG by maximum flow: which ideal (set closed under predecessors) costs least.

An ideal S pays for each unit in S, for each unit outside, and for each tensor that leaves it. The least cost is a
minimum cut: a unit on the source's side is in S; a tensor pays when its producer is in S and some consumer is not, which a
node of the tensor's own, that drags all its consumers into S, says with one arc. Capacities are whole numbers, so a flow
is exact, and rounding them down keeps its value a lower bound.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from planner.machines.pipeline.exact.model import StageModel
from planner.methods.max_flow import ENDLESS
from planner.methods.mip.model import unchecked
from planner.model.graph import Ints, csr

Longs = NDArray[np.int64]


class CutNetwork(NamedTuple):
    """Arcs in pairs (arc a and its reverse a ^ 1) over the units 0..m-1, tensor nodes, and source and sink last.

    ``head`` int32[2a], ``ptr`` int32[nodes+1] and ``arcs`` int32[2a] (the arcs that leave a node); ``fixed`` int64[2a]:
    capacities of the precedence arcs, which never change; ``tensor_arc`` int32[t]: the arc that each tensor pays on;
    ``source_arc`` and ``sink_arc`` int32[m].
    """

    head: Ints
    ptr: Ints
    arcs: Ints
    fixed: Longs
    tensor_arc: Ints
    source_arc: Ints
    sink_arc: Ints


def cut_network(model: StageModel, check: Callable[[], None] = unchecked) -> CutNetwork:
    """The network of a model; consumers that another consumer needs anyway are left out of a tensor.

    ``check`` is called every few milliseconds and may raise to end it.
    """
    m = model.count
    ends: list[tuple[int, int, int]] = [
        (v, u, ENDLESS) for u, v in zip(model.src.tolist(), model.dst.tolist(), strict=True)
    ]
    tensor_arc = np.zeros(len(model.time), np.int32)
    nodes = m
    for t in range(len(model.time)):
        check()  # for each: one with many consumers takes a while
        consumers = model.members(t)
        needed = model.before[np.ix_(consumers, consumers)].any(axis=0)
        last = consumers[~needed].tolist()
        to = last[0] if len(last) == 1 else nodes
        tensor_arc[t] = 2 * len(ends)
        ends.append((int(model.producer[t]), to, 0))
        if len(last) > 1:
            nodes += 1
            ends += [(to, q, ENDLESS) for q in last]
    source, sink = nodes, nodes + 1
    first = len(ends)
    for v in range(m):
        ends += [(source, v, 0), (v, sink, 0)]
    a = np.array(ends, np.int64).reshape(-1, 3)
    tail, head = np.empty((2, 2 * len(a)), np.int32)
    tail[0::2], head[0::2] = a[:, 0], a[:, 1]
    tail[1::2], head[1::2] = a[:, 1], a[:, 0]
    fixed = np.zeros(2 * len(a), np.int64)
    fixed[0::2] = a[:, 2]
    ptr, arcs = csr(tail, np.arange(len(tail), dtype=np.int32), nodes + 2)
    source_arc = (2 * (first + 2 * np.arange(m))).astype(np.int32)
    return CutNetwork(head, ptr, arcs, fixed, tensor_arc, source_arc, source_arc + np.int32(2))
