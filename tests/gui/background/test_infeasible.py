"""Is there a valid plan? The dialog says so, leads to the ops responsible, and makes each remedy one step."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QPushButton
from pytestqt.qtbot import QtBot

from gui.background.infeasible import RULE_WORDS, Checking, rule_text, status_text
from gui.editors.plan.editor import MainWindow
from gui.editors.plan.infeasible_dialog import FeasibilityDialog
from gui.words.objectives import components_shortly
from planner.feasibility import Explanation, Remedy
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.mcm.target import McmPackage
from planner.machines.pool.target import DevicePool
from planner.problem.problem import Pin, Problem, Together
from planner.processes.question import Answer
from tests.gui.mcm_models import opened_on_package, package_problem
from tests.gui.models import tpu_graph
from tests.gui.window_parts import make_window, settle

EVEN = np.arange(12, dtype=np.int32) * 4 // 12
PINS = (Pin("n2", "chip 3"), Pin("n9", "chip 0"))
WHY = Explanation(
    "infeasible", "conv_2 leads to conv_9, but is pinned to a later chip.", (2, 9),
    ("order", "pin:n2=chip 3", "pin:n9=chip 0"),
    (
        Remedy("Remove the pin of conv_2", "Then conv_2 can go before conv_9.", None, PINS[1:], True, np.zeros(12, np.int32)),
        Remedy("Use 2 chips", "Fewer chips are easier to fill.", McmPackage(2), (), False),
    ),
)  # fmt: skip


class Told:
    """A process that has its answer at once."""

    answer = Answer(WHY)

    def __init__(self, *arguments: object, **named: object) -> None:
        self.closed = False

    def poll(self) -> Answer | None:
        return self.answer

    def close(self) -> None:
        self.closed = True


class Silent(Told):
    """One that has none yet."""

    def poll(self) -> Answer | None:
        return None


@pytest.fixture
def pinned(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> Generator[MainWindow]:
    """A window on a package with pins that contradict each other; the explanation is at hand."""
    monkeypatch.setattr("gui.background.asking.Aside", Told)
    document = opened_on_package()
    document.change_problem(document.board.open_problem.with_constraints(PINS), "Pin")
    document.undo_stack.clear()
    window, close = make_window(qtbot, document)
    yield window
    close()


def shown_dialog(qtbot: QtBot, window: MainWindow) -> FeasibilityDialog:
    window.actions_set["plan.feasible"].trigger()
    qtbot.waitUntil(lambda: not window.mending.checking.busy)
    settle()
    assert window.mending.dialog is not None
    return window.mending.dialog


def buttons(dialog: FeasibilityDialog) -> dict[str, QPushButton]:
    return {b.text(): b for b in dialog.findChildren(QPushButton) if b.isVisible()}


def test_it_says_what_stands_in_the_way(qtbot: QtBot, pinned: MainWindow) -> None:
    dialog = shown_dialog(qtbot, pinned)
    assert dialog.heading.text() == "There is no valid plan: proven"
    assert dialog.sentence.text() == WHY.sentence
    assert "pin: conv_2 on Chip 3" in dialog.rules.text()
    assert "only sends to later ones" in dialog.rules.text()
    assert [dialog.ops.item(i).text() for i in range(dialog.ops.count())] == ["conv_2", "conv_9"]
    dialog.ops.itemClicked.emit(dialog.ops.item(1))
    assert pinned.document.selection.tolist() == [9]
    buttons(dialog)["Select them all"].click()
    assert pinned.document.selection.tolist() == [2, 9]
    said = " ".join(label.text() for label in dialog.findChildren(QLabel))
    assert "not settled in the time given" in said
    assert "Start a planner" not in buttons(dialog)


def test_one_op_needs_no_list_of_many(
    qtbot: QtBot, pinned: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    tall = shown_dialog(qtbot, pinned).ops.height()
    pinned.document.undo_stack.clear()
    pinned.document.unpin([9])
    monkeypatch.setattr(Told, "answer", Answer(replace(WHY, ops=(2,), rules=("memory",))))
    dialog = shown_dialog(qtbot, pinned)
    assert dialog.ops_title.text() == "1 op responsible; click it to go there"
    assert dialog.rules.text().startswith("What rules every plan out:")
    assert not dialog.all_ops.isVisible()
    assert dialog.ops.height() < tall
    assert dialog.ops.verticalScrollBar().maximum() == 0


def test_a_remedy_is_one_step(qtbot: QtBot, pinned: MainWindow) -> None:
    document = pinned.document
    dialog = shown_dialog(qtbot, pinned)
    buttons(dialog)["Remove the pin of conv_2"].click()
    settle()
    assert document.board.open_problem.constraints == PINS[1:]
    assert document.device_of.tolist() == EVEN.tolist()
    assert document.undo_stack.count() == 1
    assert document.undo_stack.undoText() == "Remove the pin of conv_2"
    assert pinned.mending.dialog is dialog
    assert dialog.heading.text() == "Done: Remove the pin of conv_2"
    assert "this plan has 1 violation" in pinned.notice.text
    found = buttons(dialog)["Show the plan found"]
    assert found.objectName() == "primary" and buttons(dialog)["Start a planner"].objectName() == ""
    found.click()
    assert document.device_of.tolist() == [0] * 12
    assert document.evaluation.valid
    assert document.active is not None
    assert document.active.name == "Valid plan found"
    document.undo_stack.undo()
    document.undo_stack.undo()
    assert document.board.open_problem.constraints == PINS
    settle()
    assert dialog.heading.text() == "The problem has changed"
    buttons(dialog)["Check again"].click()
    assert not pinned.mending.checking.busy, "it is known"
    assert dialog.sentence.text() == WHY.sentence


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space])
def test_a_remedy_is_chosen_by_keys(qtbot: QtBot, pinned: MainWindow, key: Qt.Key) -> None:
    dialog = shown_dialog(qtbot, pinned)
    button = buttons(dialog)["Remove the pin of conv_2"]
    dialog.activateWindow()
    button.setFocus()
    QTest.keyClick(button, key)
    assert pinned.document.board.open_problem.constraints == PINS[1:]
    assert dialog.heading.text() == "Done: Remove the pin of conv_2"


def test_a_remedy_that_changes_the_machine(qtbot: QtBot, pinned: MainWindow) -> None:
    document = pinned.document
    dialog = shown_dialog(qtbot, pinned)
    buttons(dialog)["Use 2 chips"].click()
    assert document.board.open_problem.target == McmPackage(2)
    assert not document.board.open_problem.constraints
    assert document.device_of.max() == 1, "ops of chips that are gone go to the last one"
    document.undo_stack.undo()
    assert document.board.open_problem.target == McmPackage(4)
    assert document.device_of.tolist() == EVEN.tolist()


def test_a_remedy_that_does_not_fit_is_told(qtbot: QtBot, pinned: MainWindow) -> None:
    pinned.mending.take(Remedy("Pin", "", None, (Pin("nothing", "chip 0"),), True))
    assert "nothing" in pinned.notice.text
    assert pinned.document.undo_stack.count() == 0


def test_a_valid_plan_can_be_had(qtbot: QtBot, pinned: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    found = Explanation("feasible", "All ops fit on chip 0.", device_of=np.zeros(12, np.int32))
    monkeypatch.setattr(Told, "answer", Answer(found))
    dialog = shown_dialog(qtbot, pinned)
    assert dialog.heading.text() == "There is a valid plan"
    cost = components_shortly(
        pinned.document.open_problem, pinned.document.open_problem.evaluate(np.zeros(12, np.int32)).values
    )
    assert dialog.sentence.text() == (
        f"All ops fit on chip 0. The plan found has {cost}; a planner may find a better one."
    )
    assert {"Repair the plan", "Show the plan found", "Start a planner"} <= set(buttons(dialog))
    started: list[bool] = []
    monkeypatch.setattr(pinned.planners, "start", lambda: started.append(True))
    buttons(dialog)["Start a planner"].click()
    assert started and pinned.mending.dialog is None, "nothing hides the canvas on which the plan appears"


def test_no_answer_is_told(qtbot: QtBot, pinned: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Told, "answer", Answer(sentence="it failed unexpectedly (KeyError: 3)"))
    dialog = shown_dialog(qtbot, pinned)
    assert dialog.heading.text() == "No answer"
    assert "KeyError" in dialog.sentence.text()


def test_closing_ends_the_search(qtbot: QtBot, pinned: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gui.background.asking.Aside", Silent)
    pinned.mending.explain()
    assert pinned.mending.busy
    dialog = pinned.mending.dialog
    assert dialog is not None
    assert dialog.busy.isVisible()
    buttons(dialog)["Cancel"].click()
    assert not pinned.mending.checking.busy
    assert pinned.mending.dialog is None
    pinned.mending.explain()
    pinned.document.change_problem(package_problem(), "Free")
    assert not pinned.mending.checking.busy, "it was about another problem"


def test_a_job_that_proves_it_offers_the_reason(qtbot: QtBot, pinned: MainWindow) -> None:
    problem = pinned.document.problem
    pinned.job_ended(SimpleNamespace(infeasible=True, problem=problem, title="CP-SAT", entry=None))
    assert pinned.notice.text == "CP-SAT: there is no valid plan, which is proven."
    pinned.notice._action.click()
    assert pinned.mending.dialog is not None


def test_rules_and_constraints_in_words() -> None:
    problem = package_problem()
    assert rule_text(problem, "rule:triangle") == RULE_WORDS["triangle"].format(one="chip")
    assert rule_text(problem, "memory") == "memory: parameters and peak activations fit the chip"
    pool = Problem(problem.graph, DevicePool(2, 1, memory=(2.0**20,) * 3))
    assert rule_text(pool, "memory") == "memory: parameters and outputs fit the device"
    assert rule_text(problem, "pin:n3=chip 1") == "pin: conv_3 on Chip 1"
    stages = Problem(tpu_graph(), EdgeTpuPipeline(3))
    assert rule_text(stages, "order") == "order: a stage only sends to later ones"
    for rule in RULE_WORDS:
        assert "chip" not in rule_text(stages, rule) and "{" not in rule_text(stages, rule)
    ops = Together(tuple(f"n{i}" for i in range(5))).ops
    assert (
        rule_text(problem, "together:" + ",".join(ops)) == "keep together: conv_0, conv_1, conv_2 and 2 more"
    )
    assert rule_text(problem, "together:" + "\0".join(ops[:2])) == "keep together: conv_0, conv_1"
    assert rule_text(problem, "some_new-rule") == "some new rule"
    assert status_text("unknown").startswith("Not settled")


def test_a_real_explanation(qtbot: QtBot) -> None:
    document = opened_on_package()
    checking = Checking(document)
    document.change_problem(document.board.open_problem.with_constraints(PINS), "Pin")
    heard: list[Explanation] = []
    checking.found.connect(lambda _, explanation: heard.append(explanation))
    checking.start()
    qtbot.waitUntil(lambda: bool(heard), timeout=60_000)
    assert heard[0].status == "infeasible"
    assert {2, 9} <= set(heard[0].ops)
    assert heard[0].remedies
    checking.start()
    document.clear_constraints()
    assert not checking.busy
    checking.deleteLater()
    document.deleteLater()
