"""Pins and groups that are kept together: each is a step, says where ops may go, and ends with the device that it names."""

from __future__ import annotations

import pytest

from gui.document.plan.document import Document
from gui.document.values import Message
from planner.errors import StageboardError, TargetError
from planner.machines.pipeline.target import Pipeline
from planner.problem.problem import Pin, Together
from tests.gui.document.plan.steps import heard, state

pytestmark = pytest.mark.usefixtures("qapp")


def test_pins_and_groups_are_steps(document: Document) -> None:
    assert document.problem is not None
    device = document.problem.devices[int(document.device_of[1])].name
    assert document.pin([1])
    assert document.problem.constraints == (Pin("n1", device),)
    assert not document.pin([1])
    assert document.pin([1], 2)
    assert document.problem.constraints == (Pin("n1", "stage 2"),)
    assert document.device_of[1] == 2
    document.keep_together([4, 5])
    document.keep_together([5, 6])
    assert document.problem.constraints[1:] == (Together(("n4", "n5", "n6")),)
    assert document.moving_set([4]).tolist() == [4, 5, 6]
    document.separate([5])
    assert document.problem.constraints[1:] == (Together(("n4", "n6")),)
    document.separate([4])
    assert document.problem.constraints == (Pin("n1", "stage 2"),)
    document.unpin([1])
    assert document.problem.constraints == ()
    assert document.plan_by("layer")
    assert not document.plan_by("layer")
    assert len(document.problem.constraints) == len(set(document.graph.layer.tolist()))
    assert document.moving_set([0]).tolist() == [0, 1, 2]
    document.clear_constraints()
    assert not document.clear_constraints()
    with pytest.raises(StageboardError, match="at least two"):
        document.keep_together([3])
    while document.undo_stack.canUndo():
        document.undo_stack.undo()
    assert document.problem.constraints == ()
    assert not document.modified


def test_a_pinned_op_shows_where_it_may_go(document: Document) -> None:
    document.pin([5])
    here = int(document.device_of[5])
    preview = document.check([5])
    assert [d for d in range(3) if preview.legal[d]] == [here]
    assert any("is pinned to" in reason for reason in preview.reasons((here + 1) % 3))


def test_another_target_keeps_what_it_can(document: Document) -> None:
    log = heard(document, "message", "problem_changed")
    document.pin([11], 2)
    before = state(document)
    log.clear()
    assert document.set_problem(Pipeline(count=2))
    assert document.problem is not None
    assert document.problem.constraints == ()
    assert document.device_of.max() <= 1
    assert [name for name, _ in log] == ["problem_changed", "message"]
    assert isinstance(log[1][1], Message)
    assert "block3/relu_11" in log[1][1].text
    document.undo_stack.undo()
    assert state(document) == before
    document.undo_stack.redo()
    assert len(document.problem.devices) == 2
    assert not document.set_problem(Pipeline(count=2))
    with pytest.raises(TargetError):
        document.set_problem(Pipeline(count=2), "latency")
