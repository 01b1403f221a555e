"""Linked canvases: one viewport, one selection, one hover; and the way through the differences."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gui.canvas.graph.naming.row_headers import header_width, placed_headers, rows_of
from gui.canvas.graph.viewport import Viewport
from gui.editors.comparison.canvases import pane_surface
from gui.editors.comparison.canvases.linking import walk
from gui.editors.comparison.canvases.pane import PlanPane
from gui.editors.comparison.editor import CompareWindow
from tests.gui.editors.comparison.parts import more_plans, rest, two_plans, window_on
from tests.gui.window_parts import opened

LEFT, NONE = Qt.MouseButton.LeftButton, Qt.MouseButton.NoButton


def place(viewport: Viewport) -> tuple[float, float, float]:
    return viewport.scale, viewport.ox, viewport.oy


def mouse(
    pane: PlanPane, kind: QEvent.Type, at: QPointF, button: Qt.MouseButton, held: Qt.MouseButton
) -> None:
    event = QMouseEvent(kind, at, pane.mapToGlobal(at), button, held, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(pane, event)


def panes(window: CompareWindow) -> tuple[PlanPane, PlanPane]:
    first, second = window.columns.panes[:2]
    return first, second


def test_the_next_difference_in_the_graphs_order_and_around_the_end() -> None:
    order = np.array([4, 2, 0, 1, 3])
    moved = np.array([1, 3, 4], np.int32)
    assert walk(moved, order, -1, 1) == 4
    assert walk(moved, order, -1, -1) == 3
    assert walk(moved, order, 4, 1) == 1
    assert walk(moved, order, 0, 1) == 1
    assert walk(moved, order, 3, 1) == 4
    assert walk(moved, order, 4, -1) == 3
    assert walk(np.empty(0, np.int32), order, 0, 1) == -1


def test_all_panes_look_at_the_same(qtbot: QtBot) -> None:
    with window_on(qtbot, two_plans()) as window:
        first, second = panes(window)
        assert place(first.viewport) == place(second.viewport)
        first.zoom_by(1.7, QPointF(100, 80))
        assert place(first.viewport) == place(second.viewport)
        second.pan_by(31, -12)
        assert place(first.viewport) == place(second.viewport)
        window.actions_set["view.fit"].trigger()
        assert place(first.viewport) == place(second.viewport)


def test_in_lanes_the_same_gesture_is_made_on_each(qtbot: QtBot) -> None:
    with window_on(qtbot, two_plans(30, 3)) as window:
        window.state.set_view("lanes")
        rest(qtbot, window)
        first, second = panes(window)
        assert first.scene is not None
        assert second.scene is not None
        assert len(first.scene.layout.lanes) == len(second.scene.layout.lanes) == 3
        before = [place(first.viewport), place(second.viewport)]
        first.zoom_by(2.0, QPointF(60, 40))
        after = [place(first.viewport), place(second.viewport)]
        factors = [now[0] / was[0] for was, now in zip(before, after, strict=True)]
        shifts = [
            (now[1] - f * was[1], now[2] - f * was[2])
            for was, now, f in zip(before, after, factors, strict=True)
        ]
        assert np.isclose(factors[0], factors[1])
        assert np.allclose(shifts[0], shifts[1]), "every pixel goes the same way in both"


def test_selection_and_hover_are_shared(qtbot: QtBot) -> None:
    with window_on(qtbot, two_plans()) as window:
        first, second = panes(window)
        at = first.op_rect(3).center()
        mouse(first, QEvent.Type.MouseMove, at, NONE, NONE)
        assert window.state.hover == 3
        mouse(first, QEvent.Type.MouseButtonPress, at, LEFT, LEFT)
        mouse(first, QEvent.Type.MouseButtonRelease, at, LEFT, NONE)
        assert window.state.selection.tolist() == [2, 3] or window.state.selection.tolist() == [3]
        for pane in (first, second):
            assert pane.scene is not None
            assert np.flatnonzero(pane.scene.selected).tolist() == window.state.selection.tolist()
        assert "Stage 1 here, Stage 0 in A" in second.accessibleDescription()


def test_moved_ops_are_marked_and_the_others_fade(qtbot: QtBot) -> None:
    with window_on(qtbot, two_plans()) as window:
        for pane in panes(window):
            assert pane.scene is not None
            assert np.flatnonzero(pane.marks.moved).tolist() == [3, 7]
            assert np.flatnonzero(pane.scene.highlighted).tolist() == [3, 7]
        window.actions_set["view.calm"].trigger()
        for pane in panes(window):
            assert pane.scene is not None
            assert not pane.scene.highlighted.any()


def test_keys_walk_through_the_differences_in_all_panes(qtbot: QtBot) -> None:
    with window_on(qtbot, two_plans()) as window:
        first, _ = panes(window)
        first.setFocus()
        QTest.keyClick(first, Qt.Key.Key_N)
        assert window.state.selection.tolist() == [3]
        QTest.keyClick(first, Qt.Key.Key_N)
        assert window.state.selection.tolist() == [7]
        QTest.keyClick(first, Qt.Key.Key_N)
        assert window.state.selection.tolist() == [3], "around the end"
        QTest.keyClick(first, Qt.Key.Key_N, Qt.KeyboardModifier.ShiftModifier)
        assert window.state.selection.tolist() == [7]
        QTest.keyClick(first, Qt.Key.Key_Right)
        assert window.state.selection.tolist() != [7], "arrows walk"
        QTest.keyClick(first, Qt.Key.Key_Escape)
        assert not len(window.state.selection)


def test_ops_that_moved_together_are_one_difference(qtbot: QtBot) -> None:
    document = opened(24, 3)
    later = document.device_of.copy()
    later[[5, 6, 7, 14, 15]] += 1  # the last of each stage
    document.add_plan(later, "later")
    with window_on(qtbot, document) as window:
        first, _ = panes(window)
        first.setFocus()
        said = window.strip.count
        for ops, words in (
            ([5, 6, 7], "Difference 1 of 2: 3 ops, Stage 0 → Stage 1"),
            ([14, 15], "Difference 2 of 2: 2 ops, Stage 1 → Stage 2"),
            ([5, 6, 7], "Difference 1 of 2: 3 ops, Stage 0 → Stage 1"),
        ):
            QTest.keyClick(first, Qt.Key.Key_N)
            rest(qtbot, window)
            assert window.state.selection.tolist() == ops and said.text() == words
            for pane in panes(window):
                assert all(pane.rect().toRectF().contains(pane.op_rect(op)) for op in ops)
        window.state.select([10])
        QTest.keyClick(first, Qt.Key.Key_N)
        assert window.state.selection.tolist() == [14, 15], "from where one is"
        window.state.select([10])
        QTest.keyClick(first, Qt.Key.Key_N, Qt.KeyboardModifier.ShiftModifier)
        assert window.state.selection.tolist() == [5, 6, 7]
        for op in (14, 15, 5):
            QTest.keyClick(first, Qt.Key.Key_N, Qt.KeyboardModifier.AltModifier)
            assert window.state.selection.tolist() == [op], "single ops, too"
        rest(qtbot, window)
        assert said.text() == "A and B differ in 5 ops of 24"


def test_one_goes_back_from_a_difference_in_all_panes(qtbot: QtBot) -> None:
    document = two_plans(2000, 3)
    with window_on(qtbot, document) as window:
        first, second = panes(window)
        before = place(first.viewport)
        window.actions_set.update()
        assert not window.actions_set["view.back"].isEnabled()
        window.step(1)
        rest(qtbot, window)
        assert place(first.viewport) == place(second.viewport) != before
        window.actions_set["view.back"].trigger()
        # A pane may have become a pixel higher meanwhile.
        assert place(first.viewport) == place(second.viewport) == pytest.approx(before, abs=1.01)


def test_dragging_an_op_to_another_pane_takes_it_over(qtbot: QtBot) -> None:
    document = two_plans()
    with window_on(qtbot, document) as window:
        first, second = panes(window)
        start = second.op_rect(7).center()
        over = QPointF(second.mapFromGlobal(first.mapToGlobal(QPoint(80, 60))))
        mouse(second, QEvent.Type.MouseButtonPress, start, LEFT, LEFT)
        mouse(second, QEvent.Type.MouseMove, start + QPointF(20, 20), NONE, LEFT)
        mouse(second, QEvent.Type.MouseMove, over, NONE, LEFT)
        assert window.columns.carried.isVisible()
        assert "rules hold" in window.columns.carried.words
        mouse(second, QEvent.Type.MouseButtonRelease, over, LEFT, NONE)
        assert not window.columns.carried.isVisible()
        assert document.device_of[7] == 2
        rest(qtbot, window)


def test_an_edit_in_the_main_window_shows_at_once(qtbot: QtBot) -> None:
    document = two_plans()
    with window_on(qtbot, document) as window:
        first, _ = panes(window)
        assert first.scene is not None
        document.move([3], 1)
        rest(qtbot, window)
        assert first.scene is not None
        assert int(first.scene.device[3]) == 1
        assert np.flatnonzero(first.marks.moved).tolist() == [7]


def test_three_panes_and_their_pair_follow_the_keyboard(qtbot: QtBot) -> None:
    document = two_plans()
    more_plans(document, 1)
    with window_on(qtbot, document) as window:
        assert len(window.columns.panes) == 3
        window.columns.panes[2].setFocus()
        QApplication.processEvents()
        assert window.state.shown == (2, 0)
        window.state.remove(1)
        rest(qtbot, window)
        assert len(window.columns.panes) == 2


def test_groups_are_folded_in_all_panes(qtbot: QtBot) -> None:
    document = two_plans()
    with window_on(qtbot, document) as window:
        document.set_grouping("layers")
        document.fold_all()
        rest(qtbot, window)
        first, second = panes(window)
        for pane in (first, second):
            assert pane.scene is not None
            assert pane.scene.items.count == 4
            assert pane.marks.moved.any()


def test_rows_of_a_flow_have_their_names_in_every_canvas(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on the canvas of one plan: in a margin of its own, unless a pane is too narrow for one."""
    with window_on(qtbot, two_plans(30)) as window:
        for pane in panes(window):
            assert pane.scene is not None and pane.scene.view == "flow"
            assert pane.row_header_width == header_width(pane.scene.items.graph) > 0
            assert pane.viewport.left == int(pane.row_header_width * pane.devicePixelRatioF())
            boxes = placed_headers(pane.scene, pane.viewport, 1.0, pane.row_header_width)
            assert boxes and all(box.left() >= 0 for box, _ in boxes)
        one, other = (pane.scene for pane in panes(window))
        assert one is not None and other is not None and rows_of(one) is rows_of(other)
        drawn: list[object] = []
        monkeypatch.setattr(pane_surface, "paint_row_headers", lambda *told: drawn.append(told[1]))
        first, second = panes(window)
        first.grab()
        second.grab()
        assert first.scene in drawn and second.scene in drawn
        first.resize(200, first.height())
        assert first.row_header_width == 0.0
