"""What a window remembers beyond its own life: recent files, its place and panels, theme, motion. Without a session: nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QMainWindow, QWidget

from planner.model.samples import STORIES as SHIPPED

if TYPE_CHECKING:
    from gui.shell.session import SavedPlan, Session

MOTION = "reduced motion"


class Remembering:
    """Between a window and its :class:`gui.shell.session.Session`; ``name`` is what its place is kept under."""

    def __init__(self, window: QMainWindow, session: Session | None, name: str) -> None:
        self._window, self.session = window, session
        self._name = name

    # ------------------------------------------------------------------ files, theme, motion
    @property
    def recent(self) -> list[tuple[Path, ...]]:
        """Files opened lately, the latest first."""
        return [] if self.session is None else self.session.recent

    @property
    def saved_plans(self) -> list[SavedPlan]:
        """Plans saved or opened lately, the latest first."""
        return [] if self.session is None else self.session.saved_plans

    def remember_plan(self) -> None:
        """The plan that is open is in a file: it goes to the top of those saved lately."""

    @property
    def stories(self) -> list[Path]:
        """Stories opened or saved lately, the latest first."""
        return [] if self.session is None else self.session.stories

    def remember_story(self, path: Path | None) -> None:
        """A story is open in a file; those that come along are not kept, for they are offered anyway."""
        if self.session is None or path is None or path.parent.resolve() == SHIPPED.resolve():
            return
        if self.stories[:1] != [path.absolute()]:
            self.session.add_story(path)

    def forget_stories(self) -> None:
        """No recent stories."""
        if self.session is not None:
            self.session.clear_stories()

    def forget_recent(self) -> None:
        """No recent files."""
        if self.session is not None:
            self.session.clear_recent()

    def set_theme(self, preference: str) -> None:
        """system, light or dark."""
        if self.session is not None:
            self.session.theme = preference

    def set_reduced_motion(self, reduced: bool) -> None:
        """Whether nothing flashes or glides."""
        self.keep(MOTION, "yes" if reduced else "no")

    def restore_motion(self, set_reduced_motion: Callable[[bool], None]) -> None:
        """As it was left in any window."""
        if self.session is not None:
            set_reduced_motion(self.session.value(MOTION) == "yes")

    # ------------------------------------------------------------------ anything else
    def kept(self, key: str) -> str:
        """What was kept under a key; empty where nothing was."""
        return "" if self.session is None else self.session.value(key)

    def keep(self, key: str, value: str) -> None:
        """Keep a value under a key."""
        if self.session is not None:
            self.session.set_value(key, value)

    # ------------------------------------------------------------------ place and panels
    def place(self, window: QWidget) -> bool:
        """Put a window where the editor's was; returns whether that is known."""
        if self.session is None:
            return False
        geometry, _ = self.session.place(self._name)
        return not geometry.isEmpty() and window.restoreGeometry(geometry)

    def restore_place(self) -> bool:
        """Make the editor as large as it was; returns whether its panels have their places now."""
        if self.session is None or not self.place(self._window):
            return False
        _, layout = self.session.place(self._name)
        return not layout.isEmpty() and self._window.restoreState(layout)

    def store(self) -> None:
        """Keep how the window is now."""
        if self.session is not None:
            self.session.keep_place(
                self._name, self._window.window().saveGeometry(), self._window.saveState()
            )
            self.session.sync()
