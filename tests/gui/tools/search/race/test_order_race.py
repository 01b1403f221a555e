"""The race panel in a network's window: orders instead of plans, the same policy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from gui.editors.comparison import windows as comparisons
from tests.gui.editors.network.window_parts import order_window
from tests.gui.tools.search.race.fake_race import FakeRace
from tests.gui.window_parts import settle

METHODS = {"theorem-1", "locality", "order-portfolio", "connection-reordering"}


def two_orders(problem: Any) -> list[np.ndarray]:
    """Two valid orders, the worse one first."""
    from planner.machines.catalogue import planner
    from planner.search.run import run

    found = [np.asarray(run(planner(name), problem).order) for name in ("theorem-1", "locality")]
    found.sort(key=lambda order: -problem.evaluate(order).objective)
    return found


def test_a_race_of_orders(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    FakeRace.made = []
    monkeypatch.setattr("planner.runs.race.Race", FakeRace)
    with order_window(qtbot) as window:
        document, problem = window.document, window.document.open_problem
        worse, better = two_orders(problem)
        assert problem.evaluate(better).objective < problem.evaluate(worse).objective
        document.set_order(worse, "By hand")
        window.focus_panel("race")
        settle()
        assert window.race.go.hasFocus()
        chosen = window.race.setup.methods.chosen()
        assert chosen and {name for name, _ in chosen} <= METHODS
        window.race.go.click()
        engine = FakeRace.made[-1]
        steps = document.undo_stack.count()
        engine.finds(1, better, 0.5)
        engine.ends("time")
        window.race.racing.tick()
        settle()
        entry = window.race.entrants.entry(1)
        assert entry in document.plans
        assert window.race.says.text().startswith("Time was up")
        assert document.active is entry and document.order.tolist() == better.tolist()
        assert document.undo_stack.count() == steps + 1
        document.undo_stack.undo()
        assert document.order.tolist() == worse.tolist()
        window.race.compare_requested.emit([entry])
        settle()
        assert document.compared is entry and comparisons.comparisons_of(document)
