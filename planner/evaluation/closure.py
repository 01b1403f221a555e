"""Which neighbours must come along so that a move keeps the order of the devices."""

from __future__ import annotations

import numpy as np

from planner.evaluation import kernels
from planner.model.graph import Bools, Ints
from planner.problem.evaluator import Live


def device_order(quotient: np.ndarray) -> Ints:
    """Position of each device in an order that ``quotient`` (int32[k, k]) respects; cycles keep index order."""
    k = len(quotient)
    adjacent = quotient > 0
    position = np.full(k, -1, np.int32)
    left = list(range(k))
    for place in range(k):
        free = [d for d in left if not any(adjacent[o, d] for o in left if o != d)]
        d = free[0] if free else left[0]
        position[d] = place
        left.remove(d)
    return position


def take_along(live: Live, ops: Ints, device: int) -> Ints:
    """See :meth:`planner.evaluation.live.LiveEvaluation.closure`."""
    e = live.evaluator
    codes = {rule.code for rule in e.rules}
    groups = e.problem.groups
    if kernels.RULE_ORDER in codes:
        positions = [np.arange(e.k, dtype=np.int32)] * 2
    elif kernels.RULE_CONTIGUOUS in codes:
        positions = [device_order(live.quotient[part]) for part in range(2)]
    elif kernels.RULE_SUBGRAPHS in codes:
        return between(live, groups.expand(ops), device)
    else:
        return groups.expand(ops)
    member_ptr, members = groups.members
    inside = np.zeros(e.n, bool)
    queue = groups.expand(ops).tolist()
    inside[queue] = True
    while queue:
        v = queue.pop()
        part = e.part[v]
        position = positions[part]
        here = position[device]
        follow = []
        for u in e.pred_idx[e.pred_ptr[v] : e.pred_ptr[v + 1]].tolist():
            if not inside[u] and e.part[u] == part and position[live.device_of[u]] > here:
                follow.append(u)
        for w in e.succ_idx[e.succ_ptr[v] : e.succ_ptr[v + 1]].tolist():
            if not inside[w] and e.part[w] == part and position[live.device_of[w]] < here:
                follow.append(w)
        for g in {int(groups.group_of[u]) for u in follow}:
            for u in members[member_ptr[g] : member_ptr[g + 1]].tolist():
                if not inside[u]:
                    inside[u] = True
                    queue.append(u)
    return np.flatnonzero(inside).astype(np.int32)


def between(live: Live, ops: Ints, device: int) -> Ints:
    """``ops`` and what lies on a path between two ops of ``device`` once they are there (sorted int32).

    A subgraph runs in one go when no path leaves it and comes back; on a CPU every op is on its own. Forward and
    backward ops are subgraphs of their own; group mates come along.
    """
    e = live.evaluator
    groups = e.problem.groups
    if not e.pays[device]:
        return ops
    taken = np.zeros(e.n, bool)
    taken[ops] = True
    while True:
        before = taken.copy()
        for part in range(2):
            inside = (taken | (live.device_of == device)) & (e.part == part)
            below = _reached(inside, e.succ_ptr, e.succ_idx)
            above = _reached(inside, e.pred_ptr, e.pred_idx)
            taken |= below & above & ~inside
        taken[groups.expand(np.flatnonzero(taken).astype(np.int32))] = True
        if (taken == before).all():
            return np.flatnonzero(taken).astype(np.int32)


def _reached(start: Bools, ptr: Ints, idx: Ints) -> Bools:
    """Nodes that a path of at least one edge leads to from ``start`` (bool[n])."""
    found = np.zeros(len(start), bool)
    queue = np.flatnonzero(start).tolist()
    while queue:
        v = queue.pop()
        for w in idx[ptr[v] : ptr[v + 1]].tolist():
            if not found[w]:
                found[w] = True
                if not start[w]:
                    queue.append(w)
    return found
