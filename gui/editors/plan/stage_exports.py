"""Exporting stages from the window: which folder, then a process beside the window, then a notice of what was verified."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFileDialog

from gui.background.exporting import Exporting
from gui.document.values import Message
from gui.editors.plan.files import Files
from gui.look.numbers import plural
from gui.widgets.folders import show_folder
from planner.errors import StageboardError
from planner.export.sources import check_suffix
from planner.export.stages.child import Cancelled
from planner.export.stages.process import StagesOrder, write_stages
from planner.export.stages.stages import NotComparable, verified_text

if TYPE_CHECKING:
    from gui.editors.plan.body import GraphBody
    from planner.export.stages.stages import StageExport


WORDS = {"onnx-stages": "ONNX", "tflite-stages": "TFLite"}


class StageExports:
    """The window's exports of stages; ``files`` knows the folder that was used last."""

    def __init__(self, window: GraphBody, files: Files) -> None:
        self._window = window
        self._document = window.document
        self._files = files
        self.exporting = Exporting(write_stages, window)
        """What is being exported in the background."""
        self.exporting.done.connect(self._exported)
        self._order: StagesOrder | None = None

    def export_onnx_stages(self) -> None:
        """One ONNX model per stage, in a folder."""
        self._export("onnx-stages", ".onnx")

    def export_tflite_stages(self) -> None:
        """One TFLite model per stage, in a folder."""
        self._export("tflite-stages", ".tflite")

    def _export(self, form: str, suffix: str) -> None:
        from planner.export.stages.folder import check_destination

        document, plan, word = self._document, self._document.current_plan(), WORDS[form]
        check_suffix(document.paths, word, suffix)
        title = f"Export {word} stages to"
        own = f"{self._files.stem()}-{form}"
        # As a file is saved: a name is there, and a new one can be typed.
        name, _ = QFileDialog.getSaveFileName(
            self._window, title, str(Path(self._files.folder) / own), "Folders (*)",
            options=QFileDialog.Option.ShowDirsOnly | QFileDialog.Option.DontConfirmOverwrite,
        )  # fmt: skip
        if not name:
            return
        folder = Path(name)
        self._files.folder = str(folder if folder.is_dir() else folder.parent)
        try:
            check_destination(folder)
        except StageboardError:  # it holds other things: the stages get a folder of their own in it
            folder = folder / own
            check_destination(folder)
        self._start(
            StagesOrder(
                form, plan.problem, plan.decision.device_of, plan.provenance, tuple(document.paths), folder
            )
        )

    def _start(self, order: StagesOrder) -> None:
        self.exporting.start(order)
        self._order = order
        word = WORDS[order.format]
        doing = "and running them against the whole model" if order.check else "without running them"
        self._window.notice.show_message(
            "info",
            f"Writing {word} stages to {order.folder.name} {doing} …",
            action="Cancel",
            run=self.exporting.cancel,
            stays=True,
        )

    def _exported(self, result: StageExport | None, error: StageboardError | None) -> None:
        """Say what became of it. Stages of a model that cannot be run here may be had without the check."""
        self._window.update_actions()
        order, self._order = self._order, None
        if isinstance(error, NotComparable) and order is not None:
            unchecked = replace(order, check=False)
            self._window.notice.show_message(
                "error",
                f"{error}. Nothing was written.",
                action="Write Unchecked",
                run=lambda: self._start(unchecked),
            )
            return
        if result is None:
            level = "info" if isinstance(error, Cancelled) else "error"
            self._document.message.emit(Message(level, str(error)))
            return
        text = (
            f"Wrote {plural(len(result.stages), 'stage')} to {result.folder.name}, {verified_text(result)}."
        )
        self._window.notice.show_message(
            "info",
            text,
            "\n".join(result.notes),
            action="Show Folder",
            run=lambda: show_folder(result.folder),
        )
