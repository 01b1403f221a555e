"""The units of a pipeline and the arrays that its kernels share."""

from __future__ import annotations

import numpy as np

from planner.machines.pipeline.orders.layout import Network
from planner.methods.units import Units, build_units, chain_units, merge_cycles, unit_edges
from planner.model.graph import csr
from planner.problem.problem import Problem


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
        work=units.work[0].sum(axis=1),
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
    )
