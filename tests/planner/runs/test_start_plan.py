"""The plan that a model opens with: as far as a planner comes in a moment of processor time, and what stands in for it."""

from __future__ import annotations

import pytest

from planner.formats import read_graph
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.model.cost_model import fill
from planner.model.samples import sample
from planner.problem.problem import Problem
from planner.runs import start_plan as starting
from tests.gui.models import chain_graph

TOO_SMALL = DevicePool(3, 0, memory=0.5)
"""No op fits a device."""


def test_a_planner_that_cannot_prove_its_plan_soon_is_cut_by_processor_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Without it the start would take hours here: on a busy machine a second of the clock is hardly any work, on an idle one all of it."""
    monkeypatch.setattr(starting, "LIMIT", 10_000.0)
    monkeypatch.setattr(starting, "PROCESSOR_SECONDS", 0.2)
    problem = Problem(fill(read_graph(sample("bert_large.json"))), Pipeline(4))
    found = starting.start_plan(problem)
    assert found.planner == "chain-dp" and not problem.evaluator.violations(found.device_of)
    assert problem.evaluate(found.device_of).components["bottleneck"] > max(
        (b.value for b in found.bounds), default=0.0
    )


def test_a_plan_that_is_proven_soon_is() -> None:
    problem = Problem(fill(read_graph(sample("resnet50.json"))), Pipeline(4))
    found = starting.start_plan(problem)
    assert found.planner == "chain-dp"
    best = problem.evaluate(found.device_of).components["bottleneck"]
    assert max(bound.value for bound in found.bounds) == pytest.approx(best)


def test_a_planner_without_its_kernels_is_to_be_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    problem, asked = Problem(chain_graph(12), Pipeline(3)), list[str]()
    monkeypatch.setattr(starting, "missing", lambda tasks: asked.extend(tasks) or tasks)
    assert starting.to_compile(problem) and asked == ["method:chain-dp"]
    monkeypatch.setattr(starting, "missing", lambda tasks: [])
    assert not starting.to_compile(problem)


def test_equal_shares_stand_in_where_they_are_a_valid_plan() -> None:
    problem = Problem(chain_graph(12), Pipeline(3))
    found = starting.stand_in(problem)
    assert found.planner == starting.EVEN_CUT and problem.evaluate(found.device_of).valid
    assert sorted(set(found.device_of.tolist())) == [0, 1, 2]
    tight = Problem(chain_graph(12), TOO_SMALL)
    assert starting.stand_in(tight).planner == "" and not starting.stand_in(tight).device_of.any()


def test_why_there_is_no_plan_comes_before_one_is_made() -> None:
    tight = Problem(chain_graph(12), TOO_SMALL)
    conflict = starting.plan_or_conflict(tight, doubtful=True)
    assert not isinstance(conflict, starting.StartPlan) and conflict.sentence
    assert isinstance(starting.plan_or_conflict(tight, doubtful=False), starting.StartPlan)
