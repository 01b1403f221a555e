"""What a story asks of the window that it is made in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from gui.look.theme import Theme
    from gui.shell.closing import Closing


class StoryStage(Protocol):
    """What a window does for its story."""

    document: Any
    themes: Any
    actions_set: Any
    reduced_motion: bool
    session: Any
    closed: bool
    closing: Closing
    notice: Any
    docks: Any
    plans: Any
    proving: Any

    @property
    def theme(self) -> Theme: ...

    def say(self, level: str, text: str, detail: str = "") -> None: ...
    def update_actions(self) -> None: ...
    def focus_panel(self, id: str) -> None: ...
