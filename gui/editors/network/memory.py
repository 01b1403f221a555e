"""What a network's window remembers beyond its own life: recent files, its layout, motion. Without a session: nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QMainWindow

from gui.shell.window_place import WindowPlace

if TYPE_CHECKING:
    from gui.document.network.document import OrderDocument
    from gui.shell.session import Session

GEOMETRY, LAYOUT, MOTION = "order window", "order layout", "reduced motion"


class OrderMemory:
    """Between a window and its :class:`gui.shell.session.Session`."""

    def __init__(self, window: QMainWindow, document: OrderDocument, session: Session | None) -> None:
        self._document, self._session = document, session
        self._place = WindowPlace(window, session, GEOMETRY, LAYOUT)

    @property
    def recent(self) -> list[tuple[Path, ...]]:
        """Files opened lately, the latest first."""
        return [] if self._session is None else self._session.recent

    def remember_network(self) -> None:
        """What is open goes to the top of the recent files, with the fast memory it is planned for."""
        document = self._document
        problem = document.problem
        if self._session is None or problem is None:
            return
        # A dense model that was pruned is no network as it lies on the disk.
        if document.density is None:
            self._session.add_recent(document.paths)
        self._session.keep_target(problem.network, problem.target, problem.objective)

    def set_reduced_motion(self, reduced: bool) -> None:
        """Whether there are no flashes."""
        if self._session is not None:
            self._session.set_value(MOTION, "yes" if reduced else "no")

    def restore(self, set_reduced_motion: Callable[[bool], None]) -> bool:
        """Put the window back as it was; returns whether its docks have their sizes now."""
        if self._session is None:
            return False
        if self._session.value(MOTION) == "yes":
            set_reduced_motion(True)
        return self._place.restore()

    @property
    def has_geometry(self) -> bool:
        """Whether the window knows where it was."""
        return self._place.known

    def store(self) -> None:
        """Keep how the window is now."""
        self._place.store()
