"""What mouse and keyboard do with a chart: bars are selected and told of, and it is zoomed, moved and scrolled."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, QRect, QSize, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDockWidget, QMainWindow, QWidget
from pytestqt.qtbot import QtBot

from gui.canvas.graph.tooltip import HoverCard
from gui.document.plan.document import Document
from gui.panels.schedule.layout import RULER
from planner.machines.pipeline.target import Pipeline
from tests.gui.models import chain_graph
from tests.gui.panels.schedule.charts import LEFT, layout, middle, of, wheel
from tests.gui.window_parts import opened, settle, shown


def test_a_click_selects_the_ops_of_a_bar_or_a_device(qtbot: QtBot) -> None:
    document = opened()
    panel = of(document)
    with shown(qtbot, panel, 700, 240):
        s = panel.schedule
        assert s is not None
        bar = int(np.flatnonzero((s.device == 1) & (s.phase == 2))[0])
        QTest.mouseClick(panel.chart, LEFT, Qt.KeyboardModifier.NoModifier, middle(panel, bar))
        assert document.selection.tolist() == np.flatnonzero(document.device_of == 1).tolist()
        selected = panel.chart.marks.selected
        assert selected is not None
        assert selected.tolist() == [False, True, False]
        first = int(np.flatnonzero((s.device == 0) & (s.phase == 2))[0])
        QTest.mouseClick(panel.chart, LEFT, Qt.KeyboardModifier.ControlModifier, middle(panel, first))
        assert set(document.device_of[document.selection].tolist()) == {0, 1}
        row = round(layout(panel).row_top(2) + 5)
        QTest.mouseClick(panel.chart, LEFT, Qt.KeyboardModifier.NoModifier, QPoint(40, row))
        assert set(document.device_of[document.selection].tolist()) == {2}
        QTest.mouseClick(
            panel.chart, LEFT, Qt.KeyboardModifier.NoModifier, QPoint(400, round(RULER / 2))
        )  # no bar there
        assert not len(document.selection)


def test_zoom_pan_and_fit(qtbot: QtBot) -> None:
    panel = of(opened())
    with shown(qtbot, panel, 700, 240):
        chart, view = panel.chart, layout(panel)
        assert view.fitted
        at = view.time(400.0)
        wheel(chart, QPointF(400, 60), 240)
        assert not view.fitted
        assert view.time(400.0) == pytest.approx(at)
        left = view.left
        wheel(chart, QPointF(400, 60), -120, Qt.KeyboardModifier.ShiftModifier)
        assert view.left > left
        left = view.left
        QTest.mousePress(chart, LEFT, Qt.KeyboardModifier.NoModifier, QPoint(400, 60))
        QTest.mouseMove(chart, QPoint(430, 60))
        QTest.mouseMove(chart, QPoint(440, 60))
        QTest.mouseRelease(chart, LEFT, Qt.KeyboardModifier.NoModifier, QPoint(440, 60))
        assert view.left < left
        # An edit keeps the place; fitting does not.
        scale = view.scale
        panel.document.move([0], 1)
        settle()
        assert layout(panel).scale == pytest.approx(scale)
        QTest.keyClick(chart, Qt.Key.Key_Home)
        assert layout(panel).fitted
        QTest.keyClick(chart, Qt.Key.Key_Plus)
        QTest.keyClick(chart, Qt.Key.Key_PageDown)
        assert not layout(panel).fitted
        QTest.mouseDClick(chart, LEFT, Qt.KeyboardModifier.NoModifier, QPoint(400, round(RULER / 2)))
        QTest.mouseRelease(chart, LEFT, Qt.KeyboardModifier.NoModifier, QPoint(400, round(RULER / 2)))
        assert layout(panel).fitted
        chart.resize(500, 200)
        assert layout(panel).fitted


def test_the_pointer_and_the_keyboard_are_told_about_bars(qtbot: QtBot) -> None:
    document = opened()
    panel = of(document)
    with shown(qtbot, panel, 700, 240):
        chart, s = panel.chart, panel.schedule
        assert s is not None
        bar = int(np.flatnonzero((s.device == 1) & (s.phase == 2))[2])
        QTest.mouseMove(chart, middle(panel, bar))
        assert chart.marks.hovered == bar
        assert chart._card.isVisible()
        assert "sample" in chart._card.text()
        QTest.mouseMove(chart, QPoint(5, 5))
        assert not chart._card.isVisible()
        chart.setFocus()
        for key in (Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Down, Qt.Key.Key_Left):
            QTest.keyClick(chart, key)
        cursor = chart.marks.cursor
        assert s.device[cursor] == 1
        assert "Stage 1" in chart.accessibleDescription()
        QTest.keyClick(chart, Qt.Key.Key_Return)
        assert set(document.device_of[document.selection].tolist()) == {1}
        assert not panel.grab().isNull()
        chart.clearFocus()
        assert chart.marks.cursor == -1


def test_what_a_bar_is_stands_off_the_bar(qtbot: QtBot) -> None:
    document = opened()
    panel = of(document)
    window = QMainWindow()
    qtbot.addWidget(window)
    window.setCentralWidget(QWidget())
    dock = QDockWidget()
    dock.setWidget(panel)
    window.addDockWidget(Qt.DockWidgetArea.BottomDockWidgetArea, dock)
    window.resize(900, 700)
    window.show()
    qtbot.waitExposed(window)
    panel.refresh_now()
    chart, s = panel.chart, panel.schedule
    assert s is not None and chart.height() < 250
    for bar in range(0, len(s.start), 3):
        x, y, w, h = layout(panel).boxes(np.array([bar]))[0].tolist()
        if w < 1:
            continue
        QTest.mouseMove(chart, middle(panel, bar))
        card = chart._card
        over = QRect(chart.mapTo(window, QPoint(round(x), round(y))), QSize(round(w), round(h)))
        assert chart.marks.hovered == bar and card.isVisible()
        assert not card.geometry().intersects(over) and window.rect().contains(card.geometry())
    dock.hide()
    assert not chart._card.isVisible()
    chart.setParent(None)
    chart.deleteLater()
    qtbot.waitUntil(lambda: not window.findChildren(HoverCard))


def test_the_wheel_scrolls_rows_that_are_hidden(qtbot: QtBot) -> None:
    document = Document()
    document.open_graph(chain_graph(24), target=Pipeline(20))
    panel = of(document)
    with shown(qtbot, panel):
        panel.resize(600, 200)
        settle()
        assert layout(panel).rows_hidden
        scale = layout(panel).scale
        wheel(panel.chart, QPointF(400, 60), -120)
        assert layout(panel).scrolled > 0 and layout(panel).scale == scale
        wheel(panel.chart, QPointF(400, 60), 120, Qt.KeyboardModifier.ControlModifier)
        assert layout(panel).scale > scale
