"""Showing keyframes: in a window that has their model open, and from one that does not in the tab that has it, else in a new one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from gui.shell.host import open_editors, reveal
from gui.shell.kinds import windows_of
from gui.tools.story.frames import ElsewhereError, Frame
from gui.tools.story.shots import Shots
from gui.widgets.labels import capital
from planner.errors import StageboardError
from planner.problem.problem import Plan

if TYPE_CHECKING:
    from gui.tools.story.story_stage import StoryStage


class Revisiting:
    """Brings keyframes back to a window, those of other windows' stories, too."""

    def __init__(
        self,
        window: StoryStage,
        shots: Shots,
        revisit: Callable[[Frame, tuple[int, ...]], None],
        say: Callable[[str, str], None],
    ) -> None:
        """``revisit`` does it, or raises :class:`ElsewhereError`; ``say`` tells level and text."""
        self._window, self._shots, self._revisit, self._say = window, shots, revisit, say

    def has_open(self, frame: Frame) -> bool:
        """Whether the model of a keyframe is open in the window."""
        if self._window.document.problem is None:
            return False
        return self._shots.shown().source.model.fingerprint == frame.shown.source.model.fingerprint

    def show(self, frame: Frame, numbers: Sequence[int]) -> None:
        """Show a keyframe in the window; where its model is not open there, to open it is offered. ``numbers`` are those that the plan's
        devices have in the story."""
        try:
            self._revisit(frame, tuple(numbers))
        except ElsewhereError as error:
            self._say("error", str(error))
            show = partial(show_in_a_tab, frame, numbers, self._window)
            self._window.notice.show_message("error", capital(str(error)), action="Open", run=show)
        except StageboardError as error:
            self._say("error", str(error))


def show_in_a_tab(frame: Frame, numbers: Sequence[int], asking: Any) -> None:
    """Show a keyframe in the first tab that has its model open, else open the model, as the story read it, in a tab beside ``asking``.

    ``numbers`` are those that the plan's devices have in the story.
    """
    editor: Any = next((one for one in open_editors() if _has_open(one, frame)), None)
    if editor is not None:
        reveal(editor)
    else:
        if isinstance(frame.shown.plan, Plan):
            editor = asking.files.open_start_page()
        else:
            orders = windows_of("network")
            editor = orders.open_order_window(asking.themes, asking.session, beside=asking)
        if frame.keyframe.view == "comparison":
            editor.studio.revisiting.show(frame, numbers)  # opens the model, of which the comparison is then
    editor.studio.revisiting.show(frame, numbers)


def _has_open(editor: Any, frame: Frame) -> bool:
    """Whether an editor plans the model of a keyframe; a comparison speaks through the story of another window."""
    studio = getattr(editor, "studio", None)
    return studio is not None and studio.parent() is editor and studio.revisiting.has_open(frame)
