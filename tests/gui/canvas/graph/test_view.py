"""The canvas follows its document, whatever is opened, changed or shown."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF

from gui.canvas.graph import surface
from gui.canvas.graph.minimap import Minimap
from gui.canvas.graph.scene import LIFE_SIZE
from gui.canvas.graph.view import CanvasView
from gui.canvas.graph.way_back import WayBack
from gui.look.theme import DARK, LIGHT
from gui.widgets import turn
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.model.graph import Graph, Op
from tests.gui.canvas.graph.conftest import Hand, MakeHand
from tests.gui.models import chain_graph

ROOT = Path(__file__).resolve().parents[4]


def pixels(view: CanvasView) -> np.ndarray:
    image = view.grab().toImage()
    return np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), -1).copy()


# ------------------------------------------------------------------------------------------------ odd documents
def test_without_a_graph_the_ground_is_painted(make_hand: MakeHand) -> None:
    hand = make_hand()
    view = hand.view
    assert np.unique(pixels(view)).tolist() == [0xFF000000 | int(LIGHT.canvas[1:], 16)]
    for act in (view.fit, lambda: view.zoom_by(2), lambda: view.reveal(0), lambda: view.set_highlight(None)):
        act()
    view.zoom_to_ops(np.array([0]))
    view.set_view("lanes")
    hand.drag(QPoint(50, 50), QPoint(200, 200))
    hand.wheel(QPoint(5, 5), 1)
    assert view.item_at(QPointF(5, 5)) == -1
    assert view.device_at(QPointF(5, 5), QPoint()) == -1
    assert view.ops_in(view.rect().toRectF()).tolist() == []
    assert view.lane_rect(0).isEmpty()


@pytest.mark.parametrize("n", [0, 1, 7])
def test_few_ops_and_no_edges(make_hand: MakeHand, n: int) -> None:
    graph = Graph.build("loose", [Op(f"n{i}", f"n{i}", "Conv", work=1.0) for i in range(n)], [])
    hand = make_hand(graph, Pipeline(2))
    for view in ("flow", "lanes"):
        hand.view.set_view(view)
        hand.settle()
        pixels(hand.view)
        assert hand.view.scene is not None
        assert hand.view.scene.items.count == n
        for v in range(n):
            assert hand.view.item_at(hand.view.op_rect(v).center()) == v
    if n:
        hand.drag(hand.at(0), hand.lane(1))
        assert hand.devices[0] == 1


def test_opening_another_graph(hand: Hand) -> None:
    hand.view.zoom_by(4)
    hand.document.open_graph(chain_graph(30), target=DevicePool(2, 1))
    hand.settle()
    assert hand.view.scene is not None
    assert hand.view.scene.items.count == 30
    whole = hand.view.rect().toRectF()
    assert all(whole.contains(hand.view.op_rect(v)) for v in range(30))


# ------------------------------------------------------------------------------------------------------- views
@pytest.mark.parametrize("view", ["flow", "lanes"])
def test_every_card_is_where_it_is_drawn(hand: Hand, view: str) -> None:
    hand.view.set_view(view)
    hand.settle()
    for zoom in (1.0, 2.5, 0.3):
        hand.view.zoom_by(zoom)
        for v in range(12):
            rect = hand.view.op_rect(v)
            if hand.view.rect().toRectF().contains(rect) and (view == "flow" or rect.left() > 150):
                assert hand.view.item_at(rect.center()) == v
                assert v in hand.view.ops_in(rect)


def test_switching_glides_and_ends_in_place(hand: Hand, qtbot) -> None:
    hand.view.set_view("lanes")
    assert hand.view.animating
    scene = hand.view.scene
    assert scene is not None
    assert not scene.settled
    hand.settle()
    assert scene.settled
    assert np.array_equal(scene.x, scene.layout.x)
    assert np.array_equal(scene.y, scene.layout.y)


def test_reduced_motion_jumps(hand: Hand) -> None:
    hand.view.set_reduced_motion(True)
    hand.view.set_view("lanes")
    assert not hand.view.animating
    assert hand.view.scene is not None
    assert hand.view.scene.settled


def test_closing_during_a_glide_leaves_no_timer(hand: Hand) -> None:
    """The guards of the test fail on a timer that still runs."""
    hand.view.set_view("lanes")
    assert hand.view.animating
    hand.view.close_canvas()
    assert not hand.view.animating


def test_stopping_a_glide_puts_cards_in_place(hand: Hand) -> None:
    hand.view.set_view("lanes")
    hand.view.stop_animation()
    assert hand.view.scene is not None
    assert hand.view.scene.settled
    assert not hand.view.animating


def test_an_unknown_view_is_refused(hand: Hand) -> None:
    with pytest.raises(ValueError, match="none of flow, lanes, stages"):
        hand.view.set_view("spiral")


def test_the_view_says_when_it_changes(hand: Hand, qtbot) -> None:
    with qtbot.waitSignal(hand.view.view_changed) as said:
        hand.view.set_view("lanes")
    assert said.args == ["lanes"]


def test_resizing_lays_out_and_fits_again(hand: Hand) -> None:
    hand.view.resize(500, 700)
    hand.settle()
    assert all(hand.view.rect().toRectF().contains(hand.view.op_rect(v)) for v in range(12))


# ---------------------------------------------------------------------------------------- following the document
def test_colours_follow_edits_undo_and_redo(hand: Hand) -> None:
    scene = hand.view.scene
    assert scene is not None
    before = pixels(hand.view)
    hand.document.move([4], 0)
    assert scene.device[4] == 0
    assert not np.array_equal(pixels(hand.view), before)
    hand.document.undo_stack.undo()
    assert scene.device[4] == 1
    assert np.array_equal(pixels(hand.view), before)
    hand.document.undo_stack.redo()
    assert scene.device[4] == 0


def test_very_many_cards_are_painted_in_a_turn_after_a_long_edit(
    hand: Hand, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For that turn the whole picture is the one before; few cards are painted with the edit."""
    monkeypatch.setattr(turn, "SOME_SECONDS", -1.0)
    before = pixels(hand.view)
    for many in (False, True):
        monkeypatch.setattr(surface, "VERY_MANY", 5 if many else 10_000)
        hand.document.move(np.arange(6, dtype=np.int32), 2)
        during = pixels(hand.view)
        assert np.array_equal(during, before) == many
        hand.settle()
        after = pixels(hand.view)
        assert not np.array_equal(after, before)
        assert np.array_equal(after, during) != many
        hand.document.undo_stack.undo()
        hand.settle()
        assert np.array_equal(pixels(hand.view), before)


