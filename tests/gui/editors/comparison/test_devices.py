"""The table of devices: amounts that are those of the evaluations, differences with signs, sorting, and its picture."""

from __future__ import annotations

import re

import numpy as np
import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from gui.editors.comparison.panels.devices import BAR, BESIDE, MARGIN, ROW, DeviceDifferences
from gui.editors.comparison.panels.devices_painter import (
    paint_amount,
    paint_devices,
    paint_name,
    rows_fitting,
)
from gui.editors.comparison.panels.devices_table import AMOUNT, CHANGE, device_table
from gui.look.numbers import DASH, MINUS
from gui.look.theme import DARK, LIGHT, numbered_colours
from gui.panels.comparison.rows import row_headers
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.mcm.target import McmPackage
from planner.machines.pipeline.target import Pipeline
from planner.problem.problem import Plan, Problem
from planner.quantity import bytes_text
from planner.reports.comparison import compare
from tests.gui.editors.comparison.compare_parts import HAND, comparison_of, pool, state_of
from tests.gui.models import chain_graph, tpu_graph
from tests.gui.scribe import Scribe
from tests.gui.window_parts import settle, shown

PADDING = 6
"""Pixels that titles of columns keep from their sides."""
A = [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2]
B = [0, 0, 0, 1, 1, 1, 1, 1, 1, 2, 2, 2]


def test_amounts_and_differences_are_those_of_the_plans() -> None:
    comparison = comparison_of(A, B)
    table = device_table(comparison, (1, 0))
    costs = [table.find(AMOUNT, "cost", i) for i in (0, 1)]
    change = table.find(CHANGE, "cost")
    assert change is not None
    for i, column in enumerate(costs):
        assert column is not None
        assert np.allclose(column.values[comparison.row_of[i]], comparison.plans[i].evaluation.cost)
    assert np.allclose(change.values, costs[1].values - costs[0].values)  # type: ignore[union-attr]
    for value, text in zip(change.values.tolist(), change.texts, strict=True):
        assert text[0] == ("+" if value > 0 else MINUS if value < 0 else "0")
    hot = [int(np.argmax(plan.evaluation.cost)) for plan in comparison.plans]
    assert [table.hot[i] for i in (0, 1)] == [int(comparison.row_of[i][hot[i]]) for i in (0, 1)]
    assert "(bottleneck)" in table.words(table.hot[0])


def test_bars_of_memory_are_as_full_as_caches_are(qapp: object) -> None:
    """As in lanes; and a picture says what whole bars stand for."""
    problem = Problem(tpu_graph(), EdgeTpuPipeline(3, cache=8 * 2**20), "inference-time")
    plans = [problem.plan(np.array(of, np.int32), HAND) for of in ([0, 0, 1, 1, 2, 2], [0, 1, 1, 2, 2, 2])]
    table = device_table(compare(plans), (1, 0))
    held = table.find(AMOUNT, "memory", 0)
    assert held is not None and np.nanmax(held.values) < held.most
    budget = float(problem.evaluator.budget.max())
    assert held.most == max(budget, row_headers(compare(plans), 0).full)
    scribe = Scribe(900, 300)
    paint_devices(scribe, QRectF(0, 0, 900, 300), table, LIGHT, details=True)
    scribe.end()
    said = [text for _, text in scribe.written if text.startswith("whole bar ")]
    assert said == [table.scale_words(table.columns)] and said[0].endswith(f", {bytes_text(held.most)}")


def test_differences_of_costs_agree_with_the_costs_beside_them() -> None:
    for a in range(1, 11):
        moved = [0] * a + [1] * (12 - a)
        table = device_table(comparison_of(moved, B), (1, 0))
        then, now, change = (
            table.find(AMOUNT, "cost", 0),
            table.find(AMOUNT, "cost", 1),
            table.find(CHANGE, "cost"),
        )
        assert then is not None and now is not None and change is not None
        for before, after, by in zip(then.texts, now.texts, change.texts, strict=True):
            if before != after and DASH not in (before, after):
                one, other, said = (float(re.sub(r"[^\d.]", "", text)) for text in (before, after, by))
                assert abs(other - one) == pytest.approx(said, abs=1e-9), (before, after)


def test_rounding_is_no_difference() -> None:
    graph = chain_graph(12)
    problem = Problem(graph, Pipeline(count=3))
    comparison = compare([problem.plan(np.array(A, np.int32), HAND, name) for name in "ab"])
    table = device_table(comparison, (1, 0))
    change = table.find(CHANGE, "cost")
    assert change is not None
    assert set(change.texts) == {"0"}
    assert table.find(CHANGE, "receive") is None  # what does not change has no column
    assert "no device changes its cost" in table.summary()


