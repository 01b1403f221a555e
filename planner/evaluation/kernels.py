"""Numba kernels of the border-tensor cost model shared by every target whose decision is an assignment.

DESIGN: each device pays each tensor that crosses its border once: the producer's device sends once however many
devices consume it, and each consuming device receives once. What a receiver pays for a tensor (``tensor_time``) and what
its sender pays (``send_time``) may differ. ``part`` is 0 for forward and 1 for backward ops; a receive belongs to the
forward part when a forward op on the device consumes the tensor, a send to its producer's part.

Transfers inside a cluster of accelerators are faster than others (device placement, appendix C.3): those between devices a
and b ``pace[a, b]`` times (float64[k, k], 1 for devices with no cluster in common). A receive is as fast as its producer is
near, a send as fast as the farthest device that receives.

Shapes: n ops, t tensors, k devices, c cost classes, l levels of clusters. All costs float64, all indices int32.
"""

from __future__ import annotations

import numpy as np

from planner.compiling.kernel import njit
from planner.evaluation.replication import share_idle

SUM, OVERLAP, DUPLEX = 0, 1, 2
MAX_COST, SUM_OF_PART_MAXIMA, LATENCY = 0, 1, 2

RULE_ORDER, RULE_CONTIGUOUS, RULE_MEMORY, RULE_SUPPORT, RULE_PIN, RULE_TOGETHER, RULE_SUBGRAPHS = (
    1, 2, 4, 8, 16, 32, 64,
)  # fmt: skip
RULE_SHARED_CHILDREN = 128
RULE_NO_SKIP, RULE_TRIANGLE, RULE_EVERY_CHIP = 256, 512, 1024
RULE_PATH = 2048

COMMUNICATION = {"sum": SUM, "overlap": OVERLAP, "duplex": DUPLEX}
"""Communication modes by their names (:data:`planner.problem.target.COMMUNICATION`)."""


@njit(cache=True, nogil=True)
def consumer_counts(device_of, part, consumer_ptr, consumer_idx, k):
    """How many ops of each part on each device consume each tensor: int32[t, k, 2]."""
    t = len(consumer_ptr) - 1
    counts = np.zeros((t, k, 2), np.int32)
    for i in range(t):
        for e in range(consumer_ptr[i], consumer_ptr[i + 1]):
            v = consumer_idx[e]
            counts[i, device_of[v], part[v]] += 1
    return counts


@njit(cache=True, nogil=True)
def add_tensor(counts, home, home_part, time, leaving, pays, pace, receive, send, sign):
    """Add (sign=1) or remove (-1) what one tensor costs: ``counts`` int32[k, 2], its producer on ``home``.

    Each receiver pays ``time``, the sender ``leaving``.
    """
    slowest = np.inf
    for d in range(counts.shape[0]):
        if d == home or counts[d, 0] + counts[d, 1] == 0:
            continue
        slowest = min(slowest, pace[home, d])
        if pays[d]:
            receive[d, 0 if counts[d, 0] > 0 else 1] += sign * (time / pace[home, d])
    if slowest < np.inf and pays[home]:
        send[home, home_part] += sign * (leaving / slowest)


@njit(cache=True, nogil=True)
def loads(
    device_of, part, work, class_of, tensor_producer, tensor_time, send_time, pays, pace, counts, memory,
    params,
):  # fmt: skip
    """Everything summed per device: receive, work, send float64[k, 2]; memory, params float64[k].

    As :func:`add_tensor` of each tensor, which takes ten times as long: a row of ``counts`` that is handed on is an array of its own.
    """
    k = len(pays)
    receive = np.zeros((k, 2))
    busy = np.zeros((k, 2))
    send = np.zeros((k, 2))
    used = np.zeros(k)
    held = np.zeros(k)
    for v in range(len(device_of)):
        d = device_of[v]
        busy[d, part[v]] += work[class_of[d], v]
        used[d] += memory[v]
        held[d] += params[v]
    for i in range(len(tensor_producer)):
        u = tensor_producer[i]
        home = device_of[u]
        slowest = np.inf
        for d in range(k):
            if d == home or counts[i, d, 0] + counts[i, d, 1] == 0:
                continue
            slowest = min(slowest, pace[home, d])
            if pays[d]:
                receive[d, 0 if counts[i, d, 0] > 0 else 1] += tensor_time[i] / pace[home, d]
        if slowest < np.inf and pays[home]:
            send[home, part[u]] += send_time[i] / slowest
    return receive, busy, send, used, held


