"""Form fields made from data: a planner's options, and the fields of a target or cost model with their metadata."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QGridLayout,
    QLabel,
    QLineEdit,
    QToolButton,
    QWidget,
)

from gui.look.theme import font
from gui.widgets.drop_down import DropDown
from gui.widgets.emptying import clear
from gui.widgets.file_field import FileField
from gui.widgets.labels import ElidedLabel, capital, set_role
from gui.widgets.number_boxes import NumberBox, WholeNumberBox
from gui.widgets.plain import PlainLabel
from gui.widgets.quantities import (
    per_device_text,
    per_device_value,
    quantity_text,
    quantity_value,
    too_little,
    with_unit,
    with_units,
)
from planner.errors import StageboardError
from planner.options import Option
from planner.problem.per_device import TYPE, PerDevice

FIELD_WIDTH = 100
TITLES = {"cpus": "CPUs", "count": "Stages"}
"""Titles that are not the field's name with a capital letter."""
Value = bool | int | float | str


class Disclosure(QToolButton):
    """A title that shows and hides the rows below it."""

    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._widgets: list[QWidget] = []
        self.setText(title)
        self.setCheckable(True)
        self.setAutoRaise(True)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setAccessibleName(title)
        self.setStyleSheet(
            "QToolButton, QToolButton:checked { background: transparent; border: none; padding: 3px 0; }"
        )
        self.toggled.connect(self._toggled)
        self._toggled(False)

    def add(self, *widgets: QWidget) -> None:
        """Widgets to hide while it is closed."""
        self._widgets += widgets
        for widget in widgets:
            widget.setVisible(self.isChecked())

    def _toggled(self, opened: bool) -> None:
        self.setArrowType(Qt.ArrowType.DownArrow if opened else Qt.ArrowType.RightArrow)
        self.setAccessibleDescription("open" if opened else "closed")
        for widget in self._widgets:
            widget.setVisible(opened)


