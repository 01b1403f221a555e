"""What comparisons of plans and of orders have in common: they go with the window whose plans are compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from PySide6.QtCore import SignalInstance
from PySide6.QtGui import QShowEvent

from gui.document.values import Message
from gui.look.theme import ThemeController
from gui.shell.session import Session
from gui.shell.window import EditorWindow
from gui.widgets.later import soon


class ComparisonWindow(EditorWindow):
    """Its document is that of the window whose plans are compared; editors call :meth:`follow` once they are equipped."""

    manual = ("In a comparison", "The canvases")

    def __init__(self, name: str, themes: ThemeController, session: Session | None) -> None:
        super().__init__(name, themes, session)
        self.coming = False
        """Whether it is about to be shown."""
        self._placed = False
        self._open_model: Callable[[], object] | None = None

    def opening(self) -> Iterator[None]:
        """What there is to do before it is shown: up to each ``yield`` in a turn of the event loop of its own."""
        yield from ()

    def follow(self) -> None:
        """Say what the document says, and follow its steps."""
        self.document.message.connect(self._show_message)
        self.document.decision_changed.connect(self.notice.plan_changed)
        self.document.undo_stack.indexChanged.connect(self.update_soon)
        self.update_soon()

    def stay_with(self, ended: SignalInstance, open_model: Callable[[], object]) -> None:
        """Close when the window of the plans has ``ended``; ``open_model`` asks there for models to open."""
        self._open_model = open_model
        ended.connect(self.close)

    def open_beside(self) -> None:
        """Ask for models to open in the window whose plans are compared."""
        if self._open_model is not None:
            self._open_model()

    def focus_canvas(self) -> None:
        """Give what is compared the keyboard."""
        raise NotImplementedError

    def _show_message(self, message: Message) -> None:
        """What the document has to say is said where the person is."""
        if self.isVisible() and self.isActiveWindow():
            self.say(message.level, message.text, message.detail)

    def showEvent(self, event: QShowEvent) -> None:
        """The first time without a remembered layout: panels where they suit the window."""
        super().showEvent(event)
        if not self._placed:
            self._placed = True
            self.docks.arrange()
            soon(self, self.reset_docks)
        self.focus_canvas()
