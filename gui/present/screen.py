"""What is seen and heard of a story that is presented: the frame of the moment, and what lies over it."""

from __future__ import annotations

import time

from PySide6.QtCore import QRectF, Qt
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
    paint_notes,
    paint_op_card,
    paint_spotlight,
)
from gui.present.pointing import Pointing
from gui.present.show import Show
from gui.present.transition.course import Course
from gui.widgets.later import Later
from planner.problem.problem import Plan
from planner.story.story import Resolved

SETTLE_MS = 140
"""A window that is being resized is laid out anew once it has kept its size for so long."""
SCALES = (0.8, 0.9, 1.0, 1.1, 1.2, 1.35, 1.5)
"""Sizes of letters to choose from."""


class Screen(QWidget):
    """Shows one resolved story at a place of its course. It goes nowhere by itself: the window leads."""

    def __init__(self, resolved: Resolved, reduced_motion: bool, at: int, parent: QWidget | None) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        keyframes = resolved.story.keyframes
        self.resolved, self.theme = resolved, THEMES[resolved.story.theme]
        self.reduced_motion = reduced_motion
        self.blank = ""
        self.notes_shown = self.help_shown = False
        self.typed = ""
        self.elapsed = 0.0
        """Seconds since the talk began."""
        self.course = Course(len(keyframes), lambda i: keyframes[i].transition, at)
        self.course.reduced = reduced_motion
        self.mouse = Pointing()
        self._scale = SCALES.index(1.0)
        self._show: Show | None = None
        self._badge, self._badge_left = "", 0.0
        self._resized = Later(self._lay_out, self, SETTLE_MS)
        self._announce()

    @property
    def show_now(self) -> Show:
        """The story in frames of the window's size."""
        if self._show is None:
            self._show = Show(
                self.resolved, self.theme, (self.width(), self.height()), type_scale=SCALES[self._scale]
            )
            self._show.reduced_motion = self.reduced_motion
        return self._show

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
        if show.size != (self.width(), self.height()):
            painter.fillRect(self.rect(), QColor(self.theme.panel))
            painter.scale(self.width() / wide, self.height() / high)
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
        if self.notes_shown:
            here = self.course.destination
            after = self.resolved.story.keyframes[here + 1 : here + 2]
            following = (after[0].title or "untitled", after[0].caption) if after else ("", "")
            if self.resolved.notes:  # the speaker should know before somebody asks
                following = (following[0], f"{following[1]}\nNote: {self.resolved.notes[0]}")
            minutes, seconds = divmod(int(self.elapsed), 60)
            paint_notes(
                painter, show.places.stage, f"{here + 1} of {self.course.count}", following, f"{minutes}:{seconds:02d}",
                time.strftime("%H:%M"), unit, self.theme,
            )  # fmt: skip
        if self.typed:
            paint_badge(painter, show.places.stage, f"Go to {self.typed}", unit, self.theme)
        elif self._badge_left > 0.0:
            paint_badge(painter, show.places.stage, self._badge, unit, self.theme)
        if self.help_shown:
            paint_help(painter, size, keys.rows(), unit, self.theme)

    def _paint_op(self, painter: QPainter) -> None:
        """The card under the pointer, grown."""
        if not self.course.resting:
            return
        here, show = self.course.at, self.show_now
        plan = show.shots.plan(here)
        op = show.op_at(here, self.mouse.at, self.mouse.lens)
        if op >= 0 and isinstance(plan, Plan):
            card = show.stage.op_rect(here, op, self.mouse.lens)
            paint_op_card(painter, card, QRectF(show.places.stage), plan, op, self.unit, self.theme)

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