class Form(QWidget):
    """Labels at the left, fields at the right. :meth:`values` reads them; it raises where one makes no sense."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.hints: dict[str, QLabel] = {}
        """What fields made from data are, below each."""
        self.warnings: dict[str, QLabel] = {}
        """Below fields of bytes: that a unit was left out, where so few are meant to be none."""
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(8)
        self._grid.setVerticalSpacing(5)
        self._grid.setColumnStretch(0, 1)
        self._readers: dict[str, Callable[[], Any]] = {}
        self._rows = 0
        self._group: Disclosure | None = None
        """Where fields that are added now are folded away."""
        self.fields: dict[str, QWidget] = {}
        self.groups: dict[str, Disclosure] = {}
        self._open: set[str] = set()
        """Titles of the groups that were open when the form was cleared."""
        self._conditional: list[Option] = []
        """Options that mean nothing beside some values of others."""
        self.changed.connect(self._grey)

    def clear(self) -> None:
        """Take all fields out."""
        self._open = {title for title, group in self.groups.items() if group.isChecked()}
        clear(self._grid)
        self._readers, self.fields, self.groups, self.hints, self._rows = {}, {}, {}, {}, 0
        self.warnings, self._conditional = {}, []

    def fill(self, instance: Any) -> None:
        """The fields of a dataclass in place of those that there are, as :meth:`add_fields` adds them."""
        self.clear()
        self.add_fields(instance)

    def lay_out(self) -> None:
        """Give all fields their rooms at once. Qt shows what was added to a layout in the next turn of the event loop, and counts it for
        nothing until then."""
        for at in range(self._grid.count()):
            item = self._grid.itemAt(at)
            widget = None if item is None else item.widget()
            if widget is not None and not widget.testAttribute(Qt.WidgetAttribute.WA_WState_ExplicitShowHide):
                widget.show()
        self._grid.activate()

    def values(self) -> dict[str, Value]:
        """Every field's value by name. Raises :class:`StageboardError`."""
        return {name: read() for name, read in self._readers.items()}

    def _add(
        self, name: str, title: str, tip: str, field: QWidget, read: Callable[[], Any], wide: bool = False
    ) -> None:
        """A field at the right of its title, or, where it is ``wide``, below it."""
        row = self._next_row()
        if not isinstance(field, QCheckBox):
            field.setMinimumWidth(FIELD_WIDTH)
            if not wide:
                field.setMaximumWidth(FIELD_WIDTH)
            field.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        label = ElidedLabel(title)
        set_role(label, "muted")
        label.set_tip(tip)
        label.setBuddy(field)
        field.setAccessibleName(title)
        field.setAccessibleDescription(tip)
        field.setToolTip(tip)
        self._grid.addWidget(label, row, 0)
        if wide:
            self._grid.addWidget(field, self._next_row(), 0, 1, 2)
        else:
            self._grid.addWidget(field, row, 1)
        if self._group is not None:
            self._group.add(label, field)
        self.fields[name] = field
        self._readers[name] = read

    def _explain(self, name: str, words: str) -> None:
        """What a field is, in small words below it."""
        hint = PlainLabel(capital(words.strip()).rstrip(".") + ".", self)
        hint.setWordWrap(True)
        hint.setFont(font(8.0))
        hint.setContentsMargins(0, 0, 0, 4)
        set_role(hint, "muted")
        self._grid.addWidget(hint, self._next_row(), 0, 1, 2)
        if self._group is not None:
            self._group.add(hint)
        self.hints[name] = hint

    def _next_row(self) -> int:
        self._rows += 1
        return self._rows

    # ------------------------------------------------------------------ kinds of fields
    def add_bool(self, name: str, title: str, value: bool, tip: str = "") -> None:
        """A check box."""
        field = QCheckBox(self)
        field.setChecked(value)
        field.toggled.connect(self.changed)
        self._add(name, title, tip, field, field.isChecked)

    def add_choice(self, name: str, title: str, value: str, choices: Sequence[str], tip: str = "") -> None:
        """A combo box."""
        field = DropDown(self)
        field.addItems(list(choices))
        field.setCurrentText(value)
        field.give_way()
        field.currentTextChanged.connect(self.changed)
        self._add(name, title, tip, field, field.currentText)

    def add_int(self, name: str, title: str, value: int, low: int, high: int, tip: str = "") -> None:
        """A spin box of whole numbers."""
        field = WholeNumberBox(self)
        field.setRange(low, high)
        field.setValue(value)
        field.setGroupSeparatorShown(True)
        field.setAlignment(Qt.AlignmentFlag.AlignRight)
        field.valueChanged.connect(self.changed)
        self._add(name, title, tip, field, field.value)

    def add_float(
        self, name: str, title: str, value: float, low: float, high: float, tip: str = "", digits: int = 3
    ) -> None:
        """A spin box of numbers in a bounded range."""
        field = NumberBox(self)
        field.setDecimals(digits)
        field.setRange(low, high)
        field.setValue(value)
        field.setAlignment(Qt.AlignmentFlag.AlignRight)
        field.valueChanged.connect(self.changed)
        self._add(name, title, tip, field, field.value)

    def add_quantity(
        self, name: str, title: str, value: float, unit: str, tip: str = "", unset: str = ""
    ) -> None:
        """A line for a number with a unit; ``unset`` is a word for 0, if that has one."""
        field = QLineEdit(unset if unset and not value else quantity_text(value, unit), self)
        field.setAlignment(Qt.AlignmentFlag.AlignRight)

        def value_of(text: str) -> float:
            named = bool(unset) and text.strip().lower() == unset.lower()
            return 0.0 if named else quantity_value(text, unit, title)

        self._add(name, title, tip, field, self._kept_unit(name, field, unit, with_unit, value_of))
        self._watch(name, unit, value)

    def add_per_device(self, name: str, title: str, value: PerDevice, unit: str, tip: str = "") -> None:
        """A line for a number with a unit, or for one per device: ``8 MiB / 8 MiB / 16 MiB``."""
        field = QLineEdit(per_device_text(value, unit), self)
        field.setAlignment(Qt.AlignmentFlag.AlignRight)
        field.setCursorPosition(0)
        read = self._kept_unit(
            name, field, unit, with_units, lambda text: per_device_value(text, unit, title)
        )
        self._add(name, title, tip, field, read, wide=isinstance(value, tuple))
        self._watch(name, unit, value)

    def _kept_unit(
        self, name: str, field: QLineEdit, unit: str, complete: Callable[[str, str, str], str], value_of: Callable[[str], Any]
    ) -> Callable[[], Any]:  # fmt: skip
        """What reads a field: a bare number is in the unit that the field had shown, else in ``unit`` if that is bytes, and gets it once
        it is typed. So few bytes that a unit was left out are then said below."""
        shown, plain = field.text(), unit if unit == "B" else ""

        def finish() -> None:
            nonlocal shown
            text = complete(field.text(), shown, plain)
            with suppress(StageboardError):
                value = value_of(text)
                shown = text
                if name in self.warnings:
                    self._warn(name, too_little(value))
            if shown == text != field.text():
                field.setText(text)

        field.textEdited.connect(lambda _: self.changed.emit())
        field.editingFinished.connect(finish)
        return lambda: value_of(complete(field.text(), shown, plain))

    def _watch(self, name: str, unit: str, value: PerDevice) -> None:
        """Room below a field of bytes for what is too little to be meant, as it is said of the ``value`` that it shows."""
        if unit == "B":
            label = self.warnings[name] = PlainLabel("", self)
            label.setWordWrap(True)
            set_role(label, "warning")
            self._grid.addWidget(label, self._next_row(), 0, 1, 2)
            self._warn(name, too_little(value))

    def _warn(self, name: str, least: float) -> None:
        label, number = self.warnings[name], f"{least:.8g}"
        label.setText(f"{number} B is less than 1 KiB: write {number} MiB if that is meant." if least else "")
        label.setVisible(bool(least))

    def add_text(self, name: str, title: str, value: str, tip: str = "") -> None:
        """A line of text."""
        field = QLineEdit(value, self)
        field.textEdited.connect(lambda _: self.changed.emit())
        self._add(name, title, tip, field, field.text)

    def add_file(self, name: str, title: str, value: str, filters: str, tip: str = "") -> None:
        """A line for the path of a file, and a button that asks for it."""
        field = FileField(value, title, filters, self)
        field.changed.connect(self.changed)
        self._add(name, title, tip, field, field.text, wide=True)

    # ------------------------------------------------------------------ from data
    def add_option(self, option: Option) -> None:
        """A field for one option of a planner or bound method."""
        title = option.name.replace("_", " ").replace("-", " ").capitalize()
        default = option.default
        if isinstance(default, bool):
            self.add_bool(option.name, title, default, option.help)
        elif option.choices:
            self.add_choice(option.name, title, str(default), option.choices, option.help)
        elif isinstance(default, int):
            low = -(2**31) + 1 if option.low is None else int(option.low)
            high = 2**31 - 1 if option.high is None else int(min(option.high, 2**31 - 1))
            self.add_int(option.name, title, default, low, high, option.help)
        elif isinstance(default, float):
            self.add_quantity(option.name, title, default, "", option.help)
        elif option.file:
            self.add_file(option.name, title, str(default), option.file, option.help)
        else:
            self.add_text(option.name, title, str(default), option.help)
        words = option.help if not option.range_text else f"{option.help} ({option.range_text})"
        if words:
            self._explain(option.name, words)
        if option.only_with is not None:
            self._conditional.append(option)
            self._grey()

    def _grey(self) -> None:
        """Options that mean nothing beside the values of others cannot be changed; what they depend on comes before them."""
        for option in self._conditional:
            assert option.only_with is not None
            other = option.only_with[0]
            self.fields[option.name].setEnabled(option.applies({other: self._readers[other]()}))

    def add_fields(self, instance: Any) -> None:
        """A field for each field of a dataclass; ``metadata`` may hold label, help, unit, source, choices and group, and that no form shows it.

        Fields of a group come last, folded away under its title unless one of them differs from its default; a group
        that is open stays so when the form is filled anew.
        """
        fields = [f for f in dataclasses.fields(instance) if f.metadata.get("form", True)]
        titles = dict.fromkeys(str(f.metadata.get("group", "")) for f in fields)
        for title in sorted(titles, key=bool):
            members = [f for f in fields if f.metadata.get("group", "") == title]
            if title:
                self._group = self.groups[title] = Disclosure(title, self)
                self._grid.addWidget(self._group, self._next_row(), 0, 1, 2)
            for f in members:
                self._add_field(f, getattr(instance, f.name))
            if self._group is not None:
                changed = any(getattr(instance, f.name) != f.default for f in members)
                self._group.setChecked(changed or title in self._open)
                self._group = None

    def _add_field(self, f: dataclasses.Field[Any], value: Any) -> None:
        meta = f.metadata
        title = str(meta.get("label") or TITLES.get(f.name) or f.name.replace("_", " ").capitalize())
        tip = str(meta.get("help", ""))
        if meta.get("source"):
            tip += f"\nSource: {meta['source']}"
        if isinstance(value, bool):
            self.add_bool(f.name, title, value, tip)
        elif meta.get("choices"):
            self.add_choice(f.name, title, str(value), meta["choices"], tip)
        elif f.type == TYPE:
            self.add_per_device(f.name, title, value, str(meta.get("unit", "")), tip)
        elif isinstance(value, int) and not isinstance(f.default, float):
            self.add_int(f.name, title, value, 0, 1024, tip)
        elif isinstance(value, int | float):
            unit, unset = str(meta.get("unit", "")), str(meta.get("unset", ""))
            self.add_quantity(f.name, title, float(value), unit, tip, unset)
        else:
            self.add_text(f.name, title, str(value), tip)
        if meta.get("help"):
            self._explain(f.name, str(meta["help"]))
