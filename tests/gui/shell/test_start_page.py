"""The start page says of each sample what it is, and tells the truth."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QMainWindow
from pytestqt.qtbot import QtBot

from gui.look.theme import LIGHT
from gui.shell.remembering import Remembering
from gui.shell.session import SavedPlan, Session
from gui.shell.start_page import SAMPLES, StartPage, samples
from planner.formats import read_model
from planner.formats.networks.read import read_network
from planner.model.samples import MODELS, STORIES


@pytest.mark.parametrize(("file", "title", "remark"), SAMPLES, ids=lambda text: text)
def test_a_sample_has_as_many_ops_or_connections_as_is_said(file: str, title: str, remark: str) -> None:
    count, unit = remark.split(", ", maxsplit=1)[0].rsplit(" ", 1)
    if file.endswith(".npz"):
        assert (
            unit == "connections"
            and int(count.replace(",", "")) == read_network([MODELS / file]).connection_count
        )
    else:
        assert unit == "ops" and int(count.replace(",", "")) == read_model(MODELS / file).n
    assert title[:1].isupper()


def test_all_samples_are_there_the_packages_example_among_them() -> None:
    assert len(samples()) == len(SAMPLES)
    assert any(path.name == "bert_large.json" for path, _, _ in samples())


def named(page: StartPage) -> list[str]:
    """The entries beside the samples."""
    return [row.text() for row in page.rows[len(SAMPLES) :]]


def test_stories_opened_lately_are_a_click_away(qtbot: QtBot, tmp_path: Path) -> None:
    session = Session(tmp_path / "session.ini")
    there, gone = tmp_path / "talk.story.json", tmp_path / "gone.story.json"
    there.write_text("{}")
    for path in (there, gone, there):
        session.add_story(path)
    session.sync()
    assert Session(tmp_path / "session.ini").stories == [there, gone]
    page = StartPage(LIGHT)
    qtbot.addWidget(page)
    page.show_recent([], (), session.stories)
    assert named(page) == ["talk"]
    with qtbot.waitSignal(page.files_chosen) as chosen:
        page.rows[-1].click()
    assert chosen.args == [(there,)]
    session.clear_recent()
    assert session.stories == []


def test_lists_stay_beside_the_samples(qtbot: QtBot, tmp_path: Path) -> None:
    files = [tmp_path / f"{i}.onnx" for i in range(12)]
    stories = [tmp_path / f"{i}.story.json" for i in range(6)]
    for path in (*files, *stories):
        path.touch()
    plans = [SavedPlan(path, (path,), "x") for path in files]
    page = StartPage(LIGHT)
    qtbot.addWidget(page)
    page.show_recent([(path,) for path in files], plans, stories)
    files_and_plans = [f"{i}.onnx" for i in (*range(4), *range(3))]
    assert named(page) == [*files_and_plans, "0", "1", "2"]


@pytest.mark.parametrize("text", ['"x"', '[3, null, ""]', "{", '["a\\u0000b"]'])
def test_stories_without_sense_are_left_out(tmp_path: Path, text: str) -> None:
    session = Session(tmp_path / "session.ini")
    session._store.setValue("stories", text)
    session.sync()
    assert Session(tmp_path / "session.ini").stories == []


def test_a_story_is_remembered_once_it_is_open_or_saved(qtbot: QtBot, tmp_path: Path) -> None:
    story = tmp_path / "mine.story.json"
    session = Session(tmp_path / "session.ini")
    window = QMainWindow()
    qtbot.addWidget(window)
    memory = Remembering(window, session, "x")
    memory.remember_story(None)
    memory.remember_story(STORIES / "edge-tpu.story.json")
    assert memory.stories == [], "those that come along are offered anyway"
    memory.remember_story(story)
    assert memory.stories == [story]
