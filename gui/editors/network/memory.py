"""What a network's window remembers beyond what every window does: the fast memory of each network."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QMainWindow

from gui.shell.remembering import Remembering

if TYPE_CHECKING:
    from gui.document.network.document import OrderDocument
    from gui.shell.session import Session


class NetworkMemory(Remembering):
    """Between a network's window and its session."""

    def __init__(self, window: QMainWindow, document: OrderDocument, session: Session | None) -> None:
        super().__init__(window, session, "network")
        self._document = document

    def remember_network(self) -> None:
        """What is open goes to the top of the recent files, with the fast memory it is planned for."""
        document = self._document
        problem = document.problem
        if self.session is None or problem is None:
            return
        # A dense model that was pruned is no network as it lies on the disk.
        if document.density is None:
            self.session.add_recent(document.paths)
        self.session.keep_target(problem.network, problem.target, problem.objective)
        self.remember_plan()

    def remember_plan(self) -> None:
        """See the base class."""
        document = self._document
        problem = document.problem
        if (
            self.session is not None
            and problem is not None
            and document.plan_path is not None
            and document.density is None
        ):
            self.session.add_plan(document.plan_path, document.paths, problem.network.fingerprint)

    def restore(self, set_reduced_motion: Callable[[bool], None]) -> bool:
        """Put the window back as it was; returns whether its docks have their sizes now."""
        self.restore_motion(set_reduced_motion)
        return self.restore_place()
