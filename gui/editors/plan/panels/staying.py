"""Keyboard, scroll and layout of a panel whose fields are made anew."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QApplication, QScrollArea, QWidget
from shiboken6 import isValid

from gui.widgets.forms import Form


class Staying:
    """Finds what stands in a field's place once ``forms`` ``inside`` an ``area`` were filled anew, lays them out, and scrolls back to where it
    was."""

    def __init__(self, area: QScrollArea, inside: QWidget, forms: Sequence[Form]) -> None:
        self._area, self._inside, self._forms = area, inside, forms
        self._last: Callable[[], QWidget | None] = lambda: None
        self._kept: tuple[Callable[[], QWidget | None], int] = self._last, 0

    def edited(self) -> None:
        """What has the keyboard is the field that was edited last."""
        self._last = self._place(QApplication.focusWidget())

    def back(self, first: QWidget) -> None:
        """Give the keyboard to the field that was edited last, or to ``first``."""
        (self._last() or first).setFocus(Qt.FocusReason.OtherFocusReason)

    def __enter__(self) -> None:
        """Fields are about to be made anew."""
        focused = QApplication.focusWidget()
        here = focused is not None and self._area.isAncestorOf(focused)
        self._inside.setMinimumHeight(self._inside.height())  # while it is empty it would scroll to the top
        self._kept = self._place(focused if here else None), self._area.verticalScrollBar().value()

    def __exit__(self, *_: object) -> None:
        """They are: keyboard and scroll are where they were."""
        place, scrolled = self._kept
        self._lay_out()
        if (field := place()) is not None:
            field.setFocus(Qt.FocusReason.OtherFocusReason)
        self._area.verticalScrollBar().setValue(scrolled)

    def _lay_out(self) -> None:
        """As high as the fields are now, before anything is painted: in a busy turn of the event loop rows would lie on one another."""
        for form in self._forms:
            form.lay_out()
        self._inside.setMinimumHeight(0)
        for part in (
            *self._inside.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly),
            self._inside,
        ):
            if (laid := part.layout()) is not None:
                laid.invalidate()
                laid.activate()
        QApplication.sendEvent(self._area, QEvent(QEvent.Type.LayoutRequest))

    def _place(self, widget: QWidget | None) -> Callable[[], QWidget | None]:
        for form in self._forms:
            for name, field in form.fields.items():
                if widget is not None and (widget is field or field.isAncestorOf(widget)):
                    return lambda form=form, name=name: form.fields.get(name)  # type: ignore[misc]
        return lambda: widget if widget is not None and isValid(widget) and widget.isVisible() else None
