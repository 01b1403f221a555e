"""Forms: the wheel scrolls the panel, and turns a number only with the keyboard in it."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QAbstractSpinBox, QApplication, QComboBox, QLineEdit
from pytestqt.qtbot import QtBot

from gui.widgets.forms import Form
from tests.gui.window_parts import make_window, opened


def turned() -> QWheelEvent:
    none = (Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase)
    return QWheelEvent(QPointF(4, 4), QPointF(4, 4), QPoint(), QPoint(0, 120), *none, False)


@pytest.mark.parametrize("name", ["count", "share", "way"])
def test_the_wheel_leaves_a_field_alone_that_it_happens_to_pass(qtbot: QtBot, name: str) -> None:
    form = Form()
    qtbot.addWidget(form)
    form.add_int("count", "Count", 4, 0, 10)
    form.add_float("share", "Share", 4.0, 0.0, 10.0)
    form.add_choice("way", "Way", "b", ["a", "b", "c"])
    form.show()
    qtbot.waitExposed(form)
    before = form.values()
    field = form.fields[name]
    field.clearFocus()
    event = turned()
    QApplication.sendEvent(field, event)
    assert form.values() == before and not event.isAccepted()
    form.activateWindow()
    field.setFocus()
    qtbot.waitUntil(field.hasFocus)
    QApplication.sendEvent(field, turned())
    chosen_from_a_list = name == "way"
    assert (form.values()[name] == before[name]) == chosen_from_a_list


def test_no_field_of_a_window_takes_the_wheel_of_who_scrolls_past(qtbot: QtBot) -> None:
    window, close = make_window(qtbot, opened())
    fields = [f for kind in (QComboBox, QAbstractSpinBox) for f in window.findChildren(kind)]
    assert len(fields) > 10
    for field in fields:
        field.clearFocus()
        event = turned()
        field.wheelEvent(event)
        assert not event.isAccepted(), field.accessibleName()
        assert field.focusPolicy() != Qt.FocusPolicy.WheelFocus, field.accessibleName()
    close()


def test_plain_numbers_in_a_field_of_bytes_say_that_they_are_bytes(qtbot: QtBot) -> None:
    form = Form()
    qtbot.addWidget(form)
    form.add_per_device("memory", "Memory", float("inf"), "B")
    field, warning = form.fields["memory"], form.warnings["memory"]
    assert isinstance(field, QLineEdit)

    def typed(text: str) -> str:
        field.setText(text)
        field.textEdited.emit(text)
        field.editingFinished.emit()
        return "" if warning.isHidden() else warning.text()

    assert typed("220") == "220 B is less than 1 KiB: write 220 MiB if that is meant."
    filled = Form()
    qtbot.addWidget(filled)
    filled.add_per_device("memory", "Memory", 220.0, "B")
    assert not filled.warnings["memory"].isHidden(), "as after Apply, which fills fields anew"
    assert typed("unlimited") == ""
    assert typed("32/64/128") == "32 B is less than 1 KiB: write 32 MiB if that is meant."
    assert field.text() == "32 B / 64 B / 128 B" and form.values()["memory"] == (32.0, 64.0, 128.0)
    assert typed("32/64/128 MiB") == ""
    assert field.text() == "32 MiB / 64 MiB / 128 MiB"
    assert typed("16/8/8") == "" and field.text() == "16 MiB / 8 MiB / 8 MiB"
