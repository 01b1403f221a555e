"""PipeDream's optimizer: branchings contracted to single nodes, then a dynamic program on the path that is left."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from planner.machines.pool.planners.branchings import contracted_branchings
from planner.machines.pool.planners.replicated_path import LONGEST, plan_replicated
from planner.methods.good_orders import last_ready_order
from planner.methods.obvious_infeasibility import report_infeasible
from planner.methods.orders import depth_first_order
from planner.methods.slicing import Slicer
from planner.methods.units import build_units, chain, mirrors, unit_edges
from planner.options import Option
from planner.problem.problem import Problem
from planner.search.method import Planner, Source
from planner.search.search import Search


class PipeDream(Planner):
    """Contract every branching, then place the segments of what is left on accelerators and CPUs optimally.

    PipeDream's optimizer plans linear graphs, so the device-placement paper contracts branchings for it. What is left
    is a path but for side inputs and outputs, which depth-first orders line up. Segments cost what the target says. Where it replicates stages, a second dynamic
    program also chooses how many devices each takes (appendix C.2).
    """

    name: ClassVar[str] = "pipedream"
    title: ClassVar[str] = "PipeDream"
    summary: ClassVar[str] = "branchings contracted to single nodes, then a dynamic program on the path left"
    source: ClassVar[Source] = Source("device placement", "section 6, baselines")
    targets: ClassVar[frozenset[str]] = frozenset({"pool"})
    objectives: ClassVar[frozenset[str]] = frozenset({"max-load", "gpipe"})
    options: ClassVar[tuple[Option, ...]] = (
        Option(
            "negligible",
            1e-5,
            "transfers of at most this share of all work make no branching",
            low=0.0,
            high=1.0,
        ),
    )

    def search(self, problem: Problem, search: Search) -> None:
        """One optimal slicing of the path per contraction (see :class:`planner.machines.pool.planners.dpl.Dpl`)."""
        if report_infeasible(problem, search, self.name):
            return
        e = problem.evaluator
        # Pins name devices one by one, but here a stage takes any of its kind; so pinned plans replicate by chance only.
        replicates = e.sync_rate > 0 and problem.objective == "max-load" and not (e.pinned >= 0).any()
        for mirror in mirrors(problem):
            units = chain(problem, mirror)
            work = float(units.work.min(axis=0).sum())
            part_of = contracted_branchings(units, float(search.options["negligible"]) * work)
            path = build_units(problem, part_of[units.unit_of], *unit_edges(part_of, units.src, units.dst))
            search.progress(None, f"slicing a path of {path.count} nodes")
            slicer = Slicer(path)
            for order in (last_ready_order(*path.succs), depth_first_order(*path.succs)):
                # Copies of a stage or fast clusters can make a plan cheaper than its slices: then any will do.
                below = search.objective if e.plain else math.inf
                for device_of in slicer.slicings(order, search, below):
                    search.incumbent(device_of[path.unit_of])
                if replicates and path.count <= LONGEST:
                    place = np.empty(path.count, np.int32)
                    place[order] = np.arange(path.count, dtype=np.int32)
                    shared_out = plan_replicated(build_units(problem, place[path.unit_of]), search)
                    if shared_out is not None:
                        search.incumbent(shared_out[place[path.unit_of]])
            search.iteration()
