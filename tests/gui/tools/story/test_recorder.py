"""Recording: a keyframe whenever what is on screen has come to rest after a change."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from gui.canvas.graph.view import CanvasView
from gui.document.plan.document import Document
from gui.document.plan_list import PlanEntry
from gui.look.theme import LIGHT
from gui.tools.story import recorder as recording
from gui.tools.story.draft import Draft
from gui.tools.story.looks import SAID_OF_LOOKS, look
from gui.tools.story.recorder import Recorder, overlap
from gui.tools.story.shots import GraphShots, OrderShots
from gui.words.methods import shown_name
from planner.machines.mcm.target import McmPackage
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.problem.problem import Problem
from planner.problem.provenance import Provenance
from planner.problem.target import Target
from planner.story.keyframe import Camera, Keyframe
from planner.story.matching import Matched
from tests.gui.editors.network.window_parts import order_window
from tests.gui.models import chain_graph
from tests.gui.window_parts import opened, shown


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording, "REST_MS", 60)


def titles(draft: Draft) -> list[str]:
    return [frame.keyframe.title for frame in draft.frames]


def has(draft: Draft, count: int) -> Callable[[], bool]:
    return lambda: len(draft.frames) == count


def test_what_one_does_becomes_keyframes(qtbot: QtBot) -> None:
    document = opened()
    canvas = CanvasView(document, LIGHT)
    with shown(qtbot, canvas, 700, 500):
        draft = Draft()
        recorder = Recorder(GraphShots(document, canvas), draft)
        document.move([7], 2)  # nobody records yet
        recorder.start()
        assert len(draft.frames) == 1 and recorder.recording
        document.move([6], 2)
        document.move([3], 1)  # two steps without a rest between them are one keyframe
        qtbot.waitUntil(has(draft, 2))
        assert titles(draft)[1] == "2 of 12 ops moved" and "moved" in draft.frames[1].keyframe.caption
        canvas.set_view("lanes")
        qtbot.waitUntil(has(draft, 3))
        assert draft.frames[2].keyframe.view == "lanes" and titles(draft)[2] == "Device by device"
        assert draft.frames[2].shown is draft.frames[1].shown
        document.select([1, 2])
        qtbot.waitUntil(has(draft, 4))
        assert draft.frames[3].keyframe.highlight == ("n1", "n2") and "and 1 more" in titles(draft)[3]
        canvas.zoom_to_ops(np.array([1, 2], np.int32))
        qtbot.waitUntil(has(draft, 5))
        assert draft.frames[4].keyframe.camera is not None and titles(draft)[4] == "A closer look"
        document.undo_stack.undo()
        document.undo_stack.redo()  # as it was
        recorder.stop()
        assert len(draft.frames) == 5 or draft.frames[5].shown is not draft.frames[4].shown
        document.move([6], 0)
        qtbot.wait(150)
        assert not recorder.recording and len(draft.frames) <= 6
        canvas.close_canvas()


def test_ops_moved_by_hand_are_those_that_moved(qtbot: QtBot) -> None:
    """Title, caption and colours of two captures agree with the window, though exchanged accelerators would move fewer ops."""
    document = Document()
    document.open_graph(chain_graph(12), target=DevicePool(2, 1, contiguous=False))
    document.set_assignment(np.zeros(12, np.int32), "edit", "all on one")
    canvas = CanvasView(document, LIGHT)
    with shown(qtbot, canvas, 700, 500):
        draft = Draft()
        recorder = Recorder(GraphShots(document, canvas), draft)
        recorder.capture()
        document.move(list(range(2, 12)), 1)
        recorder.capture()
        assert titles(draft)[1] == "Move 10 ops to Accelerator 1"
        assert "10 of 12 ops moved" in draft.frames[1].keyframe.caption
        plans = [frame.shown.plan for frame in draft.frames]
        assert Matched(plans, [(False, [0]), (False, [1])]).numbers == {}
        kept = PlanEntry("kept", np.zeros(12, np.int32), "hand")
        kept.problem = document.open_problem
        assert np.count_nonzero(document.differences(kept)) == 10
        canvas.close_canvas()


def test_each_view_of_a_plan_has_a_caption_of_its_own(qtbot: QtBot) -> None:
    document = opened()
    canvas = CanvasView(document, LIGHT)
    with shown(qtbot, canvas, 700, 500):
        draft = Draft()
        recorder = Recorder(GraphShots(document, canvas), draft)
        for view in ("flow", "lanes", "stages"):
            canvas.set_view(view)
            recorder.capture()
        said = [frame.keyframe.caption for frame in draft.frames]
        assert all(said) and len(set(said)) == 3 and " go " in said[2]
        canvas.close_canvas()


def test_recording_goes_on_from_what_is_captured_and_forgets_old_selections(qtbot: QtBot) -> None:
    document = opened()
    canvas = CanvasView(document, LIGHT)
    with shown(qtbot, canvas, 700, 500):
        draft = Draft()
        recorder = Recorder(GraphShots(document, canvas), draft)
        recorder.capture()
        recorder.start()
        assert len(draft.frames) == 1  # the last keyframe shows just that
        document.select([1, 2])
        qtbot.waitUntil(has(draft, 2))
        assert "work" in draft.frames[1].keyframe.caption
        canvas.zoom_to_ops(np.array([1, 2], np.int32))
        qtbot.waitUntil(has(draft, 3))
        assert draft.frames[2].keyframe.highlight == ("n1", "n2")
        canvas.set_view("lanes")
        qtbot.waitUntil(has(draft, 4))
        assert draft.frames[3].keyframe.highlight == ()  # still selected, but nobody means it any more
        captions = [frame.keyframe.caption for frame in draft.frames]
        assert all(one != other or not one for one, other in pairwise(captions))
        recorder.stop()
        canvas.close_canvas()


def test_folding_becomes_a_keyframe(qtbot: QtBot) -> None:
    document = opened()
    canvas = CanvasView(document, LIGHT)
    with shown(qtbot, canvas, 700, 500):
        draft = Draft()
        recorder = Recorder(GraphShots(document, canvas), draft)
        recorder.start()
        document.fold_all()
        qtbot.waitUntil(has(draft, 2))
        assert len(draft.frames[1].keyframe.folded) == 4
        document.select([3, 4, 5])
        qtbot.waitUntil(has(draft, 3))
        assert titles(draft)[2] == "block1", "what is selected is that group"
        document.unfold_all()
        qtbot.waitUntil(has(draft, 4))
        assert titles(draft)[3] == "Op by op" and not draft.frames[3].keyframe.folded
        document.fold([2])
        qtbot.waitUntil(has(draft, 5))
        assert titles(draft)[4] == "block2"
        recorder.stop()
        canvas.close_canvas()


def test_what_was_proven_better_meanwhile_is_captured(qtbot: QtBot) -> None:
    """A bound of the same proof takes the place of the one before: they are as many as they were."""
    document = opened()
    canvas = CanvasView(document, LIGHT)
    with shown(qtbot, canvas, 700, 500):
        shots, problem = GraphShots(document, canvas), document.open_problem
        best = document.current_plan().objective
        for share in (0.5, 0.9):
            document.add_bounds([problem.bound(problem.components[0], share * best, "chain-dp", frozenset())])
            assert share * best in {bound.value for bound in shots.shown().bounds}
        assert shots.shown() is shots.shown()
        canvas.close_canvas()


def test_few_cards_of_many_ops_stand_out(qtbot: QtBot) -> None:
    """It is cards that are too many to stand out: a folded group is one, however many ops it has."""
    document = opened(n=600)
    canvas = CanvasView(document, LIGHT)
    with shown(qtbot, canvas, 700, 500):
        shots = GraphShots(document, canvas)
        document.select(range(450))
        assert shots.highlight() == ()
        document.fold_all()
        assert len(shots.highlight()) == 450
        canvas.close_canvas()


def test_a_plan_chosen_in_the_list_is_a_title_by_its_name(qtbot: QtBot) -> None:
    document = opened()
    canvas = CanvasView(document, LIGHT)
    with shown(qtbot, canvas, 700, 500):
        first = document.plans[0]
        assert document.active is not first
        document.apply_plan(first)
        assert document.undo_stack.undoText() == f"Apply '{first.name}'"
        assert Recorder(GraphShots(document, canvas), Draft()).capture().keyframe.title == shown_name(
            first.name
        )
        canvas.close_canvas()


def test_a_plan_that_came_with_another_machine_is_a_title_by_its_shown_name(qtbot: QtBot) -> None:
    document = opened()
    canvas = CanvasView(document, LIGHT)
    with shown(qtbot, canvas, 700, 500):
        recorder = Recorder(GraphShots(document, canvas), Draft())
        assert document.set_problem(Pipeline(5))
        assert document.active is not None
        document.active.name = "chain-dp, 5 stages"  # as where it is planned anew
        assert recorder.capture().keyframe.title == "Chain DP, 5 stages"
        document.move([3], 2)
        assert recorder.capture().keyframe.title == document.undo_stack.undoText(), (
            "what was done to the plan"
        )
        canvas.close_canvas()


def test_a_keyframe_is_taken_again_with_its_words(qtbot: QtBot) -> None:
    document = opened()
    canvas = CanvasView(document, LIGHT)
    with shown(qtbot, canvas, 700, 500):
        draft = Draft()
        recorder = Recorder(GraphShots(document, canvas), draft)
        recorder.capture()
        draft.edit("Change a title", title="My words", notes="Say it slowly")
        document.move([3], 2)
        recorder.retake()
        assert len(draft.frames) == 1 and titles(draft) == ["My words"]
        assert draft.frames[0].keyframe.notes == "Say it slowly"
        assert draft.frames[0].shown.plan.decision.device_of[3] == 2  # type: ignore[union-attr]
        canvas.close_canvas()


@pytest.mark.parametrize("at", [0, 1])
def test_what_a_keyframe_said_by_itself_is_told_anew_of_what_it_shows_when_taken_again(
    at: int, qtbot: QtBot
) -> None:
    document = opened()
    canvas = CanvasView(document, LIGHT)
    with shown(qtbot, canvas, 700, 500):
        draft = Draft()
        recorder = Recorder(GraphShots(document, canvas), draft)
        recorder.capture()
        document.move([3], 2)
        recorder.capture()
        draft.select(at)
        document.move([4, 5], 2)
        fresh = Draft()
        beside = Recorder(GraphShots(document, canvas), fresh)
        expected = beside.frame_now(draft.frames[at - 1] if at else None).keyframe
        recorder.retake()
        taken = draft.frames[at]
        assert (taken.keyframe.caption, taken.keyframe.title) == (expected.caption, expected.title)
        assert taken.titled == taken.keyframe.title
        draft.edit("Change a caption", caption=f"{expected.caption} Mine.")
        document.undo_stack.undo()
        document.undo_stack.undo()
        recorder.retake()
        caption = draft.frames[at].keyframe.caption
        assert caption.endswith(" Mine.") and not caption.startswith(expected.caption)
        draft.edit("Change a caption", caption="All mine.")
        document.move([7], 2)
        recorder.retake()
        assert draft.frames[at].keyframe.caption == "All mine."
        canvas.close_canvas()


def test_an_order_is_recorded_with_its_moment(qtbot: QtBot) -> None:
    with order_window(qtbot) as window:
        draft = Draft()
        recorder = Recorder(OrderShots(window.document), draft)
        recorder.start()
        window.document.set_position(7)
        qtbot.waitUntil(has(draft, 2))
        assert draft.frames[1].keyframe.at == 7 and draft.frames[1].keyframe.view == "network"
        assert titles(draft)[1] == "After 7 connections"
        recorder.stop()


def test_overlap_of_cameras() -> None:
    assert overlap(None, None) == 1.0
    half = Camera(0.0, 0.0, 0.5, 1.0)
    assert overlap(None, half) == pytest.approx(0.5)
    assert overlap(half, Camera(0.5, 0.0, 0.5, 1.0)) == 0.0


def test_stages_are_captured_as_stages(qtbot: QtBot) -> None:
    document = opened()
    canvas = CanvasView(document, LIGHT)
    with shown(qtbot, canvas, 700, 500):
        canvas.set_view("stages")
        canvas.zoom_to_ops(np.array([1], np.int32))
        shots = GraphShots(document, canvas)
        assert shots.view() == "stages" and shots.camera() is not None
        canvas.set_view("flow")
        assert shots.view() == "flow"


def test_a_whole_stage_that_is_selected_is_called_by_its_name(qtbot: QtBot) -> None:
    document = opened()
    canvas = CanvasView(document, LIGHT)
    with shown(qtbot, canvas, 700, 500):
        draft = Draft()
        recorder = Recorder(GraphShots(document, canvas), draft)
        recorder.capture()
        worst = document.evaluation.bottleneck
        document.select(np.flatnonzero(document.device_of == worst).tolist())
        recorder.capture()
        assert titles(draft)[1] == f"The bottleneck, stage {worst}"
        canvas.close_canvas()


def test_what_was_selected_for_an_earlier_plan_does_not_stand_out(qtbot: QtBot) -> None:
    document = opened()
    canvas = CanvasView(document, LIGHT)
    with shown(qtbot, canvas, 700, 500):
        draft = Draft()
        recorder = Recorder(GraphShots(document, canvas), draft)
        recorder.capture()
        document.select(np.flatnonzero(document.device_of == 0).tolist())
        recorder.capture()
        ops = [frame.keyframe.highlight for frame in draft.frames]
        assert len(ops[1]) > 1
        last = int(np.flatnonzero(document.device_of == 0)[-1])
        document.move([last], 1)
        assert len(document.selection), "and all of them are still selected"
        frame = recorder.capture()
        assert frame.keyframe.highlight == (document.graph.op_ids[last],)  # type: ignore[union-attr]
        assert "1 of " in frame.keyframe.caption and "moved" in frame.keyframe.caption
        canvas.set_view("stages")
        assert recorder.capture().keyframe.highlight == ()
        document.select([1, 2])
        assert recorder.capture().keyframe.highlight == ("n1", "n2"), "what is selected now is meant"
        canvas.close_canvas()


def test_a_neuron_selected_for_an_earlier_order_does_not_stand_out(qtbot: QtBot) -> None:
    with order_window(qtbot) as window:
        document, draft = window.document, Draft()
        recorder = Recorder(OrderShots(document), draft)
        document.select(0)
        assert recorder.capture().keyframe.highlight == ("0",)
        document.set_order(document.order[::-1].copy(), "Turn round")
        assert document.selection == 0
        assert recorder.capture().keyframe.highlight == ()


def test_stages_of_which_one_has_all_ops_are_not_said_to_send_anything() -> None:
    problem = Problem(chain_graph(4), Pipeline(2))
    flow, stages = (Keyframe("t", "", 0, view) for view in ("flow", "stages"))
    titles = [
        look(problem.plan(np.array(on, np.int32), Provenance("x")), flow, stages)
        for on in ([0, 0, 0, 0], [0, 0, 1, 1])
    ]
    assert titles == ["All on one device", "Stages, and what flows between them"]


@pytest.mark.parametrize(
    ("target", "title"),
    [
        (Pipeline(2), "Stage by stage"),
        (DevicePool(1, 1), "Device by device"),
        (McmPackage(2), "Chip by chip"),
    ],
)
def test_the_colours_of_devices_are_called_as_the_machine_calls_them(target: Target, title: str) -> None:
    plan = Problem(chain_graph(4), target).plan(np.zeros(4, np.int32), Provenance("x"))
    time, stage = Keyframe("t", "", 0, "flow", colouring="time"), Keyframe("t", "", 0, "flow")
    assert (look(plan, time, stage), look(plan, stage, time)) == (title, "Where the time goes")
    assert title in SAID_OF_LOOKS


def test_the_first_keyframe_is_called_after_its_plan_and_no_step_that_led_to_it(qtbot: QtBot) -> None:
    document = opened()
    canvas = CanvasView(document, LIGHT)
    with shown(qtbot, canvas, 700, 500):
        draft = Draft()
        document.move([7], 2)
        recorder = Recorder(GraphShots(document, canvas), draft)
        recorder.start()
        assert document.active is not None and "Move" not in titles(draft)[0]
        assert titles(draft)[0] == shown_name(document.active.name)
        recorder.stop()
        canvas.close_canvas()


def test_a_keyframe_on_another_machine_says_which_instead_of_a_name_that_tells_nothing(qtbot: QtBot) -> None:
    document = opened()
    canvas = CanvasView(document, LIGHT)
    with shown(qtbot, canvas, 700, 500):
        draft = Draft()
        recorder = Recorder(GraphShots(document, canvas), draft)
        recorder.capture()
        document.set_problem(Pipeline(2))
        assert document.active is not None and document.active.name == "carried over, 2 stages"
        recorder.capture()
        assert titles(draft)[1] == "On 2 stages instead of 3"
        assert " than on 3 stages." in draft.frames[1].keyframe.caption
        document.move([3], 1)
        recorder.capture()
        assert "carried over" not in titles(draft)[2] and "before" in draft.frames[2].keyframe.caption
        document.apply_plan(document.plans[0])
        recorder.capture()
        assert titles(draft)[3] == f"{document.plans[0].name}, on 3 stages"
        draft.move(1, 0)
        assert titles(draft)[0] == "On 2 stages", "nothing was told before"
        canvas.close_canvas()
