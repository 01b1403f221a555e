"""What a schedule is made of: the pieces of a split, what feeds what, what each takes, and who takes turns."""

from __future__ import annotations

import heapq

import numpy as np

from planner.evaluation import pieces
from planner.model.graph import Bools, Floats, Ints
from planner.problem.decision import Evaluation
from planner.problem.evaluator import Evaluator

RECEIVE, STREAM, WORK, SEND, SYNC = 0, 1, 2, 3, 4
"""Phases, in the order in which a piece goes through them."""


def pieces_of(e: Evaluator, device_of: Ints, whole: Bools, owner: Ints) -> tuple[Ints, Ints, np.ndarray]:
    """Pieces as their module numbers them; ``whole`` bool[k] = the device runs its ops as few pieces, not one by one."""
    piece_of, piece_device, part, _ = pieces.pieces(
        device_of, e.part, e.succ_ptr, e.succ_idx, e.pred_ptr, e.pred_idx, whole, owner
    )
    return piece_of, piece_device, part


def piece_pairs(e: Evaluator, piece_of: Ints, p: int) -> tuple[Ints, Ints]:
    """Distinct pairs of pieces (producer, consumer; int32[pairs] each), in order of the producer; ``piece_of`` int32[n]."""
    src, dst = piece_of[e.edge_src].astype(np.int64), piece_of[e.edge_dst].astype(np.int64)
    keys = np.unique(src[src != dst] * max(p, 1) + dst[src != dst])
    return (keys // max(p, 1)).astype(np.int32), (keys % max(p, 1)).astype(np.int32)


def servers_of(e: Evaluator, evaluation: Evaluation) -> list[list[int]]:
    """The devices that share each device's stage under an evaluated assignment, itself first (one list per device)."""
    servers = [[d] for d in range(e.k)]
    if e.sync_rate > 0.0:
        for d, stage in enumerate(evaluation.serves.tolist()):
            if stage not in (-1, d):
                servers[stage].append(d)
    return servers


def piece_times(
    e: Evaluator,
    device_of: Ints,
    piece_of: Ints,
    piece_device: Ints,
    part: np.ndarray,
    copies: Ints,
) -> Floats:
    """What each piece takes per sample: float64[p, 5], by phase. The pieces of a device together take its load.

    A device pays each tensor once (section 5.2, footnote 5): the first of its pieces that needs it receives it, forward
    ones before backward ones, and its producer's piece sends it. Inside a cluster transfers are faster (C.3). Parameters
    are streamed before a device's first piece, and its ``copies`` (int64[k]) are synchronised after its last one (C.2). What comes
    from the host is received, and what goes to it sent.
    """
    p = len(piece_device)
    times = np.zeros((p, 5))
    times[:, WORK] = np.bincount(piece_of, e.work[e.class_of[device_of], np.arange(e.n)], minlength=p)
    tensor = np.repeat(np.arange(len(e.tensor_producer)), np.diff(e.consumer_ptr))
    home = piece_of[e.tensor_producer]
    taker = piece_of[e.consumer_idx]
    crosses = piece_device[taker] != piece_device[home[tensor]]
    tensor, taker = tensor[crosses], taker[crosses]
    order = np.lexsort((taker, part[taker], piece_device[taker], tensor))
    tensor, taker = tensor[order], taker[order]
    device = piece_device[taker]
    first = np.ones(len(tensor), bool)
    first[1:] = (tensor[1:] != tensor[:-1]) | (device[1:] != device[:-1])
    pace = e.pace[piece_device[home[tensor]], device]
    takes = e.tensor_time[tensor] / pace
    paying = first & e.pays[device]
    np.add.at(times[:, RECEIVE], taker[paying], takes[paying])
    # What leaves its cluster for one consumer is sent at that speed, for all of them.
    leaves = e.send_time[tensor] / pace
    slowest = np.zeros(len(e.tensor_producer))
    np.maximum.at(slowest, tensor, leaves)
    sent = np.flatnonzero((slowest > 0) & e.pays[piece_device[home]])
    np.add.at(times[:, SEND], home[sent], slowest[sent])
    streaming = e.streamed(device_of)
    for d in np.flatnonzero(streaming).tolist():
        times[np.flatnonzero(piece_device == d)[0], STREAM] = streaming[d]
    for d in np.flatnonzero((copies > 1) & e.pays).tolist():
        held = float(e.params[device_of == d].sum())
        times[np.flatnonzero(piece_device == d)[-1], SYNC] = (copies[d] - 1) * held / e.sync_rate
    tell_host_apart(e, piece_of, times)
    return times


def tell_host_apart(e: Evaluator, piece_of: Ints, times: Floats) -> None:
    """Count what comes from the host as received and what goes to it as sent (``times`` float64[p, phases], which has both as work)."""
    coming, going = (np.bincount(piece_of, each, len(times)) for each in e.host_time)
    times[:, WORK] = np.maximum(0.0, times[:, WORK] - coming - going)
    times[:, RECEIVE] += coming
    times[:, SEND] += going


def cores_of(piece_device: Ints, begin: Floats, finish: Floats, alone: Bools) -> tuple[Ints, Ints]:
    """A core for each op of a CPU so that bars do not overlap: lane of each piece (int32[p]), lanes per device (int32[k])."""
    lane = np.zeros(len(piece_device), np.int32)
    count = np.ones(len(alone), np.int32)
    for d in np.flatnonzero(alone).tolist():
        busy: list[tuple[float, int]] = []
        free: list[int] = []
        known = 0
        ops = np.flatnonzero((piece_device == d) & (finish > begin))
        for p in ops[np.argsort(begin[ops], kind="stable")].tolist():
            while busy and busy[0][0] <= begin[p]:
                heapq.heappush(free, heapq.heappop(busy)[1])
            if not free:
                heapq.heappush(free, known)
                known += 1
            lane[p] = heapq.heappop(free)
            heapq.heappush(busy, (float(finish[p]), int(lane[p])))
        count[d] = max(1, known)
    return lane, count


def critical_pieces(
    e: Evaluator,
    piece_of: Ints,
    piece_device: Ints,
    begin: Floats,
    finish: Floats,
    hop: float = 0.0,
) -> Bools:
    """The pieces of one chain without waiting from the start to the end of a sample (bool[p]).

    What a piece waits for has a smaller number; chips of a package also wait ``hop`` for each link between them.
    """
    critical = np.zeros(len(begin), bool)
    if not len(begin):
        return critical
    src, dst = piece_pairs(e, piece_of, len(begin))
    owner = e.owner[piece_device]
    a = int(np.argmax(finish))
    while True:
        critical[a] = True
        if begin[a] <= 0:
            return critical
        before = src[(dst == a) & (src < a)].tolist()
        if e.pays[piece_device[a]]:
            before += np.flatnonzero((owner[:a] == owner[a]) & e.pays[piece_device[:a]])[-1:].tolist()
        # It began when the last of these was done.
        a = max(before, key=lambda b: (finish[b] + hop * (piece_device[a] - piece_device[b]), b))
