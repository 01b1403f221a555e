"""A planner that finds nothing is doubted: a proof beside it ends it, and says what would help."""

from __future__ import annotations

from collections.abc import Generator
from types import SimpleNamespace
from typing import Any

import pytest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from gui.background.doubting import PATIENCE
from gui.editors.plan.editor import MainWindow
from planner.feasibility import Explanation
from planner.problem.problem import Pin
from planner.processes.question import Answer
from tests.gui.mcm_models import opened_on_package
from tests.gui.window_parts import make_window, settle

WHY = Explanation(
    "infeasible", "conv_2 leads to conv_9, but is pinned to a later chip.", (2, 9), ("order",), ()
)
PINS = (Pin("n2", "chip 3"), Pin("n9", "chip 0"))


class Told:
    """A process that has its answer at once."""

    answer = Answer(WHY)
    made = 0

    def __init__(self, *arguments: object, **named: object) -> None:
        type(self).made += 1

    def poll(self) -> Answer | None:
        return self.answer

    def close(self) -> None:
        pass


@pytest.fixture
def window(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> Generator[MainWindow]:
    """A window whose plan breaks rules, on a package with pins that contradict each other."""
    Told.made = 0
    monkeypatch.setattr("gui.background.asking.Aside", Told)
    document = opened_on_package()
    document.change_problem(document.board.open_problem.with_constraints(PINS), "Pin")
    window, close = make_window(qtbot, document)
    assert not document.evaluation.valid
    yield window
    close()


def job(window: MainWindow, **more: Any) -> Any:
    """A planner that has looked long enough, without a plan."""
    said: dict[str, Any] = {
        "components": None, "infeasible": False, "state": "running", "alive": True, "seconds": PATIENCE + 1, "title": "Search",
        "order": SimpleNamespace(is_bound=False), "problem": window.document.problem, "entry": None, "found_none": False,
    }  # fmt: skip
    return SimpleNamespace(**{**said, **more})


def test_a_planner_without_a_plan_is_ended_where_there_is_none(
    qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended: list[object] = []
    monkeypatch.setattr(window.jobs, "cancel", ended.append)
    doubted = job(window)
    window.mending.doubting.job_changed(doubted)
    qtbot.waitUntil(lambda: not window.mending.doubting.running)
    assert ended == [doubted]
    assert window.notice.text == "Search was stopped: there is no valid plan, which is proven."
    window.mending.doubting.job_changed(doubted)
    assert Told.made == 1, "the answer is known"
    window.notice._action.click()
    settle()
    dialog = window.mending.dialog
    assert dialog is not None
    assert dialog.heading.text() == "There is no valid plan: proven"
    assert Told.made == 1


@pytest.mark.parametrize(
    "state",
    [
        {"seconds": PATIENCE / 2},
        {"components": (1.0,)},
        {"alive": False, "state": "done"},
        {"order": SimpleNamespace(is_bound=True)},
        {"problem": None},
    ],
)
def test_others_are_left_alone(window: MainWindow, state: dict[str, Any]) -> None:
    window.mending.doubting.job_changed(job(window, **state))
    assert not window.mending.doubting.running
    assert Told.made == 0


def test_a_plan_ends_the_doubts(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Told, "answer", None)
    doubted = job(window)
    window.mending.doubting.job_changed(doubted)
    assert window.mending.busy
    doubted.components = (1.0,)
    window.mending.doubting.job_changed(doubted)
    assert not window.mending.busy


def test_doubts_that_were_cut_short_come_back(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Told, "answer", None)
    doubting, first = window.mending.doubting, job(window)
    doubting.job_changed(first)
    first.state, first.alive = "cancelled", False
    doubting.job_changed(first)
    assert not doubting.running
    doubting.job_changed(job(window))
    assert doubting.running, "nobody knows yet whether there is a plan"
    window.document.pin([0], 1)
    assert not doubting.running
    window.document.undo_stack.undo()
    doubting.job_changed(job(window))
    assert doubting.running
    assert Told.made == 3


def test_a_planner_that_ends_without_a_plan_says_so(qtbot: QtBot, window: MainWindow) -> None:
    window.job_ended(job(window, found_none=True, state="done", alive=False))
    assert window.notice.text == "Search found no valid plan."
    offered = [b for b in window.notice.findChildren(QPushButton) if b.text() == "Is there a valid plan?"]
    offered[0].click()
    assert window.mending.dialog is not None
