"""What is seen and heard of a story that is presented: the frame of the moment, and what lies over it."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QAccessibleEvent,
    QColor,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QWidget

from gui.look.theme import THEMES
from gui.present import keys
from gui.present.panels.overlays import (
    paint_badge,
    paint_help,
    paint_laser,
    paint_no_notes,
    paint_notes,
    paint_op_card,
    paint_spotlight,
)
from gui.present.pointing import Pointing
from gui.present.scenes import HEIGHT, WIDTH
from gui.present.show import Show
from gui.present.speaker_words import speaker_words
from gui.present.transition.course import Course
from gui.widgets.afar import AfarWindow
from gui.widgets.later import Later
from planner.problem.problem import Plan
from planner.story.story import Resolved

SETTLE_MS = 140
"""A window that is being resized is laid out anew once it has kept its size for so long."""
SCALES = (0.8, 0.9, 1.0, 1.1, 1.2, 1.35, 1.5)
"""Sizes of letters to choose from."""
NOTES, MOST_NOTES = 0.34, 460.0
"""Share of the width that notes beside the story take, and pixels of a frame of 1280 x 800 at most."""
BLANKS = {"#000000": "Black screen", "#ffffff": "White screen"}


class Screen(AfarWindow):
    """Shows one resolved story at a place of its course. It goes nowhere by itself: the window leads.

    ``changed`` when what the speaker is told may be another.
    """

    changed = Signal()

    def __init__(self, resolved: Resolved, reduced_motion: bool, at: int, parent: QWidget | None) -> None:
        super().__init__(THEMES[resolved.story.theme], SCALES, parent)
        keyframes = resolved.story.keyframes
        self.resolved = resolved
        self.reduced_motion = reduced_motion
        self.blank = ""
        self.notes_shown = self.help_shown = False
        self.alone = True
        """Whether there is no speaker's window: what only the speaker needs is here then."""
        self.typed = ""
        self.elapsed = 0.0
        """Seconds since the talk began."""
        self.course = Course(len(keyframes), lambda i: keyframes[i].transition, at)
        self.course.reduced = reduced_motion
        self.mouse = Pointing()
        self._show: Show | None = None
        self._badge, self._badge_left = "", 0.0
        self._resized = Later(self._lay_out, self, SETTLE_MS)
        self._announce()

    @property
    def frame_size(self) -> tuple[int, int]:
        """Width and height of the story in this window: all of it but what notes take beside it."""
        wide, high = self.width(), self.height()
        if self.notes_shown and self.alone and self._noted:
            wide -= round(min(NOTES * wide, MOST_NOTES * min(wide / WIDTH, high / HEIGHT)))
        return wide, high

    @property
    def _noted(self) -> bool:
        """Whether there are notes at all: of some keyframes only, the story keeps its size from one to the next."""
        return bool(self.resolved.notes) or any(frame.notes for frame in self.resolved.story.keyframes)

    @property
    def show_now(self) -> Show:
        """The story in frames of :attr:`frame_size`."""
        if self._show is None:
            self._show = Show(self.resolved, self.theme, self.frame_size, type_scale=self.letters)
            self._show.reduced_motion = self.reduced_motion
        return self._show

    def tell(self, resolved: Resolved) -> None:
        """Show the same story with other words, or with more proven of its plans."""
        self.resolved = resolved
        self._lay_out()
        self._announce()

    def _lay_out(self) -> None:
        self._resized.stop()
        self._show = None
        self.update()

    @property
    def unit(self) -> float:
        """A pixel of a frame of 1280 x 800, letters as large as chosen."""
        return self.show_now.letters

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The frame is stretched at once and laid out anew in a moment."""
        if self._show is not None:
            self._resized.ask()

    # ------------------------------------------------------------------ painting
    def paintEvent(self, event: QPaintEvent) -> None:
        """The frame of this moment, and what lies over it."""
        painter = QPainter(self)
        if self.blank:
            painter.fillRect(self.rect(), QColor(self.blank))
            self._paint_over(painter)
            return
        show, course = self.show_now, self.course
        wide, high = show.size
        if show.size != self.frame_size:
            painter.fillRect(self.rect(), QColor(self.theme.panel))
            painter.scale(self.frame_size[0] / wide, self.frame_size[1] / high)
        show.paint_between(painter, course.first, course.second, course.share, self.mouse.lens)
        painter.resetTransform()
        self._paint_over(painter)

    def _paint_over(self, painter: QPainter) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        show, unit, size = self.show_now, self.unit, (self.width(), self.height())
        if not self.blank:
            if self.mouse.mode == "spotlight":
                paint_spotlight(painter, size, self.mouse.at, unit)
            elif self.mouse.mode == "laser":
                self._paint_op(painter)
                paint_laser(painter, self.mouse.at, unit)
        if not self.alone:
            return
        if self.notes_shown:
            words = speaker_words(self.resolved, self.course.destination, self.elapsed)
            left = self.frame_size[0]
            read = min(size[0] / WIDTH, size[1] / HEIGHT) * self.letters
            if self._noted:
                paint_notes(painter, QRectF(left, 0, size[0] - left, size[1]), words, read, self.theme)
            else:
                paint_no_notes(painter, QRectF(0, 0, *size), words, read, self.theme)
        if self.typed:
            paint_badge(painter, show.places.stage, f"Go to {self.typed}", unit, self.theme)
        elif self._badge_left > 0.0:
            paint_badge(painter, show.places.stage, self._badge, unit, self.theme)
        if self.help_shown:
            paint_help(painter, size, keys.rows(), unit, self.theme)

    @property
    def state_words(self) -> str:
        """What a key has done that the story does not show: for the speaker's window."""
        if self.typed:
            return f"Go to {self.typed}"
        return BLANKS.get(self.blank) or (self._badge if self._badge_left > 0.0 else "")

    def point_at(self, at: QPointF) -> None:
        """The pointer is at this place of the window, wherever the mouse is."""
        self.mouse.at = at
        if self.mouse.mode:
            self.update()

    def _paint_op(self, painter: QPainter) -> None:
        """The card under the pointer, grown."""
        if not self.course.resting:
            return
        here, show = self.course.at, self.show_now
        plan = show.shots.plan(here)
        op = show.op_at(here, self.mouse.at, self.mouse.lens)
        if op >= 0 and isinstance(plan, Plan):
            card = show.stage.op_rect(here, op, self.mouse.lens)
            theme, within = show.shots.theme_of(here), QRectF(show.places.stage)
            paint_op_card(painter, card, within, plan, *show.stage.card_of(here, op), self.unit, theme)

    # ------------------------------------------------------------------ assistive technology
    def _announce(self) -> None:
        """What is on screen, as the window's name and description, and as an announcement."""
        show = self._show or Show(self.resolved, self.theme, (320, 200))
        name, description = show.words(self.course.destination)
        self.setAccessibleName(name)
        self.setAccessibleDescription(f"{description} Press F1 for the keys.")
        if QAccessible.isActive():
            for what in (QAccessible.Event.NameChanged, QAccessible.Event.DescriptionChanged):
                QAccessible.updateAccessibility(QAccessibleEvent(self, what))
        self._say(f"{name}. {description}")

    def _say(self, words: str) -> None:
        if QAccessible.isActive():
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, words))
