"""Labels that never overflow: in one line, or in two where what they say matters."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from gui.widgets.labels import ElidedLabel
from tests.gui.window_parts import settle, shown

WORDS = "a sample every 1.80 ms   Stage 2 sets the pace   87 % busy, 3 of 4 devices used"


def test_what_matters_takes_two_lines_and_makes_nothing_wider(qtbot: QtBot) -> None:
    panel = QWidget()
    row, column = QHBoxLayout(), QVBoxLayout(panel)
    label, other = ElidedLabel(WORDS, panel, lines=2), ElidedLabel(WORDS, panel)
    row.addWidget(label)
    column.addLayout(row)
    column.addWidget(other)
    column.addStretch(1)
    whole = label.fontMetrics().horizontalAdvance(WORDS)
    with shown(qtbot, panel, whole + 60, 120):
        assert label.shown_text() == WORDS and not label.toolTip()
        line, least = label.height(), panel.minimumSizeHint()
        panel.resize(int(0.7 * whole), 120)
        settle()
        said = label.shown_text().split("\n")
        assert len(said) == 2 and " ".join(said).split() == WORDS.split(), "all of it"
        assert not label.toolTip() and other.toolTip()
        assert label.height() >= line + label.fontMetrics().height()
        assert panel.minimumSizeHint().width() == least.width() and panel.height() == 120
        panel.resize(int(0.35 * whole), 120)
        settle()
        assert label.shown_text().count("\n") == 1 and label.shown_text().endswith("…")
        assert WORDS in label.toolTip()
        panel.resize(whole + 60, 120)
        settle()
        assert label.height() == line, "one line again"


def test_shorter_words_are_taken_where_two_lines_are_not_enough(qtbot: QtBot) -> None:
    panel = QWidget()
    label = ElidedLabel("", panel, lines=2)
    column = QVBoxLayout(panel)
    column.addWidget(label)
    label.set_texts(WORDS, "a sample every 1.80 ms   Stage 2 sets the pace", "a sample every 1.80 ms")
    measure = label.fontMetrics()
    with shown(qtbot, panel, measure.horizontalAdvance(WORDS), 120):
        panel.resize(measure.horizontalAdvance("a sample every 1.80 ms   ") + 24, 120)
        settle()
        assert " ".join(label.shown_text().split()) == "a sample every 1.80 ms Stage 2 sets the pace"
