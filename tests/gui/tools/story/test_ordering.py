"""What follows from the order of keyframes: one plan and one letter for what is equal, and captions that say what came before."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

from gui.tools.story.draft import Draft
from gui.tools.story.frames import Frame, ModelSource, Shown
from gui.tools.story.ordering import told
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.problem.bound import Bound
from planner.problem.problem import Problem
from planner.problem.provenance import Provenance
from planner.story.files.json import read_story
from planner.story.files.plans import resolve_with
from planner.story.keyframe import Keyframe
from planner.story.proving import story_with_known
from tests.gui.models import chain_graph, write_model

EVEN, LATER, LAST = [0, 0, 0, 1, 1, 1], [0, 1, 1, 1, 1, 1], [0, 0, 0, 0, 0, 1]


class Talk:
    """Captures of plans of one model, each evaluated anew, as windows make them."""

    def __init__(self) -> None:
        self.source = ModelSource(chain_graph(6))
        self.draft = Draft()

    def shown(self, device_of: list[int], name: str = "", proven: float = 0.0) -> Shown:
        problem = Problem(self.source.model, Pipeline(2))  # type: ignore[arg-type]
        plan = problem.plan(np.array(device_of, np.int32), Provenance("hand"), name)
        component = problem.components[0]
        bounds = (Bound(component, proven, "test", problem.relaxation),) if proven else ()
        return Shown(plan, bounds, self.source)

    def canvas(self, shown: Shown, view: str = "lanes") -> None:
        """The canvas of the main window, after the keyframe that is edited."""
        frame = Frame(Keyframe("", "", 0, view), shown)
        caption = told(frame, self.draft.frame)
        self.draft.add(replace(frame, keyframe=replace(frame.keyframe, caption=caption)))

    def comparison(self, first: Shown, second: Shown) -> None:
        """A comparison, captured with the letters of its window."""
        keyframe = Keyframe("", "", 0, "comparison", versus=0, comparison="side-by-side")
        frame = Frame(keyframe, second, first)
        self.draft.add(replace(frame, keyframe=replace(keyframe, caption=told(frame, None))))

    @property
    def captions(self) -> list[str]:
        return [frame.keyframe.caption for frame in self.draft.frames]


def test_a_plan_has_one_letter_wherever_it_was_captured() -> None:
    talk = Talk()
    talk.comparison(talk.shown(EVEN, proven=1.0), talk.shown(LATER))
    talk.canvas(talk.shown(EVEN))
    talk.canvas(talk.shown(LATER, proven=2.0))
    talk.draft.move(0, 2)
    talk.comparison(talk.shown(EVEN), talk.shown(LATER, proven=1.0))
    story = talk.draft.resolved().story
    assert len(story.plans) == 2, "plans that differ in what is known of them are one"
    assert [frame.keyframe.letters for frame in talk.draft.frames] == ["", "", "", ""]
    assert [[b.value for b in frame.shown.bounds] for frame in talk.draft.frames][1] == [2.0]
    assert all("than A" in caption for caption in talk.captions[2:])


def test_letters_follow_the_order_in_which_plans_are_compared() -> None:
    talk = Talk()
    talk.comparison(talk.shown(EVEN), talk.shown(LATER))
    talk.comparison(talk.shown(EVEN), talk.shown(LAST))
    assert [frame.keyframe.letters for frame in talk.draft.frames] == ["", "AC"]
    assert talk.captions[1].startswith("C ")
    before = talk.captions
    talk.draft.move(1, 0)
    assert [frame.keyframe.letters for frame in talk.draft.frames] == ["", "AC"]
    assert talk.captions[0].startswith("B ") and talk.captions[1].startswith("C ")
    talk.draft.undo_stack.undo()
    assert talk.captions == before


def test_equal_plans_that_are_compared_stay_two() -> None:
    talk = Talk()
    talk.comparison(talk.shown(EVEN, "one"), talk.shown(EVEN, "other"))
    assert len(talk.draft.resolved().story.plans) == 2


def test_captions_that_nobody_wrote_are_told_anew() -> None:
    talk = Talk()
    talk.canvas(talk.shown(LATER))
    talk.canvas(talk.shown(EVEN))
    alone, after = talk.captions
    assert "less than before" in after
    talk.draft.move(1, 0)
    first, second = talk.captions
    assert "before" not in first and "more than before" in second
    talk.draft.undo_stack.undo()
    assert talk.captions == [alone, after]
    talk.draft.remove(0)
    assert talk.captions == [first]
    assert all(frame.told_for is None for frame in talk.draft.frames)


@pytest.mark.parametrize(
    ("words", "marked"), [("Much better than before.", True), ("A plan that everybody likes.", False)]
)
def test_words_of_a_person_stay_and_are_marked_where_they_speak_of_what_came_before(
    words: str, marked: bool
) -> None:
    talk = Talk()
    talk.canvas(talk.shown(LATER))
    talk.canvas(talk.shown(EVEN))
    talk.draft.edit("Change a caption", caption=words)
    talk.draft.move(1, 0)
    assert talk.captions[0] == words and (talk.draft.frames[0].told_for is not None) is marked
    talk.draft.move(0, 1)
    assert talk.draft.frames[1].told_for is None, "it is where it was told"
    talk.draft.move(1, 0)
    talk.draft.edit("Change a caption", caption="It begins well.")
    assert talk.draft.frames[0].told_for is None


@pytest.mark.parametrize(("own", "marked"), [(" B is the one to take.", True), (" Take a breath.", False)])
def test_what_a_person_added_to_a_caption_stays_behind_what_is_told_anew(own: str, marked: bool) -> None:
    talk = Talk()
    talk.comparison(talk.shown(EVEN), talk.shown(LAST))
    talk.comparison(talk.shown(EVEN), talk.shown(LATER))
    talk.draft.select(0)
    talk.draft.edit("Change a caption", caption=talk.captions[0] + own)
    before = talk.captions
    assert before[0].startswith("B ")
    talk.draft.move(0, 1)
    frame = talk.draft.frames[1]
    assert talk.captions[1] == before[0].removesuffix(own).replace("B ", "C ", 1) + own
    assert (frame.told_for is not None) is marked
    talk.draft.move(1, 0)
    assert talk.captions == before and talk.draft.frames[0].told_for is None


def test_a_comparison_counts_in_the_story_what_it_counts_in_its_window() -> None:
    """Its devices are matched as there: by other numbers only where that halves what moves."""
    talk = Talk()
    problem = Problem(talk.source.model, DevicePool(3, 0))  # type: ignore[arg-type]
    one, mostly, poorly = (
        Shown(problem.plan(np.array(devices, np.int32), Provenance("slice"), ""), (), talk.source)
        for devices in ([0] * 6, [0, 1, 1, 1, 1, 2], [0, 1, 1, 2, 2, 2])
    )
    talk.comparison(one, mostly)
    talk.comparison(one, poorly)
    assert [
        "2 of 6 ops are elsewhere" in talk.captions[0],
        "5 of 6 ops are elsewhere" in talk.captions[1],
    ] == [True, True]


def test_titles_follow_the_order_and_those_of_a_person_stay() -> None:
    """The first that shows a plan introduces it; those after it say how it is looked at."""
    talk = Talk()
    plan, other = talk.shown(EVEN), talk.shown(LATER)
    keyframes = [
        (Keyframe("Move op 3 to stage 1", "", 0, "lanes"), plan),
        (Keyframe("As it flows", "", 0, "flow"), plan),
        (Keyframe("Mine", "", 0, "lanes"), plan),
        (Keyframe("The other", "", 0, "lanes"), other),
    ]
    for keyframe, shown in keyframes:
        talk.draft.add(Frame(keyframe, shown, titled="" if keyframe.title == "Mine" else keyframe.title))

    def titles() -> list[str]:
        return [frame.keyframe.title for frame in talk.draft.frames]

    before = titles()
    talk.draft.move(1, 0)
    assert titles() == ["Move op 3 to stage 1", "Device by device", "Mine", "The other"]
    talk.draft.move(1, 0)
    assert titles() == before
    talk.draft.move(0, 3)
    assert titles() == ["Move op 3 to stage 1", "Mine", "The other", "Move op 3 to stage 1"]
    talk.draft.undo_stack.undo()
    assert titles() == before
    talk.draft.remove(0)
    assert titles() == ["Move op 3 to stage 1", "Mine", "The other"]


def test_every_view_of_a_plan_has_a_caption_of_its_own() -> None:
    """Whichever comes after which: none is left without words because the one before it said them."""
    for views in permutations(("lanes", "flow", "stages")):
        talk = Talk()
        for view in ("lanes", *views):
            talk.canvas(talk.shown(EVEN), view)
        captions = dict(zip(views, talk.captions[1:], strict=True))
        assert all(captions.values()) and len(set(talk.captions)) == 4
        assert captions["flow"] == "3 of 6 tensors go from one stage to another."
    talk = Talk()
    talk.canvas(talk.shown([0] * 6))
    talk.canvas(talk.shown([0] * 6), "flow")
    assert talk.captions[1].startswith("Stage 0 works for "), "nothing goes anywhere"


def test_a_comparison_that_comes_first_says_what_is_compared() -> None:
    talk = Talk()
    first, second = talk.shown(EVEN), talk.shown(LATER)
    for how, words in (("side-by-side", "From 3 to 5"), ("sankey", "What goes from device to device")):
        keyframe = Keyframe(words, "", 0, "comparison", versus=0, comparison=how)
        talk.draft.add(Frame(keyframe, second, first, titled=words))
    talk.draft.move(1, 0)
    titles = [frame.keyframe.title for frame in talk.draft.frames]
    assert titles[0].startswith("From ") and titles[1] == "Side by side"


def test_what_is_told_by_itself_is_known_and_as_strong_in_a_story_that_was_saved(tmp_path: Path) -> None:
    """The file's bounds are claims once it is read again; words follow the order as they did, and say no less of proofs."""
    talk = Talk()
    talk.source = replace(talk.source, paths=(write_model(tmp_path, 6),))
    proven = talk.shown(LATER).plan.evaluation.objective
    talk.canvas(talk.shown(EVEN))
    talk.canvas(talk.shown(LATER, proven=proven))
    talk.canvas(talk.shown(LATER, proven=proven))
    talk.draft.edit("Change the title", title="The best plan, proven")
    talk.canvas(talk.shown(LAST))
    as_told = talk.captions
    talk.draft.move(2, 0)
    moved = talk.captions
    talk.draft.undo_stack.undo()
    assert (
        "Proven: no plan takes less time." in as_told[1]
        and "Proven: no plan takes less time." in moved[0] != as_told[1]
    )
    talk.draft.save(tmp_path / "talk.story.json")
    again, file = Draft(), tmp_path / "talk.story.json"
    again.open(story_with_known(resolve_with(read_story(file), [talk.source.model])), file, [talk.source])
    assert any(bound.claimed_by for bound in again.frames[1].shown.bounds)
    talk.draft = again
    talk.draft.move(2, 0)
    assert talk.captions == moved
    talk.draft.move(0, 2)
    assert talk.captions == as_told and all(frame.told_for is None for frame in again.frames)
