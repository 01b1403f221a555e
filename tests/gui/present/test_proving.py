"""Presenting proves again what a story's file claims, and captions follow."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from gui.app.launch import main
from gui.app.present import story_file
from gui.present.window import PresenterWindow
from planner.formats.graphs import stageboard_json
from tests.planner.forging import problem
from tests.planner.story.test_proving import PROVEN, best, said, told


def test_the_window_proves_beside_the_story(qtbot: QtBot, tmp_path: Path) -> None:
    plan = best()
    read = told(tmp_path, plan.objective, plan)
    window = PresenterWindow(read, full_screen=False)
    assert PROVEN not in said(window.resolved) and "claims" in said(window.resolved)
    window.begin()
    window.go(1)
    qtbot.waitUntil(lambda: PROVEN in said(window.resolved), timeout=60_000)
    assert window.course.resting, "nothing jumps while a slide is on its way"
    assert "proven optimal" in window.accessibleDescription()
    assert not window.proving.running
    window.close()


def test_closing_the_window_ends_a_proof(qtbot: QtBot, tmp_path: Path) -> None:
    plan = best()
    window = PresenterWindow(told(tmp_path, plan.objective, plan), full_screen=False)
    window.begin()
    assert window.proving.running
    window.close()


def test_nothing_is_proven_without_a_second(qtbot: QtBot, tmp_path: Path) -> None:
    plan = best()
    window = PresenterWindow(told(tmp_path, plan.objective, plan), full_screen=False, proving=0.0)
    window.begin()
    assert not window.proving.running and PROVEN not in said(window.resolved)
    window.close()


def test_what_is_written_proves_first(
    qtbot: QtBot, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = best()
    told(tmp_path, plan.objective, plan)
    stageboard_json.write(problem().graph, tmp_path / "model.json")
    pages = []
    for prove in ((), ("--prove", "off")):
        page = tmp_path / "talk.html"
        assert (
            main(["present", str(story_file(str(tmp_path / "talk.story.json"))), "-o", str(page), *prove])
            == 0
        )
        pages.append(page.read_text())
        left = "1 of 1 plans not proven again; --prove 10 gives it 10 s" in capsys.readouterr().err
        assert left == bool(prove)
    assert [PROVEN in page for page in pages] == [True, False]
    assert ["file claims" in page for page in pages] == [False, True]
