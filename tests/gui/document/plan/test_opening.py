"""The plan that a model opens with: as far as a planner comes in a moment of processor time."""

from __future__ import annotations

import pytest

from gui.document.plan import opening
from planner.formats import read_graph
from planner.machines.pipeline.target import Pipeline
from planner.model.samples import sample
from planner.problem.problem import Problem


def test_a_planner_that_cannot_prove_its_plan_soon_is_cut_by_processor_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Without it the start would take hours here: on a busy machine a second of the clock is hardly any work, on an idle one all of it."""
    monkeypatch.setattr(opening, "START_LIMIT", 10_000.0)
    monkeypatch.setattr(opening, "START_CPU", 0.2)
    problem = Problem(opening.with_times(read_graph(sample("bert_large.json"))), Pipeline(4))
    device_of, planner, bounds = opening.start_plan(problem)
    assert planner == "chain-dp" and not problem.evaluator.violations(device_of)
    assert problem.evaluate(device_of).components["bottleneck"] > max((b.value for b in bounds), default=0.0)


def test_a_plan_that_is_proven_soon_is() -> None:
    problem = Problem(opening.with_times(read_graph(sample("resnet50.json"))), Pipeline(4))
    device_of, planner, bounds = opening.start_plan(problem)
    assert planner == "chain-dp"
    best = problem.evaluate(device_of).components["bottleneck"]
    assert max(bound.value for bound in bounds) == pytest.approx(best)
