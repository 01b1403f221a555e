"""Units for the lattice of ideals: numbered topologically, without those that cost nothing wherever they are.

Idle units that hang off the rest, such as an input mask or the unused output of a layer, multiply the ideals by two each.
Three kinds of idle unit u (no work on any class of device) can be taken out without losing the optimum:

* a sink with one predecessor v, all of whose tensors touch v: u moves to the device of v. Nothing gets dearer: v's
  device pays what touches u already, and the only edge of u stays inside.
* a source with one successor, by the same argument turned round;
* a source or sink without any tensor that costs time: it may go with its first successor (last predecessor).

Bytes are left out of the argument: a unit taken out has neither memory nor weights, which relaxes the problem. A plan
found without these units is completed by :meth:`Reduced.expand` and then evaluated like any other; where it breaks a
memory cap, or its copies have more weights to synchronise, the lattice of all units has to decide.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.compiling.kernel import njit
from planner.evaluation import kernels
from planner.methods.orders import depth_first_order
from planner.methods.units import Units, build_units, renumbered, unit_edges
from planner.model.graph import Bools, Ints, csr
from planner.problem.problem import Problem

KEPT, FREE = -1, -2


@njit(cache=True, nogil=True)
def _root(home, u):
    while home[u] >= 0:
        u = home[u]
    return u


@njit(cache=True, nogil=True)
def take_out(
    idle, allowed, succ_ptr, succ_idx, pred_ptr, pred_idx, entry_ptr, entry_tensor, producer, touch_ptr, touch_unit,
    home, order,
):  # fmt: skip
    """Take out idle units until none is left to take; returns how many, in ``order``.

    ``home`` int32[m] says where each goes: KEPT, FREE (anywhere between its neighbours) or the unit that it goes with.
    """
    m = len(idle)
    count = 0
    again = True
    while again:
        again = False
        for u in range(m):
            if not idle[u] or home[u] != KEPT:
                continue
            above, last_above, below, last_below = 0, -1, 0, -1
            for e in range(pred_ptr[u], pred_ptr[u + 1]):
                v = pred_idx[e]
                if home[v] != FREE and _root(home, v) != last_above and _root(home, v) != u:
                    above += 1
                    last_above = _root(home, v)
            for e in range(succ_ptr[u], succ_ptr[u + 1]):
                v = succ_idx[e]
                if home[v] != FREE and _root(home, v) != last_below and _root(home, v) != u:
                    below += 1
                    last_below = _root(home, v)
            if above > 0 and below > 0:
                continue
            other = last_above if above == 1 else last_below
            if above + below == 1:
                fine = True
                for d in range(allowed.shape[1]):
                    fine = fine and (allowed[u, d] or not allowed[other, d])
                for e in range(entry_ptr[u], entry_ptr[u + 1]):
                    t = entry_tensor[e]
                    met, others = False, 0
                    for x in range(touch_ptr[t], touch_ptr[t + 1]):
                        v = _root(home, touch_unit[x])
                        if v == other:
                            met = True
                        elif v != u:
                            others += 1
                    # A tensor that others need too must not turn from a receive into a send.
                    if not met or (others > 0 and _root(home, producer[t]) == u):
                        fine = False
                        break
                if fine:
                    home[u] = other
                    order[count] = u
                    count += 1
                    again = True
                    continue
            free = entry_ptr[u] == entry_ptr[u + 1]
            for d in range(allowed.shape[1]):
                free = free and allowed[u, d]
            if free:
                home[u] = FREE
                order[count] = u
                count += 1
                again = True
    return count


@dataclass(frozen=True, eq=False)
class Reduced:
    """``units`` of a lattice and how a plan of theirs becomes one of ``full``, the units before any were taken out.

    ``of`` int32[m] maps each full unit to its place in ``units`` (-1 = free); ``free`` lists the free ones in the order in
    which they went. ``lighter``: idle units were taken out with their bytes, so a plan may break a cap or cost more.
    """

    units: Units
    full: Units
    of: Ints
    free: tuple[int, ...]
    lighter: bool

    def expand(self, device_of: Ints, place: Ints) -> Ints:
        """The device of each op, from that of each unit (int32[units.count]); ``place`` int32[k] orders the devices."""
        whole = np.full(self.full.count, -1, np.int32)
        inside = self.of >= 0
        whole[inside] = device_of[self.of[inside]]
        succ_ptr, succ_idx = self.full.succs
        pred_ptr, pred_idx = self.full.preds
        for u in reversed(self.free):
            below = whole[succ_idx[succ_ptr[u] : succ_ptr[u + 1]]]
            above = whole[pred_idx[pred_ptr[u] : pred_ptr[u + 1]]]
            below, above = below[below >= 0], above[above >= 0]
            if len(above):
                whole[u] = above[np.argmax(place[above])]
            elif len(below):
                whole[u] = below[np.argmin(place[below])]
            else:
                whole[u] = int(np.argmin(np.where(self.full.allowed[u], place, np.iinfo(np.int32).max)))
        device: Ints = whole[self.full.unit_of]
        return device


def reduce_units(
    problem: Problem,
    unit_of: Ints,
    src: Ints,
    dst: Ints,
    dropped: Bools | None = None,
    take: bool = True,
    attaching: bool = True,
) -> Reduced:
    """Units for the lattice of the DAG ``src -> dst``, each edge given once, over ``unit_of`` (int32[n]).

    ``dropped`` bool[m] leaves units out together with what they cost (they have no edge in the DAG), but for the tensors
    that they make others pay in any case (:func:`attach`, unless not ``attaching``); with ``take`` idle units are taken out as well.
    """
    count = int(unit_of.max()) + 1 if len(unit_of) else 0
    rank = _ranks(src, dst, count)
    full = build_units(problem, rank[unit_of], rank[src], rank[dst])
    everyone = np.arange(count, dtype=np.int32)
    gone = np.zeros(count, bool)
    if dropped is not None:
        gone[rank] = dropped
    home = np.where(gone, FREE, KEPT).astype(np.int32)
    attached = attach(full, gone, home) if attaching and dropped is not None and _pays_alike(problem) else []
    order = np.empty(count, np.int32)
    taken = 0
    if take:
        owner = np.repeat(everyone, np.diff(full.entry_ptr))
        taken = take_out(
            idle_units(full) & ~gone, full.allowed, *full.succs, *full.preds, full.entry_ptr, full.entry_tensor,
            full.tensor_producer, *csr(full.entry_tensor, owner, len(full.tensor_time)), home, order,
        )  # fmt: skip
    root = everyone.copy()
    for u in order[:taken][::-1].tolist():
        if home[u] >= 0:
            root[u] = root[home[u]]
    for u in reversed(attached):
        root[u] = root[home[u]]
    free = home[root] == FREE
    if free.all() or (home == KEPT).all():
        return Reduced(full, full, everyone, (), False)
    # What is free rides along with some unit while arrays are summed, and is taken off again.
    merged = renumbered(np.where(free, root[np.flatnonzero(~free)[0]], root).astype(np.int32))
    keep = ~free[full.src] & ~free[full.dst]
    a, b = unit_edges(merged, full.src[keep], full.dst[keep])
    rank = _ranks(a, b, int(merged.max()) + 1)
    merged = rank[merged]
    units = _lean(full, merged, rank[a], rank[b], home == KEPT, free, gone)
    first = tuple(np.flatnonzero(gone).tolist())
    lighter = bool(full.memory[order[:taken]].any() or full.params[order[:taken]].any())
    of = np.where(free | gone, -1, merged).astype(np.int32)
    return Reduced(units, full, of, first + tuple(u for u in order[:taken].tolist() if free[u]), lighter)


def _pays_alike(problem: Problem) -> bool:
    """Whether a device pays a tensor the same when it sends and when it receives, so that only who touches it counts."""
    e = problem.evaluator
    return e.communication != kernels.DUPLEX and e.objective_code == kernels.MAX_COST and e.fastest == 1.0


def attach(full: Units, gone: Bools, home: Ints) -> list[int]:
    """Let units without order (``gone`` bool[m]) go with others rather than go altogether; returns which, as they went.

    A unit whose bytes and work are left out can move to the device of any unit v that all of its tensors touch and that is
    allowed no more devices: v's device pays those tensors already (it touches them, and not all that they touch is on
    it), no other device pays more. Units that went with it count as part of it. ``home`` int32[m] is filled.
    """
    loose = np.flatnonzero(gone).tolist()
    if not loose:
        return []
    owner = np.repeat(np.arange(full.count, dtype=np.int32), np.diff(full.entry_ptr))
    ptr, idx = csr(full.entry_tensor, owner, len(full.tensor_time))
    tensors_of = {
        u: set(full.entry_tensor[full.entry_ptr[u] : full.entry_ptr[u + 1]].tolist()) for u in loose
    }
    touched = {t: set(idx[ptr[t] : ptr[t + 1]].tolist()) for t in set().union(*tensors_of.values())}
    attached = []
    queue = list(loose)
    while queue:
        u = queue.pop()
        if home[u] != FREE:
            continue
        mine = [touched[t] for t in tensors_of[u] if len(touched[t]) > 1]
        if not mine:
            continue
        common = set.intersection(*mine) - {u}
        able = [v for v in sorted(common) if not (full.allowed[v] & ~full.allowed[u]).any()]
        if not able:
            continue
        # One that stays is the end of the way; one without order may go on together with this one.
        v = min(able, key=lambda x: (bool(gone[x]), x))
        home[u] = v
        attached.append(u)
        for t in tensors_of[u]:
            touched[t].discard(u)
            touched[t].add(v)
        if gone[v]:
            tensors_of[v] |= tensors_of[u]
            queue.append(v)
    return attached


def _ranks(src: Ints, dst: Ints, count: int) -> Ints:
    """The place of each node of a DAG in its depth-first topological order (int32[count])."""
    rank = np.empty(count, np.int32)
    rank[depth_first_order(*csr(src, dst, count))] = np.arange(count, dtype=np.int32)
    return rank


def _lean(full: Units, merged: Ints, src: Ints, dst: Ints, kept: Bools, free: Bools, gone: Bools) -> Units:
    """``full`` with its units merged, without what is ``free``, the bytes of all that is not ``kept``, the work of ``gone``."""
    count = int(merged.max()) + 1
    work = np.zeros((len(full.work), count, 2))
    memory, params = np.zeros(count), np.zeros(count)
    for c in range(len(work)):
        np.add.at(work[c], merged[~free & ~gone], full.work[c, ~free & ~gone])
    np.add.at(memory, merged[kept], full.memory[kept])
    np.add.at(params, merged[kept], full.params[kept])
    allowed = np.ones((count, full.allowed.shape[1]), bool)
    np.logical_and.at(allowed, merged[~free], full.allowed[~free])
    owner = np.repeat(np.arange(full.count), np.diff(full.entry_ptr))
    stays = ~free[owner]
    t = max(len(full.tensor_time), 1)
    keys, where = np.unique(
        merged[owner[stays]].astype(np.int64) * t + full.entry_tensor[stays], return_inverse=True
    )
    tensor = keys % t
    # A tensor that one unit is left to touch never crosses a border, and one whose producer has gone may not either.
    crossing = np.bincount(tensor, minlength=t) > 1
    crossing[: len(full.tensor_time)] &= ~free[full.tensor_producer]
    new = np.cumsum(crossing) - 1
    used = crossing[tensor]
    where = where.reshape(-1)
    consumers = np.zeros((2, len(keys)), np.int32)
    np.add.at(consumers[0], where, full.entry_forward[stays])
    np.add.at(consumers[1], where, full.entry_backward[stays])
    produces = np.zeros(len(keys), bool)
    np.logical_or.at(produces, where, full.entry_produces[stays])
    ptr = np.zeros(count + 1, np.int32)
    np.cumsum(np.bincount(keys[used] // t, minlength=count), out=ptr[1:])
    chosen = np.flatnonzero(crossing[: len(full.tensor_time)])
    total = np.bincount(tensor, weights=consumers.sum(axis=0), minlength=t).astype(np.int32)
    return Units(
        problem=full.problem,
        unit_of=merged[full.unit_of],
        count=count,
        src=src,
        dst=dst,
        work=work,
        memory=memory,
        params=params,
        allowed=allowed,
        tensor_time=full.tensor_time[chosen],
        send_time=full.send_time[chosen],
        tensor_part=full.tensor_part[chosen],
        tensor_producer=merged[full.tensor_producer[chosen]],
        tensor_total=total[chosen],
        entry_ptr=ptr,
        entry_tensor=new[tensor[used]].astype(np.int32),
        entry_forward=consumers[0][used],
        entry_backward=consumers[1][used],
        entry_produces=produces[used],
    )


def idle_units(units: Units) -> Bools:
    """bool[m]: no work on any device, and no parameters that may be streamed, so that only tensors, memory and rules tell where a unit should be."""
    idle: Bools = (units.work == 0).all(axis=(0, 2))
    if float(units.params.sum()) > units.problem.evaluator.budget.min(initial=np.inf):
        idle &= units.params == 0
    return idle
