"""Nothing of a window that was closed stays in memory: neither it nor its document, nor the model that it showed."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gui.editors.comparison.windows import open_comparison, open_orders
from gui.editors.network.views import default_views
from gui.editors.plan.editor import MainWindow
from gui.editors.plan.windows import make_window
from gui.shell.tab_order import next_in_focus
from gui.tools.planning_window import PlanningWindow
from planner.machines.spec import parse_target
from tests.gui.editors.network.window_parts import order_window
from tests.gui.models import chain_graph
from tests.gui.window_parts import settle

References = dict[str, "weakref.ref[Any]"]


def look_everywhere(qtbot: QtBot, window: Any) -> None:
    """Every panel is in front once, everything is painted, and Tab goes backwards by everything there is."""
    for id in list(window.docks.titles):
        window.focus_panel(id)
        window.grab()
    if isinstance(window, PlanningWindow):
        window.studio.capture_keyframe()
    qtbot.waitUntil(lambda: window.settled, timeout=10_000)
    window.grab()
    widget = next_in_focus(window, False)
    while widget is not window:
        widget = next_in_focus(widget, False)


@contextmanager
def graph_window() -> Generator[MainWindow]:
    """A window on a small graph."""
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    parts = make_window(app, theme="light", remember=False)
    parts.window.resize(1280, 800)
    parts.window.show()
    model = replace(chain_graph(60), time_unit="s")
    parts.document.open_graph(model, target=parse_target("pipeline:4", model))
    try:
        yield parts.window
    finally:
        parts.close()


def graph(qtbot: QtBot) -> References:
    """A graph on every machine, in every view."""
    with graph_window() as window:
        document, model = window.document, window.document.graph
        assert model is not None
        look_everywhere(qtbot, window)
        for spec in ("edge-tpu:3", "mcm:4", "pool:2+1"):
            document.set_problem(parse_target(spec, model))
            document.move(np.arange(3, dtype=np.int32), 1)
            for view in ("flow", "lanes", "stages"):
                window.canvas.set_view(view)
                qtbot.waitUntil(lambda: window.settled, timeout=10_000)
                window.grab()
        return of(window, document, model=model, problem=document.problem, canvas=window.canvas)


def compared(qtbot: QtBot) -> References:
    """Two plans of a graph beside one another."""
    with graph_window() as parts:
        document = parts.document
        document.add_plan(np.zeros(60, np.int32), "all on one")
        window = open_comparison(parts, [document.plans[0], document.plans[-1]])
        qtbot.waitUntil(lambda: not window.coming, timeout=10_000)
        look_everywhere(qtbot, window)
        gone = of(window, document, model=document.graph, problem=document.problem)
        window.close()
        settle()
        return gone


def network(qtbot: QtBot) -> References:
    """A network, with its panels."""
    with order_window(qtbot, views=default_views) as window:
        look_everywhere(qtbot, window)
        document = window.document
        assert document.problem is not None
        return of(window, document, model=document.problem.network, problem=document.problem)


def orders(qtbot: QtBot) -> References:
    """Two orders of a network beside one another."""
    with order_window(qtbot, views=default_views) as parts:
        document = parts.document
        assert document.problem is not None and document.active is not None
        plan = document.problem.plan(document.order.copy(), document.active.source)
        window = open_orders(parts, document.list_order(plan, [], "again", "file"))
        qtbot.waitUntil(lambda: not window.coming, timeout=10_000)
        look_everywhere(qtbot, window)
        return of(window, document, model=document.problem.network, problem=document.problem)


def of(window: Any, document: Any, **others: Any) -> References:
    """References that keep nothing."""
    return {name: weakref.ref(one) for name, one in dict(window=window, document=document, **others).items()}


@pytest.mark.parametrize("kind", [graph, compared, network, orders])
def test_nothing_of_a_closed_window_stays(qtbot: QtBot, kind: Callable[[QtBot], References]) -> None:
    gone = kind(qtbot)
    for _ in range(2):
        QApplication.processEvents()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        gc.collect()
    assert [name for name, one in gone.items() if one() is not None] == []
