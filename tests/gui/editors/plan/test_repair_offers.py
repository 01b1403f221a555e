"""What is proven to have no valid plan is said at once, kept with the problem, and not asked about again."""

from __future__ import annotations

import math
from collections.abc import Generator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from gui.document.plan import board
from gui.editors.plan.editor import MainWindow
from planner.errors import StageboardError
from planner.feasibility import Remedy
from planner.machines.mcm.target import McmPackage
from planner.machines.pipeline.target import Pipeline
from planner.methods.simulation import SimulationReport
from planner.processes.question import Answer
from planner.runs import start_plan as starting
from planner.runs.start_plan import StartPlan
from tests.gui.background.test_doubting import Told, job
from tests.gui.background.test_infeasible import WHY
from tests.gui.mcm_models import MIB, row_graph
from tests.gui.window_parts import make_window, opened, settle

TOO_SMALL = McmPackage(16, sram=MIB / 2)
"""No op of the row, 1 MiB each, fits a chip."""


@pytest.fixture
def window(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> Generator[MainWindow]:
    """The row on a pipeline, with a valid plan."""
    monkeypatch.setattr(Told, "made", 0)
    monkeypatch.setattr(Told, "answer", Answer(WHY))
    monkeypatch.setattr("gui.background.asking.Aside", Told)
    document = opened()
    window, close = make_window(qtbot, document)
    document.open_graph(row_graph(), target=Pipeline(4))
    assert document.evaluation.valid
    yield window
    close()


def planned(qtbot: QtBot, window: MainWindow) -> None:
    """Whatever is done beside the window after a change of the machine is done."""
    qtbot.waitUntil(lambda: not window.planning_anew.busy, timeout=60_000)
    settle()


@pytest.fixture
def hopeless(qtbot: QtBot, window: MainWindow) -> MainWindow:
    """The window after a step to a package whose chips are too small."""
    window.document.set_problem(TOO_SMALL)
    planned(qtbot, window)
    return window


def test_a_machine_without_a_valid_plan_is_said_at_once(hopeless: MainWindow) -> None:
    said = hopeless.notice.text
    assert said.startswith("Carried over to a multi-chip module of 16 chips: ")
    assert "No plan can be valid: conv_" in said and "no device it may be on holds more than" in said
    assert hopeless.notice._action.text() == "What would help?"
    bound = hopeless.document.bound
    assert bound is not None and math.isinf(bound.value) and bound.method == "feasibility"


def test_it_is_said_on_opening(qtbot: QtBot, window: MainWindow) -> None:
    window.document.open_graph(row_graph(), target=TOO_SMALL)
    planned(qtbot, window)
    assert window.notice.text.startswith("No plan can be valid: conv_")
    assert window.document.board.infeasible


def test_the_window_offers_no_repair_of_what_cannot_be_repaired(hopeless: MainWindow) -> None:
    strip = hopeless.readouts
    strip.refresh_now()
    assert strip.rules.value == "broken" and strip.rules.note == "infeasible, proven"
    assert strip.bound.value == "infeasible"
    assert strip.repair.isHidden() and not strip.help.isHidden()
    assert "valid plans" not in strip.bound.note
    hopeless.why.refresh_now()
    assert hopeless.why.step.text().startswith("No plan can be valid: proven. See what would help")
    hopeless.violations.refresh_now()
    assert hopeless.violations.why.text() == "What would help?" and hopeless.violations.repair.isHidden()
    panel = hopeless.suggestions
    panel.refresh_now()
    assert not panel.moves and panel.state.text() == "No plan can be valid: proven."
    assert panel.mend.text() == "What would help?" and not panel.mend.isHidden()
    panel.mend.click()
    assert hopeless.mending.dialog is not None


def test_an_explanation_is_looked_for_once(qtbot: QtBot, hopeless: MainWindow) -> None:
    for _ in range(2):
        hopeless.readouts.help.click()
        qtbot.waitUntil(lambda: not hopeless.mending.checking.busy)
        settle()
        dialog = hopeless.mending.dialog
        assert dialog is not None and dialog.remedies_title.text().startswith("What would help (")
        dialog.close()
        settle()
    assert Told.made == 1
    hopeless.document.undo_stack.undo()
    assert not hopeless.document.board.infeasible
    hopeless.document.undo_stack.redo()
    assert hopeless.document.board.infeasible
    hopeless.mending.explain()
    assert Told.made == 1 and hopeless.mending.dialog is not None


def test_planners_do_not_ask_what_is_known(hopeless: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    hopeless.job_ended(job(hopeless, found_none=True, state="done", alive=False))
    said = hopeless.notice.text
    assert said.startswith("Search found no valid plan: there is none, which is proven: conv_")
    assert hopeless.notice._action.text() == "What would help?"
    ended: list[Any] = []
    monkeypatch.setattr(hopeless.jobs, "cancel", ended.append)
    doubted = job(hopeless)
    hopeless.mending.doubting.job_changed(doubted)
    assert ended == [doubted] and Told.made == 0
    assert hopeless.notice.text == "Search was stopped: there is no valid plan, which is proven."


def test_repair_repeats_what_is_known(hopeless: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hopeless.mending.repairing, "repair", lambda: pytest.fail("it is known"))
    hopeless.actions_set["plan.repair"].trigger()
    assert hopeless.notice.text.startswith("There is no valid plan at all: conv_")


def test_what_repair_proves_is_kept(
    qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        error = StageboardError("there is no valid plan at all")
        error.proven = True  # type: ignore[attr-defined]
        raise error

    for look in (
        "gui.editors.plan.planning_anew.conflict_of",
        "gui.editors.plan.planning_anew.conflict_at_once",
        "planner.runs.start_plan.conflict_of",
    ):
        monkeypatch.setattr(look, lambda problem: None)
    monkeypatch.setattr("planner.repair.repair", fail)
    window.document.set_problem(TOO_SMALL)
    planned(qtbot, window)
    assert not window.document.board.infeasible
    window.mending.repair()
    qtbot.waitUntil(lambda: not window.mending.repairing.busy)
    settle()
    assert window.document.board.infeasible
    assert window.notice._action.text() == "What would help?"


def test_a_notice_about_a_problem_goes_with_it(qtbot: QtBot, hopeless: MainWindow) -> None:
    document = hopeless.document
    for tell in (
        lambda: hopeless.mending.found_none(SimpleNamespace(title="Search")),  # type: ignore[arg-type]
        lambda: hopeless.mending.proven_infeasible("The race"),
        hopeless.mending.repair,
    ):
        tell()
        document.move([0], 1)
        assert hopeless.notice.isVisible(), "it is as true of this plan"
        document.undo_stack.undo()
        assert hopeless.notice.isVisible()
        document.undo_stack.undo()
        settle()
        assert document.evaluation.valid and not hopeless.notice.isVisible()
        document.undo_stack.redo()
        settle()


def test_broken_rules_are_repaired_before_moves_are_made(qtbot: QtBot, window: MainWindow) -> None:
    document = window.document
    document.move([11], 0)
    panel = window.suggestions
    panel.search_now()
    assert not document.evaluation.valid
    assert not panel.mend.isHidden() and panel.mend.text() == "Repair"
    assert "repair" in panel.state.text().lower()
    panel.mend.click()
    qtbot.waitUntil(lambda: not window.mending.repairing.busy)
    settle()
    assert document.evaluation.valid
    panel.search_now()
    assert panel.mend.isHidden()


def test_a_plan_is_made_anew_after_a_remedy(qtbot: QtBot, hopeless: MainWindow) -> None:
    document = hopeless.document
    document.set_assignment(np.zeros(12, np.int32), "edit", "all on one chip")
    left, steps = document.active, document.undo_stack.count()
    roomy = McmPackage(4, sram=16 * MIB)
    hopeless.mending.explain()
    hopeless.mending.take(Remedy("Give every chip 16 MiB", "every op has room then", roomy))
    dialog = hopeless.mending.dialog
    assert dialog is not None and "A plan is made anew" in dialog.sentence.text()
    # The plan is on its way: there is nothing to repair, and none to show instead.
    assert not dialog.repair.isVisible() and not dialog.show_plan.isVisible()
    planned(qtbot, hopeless)
    # What is said is about this plan, not about the one that was found with the remedy.
    held = document.evaluation.memory
    fullest = f"The plan on the canvas is valid now: in it Chip {int(np.argmax(held))} is the fullest, with "
    assert dialog.sentence.text().startswith(fullest)
    assert not dialog.repair.isVisible() and not dialog.show_plan.isVisible()
    assert document.open_problem.target == roomy and document.evaluation.valid
    assert document.active is not None and document.active.planner
    assert len(set(document.device_of.tolist())) == 4
    assert document.undo_stack.count() == steps + 1 and left in document.plans
    assert document.undo_stack.undoText() == "Give every chip 16 MiB"
    assert hopeless.notice.text.startswith("Planned anew for a multi-chip module of 4 chips: ")
    document.undo_stack.undo()
    assert document.active is left and document.open_problem.target == TOO_SMALL


def test_a_remedy_is_not_said_to_be_enough_where_the_plan_does_not_run(
    qtbot: QtBot, hopeless: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = hopeless.document
    said = SimulationReport(
        [("simulated", "does not run: chip 0 has no place")], {}, False, "Plan with less."
    )
    even = np.arange(12, dtype=np.int32) * 4 // 12
    hopeless.mending.explain()
    monkeypatch.setattr(board, "stuck", lambda *_: said)
    hopeless.mending.take(
        Remedy("Use 4 chips", "every op has room then", McmPackage(4, sram=5 * MIB), None, True, even)
    )
    planned(qtbot, hopeless)
    dialog = hopeless.mending.dialog
    assert document.evaluation.valid and dialog is not None
    assert "is valid now" in dialog.sentence.text()
    assert "Simulated, it does not run: chip 0 has no place." in dialog.sentence.text()
    assert dialog.heading.property("role") == "warning"


def test_the_plan_that_a_remedy_brings_is_taken_where_no_planner_finds_one(
    qtbot: QtBot, hopeless: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = hopeless.document
    none = StartPlan(np.zeros(12, np.int32), "")
    monkeypatch.setattr(starting, "start_plan", lambda *_: none)
    even = np.arange(12, dtype=np.int32) * 4 // 12
    hopeless.mending.explain()
    hopeless.mending.take(
        Remedy("Use 4 chips", "every op has room then", McmPackage(4, sram=5 * MIB), None, True, even)
    )
    planned(qtbot, hopeless)
    dialog = hopeless.mending.dialog
    assert document.evaluation.valid and document.device_of.tolist() == even.tolist()
    assert dialog is not None and "The plan on the canvas is valid now" in dialog.sentence.text()
    assert document.undo_stack.undoText() == "Use 4 chips"
    # What is left to say has little room, so that the canvas is seen again.
    qtbot.waitUntil(lambda: dialog.height() < 300)
    settle()
    assert dialog._inside.heightForWidth(dialog._area.viewport().width()) <= dialog._area.viewport().height()
