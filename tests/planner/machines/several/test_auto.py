"""The planner ``auto``: who searches, that seeds reproduce, what its plans say of where they come from, and how it ends."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from planner.errors import PlannerRefusal
from planner.formats import read_models
from planner.machines.catalogue import DEFAULT, default_planner, machines, own_planner, planner
from planner.machines.mcm.target import McmPackage
from planner.machines.pipeline.target import Pipeline
from planner.machines.several.planners.auto import packed
from planner.machines.spec import parse_target
from planner.machines.trying import counted
from planner.model.graph import Graph, Op, Tensor
from planner.problem.problem import Pin, Problem
from planner.runs.replay import replay
from planner.search.run import plan_of, run
from planner.search.search import Callbacks
from planner.search.stop import FirstPlan, GapReached, IterationLimit, Never, Progress, TimeLimit

SAMPLES = Path(__file__).parents[4] / "sample_models"
AUTO = planner(DEFAULT)


def row(n: int = 6) -> Graph:
    """Ops in a row."""
    ops = [Op(f"o{i}", f"o{i}", work=1.0 + i % 3, work_cpu=2.0, memory=1.0) for i in range(n)]
    return Graph.build("row", ops, [Tensor(f"o{i}", (f"o{i + 1}",), 1.0, time=0.1) for i in range(n - 1)])


@pytest.mark.parametrize("spec", ["pipeline:3", "pool:2+1", "edge-tpu:3", "mcm:3,check_memory=false"])
def test_its_plan_is_found_again_by_whoever_found_it(spec: str) -> None:
    graph = read_models([SAMPLES / "unet.onnx"])
    problem = Problem(graph, parse_target(spec, graph))
    result = run(AUTO, problem, seed=3, options={"effort": 0.02})
    plan = plan_of(result)
    assert result.planner == "auto" and result.origin is not None and plan is not None
    assert plan.provenance.planner == result.origin.planner in {turn.planner for turn in result.tries}
    assert plan.provenance.seed == 3 and replay(plan).outcome == "identical"


@pytest.mark.parametrize("spec", ["pipeline:4", "mcm:4,check_memory=false"])
def test_the_same_seed_gives_the_same_plan(spec: str) -> None:
    graph = read_models([SAMPLES / "unet.onnx"])
    problem = Problem(graph, parse_target(spec, graph))
    plans = [run(AUTO, problem, seed=7, options={"effort": 0.02}).device_of for _ in range(2)]
    assert plans[0] is not None and np.array_equal(plans[0], plans[1])


def test_it_serves_every_machine_and_says_which_objectives() -> None:
    assert set(machines()) == AUTO.targets
    assert all(set(machine.target.objectives) <= AUTO.objectives for machine in machines().values())
    problem = Problem(row(), Pipeline(2))
    assert default_planner(problem) is AUTO and own_planner(problem) is not AUTO


def test_what_would_go_on_for_ever_is_counted_and_what_ends_is_not() -> None:
    problem = Problem(row(), McmPackage(2, check_memory=False))
    stop = counted(planner("chip-local-search"), problem, 2.0)
    assert isinstance(stop, IterationLimit)
    assert stop.limit == 2 * counted(planner("chip-local-search"), problem, 1.0).limit  # type: ignore[attr-defined]
    assert isinstance(counted(planner("anneal"), Problem(row(), Pipeline(2)), 1.0), Never)


def test_it_ends_when_asked_and_says_why() -> None:
    problem = Problem(row(), Pipeline(2))
    assert run(AUTO, problem, FirstPlan()).stop_reason == "found"
    assert run(AUTO, problem, TimeLimit(0.0)).stop_reason == "time"
    assert run(AUTO, problem, IterationLimit(0)).stop_reason == "iterations"
    bound = problem.bound("bottleneck", 1.0, "simple", frozenset())
    assert run(AUTO, problem, GapReached(0.99), bounds=(bound,)).stop_reason == "gap"


def test_plans_and_bounds_are_passed_on_as_they_come() -> None:
    class Heard(Callbacks):
        def __init__(self) -> None:
            self.plans: list[tuple[float, str]] = []

        def on_best(self, device_of: Any, objective: float, progress: Progress) -> None:
            assert progress.origin is not None
            self.plans.append((objective, progress.origin.planner))

    heard = Heard()
    result = run(AUTO, Problem(row(), Pipeline(3)), callbacks=heard)
    values = [value for value, _ in heard.plans]
    assert values == sorted(set(values), reverse=True) and values[-1] == result.objective
    assert (
        sum(turn.planner == "one-device" for turn in result.tries) == 1 and heard.plans[0][1] == "one-device"
    )


def test_a_problem_without_a_valid_plan_is_proven_to_have_none() -> None:
    problem = Problem(row(), Pipeline(2)).with_constraints((Pin("o5", "stage 0"), Pin("o0", "stage 1")))
    result = run(AUTO, problem)
    assert result.device_of is None and result.status in ("infeasible", "no_plan")


def test_options_that_it_does_not_know_go_to_the_planner_that_suits_the_problem() -> None:
    assert packed({"effort": "2", "rounds": "1"}) == {"effort": "2", "planner_options": "rounds=1"}
    assert packed({"effort": "2"}) == {"effort": "2"}
    problem = Problem(row(), Pipeline(2))
    with pytest.raises(PlannerRefusal, match="'anneal' has no option 'nonsense'"):
        run(AUTO, problem, options={"planner_options": "nonsense=1"})
    with pytest.raises(PlannerRefusal, match="not KEY=VALUE"):
        run(AUTO, problem, options={"planner_options": "nonsense"})


def test_a_time_limit_does_not_make_counted_work_more() -> None:
    graph = read_models([SAMPLES / "unet.onnx"])
    problem = Problem(graph, parse_target("mcm:4,check_memory=false", graph))
    run(AUTO, problem, options={"effort": 1.0})  # what is loaded at first takes a part of so little time
    counted_alone = run(AUTO, problem, options={"effort": 0.02})
    within = run(AUTO, problem, TimeLimit(600.0), options={"effort": 0.02})
    assert within.stop_reason == counted_alone.stop_reason == "finished"
    assert within.iterations == counted_alone.iterations
