"""The exact search on an Edge TPU pipeline: chains of ideals where there are few, else the program for a MIP solver."""

from __future__ import annotations

from contextlib import suppress

from planner.errors import PlannerRefusal
from planner.machines.edge_tpu.memory.apart import ChainsApart, Parts
from planner.machines.edge_tpu.memory.chains import Chains
from planner.machines.edge_tpu.memory.ilp import solve_program
from planner.machines.edge_tpu.memory.lattice import TooLarge, edge_tpu_lattice
from planner.machines.edge_tpu.memory.report import Report
from planner.machines.edge_tpu.memory.units import edge_tpu_units
from planner.methods.ideals.lattice import enumerate_ideals
from planner.options import Option
from planner.problem.problem import Problem
from planner.search.search import Search

ROUTES = ("auto", "ideals", "ilp")
ROUTE_OPTION = Option(
    "route",
    "auto",
    "ideals: a dynamic program over ideals; ilp: SDC + ILP; auto: ideals where the graph has few",
    choices=ROUTES,
)
THREADS_OPTION = Option("threads", 1, "threads of the solver, for the program", low=1, high=256)
MOST_IDEALS = 500_000
"""Ideals that are soon looked at; a graph with more is left to the program."""
MOST_BYTES = 2**29
"""What their bits may take."""


def search_exactly(problem: Problem, search: Search, method: str, *, propose: bool) -> None:
    """Minimise the components of ``problem`` in turn and prove each, reporting plans if ``propose``.

    Raises :class:`planner.search.search.Stopped` when a stop criterion fires and :class:`PlannerRefusal` where the graph has too
    many ideals for the route asked for.
    """
    route = str(search.options["route"])
    tpus = edge_tpu_units(problem)
    search.check()
    report = Report(problem, search, tpus, method, propose=propose)
    if not report.begin():
        return
    if route != "ilp":
        _over_ideals(report)
    if report.open and route == "ideals":
        raise PlannerRefusal(
            f"{problem.graph.name} has too many ideals for a dynamic program; choose the route ilp or auto"
        )
    if report.open:
        solve_program(report, int(search.options["threads"]))


def _over_ideals(report: Report) -> None:
    """Prove the components by chains of ideals, as far as these are few enough, or fall into parts and few are in question."""
    search, tpus = report.search, report.tpus
    assert report.plan is not None
    lattice = enumerate_ideals(tpus.units, min(MOST_IDEALS, 8 * MOST_BYTES // (tpus.count + 64)), search)
    with suppress(TooLarge):
        if lattice is None:
            chains: Chains = ChainsApart(Parts(tpus, search), search, report.plan)
        else:
            chains = Chains(edge_tpu_lattice(tpus, lattice, search), search, report.plan)
        for step in chains.steps():
            search.iteration()
            report.take(step)
