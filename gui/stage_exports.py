"""Exporting stages from the window: which folder, then a process beside the window, then a notice of what was verified."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFileDialog

from gui.exporting import Exporting
from gui.files import Files
from gui.values import Message
from gui.widgets.numbers import plural
from planner.errors import StageboardError
from planner.export.child import Cancelled
from planner.export.stage_process import StagesOrder
from planner.export.stages import verified_text

if TYPE_CHECKING:
    from gui.window import MainWindow
    from planner.export.stages import StageExport


class StageExports:
    """The window's exports of stages; ``files`` knows the folder that was used last."""

    def __init__(self, window: MainWindow, files: Files) -> None:
        self._window = window
        self._document = window.document
        self._files = files
        self.exporting = Exporting(window)
        """What is being exported in the background."""
        self.exporting.done.connect(self._exported)

    def export_onnx_stages(self) -> None:
        """One ONNX model per stage, in a folder."""
        self._export("onnx-stages", "ONNX", ".onnx")

    def export_tflite_stages(self) -> None:
        """One TFLite model per stage, in a folder."""
        self._export("tflite-stages", "TFLite", ".tflite")

    def cancel_export(self) -> None:
        """Stop the export of stages."""
        self.exporting.cancel()

    def _export(self, form: str, word: str, suffix: str) -> None:
        from planner.export.stage_folder import check_destination

        document, plan = self._document, self._document.current_plan()
        foreign = next((path for path in document.paths if path.suffix.lower() != suffix), None)
        if foreign is not None:
            raise StageboardError(
                f"{foreign.name} is no {word} file; {word} stages are cut from the {suffix} file that a plan was made for"
            )
        title = f"Export {word} stages to"
        name = QFileDialog.getExistingDirectory(self._window, title, self._files.folder)
        if not name:
            return
        folder = Path(name)
        self._files.folder = name
        try:
            check_destination(folder)
        except StageboardError:  # it holds other things: the stages get a folder of their own in it
            folder = folder / f"{self._files.stem()}-{form}"
            check_destination(folder)
        self.exporting.start(
            StagesOrder(
                form, plan.problem, plan.decision.device_of, plan.provenance, tuple(document.paths), folder
            )
        )
        self._window.notice.show_message(
            "info",
            f"Writing {word} stages to {folder.name} and running them against the whole model …",
            action="Cancel",
            run=self.exporting.cancel,
        )

    def _exported(self, result: StageExport | None, error: StageboardError | None) -> None:
        """Say what became of it."""
        self._window.update_actions()
        if result is None:
            level = "info" if isinstance(error, Cancelled) else "error"
            self._document.message.emit(Message(level, str(error)))
            return
        text = (
            f"Wrote {plural(len(result.stages), 'stage')} to {result.folder.name}, {verified_text(result)}."
        )
        where = QUrl.fromLocalFile(str(result.folder))
        self._window.notice.show_message(
            "info",
            text,
            "\n".join(result.notes),
            action="Show Folder",
            run=lambda: QDesktopServices.openUrl(where),
        )
