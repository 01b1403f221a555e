"""Plan files that are compared, too, and the comparison as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from gui.editors.comparison.state import file_sources
from gui.shell.file_dialogs import PLANS, FileDialogs

if TYPE_CHECKING:
    from gui.editors.comparison.body import CompareBody


class CompareFiles(FileDialogs):
    """The dealings of a compare window with the disk."""

    def __init__(self, window: CompareBody) -> None:
        super().__init__(window, "comparison")
        self._window, self._state = window, window.state

    def say(self, level: str, text: str) -> None:
        """In this window, not in that of the plans."""
        self._window.say(level, text)

    def add_files(self) -> None:
        """Ask for plan files and compare them, too."""
        known = [source.path for source in self._state.sources if source.path is not None]
        self.folder = self.folder or str(
            (known or [*self._state.document.paths, Path.cwd() / "plan"])[0].parent
        )
        chosen = self.ask_open("Compare plans", PLANS)
        if chosen:
            self.add_paths(chosen)

    def add_paths(self, paths: list[Path]) -> None:
        """Compare plan files, too. Raises :class:`StageboardError` before anything changes."""
        sources, bounds = file_sources(paths, self._state.document)
        self._state.add(sources, bounds)

    def save_picture(self) -> None:
        """Ask for a picture and write the comparison."""
        path = self.ask_picture()
        if path is not None:
            self.save_picture_as(path)

    def save_picture_as(self, path: Path) -> None:
        """Write the comparison as it is shown. Raises :class:`StageboardError`."""
        from gui.editors.comparison.picture.picture import save_comparison

        comparison = self._state.comparison
        if comparison is not None:
            save_comparison(comparison, path, theme=self._window.theme.name, view=self._state.view)
            self.say("info", f"The comparison was saved as {path.name}.")
