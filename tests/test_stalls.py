"""What the benchmark of stalls measures belongs to the work that it names."""

from __future__ import annotations

import numpy as np
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from benchmarks.stalls_bench import comparing
from gui.editors.comparison.windows import open_comparison
from tests.gui.test_closed_windows import graph_window
from tests.gui.window_parts import settle


def test_a_comparison_is_awaited_until_it_shows_what_was_asked_for(qtbot: QtBot) -> None:
    with graph_window() as parts:
        document = parts.document
        document.add_plan(np.zeros(60, np.int32), "all on one")
        assert not comparing()
        window = open_comparison(parts, [document.plans[0], document.plans[-1]])
        while window.coming:
            assert comparing()
            QApplication.processEvents()
        qtbot.waitUntil(lambda: not comparing(), timeout=10_000)
        assert all(panel.built for panel in (window.moved, window.devices, window.figures))
        window.state.set_view("lanes")
        assert comparing(), "it is laid out anew"
        qtbot.waitUntil(lambda: not comparing(), timeout=10_000)
        window.close()
        settle()
