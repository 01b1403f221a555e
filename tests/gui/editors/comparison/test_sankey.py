"""The Sankey: widths that add up, every op in one ribbon, labels apart, and what mouse and keyboard do."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QFontMetricsF
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gui.editors.comparison.panels.sankey import SankeyView
from gui.look.theme import DARK, LIGHT, font
from gui.panels.comparison.sankey_layout import bend_at, crossings, lay_out, row_order, spread
from gui.panels.comparison.sankey_painter import (
    CLEAR,
    INSIDE,
    columns,
    labelled_height,
    paint_sankey,
    ribbon_path,
)
from gui.panels.comparison.sankey_words import FOOT, sankey_of
from planner.machines.pipeline.target import Pipeline
from planner.problem.problem import Problem
from planner.reports.comparison import compare
from planner.reports.comparison.rows import rows_matched_first
from tests.gui.editors.comparison.compare_parts import HAND, comparison_of, pool, state_of
from tests.gui.models import chain_graph
from tests.gui.scribe import Scribe
from tests.gui.window_parts import settle, shown

A = [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2]
B = [0, 0, 0, 1, 1, 1, 1, 1, 1, 2, 2, 2]

matrices = st.integers(1, 9).flatmap(
    lambda rows: st.lists(st.integers(0, 40), min_size=rows * rows, max_size=rows * rows).map(
        lambda values: np.array(values, np.int64).reshape(rows, rows)
    )
)


@given(matrices, st.floats(40, 900), st.booleans())
def test_ribbons_fill_their_bars_exactly(counts: np.ndarray, height: float, free: bool) -> None:
    layout = lay_out(counts, counts.astype(float), 10.0, height, np.full(len(counts), free))
    for row in range(len(counts)):
        out, into = layout.left == row, layout.right == row
        assert abs(layout.width[out].sum() - layout.left_height[row]) < 1e-6
        assert abs(layout.width[into].sum() - layout.right_height[row]) < 1e-6
        # They lie against one another from the top of the bar to its foot.
        for mask, y, top, high in (
            (out, layout.left_y, layout.left_top[row], layout.left_height[row]),
            (into, layout.right_y, layout.right_top[row], layout.right_height[row]),
        ):
            if mask.any():
                sequence = np.argsort(y[mask], kind="stable")
                before = np.concatenate([[0.0], np.cumsum(layout.width[mask][sequence])[:-1]])
                assert np.allclose(y[mask][sequence], top + before, atol=1e-6)
                assert top >= 10.0 - 1e-6
                assert top + high <= 10.0 + height + 1e-6
    assert layout.ops.sum() == counts.sum()
    assert layout.count == np.count_nonzero(counts)


@given(matrices)
def test_counterparts_face_each_other_and_bars_do_not_overlap(counts: np.ndarray) -> None:
    layout = lay_out(counts, counts.astype(float), 0.0, 300.0)
    order = layout.order.tolist()
    assert order == sorted(order)  # where nothing is free the order is that of the rows
    middle_left, middle_right = (
        layout.left_top + layout.left_height / 2, layout.right_top + layout.right_height / 2,
    )  # fmt: skip
    assert np.allclose(middle_left[order], middle_right[order])
    high = np.maximum(layout.left_height, layout.right_height)
    for above, below in pairwise(order):
        assert middle_left[above] + high[above] / 2 <= middle_left[below] - high[below] / 2 + 1e-6


@given(matrices)
def test_the_order_never_crosses_more_than_that_of_the_rows(counts: np.ndarray) -> None:
    order = row_order(counts, np.ones(len(counts), bool))
    used = np.sort(order)
    flows = counts.astype(float)
    assert sorted(order.tolist()) == np.flatnonzero(counts.sum(0) + counts.sum(1) > 0).tolist()
    assert crossings(flows[np.ix_(order, order)]) <= crossings(flows[np.ix_(used, used)])


@given(matrices)
def test_crossings_are_those_of_all_pairs(counts: np.ndarray) -> None:
    size = range(len(counts))
    slow = sum(
        counts[a, b] * counts[c, d] for a in size for c in size if c > a for b in size for d in size if d < b
    )
    assert crossings(counts.astype(float)) == float(slow)


def test_a_sweep_untangles_devices_that_nothing_numbers() -> None:
    tangled = np.array([[5, 0, 0, 9], [0, 5, 0, 0], [0, 0, 5, 0], [9, 0, 0, 5]])
    order = row_order(tangled, np.ones(4, bool)).tolist()
    assert abs(order.index(0) - order.index(3)) == 1
    assert row_order(tangled, np.zeros(4, bool)).tolist() == [0, 1, 2, 3]
    alone = np.array([[9, 0, 0, 3], [0, 9, 0, 0], [0, 0, 9, 0], [0, 0, 0, 0]])
    assert row_order(alone, np.array([False, False, False, True])).tolist() == [0, 3, 1, 2]


def test_what_figures_and_pale_ribbons_are_is_said() -> None:
    def told(second: list[int], measure: str) -> str:
        return sankey_of(comparison_of(A, second), (1, 0), measure, 300.0).key_words

    assert told(B, "ops") == "numbers: ops   pale: not moved"
    assert told(A, "ops") == "numbers: ops", "nothing moves, and all is pale"
    assert told(B, "work") == "pale: not moved", "times have units"


def test_a_long_name_takes_what_the_other_leaves(qapp: QApplication) -> None:
    comparison = comparison_of(A, B)
    plans = [
        replace(plan, name=name)
        for plan, name in zip(comparison.plans, ("short", "rather a long name of a plan"), strict=True)
    ]
    sankey = sankey_of(compare(plans), (1, 0), "ops", 300.0)
    scribe = Scribe(300, 300)
    paint_sankey(scribe, sankey, 340.0, 300.0, LIGHT)
    scribe.end()
    boxes = {words: box for box, words in scribe.written}
    assert {"A: short", "B: rather a long name of a plan"} <= boxes.keys()


@given(
    st.lists(st.floats(0, 300), min_size=0, max_size=64), st.floats(6, 20), st.floats(30, 500)
)  # fmt: skip
def test_labels_never_overlap(centres: list[float], size: float, bottom: float) -> None:
    given_ = np.array(centres)
    kept, places = spread(given_, size, 0.0, bottom, np.arange(len(centres), dtype=float))
    assert len(kept) == min(len(centres), int(bottom / size + 1e-9))
    assert np.all(np.diff(places) >= size - 1e-6)
    assert not len(places) or (places[0] >= size / 2 - 1e-6 and places[-1] <= bottom - size / 2 + 1e-6)
    assert set(kept.tolist()) == set(range(len(centres) - len(kept), len(centres)))  # the most important ones


def test_labels_with_room_stay_where_they_are() -> None:
    kept, places = spread(np.array([20.0, 90.0]), 12.0, 0.0, 100.0, np.ones(2))
    assert kept.tolist() == [0, 1]
    assert places.tolist() == [20.0, 90.0]


def test_the_bend_is_that_of_the_painted_curve() -> None:
    sankey = sankey_of(comparison_of(A, B), (1, 0), "ops", 300.0)
    layout = sankey.layout
    for ribbon in range(layout.count):
        path = ribbon_path(layout, ribbon, 100.0, 500.0)
        for along in (0.1, 0.35, 0.5, 0.8):
            y = layout.left_y[ribbon] + (layout.right_y[ribbon] - layout.left_y[ribbon]) * bend_at(along)
            inside, width = 100.0 + 400.0 * along, float(layout.width[ribbon])
            assert path.contains(QPointF(inside, y + 0.5 * width))
            assert path.contains(QPointF(inside, y + 0.1 * width))
            assert path.contains(QPointF(inside, y + 0.9 * width))
            assert not path.contains(QPointF(inside, y - 1.0))


def test_a_thin_ribbon_is_found_and_says_that_it_is_drawn_wider() -> None:
    n = 400
    a, b = [0] * (n - 1) + [1], [0] * (n - 2) + [1] * 2
    sankey = sankey_of(comparison_of(a, b), (1, 0), "ops", 120.0)
    thin = sankey.layout.find(0, 1)
    assert 0 < sankey.layout.width[thin] < 1.0
    bend = bend_at(0.5)
    y = sankey.layout.left_y[thin] + (sankey.layout.right_y[thin] - sankey.layout.left_y[thin]) * bend
    assert sankey.layout.ribbon_at(0.5, float(y)) == thin
    assert "drawn one pixel wide: 0.2 % of all ops" in sankey.narrow_words(thin)
    assert sankey.narrow_words(sankey.layout.find(0, 0)) == ""
    drawn = ribbon_path(sankey.layout, thin, 0.0, 100.0).boundingRect()
    assert drawn.height() >= 1.0


def test_sentences_name_devices_counts_and_work() -> None:
    sankey = sankey_of(comparison_of(A, B), (1, 0), "ops", 300.0)
    words = sankey.ribbon_words(sankey.layout.find(0, 1))
    assert words.startswith("1 op goes from Stage 0 to Stage 1, ")
    assert "of work" in words
    assert sankey.ribbon_words(sankey.layout.find(1, 1)).startswith("4 ops stay on Stage 1")
    assert sankey.device_words(0, 0) == "Stage 0 of plan A: 4 ops, of which 1 goes elsewhere"
    assert sankey.summary() == "2 of 12 ops move: 1 from Stage 0 to Stage 1, 1 from Stage 2 to Stage 1"
    shorter = [sankey.fitting_summary(len, room) for room in (100, 60, 20, 5)]
    least = "2 of 12 ops move"
    assert shorter == [sankey.summary(), f"{least}: 2 flows of 1 op each", least, least], (
        "of flows alike all are named, or none"
    )


def test_relabelled_devices_have_one_name_on_both_sides() -> None:
    swapped = [{0: 1, 1: 0, 2: 2}[d] for d in A]
    swapped[0] = 2
    sankey = sankey_of(comparison_of(A, swapped, target=pool()), (1, 0), "ops", 300.0)
    assert sankey.summary() == "1 of 12 ops move: 1 from Accelerator 0 to Accelerator 2", (
        "a line to read aloud"
    )
    stays = sankey.ribbon_words(sankey.layout.find(0, 0))
    assert stays.startswith("3 ops stay on Accelerator 0, ")
    assert sankey.matching_words[0] == (
        "Matched: B's Accelerator 1 with Accelerator 0, B's Accelerator 0 with Accelerator 1"
    )
    back = sankey_of(comparison_of(swapped, A, target=pool()), (0, 1), "ops", 300.0)
    assert back.summary() == "1 of 12 ops move: 1 from Accelerator 1 to Accelerator 2", (
        "as rows are called, whichever plan is the reference"
    )


def test_stages_without_a_counterpart_are_shown_as_such_and_the_picture_says_how_stages_are_matched(
    qapp: object,
) -> None:
    graph = chain_graph(12)
    three, two = (Problem(graph, Pipeline(count=count)) for count in (3, 2))
    places = ([0] * 4 + [1] * 4 + [2] * 4, [0] * 6 + [1] * 6)
    plans = [p.plan(np.array(at, np.int32), HAND, "p") for p, at in zip((three, two), places, strict=True)]
    sankey = sankey_of(compare(plans), (1, 0), "ops", 300.0)
    alone = next(row for row in range(3) if sankey.absent(1, row))
    assert not sankey.absent(0, alone) and not any(sankey.absent(0, row) for row in range(3))
    words = sankey.matching_words[0]
    assert words.startswith(
        "Stages are matched in their order, so that as few ops as possible move; A's Stage"
    )
    assert words.endswith("has no counterpart: all its ops count as moved.")
    scribe = Scribe(900, 300)
    paint_sankey(scribe, sankey, 900.0, 300.0, LIGHT)
    scribe.end()
    written = [text for _, text in scribe.written]
    assert words in written and written.count("not in B") == 1 and "not in A" not in written
    narrow = Scribe(520, 300)
    paint_sankey(narrow, sankey, 520.0, 300.0, LIGHT)
    narrow.end()
    assert sankey.matching_words[1] in [text for _, text in narrow.written]
    assert sankey_of(compare([plans[0]] * 2), (1, 0), "ops", 300.0).matching_words == ()
    three = [plans[0], plans[1], plans[0]]
    direct = sankey_of(compare(three, rows=rows_matched_first(three, (2, 1))), (2, 1), "ops", 300.0)
    assert "matched in their order, so that as few ops as possible move" in direct.matching_words[0]


def test_thirty_six_labels_lie_apart(qapp: object) -> None:
    n = 72
    first = [i // 2 for i in range(n)]
    second = [min(35, (i + 1) // 2) for i in range(n)]
    sankey = sankey_of(comparison_of(first, second), (1, 0), "ops", 360.0)
    scribe = Scribe(600, 360)
    paint_sankey(scribe, sankey, 600.0, 360.0, LIGHT)
    scribe.end()
    names = [(rect, text) for rect, text in scribe.written if text.lower().startswith("stage")]
    assert len(names) >= 50
    for i, (rect, _) in enumerate(names):
        assert all(not rect.intersects(other) for other, _ in names[i + 1 :])


def test_clicks_and_keys_choose_ops(qtbot: QtBot) -> None:
    state = state_of(A, B)
    view = SankeyView(state, LIGHT)
    with shown(qtbot, view, 700, 320):
        settle()  # the note above takes the lines that it needs
        chart = view.chart
        sankey = chart.sankey
        assert sankey is not None
        layout = sankey.layout
        moved = layout.find(0, 1)
        x0, x1 = columns(sankey, float(chart.width()))
        y = (layout.left_y[moved] + layout.right_y[moved] + layout.width[moved]) / 2
        at = QPoint(round((x0 + x1) / 2), round(float(y)))
        assert chart.ribbon_at(at.x(), at.y()) == moved
        QTest.mouseMove(chart, at)
        assert chart.marks.hovered == moved
        QTest.mouseClick(chart, Qt.MouseButton.LeftButton, pos=at)
        assert state.selection.tolist() == [3]
        assert chart.marks.selected is not None and chart.marks.selected[moved]
        chart.clearFocus()
        chart.setFocus(Qt.FocusReason.TabFocusReason)
        assert chart.marks.cursor == moved  # the first that moves
        assert "1 op goes from Stage 0 to Stage 1" in chart.accessibleDescription()
        QTest.keyClick(chart, Qt.Key.Key_Down)
        QTest.keyClick(chart, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
        assert state.selection.tolist() == [3, 4, 5, 6, 7]
        QTest.keyClick(chart, Qt.Key.Key_End)
        assert chart.marks.cursor == layout.count - 1
        QTest.keyClick(chart, Qt.Key.Key_PageUp)
        assert layout.left[chart.marks.cursor] == 1
        QTest.keyClick(chart, Qt.Key.Key_Home)
        QTest.keyClick(chart, Qt.Key.Key_Space)
        assert state.selection.tolist() == [0, 1, 2]
        bar = QPoint(round(x0 - 4), round(float(layout.left_top[2] + layout.left_height[2] / 2)))
        QTest.mouseClick(chart, Qt.MouseButton.LeftButton, pos=bar)
        assert state.selection.tolist() == [8, 9, 10, 11]
        QTest.mouseClick(chart, Qt.MouseButton.LeftButton, pos=QPoint(4, chart.height() - 2))
        assert not len(state.selection)


def test_kept_ribbons_are_what_would_be_painted_anew(qtbot: QtBot) -> None:
    state = state_of(A, B)
    view = SankeyView(state, LIGHT)
    with shown(qtbot, view, 700, 320):
        plain = view.chart.grab().toImage()
        view.chart.marks.hovered = 1
        looked = view.chart.grab().toImage()
        view.chart.marks.hovered = -1
        assert view.chart.grab().toImage() == plain
        assert looked != plain
        state.select([3])
        chosen = view.chart.grab().toImage()
        assert chosen != plain
        view.set_theme(DARK)
        settle()
        assert view.chart.grab().toImage() != chosen
        view.set_theme(LIGHT)
        state.select([])
        settle()
        assert view.chart.grab().toImage() == plain


def test_the_view_follows_pair_measure_hover_and_theme(qtbot: QtBot) -> None:
    state = state_of(A, B, [0] * 12)
    view = SankeyView(state, LIGHT)
    with shown(qtbot, view, 700, 320):
        assert "2 of 12 ops move" in view.words.text()
        state.set_pair(2, 0)
        settle()
        assert "8 of 12 ops move" in view.words.text()
        view.measure.setCurrentIndex(view.measure.findData("bytes"))
        settle()
        assert "choose another width" in view.words.text()  # the chain has no parameters
        view.measure.setCurrentIndex(view.measure.findData("work"))
        settle()
        assert view.chart.sankey is not None
        assert view.chart.sankey.measure == "work"
        QApplication.sendEvent(view.chart, QEvent(QEvent.Type.Leave))  # the pointer on it would come first
        state.hover_op(11)
        assert view.chart.marks.hovered == view.chart.sankey.layout.find(2, 0) >= 0
        view.set_theme(DARK)
        settle()
        assert view.chart.theme is DARK


def test_without_a_comparison_a_sentence_stands_there(qtbot: QtBot) -> None:
    state = state_of(A, B)
    view = SankeyView(state, LIGHT)
    with shown(qtbot, view, 500, 200):
        for entry in list(state.document.plans)[-2:]:
            state.document.remove_plan(entry)
        settle()
        assert state.comparison is None
        assert view.words.text()
        assert not view.chart.isVisible()


def test_ribbons_just_high_enough_for_digits_have_their_figure(qapp: object) -> None:
    measure = QFontMetricsF(font(8.0))
    for height in (60.0, 120.0, 300.0):
        sankey = sankey_of(comparison_of(A, B), (1, 0), "ops", height)
        scribe = Scribe(400, round(height))
        paint_sankey(scribe, sankey, 400.0, height, LIGHT)
        scribe.end()
        x0, _ = columns(sankey, 400.0)
        shown = [rect for rect, _ in scribe.written if abs(rect.left() - x0 - INSIDE) < 0.1]
        assert len(shown) == np.count_nonzero(sankey.layout.width >= measure.capHeight() + 2 * CLEAR)


def test_labels_of_many_devices_leave_the_lines_below_them_free(qapp: object) -> None:
    graph = chain_graph(34)
    plans = [
        Problem(graph, Pipeline(count)).plan((np.arange(34) * count // 34).astype(np.int32), HAND)
        for count in (17, 13)
    ]
    comparison = compare(plans)
    for height in (150.0, 200.0, labelled_height(sankey_of(comparison, (1, 0), "ops", 100.0))):
        sankey = sankey_of(comparison, (1, 0), "ops", height)
        assert sankey.matching_words and sankey.key_words and sankey.foot == 2 * FOOT
        scribe = Scribe(500, int(height))
        paint_sankey(scribe, sankey, 500.0, height, LIGHT)
        scribe.end()
        notes = [
            box.top() for box, words in scribe.written if words in (*sankey.matching_words, sankey.key_words)
        ]
        assert len(notes) == 2
        labels = [
            box.bottom() for box, words in scribe.written if words.startswith(("Stage", "stage", "not in"))
        ]
        assert labels and max(labels) <= min(notes) + 0.5
    assert len(labels) == 2 * 17, "all of them in a picture that is as high as that takes"
