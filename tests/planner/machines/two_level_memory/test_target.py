"""The two-level memory as a target, and what its evaluator refuses."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from planner.errors import PlanError, TargetError
from planner.machines.pipeline.target import Pipeline
from planner.machines.spec import is_for_networks, parse_target, target_from_dict
from planner.machines.two_level_memory.order import ConnectionOrder
from planner.machines.two_level_memory.problem import NetworkProblem
from planner.machines.two_level_memory.target import TwoLevelMemory
from planner.model.graph import Graph, Op
from planner.problem.problem import Problem
from planner.problem.provenance import Provenance
from tests.planner.machines.two_level_memory.orders import small

pytestmark = pytest.mark.coverage

CHAIN = [(0, 1), (1, 2), (0, 2)]


def test_specifications() -> None:
    assert parse_target("memory") == TwoLevelMemory(100, "min")
    assert parse_target("memory:64,policy=lru") == TwoLevelMemory(64, "lru")
    for policy in ("min", "lru", "rr"):
        machine = TwoLevelMemory(7, policy)
        assert parse_target(machine.spec()) == machine
        assert target_from_dict(machine.to_dict()) == machine


def test_an_order_is_an_array_of_connections() -> None:
    assert ConnectionOrder(np.array([2, 0, 1])).array.tolist() == [2, 0, 1]


@pytest.mark.parametrize("size", [2, 0, -1, 2**30 + 1, True, 3.0])
def test_sizes_that_no_connection_fits_are_refused(size: int) -> None:
    with pytest.raises(TargetError, match="it must be a whole number from 3"):
        TwoLevelMemory(size)


def test_policies_that_nobody_knows_are_refused() -> None:
    with pytest.raises(TargetError, match="choose from min, lru, rr"):
        TwoLevelMemory(10, "fifo")


def test_graphs_of_operators_are_refused() -> None:
    graph = Graph.build("ops", [Op("a", "a", work=1.0, work_cpu=1.0)], [])
    with pytest.raises(TargetError, match="ops is a graph of operators"):
        Problem(graph, TwoLevelMemory())


def test_networks_are_for_this_target_only() -> None:
    with pytest.raises(TargetError, match="small is a sparse network"):
        NetworkProblem(small(CHAIN), Pipeline(2))  # type: ignore[arg-type]


def test_what_a_problem_says_of_itself() -> None:
    problem = NetworkProblem(small(CHAIN), TwoLevelMemory(3, "rr"))
    assert problem.components == ("ios",) and problem.unit("ios") == "I/Os"
    assert problem.devices == () == problem.target.devices(problem.network)
    assert problem.assumptions == {"rule:topological"}
    assert problem == problem.with_target(TwoLevelMemory(3, "rr"))
    others = {problem.with_target(TwoLevelMemory(4, "rr")), problem.with_target(TwoLevelMemory(3, "min"))}
    assert problem not in others and len(others) == 2


@pytest.mark.parametrize(
    ("order", "words"),
    [
        ([0, 1], "must name each of its 3 connections once; this one has 2 entries"),
        ([0.0, 1.0, 2.0], "this one has 3 entries"),
        ([0, 1, 3], "names connection 3; they are numbered 0 to 2"),
        ([0, -1, 2], "names connection -1"),
        ([0, 1, 1], "names connection 1 2 times and connection 2 never"),
    ],
)
def test_what_is_no_order_is_refused(order: list[int], words: str) -> None:
    problem = NetworkProblem(small(CHAIN), TwoLevelMemory(3))
    with pytest.raises(PlanError, match=words):
        problem.evaluate(np.array(order))
    with pytest.raises(PlanError):
        problem.evaluator.trace(np.array(order))


def test_an_order_that_reads_what_is_not_complete_is_not_valid() -> None:
    problem = NetworkProblem(small(CHAIN), TwoLevelMemory(3))
    early = problem.evaluate(np.array([1, 0, 2]))
    assert not early.valid
    assert early.violations[0].kind == "topological" and early.violations[0].ops == (1,)
    assert "connection 1 from neuron 0 of layer 1 to neuron 0 of layer 2 is number 1 in the order" in (
        early.violations[0].sentence
    )
    late = problem.evaluate(np.array([0, 1, 2]))
    assert late.valid and late.objective == late.reads + late.writes
    assert late.figures["neuron_reads"] == late.reads - 3


def test_a_plan_keeps_its_order() -> None:
    problem = NetworkProblem(small(CHAIN), TwoLevelMemory(4))
    order = np.array([0, 1, 2])
    plan = problem.plan(order, Provenance("by hand"))
    order[:] = 0
    assert plan.decision == ConnectionOrder(np.array([0, 1, 2])) and plan.name == "by hand"
    assert len({plan.decision, ConnectionOrder(np.array([0, 1, 2]))}) == 1
    assert plan.objective == plan.evaluation.objective == 3 + 3 + 1
    assert problem.evaluate(plan.decision).values == (7.0,)


def test_the_smallest_memory_keeps_the_policy() -> None:
    assert TwoLevelMemory(100, "lru").smallest() == TwoLevelMemory(3, "lru")


def test_a_specification_says_whether_it_is_for_networks(tmp_path: Path) -> None:
    file = tmp_path / "machine.toml"
    file.write_text('kind = "memory"\nsize = 20\n')
    assert all(map(is_for_networks, ["memory", " memory:20 ", "memory,policy=rr", str(file)]))
    assert not any(map(is_for_networks, ["pipeline:4", "memo", ""]))
    assert parse_target(str(file)) == TwoLevelMemory(20)
