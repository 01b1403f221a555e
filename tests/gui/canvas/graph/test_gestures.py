"""Dragging, selecting, panning and answering with the mouse, as a person does it."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton, QWidget
from pytestqt.qtbot import QtBot

from gui.canvas.graph.drop_choice import DropChoice
from gui.canvas.graph.gestures.ghost import Ghost
from gui.canvas.graph.surface import DROP_WHERE
from gui.canvas.graph.tooltip import HoverCard
from gui.look.numbers import gap_text
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.pipeline.target import Pipeline
from tests.gui.canvas.graph.conftest import LEFT, Hand, MakeHand
from tests.gui.models import chain_graph, tpu_graph
from tests.gui.scribe import Scribe

ALT, SHIFT, CTRL = (
    Qt.KeyboardModifier.AltModifier,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.ControlModifier,
)
THIRDS = [0] * 4 + [1] * 4 + [2] * 4


def choice(hand: Hand) -> DropChoice:
    return hand.view.findChild(DropChoice)


def button(hand: Hand, text: str) -> QPushButton:
    return next(b for b in choice(hand).findChildren(QPushButton) if text in b.text() and b.isVisible())


# ---------------------------------------------------------------------------------------------------- legal drops
def test_one_op_to_another_lane(hand: Hand) -> None:
    hand.lanes()
    hand.drag(hand.at(4), hand.lane(0))
    assert hand.devices == [0] * 5 + [1] * 3 + [2] * 4
    assert hand.steps == 1
    assert hand.document.preview is None
    assert hand.document.selection.tolist() == [4]
    hand.document.undo_stack.undo()
    assert hand.devices == THIRDS


def test_an_op_moves_into_its_new_lane(hand: Hand) -> None:
    hand.lanes()
    hand.drag(hand.at(4), hand.lane(0))
    lane, card = hand.view.lane_rect(0), hand.view.op_rect(4)
    assert lane.top() <= card.top()
    assert card.bottom() <= lane.bottom()


def test_a_rubber_band_selection_moves_together(hand: Hand) -> None:
    hand.lanes()
    cards = [hand.view.op_rect(v) for v in (8, 9)]
    band = cards[0].united(cards[1]).adjusted(-8, -8, 8, 8)
    inside = [v for v in range(12) if band.intersects(hand.view.op_rect(v))]
    hand.drag(band.topLeft().toPoint(), band.bottomRight().toPoint())
    assert hand.document.selection.tolist() == inside
    hand.drag(hand.at(8), hand.lane(1))
    expected = list(THIRDS)
    for v in inside:
        expected[v] = 1
    if hand.document.preview is None:
        assert hand.devices == expected
        assert hand.steps == 1


def test_a_rubber_band_adds_and_toggles(hand: Hand) -> None:
    def sweep(op: int, modifiers: Qt.KeyboardModifier) -> None:
        card = hand.view.op_rect(op).adjusted(-5, -5, 5, 5)
        hand.carry(card.topLeft().toPoint(), card.center().toPoint(), modifiers)
        hand.release(card.center().toPoint(), modifiers)

    sweep(0, Qt.KeyboardModifier.NoModifier)
    assert hand.document.selection.tolist() == [0]
    sweep(5, SHIFT)
    assert hand.document.selection.tolist() == [0, 5]
    sweep(0, CTRL)
    assert hand.document.selection.tolist() == [5]


def test_a_folded_group_moves_whole(hand: Hand) -> None:
    hand.document.set_grouping("layers")
    hand.document.fold_all()
    hand.document.set_assignment(np.repeat(np.arange(3, dtype=np.int32), [3, 3, 6]), "edit", "layers")
    hand.lanes()
    before = hand.steps
    hand.drag(hand.at(3), hand.lane(0))
    assert hand.devices == [0] * 6 + [2] * 6
    assert hand.steps == before + 1


def test_to_a_chip_in_the_flow_view(hand: Hand) -> None:
    hand.drag(hand.at(4), hand.view.slot_rect(0).center().toPoint())
    assert hand.devices == [0] * 5 + [1] * 3 + [2] * 4
    assert hand.steps == 1


def test_among_the_ops_of_another_device_in_the_flow_view(hand: Hand) -> None:
    hand.carry(hand.at(4), hand.at(1))
    assert hand.document.preview is not None
    assert hand.document.preview.target == 0
    hand.release(hand.at(1))
    assert hand.devices == [0] * 5 + [1] * 3 + [2] * 4
    assert hand.steps == 1


def test_among_ops_that_a_rule_forbids_in_the_flow_view_it_asks(hand: Hand) -> None:
    hand.drag(hand.at(4), hand.at(10))
    assert choice(hand).isVisible()
    button(hand, "Cancel").click()
    assert hand.devices == THIRDS


def test_what_is_dragged_and_groups_on_several_devices_are_no_place_to_drop(hand: Hand) -> None:
    view, scene = hand.view, hand.view.scene
    assert scene is not None
    hand.document.begin_preview(np.array([4], np.int32))
    where = view.mapToGlobal(hand.at(4))
    assert view.device_at(QPointF(hand.at(4)), where) == -1
    assert view.device_at(QPointF(hand.at(5)), where) == 1
    scene.mixed[scene.items.item_of[5]] = True
    assert view.device_at(QPointF(hand.at(5)), where) == -1
    hand.document.end_preview()


def test_over_no_device_of_the_flow_view_it_says_where_to_drop(hand: Hand) -> None:
    ground = QPoint(3, 3)
    assert hand.view.device_at(QPointF(ground), hand.view.mapToGlobal(ground)) == -1
    hand.carry(hand.at(4), ground)
    scribe = Scribe(900, 600)
    hand.view._surface._paint_consequences(scribe, 1.0)
    scribe.end()
    assert DROP_WHERE in [text for _, text in scribe.written]
    hand.release(ground)
    assert hand.devices == THIRDS


def test_to_a_target_outside_the_canvas(hand: Hand) -> None:
    class Dock:
        def device_at(self, global_pos: QPoint) -> int:
            return 0 if global_pos.x() < hand.view.mapToGlobal(QPoint(0, 0)).x() else -1

    hand.view.add_drop_target(Dock())
    hand.carry(hand.at(4), QPoint(-40, 60))
    assert hand.document.preview is not None
    assert hand.document.preview.target == 0
    hand.release(QPoint(-40, 60))
    assert hand.devices == [0] * 5 + [1] * 3 + [2] * 4


@pytest.mark.parametrize("view", ["flow", "lanes", "stages"])
def test_dropped_outside_every_device_nothing_moves(hand: Hand, view: str) -> None:
    hand.view.set_view(view)
    hand.settle()
    hand.drag(hand.at(4), QPoint(-300, -300))
    assert hand.devices == THIRDS
    assert hand.steps == 0
    assert hand.document.preview is None


def test_dropped_where_it_was_nothing_moves(hand: Hand) -> None:
    hand.lanes()
    hand.drag(hand.at(4), hand.lane(1))
    assert hand.devices == THIRDS
    assert hand.steps == 0


# -------------------------------------------------------------------------------------------------- consequences
def test_every_lane_says_what_a_drop_would_give(hand: Hand) -> None:
    hand.lanes()
    hand.carry(hand.at(4), hand.lane(0))
    said, preview = hand.view.consequences, hand.document.preview
    assert preview is not None
    assert [c.legal for c in said] == preview.legal.tolist() == [True, True, False]
    assert [c.stays for c in said] == [False, True, False]
    assert said[2].long == "breaks the order"
    assert "%" in said[0].long
    assert preview.target == 0
    hand.release(hand.lane(1))
    assert hand.view.consequences == []


def test_the_gap_beside_a_drag_follows_what_is_proven_meanwhile(hand: Hand) -> None:
    hand.document.board.bounds.clear()
    hand.lanes()
    hand.carry(hand.at(4), hand.lane(0))
    problem, preview = hand.document.problem, hand.document.preview
    assert problem is not None and preview is not None
    assert hand.view.consequences[0].gap == ""
    least = 0.5 * float(preview.objective[0])
    hand.document.add_bounds([problem.bound("bottleneck", least, "test", frozenset())])
    assert hand.view.consequences[0].gap == gap_text(0.5)
    hand.release(hand.lane(1))


def test_an_illegal_lane_is_painted_grey(hand: Hand) -> None:
    hand.lanes()
    free = [
        QPoint(int(hand.view.lane_rect(d).right()) - 300, int(hand.view.lane_rect(d).bottom()) - 3)
        for d in range(3)
    ]
    before = [hand.view.grab().toImage().pixelColor(p) for p in free]
    hand.carry(hand.at(4), hand.lane(0))
    after = [hand.view.grab().toImage().pixelColor(p) for p in free]
    assert after[0] == before[0]
    assert after[2] != before[2]
    assert after[2].hslSaturationF() <= before[2].hslSaturationF()
    hand.release(hand.lane(1))


def test_the_illegal_target_shows_who_would_come_along(hand: Hand) -> None:
    hand.lanes()
    hand.carry(hand.at(4), hand.lane(2))
    preview = hand.document.preview
    assert preview is not None
    assert preview.along.tolist() == [5, 6, 7]
    hand.key(Qt.Key.Key_Escape)


def test_over_a_forbidden_device_the_price_is_that_of_the_drop(hand: Hand) -> None:
    hand.lanes()
    hand.carry(hand.at(4), hand.lane(2))
    document, preview = hand.document, hand.document.preview
    assert preview is not None and preview.along_change is not None
    told, broken = preview.along_change.text, preview.changes[2].text
    hand.release(hand.lane(2))
    assert f"Move along: Bottleneck {told}" in choice(hand)._effect.text().replace("bottleneck", "Bottleneck")
    button(hand, "along").click()
    after = document.evaluation.objective
    assert told.startswith(f"{after:,.2f}") and told != broken
    # Where nothing can come along there is no price.
    hand.carry(hand.at(0), hand.lane(1))
    preview = document.preview
    assert (preview is not None and preview.along_change is None) or len(preview.along)
    hand.key(Qt.Key.Key_Escape)


# ------------------------------------------------------------------------------------------------- illegal drops
def ask(hand: Hand) -> None:
    hand.lanes()
    hand.drag(hand.at(4), hand.lane(2))
    assert choice(hand).isVisible()


def test_an_illegal_drop_asks_with_a_sentence(hand: Hand) -> None:
    ask(hand)
    assert hand.devices == THIRDS
    assert hand.view.interacting
    texts = " ".join(label.text() for label in choice(hand).findChildren(type(choice(hand)._sentence)))
    assert hand.document.graph is not None
    assert hand.document.graph.op_names[4] in texts
    assert "Move along: bottleneck" in texts and "Move anyway: bottleneck" in texts
    assert button(hand, "Move along: 3 more ops").hasFocus()
    assert hand.view.rect().contains(choice(hand).geometry())
    button(hand, "Cancel").click()


def test_the_question_stays_in_sight_when_the_canvas_shrinks(hand: Hand) -> None:
    ask(hand)
    choice(hand).keep_inside(QPoint(10_000, 10_000))
    hand.view.resize(500, 300)
    hand.settle()
    assert choice(hand).isVisible()
    assert hand.view.rect().contains(choice(hand).geometry())
    button(hand, "Cancel").click()


def test_an_illegal_drop_says_each_choice_on_a_line_where_components_differ(make_hand: MakeHand) -> None:
    hand = make_hand(tpu_graph(), EdgeTpuPipeline(3))
    hand.document.set_assignment(np.array([0, 0, 1, 1, 2, 2], np.int32), "edit", "thirds")
    hand.lanes()
    hand.drag(hand.at(2), hand.lane(2))
    effect = choice(hand)._effect
    along, anyway = effect.text().split("\n")
    assert along.startswith("Move along: ")
    assert anyway.startswith("Move anyway: ")
    assert effect.wordWrap()
    button(hand, "Cancel").click()


def test_taking_neighbours_along_is_one_step(hand: Hand) -> None:
    ask(hand)
    QTest.mouseClick(button(hand, "along"), LEFT)
    assert hand.devices == [0] * 4 + [2] * 8
    assert hand.steps == 1
    hand.document.undo_stack.undo()
    assert hand.devices == THIRDS


def test_moving_anyway_is_one_step_and_breaks_the_rule(hand: Hand) -> None:
    ask(hand)
    QTest.mouseClick(button(hand, "anyway"), LEFT)
    assert hand.devices == [0] * 4 + [2] + [1] * 3 + [2] * 4
    assert hand.steps == 1
    assert hand.document.evaluation.violations
    assert hand.view.scene is not None
    assert hand.view.scene.violating[4]
    hand.document.undo_stack.undo()
    assert not hand.view.scene.violating.any()


@pytest.mark.parametrize("how", ["button", "escape", "elsewhere"])
def test_leaving_the_question_moves_nothing(hand: Hand, how: str) -> None:
    ask(hand)
    if how == "button":
        QTest.mouseClick(button(hand, "Cancel"), LEFT)
    elif how == "escape":
        hand.key(Qt.Key.Key_Escape)
    else:
        QTest.mouseClick(hand.view, LEFT, Qt.KeyboardModifier.NoModifier, QPoint(20, 20))
    assert not choice(hand).isVisible()
    assert hand.devices == THIRDS
    assert hand.steps == 0
    assert hand.document.preview is None
    assert not hand.view.interacting
    assert hand.view.hasFocus()


def test_return_answers_with_the_first_button(hand: Hand) -> None:
    ask(hand)
    hand.key(Qt.Key.Key_Return)
    assert hand.devices == [0] * 4 + [2] * 8


def test_alt_takes_along_at_once(hand: Hand) -> None:
    hand.lanes()
    hand.drag(hand.at(4), hand.lane(2), ALT)
    assert hand.devices == [0] * 4 + [2] * 8
    assert hand.steps == 1
    assert not choice(hand).isVisible()


def test_shift_moves_against_the_rules_at_once(hand: Hand) -> None:
    hand.lanes()
    hand.drag(hand.at(4), hand.lane(2), SHIFT)
    assert hand.devices == [0] * 4 + [2] + [1] * 3 + [2] * 4
    assert hand.steps == 1


def test_another_graph_closes_the_question(hand: Hand) -> None:
    ask(hand)
    hand.document.open_graph(chain_graph(5), target=Pipeline(2))
    hand.settle()
    assert not choice(hand).isVisible()
    assert hand.view.scene is not None
    assert hand.view.scene.items.count == 5


def test_an_assignment_made_elsewhere_closes_the_question(hand: Hand) -> None:
    """The preview ends with the change; a question left open would act on ops that have moved."""
    ask(hand)
    hand.document.move([3], 1)
    hand.settle()
    assert not choice(hand).isVisible()


# ------------------------------------------------------------------------------------------------------ cancelling
def test_escape_cancels_a_drag(hand: Hand) -> None:
    hand.lanes()
    hand.carry(hand.at(4), hand.lane(0))
    assert hand.view.interacting
    hand.key(Qt.Key.Key_Escape)
    assert hand.document.preview is None
    assert not hand.view.interacting
    hand.release(hand.lane(0))
    assert hand.devices == THIRDS
    assert hand.steps == 0


def test_escape_cancels_a_rubber_band(hand: Hand) -> None:
    hand.document.select([2])
    hand.carry(QPoint(3, 3), QPoint(600, 400))
    hand.key(Qt.Key.Key_Escape)
    hand.release(QPoint(600, 400))
    assert hand.document.selection.tolist() == [2]


def test_losing_the_window_focus_cancels_a_drag(hand: Hand) -> None:
    from PySide6.QtCore import QCoreApplication, QEvent
    from PySide6.QtGui import QFocusEvent

    hand.lanes()
    hand.carry(hand.at(4), hand.lane(0))
    QCoreApplication.sendEvent(
        hand.view, QFocusEvent(QEvent.Type.FocusOut, Qt.FocusReason.ActiveWindowFocusReason)
    )
    assert hand.document.preview is None
    assert not hand.view.interacting


# ---------------------------------------------------------------------------------------------- clicks, hover, pan
def test_clicks_select_add_toggle_and_clear(hand: Hand) -> None:
    click = QTest.mouseClick
    click(hand.view, LEFT, Qt.KeyboardModifier.NoModifier, hand.at(3))
    assert hand.document.selection.tolist() == [3]
    click(hand.view, LEFT, SHIFT, hand.at(7))
    assert hand.document.selection.tolist() == [3, 7]
    click(hand.view, LEFT, CTRL, hand.at(3))
    assert hand.document.selection.tolist() == [7]
    assert "block" in hand.view.accessibleDescription()
    click(hand.view, LEFT, Qt.KeyboardModifier.NoModifier, QPoint(3, 3))
    assert hand.document.selection.tolist() == []


def test_a_click_on_a_lane_header_selects_the_devices_ops(hand: Hand) -> None:
    hand.lanes()
    QTest.mouseClick(hand.view, LEFT, Qt.KeyboardModifier.NoModifier, QPoint(40, hand.lane(1).y()))
    assert hand.document.selection.tolist() == [4, 5, 6, 7]


def test_a_trembling_hand_does_not_drag(hand: Hand) -> None:
    hand.press(hand.at(4))
    hand.move(hand.at(4) + QPoint(1, 1), LEFT)
    assert hand.document.preview is None
    hand.release(hand.at(4) + QPoint(1, 1))
    assert hand.document.selection.tolist() == [4]


def test_hovering(hand: Hand) -> None:
    hand.move(hand.at(6))
    assert hand.document.hover == 6
    hand.move(QPoint(3, 3))
    assert hand.document.hover == -1


def test_the_hovered_ops_edges_stand_out(hand: Hand) -> None:
    hand.move(QPoint(3, 3))
    calm = hand.view.grab().toImage()
    hand.move(hand.at(6))
    assert hand.view.grab().toImage() != calm
    hand.move(QPoint(3, 3))
    assert hand.view.grab().toImage() == calm


def test_double_click_zooms_to_an_op_and_back(hand: Hand) -> None:
    whole = hand.view.scale
    QTest.mouseDClick(hand.view, LEFT, Qt.KeyboardModifier.NoModifier, hand.at(6))
    assert hand.view.scale >= whole
    card = hand.view.op_rect(6)
    free = (hand.view.width() + hand.view.header_width) / 2  # beside the names of rows
    assert abs(card.center().x() - free) < 2
    QTest.mouseDClick(hand.view, LEFT, Qt.KeyboardModifier.NoModifier, QPoint(3, 3))
    assert hand.view.scale == pytest.approx(whole)


def test_double_click_unfolds_a_group(hand: Hand) -> None:
    hand.document.set_grouping("layers")
    hand.document.fold_all()
    hand.settle()
    assert hand.view.scene is not None
    assert hand.view.scene.items.count == 4
    QTest.mouseDClick(hand.view, LEFT, Qt.KeyboardModifier.NoModifier, hand.at(0))
    hand.settle()
    assert hand.view.scene.items.count == 6


def test_panning_with_the_middle_button_and_with_space(hand: Hand) -> None:
    hand.view.zoom_by(3)
    before = hand.view.op_rect(5).topLeft()
    middle = Qt.MouseButton.MiddleButton
    hand.press(QPoint(100, 100), button=middle)
    hand.move(QPoint(130, 90), middle)
    hand.release(QPoint(130, 90), button=middle)
    moved = hand.view.op_rect(5).topLeft()
    assert (moved - before).toPoint() == QPoint(30, -10)
    QTest.keyPress(hand.view, Qt.Key.Key_Space)
    hand.press(QPoint(130, 90))
    hand.move(QPoint(100, 100), LEFT)
    hand.release(QPoint(100, 100))
    QTest.keyRelease(hand.view, Qt.Key.Key_Space)
    assert (hand.view.op_rect(5).topLeft() - before).toPoint() == QPoint(0, 0)
    assert hand.document.selection.tolist() == []


@pytest.mark.parametrize("steps", [1, 4, -3])
def test_the_wheel_keeps_the_point_under_the_pointer(hand: Hand, steps: int) -> None:
    at = hand.at(6) + QPoint(7, 4)
    before, scale = hand.view.viewport.to_scene(at.x(), at.y()), hand.view.scale
    hand.wheel(at, steps)
    assert hand.view.viewport.to_scene(at.x(), at.y()) == pytest.approx(before)
    assert (hand.view.scale > scale) == (steps > 0)


def test_the_wheel_with_shift_pans(hand: Hand) -> None:
    hand.view.zoom_by(3)
    before = hand.view.op_rect(5)
    hand.wheel(QPoint(300, 300), 1, SHIFT)
    assert hand.view.op_rect(5) == QRectF(before.translated(60, 0))


def test_the_context_menu_is_about_the_op_under_the_pointer(hand: Hand, qtbot) -> None:
    from PySide6.QtGui import QContextMenuEvent
    from PySide6.QtWidgets import QApplication

    asked: list[int] = []
    hand.view.context_menu.connect(lambda place, op: asked.append(op))
    for reason, at in (
        (QContextMenuEvent.Reason.Mouse, hand.at(7)),
        (QContextMenuEvent.Reason.Keyboard, QPoint(2, 2)),
    ):
        QApplication.sendEvent(hand.view, QContextMenuEvent(reason, at, hand.view.mapToGlobal(at)))
    assert asked == [7, 7]
    assert hand.document.selection.tolist() == [7]


def test_a_card_tells_what_the_hovered_op_costs(hand: Hand) -> None:
    from PySide6.QtGui import QHelpEvent
    from PySide6.QtWidgets import QApplication

    card = hand.view.findChild(HoverCard)

    def rest(at: QPoint) -> None:
        hand.move(at)
        QApplication.sendEvent(hand.view, QHelpEvent(QHelpEvent.Type.ToolTip, at, hand.view.mapToGlobal(at)))

    rest(hand.at(4))
    assert hand.document.graph is not None
    assert card.isVisible()
    assert hand.document.graph.op_names[4] in card.text()
    assert "Stage 1" in card.text()
    assert hand.view.rect().contains(card.geometry())
    hand.move(hand.at(4) + QPoint(2, 0))
    assert not card.isVisible()
    rest(QPoint(3, 3))
    assert not card.isVisible()


def test_36_devices_can_be_dropped_on(make_hand: MakeHand) -> None:
    hand = make_hand(chain_graph(40), Pipeline(36), (1000, 700))
    hand.document.set_assignment(np.minimum(np.arange(40), 35).astype(np.int32), "edit", "one each")
    for view in ("flow", "lanes"):
        hand.view.set_view(view)
        hand.settle()
        hand.view.grab()
        places = [
            hand.view.slot_rect(d).center().toPoint() if view == "flow" else hand.lane(d) for d in range(36)
        ]
        found = [hand.view.device_at(p.toPointF(), hand.view.mapToGlobal(p)) for p in places]
        assert found == list(range(36))
        rects = [hand.view.slot_rect(d) for d in range(36)]
        assert all(hand.view.rect().toRectF().contains(r) for r in rects)
        assert not any(a.intersects(b) for i, a in enumerate(rects) for b in rects[:i])


def test_other_buttons_do_not_end_or_replace_a_drag(hand: Hand) -> None:
    hand.lanes()
    hand.carry(hand.at(4), hand.lane(0))
    for other in (Qt.MouseButton.RightButton, Qt.MouseButton.MiddleButton):
        QTest.mousePress(hand.view, other, Qt.KeyboardModifier.NoModifier, hand.lane(0))
        QTest.mouseRelease(hand.view, other, Qt.KeyboardModifier.NoModifier, hand.lane(0))
        assert hand.document.preview is not None
    assert hand.steps == 0
    hand.release(hand.lane(0))
    assert hand.devices == [0] * 5 + [1] * 3 + [2] * 4


def test_the_card_goes_along_outside_the_canvas_and_the_strip_makes_room(qtbot: QtBot, hand: Hand) -> None:
    """Over a panel the card is beside the pointer, not held back at the edge of the canvas."""
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(1300, 640)
    hand.view.setParent(window)
    hand.view.show()
    window.show()
    qtbot.waitExposed(window)
    hand.settle()
    inside, outside = QPoint(450, 200), QPoint(1010, 300)

    def strip() -> QColor:
        return hand.view.grab().toImage().pixelColor(450, 592)

    plain = strip()
    hand.carry(hand.at(4), inside)
    surface = hand.view._surface
    assert surface.ghost is None and strip() != plain
    hand.move(outside, LEFT)
    assert surface.ghost is not None and strip() == plain
    box = surface.ghost.geometry()
    assert box.left() > hand.view.width() and box.isValid()
    assert (box.topLeft() - outside).manhattanLength() < 30
    card = surface.ghost.grab().toImage()
    assert card.pixelColor(100, 30) != card.pixelColor(0, 0)
    hand.move(QPoint(1299, 639), LEFT)
    assert window.rect().contains(surface.ghost.geometry())
    hand.move(inside, LEFT)
    assert surface.ghost is None and strip() != plain
    hand.move(outside, LEFT)
    hand.release(outside)
    assert surface.ghost is None and hand.devices == THIRDS
    assert all(ghost.isHidden() for ghost in window.findChildren(Ghost))
    hand.view.setParent(None)
