"""The violations panel and what is asked from it, where an op fits no chip: the reason at once, before any search."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace

import pytest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from gui.editors.plan.editor import MainWindow
from planner.machines.mcm.target import McmPackage
from tests.gui.background.test_infeasible import Silent, Told
from tests.gui.mcm_models import opened_on_package
from tests.gui.window_parts import make_window, settle

MIB = 2.0**20


@pytest.fixture
def crowded(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> Generator[MainWindow]:
    """A window on a package whose chips hold less than one op; the explanation never comes."""
    monkeypatch.setattr("gui.background.asking.Aside", Silent)
    document = opened_on_package()
    problem = document.board.open_problem
    largest = float(problem.evaluator.params.max())
    assert largest > 1.0
    document.change_problem(replace(problem, target=McmPackage(16, sram=largest / 2)), "Smaller chips")
    document.undo_stack.clear()
    window, close = make_window(qtbot, document)
    window.docks.reveal("violations")
    settle()
    yield window
    close()


def test_the_panel_says_why_no_plan_can_be_valid(crowded: MainWindow) -> None:
    panel = crowded.violations
    said = panel.list.item(0).text()
    assert said.startswith("No plan can keep all rules:") and "needs 1.00 MiB (1.00 MiB parameters" in said
    assert "no device it may be on holds more than" in said
    assert panel.list.count() == len(crowded.document.evaluation.violations) + 1
    panel.list.itemClicked.emit(panel.list.item(0))
    graph = crowded.document.board.open_problem.graph
    alone = {graph.op_names[v] for v in crowded.document.selection.tolist()}
    assert said.partition(" needs ")[0].rpartition(" ")[2] in alone and len(alone) == 12, "and 11 more"
    assert panel.why.text() == "What would help?" and not panel.repair.isVisible()
    crowded.document.change_problem(
        replace(crowded.document.board.open_problem, target=McmPackage(16, check_memory=False)), "No limit"
    )
    settle()
    assert not any("No plan can" in panel.list.item(i).text() for i in range(panel.list.count()))


def test_the_dialog_has_the_proof_before_it_has_remedies(crowded: MainWindow) -> None:
    crowded.violations.why.click()
    settle()
    dialog = crowded.mending.dialog
    assert dialog is not None and crowded.mending.checking.busy
    assert dialog.heading.text() == "There is no valid plan: proven"
    assert "holds more than" in dialog.sentence.text() and dialog.ops.count() == 12
    assert dialog.busy.isVisible() and dialog.remedies_title.text() == "Trying out what would help …"
    assert "Cancel" in {b.text() for b in dialog.findChildren(QPushButton) if b.isVisible()}


def test_repair_says_it_too_and_offers_what_would_help(qtbot: QtBot, crowded: MainWindow) -> None:
    crowded.actions_set["plan.repair"].trigger()
    qtbot.waitUntil(lambda: not crowded.mending.repairing.busy)
    settle()
    said = crowded.notice._text.text()
    assert "There is no valid plan at all" in said
    assert "holds more than" in said
    assert crowded.notice._action.text() == "What would help?"


def test_remedies_take_the_place_of_the_search(
    qtbot: QtBot, crowded: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gui.background.asking.Aside", Told)
    crowded.violations.why.click()
    qtbot.waitUntil(lambda: not crowded.mending.checking.busy)
    settle()
    dialog = crowded.mending.dialog
    assert dialog is not None and not dialog.busy.isVisible()
    assert dialog.remedies_title.text().startswith("What would help (")
