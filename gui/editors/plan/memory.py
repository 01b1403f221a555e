"""What a graph's window remembers beyond what every window does: the target of each model, and the view."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from PySide6.QtWidgets import QMainWindow

from gui.canvas.graph.heat.heat import COLOURINGS
from gui.canvas.graph.scene import VIEWS
from gui.shell.remembering import Remembering

if TYPE_CHECKING:
    from gui.document.plan.document import Document
    from gui.shell.session import Session


class Viewed(Protocol):
    """The canvas, which is looked at in one of :data:`gui.canvas.graph.scene.VIEWS`."""

    view: str
    colouring: str

    def set_view(self, view: str) -> None:
        """Show another view."""

    def set_colouring(self, colouring: str) -> None:
        """Colour the cards by something else."""


class GraphMemory(Remembering):
    """Between a graph's window and its session."""

    def __init__(
        self, window: QMainWindow, document: Document, canvas: Viewed, session: Session | None
    ) -> None:
        super().__init__(window, session, "window")
        self._document, self._canvas = document, canvas

    def remember_model(self) -> None:
        """What is open goes to the top of the recent models, with the target it is planned for."""
        problem = self._document.problem
        if self.session is not None and problem is not None:
            self.session.add_recent(self._document.paths)
            self.session.keep_target(problem.graph, problem.target, problem.objective)
            self.remember_plan()

    def remember_plan(self) -> None:
        """See the base class."""
        document = self._document
        if self.session is not None and document.graph is not None and document.plan_path is not None:
            self.session.add_plan(document.plan_path, document.paths, document.graph.fingerprint)

    def restore(self, set_reduced_motion: Callable[[bool], None]) -> bool:
        """Put the window back as it was; returns whether its docks have their sizes now."""
        self.restore_motion(set_reduced_motion)
        if (view := self.kept("view")) in VIEWS:
            self._canvas.set_view(view)
        if (colouring := self.kept("colouring")) in COLOURINGS:
            self._canvas.set_colouring(colouring)
        return self.restore_place()

    def store(self) -> None:
        """Keep how the window is now."""
        self.keep("view", self._canvas.view)
        self.keep("colouring", self._canvas.colouring)
        super().store()