@njit(cache=True, nogil=True)
def combine(receive, work, send, streaming, communication):
    """One device's cost from its parts under a communication mode (C.1: sum, overlap, full duplex)."""
    if communication == SUM:
        return receive + work + streaming + send
    if communication == OVERLAP:
        return max(work + streaming, receive + send)
    return max(receive, work + streaming, send)


@njit(cache=True, nogil=True)
def streaming_time(held, budget, rate):
    """Time to stream what does not fit: ``max(0, held - budget) / rate``; an infinite budget never streams."""
    over = held - budget
    if over > 0.0:
        return over / rate
    return 0.0


@njit(cache=True, nogil=True)
def device_costs(receive, busy, send, held, budget, rate, communication, out):
    """Write each device's cost to ``out`` (float64[k])."""
    for d in range(len(out)):
        stream = streaming_time(held[d], budget[d], rate)
        out[d] = combine(
            receive[d, 0] + receive[d, 1],
            busy[d, 0] + busy[d, 1],
            send[d, 0] + send[d, 1],
            stream,
            communication,
        )


@njit(cache=True, nogil=True)
def objective_of(
    receive, busy, send, held, occupied, pays, cluster, budget, rate, sync_rate, communication, objective, costs
):  # fmt: skip
    """The scalar objective; fills ``costs`` (float64[k]) on the way.

    With a ``sync_rate`` above zero, devices without ops (``occupied`` int32[k] counts them) share the work of others
    (see :mod:`planner.evaluation.replication`).
    """
    device_costs(receive, busy, send, held, budget, rate, communication, costs)
    if sync_rate > 0.0:
        share_idle(costs, held, occupied, pays, cluster, sync_rate, communication == SUM)
    if objective == MAX_COST:
        worst = 0.0
        for d in range(len(costs)):
            if costs[d] > worst:
                worst = costs[d]
        return worst
    forward = 0.0
    backward = 0.0
    for d in range(len(costs)):
        stream = streaming_time(held[d], budget[d], rate)
        forward = max(forward, combine(receive[d, 0], busy[d, 0], send[d, 0], stream, communication))
        backward = max(backward, combine(receive[d, 1], busy[d, 1], send[d, 1], 0.0, communication))
    return forward + backward


@njit(cache=True, nogil=True)
def quotient_counts(device_of, part, edge_src, edge_dst, k):
    """Edges between devices within each part: int32[2, k, k] (edges from a forward to a backward op are left out)."""
    quotient = np.zeros((2, k, k), np.int32)
    for e in range(len(edge_src)):
        u, v = edge_src[e], edge_dst[e]
        if part[u] == part[v] and device_of[u] != device_of[v]:
            quotient[part[u], device_of[u], device_of[v]] += 1
    return quotient


@njit(cache=True, nogil=True)
def cyclic_devices(quotient):
    """How many devices cannot be put in order: those left when sources are removed again and again, then sinks."""
    k = quotient.shape[0]
    alive = np.ones(k, np.bool_)
    left = k
    changed = True
    while changed and left > 0:
        changed = False
        for d in range(k):
            if not alive[d]:
                continue
            enters = False
            leaves = False
            for o in range(k):
                if alive[o] and o != d:
                    enters = enters or quotient[o, d] > 0
                    leaves = leaves or quotient[d, o] > 0
            if not enters or not leaves:
                alive[d] = False
                left -= 1
                changed = True
    return left


@njit(cache=True, nogil=True)
def disorder(quotient, cluster_node, nodes):
    """How many devices cannot be put in order, of both parts; and of the clusters of each level that is looked at.

    ``cluster_node`` int32[l, k] is the node of each device once every cluster of a level is one node, ``nodes`` int32[l] how
    many there are.
    """
    k = quotient.shape[1]
    found = cyclic_devices(quotient[0]) + cyclic_devices(quotient[1])
    for level in range(len(nodes)):
        node = cluster_node[level]
        for part in range(2):
            merged = np.zeros((nodes[level], nodes[level]), np.int32)
            for a in range(k):
                for b in range(k):
                    if node[a] != node[b]:
                        merged[node[a], node[b]] += quotient[part, a, b]
            found += cyclic_devices(merged)
    return found
