"""The op table: the right rows in the right order, and one selection with the document."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QItemSelectionModel, Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtTest import QAbstractItemModelTester
from pytestqt.qtbot import QtBot

from gui.document.plan.document import Document
from gui.editors.plan.panels.ops import OpsPanel
from gui.editors.plan.panels.ops_model import (
    BYTES,
    DEVICE,
    ESTIMATED,
    KIND,
    MEASURED,
    NAME,
    OF_TIMES,
    PARAMETERS,
    RATIO,
    WORK,
    OpsModel,
)
from gui.editors.plan.panels.ops_row import ONE_LINE, TWO_LINES, first_fitting
from gui.look.assets import asset
from gui.look.theme import LIGHT, font
from planner.formats import read_model
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.model.cost_model import CostModel
from planner.model.graph import Graph, Op, Tensor
from planner.model.times import OpTime, OpTimes, Use
from planner.problem.problem import Problem
from tests.gui.models import chain_graph, timed_chain
from tests.gui.window_parts import opened, settle, shown


def texts(model: OpsModel, column: int) -> list[str]:
    return [model.index(row, column).data() for row in range(model.rowCount())]


@given(
    column=st.sampled_from([-1, NAME, WORK, PARAMETERS, KIND, DEVICE, BYTES]),
    descending=st.booleans(),
    chosen=st.none() | st.lists(st.integers(0, 11), unique=True),
)
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_sorting_and_filtering(qapp, column: int, descending: bool, chosen: list[int] | None) -> None:  # type: ignore[no-untyped-def]
    document = opened()
    model = OpsModel()
    QAbstractItemModelTester(model)
    model.set_problem(document.problem, document.device_of)
    if chosen is not None:
        model.set_rows(np.array(chosen, np.int32))
    order = Qt.SortOrder.DescendingOrder if descending else Qt.SortOrder.AscendingOrder
    model.sort(column, order)
    problem = document.problem
    assert problem is not None
    keys = {
        -1: lambda v: v,
        NAME: lambda v: problem.graph.op_names[v].casefold(),
        WORK: lambda v: problem.graph.work[v],
        PARAMETERS: lambda v: problem.graph.param_bytes[v],
        KIND: lambda v: problem.graph.kinds[v].casefold(),
        DEVICE: lambda v: document.device_of[v],
        BYTES: lambda v: 8.0,
    }
    ops = sorted(range(12) if chosen is None else chosen)
    # A stable sort; descending order keeps equal ops in the graph's order too.
    expected = sorted(ops, key=keys[column], reverse=descending and column >= 0)
    assert model.ops().tolist() == expected
    assert model.rows_of(np.arange(12, dtype=np.int32)).tolist() == list(range(len(ops)))
    for row, op in enumerate(expected):
        assert model.op(row) == op
    assert model.op(len(expected)) == -1


def test_an_order_that_is_known_is_not_sorted_again(qapp, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    """After finding, or on another machine where ops take as long, the list comes in the order that it had."""
    document = opened()
    problem, model = document.open_problem, OpsModel()
    other = Problem(problem.graph, Pipeline(4), problem.objective)
    slower = Problem(problem.graph, Pipeline(4, speed=(1.0, 0.5, 2.0, 1.0)), problem.objective)
    asked: list[int] = []
    argsort = np.argsort

    def counted(keys: np.ndarray, **named: str) -> np.ndarray:
        asked.append(len(keys))
        return argsort(keys, **named)  # type: ignore[call-overload]

    monkeypatch.setattr(np, "argsort", counted)
    for way in (Qt.SortOrder.AscendingOrder, Qt.SortOrder.DescendingOrder):
        model.set_problem(problem, document.device_of)
        model.sort(WORK, way)
        asked.clear()
        for rows in (None, [3, 1, 7], None, []):
            model.set_rows(None if rows is None else np.array(rows, np.int32))
            for now in (problem, other, slower):
                model.set_problem(now, document.device_of, fresh=False)
                work = now.evaluator.work_on(document.device_of)
                ops = sorted(range(12) if rows is None else rows)
                ops.sort(key=lambda v, work=work: work[v], reverse=way == Qt.SortOrder.DescendingOrder)  # type: ignore[misc]
                assert model.ops().tolist() == ops
                if now is other:
                    assert not asked
            model.set_rows(None)
            model.set_problem(problem, document.device_of, fresh=False)
            asked.clear()


def test_cells(qtbot: QtBot) -> None:
    document = opened()
    model = OpsModel()
    model.set_problem(document.problem, document.device_of)
    assert texts(model, DEVICE)[:5] == ["stage 0"] * 4 + ["stage 1"]
    assert texts(model, KIND)[:3] == ["Conv", "BatchNormalization", "Relu"]
    assert texts(model, BYTES)[0] == "8 B"
    assert model.headerData(WORK, Qt.Orientation.Horizontal) == "Work"
    document.move([3], 2)
    model.set_assignment(document.device_of)
    assert texts(model, DEVICE)[3] == "stage 2"
    model.set_problem(None, document.device_of)
    assert model.rowCount() == 0


def test_table_selects_in_the_document(qtbot: QtBot) -> None:
    document = opened()
    panel = OpsPanel(document, LIGHT)
    with shown(qtbot, panel):
        heard: list[None] = []
        document.selection_changed.connect(lambda: heard.append(None))
        panel.table.selectRow(4)
        assert document.selection.tolist() == [panel.model.op(4)]
        assert len(heard) == 1
        panel.table.selectAll()
        assert len(document.selection) == 12
        assert len(heard) == 2


def test_document_selects_in_the_table(qtbot: QtBot) -> None:
    document = opened()
    panel = OpsPanel(document, LIGHT)
    with shown(qtbot, panel):
        document.select([1, 2, 3, 8])
        rows = sorted({i.row() for i in panel.table.selectionModel().selectedIndexes()})
        assert sorted(panel.model.op(r) for r in rows) == [1, 2, 3, 8]
        panel.table.sortByColumn(NAME, Qt.SortOrder.DescendingOrder)
        rows = {i.row() for i in panel.table.selectionModel().selectedIndexes()}
        assert sorted(panel.model.op(r) for r in rows) == [1, 2, 3, 8]
        assert document.selection.tolist() == [1, 2, 3, 8]


def test_find_lists_and_return_shows(qtbot: QtBot) -> None:
    document = opened()
    panel = OpsPanel(document, LIGHT)
    with shown(qtbot, panel):
        panel.show_find()
        qtbot.keyClicks(panel.find_box, "kind:Conv")
        qtbot.waitUntil(lambda: panel.model.rowCount() == 4, timeout=30_000)
        assert panel.count.text().startswith("4 of 12 ops")
        with qtbot.waitSignal(panel.zoom_requested) as heard:
            qtbot.keyClick(panel.find_box, Qt.Key.Key_Return, Qt.KeyboardModifier.AltModifier)
        assert heard.args[0].tolist() == [0, 3, 6, 9]
        assert document.selection.tolist() == [0, 3, 6, 9]
        qtbot.keyClick(panel.find_box, Qt.Key.Key_Down)
        assert panel.table.hasFocus()
        panel.find_box.setFocus()
        with qtbot.waitSignal(panel.left):
            qtbot.keyClick(panel.find_box, Qt.Key.Key_Escape)
        assert panel.find_box.text() == "" and document.selection.tolist() == [0, 3, 6, 9]
        panel.find_box.setText("kind:Relu")
        panel.table.setFocus()
        with qtbot.waitSignal(panel.left):
            qtbot.keyClick(panel.table, Qt.Key.Key_Escape)
        assert panel.find_box.text() == ""


def test_the_costliest_ops_come_first_until_one_sorts_otherwise(qtbot: QtBot) -> None:
    document = Document()
    document.open_graph(read_model("sample_models/branchy_int8.tflite"), target=Pipeline(2))
    panel = OpsPanel(document, LIGHT)
    with shown(qtbot, panel, 700):
        header = panel.table.horizontalHeader()
        work = document.open_problem.evaluator.work_on(document.device_of)
        assert (header.sortIndicatorSection(), header.sortIndicatorOrder()) == (
            WORK,
            Qt.SortOrder.DescendingOrder,
        )
        assert header.isSortIndicatorShown()
        assert all(
            Path(asset(f"icons/chevron-{way}-{name}.svg")).is_file()
            for way in ("up", "down")
            for name in ("dark", "light")
        )
        assert panel.model.ops().tolist() == np.argsort(-work, kind="stable").tolist()
        document.set_problem(EdgeTpuPipeline(3), "memory-1-2-3")
        qtbot.waitUntil(lambda: header.sortIndicatorSection() == PARAMETERS)
        panel.table.sortByColumn(NAME, Qt.SortOrder.AscendingOrder)
        document.undo_stack.undo()
        qtbot.waitUntil(lambda: header.visualIndex(WORK) == 1)
        assert header.sortIndicatorSection() == NAME
        names = [document.open_problem.graph.op_names[op].casefold() for op in panel.model.ops()]
        assert names == sorted(names)


def test_ops_that_take_longer_where_they_are_now_are_sorted_anew(qtbot: QtBot) -> None:
    document = Document()
    document.open_graph(read_model("sample_models/branchy_int8.tflite"), target=DevicePool(2, 1))
    problem = document.open_problem
    panel = OpsPanel(document, LIGHT)
    scroll = panel.table.verticalScrollBar()

    def is_sorted() -> bool:
        work = problem.evaluator.work_on(document.device_of)
        return panel.model.ops().tolist() == np.argsort(-work, kind="stable").tolist()

    with shown(qtbot, panel, height=200):
        document.set_assignment(np.zeros(problem.graph.n, np.int32), "edit", "all on one")
        assert is_sorted()
        last = panel.model.op(panel.model.rowCount() - 1)
        document.select([panel.model.op(0)])
        scroll.setValue(at := scroll.maximum() // 2)
        document.move(panel.model.ops()[5::2], 2)
        assert is_sorted()
        assert scroll.value() == at, "nobody looked at what is selected"
        document.select([last])
        document.undo_stack.undo()
        assert is_sorted()
        row = panel.model.rows_of(np.array([last], np.int32))[0]
        assert [index.row() for index in panel.table.selectionModel().selectedRows()] == [row]
        assert panel.table.rowViewportPosition(row) < panel.table.viewport().height()


def test_a_bad_query_says_so(qtbot: QtBot) -> None:
    panel = OpsPanel(opened(), LIGHT)
    with shown(qtbot, panel):
        panel.find_box.setText("/(/")
        panel.run_find()
        assert panel.model.rowCount() == 0
        assert panel.trouble.isVisible()
        assert panel.trouble.text()
        assert panel.find_box.property("invalid") is True
        panel.find_box.setText("conv")
        panel.run_find()
        assert panel.find_box.property("invalid") is False


def test_return_walks_through_the_matches(qtbot: QtBot) -> None:
    document = opened()
    panel = OpsPanel(document, LIGHT)
    with shown(qtbot, panel):
        panel.show_find("kind:Conv")
        seen = []
        panel.reveal_requested.connect(seen.append)
        for _ in range(5):
            qtbot.keyClick(panel.find_box, Qt.Key.Key_Return)
        assert seen == [0, 3, 6, 9, 0]
        assert document.selection.tolist() == [0]
        assert panel.count.text() == "match 1 of 4"
        qtbot.keyClick(panel.find_box, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
        assert document.selection.tolist() == [9]
        panel.find_box.setText("nothing like it")
        panel.walk(1)
        assert document.selection.tolist() == [9]
        panel.find_box.setText("kind:Conv")
        panel.walk(-1)
        assert seen[-1] == 9


def test_what_is_typed_is_told_at_once(qtbot: QtBot) -> None:
    panel = OpsPanel(opened(), LIGHT)
    with shown(qtbot, panel):
        told = []
        panel.found.connect(lambda ops: told.append(None if ops is None else ops.tolist()))
        for text in ("kind:Conv", "kind:Nothing", "/(/", ""):
            panel.find_box.setText(text)
            panel.run_find()
        assert told == [[0, 3, 6, 9], [], None]


def test_edges_that_are_not_there_say_how_to_ask_for_paths(qtbot: QtBot) -> None:
    panel = OpsPanel(opened(), LIGHT)
    with shown(qtbot, panel):
        panel.find_box.setText("kind:Conv -> kind:Relu")
        panel.run_find()
        assert "kind:Conv -> .* -> kind:Relu" in panel.trouble.text()
        panel.find_box.setText("kind:Relu -> kind:Nothing")
        panel.run_find()
        assert "no path" in panel.trouble.text()
        panel.find_box.setText("kind:Conv -> .* -> kind:Relu")
        panel.run_find()
        assert not panel.trouble.isVisible()
        assert panel.model.rowCount()


def test_why_nothing_is_found_is_told_in_full(qtbot: QtBot) -> None:
    panel = OpsPanel(opened(), LIGHT)
    panel.resize(230, 500)
    with shown(qtbot, panel):
        for query in ("device:nowhere at all", "(block -> x", "layer:many", "kind:Conv -> kind:Relu"):
            panel.find_box.setText(query)
            panel.run_find()
            settle()
            label = panel.trouble
            assert label.isVisible()
            assert label.height() >= label.heightForWidth(label.width())


def test_results_follow_moves_and_graphs(qtbot: QtBot) -> None:
    document = opened()
    panel = OpsPanel(document, LIGHT)
    with shown(qtbot, panel):
        panel.find_box.setText('device:"stage 2"')
        panel.run_find()
        assert panel.model.rowCount() == 4
        document.move([7], 2)
        qtbot.waitUntil(lambda: panel.model.rowCount() == 5, timeout=30_000)
        document.open_graph(chain_graph(30, "other"), target=Pipeline(count=2))
        settle()
        assert panel.find_box.text() == ""
        assert panel.model.rowCount() == 30


def test_nothing_is_scrolled_to_where_nothing_is_open(qtbot: QtBot) -> None:
    document = Document()
    panel = OpsPanel(document, LIGHT)
    with shown(qtbot, panel, 200):
        bar = panel.table.horizontalScrollBar()
        assert not bar.isVisible()
        document.open_graph(chain_graph(20), target=Pipeline(count=4))
        settle()
        assert bar.isVisible(), "columns beyond those in sight"


def test_20000_rows(qtbot: QtBot) -> None:
    document = Document()
    document.open_graph(chain_graph(20_000), target=Pipeline(count=4))
    panel = OpsPanel(document, LIGHT)
    with shown(qtbot, panel):
        assert panel.model.rowCount() == 20_000
        document.select(np.arange(20_000))
        assert len(panel.table.selectionModel().selection()) == 1
        panel.table.sortByColumn(WORK, Qt.SortOrder.AscendingOrder)
        document.select([19_999])
        assert panel.table.currentIndex().row() == panel.model.rows_of(np.array([19_999], np.int32))[0]


@pytest.mark.parametrize("width", [200, 260, 700])
def test_name_and_work_are_in_sight(qtbot: QtBot, width: int) -> None:
    panel = OpsPanel(opened(), LIGHT)
    with shown(qtbot, panel, width):
        assert (
            panel.table.columnWidth(NAME) + panel.table.columnWidth(WORK)
            <= panel.table.viewport().width() + 12
        )
        panel.table.selectionModel().setCurrentIndex(
            panel.model.index(2, 0), QItemSelectionModel.SelectionFlag.ClearAndSelect
        )
        assert panel.document.selection.tolist() == [panel.model.op(2)]


def test_the_first_number_is_what_the_objective_is_about(qtbot: QtBot) -> None:
    document = Document()
    document.open_graph(read_model("sample_models/branchy_int8.tflite"), target=Pipeline(2))
    panel = OpsPanel(document, LIGHT)
    with shown(qtbot, panel, 260):
        header = panel.table.horizontalHeader()
        assert (header.visualIndex(WORK), header.visualIndex(PARAMETERS)) == (1, 2)
        document.set_problem(EdgeTpuPipeline(3), "memory-1-2-3")
        qtbot.waitUntil(lambda: header.visualIndex(PARAMETERS) == 1)
        assert header.visualIndex(WORK) == 2
        document.undo_stack.undo()
        qtbot.waitUntil(lambda: header.visualIndex(WORK) == 1)


def test_a_narrow_table_says_device_memory_and_kind_below_the_name(qtbot: QtBot) -> None:
    document = opened()
    panel = OpsPanel(document, LIGHT)
    with shown(qtbot, panel, 228, 400):
        assert panel.rows.on and panel.table.rowHeight(0) == TWO_LINES
        assert panel.model.about(0, WORK)[0] == "stage 0 · 8 B out · Conv"
        assert panel.model.about(0, PARAMETERS)[0].startswith("stage 0 · ")
        assert panel.model.about(-1, WORK) == ("",)
        panel.resize(700, 400)
        settle()
        assert not panel.rows.on and panel.table.rowHeight(0) == ONE_LINE


def test_measured_times_stand_beside_estimates_and_are_sorted_by(qtbot: QtBot) -> None:
    ops = [Op(name, name, "Conv", macs=1e9) for name in "abcd"]
    graph = Graph.build("g", ops, [Tensor(a, (b,), 1e6) for a, b in ("ab", "bc", "cd")])
    estimate = float(CostModel().estimate(graph)[0][0])
    document = Document()
    document.open_graph(graph, target=Pipeline(2))
    panel = OpsPanel(document, LIGHT)
    qtbot.addWidget(panel)
    panel.refresh_now()
    assert all(panel.table.isColumnHidden(column) for column in OF_TIMES), "nothing was measured"
    times = {"a": OpTime(2 * estimate), "b": OpTime(estimate / 4), "d": OpTime(9 * estimate)}
    document.editing.set_times([Use(OpTimes(times, "t", "me"))])
    panel.refresh_now()
    assert not any(panel.table.isColumnHidden(column) for column in OF_TIMES)
    model = panel.model
    said = [model.index(row, RATIO).data() for row in range(4)]
    assert said == ["9 x", "2 x", "", "0.25 x"], "the costliest first"
    assert model.headerData(MEASURED, Qt.Orientation.Horizontal).startswith("Measured, ")
    assert model.index(2, MEASURED).data() == "" != model.index(2, ESTIMATED).data()
    model.sort(RATIO, Qt.SortOrder.DescendingOrder)
    assert [graph.op_names[op] for op in model.ops()] == ["d", "a", "b", "c"]
    model.sort(MEASURED, Qt.SortOrder.AscendingOrder)
    assert graph.op_names[model.op(0)] == "c"
    assert "9 x its estimate" in model.about(3, WORK)


def test_the_work_of_ops_is_in_the_unit_of_the_plan(qtbot: QtBot) -> None:
    """Stages of 1.8 ms of ops that take 300 µs each: the table, cards and headers all say ms."""
    document = Document()
    document.open_graph(timed_chain(6, 3e-4), target=Pipeline(2))
    document.move([0, 1, 2, 3, 4, 5], 0)
    panel = OpsPanel(document, LIGHT)
    with shown(qtbot, panel):
        assert panel.model.headerData(WORK, Qt.Orientation.Horizontal) == "Work, ms"
        assert texts(panel.model, WORK)[0].strip() == "0.30"
        document.move([3, 4, 5], 1)
        settle()
        assert panel.model.headerData(WORK, Qt.Orientation.Horizontal) == "Work, µs"
        assert texts(panel.model, WORK)[0].strip() == "300.00"


def test_the_second_line_of_a_row_says_less_rather_than_being_cut(qtbot: QtBot) -> None:
    """A kind is shortened, then left out where the name says it; then the device, whose mark stands before the name."""
    ops = [
        Op("a", "a/bn1", "BatchNormalization", work=1.0, work_cpu=1.0),
        Op("b", "b/x", "Conv", work=1.0, work_cpu=1.0),
    ]
    graph = Graph.build("g", ops, [Tensor("a", ("b",), 8.0, time=0.0), Tensor("b", (), 8.0, time=0.0)])
    document = Document()
    document.open_graph(graph, target=Pipeline(1))
    model = OpsModel()
    model.set_problem(document.problem, document.device_of)
    model.sort(NAME)
    said, unsaid = model.about(0, WORK), model.about(1, WORK)
    assert said[:3] == (
        "stage 0 · 8 B out · BatchNormalization",
        "stage 0 · 8 B out · BatchNorm",
        "stage 0 · 8 B out · BN",
    )
    assert said[3] == "stage 0 · 8 B out"
    assert unsaid == ("stage 0 · 8 B out · Conv", "8 B out · Conv", "8 B out"), (
        "what no name says is left out last"
    )
    measure = QFontMetrics(font(8.0))
    for words in (*said[:4], said[-1]):
        assert first_fitting(said, measure, measure.horizontalAdvance(words)) == words
    assert first_fitting(said, measure, 3) in ("", "…")


def test_bytes_say_whether_they_are_parameters_or_output(qtbot: QtBot) -> None:
    kinds = {"a": "Conv", "b": "Relu", "c": "Sink"}
    ops = [
        Op(one, one, kind, param_bytes=3e6 if one == "a" else 0.0, work=1.0, work_cpu=1.0)
        for one, kind in kinds.items()
    ]
    tensors = [Tensor("a", ("b",), 2048.0, time=0.0), Tensor("b", ("c",), 1024.0, time=0.0)]
    problem = Problem(Graph.build("bytes", ops, tensors), Pipeline(2))
    model = OpsModel()
    model.set_problem(problem, np.array([0, 0, 1], np.int32), LIGHT, fresh=True)
    said = {model.index(row, NAME).data(): model.about(row, WORK)[0] for row in range(3)}
    assert "MiB params" in said["a"] and said["b"].endswith("1.0 KiB out · Relu") and " B" not in said["c"]
    row = next(row for row in range(3) if model.index(row, NAME).data() == "b")
    assert model.index(row, NAME).data(Qt.ItemDataRole.ToolTipRole).endswith("parameters 0 B, output 1.0 KiB")
    across = Qt.Orientation.Horizontal
    assert [model.headerData(c, across) for c in (PARAMETERS, BYTES)] == ["Params", "Output"]
    tips = [model.headerData(c, across, Qt.ItemDataRole.ToolTipRole) for c in (PARAMETERS, BYTES)]
    assert "parameters" in tips[0] and "puts out" in tips[1]
