"""The document of a graph: what it is when nothing or a model is open, which bounds it shows, and what it answers."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from gui.document.plan.document import Document
from gui.document.values import DecisionChange
from planner.errors import ModelError, StageboardError
from planner.machines.pool.target import DevicePool
from planner.problem.bound import Bound
from tests.gui.document.plan.steps import heard, state
from tests.gui.models import chain_graph, write_model

pytestmark = pytest.mark.usefixtures("qapp")


def test_a_new_document_is_empty_and_says_so() -> None:
    document = Document()
    assert document.graph is None
    assert document.active is None
    assert document.gap is None
    assert document.status_text == "valid"
    assert document.title == "Stageboard"
    with pytest.raises(StageboardError, match="no model is open"):
        document.move([0], 1)
    with pytest.raises(StageboardError, match="no model is open"):
        document.find("conv")


def test_opening_gives_a_valid_plan_and_a_proven_bound(document: Document) -> None:
    assert document.evaluation.valid
    assert document.active is not None
    assert document.active.origin == "start"
    assert document.active.objective == document.evaluation.objective
    assert document.bound is not None
    # A chain has few ideals: what the first plan is worth is known to the end.
    assert document.bound.method == "chain-dp"
    assert document.gap == 0.0
    assert not document.modified
    assert not document.undo_stack.canUndo()


def test_opening_tells_everyone_once(document: Document) -> None:
    names = ("model_changed", "decision_changed", "readouts_changed", "plans_changed", "modified_changed")
    log = heard(document, *names)
    document.open_graph(chain_graph(9, "other"))
    assert [name for name, _ in log] == [
        "model_changed",
        "decision_changed",
        "readouts_changed",
        "plans_changed",
    ]
    change = log[1][1]
    assert isinstance(change, DecisionChange)
    assert (change.ops, change.reason) == (None, "load")
    assert document.title == "other"


def test_a_bad_file_leaves_the_document_alone(document: Document, tmp_path: Path) -> None:
    document.move([0], 2)
    before, log = state(document), heard(document, "model_changed", "decision_changed")
    bad = tmp_path / "bad.json"
    bad.write_text('{"nodes": [')
    for path in (bad, tmp_path / "missing.onnx"):
        with pytest.raises(ModelError):
            document.open_model(path)
    with pytest.raises(StageboardError):
        document.open_plan(bad)
    assert state(document) == before
    assert document.modified
    assert not log


def test_a_file_opens_with_its_own_machine(tmp_path: Path) -> None:
    document = Document()
    path = write_model(tmp_path)
    document.open_model(str(path))
    assert document.problem is not None
    assert document.problem.target == DevicePool(accelerators=3, cpus=1, memory=1000.0)
    assert document.paths == (path,)
    assert document.evaluation.valid


def test_only_bounds_that_apply_are_shown(document: Document) -> None:
    problem = document.problem
    assert problem is not None
    simple = document.bound
    assert simple is not None
    log = heard(document, "readouts_changed")
    best = document.evaluation.objective
    document.pin([0], 1)
    assert document.problem is not None
    pinned = document.problem
    mine = pinned.bound(pinned.objective, best, "test", pinned.assumptions)
    log.clear()
    document.add_bounds([mine])
    assert document.bound is mine
    assert len(log) == 1
    document.undo_stack.undo()
    assert document.bound is not None
    assert document.bound.method == "chain-dp"
    document.undo_stack.redo()
    assert document.bound is mine
    document.add_bounds([Bound(pinned.objective, 1e9, "other", "another problem")])
    assert document.bound is mine
    weaker = pinned.bound(pinned.objective, best * 0.8, "test", pinned.assumptions)
    count = len(document.bounds)
    document.add_bounds([weaker])
    assert len(document.bounds) == count


def test_questions(document: Document, qtbot: QtBot) -> None:
    rows, sentence = document.why_bottleneck()
    assert sum(value for _, value in rows) == pytest.approx(float(document.evaluation.cost.max()))
    assert "Stage" in sentence
    moves = document.best_moves(3)
    assert document.best_moves(3) == moves
    for best in moves:
        assert document.check(best.ops).objective[best.device] == pytest.approx(best.objective)
    assert document.find("kind:Conv").tolist() == [0, 3, 6, 9]
