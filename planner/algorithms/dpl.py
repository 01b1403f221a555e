"""DPL: the contiguous dynamic program of device placement on one linear order."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from planner.graph import Ints
from planner.partition.contraction import build_units, chain_units, mirrors
from planner.partition.infeasible import report_infeasible
from planner.partition.orders import depth_first_order
from planner.partition.segments import Slicer
from planner.problem import Problem
from planner.search import Planner, Search, Source


class Dpl(Planner):
    """Linearise the contracted forward graph depth-first, then place its slices on accelerators and CPUs optimally.

    Two contractions are tried. The paper's mirrors only the backward edges of orphaned backward ops, so the backward part
    of a slicing may break contiguity and is checked; the stricter one mirrors all and cannot.
    """

    name: ClassVar[str] = "dpl"
    title: ClassVar[str] = "DPL"
    summary: ClassVar[str] = "dynamic program over one depth-first order (linearisation heuristic)"
    source: ClassVar[Source] = Source("device placement", "section 5.1.2 and appendix B")
    targets: ClassVar[frozenset[str]] = frozenset({"pool"})
    objectives: ClassVar[frozenset[str]] = frozenset({"max-load", "gpipe"})

    def search(self, problem: Problem, search: Search) -> None:
        """One optimal slicing per contraction; the better valid one is kept."""
        if report_infeasible(problem, search, self.name):
            return
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
            for device_of in slicer.slicings(order, search, search.objective):
                search.incumbent(device_of[units.unit_of])
            search.iteration()
