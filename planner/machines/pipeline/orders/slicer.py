"""The units of a pipeline, and slicing orders of them: one order at its best, or many and the best of all."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from planner.machines.pipeline.orders import kernels as slicing
from planner.machines.pipeline.orders.layout import Network, arrange, even_value, new_layout
from planner.methods.units import Units, build_units, chain_units, merge_cycles, unit_edges
from planner.model.graph import Floats, Ints, csr
from planner.problem.problem import Problem
from planner.search.search import Search

STEPS_PER_CALL = 3_000_000
"""Steps of a kernel between two looks at the stop criteria: some ten milliseconds."""


class PipelineSlicer:
    """Slices orders of ``units`` (from :func:`planner.machines.pipeline.orders.slicer.pipeline_units`), exactly.

    ``value``, ``block_of`` (int32[m]) and ``order`` (int32[m]) are the best of everything sliced so far; ``segment_bound`` is
    a lower bound for all orders: the largest unit, and equal shares of the work.
    """

    def __init__(self, units: Units) -> None:
        self.units = units
        self.network = network_of(units)
        work = self.network.work
        self.segment_bound = (
            max(float(work.max()), float(work.sum()) / self.network.blocks) if len(work) else 0.0
        )
        self.value = math.inf
        self.block_of: Ints = np.zeros(units.count, np.int32)
        self.order: Ints = np.zeros(units.count, np.int32)
        self._layout = new_layout(self.network)
        self._integers = np.zeros(7, np.int64)
        self._floats = np.zeros(7)
        self._cuts = np.zeros((units.count + 1, 2), np.int32)

    def solve(self, order: Ints, search: Search, below: float = math.inf) -> tuple[float, Ints] | None:
        """The best slicing of ``order`` (int32[m]) with a value below ``below``: (value, block of each unit), or None.

        Raises :class:`planner.search.search.Stopped` when a stop criterion fires.
        """
        if not self.units.count:
            return (0.0, self.block_of) if below > 0 else None
        layout, network = self._layout, self.network
        layout.order[:] = order
        arrange(network, layout)
        slicing.begin_solve(
            network, layout, self._integers, self._floats, self.segment_bound, below,
            min(below, even_value(network, layout)),
        )  # fmt: skip
        while not self._integers[slicing.DONE]:
            slicing.solve(network, layout, self._integers, self._floats, self._cuts, STEPS_PER_CALL)
            search.check()
        value = float(self._floats[slicing.HIGH])
        if not value < below:
            return None
        block_of = np.zeros(self.units.count, np.int32)
        slicing.place_blocks(layout.order, self._cuts, block_of)
        if value < self.value:
            self.value = value
            self.block_of[:] = block_of
            self.order[:] = order
        return value, block_of

    def even(self, order: Ints) -> Ints | None:
        """The block of each unit (int32[m]) where ``order`` (int32[m]) is cut into equal shares of the work: a first plan at once.

        None with pins.
        """
        network = self.network
        if not self.units.count or (network.fixed >= 0).any():
            return None
        work = network.work[order]
        ends = np.cumsum(work)
        share = (ends - work / 2) / ends[-1] if ends[-1] > 0 else np.zeros(len(order))
        block_of = np.zeros(self.units.count, np.int32)
        block_of[order] = np.minimum((share * network.blocks).astype(np.int32), network.blocks - 1)
        return block_of

    def slice_keys(
        self,
        keys: Floats,
        search: Search,
        strict: bool = True,
        found: Callable[[], None] | None = None,
    ) -> Floats:
        """The value of the order that each row of ``keys`` (float64[b, m]) gives by Kahn's algorithm: float64[b].

        With ``strict`` an order that does not beat the best so far has the value infinity. ``found`` is called whenever
        ``value`` and ``block_of`` get better. Raises :class:`planner.search.search.Stopped`; what was found is kept then.
        """
        values = np.full(len(keys), math.inf)
        row = 0
        self._integers[slicing.DONE] = 1
        while row < len(keys):
            row, best = slicing.slice_many(
                keys, row, strict, self.segment_bound, self.value, self.network, self._layout,
                self._integers, self._floats, self._cuts, values, self.block_of, self.order, STEPS_PER_CALL,
            )  # fmt: skip
            if best < self.value:
                self.value = float(best)
                if found is not None:
                    found()
            search.check()
        return values


def pipeline_units(problem: Problem) -> Units:
    """Units that every valid plan of a pipeline keeps together, with an order in which pins never go back.

    Beside colocated ops and cycles among them, all ops pinned to one block are a unit; an extra edge leads from each
    pinned unit to that of the next pinned block. Every topological order can then be sliced with all pins kept, every
    valid plan is a slicing of one, and pins that contradict the order end in a unit that no block may hold.
    """
    e = problem.evaluator
    unit_of, src, dst = chain_units(problem)
    pinned = np.flatnonzero(e.pinned >= 0)
    if not len(pinned):
        return build_units(problem, unit_of, src, dst)
    blocks = e.pinned[pinned]
    anchors = np.array([pinned[blocks == b][0] for b in np.unique(blocks)], np.int64)
    # Edges both ways between ops with the same pin make them one unit, edges forward keep the pins in order.
    same = anchors[np.searchsorted(np.unique(blocks), blocks)]
    a = np.concatenate([e.edge_src, pinned, same, anchors[:-1]])
    b = np.concatenate([e.edge_dst, same, pinned, anchors[1:]])
    unit_of = merge_cycles(unit_of, a, b)
    return build_units(problem, unit_of, *unit_edges(unit_of, a, b))


def network_of(units: Units) -> Network:
    """The arrays of ``units`` for the kernels of pipelines."""
    e = units.problem.evaluator
    m = units.count
    unit_of_entry = np.repeat(np.arange(m, dtype=np.int32), np.diff(units.entry_ptr))
    use = ~units.entry_produces
    use_ptr = np.zeros(m + 1, np.int32)
    np.cumsum(np.bincount(unit_of_entry[use], minlength=m), out=use_ptr[1:])
    made_ptr, made_tensor = csr(units.tensor_producer, np.arange(len(units.tensor_time), dtype=np.int32), m)
    free = units.allowed.all(axis=1)
    fixed = np.where(free, -1, np.argmax(units.allowed, axis=1)).astype(np.int32)
    succ_ptr, succ_idx = units.succs
    return Network(
        work=units.work[e.class_of[0]].sum(axis=1),
        params=units.params,
        out_time=np.bincount(units.tensor_producer, weights=units.send_time, minlength=m).astype(np.float64),
        use_ptr=use_ptr,
        use_tensor=np.ascontiguousarray(units.entry_tensor[use]),
        made_ptr=made_ptr,
        made_tensor=made_tensor,
        tensor_time=units.tensor_time,
        send_time=units.send_time,
        tensor_producer=np.ascontiguousarray(units.tensor_producer, np.int32),
        fixed=fixed,
        succ_ptr=succ_ptr,
        succ_idx=succ_idx,
        blocks=e.k,
        budget=float(e.budget[0]),
        rate=float(e.streaming_rate),
        uneven=bool((units.tensor_time != units.send_time).any()),
        class_work=np.ascontiguousarray(units.work.sum(axis=2).T),
        class_of=e.class_of,
        block_budget=e.budget,
        communication=int(e.communication),
    )
