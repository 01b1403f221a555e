"""Words have the room that they need: in every panel of every editor nothing is cut that is not elided, and nothing overlaps."""

from __future__ import annotations

import itertools
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest
from PySide6.QtCore import QRect
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractScrollArea,
    QCheckBox,
    QDockWidget,
    QLabel,
    QPushButton,
    QSplitterHandle,
    QTabBar,
    QToolButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from gui.shell.docks import tab_bars
from gui.shell.window import EditorWindow
from gui.widgets.labels import ElidedLabel
from gui.widgets.readout import Readout
from planner.machines.mcm.target import McmPackage
from planner.machines.pool.target import DevicePool
from tests.gui.editors.test_actions import EDITORS, window_of
from tests.gui.mcm_models import opened_on_package
from tests.gui.window_parts import make_window, opened_on_tpus, settle

CASES = (*EDITORS, "tpus", "package", "unproven", "pool")
"""Every editor, that of graphs also on Edge TPUs, on a package that is too small, on one with a plan that is not proven, and on a pool."""
LEAST = {
    "plan": 80, "network": 60, "comparison": 20, "orders": 10, "tpus": 80, "package": 80, "unproven": 80, "pool": 80,
}  # fmt: skip
"""Widgets with words that are looked at, at least."""
SIZES = [(1024, 700), (1280, 800), (1920, 1080)]
SLACK = 1
"""Pixels by which hints are rounded."""


def seen(root: QWidget) -> Iterator[QWidget]:
    """The widgets below ``root`` that can be seen, of what scrolls only what is in sight at all."""
    for widget in root.findChildren(QWidget):
        if widget.isVisible() and not widget.visibleRegion().isEmpty() and widget.window() is root.window():
            yield widget


def cut(widget: QWidget) -> str:
    """What of a widget's words has no room, or nothing."""
    if isinstance(widget, ElidedLabel):
        # It elides by itself and tells all in its tip; but where it has words it shows some, and a figure is whole.
        if (
            isinstance(readout := widget.parent(), Readout)
            and widget.text() != widget.shown_text()
            and (widget.text() == readout.value or (readout.whole and widget.text() == readout.note))
        ):
            return f"the figure {widget.text()!r} is cut to {widget.shown_text()!r}"
        return f"nothing is left of {widget.text()!r}" if widget.text() and not widget.shown_text() else ""
    if isinstance(widget, QLabel):
        if not widget.text() or widget.pixmap().width():
            return ""
        if widget.wordWrap():
            need = widget.heightForWidth(widget.width())
            return (
                f"{widget.text()!r} needs {need} of {widget.height()} lines"
                if need > widget.height() + SLACK
                else ""
            )
        need = widget.sizeHint().width()
        return f"{widget.text()!r} needs {need} of {widget.width()}" if need > widget.width() + SLACK else ""
    if isinstance(widget, QPushButton | QCheckBox) or (isinstance(widget, QToolButton) and widget.text()):
        assert isinstance(widget, QAbstractButton)
        need = widget.fontMetrics().horizontalAdvance(widget.text().replace("&", ""))
        return f"{widget.text()!r} needs {need} of {widget.width()}" if need > widget.width() + SLACK else ""
    return ""


def overlapping(root: QWidget) -> Iterator[str]:
    """Siblings that a layout placed on one another."""
    for parent in [root, *seen(root)]:
        if parent.layout() is None or isinstance(parent, QAbstractScrollArea):
            continue
        placed = [
            child
            for child in parent.children()
            if isinstance(child, QWidget)
            and child.isVisible()
            and parent.layout().indexOf(child) >= 0
            and not isinstance(child, QSplitterHandle | QTabBar | QDockWidget)
        ]
        for one, other in itertools.combinations(placed, 2):
            shared: QRect = one.geometry() & other.geometry()
            if shared.width() > SLACK and shared.height() > SLACK:
                yield f"{told(one)} and {told(other)} share {shared.width()}x{shared.height()}"


def tabs_over_docks(window: EditorWindow) -> Iterator[str]:
    """Tab bars of docks that lie over a dock."""
    inside = window.rect()
    bars = [bar for bar in tab_bars(window) if bar.isVisible() and inside.intersects(bar.geometry())]
    docks = [
        dock for id, dock in window.docks.docks.items() if window.docks.in_front(id) and not dock.isFloating()
    ]
    for bar, dock in itertools.product(bars, docks):
        shared = bar.geometry() & dock.geometry() & inside
        if shared.width() > SLACK and shared.height() > SLACK:
            yield f"{told(bar)} lies over {dock.windowTitle()}"


def told(widget: QWidget) -> str:
    """A widget as a person finds it again."""
    names = []
    part: QWidget | None = widget
    while part is not None and len(names) < 4:
        text = getattr(part, "text", None)
        names.append(f"{type(part).__name__}({text()[:20]!r})" if callable(text) else type(part).__name__)
        part = part.parentWidget()
    return " in ".join(names)


def complaints(window: EditorWindow) -> tuple[int, list[str]]:
    """How many widgets with words were looked at, and what is wrong: with each panel brought to the front, and with the rest."""
    found: list[str] = []
    looked = 0
    for id in (None, *window.docks.docks):
        root: QWidget = window
        if id is not None:
            root = window.docks.reveal(id)
            settle()
        for widget in seen(root):
            looked += isinstance(widget, QLabel | QAbstractButton)
            if said := cut(widget):
                found.append(f"{id}: {told(widget)}: {said}")
        found += [f"{id}: {said}" for said in overlapping(root)]
        found += [f"{id}: {said}" for said in tabs_over_docks(window)]
    return looked, found


@contextmanager
def shown_case(case: str, qtbot: QtBot) -> Generator[EditorWindow]:
    """A window of one of :data:`CASES`."""
    if case in EDITORS:
        with window_of(case, qtbot) as editor:
            yield editor
        return
    document = opened_on_tpus() if case == "tpus" else opened_on_package()
    problem = document.board.open_problem
    if case == "package":
        document.change_problem(replace(problem, target=McmPackage(4, sram=2.0**18)), "Too small")
    elif case == "unproven":
        document.change_problem(replace(problem, target=McmPackage(36, sram=2.0**30)), "More chips")
    elif case == "pool":
        document.set_problem(DevicePool(3, 1, contiguous=False))
    document.undo_stack.setClean()
    window, close = make_window(qtbot, document)
    if case == "unproven":
        assert document.standing is not None and document.standing.gap
        window.readouts.set_proving("")
    yield window
    close()


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("case", CASES)
def test_no_word_is_cut_and_nothing_overlaps(case: str, size: tuple[int, int], qtbot: QtBot) -> None:
    with shown_case(case, qtbot) as window:
        window.window().resize(*size)
        window.resize(*size)
        window.show()
        qtbot.waitExposed(window)
        window.reset_docks()
        settle()
        qtbot.wait(250)  # a window is given its sizes once more a moment after it is shown
        settle()
        looked, found = complaints(window)
        assert window.width() == size[0] and looked > LEAST[case]
        assert found == []


def test_what_is_cut_and_what_overlaps_is_found(qtbot: QtBot) -> None:
    """The check can fail."""
    label = QLabel("many words that do not fit")
    qtbot.addWidget(label)
    label.resize(40, 20)
    assert "needs" in cut(label)
    label.resize(400, 20)
    assert cut(label) == ""
    label.setWordWrap(True)
    label.resize(60, 14)
    assert "lines" in cut(label)
    button = QPushButton("Start a planner")
    qtbot.addWidget(button)
    button.resize(30, 20)
    assert "needs" in cut(button)
