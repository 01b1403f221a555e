"""DPL: the contiguous dynamic program of device placement on linear orders."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from planner.methods.balanced import balanced_slicing
from planner.methods.good_orders import neighbour, ruled_orders
from planner.methods.obvious_infeasibility import report_infeasible
from planner.methods.orders import depth_first_order
from planner.methods.slicing import Slicer
from planner.methods.units import build_units, chain_units, mirrors
from planner.model.graph import Ints
from planner.options import Option
from planner.problem.problem import Problem
from planner.search.method import Planner, Source
from planner.search.search import Search


class Dpl(Planner):
    """Linearise the contracted forward graph, then place its slices on accelerators and CPUs optimally.

    The depth-first order goes first, as in the paper. Further orders are only searched for slicings that are better
    than the best so far: orders by rule (narrow cuts, last ready first, both from either end), then random neighbours of
    the best order so far. Two contractions are tried. The paper's mirrors only the backward edges of orphaned
    backward ops, so the backward part of a slicing may break contiguity and is checked; the stricter one mirrors all
    and cannot.
    """

    name: ClassVar[str] = "dpl"
    title: ClassVar[str] = "DPL"
    summary: ClassVar[str] = (
        "dynamic program over linear orders, the depth-first one first (linearisation heuristic)"
    )
    source: ClassVar[Source] = Source("device placement", "section 5.1.2 and appendix B")
    targets: ClassVar[frozenset[str]] = frozenset({"pool"})
    objectives: ClassVar[frozenset[str]] = frozenset({"max-load", "gpipe"})
    options: ClassVar[tuple[Option, ...]] = (
        Option(
            "orders", 10, "how many orders to slice; 1 = the depth-first one alone", low=1, high=10_000_000
        ),
    )

    def search(self, problem: Problem, search: Search) -> None:
        """One iteration per order; the best valid slicing is kept."""
        if report_infeasible(problem, search, self.name):
            return
        orders = int(search.options["orders"])
        slicers: list[tuple[Slicer, Ints]] = []
        tried: list[tuple[Ints, Ints, Ints]] = []
        for mirror in mirrors(problem):
            found = chain_units(problem, mirror)
            if any(all(np.array_equal(a, b) for a, b in zip(found, other, strict=True)) for other in tried):
                continue
            tried.append(found)
            units = build_units(problem, *found)
            order = depth_first_order(*units.succs)
            search.progress(None, f"slicing {units.count} units")
            slicer = Slicer(units)
            search.incumbent(slicer.even(order)[units.unit_of])
            if search.best is None and (balanced := balanced_slicing(units, order)) is not None:
                search.incumbent(balanced[units.unit_of])
            better = self._slice(slicer, order, search)
            slicers.insert(0 if better else len(slicers), (slicer, order))
        search.iteration()
        if orders > 1:
            self._more_orders(*slicers[0], orders - 1, search)

    def _more_orders(self, slicer: Slicer, best: Ints, count: int, search: Search) -> None:
        """Slice ``count`` more orders for the contraction whose depth-first order sliced best."""
        units = slicer.units
        ruled = ruled_orders(units)
        for i in range(count):
            if slicer.segment_bound >= worth_finding(search):
                return  # no slicing of any order is better
            search.check()
            search.adopt()
            order = next(ruled, None)
            if order is None:
                order = neighbour(units, best, search.rng)
            if self._slice(slicer, order, search):
                best = order
            search.iteration()
            search.progress((i + 1) / count, f"order {i + 2} of {count + 1}")

    @staticmethod
    def _slice(slicer: Slicer, order: Ints, search: Search) -> bool:
        """Report slicings of one order that are better than the best so far; returns whether there was a valid one."""
        better = False
        for device_of in slicer.slicings(order, search, worth_finding(search)):
            better = search.incumbent(device_of[slicer.units.unit_of]) or better
        return better


def worth_finding(search: Search) -> float:
    """Slicings from this cost on are not looked for: no limit where the target makes plans cheaper than their slices."""
    return search.objective * (1 - 1e-9) if search.problem.evaluator.plain else math.inf
