"""The small pictures of a draft's keyframes: each as it is presented in the story as it stands."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize
from PySide6.QtGui import QImage

from gui.look.theme import Theme
from gui.tools.story.draft import Draft
from gui.tools.story.frames import Frame

if TYPE_CHECKING:
    from gui.present.show import Show
    from planner.story.story import Resolved

THUMB = QSize(112, 70)
FRAME = (1280, 800)
"""The frame that they are small pictures of."""


class Thumbnails:
    """Paints keyframes of a draft in a theme."""

    def __init__(self, draft: Draft, theme: Theme) -> None:
        self._draft = draft
        self.theme = theme
        self._show: Show | None = None

    def look(self, frame: Frame) -> Hashable:
        """What a keyframe's picture depends on beside the keyframe: the theme, and the colours that the story gives its devices."""
        resolved = self._draft.resolved()
        shown = resolved.story.keyframes[self._draft.frames.index(frame)].shown
        return self.theme.name, *(resolved.device_numbers.get(number, ()) for number in shown)

    def paint(self, frame: Frame) -> QImage:
        """A keyframe at rest."""
        show = self._shown(self._draft.resolved())
        return show.slide_image(self._draft.frames.index(frame), 2.0 * THUMB.width() / FRAME[0])

    def rest(self) -> None:
        """No picture is wanted for now: what they had in common is let go."""
        self._show = None

    def _shown(self, resolved: Resolved) -> Show:
        from gui.present.show import Show

        # The window may show devices in colours of one keyframe.
        theme = self.theme.numbered(())
        if self._show is None or self._show.resolved is not resolved or self._show.theme != theme:
            self._show = Show(resolved, theme, FRAME)
        return self._show
