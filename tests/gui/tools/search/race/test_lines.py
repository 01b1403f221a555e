"""The convergence plot shows a race: the best of all, the bound, and a line per entrant."""

from __future__ import annotations

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from gui.look.theme import LIGHT
from gui.tools.search.convergence import ConvergencePanel
from gui.tools.search.race.course import Goal
from gui.tools.search.race.racing import Racing, Settings
from planner.runs.race import Entrant
from tests.gui.tools.search.race.fake_race import FakeRace
from tests.gui.tools.search.test_planners import PlainJobs
from tests.gui.window_parts import opened, settle, shown

BETTER = np.repeat([0, 1, 2], [4, 5, 3]).astype(np.int32)
WORSE = np.repeat([0, 2], 6).astype(np.int32)


def test_every_entrant_has_a_line(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    FakeRace.made = []
    monkeypatch.setattr("planner.runs.race.Race", FakeRace)
    document = opened()
    racing = Racing(document)
    panel = ConvergencePanel(document, PlainJobs(), LIGHT)  # type: ignore[arg-type]
    panel.watch(racing)
    with shown(qtbot, panel, 600, 260):
        entrants = (Entrant("anneal"), Entrant("slice"), Entrant("simple", is_bound=True))
        course = racing.start(Settings(entrants, Goal(0.05, None, 3), False))
        engine = FakeRace.made[-1]
        engine.finds(0, WORSE, 0.5)
        engine.finds(1, BETTER, 1.0)
        engine.proves(2, 1.0, 0.7)
        engine.ends("time")
        racing.tick()
        settle()
        panel.refresh_now()
        assert panel.job() is course
        assert panel.chooser.currentText() == "Race (1)"
        assert panel.plot is not None
        assert [curve.isVisible() for curve, _ in panel.plot.runners._curves] == [True, True, False]
        x, y = panel.plot.runners._curves[0][0].getData()
        assert x[0] == 0.5 and len(set(y)) == 1
        low, high = panel.plot.getPlotItem().getViewBox().viewRange()[1]
        assert low < y[0] < high
        assert "by Slice" in panel.words.text()
        assert panel.plot.curves["incumbent label"].toPlainText().startswith("Slice ")
        course.chosen = 0
        panel.request_refresh()
        settle()
        assert (
            panel.plot.runners._curves[0][0].opts["pen"].widthF()
            > panel.plot.runners._curves[1][0].opts["pen"].widthF()
        )
        graph = document.graph
        assert graph is not None
        document.open_graph(graph)
        settle()
        assert panel.job() is None and not panel.chooser.isVisible()
    racing.close()
