"""How many bytes numbers take: chosen in the window, remembered by plans, stories, comparisons and what a crash leaves."""

from __future__ import annotations

import json
from collections.abc import Generator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QInputDialog
from pytestqt.qtbot import QtBot

from gui.app import launch
from gui.editors.plan.editor import MainWindow
from gui.tools.story.frames import ModelSource
from planner.formats import read_model
from planner.machines.pipeline.target import Pipeline
from planner.model.precision import precision_of
from planner.plan_files.plan_json import write_plan
from planner.problem.problem import Problem
from planner.problem.provenance import Provenance
from planner.story.files.json import read_story
from planner.story.files.plans import resolve
from tests.gui.window_parts import make_window, opened, settle

UNET = Path(__file__).resolve().parents[4] / "sample_models" / "unet.onnx"


@pytest.fixture
def window(qtbot: QtBot) -> Generator[MainWindow]:
    window, close = make_window(qtbot, opened())
    window.files.open_files([UNET])
    rest(qtbot, window)
    yield window
    close()


def rest(qtbot: QtBot, window: MainWindow) -> None:
    qtbot.waitUntil(lambda: not window.files.loading.busy, timeout=60_000)
    settle()


def int8_plan(folder: Path, name: str = "counted.plan.json") -> Path:
    problem = Problem(read_model(UNET, batch=2, precision="int8"), Pipeline(count=3))
    n = problem.graph.n
    return write_plan(folder / name, problem.plan([3 * i // n for i in range(n)], Provenance("hand")))


def counted(window: MainWindow) -> tuple[str, int]:
    return precision_of(window.document.open_problem.graph), window.document.batch


def test_the_open_model_is_read_again(
    qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored = float(window.document.open_problem.graph.param_bytes.sum())
    offered: list[tuple[list[str], int]] = []

    def choose(
        parent: object, title: str, words: str, items: list[str], now: int, edit: bool
    ) -> tuple[str, bool]:
        offered.append((items, now))
        return items[2], True

    monkeypatch.setattr(QInputDialog, "getItem", choose)
    window.actions_set["file.precision"].trigger()
    rest(qtbot, window)
    assert counted(window) == ("int8", 1)
    assert float(window.document.open_problem.graph.param_bytes.sum()) * 4 == stored
    monkeypatch.setattr(QInputDialog, "getInt", lambda *_: (2, True))
    window.actions_set["file.batch"].trigger()
    rest(qtbot, window)
    assert counted(window) == ("int8", 2)
    window.actions_set["file.precision"].trigger()  # what it is already: nothing to read
    assert not window.files.loading.busy
    assert [now for _, now in offered] == [0, 2] and "one byte (int8)" in offered[0][0]


def test_a_model_and_its_plan_are_read_as_the_plan_was(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    window.files.open_files([UNET, int8_plan(tmp_path)])
    rest(qtbot, window)
    assert counted(window) == ("int8", 2)
    assert window.document.undo_stack.count() == 0  # the model came with the plan: there was none before


def test_a_plan_alone_says_with_which_precision_to_read(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    window.files.open_plan_file(int8_plan(tmp_path))
    assert "made with batch 2" in window.notice.text and "open plan is unchanged" in window.notice.text
    assert counted(window) == ("file", 1)


def test_a_story_reads_its_model_so_again(qtbot: QtBot, tmp_path: Path) -> None:
    plan, story = int8_plan(tmp_path), tmp_path / "talk.story.json"
    assert launch.main(["story", str(UNET), str(plan), "-o", str(story), "--prove", "off"]) == 0
    (model,) = read_story(story).models
    assert (model.precision, model.batch) == ("int8", 2)
    (found,) = resolve(read_story(story), tmp_path).models
    assert ModelSource(found).precision == "int8"
    data = json.loads(story.read_text())
    data["models"][0]["precision"] = "int4"
    story.write_text(json.dumps(data))
    assert launch.main(["present", str(story), "-o", str(tmp_path / "talk.html")]) == 2


def test_plans_are_compared_as_they_were_made(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plans = [str(int8_plan(tmp_path, f"{name}.plan.json")) for name in "ab"]
    assert launch.main(["compare", str(UNET), *plans, "--json"]) == 0
    capsys.readouterr()
    assert launch.main(["compare", str(UNET), *plans, "--precision", "file"]) == 2
    assert "read the model with that precision" in capsys.readouterr().err
    picture = tmp_path / "p.png"
    assert launch.main(["render", str(UNET), plans[0], "-o", str(picture)]) == 0 and picture.exists()