def test_lanes_follow_another_target(hand: Hand) -> None:
    hand.lanes()
    hand.document.set_problem(Pipeline(5))
    hand.settle()
    assert hand.view.scene is not None
    assert len(hand.view.scene.layout.lanes) == 5
    assert hand.view.scene.k == 5
    hand.document.undo_stack.undo()
    hand.settle()
    assert len(hand.view.scene.layout.lanes) == 3


@pytest.mark.parametrize("view", ["flow", "lanes"])
def test_folding_and_unfolding(hand: Hand, view: str) -> None:
    hand.view.set_view(view)
    hand.document.set_grouping("layers")
    hand.document.fold([1])
    hand.settle()
    scene = hand.view.scene
    assert scene is not None
    parts = 1 if view == "flow" else len(set(hand.document.device_of[3:6].tolist()))  # a card in each lane
    assert scene.items.count == 9 + parts
    assert (hand.view.op_rect(3) == hand.view.op_rect(5)) == (parts == 1)
    assert scene.items.whole_size[3] == 3
    assert scene.mixed[3] == (parts == 1)
    hand.document.unfold_all()
    hand.settle()
    assert hand.view.scene is not None
    assert hand.view.scene.items.count == 12


def test_pins_selection_and_violations_are_marked(hand: Hand) -> None:
    scene = hand.view.scene
    assert scene is not None
    hand.document.pin([4], 1)
    hand.document.select([2, 3])
    hand.document.move([8], 0)
    scene = hand.view.scene
    assert scene is not None
    assert np.flatnonzero(scene.pinned).tolist() == [4]
    assert np.flatnonzero(scene.selected).tolist() == [2, 3]
    broken = {op for violation in hand.document.evaluation.violations for op in violation.ops}
    assert broken
    assert set(np.flatnonzero(scene.violating).tolist()) == broken


