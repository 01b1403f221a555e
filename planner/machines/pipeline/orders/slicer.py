"""Slicing orders of a pipeline's units: one order at its best, or many and the best of all."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from planner.machines.pipeline.orders import kernels as slicing
from planner.machines.pipeline.orders.layout import arrange, even_value, new_layout
from planner.machines.pipeline.orders.units import network_of
from planner.methods.units import Units
from planner.model.graph import Floats, Ints
from planner.search.search import Search

STEPS_PER_CALL = 3_000_000
"""Steps of a kernel between two looks at the stop criteria: some ten milliseconds."""


class PipelineSlicer:
    """Slices orders of ``units`` (from :func:`planner.machines.pipeline.orders.units.pipeline_units`), exactly.

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
        """``order`` cut into equal shares of the work: a first plan at once (block of each unit); None with pins."""
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
