"""Undo of everything restores, and redo repeats."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from gui.document.plan.document import Document
from planner.machines.pipeline.target import Pipeline
from tests.gui.document.plan.steps import STEPS, perform, state
from tests.gui.models import chain_graph

pytestmark = pytest.mark.usefixtures("qapp")


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(STEPS)
def test_undo_of_everything_restores_and_redo_repeats(actions: list[tuple[str, int]]) -> None:
    document = Document()
    document.open_graph(chain_graph(), target=Pipeline(count=3))
    document.add_plan(np.repeat([0, 1, 2], 4), "thirds")
    document.add_plan(np.repeat([0, 1], 6), "halves")
    first = state(document)
    perform(document, actions)
    last = state(document)
    assert document.problem is not None
    assert document.evaluation.objective == pytest.approx(
        document.problem.evaluate(document.device_of).objective
    )
    while document.undo_stack.canUndo():
        document.undo_stack.undo()
    assert state(document) == first
    assert not document.modified
    while document.undo_stack.canRedo():
        document.undo_stack.redo()
    index = document.undo_stack.index()
    document.undo_stack.setIndex(0)
    document.undo_stack.setIndex(index)
    again = state(document)
    if "undo" not in [name for name, _ in actions]:
        assert again == last
