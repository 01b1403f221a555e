"""A menu of the files opened lately."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtWidgets import QMenu, QWidget

from gui.widgets.plain import plain


class RecentMenu(QMenu):
    """Lists what was ``found`` whenever it is shown, the latest first, to be opened; its last entry forgets all of it."""

    def __init__(
        self,
        title: str,
        found: Callable[[], Sequence[tuple[Path, ...]]],
        open_files: Callable[[tuple[Path, ...]], object],
        forget: Callable[[], object],
        parent: QWidget,
    ) -> None:
        super().__init__(title, parent)
        self._found, self._open, self._forget = found, open_files, forget
        self.aboutToShow.connect(self._fill)

    def _fill(self) -> None:
        """Files that are gone cannot be chosen."""
        self.clear()
        found = self._found()
        for paths in found:
            names = ", ".join(path.name for path in paths)
            action = self.addAction(plain(f"{names}    {paths[0].parent}").replace("&", "&&"))
            action.setEnabled(all(path.is_file() for path in paths))
            action.triggered.connect(lambda _=False, paths=paths: self._open(paths))
        if not found:
            self.addAction("Nothing yet").setEnabled(False)
        else:
            self.addSeparator()
            self.addAction("Forget These", self._forget)
