"""The presenter: a story full screen, led by keys, a clicker or the mouse, or playing by itself."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QAccessibleEvent,
    QCloseEvent,
    QColor,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QWidget

from gui.look.theme import THEMES, Theme
from gui.present import keys
from gui.present.panels.overlays import (
    paint_badge,
    paint_help,
    paint_laser,
    paint_notes,
    paint_op_card,
    paint_spotlight,
)
from gui.present.pointing import MODES, Pointing
from gui.present.show import Show
from gui.present.transition.course import Course
from gui.shell.key_claims import WITH_COMMANDS
from gui.widgets.later import Later
from gui.widgets.plain import plain
from planner.problem.problem import Plan
from planner.story.story import Resolved

if TYPE_CHECKING:
    from gui.look.theme import ThemeController

FRAME_MS = 16
SETTLE_MS = 140
"""A window that is being resized is laid out anew once it has kept its size for so long."""
HIDE_AFTER = 2.5
"""Seconds without a movement after which the mouse pointer is hidden."""
BADGE_SECONDS = 1.1
SCALES = (0.8, 0.9, 1.0, 1.1, 1.2, 1.35, 1.5)
"""Sizes of letters to choose from."""
LONGEST_STEP = 0.1
"""A frame that took longer lets no more time pass: the eye has seen nothing of the rest."""


class PresenterWindow(QWidget):
    """Plays one resolved story. ``moved(index)`` when it makes for another keyframe; ``closed`` at the end."""

    moved = Signal(int)
    closed = Signal()

    def __init__(
        self,
        resolved: Resolved,
        themes: ThemeController | None = None,
        reduced_motion: bool = False,
        full_screen: bool = True,
        at: int = 0,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumSize(480, 300)
        story = resolved.story
        self.setWindowTitle(plain(f"{story.title} \N{EN DASH} Stageboard"))
        self.resolved, self.themes = resolved, themes
        self.theme = THEMES[story.theme]
        self.reduced_motion = reduced_motion
        self.playing = False
        self.blank = ""
        self.notes_shown = self.help_shown = False
        self.typed = ""
        self.elapsed = 0.0
        """Seconds since the talk began."""
        self._full_screen, self._scale = full_screen, SCALES.index(1.0)
        self._show: Show | None = None
        keyframes = story.keyframes
        self.course = Course(len(keyframes), lambda i: keyframes[i].transition, at)
        self.course.reduced = reduced_motion
        self._held = 0.0
        self.mouse = Pointing()
        self._badge, self._badge_left = "", 0.0
        self._idle = 0.0
        self._last = time.perf_counter()
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(FRAME_MS)
        self._timer.timeout.connect(self._tick)
        self._slow = QTimer(self)
        self._slow.setInterval(500)
        self._slow.timeout.connect(self._tick)
        self._resized = Later(self._lay_out, self, SETTLE_MS)
        self._announce()

    # ------------------------------------------------------------------ showing
    def begin(self) -> None:
        """Show the window, on the screen of its parent."""
        parent = self.parentWidget()
        if parent is not None:
            self.setScreen(parent.screen())
            self.setGeometry(parent.screen().availableGeometry().adjusted(60, 60, -60, -60))
        else:
            self.resize(1280, 800)
        if self._full_screen:
            self.showFullScreen()
        else:
            self.show()
        self.activateWindow()
        self.setFocus()
        self._last = time.perf_counter()
        self._slow.start()
        self._wake()

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

    # ------------------------------------------------------------------ time
    @property
    def moving(self) -> bool:
        """Whether something on screen changes by itself."""
        return not self.course.resting or self.playing or self._badge_left > 0.0

    def _wake(self) -> None:
        self.update()
        if self.moving and not self._timer.isActive():
            self._last = time.perf_counter()
            self._timer.start()

    def _tick(self) -> None:
        now = time.perf_counter()
        passed, self._last = now - self._last, now
        self.elapsed += passed
        self._idle += passed
        if self._idle > HIDE_AFTER and not self.mouse.mode and not self.help_shown:
            self.setCursor(Qt.CursorShape.BlankCursor)
        if self.moving:
            self.advance(min(passed, LONGEST_STEP))
        elif self._timer.isActive():
            self._timer.stop()
        if self.notes_shown:
            self.update()

    def advance(self, seconds: float) -> None:
        """Let the talk go on for so long."""
        if self._badge_left > 0.0:
            self._badge_left -= seconds
            self.update()
        if not self.course.resting:
            self.course.advance(seconds)
            self.mouse.give_way(self.course.done, self.width(), self.height())
            self.update()
            return
        if not self.playing:
            return
        self._held += seconds
        if self._held >= self.resolved.story.keyframes[self.course.at].hold:
            if self.course.at + 1 < self.course.count:
                self.go(self.course.at + 1)
            else:
                self.playing = False
                self._say_briefly("The end")

    # ------------------------------------------------------------------ going on
    def go(self, index: int) -> None:
        """Make for a keyframe; the numbers of those there are: 0 to count - 1."""
        self.blank = ""
        self._held = 0.0
        if self.course.go(index):
            self.mouse.leave(self.reduced_motion)
            self._announce()
            self.moved.emit(self.course.destination)
        self._wake()

    def forward(self) -> None:
        """The next keyframe."""
        self.go(self.course.destination + 1)

    def back(self) -> None:
        """The one before."""
        self.go(self.course.destination - 1)

    def enter(self) -> None:
        """Go to the number that was typed, else on."""
        if not self.typed:
            self.forward()
            return
        number, self.typed = int(self.typed), ""
        self.go(number - 1)

    def to_start(self) -> None:
        """The first keyframe."""
        self.go(0)

    def to_end(self) -> None:
        """The last keyframe."""
        self.go(self.course.count - 1)

    def toggle_play(self) -> None:
        """Play by itself, from here on, or pause."""
        self.playing = not self.playing
        self._held = 0.0
        if self.playing and self.course.destination == self.course.count - 1 and self.course.resting:
            self.go(0)
        self._say_briefly("Playing" if self.playing else "Paused")

    # ------------------------------------------------------------------ how it looks
    def toggle_black(self) -> None:
        """Nothing to be seen, for when the speaker should be."""
        self._set_blank("#000000")

    def toggle_white(self) -> None:
        """The same where black would be too dark a room."""
        self._set_blank("#ffffff")

    def _set_blank(self, colour: str) -> None:
        self.blank = "" if self.blank == colour else colour
        self.update()

    def next_pointer(self) -> None:
        """Laser pointer, spotlight, none."""
        if self.mouse.next_mode():
            self.setCursor(Qt.CursorShape.BlankCursor)
        else:
            self.unsetCursor()
        self._say_briefly(MODES[self.mouse.mode])

    def toggle_theme(self) -> None:
        """Light or dark, for this talk."""
        self.set_theme(THEMES["light" if self.theme.dark else "dark"])

    def set_theme(self, theme: Theme) -> None:
        """Other colours than the story's own."""
        self.theme = theme
        self._lay_out()

    def toggle_full_screen(self) -> None:
        """Full screen or a window."""
        if self.isFullScreen():
            self.showNormal()
        else:
            self.showFullScreen()

    def larger(self) -> None:
        """Larger letters."""
        self._set_scale(self._scale + 1)

    def smaller(self) -> None:
        """Smaller letters."""
        self._set_scale(self._scale - 1)

    def _set_scale(self, scale: int) -> None:
        self._scale = min(max(scale, 0), len(SCALES) - 1)
        self._lay_out()
        self._say_briefly(f"Letters {round(100 * SCALES[self._scale])} %")

    def reset_view(self) -> None:
        """As the story has it."""
        self.mouse.reset()
        self.update()

    def toggle_notes(self) -> None:
        """What comes next, and the time."""
        self.notes_shown = not self.notes_shown
        self.update()

    def toggle_help(self) -> None:
        """The keys."""
        self.help_shown = not self.help_shown
        if self.help_shown:
            self._say(". ".join(f"{key}: {words}" for key, words in keys.rows()))
        self.update()

    def escape(self) -> None:
        """Close what lies over the story, else end."""
        if self.help_shown or self.typed or self.blank:
            self.help_shown, self.typed, self.blank = False, "", ""
            self.update()
        else:
            self.close()

    def _say_briefly(self, words: str) -> None:
        self._badge, self._badge_left = words, BADGE_SECONDS
        self._say(words)
        self._wake()

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

    # ------------------------------------------------------------------ events
    def resizeEvent(self, event: QResizeEvent) -> None:
        """The frame is stretched at once and laid out anew in a moment."""
        if self._show is not None:
            self._resized.ask()

    def event(self, event: QEvent) -> bool:
        """Its keys are its own, also where they are commands of the window behind it."""
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and not event.modifiers() & WITH_COMMANDS
            and (event.key() in keys.DIGITS or event.key() in keys.BY_KEY)
        ):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """See :mod:`gui.present.keys`."""
        key = event.key()
        if key in keys.DIGITS and not (key == Qt.Key.Key_0 and not self.typed):
            self.typed = (self.typed + chr(key))[-3:]
            self.update()
            return
        command = keys.BY_KEY.get(int(key))
        if command is None:
            super().keyPressEvent(event)
            return
        if self.help_shown and command.run not in ("toggle_help", "escape"):
            self.help_shown = False
        if self.typed and command.run not in ("enter", "escape"):
            self.typed = ""
        getattr(self, command.run)()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A click is known when the button is let go."""
        self.mouse.press(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Drag what is zoomed, or point."""
        self._idle = 0.0
        if not self.mouse.mode:
            self.unsetCursor()
        if self.mouse.move(event):
            self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """A click goes on, one with the right button back."""
        if not self.mouse.release():
            return
        if self.help_shown:
            self.toggle_help()
        elif event.button() == Qt.MouseButton.LeftButton:
            self.forward()
        elif event.button() == Qt.MouseButton.RightButton:
            self.back()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom the stage around the pointer."""
        if self.course.resting and self.mouse.wheel(event, self.show_now.places.stage.top()):
            self.update()
        event.accept()

    def closeEvent(self, event: QCloseEvent) -> None:
        """No timer goes on."""
        for timer in (self._timer, self._slow, self._resized):
            timer.stop()
        self.closed.emit()
        super().closeEvent(event)
