"""The schedule dock: it follows the plan, and offers the kinds of schedules and the rows that there are."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from gui.document.plan.document import Document
from gui.look.numbers import one_time
from gui.look.theme import DARK, LIGHT
from gui.panels.schedule.panel import SchedulePanel, summary
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.model.graph import Graph, Op, Tensor
from tests.gui.models import chain_graph
from tests.gui.panels.schedule.charts import layout, of, wheel
from tests.gui.window_parts import opened, opened_on_tpus, settle, shown


def training() -> Graph:
    ops = [Op(f"f{i}", f"f{i}", work=2.0, work_cpu=9.0) for i in range(4)]
    ops += [Op(f"b{i}", f"b{i}", work=3.0, work_cpu=9.0, backward=True) for i in range(4)]
    pairs = [("f0", "f1"), ("f1", "f2"), ("f2", "f3"), ("f3", "b3"), ("b3", "b2"), ("b2", "b1"), ("b1", "b0")]
    return Graph.build("training", ops, [Tensor(a, (b,), 1.0, 0.5) for a, b in pairs], time_unit=None)


def test_it_follows_the_plan_and_says_what_sets_the_pace(qtbot: QtBot) -> None:
    document = opened()
    panel = of(document)
    with shown(qtbot, panel, 700, 220):
        s = panel.schedule
        assert s is not None
        assert s.kind == "pipelined"
        assert s.period == document.evaluation.objective
        title = document.evaluation.bottleneck
        assert document.problem is not None
        assert f"{document.problem.devices[title].title} sets the pace" in panel.words.text()
        document.move([0, 1, 2, 3], 1)
        settle()
        assert panel.schedule is not s
        assert panel.schedule is not None
        assert panel.schedule.period == document.evaluation.objective
        assert "busy" in panel.chart.accessibleDescription()
        for theme in (DARK, LIGHT):
            panel.set_theme(theme)
            settle()
            assert not panel.grab().isNull()


def test_nothing_is_computed_while_it_cannot_be_seen(qtbot: QtBot) -> None:
    document = opened()
    panel = of(document)
    with shown(qtbot, panel):
        panel.hide()
        before = panel.schedule
        document.move([0], 1)
        document.select([1])
        settle()
        assert panel.schedule is before
        panel.show()
        settle()
        assert panel.schedule is not before


def test_without_a_model(qtbot: QtBot) -> None:
    panel = of(Document())
    with shown(qtbot, panel):
        assert panel.chart.isHidden()
        assert "Open a model" in panel.words.text()


def test_kinds_and_samples(qtbot: QtBot) -> None:
    document = Document()
    document.open_graph(training(), target=DevicePool(2, 0))
    document.set_assignment(np.array([0, 0, 1, 1, 0, 0, 1, 1]), "edit", "halves")
    panel = of(document)
    with shown(qtbot, panel, 800, 240):
        assert [panel.kind.itemData(i) for i in range(panel.kind.count())] == [
            "pipedream",
            "gpipe",
            "latency",
        ]
        panel.kind.setCurrentIndex(1)
        panel.kind.activated.emit(1)
        settle()
        assert panel.schedule is not None
        assert [span.name for span in panel.schedule.spans] == ["forward", "backward"]
        assert "a batch of 8 takes" in panel.words.text()
        panel.samples.setValue(3)
        settle()
        assert panel.schedule.samples == 3
        panel.kind.setCurrentIndex(2)
        panel.kind.activated.emit(2)
        settle()
        assert "critical path: Accelerator 0, Accelerator 1" in panel.words.text()
        assert not panel.grab().isNull()
        # Another graph has its own kinds.
        document.open_graph(chain_graph(), target=Pipeline(3))
        settle()
        assert panel.kind.currentData() == "pipelined"


def test_virtual_devices_get_rows_of_their_own(qtbot: QtBot) -> None:
    document = Document()
    document.open_graph(chain_graph(), target=DevicePool(2, 0, contiguous=False))
    document.set_assignment(np.arange(12, dtype=np.int32) % 2, "edit", "alternating")
    panel = of(document)
    with shown(qtbot, panel, 700, 200):
        assert panel.virtual.isVisible()
        assert len(layout(panel).rows) == 2
        panel.virtual.setChecked(True)
        settle()
        rows = layout(panel).rows
        assert panel.schedule is not None
        assert len(rows) == len(panel.schedule.piece_device) > 2
        assert rows[0].title == "Accelerator 0 a"
        assert "virtual devices" in panel.words.text()
        # More rows than fit: the names' column scrolls, and so does the keyboard.
        assert layout(panel).scrolled == 0
        wheel(panel.chart, QPointF(20, 60), -480)
        assert layout(panel).scrolled > 0
        QTest.keyClick(panel.chart, Qt.Key.Key_Right)
        assert layout(panel).scrolled == 0
        assert not panel.grab().isNull()
        document.set_assignment(np.arange(12, dtype=np.int32) // 6, "edit", "halves")
        settle()
        assert not panel.virtual.isVisible()


def test_an_invalid_plan_is_said_to_be_none_that_runs(qtbot: QtBot) -> None:
    document = opened()
    panel = of(document)
    with shown(qtbot, panel, 900, 240):
        assert "not valid" not in panel.words.text()
        document.move([0], 2)
        settle()
        broken = len(document.evaluation.violations)
        assert panel.words.text().startswith(f"not valid, {broken} violation")
        assert panel.words.property("role") == "bad"
        document.undo_stack.undo()
        settle()
        assert panel.words.text().startswith("a sample every") and panel.words.property("role") == "muted"


def test_the_summary_names_the_link_where_all_stages_stream_over_it(qtbot: QtBot) -> None:
    document = opened_on_tpus("inference-time")
    panel = SchedulePanel(document, LIGHT)
    with shown(qtbot, panel, 900):
        e, s = document.evaluation, panel.schedule
        assert e.rests is not None and s is not None
        words = summary(s, ["Stage 0", "Stage 1", "Stage 2"], "s")
        assert words.startswith(
            f"a sample every {one_time(e.objective, 's')}   the shared link sets the pace   "
        )
        assert words in panel.words.text() and "in practice" not in panel.words.text()
        assert "one after another" in panel.words.toolTip()
        document.set_problem(EdgeTpuPipeline(3, cache=2 * 2**20), "stage-time")
        settle()
        assert (
            "Stage 2 sets the pace" in panel.words.text() and "in practice" in panel.words.toolTip().lower()
        )