def test_highlight_fades_the_rest(hand: Hand) -> None:
    before = pixels(hand.view)
    mask = np.zeros(12, bool)
    mask[:3] = True
    hand.view.set_highlight(mask)
    assert not np.array_equal(pixels(hand.view), before)
    hand.view.set_highlight(np.ones(5, bool))  # of another graph
    assert np.array_equal(pixels(hand.view), before)
    hand.view.set_highlight(mask)
    hand.view.set_highlight(None)
    assert np.array_equal(pixels(hand.view), before)
    hand.view.set_highlight(~mask & mask)
    assert np.array_equal(pixels(hand.view), before)
    hand.view.set_highlight(~mask & mask, fade_all=True)
    assert not np.array_equal(pixels(hand.view), before)
    hand.view.set_highlight(None)
    assert np.array_equal(pixels(hand.view), before)


def test_a_highlight_survives_switching_views(hand: Hand) -> None:
    mask = np.zeros(12, bool)
    mask[5] = True
    hand.view.set_highlight(mask)
    hand.lanes()
    assert hand.view.scene is not None
    assert np.flatnonzero(hand.view.scene.highlighted).tolist() == [5]


def test_themes(hand: Hand) -> None:
    hand.view.set_theme(DARK)
    dark = pixels(hand.view)
    assert dark[2, 2] & 0xFFFFFF == int(DARK.canvas[1:], 16)
    hand.view.set_theme(LIGHT)
    assert pixels(hand.view)[2, 2] & 0xFFFFFF == int(LIGHT.canvas[1:], 16)


# --------------------------------------------------------------------------------------------------- finding ops
def test_reveal_moves_only_when_needed(hand: Hand) -> None:
    hand.view.zoom_to_ops(np.array([0]))
    before = hand.view.op_rect(0)
    hand.view.reveal(0)
    assert hand.view.op_rect(0) == before
    hand.view.reveal(11)
    assert hand.view.rect().toRectF().contains(hand.view.op_rect(11))
    hand.view.reveal(99)
    assert hand.view.rect().toRectF().contains(hand.view.op_rect(11))


def test_what_is_seen_already_is_walked_to_without_moving_the_picture(make_hand: MakeHand) -> None:
    hand = make_hand(chain_graph(200), Pipeline(3))
    before = replace(hand.view.viewport)
    for op in (0, 57, 199):
        hand.view.reveal(op)
        assert hand.view.viewport == before, "the whole picture shows every card already"
    assert hand.view.earlier is None


def test_reveal_keeps_the_zoom_and_pans_the_least(make_hand: MakeHand) -> None:
    hand = make_hand(chain_graph(200), Pipeline(3))
    hand.view.zoom_by(3)
    scale, inside = hand.view.scale, hand.view.rect().toRectF()
    hand.view.reveal(0)
    assert hand.view.scale == scale
    first = hand.view.op_rect(0)
    assert inside.contains(first)
    assert first.left() - hand.view.header_width <= 17, "no farther than into sight"
    assert first.top() <= 17


def test_reveal_from_afar_comes_as_near_as_names_need(make_hand: MakeHand) -> None:
    hand = make_hand(chain_graph(2000), Pipeline(3))
    assert hand.view.op_rect(6).height() < 6
    hand.view.reveal(6)
    assert hand.view.op_rect(6).height() == pytest.approx(16)
    assert hand.view.rect().toRectF().contains(hand.view.op_rect(6))


