"""What kind of network to make up, and with which settings."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QWidget,
)

from gui.widgets.asking import AskingDialog
from gui.widgets.drop_down import DropDown
from gui.widgets.forms import Form
from gui.widgets.labels import capital, set_role
from gui.widgets.plain import PlainLabel
from planner.errors import StageboardError


class GenerateDialog(AskingDialog):
    """Asks for a kind and its settings. ``chosen(str, dict, int)`` brings the kind, its settings and the seed."""

    chosen = Signal(str, object, int)

    def __init__(self, parent: QWidget | None = None) -> None:
        from planner.generate.catalogue import NETWORKS

        super().__init__("Generate a network", "Generate", parent)
        # What is made from a file is opened, not made up.
        self._kinds = {n: k for n, k in NETWORKS.items() if all(o.name != "file" for o in k.OPTIONS)}
        self.kind = DropDown(self)
        self.kind.setAccessibleName("Kind of network")
        for name in self._kinds:
            self.kind.addItem(name.replace("-", " "), name)
        self.kind.currentIndexChanged.connect(self._show_kind)
        label = QLabel("Kind")
        label.setBuddy(self.kind)
        set_role(label, "muted")
        row = QHBoxLayout()
        row.addWidget(label, 1)
        row.addWidget(self.kind)
        self.what = QLabel("", self)
        self.what.setWordWrap(True)
        self.form = Form(self)
        self.seed = Form(self)
        self.seed.add_int("seed", "Seed", 0, 0, 2**31 - 1, "the same seed makes the same network")
        self.problem = PlainLabel("", self)
        self.problem.setWordWrap(True)
        self.problem.setTextFormat(Qt.TextFormat.PlainText)
        set_role(self.problem, "bad")
        self.problem.hide()
        self.arrange(row, self.what, self.form, self.seed, self.problem, width=400)
        self._show_kind()

    def _show_kind(self) -> None:
        kind = self._kinds[self.kind.currentData()]
        self.what.setText(f"{capital(kind.WHAT)}.")
        self.form.clear()
        for option in kind.OPTIONS:
            self.form.add_option(option)
        self.problem.hide()

    def accept(self) -> None:
        """Take what is shown, if it makes sense."""
        kind = self._kinds[self.kind.currentData()]
        try:
            given = self.form.values()
            settings = {option.name: option.parse(given[option.name]) for option in kind.OPTIONS}
        except StageboardError as error:
            self.problem.setText(str(error))
            self.problem.show()
            return
        seed = self.seed.values()["seed"]
        super().accept()
        self.chosen.emit(kind.NAME, settings, int(seed))
