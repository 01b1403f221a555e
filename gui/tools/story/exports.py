"""The story of a window as files: written beside it, one after the other, with what became of them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QObject, SignalInstance

from gui.look.numbers import percent
from gui.tools.story.draft import Draft
from gui.tools.story.story_stage import StoryStage
from gui.widgets.folders import show_folder
from planner.export.stages.child import Cancelled
from planner.story.story import Story

if TYPE_CHECKING:
    from gui.present.export.export import Exported
    from gui.present.exporting import StoryExport


EXPORTS = {
    "PDF slides (*.pdf)": ".pdf", "PowerPoint slides (*.pptx)": ".pptx", "Web page in one file (*.html)": ".html",
    "Film (*.mp4)": ".mp4", "Animated picture (*.gif)": ".gif", "Folder of SVG slides (*.svg)": ".svg",
}  # fmt: skip
"""What stories become, as the dialog offers it, by the end of the file's name."""


@dataclass(frozen=True, eq=False)
class _Order:
    """A story as it was when its export was asked for, where it goes, and the files of its models."""

    story: Story
    path: Path
    files: tuple[Path, ...]


class StoryExports(QObject):
    """Exports of a story in the order in which they are asked for; ``said`` hears level and text of what was said in the window."""

    def __init__(self, window: StoryStage, said: SignalInstance, parent: QObject) -> None:
        super().__init__(parent)
        self._window, self._said = window, said
        self._export: StoryExport | None = None
        self._waiting: list[_Order] = []
        self._target = Path()
        self._ended: list[str] = []
        """What became of those before, while others wait."""

    @property
    def busy(self) -> bool:
        """Whether a story is being written."""
        return self._export is not None and self._export.busy

    def add(self, draft: Draft, path: Path, story: Story) -> None:
        """Write the story of a draft as it is told now, or after those that are being written. Raises :class:`StageboardError` for a place that cannot be."""
        from gui.present.export.export import check_place

        check_place(path)
        order = _Order(story, path, draft.files())
        if self.busy:
            self._waiting.append(order)
            self._progressed(0, 0)
        else:
            self._ended.clear()
            self._start(order)

    def _start(self, order: _Order) -> None:
        from gui.present.export.export import ExportOptions
        from gui.present.exporting import StoryExport

        if self._export is None:
            self._export = StoryExport(self)
            self._export.progressed.connect(self._progressed)
            self._export.done.connect(self._done)
        folder = order.files[0].parent if order.files else Path.cwd()
        # A page follows the theme of who reads it.
        page = order.path.suffix.lower() == ".html"
        options = ExportOptions(theme="" if page else self._window.theme.name)
        self._export.start_story(order.story, folder, order.path, options, order.files)
        self._target = order.path
        self._progressed(0, 0)  # it can be stopped from the first moment
        self._window.update_actions()

    def cancel(self) -> None:
        """Stop what is being written; nothing is left of it. What waits is written."""
        if self._export is not None:
            self._export.cancel()

    def drop(self) -> None:
        """The window goes."""
        self._waiting.clear()
        if self._export is not None:
            self._export.drop()

    def _progressed(self, done: int, of: int) -> None:
        share = f" {percent(done / of, 0)}" if of else ""
        then = f", then {' and '.join(order.path.name for order in self._waiting)}" if self._waiting else ""
        self._window.notice.show_message(
            "info",
            f"Writing {self._target.name} …{share}{then}",
            action="Cancel",
            run=self.cancel,
            stays=True,
        )

    def _done(self, result: object, error: object) -> None:
        if error is None:
            written = cast("Exported", result)
            text, notes = f"W{written.sentence.removeprefix('w')}.", "\n".join(written.notes)
        else:
            text, notes = str(error), ""
        self._ended.append(text)
        if self._waiting:
            self._start(self._waiting.pop(0))
            return
        told = " ".join(words if words.endswith(".") else f"{words}." for words in self._ended)
        if error is None:
            # It stays until it is dismissed: who exports a film looks elsewhere meanwhile.
            self._window.notice.show_message(
                "info", told, notes, action="Show Folder", run=lambda: show_folder(written.path.parent)
            )
            self._said.emit("info", told)
        else:
            level = "info" if isinstance(error, Cancelled) else "error"
            told = told if len(self._ended) > 1 else text
            self._window.say(level, told)
            self._said.emit(level, told)
        self._window.update_actions()
