"""What a window remembers beyond its own life: recent models, layout, view, motion. Without a session: nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from PySide6.QtWidgets import QMainWindow

if TYPE_CHECKING:
    from gui.document.plan.document import Document
    from gui.shell.session import Session

VIEWS = ("flow", "lanes")


class Viewed(Protocol):
    """The canvas, which is looked at in one of :data:`VIEWS`."""

    view: str

    def set_view(self, view: str) -> None:
        """Show another view."""


class Memory:
    """Between a window and its :class:`gui.shell.session.Session`."""

    def __init__(
        self, window: QMainWindow, document: Document, canvas: Viewed, session: Session | None
    ) -> None:
        self._window, self._document, self._canvas = window, document, canvas
        self._session = session

    @property
    def recent(self) -> list[tuple[Path, ...]]:
        """Models opened lately, the latest first."""
        return [] if self._session is None else self._session.recent

    def forget_recent(self) -> None:
        """No recent models."""
        if self._session is not None:
            self._session.clear_recent()

    def remember_model(self) -> None:
        """What is open goes to the top of the recent models, with the target it is planned for."""
        problem = self._document.problem
        if self._session is not None and problem is not None:
            self._session.add_recent(self._document.paths)
            self._session.keep_target(problem.graph, problem.target, problem.objective)

    def set_theme(self, preference: str) -> None:
        """system, light or dark."""
        if self._session is not None:
            self._session.theme = preference

    def set_reduced_motion(self, reduced: bool) -> None:
        """Whether ops jump instead of gliding."""
        if self._session is not None:
            self._session.set_value("reduced motion", "yes" if reduced else "no")

    def restore(self, set_reduced_motion: Callable[[bool], None]) -> bool:
        """Put the window back as it was; returns whether its docks have their sizes now."""
        session, window = self._session, self._window
        if session is None:
            return False
        set_reduced_motion(session.value("reduced motion") == "yes")
        view = session.value("view")
        if view in VIEWS:
            self._canvas.set_view(view)
        if session.geometry.isEmpty() or not window.restoreGeometry(session.geometry):
            return False
        return not session.layout.isEmpty() and window.restoreState(session.layout)

    def store(self) -> None:
        """Keep how the window is now."""
        session, window = self._session, self._window
        if session is not None:
            session.geometry = window.saveGeometry()
            session.layout = window.saveState()
            session.set_value("view", self._canvas.view)
            session.sync()
