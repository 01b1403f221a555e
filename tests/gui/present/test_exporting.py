"""Stories written beside the window: progress, the result, a cancel that leaves nothing, and errors in words."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from gui.present.export.export import Exported, ExportOptions
from gui.present.export.place import slug
from gui.present.exporting import StoryExport
from planner.errors import StageboardError
from planner.export.stages.child import Cancelled
from planner.formats import read_model
from planner.machines.pipeline.target import Pipeline
from planner.problem.problem import Problem
from planner.problem.provenance import Provenance
from planner.story.files.plans import pack
from planner.story.keyframe import Keyframe
from planner.story.story import Story
from planner.story.subject import StoryModel
from tests.gui.models import write_model

SMALL = ExportOptions(size=(320, 200), fps=5.0)


def story_of(folder: Path, hold: float = 0.4) -> Story:
    """A story of a small model in ``folder``."""
    path = write_model(folder)
    graph = read_model(path)
    problem = Problem(graph, Pipeline(2))
    plan = problem.plan([min(1, 2 * i // graph.n) for i in range(graph.n)], Provenance("edit"), "halves")
    return Story(
        "A talk", "", (StoryModel((path.name,), graph.fingerprint),), (pack(plan),),
        (Keyframe("First", "", 0, hold=hold), Keyframe("Then", "", 0, "lanes", hold=hold)),
    )  # fmt: skip


def test_a_story_is_written_beside_the_window(tmp_path: Path, qtbot: QtBot) -> None:
    exports, told = StoryExport(), list[tuple[int, int]]()
    exports.progressed.connect(lambda done, of: told.append((done, of)))
    story = story_of(tmp_path)
    with qtbot.waitSignal(exports.done, timeout=60_000) as ended:
        exports.start_story(story, tmp_path, tmp_path / "talk.gif", SMALL)
        assert exports.busy
        with pytest.raises(StageboardError, match="another export"):
            exports.start_story(story, tmp_path, tmp_path / "other.gif", SMALL)
    result, error = ended.args
    assert error is None and isinstance(result, Exported) and not exports.busy
    assert result.bytes == (tmp_path / "talk.gif").stat().st_size
    assert told and told == sorted(told) and told[-1][0] == told[-1][1]


def test_models_may_be_given_that_lie_elsewhere(tmp_path: Path, qtbot: QtBot) -> None:
    exports, elsewhere = StoryExport(), tmp_path / "elsewhere"
    elsewhere.mkdir()
    story = story_of(elsewhere)
    with qtbot.waitSignal(exports.done, timeout=60_000) as ended:
        exports.start_story(story, tmp_path, tmp_path / "talk.pdf", SMALL, given=list(elsewhere.iterdir()))
    assert ended.args[1] is None
    with qtbot.waitSignal(exports.done, timeout=60_000) as ended:
        exports.start_story(story, tmp_path, tmp_path / "other.pdf", SMALL)
    assert ended.args[0] is None and isinstance(ended.args[1], StageboardError)
    assert not (tmp_path / "other.pdf").exists()


def test_a_cancel_leaves_nothing(tmp_path: Path, qtbot: QtBot) -> None:
    exports, folder = StoryExport(), tmp_path / "out"
    folder.mkdir()
    exports.progressed.connect(lambda *_: exports.cancel())
    with qtbot.waitSignal(exports.done, timeout=60_000) as ended:
        exports.start_story(
            story_of(tmp_path, 30.0), tmp_path, folder / "talk.gif", ExportOptions(size=(960, 600), fps=25.0)
        )
    assert isinstance(ended.args[1], Cancelled) and list(folder.iterdir()) == []


def test_a_window_that_closes_waits_for_the_end(tmp_path: Path, qtbot: QtBot) -> None:
    exports, folder = StoryExport(), tmp_path / "out"
    folder.mkdir()
    exports.start_story(story_of(tmp_path), tmp_path, folder / "talk.gif", SMALL)
    exports.drop()
    assert not exports.busy and list(folder.iterdir()) == []


def test_what_cannot_be_is_refused_at_once(tmp_path: Path, qtbot: QtBot) -> None:
    exports, story = StoryExport(), story_of(tmp_path)
    for name, sentence in (("talk.avi", "written as"), ("no/talk.gif", "no folder")):
        with pytest.raises(StageboardError, match=sentence):
            exports.start_story(story, tmp_path, tmp_path / name, SMALL)
    assert not exports.busy


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Bottleneck 990.20 \N{MICRO SIGN}s", "bottleneck-990.20-us"),
        ("From 31.2 to 24.8 ms.", "from-31.2-to-24.8-ms"),
        ("Slice: 21.3 % better", "slice-21.3-percent-better"),
        ("... ./..", ""),
        ("a" * 60, "a" * 48),
        ("x" * 47 + " 1", "x" * 47),
    ],
)
def test_names_of_files_keep_numbers_and_their_units(title: str, name: str) -> None:
    assert slug(title) == name
