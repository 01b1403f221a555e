"""What the compare window remembers beyond its own life: where it was, its panels, the view. Without a session: nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gui.editors.comparison.canvases.columns import MODES
from gui.editors.comparison.state import VIEWS
from gui.shell.window_place import WindowPlace

if TYPE_CHECKING:
    from gui.editors.comparison.body import CompareBody
    from gui.shell.session import Session

GEOMETRY, LAYOUT, VIEW, MODE = "compare window", "compare layout", "compare view", "compare mode"


class CompareMemory:
    """Between a window and its :class:`gui.shell.session.Session`."""

    def __init__(self, window: CompareBody, session: Session | None) -> None:
        self._window, self._session = window, session
        self._place = WindowPlace(window, session, GEOMETRY, LAYOUT)

    def restore(self) -> bool:
        """Put the window back as it was; returns whether its panels have their places now."""
        session, window = self._session, self._window
        if session is None:
            return False
        if (view := session.value(VIEW)) in VIEWS:
            window.state.set_view(view)
        if (mode := session.value(MODE)) in MODES:
            window.columns.set_mode(mode)
        return self._place.restore()

    @property
    def has_geometry(self) -> bool:
        """Whether the window knows where it was."""
        return self._place.known

    def store(self) -> None:
        """Keep how the window is now."""
        session, window = self._session, self._window
        if session is None:
            return
        session.set_value(VIEW, window.state.view)
        session.set_value(MODE, window.columns.mode)
        self._place.store()
