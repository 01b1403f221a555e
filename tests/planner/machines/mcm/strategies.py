"""Random multi-chip modules for hypothesis."""

from __future__ import annotations

from hypothesis import strategies as st

from planner.machines.mcm.target import McmPackage
from planner.model.graph import Graph
from planner.problem.problem import Problem
from tests.planner.strategies import graphs, problems


@st.composite
def packages(draw: st.DrawFn, least: int = 1, most: int = 4, memory: bool | None = None) -> McmPackage:
    """Every combination of rules; small memories and large ones; automatic, slow and free links; with and without copies."""
    return McmPackage(
        count=draw(st.integers(least, most)),
        sram=draw(st.one_of(st.just(1000.0), st.integers(0, 120).map(lambda q: q / 4))),
        link=draw(st.sampled_from([0.0, 1.0, float("inf")])),
        triangle=draw(st.booleans()),
        no_skip=draw(st.booleans()),
        check_memory=draw(st.booleans()) if memory is None else memory,
        every_chip=draw(st.booleans()),
        copy_sources=draw(st.sampled_from([0, 0, 1, 2])),
        hop=draw(st.sampled_from([0.0, 0.5])),
    )


def mcm_problems(
    most: int = 4,
    graph: st.SearchStrategy[Graph] | None = None,
    objective: str | None = None,
    memory: bool | None = None,
    constraints: bool = True,
) -> st.SearchStrategy[Problem]:
    """A graph on a package with one of its objectives, some pins and ops kept together."""
    if objective is None:
        return st.sampled_from(["chip-latency", "latency"]).flatmap(
            lambda name: mcm_problems(most, graph, name, memory, constraints)
        )
    return problems(
        target=packages(most=most, memory=memory),
        graph=graphs(training=False) if graph is None else graph,
        objective=objective,
        constraints=constraints,
    )
