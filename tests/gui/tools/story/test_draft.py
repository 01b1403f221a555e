"""A story while it is made: steps, numbers of plans and models, files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gui.tools.story.draft import Draft, sources_of
from gui.tools.story.frames import Frame, ModelSource, Shown
from planner.errors import StoryError
from planner.machines.pool.target import DevicePool
from planner.model.graph import Graph
from planner.problem.problem import Problem
from planner.problem.provenance import Provenance
from planner.story.files.json import read_story
from planner.story.files.plans import resolve
from planner.story.keyframe import Keyframe
from tests.gui.models import write_model


def shown_plans(folder: Path, count: int = 2) -> list[Shown]:
    """Plans of one model that is in a file."""
    from planner.formats import read_models

    path = write_model(folder)
    graph = read_models([path])
    problem = Problem(graph, DevicePool(accelerators=3, cpus=1, contiguous=False))
    source = ModelSource(graph, (path,))
    return [
        Shown(problem.plan(np.full(graph.n, d, np.int32), Provenance("hand"), f"all on {d}"), (), source)
        for d in range(count)
    ]


def frame(shown: Shown, title: str = "one", **fields: object) -> Frame:
    return Frame(Keyframe(title, "said", 0, **fields), shown)  # type: ignore[arg-type]


def test_titles_that_nobody_wrote_differ(tmp_path: Path) -> None:
    (a,) = shown_plans(tmp_path, 1)
    draft = Draft()
    for title, view, titled in (
        ("Ideals DP", "lanes", "Ideals DP"), ("Ideals DP", "stages", "Ideals DP"), ("Ideals DP", "stages", "Ideals DP"),
        ("My own", "lanes", ""), ("My own", "lanes", ""),
    ):  # fmt: skip
        draft.add(replace(frame(a, title, view=view), titled=titled))
    titles = ["Ideals DP", "Ideals DP: stages", "Ideals DP (2)", "My own", "My own"]
    assert [one.keyframe.title for one in draft.frames] == titles
    assert [one.titled for one in draft.frames] == [*titles[:3], "", ""]


def test_steps_can_be_undone(tmp_path: Path) -> None:
    a, b = shown_plans(tmp_path)
    draft = Draft()
    draft.add(frame(a, "first"))
    draft.add(frame(b, "second"))
    assert [f.keyframe.title for f in draft.frames] == ["first", "second"] and draft.current == 1
    draft.move(1, 0)
    assert [f.keyframe.title for f in draft.frames] == ["second", "first"] and draft.current == 0
    draft.edit("Change a title", title="seco")
    draft.edit("Change a title", title="secon")
    assert draft.undo_stack.count() == 4  # letters of one field are one step
    draft.undo_stack.undo()
    assert draft.frames[0].keyframe.title == "second"
    draft.undo_stack.undo()
    draft.undo_stack.undo()
    assert [f.keyframe.title for f in draft.frames] == ["first"] and draft.current == 0
    draft.undo_stack.undo()
    assert draft.frames == () and draft.current == -1 and not draft.modified
    draft.undo_stack.redo()
    assert draft.current == 0 and draft.modified


def test_a_new_keyframe_comes_after_the_one_that_is_edited(tmp_path: Path) -> None:
    a, _ = shown_plans(tmp_path)
    draft = Draft()
    for title in "abc":
        draft.add(frame(a, title))
    draft.select(0)
    draft.add(frame(a, "new"))
    assert [f.keyframe.title for f in draft.frames] == ["a", "new", "b", "c"]
    draft.remove(1)
    assert [f.keyframe.title for f in draft.frames] == ["a", "b", "c"] and draft.current == 1


def test_a_keyframe_of_another_model_comes_after_those_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    a, _ = shown_plans(tmp_path)
    assert isinstance(a.source.model, Graph)
    graph = replace(a.source.model, name="Other", work=2.0 * a.source.model.work)
    problem = Problem(graph, DevicePool(accelerators=3, cpus=1, contiguous=False))
    plan = problem.plan(np.zeros(graph.n, np.int32), Provenance("hand"), "other")
    other = Shown(plan, (), ModelSource(graph, (tmp_path / "other.json",)))
    assert a.source.model.fingerprint != graph.fingerprint
    draft = Draft()
    for title in "abc":
        draft.add(frame(a, title))
        assert not draft.put_where
    draft.select(0)
    assert draft.add(frame(other, "x")) == 3 and draft.put_where == "at the end"
    assert draft.add(frame(other, "y")) == 4 and not draft.put_where
    before = draft.before(a.source)
    assert before is not None and before.keyframe.title == "c"
    assert draft.add(frame(a, "d")) == 3 and draft.put_where == "behind keyframe 3"
    draft.select(0)
    assert draft.add(frame(a, "in between")) == 1 and not draft.put_where
    draft.select(5)
    assert draft.add(frame(other, "z")) == 6
    assert "".join(f.keyframe.title[0] for f in draft.frames) == "aibcdxzy"


def test_each_plan_and_model_is_held_once(tmp_path: Path) -> None:
    a, b = shown_plans(tmp_path)
    draft = Draft()
    for one in (a, b, a):
        draft.add(frame(one))
    draft.add(Frame(Keyframe("what changed", "", 0, panel="difference", versus=0), b, a))
    resolved = draft.resolved()
    story = resolved.story
    assert len(story.models) == 1 and len(story.plans) == 2
    assert [k.plan for k in story.keyframes] == [0, 1, 0, 1] and story.keyframes[3].versus == 0
    assert resolved.plans == (a.plan, b.plan)


def test_an_empty_draft_cannot_be_presented() -> None:
    with pytest.raises(StoryError, match="no keyframe yet"):
        Draft().resolved()


def test_a_story_comes_back_from_its_file(tmp_path: Path) -> None:
    a, b = shown_plans(tmp_path)
    draft = Draft()
    draft.set_title("Two plans")
    draft.add(frame(a))
    draft.add(Frame(Keyframe("what changed", "", 0, panel="difference", versus=0), b, a))
    path = tmp_path / "talk.story.json"
    assert draft.save(path) == () and not draft.modified
    story = read_story(path)
    resolved = resolve(story, tmp_path)
    again = Draft()
    again.open(resolved, path, sources_of(story.models, resolved, tmp_path))
    assert again.state.title == "Two plans" and not again.modified and again.current == 0
    assert [f.keyframe.title for f in again.frames] == ["one", "what changed"]
    assert again.frames[1].versus is again.frames[0].shown
    for before, after in zip((a, b), (f.shown for f in again.frames), strict=True):
        assert np.array_equal(before.plan.decision.device_of, after.plan.decision.device_of)  # type: ignore[union-attr]
        assert before.plan.evaluation.values == after.plan.evaluation.values
    again.save(tmp_path / "again.story.json")
    assert read_story(tmp_path / "again.story.json") == story


def test_a_model_from_elsewhere_is_copied_beside_the_story(tmp_path: Path) -> None:
    a, _ = shown_plans(tmp_path)
    draft = Draft()
    draft.add(frame(a))
    folder = tmp_path / "talk"
    folder.mkdir()
    copied = draft.save(folder / "talk.story.json")
    assert len(copied) == 1
    model = a.source.paths[0]
    model.unlink()  # the story does without the file it was made from
    assert (
        resolve(read_story(folder / "talk.story.json"), folder).plans[0].evaluation.values
        == a.plan.evaluation.values
    )


def test_a_model_without_a_file_is_refused_in_words(tmp_path: Path) -> None:
    a, _ = shown_plans(tmp_path)
    draft = Draft()
    draft.add(frame(replace(a, source=ModelSource(a.source.model))))
    with pytest.raises(StoryError, match="in no file; save it first"):
        draft.save(tmp_path / "x.story.json")
    assert not (tmp_path / "x.story.json").exists()


def test_a_story_without_a_title_of_its_own_is_called_after_its_file(tmp_path: Path) -> None:
    a, _ = shown_plans(tmp_path)
    draft = Draft()
    draft.add(frame(a))
    assert draft.resolved().story.title == "Untitled story"
    path = tmp_path / "talk.story.json"
    draft.save(path)
    assert read_story(path).title == draft.resolved().story.title == "talk"
    draft.set_title("My own")
    draft.save(path)
    assert read_story(path).title == draft.resolved().story.title == "My own"
