"""The lists of combo boxes show all their rows, whole, in every window that has some."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QWidget
from pytestqt.qtbot import QtBot

from gui.look.theme import ThemeController
from gui.widgets.drop_down import MOST_ROWS, SAID, DropDown
from tests.gui.editors.network.window_parts import order_window
from tests.gui.window_parts import make_window, opened, settle

pytestmark = pytest.mark.qt_log_ignore("grabbing the")


def measured(box: QComboBox) -> tuple[int, int, bool]:
    """Height of the rows that should be in sight, height that there is for them, and whether anything scrolls."""
    box.setFocus()
    QTest.mouseClick(box, Qt.MouseButton.LeftButton, pos=box.rect().center())
    QTest.qWait(20)
    view = box.view()
    rows = sum(view.sizeHintForRow(row) for row in range(min(box.count(), MOST_ROWS)))
    found = rows, view.viewport().height(), view.verticalScrollBar().maximum() > 0
    box.hidePopup()
    QTest.qWait(1)
    return found


def check(top: QWidget) -> int:
    """Open every list of a window; how many there were."""
    boxes = [
        box for box in top.findChildren(QComboBox) if box.isVisible() and box.isEnabled() and box.count()
    ]
    for box in boxes:
        rows, room, scrolls = measured(box)
        assert room >= rows, box.accessibleName()
        assert not scrolls, box.accessibleName()
    return len(boxes)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_lists_of_the_graphs_window(qtbot: QtBot, theme: str) -> None:
    window, close = make_window(qtbot, opened())
    window.set_theme_name(theme)
    window.studio.capture_keyframe()
    found = 0
    for panel in ("target", "story", "schedule", "convergence"):
        window.focus_panel(panel)
        settle()
        found += check(window.docks.panels[panel])
    window.studio.draft.clear()
    close()
    assert found >= 4


def test_the_lists_of_a_networks_window(qtbot: QtBot) -> None:
    with order_window(qtbot) as window:
        assert check(window)


def test_all_combo_boxes_are_drop_downs(qtbot: QtBot) -> None:
    window, close = make_window(qtbot, opened())
    window.set_theme_name("light")
    for panel in window.docks.panels:
        window.docks.reveal(panel)
    settle()
    boxes = window.findChildren(QComboBox)
    assert boxes
    assert all(isinstance(box, DropDown) for box in boxes)
    close()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("points", [9.0, 18.0])
@pytest.mark.parametrize("count", [1, 2, 5, 12, 40])
def test_rows_are_whole(qtbot: QtBot, theme: str, points: float, count: int) -> None:
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    themes = ThemeController(app, theme)
    top = QWidget()
    qtbot.addWidget(top)
    top.resize(300, 200)
    box = DropDown(top)
    letters = box.font()
    letters.setPointSizeF(points)
    box.setFont(letters)
    box.addItems([f"entry {i}" for i in range(count)])
    box.resize(200, 40)
    top.show()
    rows, room, scrolls = measured(box)
    assert room >= rows
    assert scrolls == (count > MOST_ROWS)
    themes.deleteLater()


def test_a_row_says_below_its_title_what_it_means(qtbot: QtBot) -> None:
    box = DropDown()
    qtbot.addWidget(box)
    box.add_explained("Plain", "plain", "")
    box.add_explained("Memory 1", "memory-1", "The largest stage memory as small as possible; " * 4)
    box.show()
    rows, room, scrolls = measured(box)
    low, high = (box.view().sizeHintForRow(row) for row in range(2))
    assert high > 2 * low and room >= rows and not scrolls
    assert box.itemData(0, SAID) is None and box.itemData(1, SAID).startswith("The largest")
    assert box.itemData(1, Qt.ItemDataRole.ToolTipRole).startswith("memory-1: The largest")
