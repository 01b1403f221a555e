"""Slicing orders where blocks hold activations or form a path, exactly: the cost of a segment is the target's own."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator

import numpy as np

from planner.evaluation import kernels
from planner.machines.pipeline.orders.ruled_kernels import NEVER, Blocks, Scratch, Uses, reach
from planner.machines.pipeline.orders.running import running_of
from planner.methods.slicing import even_cut
from planner.methods.units import Units, unit_edges
from planner.model.graph import Ints, csr
from planner.search.search import Search

STEPS_PER_CALL = 300_000
"""Steps of the kernel between two looks at the stop criteria: some ten milliseconds."""
CLOSE = 1e-6
"""Where bounds of the optimum are so close (relative), the lower one is tried itself."""
ROUNDING = 1e-12


class RuledSlicer:
    """Slices orders of ``units`` into blocks by bisection on the largest cost; ``segment_bound`` is a lower bound for all orders.

    A probe says whether segments below a threshold reach the end (:func:`planner.machines.pipeline.orders.ruled_kernels.reach`).
    One that does gives a plan, whose cost is the next upper end; one that does not says what the next threshold is at least. It ends at the optimum of the order.
    """

    def __init__(self, units: Units) -> None:
        e = units.problem.evaluator
        self.units = units
        path = any(rule.code == kernels.RULE_PATH for rule in e.rules)
        work = units.work.sum(axis=2)
        self._blocks = Blocks(
            np.ascontiguousarray(work[e.class_of]), units.allowed, e.budget, e.streaming_rate, e.communication, path
        )  # fmt: skip
        # Edges of the units that pins ask for are none that tensors take.
        src, dst = unit_edges(units.unit_of, e.edge_src, e.edge_dst)
        preds = csr(dst, src, units.count)
        self._uses = Uses(
            units.params, units.entry_ptr, units.entry_tensor, units.entry_forward, units.entry_produces, units.tensor_time,
            units.send_time, units.tensor_total, *preds,
        )  # fmt: skip
        self._running, self._flows = running_of(units)
        n, t = e.n, len(e.size)
        self._scratch = Scratch(
            np.full(n, -1, np.int32), np.empty(len(units.tensor_time), np.int32), np.zeros(len(units.tensor_time), bool),
            np.zeros(len(units.tensor_time), np.int32), np.zeros(t, np.int32), np.zeros(n, np.int32), np.empty(n, np.int32),
            np.empty(n), np.empty(n, np.int32),
        )  # fmt: skip
        self._begin = np.empty((units.count + 1, e.k + 1), np.int32)
        least = np.where(units.allowed.T, self._blocks.work, np.inf).min(axis=0, initial=np.inf)
        pace = self._blocks.work.min(axis=0, initial=np.inf)
        share = float(pace.sum()) / e.k if units.count else 0.0
        self.segment_bound = max(float(least.max(initial=0.0)), share) * (1 - ROUNDING)

    def _probe(self, order: Ints, threshold: float, search: Search) -> tuple[Ints | None, float]:
        """``(the block of each unit int32[m], or None, what the next threshold is at least)``."""
        begin, m, k = self._begin, self.units.count, self.units.problem.evaluator.k
        begin.fill(NEVER)
        begin[0, 0] = 0
        self._scratch.stamp.fill(-1)
        place = np.empty(m, np.int32)
        place[order] = np.arange(m, dtype=np.int32)
        at, above = 0, math.inf
        while at <= m:
            at, least = reach(
                order, place, at, STEPS_PER_CALL, threshold, begin, self._blocks, self._uses, self._running, self._flows,
                self._scratch,
            )  # fmt: skip
            above = min(above, float(least))
            search.check()
        if begin[m, k] == NEVER:
            return None, above
        block_of = np.zeros(m, np.int32)
        end = m
        for s in range(k, 0, -1):
            start = int(begin[end, s])
            block_of[order[start:end]] = s - 1
            end = start
        return block_of, above

    def best(self, order: Ints, search: Search, below: float = math.inf) -> tuple[float, Ints] | None:
        """The best slicing of ``order`` (int32[m]) below ``below``: its objective and the block of each unit (int32[m]), or None.

        Raises :class:`planner.search.search.Stopped` when a stop criterion fires.
        """
        return next(iter(deque(self._better(order, search, below), maxlen=1)), None)

    def slicings(self, order: Ints, search: Search, below: float = math.inf) -> Iterator[Ints]:
        """Ever better slicings of ``order`` (int32[m]) below ``below``, as blocks of the units (int32[m]); the last one is the best."""
        for _, block_of in self._better(order, search, below):
            yield block_of

    def even(self, order: Ints) -> Ints:
        """The block of each unit (int32[m]) where ``order`` (int32[m]) is cut into equal shares of the work: a first plan, valid or not."""
        return even_cut(self.units, order, np.arange(self.units.problem.evaluator.k, dtype=np.int32))

    def _better(self, order: Ints, search: Search, below: float) -> Iterator[tuple[float, Ints]]:
        units, evaluator = self.units, self.units.problem.evaluator
        low, high = self.segment_bound, below
        if units.blocked >= 0 or low >= below:
            return
        if not units.count:
            yield 0.0, np.zeros(0, np.int32)
            return
        while low < high:
            if math.isinf(high):
                tried = math.inf
            else:
                tried = low if high - low <= CLOSE * high else (low + high) / 2
            block_of, above = self._probe(order, tried * (1 + ROUNDING), search)
            if block_of is None:
                if not above < high or math.isinf(tried):
                    return
                low = above
                continue
            value = evaluator.objective(block_of[units.unit_of])
            if value >= high * (1 - ROUNDING):
                return
            high = value
            yield value, block_of
            if tried <= low:
                return
