"""Slicing orders for stages that are not alike, or whose costs and rules are more than sums, by dynamic programs that know each device's own costs."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from planner.machines.pipeline.orders.ruled import RuledSlicer
from planner.machines.pipeline.orders.slicer import PipelineSlicer, network_of
from planner.methods.orders import kahn_order
from planner.methods.slicing import Slicer, even_cut
from planner.methods.units import Units
from planner.model.graph import Floats, Ints
from planner.search.search import Search


class StageSlicer:
    """Slices orders of the units of ``slicer`` (from :func:`planner.machines.pipeline.orders.slicer.pipeline_units`) over any stages, exactly.

    It is asked as a :class:`planner.machines.pipeline.orders.slicer.PipelineSlicer` is: ``value``, ``block_of`` (int32[m]) and ``order`` (int32[m])
    are the best of everything sliced so far.
    """

    def __init__(self, slicer: Slicer | RuledSlicer) -> None:
        self.units = units = slicer.units
        self.network = network_of(units)
        self._slicer = slicer
        self.segment_bound = self._slicer.segment_bound
        self.value = math.inf
        self.block_of: Ints = np.zeros(units.count, np.int32)
        self.order: Ints = np.zeros(units.count, np.int32)

    def solve(self, order: Ints, search: Search, below: float = math.inf) -> tuple[float, Ints] | None:
        """The best slicing of ``order`` (int32[m]) with a value below ``below``: (value, block of each unit int32[m]), or None.

        Raises :class:`planner.search.search.Stopped` when a stop criterion fires.
        """
        if not self.units.count:
            return (0.0, self.block_of) if below > 0 else None
        found = self._slicer.best(order, search, below)
        if found is not None and found[0] < self.value:
            self.value = found[0]
            self.block_of[:] = found[1]
            self.order[:] = order
        return found

    def even(self, order: Ints) -> Ints | None:
        """The block of each unit (int32[m]) where ``order`` (int32[m]) is cut into shares that take all stages equally long; None with pins."""
        if not self.units.count or (self.network.fixed >= 0).any():
            return None
        return even_cut(self.units, order, np.arange(self.network.blocks, dtype=np.int32))

    def slice_keys(
        self, keys: Floats, search: Search, strict: bool = True, found: Callable[[], None] | None = None
    ) -> Floats:
        """The value of the order that each row of ``keys`` (float64[b, m]) gives by Kahn's algorithm: float64[b].

        With ``strict`` an order that does not beat the best so far has the value infinity. ``found`` is called whenever
        ``value`` and ``block_of`` get better. Raises :class:`planner.search.search.Stopped`; what was found is kept then.
        """
        values = np.full(len(keys), math.inf)
        for row, priorities in enumerate(keys):
            before = self.value
            sliced = self.solve(
                kahn_order(*self.units.succs, priorities), search, before if strict else math.inf
            )
            if sliced is not None:
                values[row] = sliced[0]
            if self.value < before and found is not None:
                found()
        return values


def slicer_of(units: Units) -> PipelineSlicer | StageSlicer:
    """The slicer for the stages of the problem of ``units``."""
    problem = units.problem
    if problem.evaluator.alike and not problem.target.beyond:
        return PipelineSlicer(units)
    return StageSlicer(order_slicer(units))


def order_slicer(units: Units) -> Slicer | RuledSlicer:
    """The dynamic program that slices one order of ``units`` over the devices of their problem."""
    ruled = {"activations", "path"} & units.problem.target.beyond.keys()
    return RuledSlicer(units) if ruled else Slicer(units)