def test_ops_that_do_not_fit_are_shown_smaller_all_at_once(hand: Hand) -> None:
    hand.view.zoom_by(6)
    hand.view.reveal_ops(np.array([2, 9]))
    for v in (2, 9):
        assert hand.view.rect().toRectF().contains(hand.view.op_rect(v))


def test_what_lies_over_a_card_is_got_out_of_the_way(make_hand: MakeHand) -> None:
    hand = make_hand(chain_graph(200), Pipeline(3))
    minimap = Minimap(hand.view)
    hand.view.zoom_by(1.5)
    for op in range(200):
        hand.view.reveal(op)
        assert not hand.view.op_rect(op).intersects(minimap.geometry().toRectF())


@pytest.mark.parametrize("chosen", [False, True])
def test_one_goes_back_to_where_one_looked_before_a_walk(make_hand: MakeHand, chosen: bool) -> None:
    hand = make_hand(chain_graph(2000), Pipeline(3))
    back = WayBack(hand.view)
    assert back.isHidden()
    if chosen:
        hand.view.zoom_by(1.1)
    before = replace(hand.view.viewport)
    for op in (6, 1000, 1999):
        hand.view.reveal(op)
    assert not back.isHidden()
    assert ("Whole picture" in back.text()) != chosen
    assert hand.view.rect().contains(back.geometry())
    hand.view.resize(860, 580)
    assert hand.view.rect().contains(back.geometry())
    hand.view.resize(900, 600)
    back.click()
    assert hand.view.viewport == before, "the place before the walk, not a step of it"
    assert back.isHidden()
    back.click()
    assert hand.view.viewport == before


def test_the_whole_picture_needs_no_way_back(make_hand: MakeHand) -> None:
    hand = make_hand(chain_graph(2000), Pipeline(3))
    back = WayBack(hand.view)
    hand.view.zoom_to_ops(np.array([5]))
    assert not back.isHidden()
    hand.view.fit()
    assert back.isHidden()


def test_zoom_to_ops_shows_them_all(hand: Hand) -> None:
    hand.view.zoom_by(6)
    hand.view.zoom_to_ops(np.array([2, 9]))
    for v in (2, 9):
        assert hand.view.rect().toRectF().contains(hand.view.op_rect(v))


def test_cards_beneath_the_lane_headers_cannot_be_hit(hand: Hand) -> None:
    hand.lanes()
    rect = hand.view.op_rect(0)
    hand.view.pan_by(100 - rect.center().x(), 0)
    centre = hand.view.op_rect(0).center()
    assert centre.x() < 148
    assert hand.view.item_at(centre) == -1


def test_every_detail_level_is_painted_in_both_views(make_hand: MakeHand) -> None:
    from gui.canvas.graph.detail import Detail, detail_at

    hand = make_hand(chain_graph(400), Pipeline(4), (900, 600))
    seen = set()
    for view in ("flow", "lanes"):
        hand.view.set_view(view)
        hand.settle()
        hand.view.fit()
        for zoom in (0.5, 1.0, 2.0, 5.0, 12.0):
            hand.view.fit()
            hand.view.zoom_by(zoom)
            seen.add(detail_at(44 * hand.view.scale))
            assert len(np.unique(pixels(hand.view))) > 10
    assert seen >= {Detail.BLOCKS, Detail.LABELS, Detail.CARDS}


