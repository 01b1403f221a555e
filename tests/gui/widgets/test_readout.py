"""A figure with its name and note: a link behind the note stays there."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from gui.look.theme import LIGHT
from gui.widgets.readout import Readout
from tests.gui.window_parts import settle, shown


def test_a_link_follows_its_figure_after_a_wider_one(qtbot: QtBot) -> None:
    readout = Readout(LIGHT, "Objective")
    link = readout.add_link("estimated", "")
    with shown(qtbot, readout, 600):
        for note in (
            "92.6 inferences/s",
            "12,345,678.90 inferences/s and many words more",
            "92.6 inferences/s",
        ):
            readout.show_value("Bottleneck", "10.80 ms", note)
            settle()
            assert readout.note == note and link.width() == link.sizeHint().width()
            assert 0 <= link.x() - readout._note.geometry().right() <= 3
