"""How sparse a dense model is to be when it is opened as a sparse network."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QPushButton,
    QWidget,
)

from gui.widgets.asking import AskingDialog
from gui.widgets.labels import set_role
from gui.widgets.number_boxes import NumberBox

USUAL = (1.0, 5.0, 10.0, 25.0)
"""Densities in per cent that one button sets."""


class DensityDialog(AskingDialog):
    """Asks for the share of the weights to keep. ``chosen(float)`` brings it, from 0 to 1."""

    chosen = Signal(float)

    def __init__(self, path: Path, parent: QWidget | None = None) -> None:
        super().__init__("Open as a sparse network", "Open", parent)
        words = QLabel(
            f"The fully connected layers of {path.name} are pruned: of each only the largest weights stay, and the rest of"
            " the model is left out."
        )
        words.setWordWrap(True)
        words.setTextFormat(Qt.TextFormat.PlainText)
        self.field = NumberBox(self)
        self.field.setRange(0.01, 100.0)
        self.field.setDecimals(2)
        self.field.setValue(10.0)
        self.field.setSuffix(" %")
        self.field.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.field.setFixedWidth(96)
        self.field.setAccessibleName("Share of the weights to keep")
        label = QLabel("Keep")
        label.setBuddy(self.field)
        row = QHBoxLayout()
        row.addWidget(label)
        row.addWidget(self.field)
        for share in USUAL:
            button = QPushButton(f"{share:g} %", self)
            button.setAutoDefault(False)
            button.clicked.connect(lambda _=False, share=share: self.field.setValue(share))
            row.addWidget(button)
        row.addStretch(1)
        note = QLabel("A model that is sparse already keeps its zeros out at 100 %.")
        note.setWordWrap(True)
        set_role(note, "muted")
        self.arrange(words, row, note, width=460)
        self.field.selectAll()

    def accept(self) -> None:
        """Take the density that is shown."""
        density = self.field.value() / 100
        super().accept()
        self.chosen.emit(density)
