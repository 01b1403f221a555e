"""Taking things out of layouts: what ``takeAt`` hands out PySide never deletes, 96 bytes a widget whenever a form is filled anew."""

from __future__ import annotations

from PySide6.QtWidgets import QLayout, QWidget
from shiboken6 import delete


def take(layout: QLayout, at: int) -> QWidget | None:
    """Take out what is at a place; its widget stays, where it has one."""
    item = layout.takeAt(at)
    if item is None:
        return None
    widget = item.widget()
    delete(item)
    return widget


def take_all(layout: QLayout) -> list[QWidget]:
    """Take out everything; the widgets stay."""
    taken = [take(layout, 0) for _ in range(layout.count())]
    return [widget for widget in taken if widget is not None]


def clear(layout: QLayout) -> None:
    """Take out everything, and delete the widgets."""
    for widget in take_all(layout):
        widget.hide()
        widget.deleteLater()
