"""Closing a window with unsaved work: one question for plan and story, and what each answer does."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication, QFileDialog, QMessageBox
from pytestqt.qtbot import QtBot

from gui.shell.closing import IN_A_TAB, Closing, Unsaved, quit_all
from planner.machines.pipeline.target import Pipeline
from planner.plan_files.plan_parts import is_plan
from tests.gui.editors.network.models import shuffled_order
from tests.gui.editors.network.window_parts import order_window
from tests.gui.window_parts import answer, make_window, opened, settle

SAVE, DISCARD, CANCEL = (
    QMessageBox.StandardButton.Save, QMessageBox.StandardButton.Discard, QMessageBox.StandardButton.Cancel,
)  # fmt: skip


def test_plan_and_story_are_asked_about_at_once(qtbot: QtBot) -> None:
    document = opened()
    window, close = make_window(qtbot, document)
    document.move([3], 1)
    window.studio.capture_keyframe()
    settle()
    assert not window.close()
    question = window.closing.question
    assert question is not None
    assert question.text() == "Save the changes to the plan “Chain DP, edited” and the story?"
    assert question.defaultButton() is question.button(SAVE)
    assert not window.close() and window.closing.question is question  # a second try asks nothing new
    answer(window, CANCEL)
    assert window.isVisible() and document.modified and window.closing.question is None
    assert not window.close()
    answer(window, DISCARD)
    assert not window.isVisible()
    close()


def test_plans_of_the_list_that_are_by_hand_are_asked_about_too(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = opened()
    window, close = make_window(qtbot, document)
    document.move([3], 1)
    halves = document.add_plan(np.arange(12) // 6, "halves", origin="hand")
    thirds = document.add_plan(np.arange(12) // 4, "thirds", origin="hand")
    document.add_plan(np.arange(12) // 5, "found", planner="slice")
    document.save_plan(tmp_path / "canvas.plan.json")
    window.close()
    assert window.closing.question is not None
    assert window.closing.question.text() == "Save the changes to 2 plans edited by hand?"
    answer(window, CANCEL)
    asked: list[str] = []

    def ask(_window: object, title: str, *_: object) -> tuple[str, str]:
        asked.append(title)
        return str(tmp_path / f"{len(asked)}.plan.json"), ""

    monkeypatch.setattr(QFileDialog, "getSaveFileName", ask)
    assert window.files.save_entry(thirds)
    document.move([7], 2)
    window.close()
    assert (
        window.closing.question.text()
        == f"Save the changes to the plan “{document.active.name}” in canvas.plan.json and the plan “halves”?"
    )
    answer(window, SAVE)
    assert asked == ["Save 'thirds'", "Save 'halves'"]
    assert not halves.would_be_lost and not window.isVisible()
    close()


def test_plans_that_planners_found_are_asked_about_where_nothing_else_is(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Closing the window, or opening another model in it, loses them for good; one that a file has, by whatever name, is not lost."""
    document = opened()
    window, close = make_window(qtbot, document)
    document.save_plan(tmp_path / "canvas.plan.json")
    settle()
    found = document.add_plan(np.arange(12) // 5, "found", planner="slice")
    assert not window.close() and window.closing.question is not None
    assert window.closing.question.text() == "Save the plan “found”, which a planner found?"
    assert window.closing.question.informativeText() == "What is not saved is lost."
    answer(window, CANCEL)
    document.add_plan(np.arange(12) // 6, "more", planner="greedy")
    document.add_plan(document.device_of.copy(), "as saved", planner="greedy")
    assert not window.close() and window.closing.question is not None
    assert window.closing.question.text() == "Save 2 plans that planners found?"
    answer(window, CANCEL)
    assert not window.may_replace(lambda: None) and window.closing.question is not None
    assert window.closing.question.text() == "Save 2 plans that planners found?"
    answer(window, CANCEL)
    asked: list[str] = []

    def ask(_window: object, title: str, *_: object) -> tuple[str, str]:
        asked.append(title)
        return str(tmp_path / f"{len(asked)}.plan.json"), ""

    monkeypatch.setattr(QFileDialog, "getSaveFileName", ask)
    assert not window.close()
    answer(window, SAVE)
    assert asked == ["Save 'found'", "Save 'more'"] and found.kept is not None and not window.isVisible()
    close()


def test_the_story_and_what_planners_found_are_asked_about_at_once(qtbot: QtBot) -> None:
    window, close = make_window(qtbot, opened())
    window.document.add_plan(np.arange(12) // 5, "found", planner="slice")
    window.document.add_plan(np.arange(12) // 6, "more", planner="greedy")
    window.studio.capture_keyframe()
    settle()
    assert not window.close() and window.closing.question is not None
    assert window.closing.question.text() == "Save the changes to 2 plans that planners found and the story?"
    lost = "What is not saved is lost: “found”, “more” and the story."
    assert window.closing.question.informativeText() == lost
    answer(window, DISCARD)
    assert not window.isVisible()
    close()


def test_saving_closes_and_a_save_that_is_called_off_does_not(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = opened()
    window, close = make_window(qtbot, document)
    document.move([3], 1)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: ("", ""))
    window.close()
    answer(window, SAVE)
    assert window.isVisible() and document.modified
    path = tmp_path / "kept.plan.json"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    window.close()
    answer(window, SAVE)
    assert not window.isVisible() and is_plan(path)
    close()


def test_what_cannot_be_written_keeps_the_window(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = opened()
    window, close = make_window(qtbot, document)
    document.move([3], 1)
    gone = tmp_path / "gone" / "kept.plan.json"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(gone), ""))
    window.close()
    answer(window, SAVE)
    assert window.isVisible() and window.notice.level == "error"
    close()


def test_quitting_goes_on_from_window_to_window(qtbot: QtBot) -> None:
    document = opened()
    window, close = make_window(qtbot, document)
    document.move([3], 1)
    with order_window(qtbot) as network:
        network.document.set_order(
            shuffled_order(network.document.open_problem.network, 5), "Shuffle"
        )  # fmt: skip
        settle()
        quit_all()
        asked = [one for one in (window, network) if one.closing.question is not None]
        assert asked, "somebody asks"
        answer(asked[0], CANCEL)
        for one in asked[1:]:
            answer(one, CANCEL)
        assert window.isVisible() and network.isVisible(), "who cancels keeps all"
        quit_all()
        for _ in range(4):
            settle()
            for one in (window, network):
                if one.closing.question is not None:
                    answer(one, DISCARD)
        assert not window.isVisible() and not network.isVisible()
    close()


def test_who_opens_another_model_is_told_of_plans_for_other_machines_and_may_keep_them_in_a_tab(
    qtbot: QtBot,
) -> None:
    document = opened()
    window, close = make_window(qtbot, document)
    settle()
    document.set_problem(Pipeline(4))
    qtbot.waitUntil(lambda: not window.planning_anew.busy, timeout=60_000)
    five = document.active
    document.set_problem(Pipeline(3))
    qtbot.waitUntil(lambda: not window.planning_anew.busy, timeout=60_000)
    settle()
    document.move([int(document.device_of.argmax())], 1)
    done: list[str] = []
    assert not window.may_replace(lambda: done.append("here"), lambda: done.append("beside"))
    box = window.closing.question
    assert box is not None and five is not None
    told = box.informativeText()
    assert told.startswith("What is not saved is lost: ")
    assert (
        f"Plans for other machines go with the model, unless saved from Plans before: “{five.shown_name}”."
        in told
    )
    tab = next(button for button in box.buttons() if button.text() == IN_A_TAB)
    tab.click()
    settle()
    assert done == ["beside"] and window.isVisible()
    close()


def test_what_is_saved_is_not_asked_about(qtbot: QtBot) -> None:
    window, close = make_window(qtbot, opened())
    asked: list[int] = []
    closing = Closing(window, lambda: [])
    assert closing.may_close()
    assert closing.may_replace(lambda: asked.append(1), []) and not asked
    assert not closing.may_replace(lambda: asked.append(1), [Unsaved("the notes", lambda: True)])
    assert closing.question is not None
    closing.question.button(SAVE).click()
    settle()
    assert asked == [1] and not [
        w for w in QApplication.topLevelWidgets() if isinstance(w, QMessageBox) and w.isVisible()
    ]
    close()
