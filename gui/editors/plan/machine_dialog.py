"""What a machine that is calibrated from the measured times of the open model is to be called, and what was measured."""

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
from gui.widgets.plain import PlainLabel
from planner.errors import StageboardError
from planner.model.named_machines import check_free

if TYPE_CHECKING:
    from planner.runs.calibration.calibrate import Calibration

DEVICES = (("A CPU (Stageboard measures on one)", "cpu"), ("An accelerator", "accelerator"))


class MachineDialog(AskingDialog):
    """Asks for a name that is free. ``chosen(str, str)`` brings it, and the kind of device that was measured."""

    chosen = Signal(str, str)

    def __init__(self, model: str, parent: QWidget | None = None) -> None:
        super().__init__("Keep as a machine", "Keep", parent)
        words = PlainLabel(
            f"Rates are fitted to what was measured of {model}, and kept under a name: Target offers it, and --machine takes it, for models"
            " that nobody measured.", self,
        )  # fmt: skip
        words.setWordWrap(True)
        self.name = QLineEdit(self)
        self.name.setPlaceholderText("my-core")
        self.name.setAccessibleName("Name of the machine")
        self.name.textChanged.connect(self._check)
        self.device = DropDown(self)
        self.device.setAccessibleName("What was measured")
        for title, device in DEVICES:
            self.device.addItem(title, device)
        form = QFormLayout()
        form.addRow("Name", self.name)
        form.addRow("It is", self.device)
        self.trouble = QLabel("", self)
        self.trouble.setTextFormat(Qt.TextFormat.PlainText)
        self.trouble.setWordWrap(True)
        set_role(self.trouble, "bad")
        self.arrange(words, form, self.trouble, width=460)
        self._check()

    def _check(self) -> None:
        """Only a name that will do can be kept; what is wrong with another one is said once one was typed."""
        name, trouble = self.name.text().strip(), ""
        try:
            check_free(name)
        except StageboardError as error:
            trouble = str(error)
        self.go.setEnabled(not trouble)
        self.trouble.setText(trouble if name else "")

    def accept(self) -> None:
        """Take what is shown."""
        if self.go.isEnabled():
            name, device = self.name.text().strip(), str(self.device.currentData())
            super().accept()
            self.chosen.emit(name, device)


def kept_words(found: Calibration) -> str:
    """How good the rates of a machine are, in words."""
    before, after = found.before, found.after
    return (
        f"'{found.machine.name}' is kept. Of {after.ops:,} ops, half are estimated within a factor of {after.median:.2f} of what was"
        f" measured and nine in ten within {after.worst_tenth:.2f} (default rates: {before.median:.2f} and {before.worst_tenth:.2f});"
        f" together they are estimated at {after.total:.2f} of the measured time ({before.total:.2f}). Target offers it for models that nobody measured."
    )
