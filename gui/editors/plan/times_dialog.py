"""Whose times profiles say that were chosen: those of every device, of one kind of devices, or of one device."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFormLayout, QWidget

from gui.look.numbers import plural
from gui.widgets.asking import AskingDialog
from gui.widgets.drop_down import DropDown
from gui.widgets.plain import PlainLabel
from planner.evaluation.estimates import side_of
from planner.problem.device_times import own_timed

if TYPE_CHECKING:
    from planner.problem.problem import Problem

KINDS = (("All accelerators", "accelerator"), ("All CPUs", "cpu"))


def whose_times(problem: Problem) -> list[tuple[str, str]]:
    """The choices: a title, and what :func:`planner.formats.times.named.named_times` calls it; none where devices may not differ."""
    devices = own_timed(problem.graph, problem.target)
    if not devices:
        return []
    sides = {side_of(device) for device in problem.devices}
    kinds = KINDS if len(sides) > 1 else ()
    return [("Every device", ""), *kinds, *((title, name) for name, title in devices.items())]


class TimesDialog(AskingDialog):
    """Asks whose times the profiles ``files`` say. ``chosen(str)`` brings the choice of :func:`whose_times`."""

    chosen = Signal(str)

    def __init__(
        self, files: Sequence[str], devices: Sequence[tuple[str, str]], parent: QWidget | None = None
    ) -> None:
        super().__init__("Use measured times", "Use", parent)
        asked = f"does {files[0]}" if len(files) == 1 else f"do the {plural(len(files), 'profile')}"
        words = PlainLabel(f"Whose times {asked} say? Those of one device stand before those of all.", self)
        words.setWordWrap(True)
        self.device = DropDown(self)
        self.device.setAccessibleName("Times of")
        for title, name in devices:
            self.device.addItem(title, name)
        form = QFormLayout()
        form.addRow("Times of", self.device)
        self.arrange(words, form, width=420)
        self.device.setFocus()

    def accept(self) -> None:
        """Take what is chosen."""
        device = str(self.device.currentData())
        super().accept()
        self.chosen.emit(device)