def test_on_a_dense_screen_pixels_and_hits_agree(tmp_path: Path) -> None:
    """Two device pixels per logical one: cards are hit where they are drawn, and drawn twice as fine."""
    program = (
        "import sys\n"
        "import numpy as np\n"
        "from PySide6.QtCore import QPointF\n"
        "from PySide6.QtWidgets import QApplication\n"
        "application = QApplication([])\n"
        "from gui.canvas.graph.view import CanvasView\n"
        "from gui.document.plan.document import Document\n"
        "from gui.look.theme import LIGHT\n"
        "from planner.machines.pipeline.target import Pipeline\n"
        "from tests.gui.models import chain_graph\n"
        "document = Document()\n"
        "document.open_graph(chain_graph(12), target=Pipeline(3))\n"
        "view = CanvasView(document, LIGHT)\n"
        "view.set_reduced_motion(True)\n"
        "view.resize(900, 600)\n"
        "view.show()\n"
        "application.processEvents()\n"
        "assert view.devicePixelRatioF() == 2.0\n"
        "for name in ('flow', 'lanes'):\n"
        "    view.set_view(name)\n"
        "    application.processEvents()\n"
        "    image = view.grab().toImage()\n"
        "    assert (image.width(), image.height()) == (1800, 1200)\n"
        "    for v in range(12):\n"
        "        rect = view.op_rect(v)\n"
        "        assert view.rect().toRectF().contains(rect), (name, v, rect)\n"
        "        assert view.item_at(rect.center()) == v\n"
        "        assert view.item_at(rect.topLeft() - QPointF(6, 6)) != v\n"
        "        # the stage's bar at the card's left edge is drawn there\n"
        "        left = image.pixelColor(int(2 * rect.left()) + 4, int(2 * rect.center().y()))\n"
        "        inside = image.pixelColor(int(2 * rect.right()) - 8, int(2 * rect.top()) + 8)\n"
        "        assert left != inside, (name, v)\n"
        "    if name == 'lanes':\n"
        "        for d in range(3):\n"
        "            lane = view.lane_rect(d)\n"
        "            assert view.device_at(lane.center(), view.mapToGlobal(lane.center().toPoint())) == d\n"
        "view.close_canvas()\n"
        "print('agreed')\n"
    )
    environment = {
        **os.environ, "QT_SCALE_FACTOR": "2", "QT_QPA_PLATFORM": "offscreen", "XDG_STATE_HOME": str(tmp_path),
        "PYTHONPATH": str(ROOT),
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", program],
        check=False,
        capture_output=True,
        text=True,
        env=environment,
        timeout=120,
    )
    assert done.stdout.strip() == "agreed", done.stderr


# ------------------------------------------------------------------------------------------------ what is in sight
@pytest.mark.parametrize("view", ["flow", "lanes"])
def test_nothing_is_cut_off_unless_someone_looked_elsewhere(make_hand: MakeHand, view: str) -> None:
    hand = make_hand(chain_graph(60), Pipeline(3))
    hand.view.set_view(view)
    hand.settle()
    shows = hand.view.viewport.shows
    for count in (6, 2, 8):
        hand.document.set_problem(Pipeline(count), "bottleneck")
        hand.settle()
        hand.document.set_assignment(np.arange(60) * count // 60, "edit", "even")
        hand.settle()
        assert hand.view.scene is not None
        assert shows(hand.view.scene.layout.bounds)
    hand.view.zoom_by(3.0)
    scale = hand.view.viewport.scale
    hand.document.set_assignment(np.zeros(60, np.int32), "edit", "all on one")
    hand.settle()
    assert hand.view.viewport.scale == scale
    assert not shows(hand.view.scene.layout.bounds)


def test_a_plan_that_needs_far_less_room_is_shown_as_large_as_fits(make_hand: MakeHand) -> None:
    hand = make_hand(chain_graph(60), Pipeline(8))
    hand.view.set_view("lanes")
    hand.settle()
    assert hand.view.scene is not None
    x, y, width, height = hand.view.scene.layout.bounds
    hand.view.viewport.fit((x, y, 4 * width, 4 * height))  # as for a plan that needed sixteen times the room
    hand.document.set_assignment(np.arange(60, dtype=np.int32) * 8 // 60, "edit", "in blocks")
    hand.settle()
    bounds = hand.view.scene.layout.bounds
    assert hand.view.viewport.shows(bounds)
    assert not hand.view.viewport.wastes(bounds, 8.0, LIFE_SIZE)


def test_another_view_takes_the_words_about_an_op_away(hand: Hand) -> None:
    card = hand.view._hover_card
    card.show_at(hand.at(3), "an op", hand.view.theme)
    assert card.isVisible()
    hand.view.set_view("lanes")
    assert not card.isVisible()
