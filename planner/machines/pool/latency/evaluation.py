"""Single-sample latency: when each subgraph and each CPU op runs (device placement, section 4).

An accelerator's subgraph starts when all tensors that it needs from outside are in memory and its accelerator has
finished the subgraph before (constraints 6 and 14); then it receives each of these tensors once, works, and sends each
tensor that is needed outside once, without interruption (constraint 7). All its outputs are in memory when it finishes
(10). A CPU op starts when its inputs are there (9); cores do not run out, and CPUs pay no transfers. No state stays on an
accelerator between two subgraphs but parameters (footnote 2), so a tensor from one subgraph to another of the
same accelerator is sent and received like any other. The forward and the backward ops of a device are subgraphs of their
own (section 4.2).
"""

from __future__ import annotations

import numpy as np

from planner.compiling.kernel import njit


@njit(cache=True, nogil=True)
def schedule(
    piece_of, piece_device, device_of, work, class_of, tensor_producer, tensor_time, send_time, consumer_ptr, consumer_idx,
    pred_ptr, pred_idx, pays, owner,
):  # fmt: skip
    """Times of every op and piece for one sample: ``(start, finish, begin, receive, busy, send, end, latency)``.

    ``piece_of`` int32[n] and ``piece_device`` int32[p] as :func:`planner.evaluation.pieces.pieces` numbers them. ``tensor_time`` and
    ``send_time`` float64[t]: what a tensor takes to receive and to send. Per op
    (float64[n]) when its subgraph, or the op itself on a CPU, starts and finishes; per piece (float64[p]) when it begins,
    how long it receives, works and sends, and when it ends. ``latency`` is when the last piece ends. O(n + m).
    """
    n = len(piece_of)
    p = len(piece_device)
    receive = np.zeros(p)
    busy = np.zeros(p)
    send = np.zeros(p)
    for v in range(n):
        busy[piece_of[v]] += work[class_of[device_of[v]], v]
    seen = np.full(p, -1, np.int32)
    for i in range(len(tensor_producer)):
        home = piece_of[tensor_producer[i]]
        away = False
        for e in range(consumer_ptr[i], consumer_ptr[i + 1]):
            a = piece_of[consumer_idx[e]]
            if a == home:
                continue
            away = True
            if seen[a] != i:
                seen[a] = i
                if pays[piece_device[a]]:
                    receive[a] += tensor_time[i]
        if away and pays[piece_device[home]]:
            send[home] += send_time[i]

    # Ops by piece: every piece starts after all pieces of lower number that feed it.
    ptr = np.zeros(p + 1, np.int32)
    for v in range(n):
        ptr[piece_of[v] + 1] += 1
    for a in range(p):
        ptr[a + 1] += ptr[a]
    fill = ptr.copy()
    members = np.empty(n, np.int32)
    for v in range(n):
        members[fill[piece_of[v]]] = v
        fill[piece_of[v]] += 1
    begin = np.zeros(p)
    end = np.zeros(p)
    free = np.zeros(len(owner))
    latency = 0.0
    for a in range(p):
        d = piece_device[a]
        ready = free[owner[d]] if pays[d] else 0.0
        for i in range(ptr[a], ptr[a + 1]):
            v = members[i]
            for e in range(pred_ptr[v], pred_ptr[v + 1]):
                b = piece_of[pred_idx[e]]
                if b != a and end[b] > ready:
                    ready = end[b]
        begin[a] = ready
        end[a] = ready + receive[a] + busy[a] + send[a]
        if pays[d]:
            free[owner[d]] = end[a]
        latency = max(latency, end[a])
    start = np.empty(n)
    finish = np.empty(n)
    for v in range(n):
        start[v] = begin[piece_of[v]]
        finish[v] = end[piece_of[v]]
    return start, finish, begin, receive, busy, send, end, latency
