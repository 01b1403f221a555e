"""The presenter: a story full screen, led by keys, a clicker or the mouse, or playing by itself. :mod:`gui.present.screen` paints it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QRect, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QGuiApplication, QKeyEvent, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QWidget

from gui.look.theme import Theme
from gui.present import keys
from gui.present.comparison.shot import ComparisonShot
from gui.present.curtain import Curtain
from gui.present.pointing import MODES
from gui.present.proving import StoryProving
from gui.present.screen import Screen
from gui.present.speaker import SpeakerWindow, seats
from gui.shell.key_claims import claims
from gui.widgets.plain import plain
from planner.story.proving import SECONDS
from planner.story.story import Resolved

if TYPE_CHECKING:
    from gui.look.theme import ThemeController

FRAME_MS = 16
HIDE_AFTER = 2.5
"""Seconds without a movement after which the mouse pointer is hidden."""
BADGE_SECONDS = 1.1
END = "The end"
LONGEST_STEP = 0.1
"""A frame that took longer lets no more time pass: the eye has seen nothing of the rest."""


class PresenterWindow(Screen):
    """Plays one resolved story. ``moved(index)`` when it makes for another keyframe; ``closed`` at the end.

    What the story's file claims is proven again beside it, for at most ``proving`` seconds.
    """

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
        proving: float = SECONDS,
    ) -> None:
        again = StoryProving(resolved, proving)
        super().__init__(again.told, reduced_motion, at, parent)
        again.setParent(self)
        again.changed.connect(self._proven)
        self.proving, self._news = again, False
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumSize(480, 300)
        self.setWindowTitle(plain(f"{resolved.story.title} \N{EN DASH} Stageboard"))
        self.themes = themes
        self.playing = False
        self._full_screen = full_screen
        self.speaker: SpeakerWindow | None = None
        """The speaker's window, while there is one."""
        self.curtain: Curtain | None = None
        """What hides the window that presents from the audience, while both of the talk's are on one screen."""
        self._ending = False
        self._held = 0.0
        self._idle = 0.0
        self._last = time.perf_counter()
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(FRAME_MS)
        self._timer.timeout.connect(self._tick)
        self._slow = QTimer(self)
        self._slow.setInterval(500)
        self._slow.timeout.connect(self._tick)

    # ------------------------------------------------------------------ showing
    def begin(self) -> None:
        """Show the window, on the screen of its parent."""
        self.take_place()
        if self._full_screen:
            self.showFullScreen()
        else:
            self.show()
        self.activateWindow()
        self.setFocus()
        self._last = time.perf_counter()
        self._slow.start()
        self._wake()
        self.proving.begin()

    def _proven(self) -> None:
        """More is proven than is said; a slide that is on its way comes to rest first."""
        self._news = not self.course.resting
        if self._news:
            return
        self.tell(self.proving.told)
        self.changed.emit()

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
        if self.notes_shown and self.alone:
            self.update()

    def advance(self, seconds: float) -> None:
        """Let the talk go on for so long."""
        if self._badge_left > 0.0:
            self._badge_left -= seconds
            self.update()
            if self._badge_left <= 0.0:
                self.changed.emit()
        if not self.course.resting:
            self.course.advance(seconds)
            self.mouse.give_way(self.course.done, self.width(), self.height())
            self.update()
            if self.course.resting:
                if self._news:
                    self._proven()
                self.changed.emit()
            return
        if not self.playing:
            return
        self._held += seconds
        if self._held >= self.resolved.story.keyframes[self.course.at].hold:
            if self.course.at + 1 < self.course.count:
                self.go(self.course.at + 1)
            else:
                self.playing = False
                self._say_briefly(END)

    # ------------------------------------------------------------------ going on
    def go(self, index: int) -> None:
        """Make for a keyframe; the numbers of those there are: 0 to count - 1."""
        self.blank = ""
        self._held = 0.0
        if self.course.go(index):
            self.mouse.leave(self.reduced_motion)
            self._announce()
            self.moved.emit(self.course.destination)
        self.changed.emit()
        self._wake()

    def forward(self) -> None:
        """The next keyframe; at the last, say that it is the end."""
        at_end = self.course.destination == self.course.count - 1 and not self.blank
        self.go(self.course.destination + 1)
        if at_end:
            self._say_briefly(END)

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
        self.changed.emit()
        self.update()

    def next_pointer(self) -> None:
        """Laser pointer, spotlight, none."""
        if self.mouse.next_mode():
            self.setCursor(Qt.CursorShape.BlankCursor)
        else:
            self.unsetCursor()
        self._say_briefly(MODES[self.mouse.mode])

    def set_theme(self, theme: Theme) -> None:
        """Other colours than the story's own."""
        self.theme = theme
        self._lay_out()
        self.changed.emit()

    def letters_changed(self) -> None:
        """Another layout, and how large letters are now."""
        self._lay_out()
        shot, said = (
            self.show_now.shots.shot(self.course.destination),
            f"Letters {round(100 * self.letters)} %",
        )
        if isinstance(shot, ComparisonShot) and self.letters > 1.0 and shot.names_grown <= 1.0:
            said += ", names of ops have no more room"
        self._say_briefly(said)

    def reset_view(self) -> None:
        """As the story has it."""
        self.mouse.reset()
        self.update()

    def toggle_notes(self) -> None:
        """Notes, what comes next and the time, beside the story; with a speaker's window they are there."""
        self.notes_shown = not self.notes_shown
        self._lay_out()

    # ------------------------------------------------------------------ the speaker's window
    def toggle_speaker(self) -> None:
        """Open the speaker's window, or close it."""
        if self.speaker is not None:
            self.speaker.close()
            return
        parent = self.parentWidget()
        screens = QGuiApplication.screens()
        here = screens.index(parent.screen() if parent is not None else QGuiApplication.primaryScreen())
        place, own, other = seats([screen.availableGeometry() for screen in screens], here)
        self.alone = False
        self.speaker = SpeakerWindow(self)
        self.speaker.asked.connect(lambda run: getattr(self, run)())
        self.speaker.closed.connect(self._speaker_closed)
        if not self._full_screen or other < 0:
            self.showNormal()
        elif self.screen() is not screens[other]:
            self.hide()  # a window that fills one screen is not moved to another by all systems
            self.setScreen(screens[other])
        self.setGeometry(own)
        if self._full_screen and other >= 0:
            self.showFullScreen()
        elif self._full_screen and parent is not None:
            self._draw_curtain(parent, screens[here].availableGeometry())
        self._lay_out()
        self.speaker.begin(place, other >= 0)

    def _draw_curtain(self, parent: QWidget, room: QRect) -> None:
        """Hide ``parent`` behind a ground of its own, below the talk's windows."""
        self.curtain = Curtain(self.theme, parent)
        self.curtain.pressed.connect(self._before_curtain)
        self.curtain.draw(room)
        self._before_curtain()

    def _before_curtain(self) -> None:
        self.raise_()
        if self.speaker is not None:
            self.speaker.raise_()

    def _speaker_closed(self) -> None:
        """What only the speaker needs is here again."""
        self.speaker, self.alone = None, True
        if self.curtain is not None:
            self.curtain.close()
            self.curtain = None
        if self._full_screen and not self._ending:
            self.showFullScreen()
            self.activateWindow()
            self.setFocus()
        self._lay_out()

    def toggle_help(self) -> None:
        """The keys."""
        self.help_shown = not self.help_shown
        if self.help_shown:
            self._say(". ".join(f"{key}: {words}" for key, words in keys.rows()))
        self.changed.emit()
        self.update()

    def escape(self) -> None:
        """Close what lies over the story, else end."""
        if self.help_shown or self.typed or self.blank:
            self.help_shown, self.typed, self.blank = False, "", ""
            self.changed.emit()
            self.update()
        else:
            self.close()

    def _say_briefly(self, words: str) -> None:
        self._badge, self._badge_left = words, BADGE_SECONDS
        self._say(words)
        self.changed.emit()
        self._wake()

    # ------------------------------------------------------------------ events
    def event(self, event: QEvent) -> bool:
        """Its keys are its own, also where they are commands of the window behind it."""
        return claims(event, keys.OWN) or super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """See :mod:`gui.present.keys`."""
        key = event.key()
        if key in keys.DIGITS and not (key == Qt.Key.Key_0 and not self.typed):
            self.typed = (self.typed + chr(key))[-3:]
            self.changed.emit()
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
        """No timer goes on, and the speaker's window goes too."""
        self._ending = True
        if self.speaker is not None:
            self.speaker.close()
        self.proving.close()
        for timer in (self._timer, self._slow, self._resized):
            timer.stop()
        self.closed.emit()
        super().closeEvent(event)
