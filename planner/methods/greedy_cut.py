"""Cutting one topological order into stages, each as far as it goes: within a share of the bytes, or within a time.

The order is the file's own: as ops stand in a model, unless they stand before what they need. Ops that every valid plan keeps
together go as one unit, at the place of the first of them that the graph allows.
"""

from __future__ import annotations

import numpy as np

from planner.compiling.kernel import njit
from planner.methods.orders import kahn_order
from planner.methods.units import Units, chain
from planner.model.graph import Floats, Ints, csr
from planner.problem.problem import Problem


def units_in_order(problem: Problem) -> tuple[Units, Ints]:
    """The units of a pipeline's problem and the order in which they stand in the file (int32[m])."""
    units = chain(problem)
    return units, file_order(units)


def file_order(units: Units) -> Ints:
    """The order of the units in the file (int32[m])."""
    order: Ints = kahn_order(*units.succs, units.first_places)
    return order


def cut_by_bytes(weight: Floats, order: Ints, stages: int) -> Ints:
    """The stage of each unit (int32[m]): a stage ends before the unit that would take it beyond the average and one byte.

    The last stage takes what is left; none ends without a byte. ``weight`` float64[m]: bytes of each unit.
    """
    share = weight.sum() // stages + 1.0
    stage_of = np.empty(len(order), np.int32)
    stage, held = 0, 0.0
    for u in order.tolist():
        if held > 0.0 and held + weight[u] > share and stage < stages - 1:
            stage, held = stage + 1, 0.0
        stage_of[u] = stage
        held += weight[u]
    return stage_of


class TimedCut:
    """Stage times of consecutive units of one ``order`` (int32[m]), and cuts in which each stage goes as far as a time allows."""

    def __init__(self, units: Units, order: Ints) -> None:
        e = units.problem.evaluator
        m, t = units.count, len(units.tensor_time)
        uses = ~units.entry_produces
        owner = np.repeat(np.arange(m, dtype=np.int32), np.diff(units.entry_ptr))[uses]
        place = np.empty(m, np.int32)
        place[order] = np.arange(m, dtype=np.int32)
        self.count, self.stages = m, e.k
        self.work = units.work[0].sum(axis=1)[order]
        self._arguments = (
            self.work,
            units.params[order],
            *csr(place[owner], units.entry_tensor[uses], m),
            *csr(place[units.tensor_producer], np.arange(t, dtype=np.int32), m),
            place[units.tensor_producer].astype(np.int32),
            np.bincount(units.entry_tensor[uses], minlength=t).astype(np.int32),
            units.tensor_time,
            units.send_time,
            float(e.budget[0]),
            float(e.streaming_rate),
            e.k,
        )

    def within(self, limit: float) -> tuple[Ints, float] | None:
        """Where each stage ends (int32[k], places in the order) and the largest stage time, or None where units are left over.

        Each stage is the longest run of units whose time is at most ``limit``. Times may fall as a run grows, so that None
        does not prove that there is no cut within the limit.
        """
        ends = np.empty(self.stages, np.int32)
        largest = _furthest(float(limit), *self._arguments, ends)
        return None if largest < 0.0 else (ends, largest)


def stages_of(ends: Ints, order: Ints) -> Ints:
    """The stage of each unit (int32[m]) from where stages end in the order."""
    stage_of = np.empty(len(order), np.int32)
    stage_of[order] = np.searchsorted(ends, np.arange(len(order)), side="right")
    return stage_of


@njit(cache=True, nogil=True)
def _furthest(
    limit, work, params, use_ptr, use_tensor, made_ptr, made_tensor, home, readers, receive_time, send_time,
    budget, rate, stages, ends,
):  # fmt: skip
    """Fill ``ends``; returns the largest stage time, or -1 where the stages do not take all units. All by place."""
    m = len(work)
    received = np.full(len(home), -1, np.int32)  # the last stage that received the tensor
    left = np.zeros(len(home), np.int32)
    begin = 0
    largest = 0.0
    for stage in range(stages):
        busy, held, receive, send = 0.0, 0.0, 0.0, 0.0
        end, cost = begin, 0.0
        for j in range(begin, m):
            busy += work[j]
            held += params[j]
            for e in range(use_ptr[j], use_ptr[j + 1]):
                t = use_tensor[e]
                if home[t] < begin:
                    if received[t] != stage:
                        received[t] = stage
                        receive += receive_time[t]
                else:
                    left[t] -= 1
                    if left[t] == 0:
                        send -= send_time[t]
            for e in range(made_ptr[j], made_ptr[j + 1]):
                t = made_tensor[e]
                left[t] = readers[t]
                if readers[t] > 0:
                    send += send_time[t]
            # Neither falls as the stage grows.
            least = busy + max(0.0, held - budget) / rate
            if least > limit:
                break
            if least + receive + send <= limit:
                end, cost = j + 1, least + receive + send
        if end == begin and begin < m:
            return -1.0
        ends[stage] = end
        largest = max(largest, cost)
        begin = end
    return largest if begin == m else -1.0
