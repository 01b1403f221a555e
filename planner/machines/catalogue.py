"""The catalogue of planners and bound methods: what exists and what serves a problem."""

from __future__ import annotations

import difflib
from functools import cache

from planner.errors import PlannerRefusal
from planner.problem.base import PlanningProblem
from planner.search.method import BoundMethod, Planner


@cache
def planners() -> dict[str, Planner]:
    """Every planner by name."""
    from planner.machines.edge_tpu.planners.edge_tpu_balanced import EdgeTpuBalanced
    from planner.machines.edge_tpu.planners.edge_tpu_fastest import EdgeTpuFastest
    from planner.machines.edge_tpu.planners.edge_tpu_ilp import EdgeTpuIlp
    from planner.machines.edge_tpu.planners.edge_tpu_profiled import EdgeTpuProfiled
    from planner.machines.mcm.planners.chip_anneal import ChipAnneal
    from planner.machines.mcm.planners.chip_cp_sat import ChipCpSat
    from planner.machines.mcm.planners.chip_greedy import ChipGreedy
    from planner.machines.mcm.planners.chip_local_search import ChipLocalSearch
    from planner.machines.mcm.planners.chip_random import ChipRandom
    from planner.machines.pipeline.planners.anneal import Anneal
    from planner.machines.pipeline.planners.brkga import Brkga
    from planner.machines.pipeline.planners.mla import Mla
    from planner.machines.pipeline.planners.mla_weighted import MlaWeighted
    from planner.machines.pipeline.planners.mtpp_cp_sat import MtppCpSat
    from planner.machines.pipeline.planners.mtpp_mip import MtppMip
    from planner.machines.pipeline.planners.one_device import OneDevice
    from planner.machines.pipeline.planners.slice_graph import Slice
    from planner.machines.pool.planners.dpl import Dpl
    from planner.machines.pool.planners.ideals_dp import IdealsDp
    from planner.machines.pool.planners.latency_ip import LatencyIp
    from planner.machines.pool.planners.max_load_ip import MaxLoadIp
    from planner.machines.pool.planners.memory_fill import MemoryFill
    from planner.machines.pool.planners.pipedream import PipeDream
    from planner.machines.pool.planners.scotch import Scotch
    from planner.machines.several.planners.expert import Expert
    from planner.machines.several.planners.local_search import LocalSearch
    from planner.machines.several.planners.slice_random import SliceRandom
    from planner.machines.two_level_memory.planners.connection_reordering import ConnectionReordering
    from planner.machines.two_level_memory.planners.locality import Locality
    from planner.machines.two_level_memory.planners.order_portfolio import OrderPortfolio
    from planner.machines.two_level_memory.planners.theorem_1 import Theorem1Order

    found: list[Planner] = [
        Slice(),
        SliceRandom(),
        Brkga(),
        Mla(),
        MlaWeighted(),
        Anneal(),
        MtppMip(),
        MtppCpSat(),
        IdealsDp(),
        Dpl(),
        MemoryFill(),
        PipeDream(),
        Scotch(),
        LocalSearch(),
        MaxLoadIp(),
        LatencyIp(),
        EdgeTpuIlp(),
        EdgeTpuFastest(),
        EdgeTpuBalanced(),
        EdgeTpuProfiled(),
        ChipGreedy(),
        ChipRandom(),
        ChipAnneal(),
        ChipLocalSearch(),
        ChipCpSat(),
        OneDevice(),
        Expert(),
        OrderPortfolio(),
        Locality(),
        ConnectionReordering(),
        Theorem1Order(),
    ]
    return {p.name: p for p in found}


@cache
def bound_methods() -> dict[str, BoundMethod]:
    """Every bound method by name."""
    from planner.machines.edge_tpu.bounds.ilp import Ilp
    from planner.machines.mcm.bounds.cp_sat import CpSat
    from planner.machines.pipeline.bounds.bottleneck import Bottleneck
    from planner.machines.pipeline.bounds.bottleneck_guess import BottleneckGuess
    from planner.machines.pipeline.bounds.exact import Exact
    from planner.machines.pipeline.bounds.two_superblock import TwoSuperblock
    from planner.machines.pool.bounds.critical_path import CriticalPath
    from planner.machines.pool.bounds.dp import Dp
    from planner.machines.pool.bounds.ip import Ip
    from planner.machines.several.bounds.simple import Simple
    from planner.machines.two_level_memory.bounds.theorem_1 import Theorem1

    found: list[BoundMethod] = [
        Simple(),
        Dp(),
        TwoSuperblock(),
        Bottleneck(),
        BottleneckGuess(),
        Exact(),
        Ip(),
        CriticalPath(),
        Ilp(),
        CpSat(),
        Theorem1(),
    ]
    return {b.name: b for b in found}


def planner(name: str) -> Planner:
    """A planner by name. Raises :class:`PlannerRefusal`."""
    known = planners()
    if name not in known:
        raise PlannerRefusal(f"there is no planner '{name}'{_hint(name, list(known))}")
    return known[name]


def bound_method(name: str) -> BoundMethod:
    """A bound method by name. Raises :class:`PlannerRefusal`."""
    known = bound_methods()
    if name not in known:
        raise PlannerRefusal(f"there is no bound method '{name}'{_hint(name, list(known))}")
    return known[name]


def _hint(name: str, known: list[str]) -> str:
    near = difflib.get_close_matches(name, known, 1)
    return f"; did you mean '{near[0]}'?" if near else f"; choose from {', '.join(known)}"


def planners_for(problem: PlanningProblem) -> list[Planner]:
    """The planners that serve this problem, constraints included, in catalogue order."""
    return [p for p in planners().values() if p.refusal(problem) is None]


def default_planner(problem: PlanningProblem) -> Planner:
    """A good planner for the problem: the first of a short preference list that serves it."""
    serving = {p.name: p for p in planners_for(problem)}
    for name in (
        "order-portfolio",
        "latency-ip",
        "chip-local-search",
        "edge-tpu-ilp",
        "edge-tpu-fastest",
        "ideals-dp",
        "dpl",
        "anneal",
        "slice-random",
        "slice",
        "local-search",
        "memory-fill",
    ):
        if name in serving:
            return serving[name]
    raise PlannerRefusal(
        f"no planner serves {problem.objective} on {problem.target.in_words} with these constraints"
    )


def default_bound(problem: PlanningProblem) -> BoundMethod:
    """A bound method that proves much in little time: the first of a short preference list that serves the problem."""
    known = bound_methods()
    # The exact program closes the gap of a stage time in about a second, where two superblocks leave a large one.
    first = ("exact",) if problem.objective == "stage-time" else ()
    for name in (
        *first,
        "two-superblock",
        "critical-path",
        "ilp",
        "dp",
        "ip",
        "cp-sat",
        "simple",
        "theorem-1",
    ):
        if known[name].refusal(problem) is None:
            return known[name]
    raise PlannerRefusal(
        f"no bound method serves {problem.objective} on {problem.target.in_words} with these constraints"
    )


def immediate_bound(problem: PlanningProblem) -> BoundMethod | None:
    """The bound method that takes no time worth mentioning: what is proven before any search; None where none serves.

    Nothing else of the catalogue is imported for it.
    """
    from planner.machines.several.bounds.simple import Simple
    from planner.machines.two_level_memory.bounds.theorem_1 import Theorem1

    methods: tuple[BoundMethod, ...] = (Simple(), Theorem1())
    return next((method for method in methods if method.refusal(problem) is None), None)
