"""The plan that a model opens with: as far as a planner comes in a moment of processor time."""

from __future__ import annotations

import pytest

from gui.document.plan import opening
from planner.formats import read_graph
from planner.machines.pipeline.target import Pipeline
from planner.model.samples import sample
from planner.problem.problem import Problem
from tests.gui.models import chain_graph


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


def test_what_a_model_opens_with_is_evaluated_before_the_window_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    opened = opening.prepare_graph(chain_graph(12), target=Pipeline(3))
    problem = opened.problem
    monkeypatch.setattr(problem.evaluator, "evaluate", None)
    assert problem.evaluate(opened.device_of).valid
