"""What the compare window remembers beyond what every window does: the view, and whether plans stand side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gui.editors.comparison.canvases.columns import MODES
from gui.editors.comparison.state import VIEWS
from gui.shell.remembering import Remembering

if TYPE_CHECKING:
    from gui.editors.comparison.body import CompareBody
    from gui.shell.session import Session

VIEW, MODE = "compare view", "compare mode"


class CompareMemory(Remembering):
    """Between a compare window and its session."""

    def __init__(self, window: CompareBody, session: Session | None) -> None:
        super().__init__(window, session, "comparison")
        self._compare = window

    def restore(self) -> bool:
        """Put the window back as it was; returns whether its panels have their places now."""
        if (view := self.kept(VIEW)) in VIEWS:
            self._compare.state.set_view(view)
        if (mode := self.kept(MODE)) in MODES:
            self._compare.columns.set_mode(mode)
        return self.restore_place()

    def store(self) -> None:
        """Keep how the window is now."""
        self.keep(VIEW, self._compare.state.view)
        self.keep(MODE, self._compare.columns.mode)
        super().store()
