"""Schedules and their charts for tests: where bars are, and what the wheel of a mouse does."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication

from gui.document.plan.document import Document
from gui.look.theme import LIGHT
from gui.panels.schedule.chart import ScheduleChart
from gui.panels.schedule.layout import AXIS, RULER, ChartLayout, device_rows
from gui.panels.schedule.panel import SchedulePanel
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.model.graph import Graph, Op, Tensor
from planner.problem.problem import Problem
from planner.reports.schedule.schedule import Schedule, schedule
from tests.gui.models import chain_graph

LEFT = Qt.MouseButton.LeftButton


def of(document: Document) -> SchedulePanel:
    return SchedulePanel(document, LIGHT)


def layout(panel: SchedulePanel) -> ChartLayout:
    found = panel.chart.layout_of
    assert found is not None
    return found


def middle(panel: SchedulePanel, bar: int) -> QPoint:
    x, y, w, h = layout(panel).boxes(np.array([bar]))[0].tolist()
    return QPoint(round(x + w / 2), round(y + h / 2))


def wheel(chart: ScheduleChart, at: QPointF, dy: int, modifiers: Qt.KeyboardModifier | None = None) -> None:
    event = QWheelEvent(
        at, chart.mapToGlobal(at), QPoint(), QPoint(0, dy), Qt.MouseButton.NoButton,
        modifiers or Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(chart, event)


def some(samples: int = 5) -> Schedule:
    problem = Problem(chain_graph(), Pipeline(3))
    return schedule(problem, (np.arange(12) // 4).astype(np.int32), samples=samples)


def busy_cpu(at_once: int, height: float) -> tuple[ChartLayout, Problem]:
    """Two accelerators and a CPU that runs so many ops at once."""
    names = [f"m{i}" for i in range(at_once)]
    ops = [Op(name, name, work=2.0, work_cpu=9.0) for name in ("first", *names, "last")]
    tensors = [
        Tensor("first", tuple(names), 1.0, 0.5),
        *(Tensor(name, ("last",), 1.0, 0.5) for name in names),
    ]
    problem = Problem(Graph.build("wide", ops, tensors), DevicePool(2, 1), objective="latency")
    device_of = np.array([0, *(2 for _ in names), 1], np.int32)
    rows = device_rows(s := schedule(problem, device_of), [device.title for device in problem.devices])
    return ChartLayout(s, rows, None, 600.0, RULER + AXIS + height), problem
