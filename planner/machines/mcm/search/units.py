"""What searches on a multi-chip module move: units of ops that share a chip, with the tensors and dependencies between them.

The tensor of a source that is copied to every chip that reads it costs a reading chip the op's work and nobody a send, and no
rule ties producer and readers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np

from planner.compiling.kernel import njit
from planner.methods.orders import kahn_order
from planner.methods.units import forced_units, unit_edges
from planner.model.graph import Floats, Ints, csr
from planner.problem.problem import Problem

if TYPE_CHECKING:
    from planner.machines.mcm.evaluator import McmEvaluator


@dataclass(frozen=True, eq=False)
class McmUnits:
    """m units, t tensors that some unit other than the producer's reads, k chips.

    ``unit_of`` int32[n]; ``work`` and ``params`` float64[m] (time; bytes of parameters); ``allowed`` uint64[m], the chips
    that pins leave as a set of bits. ``succ_ptr``, ``succ_idx``, ``pred_ptr``, ``pred_idx`` int32: dependencies that the
    rules speak of. ``follow_ptr``, ``follow_idx``: the same and the readers of copied sources, for orders.
    ``receive``, ``send``, ``size``, ``carried`` float64[t]: time that each reading chip pays and that the producer's does, bytes,
    and bytes of parameters that a copy brings to a reading chip;
    ``producer`` int32[t]; ``reader_ptr``, ``reader_idx`` int32: the units that read a tensor, the producer's left out;
    ``out_ptr``, ``out_idx`` and ``in_ptr``, ``in_idx`` int32: the tensors that a unit makes and reads.
    """

    problem: Problem
    count: int
    unit_of: Ints
    work: Floats
    params: Floats
    allowed: np.ndarray
    succ_ptr: Ints
    succ_idx: Ints
    pred_ptr: Ints
    pred_idx: Ints
    follow_ptr: Ints
    follow_idx: Ints
    receive: Floats
    send: Floats
    size: Floats
    carried: Floats
    producer: Ints
    reader_ptr: Ints
    reader_idx: Ints
    out_ptr: Ints
    out_idx: Ints
    in_ptr: Ints
    in_idx: Ints

    @property
    def least(self) -> float:
        """No chip latency is below this: the largest unit, or an equal share of the work."""
        k = self.problem.evaluator.k
        return max(float(self.work.max(initial=0.0)), float(self.work.sum()) / k)

    @property
    def longest(self) -> float:
        """No latency of one sample is below this: the work along the longest path, whatever chips it is on."""
        order = kahn_order(self.succ_ptr, self.succ_idx, np.zeros(self.count))
        ahead = levels(self.succ_ptr, self.succ_idx, order, self.work)
        return float((ahead + self.work).max(initial=0.0))

    def spread(self, place: Ints) -> Ints:
        """The chip of each op (int32[n]) from those of the units (int32[m])."""
        return place[self.unit_of].astype(np.int32)

    def gathered(self, device_of: Ints) -> Ints | None:
        """The chip of each unit (int32[m]) from those of the ops (int32[n]); None when ops of one unit are on different chips."""
        place = np.zeros(self.count, np.int32)
        place[self.unit_of] = device_of
        return place if (place[self.unit_of] == device_of).all() else None


def mcm_units(problem: Problem) -> McmUnits:
    """The units of a problem on a multi-chip module and everything that plans of them cost."""
    e = cast("McmEvaluator", problem.evaluator)
    unit_of = forced_units(problem)
    m = int(unit_of.max()) + 1 if len(unit_of) else 0
    src, dst = unit_edges(unit_of, e.edge_src, e.edge_dst)
    forbidden = np.zeros((m, e.k), bool)
    np.logical_or.at(forbidden, unit_of, ~e.allowed)
    bits = np.left_shift(np.uint64(1), np.arange(e.k, dtype=np.uint64))
    allowed = (~forbidden * bits[None, :]).sum(axis=1, dtype=np.uint64)

    t, width = len(e.tensor_time), max(m, 1)
    home = unit_of[e.tensor_producer].astype(np.int64)
    tensor = np.repeat(np.arange(t, dtype=np.int64), np.diff(e.consumer_ptr))
    reader = unit_of[e.consumer_idx].astype(np.int64)
    away = reader != home[tensor]
    keys = np.unique(tensor[away] * width + reader[away])
    kept, inverse = np.unique(keys // width, return_inverse=True)
    number: Ints = inverse.reshape(-1).astype(np.int32)
    readers: Ints = (keys % width).astype(np.int32)
    t = len(kept)
    producer = home[kept].astype(np.int32)
    reader_ptr, reader_idx = csr(number, readers, t)
    ops = e.tensor_producer[kept]
    carried = e.copy_params[ops]
    # In orders copied sources come before those that read them too, unless others in their unit, or those before it, might not.
    alone = (np.bincount(unit_of, minlength=m) == 1) & (np.bincount(dst, minlength=m) == 0)
    loose = alone[producer[number]]
    follow = np.unique(
        np.concatenate(
            [src.astype(np.int64) * width + dst, (producer[number].astype(np.int64) * width + readers)[loose]]
        )
    )
    return McmUnits(
        problem, m, unit_of,
        np.bincount(unit_of, weights=e.work[0], minlength=m).astype(np.float64),
        np.bincount(unit_of, weights=e.params, minlength=m).astype(np.float64),
        allowed, *csr(src, dst, m), *csr(dst, src, m),
        *csr((follow // width).astype(np.int32), (follow % width).astype(np.int32), m),
        e.tensor_time[kept], e.send_time[kept], e.size[kept], carried, producer, reader_ptr, reader_idx,
        *csr(producer, np.arange(t, dtype=np.int32), m), *csr(readers, number, m),
    )  # fmt: skip


@njit(cache=True, nogil=True)
def levels(ptr, idx, order, weight):
    """The greatest sum of ``weight`` (float64[m]) along a path that ends in front of each unit (float64[m])."""
    level = np.zeros(len(order), np.float64)
    for u in order:
        for e in range(ptr[u], ptr[u + 1]):
            w = idx[e]
            level[w] = max(level[w], level[u] + weight[u])
    return level
