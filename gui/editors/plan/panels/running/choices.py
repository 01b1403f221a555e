"""What a plan is run on: the cores of its stages, and the execution provider of ONNX models."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QWidget

from gui.widgets.drop_down import DropDown
from gui.widgets.labels import set_role
from planner.export.onnx.runtime import CPU, providers
from planner.runs.running.cores import cores_text, here, parse_cores

SUFFIX = "ExecutionProvider"


class RunChoices(QWidget):
    """A field for cores and a list of the providers that are there; the list is for ONNX models alone."""

    changed = Signal()
    """Somebody chose; what is :meth:`restore`-d is not told of."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        usable = cores_text(here())
        self.cores_field = QLineEdit(self)
        self.cores_field.setPlaceholderText(f"all: {usable}")
        self.cores_field.setAccessibleName("Cores")
        self.cores_field.setToolTip(
            f"Cores for the stages in turn, as 0,1 or 0-3; empty: all that may be used here ({usable}). Where there are fewer than stages, stages share them"
        )
        self.cores_field.setFixedWidth(92)
        self.cores_field.editingFinished.connect(self._core_edited)
        self.provider_list = DropDown(self)
        self.provider_list.setAccessibleName("Execution provider")
        self.provider_list.setToolTip(
            "What onnxruntime runs the ops on that it can; the CPU runs the rest, and all of the CPUs of a pool"
        )
        self.provider_list.addItem("CPU", "")
        self.provider_list.activated.connect(self.changed)
        self._wanted = ""
        self._listed = False
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        self._provider_label = QLabel("on", self)
        for label, field in (
            (QLabel("Cores", self), self.cores_field),
            (self._provider_label, self.provider_list),
        ):
            set_role(label, "muted")
            label.setBuddy(field)
            row.addWidget(label, 0, Qt.AlignmentFlag.AlignVCenter)
            row.addWidget(field)
        self._told = ""
        self.offer_providers(False)

    def offer_providers(self, offered: bool) -> None:
        """Whether a provider can be chosen; those of the onnxruntime that is installed are looked up the first time."""
        if offered and not self._listed:
            self._listed = True
            for name in providers():
                if name != CPU:
                    self.provider_list.addItem(name.removesuffix(SUFFIX), name)
            self._select(self._wanted)
        for part in (self._provider_label, self.provider_list):
            part.setVisible(offered)

    def restore(self, cores: str, provider: str) -> None:
        """What was chosen another time; a provider that is not there is left out."""
        self.cores_field.setText(cores)
        self._told = cores
        self._wanted = provider
        self._select(provider)

    @property
    def kept(self) -> tuple[str, str]:
        """What is to be remembered: the text of the cores, and the provider ("" for the CPU)."""
        return self.cores_field.text().strip(), str(self.provider_list.currentData())

    @property
    def cores(self) -> tuple[int, ...]:
        """The cores that are asked for; none: all. Raises :class:`planner.errors.StageboardError` where the text is no list of cores."""
        text = self.cores_field.text().strip()
        return parse_cores(text) if text else ()

    @property
    def provider(self) -> str:
        """The provider by onnxruntime's name; empty: the CPU, and where none can be chosen."""
        return str(self.provider_list.currentData()) if self.provider_list.isVisibleTo(self) else ""

    def _select(self, provider: str) -> None:
        self.provider_list.setCurrentIndex(max(0, self.provider_list.findData(provider)))

    def _core_edited(self) -> None:
        """A field that is only left says nothing new."""
        if self.cores_field.text().strip() != self._told:
            self._told = self.cores_field.text().strip()
            self.changed.emit()
