"""What a model opens with."""

from __future__ import annotations

import pytest

from gui.document.plan import opening
from planner.machines.pipeline.target import Pipeline
from tests.gui.models import chain_graph


def test_what_a_model_opens_with_is_evaluated_before_the_window_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    opened = opening.prepare_graph(chain_graph(12), target=Pipeline(3))
    problem = opened.problem
    monkeypatch.setattr(problem.evaluator, "evaluate", None)
    assert problem.evaluate(opened.device_of).valid
