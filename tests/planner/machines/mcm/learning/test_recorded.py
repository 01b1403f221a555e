"""Training runs seen from outside: folders, progress, who is at work, and what plans with the weights."""

from __future__ import annotations

import json
import threading
import time
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest

from planner.cli.main import main
from planner.errors import StageboardError
from planner.machines.mcm.learned.weights import SHIPPED, packed
from planner.machines.mcm.learning import program, recorded, twin
from planner.machines.mcm.learning.aside import TrainingAside
from planner.machines.mcm.learning.messages import News, Task
from planner.machines.mcm.learning.options import TRAINING_OPTIONS
from planner.machines.mcm.learning.recorded import Pace, Progress, holding, new_folder, weights_of
from planner.machines.mcm.learning.training import STATE, Point, TrainingSettings

SETTINGS = TrainingSettings(samples=200, training=2, validation=1, most_ops=62, epochs=1)
CURVE = (Point(100, 0.9, 0.8, 0.7, 1.0), Point(200, 1.0, 0.9, 1.1, 0.5))


def write_run(folder: Path, curve: tuple[Point, ...] = CURVE, **settings: object) -> None:
    """What a run leaves in its folder, without its weights."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = np.array([[p.samples, p.reward, p.validation, p.first, p.valid] for p in curve])
    asked = {**vars(SETTINGS), **settings}
    arrays = {"curve": rows, "cpu_seconds": np.array(12.5), "settings": np.array(json.dumps(asked))}
    (folder / STATE).write_bytes(packed(arrays))


def test_options_are_the_settings() -> None:
    given = {option.name: option.default for option in TRAINING_OPTIONS}
    assert TrainingSettings.of(given) == TrainingSettings()
    assert {name: TrainingSettings().value(name) for name in given} == given


def test_a_folder_tells_of_its_run(tmp_path: Path) -> None:
    assert recorded.recorded(tmp_path) is None and weights_of(tmp_path) is None
    write_run(tmp_path)
    found = recorded.recorded(tmp_path)
    assert found is not None and found.complete
    assert found.settings == SETTINGS and found.curve == CURVE
    assert found.progress == Progress(200, 200, 12.5)
    write_run(tmp_path, CURVE[:1])
    found = recorded.recorded(tmp_path)
    assert found is not None and not found.complete and found.progress.samples == 100


@pytest.mark.parametrize(
    "wrong", [{"samples": "many"}, {"correction": "none of them"}, {"rollouts": 0}, {"seed": None}]
)
def test_a_damaged_run_is_told_in_one_sentence(wrong: dict[str, object], tmp_path: Path) -> None:
    write_run(tmp_path, **wrong)
    with pytest.raises(StageboardError, match="is damaged; start the training again in another folder"):
        recorded.recorded(tmp_path)
    (tmp_path / STATE).write_bytes(b"nothing")
    with pytest.raises(StageboardError, match="is damaged"):
        recorded.recorded(tmp_path)


def test_new_runs_get_folders_of_their_own() -> None:
    first = new_folder()
    assert recorded.latest_folder() == first and first.name == "run-1"
    write_run(first)
    (first.parent / "run-x").mkdir()
    write_run(first.parent / "run-11")
    assert recorded.latest_folder().name == "run-11" and new_folder().name == "run-12"


def test_time_left_is_told_once_a_checkpoint_was_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [10.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    pace = Pace(10)
    assert pace.left(3) is None
    now[0] = 14.0
    assert pace.left(5) == 10.0
    words = Progress(500, 1000, 61.0, 10.0).words(lambda seconds: f"{seconds:.0f} s")
    assert words == "500 of 1,000 samples, 61 s CPU, about 10 s left"
    assert "left" not in Progress(0, 1000, 61.0).words(str)


def test_one_folder_takes_one_training_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("fcntl", reason="there are no locks on Windows")
    monkeypatch.setattr(recorded, "PATIENCE", 0.1)
    folder = tmp_path / "a" / "run"
    with holding(folder), pytest.raises(StageboardError, match="a training is at work in"), holding(folder):
        pass
    with holding(folder):
        pass
    (tmp_path / "file").write_text("x")
    with pytest.raises(StageboardError, match="cannot be written"), holding(tmp_path / "file"):
        pass


def test_messages_come_as_they_were_sent() -> None:
    task = Task(SETTINGS, "/tmp/run", True)
    assert Task.read(task.line) == task and task.place == Path("/tmp/run")
    for news in (News(CURVE[0], Progress(100, 200, 1.0)), News(ended=True, sentence="no")):
        assert News.read(news.line) == news
    for line in (b"x\n", b"{}\n"):
        with pytest.raises(StageboardError):
            Task.read(line)


def test_the_program_tells_why_it_cannot_train(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "optax", None)
    twin.shared_twin.cache_clear()
    assert twin.missing_libraries() == twin.MISSING
    answers = BytesIO()
    program.train(Task(SETTINGS, str(tmp_path), False), answers, threading.Event())
    assert News.read(answers.getvalue()) == News(ended=True, sentence=twin.MISSING)
    monkeypatch.setattr(program, "Training", lambda *_: 1 / 0)
    answers = BytesIO()
    program.train(Task(SETTINGS, str(tmp_path), False), answers, threading.Event())
    assert "failed unexpectedly (ZeroDivisionError" in News.read(answers.getvalue()).sentence


def heard(aside: TrainingAside, pause_after: int = 99) -> list[News]:
    """All that a process says."""
    found: list[News] = []
    try:
        while not (found and found[-1].ended):
            if (news := aside.poll()) is None:
                time.sleep(0.02)
                continue
            found.append(news)
            if len(found) == pause_after:
                aside.pause()
    finally:
        aside.close()
    return found


@pytest.mark.timeout(600)
def test_a_process_trains_pauses_and_goes_on(tmp_path: Path) -> None:
    pytest.importorskip("jax", reason="the extra `learn` is not installed")
    pytest.importorskip("optax", reason="the extra `learn` is not installed")
    told = heard(TrainingAside(Task(SETTINGS, str(tmp_path), False)), pause_after=1)
    assert told[0].point is not None and told[0].progress is not None
    assert told[0].progress.samples == 100 and told[-1] == News(ended=True)
    before = recorded.recorded(tmp_path)
    assert before is not None and before.cpu_seconds > 0
    assert heard(TrainingAside(Task(SETTINGS, str(tmp_path), False)))[-1].sentence.startswith(str(tmp_path))
    if not before.complete:
        told = heard(TrainingAside(Task(SETTINGS, str(tmp_path), True)))
        assert told[-1] == News(ended=True)
    after = recorded.recorded(tmp_path)
    assert after is not None and after.complete and after.cpu_seconds >= before.cpu_seconds
    assert weights_of(tmp_path) == tmp_path / "weights.npz"


def test_a_process_that_dies_is_told_of(tmp_path: Path) -> None:
    aside = TrainingAside(Task(SETTINGS, str(tmp_path), False))
    aside._child._process.kill()
    assert heard(aside)[-1].sentence == "the process that worked on it ended unexpectedly"


def test_the_planner_plans_with_given_weights(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = ["plan", "sample_models/resnet50.json", "--target", "mcm:4,check_memory=false", "--planner", "chip-learned"]  # fmt: skip
    few = ["--set", "samples=2", "--json"]
    assert main([*model, *few]) == 0
    shipped = json.loads(capsys.readouterr().out)
    with np.load(SHIPPED) as file:
        others = {name: -2 * file[name] for name in file.files}
    (tmp_path / "mine.npz").write_bytes(packed(others))
    mine = ["--set", f"weights={tmp_path / 'mine.npz'}"]
    assert main([*model, *few, *mine]) == 0
    assert json.loads(capsys.readouterr().out)["objective"] != shipped["objective"]
    assert main([*model, *few, *mine, "--set", "mode=scratch"]) == 2
    assert "choose mode=zero-shot or fine-tune" in capsys.readouterr().err
    assert main([*model, *few, "--set", f"weights={tmp_path / 'none.npz'}"]) == 2
    assert "cannot be read" in capsys.readouterr().err
