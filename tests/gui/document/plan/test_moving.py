"""Moving ops: one step, its readouts, what goes along, and where it breaks rules."""

from __future__ import annotations

import numpy as np
import pytest

from gui.document.plan.document import Document
from planner.errors import StageboardError
from planner.machines.pool.target import DevicePool
from tests.gui.document.plan.steps import heard
from tests.gui.models import chain_graph

pytestmark = pytest.mark.usefixtures("qapp")


def test_a_move_is_one_step_with_its_readouts(document: Document) -> None:
    log = heard(document, "plans_changed", "decision_changed", "readouts_changed", "modified_changed")
    start = document.active
    assert start is not None
    first = int(document.device_of[5])
    assert document.move([5], 2)
    assert document.device_of[5] == 2
    assert document.undo_stack.count() == 1
    assert document.undo_stack.undoText() == "Move block1/relu_5 to Stage 2"
    assert [name for name, _ in log] == [
        "decision_changed",
        "readouts_changed",
        "plans_changed",
        "modified_changed",
    ]
    assert log[0][1].ops.tolist() == [5]
    assert document.active is not None
    assert document.active.origin == "hand"
    assert document.active.name == f"{start.name}, edited"
    assert document.active.objective == document.evaluation.objective
    assert start.device_of[5] == first
    assert document.modified
    assert not document.move([5], 2)
    assert document.undo_stack.count() == 1
    document.undo_stack.undo()
    assert document.active is start
    assert len(document.plans) == 1
    assert not document.modified


def test_readouts_equal_a_fresh_evaluation_after_many_moves(document: Document) -> None:
    assert document.problem is not None
    rng = np.random.default_rng(1)
    for _ in range(60):
        document.move(rng.choice(12, rng.integers(1, 4), replace=False), int(rng.integers(3)))
    fresh = document.problem.evaluate(document.device_of)
    assert document.evaluation.objective == pytest.approx(fresh.objective, rel=1e-12)
    assert [v.sentence for v in document.evaluation.violations] == [v.sentence for v in fresh.violations]
    assert document.status_text == ("valid" if fresh.valid else document.status_text)


def test_an_illegal_move_is_made_and_shown_as_broken(document: Document) -> None:
    document.set_assignment(np.repeat([0, 1, 2], 4), "edit", "thirds")
    document.move([0], 2)
    assert document.status_text == "2 violations"
    assert document.gap is None
    assert "sends back from stage 2 to stage 0" in document.evaluation.violations[0].sentence
    document.undo_stack.undo()
    assert document.status_text == "valid"


def test_moving_along_keeps_the_rules(document: Document) -> None:
    document.set_assignment(np.repeat([0, 1, 2], 4), "edit", "thirds")
    preview = document.begin_preview([8])
    assert preview is not None
    document.update_preview(0)
    along = preview.along
    assert 8 not in along
    assert document.move([8], 0, along=True)
    assert document.undo_stack.count() == 2
    assert document.evaluation.valid
    assert set(along.tolist()) == set(np.flatnonzero(document.device_of == 0).tolist()) - {0, 1, 2, 3, 8}
    assert document.preview is None  # a step ends the preview


def test_colocated_ops_move_together() -> None:
    document = Document()
    document.open_graph(chain_graph(), target=DevicePool(accelerators=2, cpus=1))
    assert document.moving_set([2]).tolist() == [2, 3]
    device = (int(document.device_of[2]) + 1) % 3
    document.move([2], device)
    assert document.device_of[[2, 3]].tolist() == [device, device]


def test_unknown_devices_are_refused(document: Document) -> None:
    for device in (-1, 3):
        with pytest.raises(StageboardError, match="devices 0 to 2"):
            document.move([0], device)
