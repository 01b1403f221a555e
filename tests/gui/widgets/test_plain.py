"""Names from files are names on the screen: no markup in labels, tool tips and dialogs, no control characters in titles."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from PySide6 import QtGui
from PySide6.QtCore import QAbstractListModel, QModelIndex, Qt
from PySide6.QtWidgets import QAbstractItemView, QLabel, QTextBrowser, QWidget
from pytestqt.qtbot import QtBot

from gui.document.plan.document import Document
from gui.document.values import Message
from gui.widgets.plain import PlainLabel, plain, plain_tip
from planner.machines.pipeline.target import Pipeline
from planner.model.graph import Graph
from planner.printable import UNPRINTABLE
from tests.gui.editors.comparison.parts import window_on
from tests.gui.models import chain_graph
from tests.gui.window_parts import make_window, settle

IMAGE = "<img src=x onerror=1>"


@pytest.mark.parametrize(
    "text", [IMAGE, f"a {IMAGE} & b\nsecond", "<b>bold</b>", "a &lt; b", "<a href='x'>link</a>"]
)
def test_markup_in_a_tip_is_shown_as_it_is_written(qtbot: QtBot, text: str) -> None:
    tip = QLabel(plain_tip(text))
    qtbot.addWidget(tip)
    assert QtGui.Qt.mightBeRichText(tip.text())
    browser = QTextBrowser()
    qtbot.addWidget(browser)
    browser.setHtml(plain_tip(text))
    assert browser.toPlainText() == text


def test_ordinary_tips_and_labels_are_untouched(qtbot: QtBot) -> None:
    for text in ("", "conv1\nConv on stage 0", "3 < 4 and 5 > 2", "a & b"):
        assert plain_tip(text) == plain(text) == text
    label = PlainLabel("a\x1b\u202e")
    qtbot.addWidget(label)
    assert label.text() == r"a\x1b\u202e"
    assert label.textFormat() == Qt.TextFormat.PlainText
    assert plain("a\nb") == "a\nb"


def hostile_graph(n: int = 9) -> Graph:
    """A chain in which every name is markup."""
    graph = chain_graph(n, f"{IMAGE} & co")
    names = tuple(f"{IMAGE}{v}" for v in range(n))
    return replace(graph, op_names=names, op_ids=names, kinds=(IMAGE,) * n)


def interpreted(root: QWidget) -> Iterator[str]:
    """What of the names under a widget would be taken for markup."""
    for widget in (root, *root.findChildren(QWidget)):
        if "<img" in widget.toolTip() and QtGui.Qt.mightBeRichText(widget.toolTip()):
            yield f"tip of {type(widget).__name__}: {widget.toolTip()[:80]}"
        if isinstance(widget, QLabel) and "<img" in widget.text():
            rich = widget.textFormat() == Qt.TextFormat.RichText
            auto = widget.textFormat() == Qt.TextFormat.AutoText and QtGui.Qt.mightBeRichText(widget.text())
            if rich or auto:
                yield f"{type(widget).__name__}: {widget.text()[:80]}"
        if isinstance(widget, QTextBrowser) and "<img" in widget.toHtml():
            yield f"page of {type(widget).__name__}"
        if isinstance(widget, QAbstractItemView) and widget.model() is not None:
            model = widget.model()
            columns = 1 if isinstance(model, QAbstractListModel) else model.columnCount(QModelIndex())
            for row in range(model.rowCount(QModelIndex())):
                for column in range(columns):
                    tip = model.index(row, column).data(Qt.ItemDataRole.ToolTipRole)
                    if tip and "<img" in tip and QtGui.Qt.mightBeRichText(tip):
                        yield f"tip in {type(widget).__name__}: {tip[:80]}"


def hostile(document: Document, n: int = 9) -> None:
    document.open_graph(hostile_graph(n), target=Pipeline(3))
    document.set_assignment(np.arange(n) * 3 // n, "edit", f"{IMAGE} plan")
    document.add_plan(np.arange(n) * 2 // n, f"{IMAGE} other")


def test_the_window_takes_no_name_for_markup(qtbot: QtBot) -> None:
    window, close = make_window(qtbot)
    try:
        document = window.document
        hostile(document)
        document.set_assignment(np.arange(9)[::-1] * 3 // 9, "edit", "broken")
        for dock in window.docks.docks.values():
            dock.show()
        for selected in ([0], [0, 1, 2]):
            document.select(np.array(selected))
            settle()
            assert list(interpreted(window)) == []
        assert not UNPRINTABLE.search(window.windowTitle())
        document.message.emit(Message("error", f"{IMAGE} a\x1b\u202e", f"{IMAGE}\nTraceback"))
        assert window.notice.text == rf"{IMAGE} a\x1b\u202e"
        assert list(interpreted(window)) == []
    finally:
        close()


def test_the_compare_window_takes_no_name_for_markup(qtbot: QtBot) -> None:
    document = Document()
    hostile(document)
    with window_on(qtbot, document) as window:
        settle()
        assert list(interpreted(window)) == []
