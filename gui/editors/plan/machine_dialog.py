"""What a machine of one's own is to be called: one that is calibrated from the measured times of the open model, or this computer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QFormLayout,
    QLabel,
    QLineEdit,
    QWidget,
)

from gui.widgets.asking import AskingDialog
from gui.widgets.drop_down import DropDown
from gui.widgets.labels import set_role
from gui.widgets.offering import offer
from gui.widgets.plain import PlainLabel
from planner.errors import StageboardError
from planner.model.named_machines import check_free

if TYPE_CHECKING:
    from planner.runs.calibration.calibrate import Calibration

DEVICES = (("A CPU (Stageboard measures on one)", "cpu"), ("An accelerator", "accelerator"))


class NameDialog(AskingDialog):
    """Asks for a name that is free, for a machine of one's own. ``named(str)`` brings it."""

    named = Signal(str)

    def __init__(self, title: str, verb: str, text: str, parent: QWidget | None = None) -> None:
        super().__init__(title, verb, parent)
        words = PlainLabel(text, self)
        words.setWordWrap(True)
        self.name = QLineEdit(self)
        self.name.setPlaceholderText("my-core")
        self.name.setAccessibleName("Name of the machine")
        self.name.textChanged.connect(self._check)
        self.form = QFormLayout()
        self.form.addRow("Name", self.name)
        self.trouble = QLabel("", self)
        self.trouble.setTextFormat(Qt.TextFormat.PlainText)
        self.trouble.setWordWrap(True)
        set_role(self.trouble, "bad")
        self.arrange(words, self.form, self.trouble, width=460)
        self._check()

    def _check(self) -> None:
        """Only a name that will do can be kept; what is wrong with another one is said once one was typed."""
        name, trouble = self.name.text().strip(), ""
        try:
            check_free(name)
        except StageboardError as error:
            trouble = str(error)
        offer(self.go, trouble)
        self.trouble.setText(trouble if name else "")

    def accept(self) -> None:
        """Take what is shown."""
        if self.go.isEnabled():
            name = self.name.text().strip()
            super().accept()
            self.named.emit(name)


class MachineDialog(NameDialog):
    """Asks for a name that is free. ``chosen(str, str)`` brings it, and the kind of device that was measured."""

    chosen = Signal(str, str)

    def __init__(self, model: str, parent: QWidget | None = None) -> None:
        super().__init__(
            "Keep as a machine", "Keep",
            f"Rates are fitted to what was measured of {model}, and kept under a name: Target offers it, and --machine takes it, for models"
            " that nobody measured.", parent,
        )  # fmt: skip
        self.device = DropDown(self)
        self.device.setAccessibleName("What was measured")
        for title, device in DEVICES:
            self.device.addItem(title, device)
        self.form.addRow("It is", self.device)
        self.named.connect(lambda name: self.chosen.emit(name, str(self.device.currentData())))


class ComputerDialog(NameDialog):
    """Asks what to call this computer before it is measured. ``named(str)`` brings it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(
            "Measure this computer", "Measure",
            "A matrix product, a stream through memory and small ops run for some seconds on one core. Their rates are kept under a name, with"
            " the date: Target offers it, and --machine takes it, for models that nobody measured.", parent,
        )  # fmt: skip
        self.name.setPlaceholderText("this-computer")


def kept_words(found: Calibration) -> str:
    """How good the rates of a machine are, in words."""
    before, after = found.before, found.after
    return (
        f"'{found.machine.name}' is kept. Of {after.ops:,} ops, half are estimated within a factor of {after.median:.2f} of what was"
        f" measured and nine in ten within {after.worst_tenth:.2f} (default rates: {before.median:.2f} and {before.worst_tenth:.2f});"
        f" together they are estimated at {after.total:.2f} of the measured time ({before.total:.2f}). Target offers it for models that nobody measured."
    )
