"""Which bound methods are asked unasked."""

from __future__ import annotations

import pytest

from planner.machines.catalogue import bound_method, machine_of, unasked_bounds
from planner.machines.spec import parse_target
from planner.model.graph import Graph, Op, Tensor
from planner.problem.problem import Problem
from planner.search.run import run_bound


def row(spec: str) -> Problem:
    graph = Graph.build(
        "row",
        [Op(f"o{i}", f"o{i}", work=2.0 + i % 3, work_cpu=9.0) for i in range(9)],
        [Tensor(f"o{i}", (f"o{i + 1}",), 1.0, time=1.0) for i in range(8)],
    )
    return Problem(graph, parse_target(spec, graph))


@pytest.mark.parametrize("spec", ["pipeline:3", "pipeline:3,path=true", "edge-tpu:3", "mcm:3", "pool:2+1"])
def test_those_that_the_machine_wants_to_are_asked_where_they_serve(spec: str) -> None:
    problem = row(spec)
    wanted = machine_of(problem).unasked
    assert [m.name for m in unasked_bounds(problem)] == [
        name for name in wanted if bound_method(name).refusal(problem) is None
    ]
    assert unasked_bounds(problem)


@pytest.mark.parametrize("communication", ["overlap", "duplex"])
def test_the_preferred_ones_are_asked_where_none_of_these_serves(communication: str) -> None:
    problem = row(f"pipeline:3,communication={communication}")
    assert [m.name for m in unasked_bounds(problem)] == ["exact"]
    found = problem.strongest_bound(run_bound(bound_method("auto"), problem).bounds)
    assert found is not None and found.method == "exact" and found.value == pytest.approx(9.0)


def test_it_ends_by_itself_where_nothing_more_can_be_proven_and_by_its_time_where_that_is_short() -> None:
    problem = row("pipeline:3")
    auto = bound_method("auto")
    assert run_bound(auto, problem).stop_reason == "finished"
    assert run_bound(auto, problem, options={"seconds": 0.0}).stop_reason == "time"
