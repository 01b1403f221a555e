"""The list of moved ops: what it lists, finds and sorts; selection both ways; taking ops over."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QAbstractItemModel, Qt
from PySide6.QtTest import QAbstractItemModelTester, QTest
from pytestqt.qtbot import QtBot

from gui.canvas.graph.items import items_of
from gui.canvas.graph.scene import arrange, skeleton_of
from gui.editors.comparison.panels.moved import MovedList
from gui.editors.comparison.panels.moved_model import FROM, OP, PARAMETERS, TO, WORK, MovedModel, Moves
from gui.look.theme import DARK, LIGHT
from gui.panels.comparison.rows import scene_of_plan
from gui.panels.comparison.sankey_words import sankey_of
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.model.graph import Graph
from planner.model.ops import Op, Tensor
from tests.gui.editors.comparison.compare_parts import comparison_of, state_of
from tests.gui.models import chain_graph, timed_chain
from tests.gui.window_parts import settle, shown

A = [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2]
B = [0, 0, 0, 1, 1, 1, 1, 1, 1, 2, 2, 2]


def texts(model: QAbstractItemModel, column: int) -> list[str]:
    return [model.index(row, column).data() for row in range(model.rowCount())]


def test_rows_are_the_moved_ops(qapp: object) -> None:
    comparison = comparison_of(A, B)
    model = MovedModel()
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    model.show_moves(Moves(comparison, (1, 0)), LIGHT)
    assert model.ops().tolist() == [3, 8]
    assert texts(model, FROM) == ["stage 0", "stage 2"]
    assert texts(model, TO) == ["stage 1", "stage 1"]
    assert model.headerData(FROM, Qt.Orientation.Horizontal) == "In A"
    model.show_moves(Moves(comparison, (0, 1)), LIGHT)
    assert texts(model, FROM) == ["stage 1", "stage 1"]
    model.sort(WORK, Qt.SortOrder.DescendingOrder)
    work = comparison.graph.work[model.ops()]
    assert np.all(np.diff(work) <= 0)


def test_parameters_are_counted_as_devices_count_them(qapp: object) -> None:
    ops = [Op(f"op{i}", f"op{i}", work=1.0, work_cpu=1.0, params=16.0, param_bytes=64.0) for i in range(3)]
    tensors = [Tensor(f"op{i}", (f"op{i + 1}",), bytes=4.0, dtype="float32") for i in range(2)]
    floating = Graph.build("floating", ops, tensors)
    comparison = comparison_of([0, 0, 1], [0, 1, 1], target=EdgeTpuPipeline(2), graph=floating)
    model = MovedModel()
    model.show_moves(Moves(comparison, (1, 0)), LIGHT)
    assert texts(model, PARAMETERS) == ["16 B"]
    sankey = sankey_of(comparison, (1, 0), "bytes", 300.0)
    going = sankey.layout.find(0, 1)
    assert sankey.ribbon_words(going).endswith("16 B of parameters")


@pytest.mark.parametrize(
    ("words", "found"), [("", [3, 8]), ("RELU", [8]), ("stage 0", [3]), ("stage 2 -> stage 1", [8]), ("gelu", [])]
)  # fmt: skip
def test_a_filter_looks_at_names_kinds_and_devices(words: str, found: list[int]) -> None:
    moves = Moves(comparison_of(A, B), (1, 0))
    assert moves.matching(words).tolist() == found


def test_selection_goes_both_ways(qtbot: QtBot) -> None:
    state = state_of(A, B)
    view = MovedList(state, LIGHT)
    with shown(qtbot, view, 600, 240):
        assert view.count.text() == "2 of 12 ops moved"
        view.table.selectRow(1)
        assert state.selection.tolist() == [8]
        assert view.count.text() == "2 of 12 ops moved, 1 selected"
        state.select([3, 5])
        settle()
        assert [i.row() for i in view.table.selectionModel().selectedRows()] == [0]
        view.find_box.setText("relu")
        view.run_filter()
        assert view.count.text() == "1 of 2 moved ops"
        assert state.selection.tolist() == [3, 5]  # a filter unselects nothing
        with qtbot.waitSignal(view.left):
            QTest.keyClick(view.find_box, Qt.Key.Key_Escape)
        assert view.find_box.text() == ""
        view.run_filter()
        view.set_theme(DARK)
        settle()
        assert view.model.rowCount() == 2


def test_what_is_selected_and_listed_can_be_taken(qtbot: QtBot) -> None:
    state = state_of(A, B, [2] * 12)
    view = MovedList(state, LIGHT)
    taken: list[tuple[list[int], int]] = []
    view.take_requested.connect(lambda ops, source: taken.append((ops.tolist(), source)))
    looked: list[list[int]] = []
    view.zoom_requested.connect(lambda ops: looked.append(ops.tolist()))
    with shown(qtbot, view, 600, 240):
        assert not view.take.isEnabled()
        state.select([0, 3, 5])  # 0 and 5 are on the same device in both
        settle()
        assert view.take.text() == "Take into A"
        view.take.trigger()
        state.set_pair(2, 1)
        settle()
        assert view.take.text() == "Take into B"
        view.table.setFocus()
        view.take.trigger()
        assert taken == [([3], 1), ([0, 3, 5], 2)]  # all of C is on one device, where B has none of these
        QTest.keyClick(view.table, Qt.Key.Key_Return)
        assert looked == [[0, 3, 5]]


def test_two_thousand_rows_are_a_few_ranges(qtbot: QtBot) -> None:
    n = 2000
    graph = chain_graph(n)
    state = state_of([0] * (n // 2) + [1] * (n // 2), [0] * n, graph=graph)
    view = MovedList(state, LIGHT)
    with shown(qtbot, view, 600, 300):
        assert view.model.rowCount() == 1000
        state.select(np.arange(n))
        settle()
        assert len(view.table.selectionModel().selection().toList()) == 1
        view.table.sortByColumn(OP, Qt.SortOrder.DescendingOrder)
        assert len(view.table.selectionModel().selection().toList()) == 1
        assert len(state.selection) == n


def test_the_work_of_moved_ops_is_in_the_unit_of_the_plans(qtbot: QtBot) -> None:
    """Of stages that take 600 µs and 1.80 ms, as their canvases have it, on cards too."""
    comparison = comparison_of([0, 0, 1, 1, 2, 2], [0] * 6, target=Pipeline(3), graph=timed_chain(6, 3e-4))
    model = MovedModel()
    model.show_moves(Moves(comparison, (1, 0)))
    assert model.headerData(WORK, Qt.Orientation.Horizontal) == "Work, ms"
    assert model.index(0, WORK).data().strip() == "0.30"
    for plan in range(2):
        items = items_of(comparison.graph, None, frozenset())
        skeleton, places = skeleton_of(items), np.array(comparison.places[plan], np.int32)
        layout = arrange(items, skeleton, "flow", places, 3, (600.0, 400.0))
        assert scene_of_plan(comparison, plan, items, skeleton, layout, "flow").work_column.suffix == "ms"


@pytest.mark.parametrize("width", [700, 1280, 1900])
def test_columns_fill_the_list(qtbot: QtBot, width: int) -> None:
    view = MovedList(state_of(A, B), LIGHT)
    with shown(qtbot, view, width, 240):
        settle()
        taken = sum(view.table.columnWidth(column) for column in range(view.model.columnCount()))
        assert 0.97 * view.table.viewport().width() - 16 <= taken <= view.table.viewport().width()


def test_work_that_differs_between_devices_is_told_of_both(qapp: object) -> None:
    ops = [Op(f"n{i}", f"n{i}", "Conv", work=1.0, work_cpu=6.0) for i in range(4)]
    tensors = [Tensor(f"n{i}", (f"n{i + 1}",), 8.0, time=0.0) for i in range(3)]
    graph = Graph.build("mixed", ops, tensors, time_unit="s")
    model = MovedModel()
    # From an accelerator to the CPU, and from one accelerator to another.
    comparison = comparison_of(
        [0, 0, 0, 1], [0, 2, 1, 1], target=DevicePool(2, 1, contiguous=False), graph=graph
    )
    model.show_moves(Moves(comparison, (1, 0)), LIGHT)
    assert model.headerData(WORK, Qt.Orientation.Horizontal) == "Work, A → B, s"
    told = [text.strip() for text in texts(model, WORK)]
    assert [text.replace("\N{FIGURE SPACE}", "") for text in told] == ["1.00 → 6.00", "1.00"]
    tip = model.index(0, WORK).data(Qt.ItemDataRole.AccessibleTextRole) or model.index(0, OP).data(
        Qt.ItemDataRole.AccessibleTextRole
    )
    assert tip.endswith("; it takes 1.00 s there and 6.00 s here")