def test_a_device_without_counterpart_has_dashes() -> None:
    graph = chain_graph(12)
    plans = [
        Problem(graph, Pipeline(count=count)).plan(np.array(a, np.int32), HAND, name)
        for a, count, name in ((A, 3, "a"), ([0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3], 4, "b"))
    ]
    comparison = compare(plans)
    table = device_table(comparison, (1, 0))
    row = next(r for r, entry in enumerate(comparison.rows) if entry.devices[0] < 0)
    assert 0 < row < len(comparison.rows) - 1  # where it belongs in the row
    change, cost = table.find(CHANGE, "cost"), table.find(AMOUNT, "cost", 0)
    assert change is not None
    assert cost is not None
    assert change.texts[row] == cost.texts[row] == DASH
    assert table.columns[0].texts[row].endswith("(B)")
    for descending in (True, False):
        assert change.order(descending)[-1] == row


def test_where_bytes_are_minimised_memory_comes_first_and_has_the_bottleneck() -> None:
    problem = Problem(tpu_graph(), EdgeTpuPipeline(3, cache=2 * 2**20), "memory-1-2-3")
    plans = [
        problem.plan(np.array(a, np.int32), HAND, name)
        for a, name in (([0, 0, 1, 2, 2, 2], "a"), ([0, 0, 1, 1, 2, 2], "b"))
    ]
    table = device_table(compare(plans), (1, 0))
    assert table.columns[1].title == "Memory A"
    assert table.hot_part == "memory"


def test_each_plan_has_its_bottleneck_where_its_own_objective_is() -> None:
    graph, target = tpu_graph(), EdgeTpuPipeline(3, cache=2 * 2**20)
    device_of = np.array([0, 0, 1, 2, 2, 2], np.int32)
    comparison = compare(
        [
            Problem(graph, target, objective).plan(device_of, HAND, name)
            for name, objective in (("a", "memory-1-2-3"), ("b", "inference-time"))
        ]
    )
    table = device_table(comparison, (1, 0))
    marked = [
        (column.part, column.plan)
        for column in table.columns
        for row in range(len(comparison.rows))
        if table.is_hot(column, row)
    ]
    assert sorted(marked) == [("cost", 1), ("memory", 0)]
    assert table.hot_part == "memory"


