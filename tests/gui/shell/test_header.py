"""The title: what gives way where there is little room, and what does not."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from gui.widgets.labels import ElidedLabel
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from tests.gui.models import tpu_graph
from tests.gui.window_parts import make_window, opened, settle, shown


def test_the_first_subtitle_that_fits_is_shown_and_the_last_is_cut(qtbot: QtBot) -> None:
    label, texts = (
        ElidedLabel(),
        ("782 ops on 7 stages  ·  plan “fastest”", "782 ops  ·  plan “fastest”", "plan “fastest”"),
    )
    label.set_texts(*texts)
    with shown(qtbot, label):
        look(label, texts)


def look(label: ElidedLabel, texts: tuple[str, ...]) -> None:
    """Try every width for which one of the texts is the longest that fits, and one for which none does."""
    for text in texts:
        label.resize(label.fontMetrics().horizontalAdvance(text) + 2, 20)
        assert label.shown_text() == text
        assert (texts[0] in label.toolTip()) == (text != texts[0]), "what is left out is told by the tip"
    label.resize(label.fontMetrics().horizontalAdvance(texts[-1]) - 2, 20)
    assert label.shown_text().startswith("plan “") and label.shown_text().endswith("…")


def test_a_narrow_window_says_that_a_plan_is_not_saved(qtbot: QtBot) -> None:
    window, close = make_window(qtbot, opened())
    document = window.document
    document.open_graph(tpu_graph(), target=EdgeTpuPipeline(3))
    active = document.active
    assert active is not None
    document.rename_plan(active, "edge-tpu-fastest, 3 stages, inference-time, the second one that was tried")
    document.move([0], 1)
    settle()
    label = window.header.subtitle
    assert document.modified and document.active is not None and document.active.shown_name in label.text()
    label.resize(label.fontMetrics().horizontalAdvance("not saved · plan “Edge TPU, fastest") + 20, 20)
    assert label.shown_text().startswith("not saved · plan “")
    label.resize(label.fontMetrics().horizontalAdvance("not sa…"), 20)
    assert label.shown_text() == "", "beside what runs there is no room for it: no “not s…”"
    close()


@pytest.mark.qt_log_ignore("This plugin does not support")
def test_a_key_opens_the_first_menu(qtbot: QtBot) -> None:
    window, close = make_window(qtbot, opened())
    window.canvas.setFocus()
    QTest.keyClick(window.canvas, Qt.Key.Key_F10)
    menu = window.menus["File"]
    assert menu.isVisible()
    QTest.keyClick(menu, Qt.Key.Key_Right)
    assert window.menus["Edit"].isVisible() and not menu.isVisible()
    QTest.keyClick(window.menus["Edit"], Qt.Key.Key_Escape)
    assert not window.menus["Edit"].isVisible()
    close()
