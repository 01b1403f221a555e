"""What is left of a story after a crash: written while it is not saved, read again, gone after a clean exit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from gui.tools.story.draft import Draft
from gui.tools.story.frames import Frame, ModelSource, Shown
from gui.tools.story.keeping import DraftAutosave, lost_stories, prepare
from planner.errors import StageboardError
from planner.machines.two_level_memory.problem import NetworkProblem
from planner.machines.two_level_memory.target import TwoLevelMemory
from planner.problem.bound import Bound
from planner.problem.provenance import Provenance
from tests.gui.editors.network.models import layered_network, shuffled_order
from tests.gui.models import write_model
from tests.gui.tools.story.test_draft import frame, shown_plans


@pytest.fixture
def where(tmp_path: Path) -> Path:
    return tmp_path / "state"


@pytest.fixture
def draft(qtbot: QtBot) -> Iterator[Draft]:
    yield Draft()


def kept(qtbot: QtBot, autosave: DraftAutosave) -> Path:
    autosave.write()
    qtbot.waitUntil(lambda: not autosave.busy)
    assert autosave.path is not None
    return autosave.path


def test_only_what_is_not_saved_is_kept(qtbot: QtBot, tmp_path: Path, where: Path, draft: Draft) -> None:
    autosave = DraftAutosave(draft, where)
    autosave.write()
    assert not where.exists()
    (shown,) = shown_plans(tmp_path, 1)
    draft.add(frame(shown))
    assert autosave.busy, "it is written in a moment, unasked"
    path = kept(qtbot, autosave)
    assert lost_stories(where) == [], "a running process holds it"
    before = path.with_suffix(".json").stat().st_mtime_ns
    autosave.write()
    assert not autosave.busy and path.with_suffix(".json").stat().st_mtime_ns == before
    draft.save(tmp_path / "talk.story.json")
    assert list(where.iterdir()) == []
    draft.set_title("Another")
    kept(qtbot, autosave)
    draft.undo_stack.undo()
    assert list(where.iterdir()) == []
    draft.set_title("A third")
    kept(qtbot, autosave)
    draft.clear()
    qtbot.waitUntil(lambda: not autosave.busy)
    assert list(where.iterdir()) == []
    draft.add(frame(shown))
    kept(qtbot, autosave)
    autosave.close()
    assert list(where.iterdir()) == []


def test_all_of_it_comes_back(qtbot: QtBot, tmp_path: Path, where: Path, draft: Draft) -> None:
    """Also a network that is in no file, and what is proven and what is only claimed."""
    autosave = DraftAutosave(draft, where)
    a, b = shown_plans(tmp_path)
    problem = a.plan.problem
    proved = Bound(problem.components[0], 1e-9, "a long search", problem.relaxation, seconds=44.0)
    claimed = replace(proved, value=2e-9, method="by hearsay", claimed_by="other.json")
    a = replace(a, bounds=(proved, claimed))
    network = layered_network()
    order = NetworkProblem(network, TwoLevelMemory(6)).plan(shuffled_order(network), Provenance("hand"), "x")
    draft.add(frame(a, "first", highlight=("1",) if "1" in a.source.model.index else ()))  # type: ignore[union-attr]
    draft.add(Frame(replace(frame(b, "second").keyframe, panel="difference", versus=0), b, a))
    draft.add(frame(Shown(order, (), ModelSource(network)), "third", view="network", at=3))
    draft.set_title("A talk")
    draft.path = tmp_path / "talk.story.json"
    kept(qtbot, autosave)
    autosave.close(keep=True)
    (lost,) = lost_stories(where)
    assert (
        lost.saved == draft.path and lost.keyframes == 3 and "the story with its 3 keyframes" in lost.sentence
    )
    again = Draft()
    resolved, sources = prepare(lost)
    again.recover(resolved, lost.saved, sources)
    assert again.modified and again.current == 0 and again.state.title == "A talk"
    assert [f.keyframe.title for f in again.frames] == ["first", "second", "third"]
    for ours, theirs in zip(draft.frames, again.frames, strict=True):
        assert (ours.shown.plan.decision.array == theirs.shown.plan.decision.array).all()
        assert ours.shown.source.paths == theirs.shown.source.paths
        assert set(ours.shown.bounds) == set(theirs.shown.bounds)
    assert again.frames[1].versus is again.frames[0].shown
    again.undo_stack.undo()
    assert again.frames == () and not again.modified


def test_a_model_that_changed_is_refused_and_one_that_moved_is_found(
    qtbot: QtBot, tmp_path: Path, where: Path, draft: Draft
) -> None:
    (shown,) = shown_plans(tmp_path, 1)
    draft.add(frame(shown))
    DraftAutosave(draft, where).close(keep=True)
    (lost,) = lost_stories(where)
    (model,) = lost.models
    moved = model.rename(tmp_path / "moved.json")
    with pytest.raises(StageboardError, match="does not exist"):
        prepare(lost)
    assert prepare(replace(lost, models=(moved,)))[1][0].paths == (moved,)
    write_model(tmp_path, seed=9)
    with pytest.raises(StageboardError, match="has changed since the story was kept"):
        prepare(lost)


def test_whoever_is_killed_while_writing_leaves_what_was_written_before(
    qtbot: QtBot, tmp_path: Path, where: Path, draft: Draft
) -> None:
    (shown,) = shown_plans(tmp_path, 1)
    draft.add(frame(shown))
    DraftAutosave(draft, where).close(keep=True)
    (head,) = where.glob("story-*.jsonl")
    head.write_text(head.read_text() + '{"story": 1, "na')
    (lost,) = lost_stories(where)
    assert lost.keyframes == 1 and len(prepare(lost)[1]) == 1


@pytest.mark.parametrize("text", ["", "{\n", "[]\n", '{"story": 1}\n', '{"story": 2, "time": 1}\n'])
def test_damaged_ones_are_kept(where: Path, text: str) -> None:
    where.mkdir()
    (where / "story-1.jsonl").write_text(text)
    (where / "story-1.json").write_text("{}")
    assert lost_stories(where) == []
    kept = sorted(path.name for path in where.iterdir())
    assert kept == (["story-1.json", "story-1.jsonl.damaged"] if text else [])


def test_a_story_that_is_damaged_is_refused_in_a_sentence(tmp_path: Path, where: Path, draft: Draft) -> None:
    (shown,) = shown_plans(tmp_path, 1)
    draft.add(frame(shown))
    DraftAutosave(draft, where).close(keep=True)
    (lost,) = lost_stories(where)
    for text in ("{", "{}", '{"story": {}, "files": []}', '{"story": 1, "files": 2}', "[]"):
        lost.plans.write_text(text)
        with pytest.raises(StageboardError):
            prepare(lost)


def test_what_is_too_large_is_said_once(
    qtbot: QtBot, tmp_path: Path, where: Path, draft: Draft, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gui.tools.story.keeping.LIMIT", 10)
    (shown,) = shown_plans(tmp_path, 1)
    autosave, said = DraftAutosave(draft, where), []
    autosave.message.connect(lambda message: said.append(message.text))
    draft.add(frame(shown))
    autosave.write()
    qtbot.waitUntil(lambda: bool(said))
    assert "cannot be kept for a crash (it is too large)" in said[0]
    autosave.close()