@pytest.mark.parametrize("count", [2, 36, 64])
@pytest.mark.parametrize("width", [420.0, 640.0, 900.0])
def test_a_picture_shows_what_fits_and_counts_the_rest(qapp: object, count: int, width: float) -> None:
    n = 2 * count
    comparison = comparison_of([i // 2 for i in range(n)], [min(count - 1, (i + 1) // 2) for i in range(n)])
    table = device_table(comparison, (1, 0))
    rows, each = rows_fitting(table, 300.0)
    assert len(rows) * each <= 300.0
    scribe = Scribe(int(width), 300)
    paint_devices(scribe, QRectF(0, 0, width, 300), table, LIGHT)
    scribe.end()
    written = [text for _, text in scribe.written]
    left_out = count - len(rows)
    assert (f"and {left_out} devices that change less" in written) == (left_out > 0)
    boxes = [rect for rect, text in scribe.written if text]
    assert all(rect.bottom() <= 301 and rect.right() <= width + 1 for rect in boxes)
    for i, rect in enumerate(boxes):
        assert all(not rect.intersects(other) for other in boxes[i + 1 :])


def test_a_bottleneck_has_the_colour_of_what_slows(qtbot: QtBot) -> None:
    """Red is for what is broken."""
    table = device_table(comparison_of(A, B), (1, 0))
    column = table.find(AMOUNT, "cost", 0)
    assert column is not None
    pens: list[str] = []

    class Pens(Scribe):
        def drawText(self, rect: QRectF, flags: int, text: str) -> None:  # type: ignore[override]
            pens.append(self.pen().color().name())

    painter = Pens(200, 40)
    for row in range(3):
        paint_amount(painter, QRectF(0, 0, 200, 20), table, column, row, LIGHT)
    painter.end()
    assert pens == [LIGHT.slow if row == table.hot[0] else LIGHT.text for row in range(3)]


def test_sorting_and_choosing(qtbot: QtBot) -> None:
    state = state_of(A, B)
    view = DeviceDifferences(state, LIGHT)
    with shown(qtbot, view, 900, 260):
        model = view.model
        assert model.table is not None
        column = next(i for i, c in enumerate(model.table.columns) if (c.kind, c.part) == (CHANGE, "cost"))
        view.table.sortByColumn(column, Qt.SortOrder.DescendingOrder)
        values = model.table.columns[column].values[model.order]
        assert np.all(np.diff(values) <= 0)
        state.set_pair(0, 1)
        settle()
        assert model.table.pair == (0, 1)
        assert np.all(np.diff(model.table.columns[column].values[model.order]) <= 0)  # sorted as before
        view.table.sortByColumn(0, Qt.SortOrder.AscendingOrder)
        view.table.setCurrentIndex(model.index(1, 0))
        view.table.setFocus()
        QTest.keyClick(view.table, Qt.Key.Key_Return)
        assert state.selection.tolist() == [3, 4, 5, 6, 7, 8]  # in either plan
        spoken = model.index(0, column).data(Qt.ItemDataRole.AccessibleTextRole)
        assert spoken.startswith(f"Cost A {MINUS} B")
        view.set_theme(DARK)
        settle()
        assert view.delegate.theme is DARK


def test_where_memory_is_compared_the_fullest_device_is_called_so() -> None:
    def on(objective: str) -> Plan:
        problem = Problem(tpu_graph(), EdgeTpuPipeline(2), objective)
        return problem.plan(np.array([0, 0, 0, 1, 1, 1], np.int32), HAND, objective)

    alike = device_table(compare([on("memory-1-2-3"), on("memory-1-3")]), (1, 0))
    assert alike.bottlenecks().startswith("fullest Stage ") and alike.summary().startswith("fullest Stage ")
    assert "(fullest)" in alike.words(alike.hot[0]) and "(bottleneck)" not in alike.words(alike.hot[0])
    mixed = device_table(compare([on("memory-1-2-3"), on("inference-time")]), (1, 0))
    for words in (mixed.bottlenecks(), mixed.summary()):
        assert words.startswith("A's fullest is Stage ") and ", B's bottleneck is Stage " in words


@pytest.mark.parametrize("width", [900.0, 640.0, 480.0, 340.0])
def test_devices_that_plans_call_differently_have_names_to_be_read(qapp: object, width: float) -> None:
    """By their short names where titles have no room; bars and columns give way first."""
    graph = chain_graph(12)
    plans = [Problem(graph, target).plan(np.array(A, np.int32), HAND) for target in (Pipeline(3), pool())]
    comparison = compare(plans)
    painter = Scribe(int(width), 260)
    paint_devices(painter, QRectF(0, 0, width, 260), device_table(comparison, (1, 0)), LIGHT)
    painter.end()
    words = [said for _, said in painter.written]
    titles, names = ([comparison.row_title(row, short=short) for row in range(3)] for short in (False, True))
    assert set(titles) <= set(words) or set(names) <= set(words)
    assert "Cost A" in words and "Cost B \N{MINUS SIGN} A" in words


def test_all_columns_are_in_sight_where_bars_and_margins_can_give_way(qtbot: QtBot) -> None:
    view = DeviceDifferences(state_of(A, B), LIGHT)
    with shown(qtbot, view, 2400, 260):
        header, table = view.table.horizontalHeader(), view.model.table
        assert table is not None
        wide = header.length()
        assert wide == sum(view._widths(table, BAR, MARGIN))
        least = sum(view._widths(table, 0, 0))
        for room in (wide + 40, (wide + least) // 2, least + 20):
            view.resize(room, 260)
            settle()
            assert header.length() <= view.table.viewport().width()


@pytest.mark.parametrize("width", [1200, 460, 340])
def test_no_number_of_a_device_is_cut_and_no_title_of_a_column(qtbot: QtBot, width: int) -> None:
    """Chip 0 and Chip 10 would look alike; where columns have no room they scroll."""
    state = state_of(range(12), [0, *range(11)], target=McmPackage(12))
    view = DeviceDifferences(state, LIGHT)
    with shown(qtbot, view, width, 500):
        table, header = view.model.table, view.table.horizontalHeader()
        assert table is not None
        for i in range(len(table.columns)):
            title = header.fontMetrics().horizontalAdvance(table.columns[i].title)
            assert header.sectionSize(i) >= title + 2 * PADDING, table.columns[i].title
        painter = Scribe(header.sectionSize(0), ROW)
        for row, name in enumerate(table.columns[0].texts):
            box = QRectF(BESIDE, 1, header.sectionSize(0) - 2 * BESIDE, ROW - 2)
            paint_name(painter, box, name, numbered_colours(table.comparison.numbers, LIGHT)[row], LIGHT)
        painter.end()
        assert [said for _, said in painter.written] == list(table.columns[0].texts)
