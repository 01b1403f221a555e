"""What is chosen above a schedule: its kind, the number of samples, and to see all of it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QToolButton, QWidget

from gui.widgets.drop_down import DropDown
from gui.widgets.number_boxes import WholeNumberBox
from planner.reports.schedule.schedule import KINDS, MOST_SAMPLES

TIPS = {
    "pipelined": "Samples flow through the devices; one leaves per period (device placement, section 5.1)",
    "pipedream": "Every device alternates between a forward and a backward sample (section 5.3)",
    "gpipe": "All forward samples of a batch, then all backward ones (section 5.3)",
    "latency": "Each sample waits for the one before; cores of a CPU do not run out (section 4)",
}


class KindBox(DropDown):
    """The kinds that can be had. What someone chose stays chosen wherever it can be had."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._wanted = ""
        """What was chosen here; empty: the first one suits best."""
        self.setAccessibleName("Kind of schedule")
        self.setSizeAdjustPolicy(DropDown.SizeAdjustPolicy.AdjustToContents)
        self.activated.connect(self._choose)

    def _choose(self) -> None:
        self._wanted = self.currentData() or ""

    def forget(self) -> None:
        """Nothing was chosen."""
        self._wanted = ""

    def chosen(self, kinds: tuple[str, ...]) -> str:
        """The one of ``kinds`` that is shown where these can be had."""
        return self._wanted if self._wanted in kinds else kinds[0]

    def fill(self, kinds: tuple[str, ...]) -> str:
        """List ``kinds``; returns the chosen one."""
        known = tuple(self.itemData(i) for i in range(self.count()))
        if known != kinds:
            self.clear()
            for i, kind in enumerate(kinds):
                self.addItem(KINDS[kind], kind)
                self.setItemData(i, TIPS[kind], Qt.ItemDataRole.ToolTipRole)
        chosen = self.chosen(kinds)
        self.setCurrentIndex(kinds.index(chosen))
        self.setToolTip(TIPS[chosen])
        return chosen


class SamplesBox(WholeNumberBox):
    """How many samples are drawn; 0 (auto): as many as show the steady state."""

    def __init__(self, tip: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAccessibleName("Number of samples")
        self.setRange(0, MOST_SAMPLES)
        self.setSpecialValueText("auto")
        self.setSuffix(" samples")
        self.setKeyboardTracking(False)
        self.setFixedWidth(104)
        self.setToolTip(tip)


def fit_button(does: str, parent: QWidget) -> QToolButton:
    """A button that shows the whole; ``does`` says of what."""
    button = QToolButton(parent)
    button.setText("Fit")
    button.setToolTip(f"{does} (Home, or a double click)")
    button.setAccessibleName(does)
    return button
