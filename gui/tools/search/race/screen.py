"""A race on the whole screen, for those at the back of the room. It shows the race of the panel and starts or stops it; it plans nothing."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QCloseEvent,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QToolButton, QWidget

from gui.look.theme import Theme
from gui.shell.key_claims import WITH_COMMANDS, claims
from gui.tools.search.race.facts import BoardFacts, board_facts
from gui.tools.search.race.racing import Racing
from gui.tools.search.race.stage import field_of, gap_to, paint_race, unit_of
from gui.tools.search.race.words import over_at_once, sentences
from gui.widgets.afar import AfarWindow
from gui.widgets.plain import plain

FRAME_MS = 16
SCALES = (0.85, 1.0, 1.15)
NEAR = 0.18
"""What a row covers of the way to its place in a frame."""
KEYS: dict[int, str] = {
    Qt.Key.Key_Space: "start_or_stop", Qt.Key.Key_T: "toggle_theme", Qt.Key.Key_F: "toggle_full_screen",
    Qt.Key.Key_F11: "toggle_full_screen", Qt.Key.Key_Plus: "larger", Qt.Key.Key_Equal: "larger", Qt.Key.Key_Minus: "smaller",
    Qt.Key.Key_N: "race_from_nothing", Qt.Key.Key_Escape: "close",
}  # fmt: skip


class RaceScreen(AfarWindow):
    """The race of ``racing`` in large type. ``start_or_stop`` is what the panel's button does, ``from_nothing`` what its offer does. ``closed`` at the end."""

    closed = Signal()

    def __init__(
        self, racing: Racing, theme: Theme, start_or_stop: Callable[[], None], from_nothing: Callable[[], object], reduced: bool,
        parent: QWidget | None = None,
    ) -> None:  # fmt: skip
        super().__init__(theme, SCALES, parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumSize(480, 300)
        self.setWindowTitle(plain("Race \N{EN DASH} Stageboard"))
        self.reduced = reduced
        self.start_or_stop, self._from_nothing = start_or_stop, from_nothing
        self._racing = racing
        self._facts: BoardFacts | None = None
        self._tops: dict[int, float] = {}
        self._said = ""
        self._frames = QTimer(self, interval=FRAME_MS)
        self._frames.timeout.connect(self._step)
        racing.changed.connect(self.refresh)
        self.refresh()

    def begin(self) -> None:
        """Show it on the screen of its parent."""
        self.take_place()
        self.showFullScreen()
        self.activateWindow()
        self.setFocus()

    # ------------------------------------------------------------------ contents
    @property
    def unit(self) -> float:
        """A pixel of a frame of 1280 x 800, letters as large as chosen."""
        return unit_of((self.width(), self.height()), self.letters)

    @property
    def hint(self) -> str:
        """What the keys do."""
        course = self._racing.course
        anew = "N: race from nothing    " if course is not None and over_at_once(course) else ""
        return f"Space: {'stop' if self._racing.running else 'start'}    {anew}T: light or dark    + \N{MINUS SIGN}: letters    F: full screen    Esc: back"

    def refresh(self) -> None:
        """Follow the race."""
        course = self._racing.course
        self._facts = None if course is None else board_facts(course)
        self._tell()
        if not self.reduced and self._facts is not None and self.isVisible():
            self._frames.start()
        else:
            self._tops.clear()
        self.update()

    def _step(self) -> None:
        """Rows come nearer to their places."""
        facts = self._facts
        if facts is None:
            self._frames.stop()
            return
        field = field_of((self.width(), self.height()), len(facts.rows), self.unit)
        moving = False
        for place, row in enumerate(facts.rows):
            goal = field.y(place)
            now = self._tops.get(row.index, goal)
            now += NEAR * (goal - now)
            moving = moving or abs(goal - now) > 0.5
            self._tops[row.index] = goal if abs(goal - now) <= 0.5 else now
        if not moving:
            self._frames.stop()
        self.update()

    def _tell(self) -> None:
        """What is seen, for those who listen; who leads is announced."""
        course, facts = self._racing.course, self._facts
        if course is None or facts is None:
            self.setAccessibleName("Race: none yet")
            self.setAccessibleDescription(self.hint)
            return
        said = sentences(course)
        rows = "; ".join(
            ", ".join(
                part
                for part in (
                    row.title,
                    f"{row.number} {facts.column.suffix}".strip(),
                    gap_to(row, facts),
                    row.state,
                )
                if part
            )
            for row in facts.rows
        )
        self.setAccessibleName(f"Race: {said}")
        self.setAccessibleDescription(f"{rows}. {self.hint}")
        if said != self._said and QAccessible.isActive():
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, said))
        self._said = said

    def paintEvent(self, event: QPaintEvent) -> None:
        """All of it."""
        painter = QPainter(self)
        size = (self.width(), self.height())
        paint_race(
            painter, size, self._racing.course, self._facts, self.theme, self.unit, self._tops, self.hint
        )

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Rows are at their places at once."""
        super().resizeEvent(event)
        self._tops.clear()

    # ------------------------------------------------------------------ keys
    def race_from_nothing(self) -> None:
        """Race without the plan that was all that was asked for, where that is offered."""
        course = self._racing.course
        if course is not None and over_at_once(course):
            self._from_nothing()

    def letters_changed(self) -> None:
        """Rows have other places."""
        self._tops.clear()
        self.update()

    def event(self, event: QEvent) -> bool:
        """Its keys are its own, also where they are commands of the window behind it."""
        return claims(event, KEYS) or super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """See :data:`KEYS`; with Ctrl none of them but F11, which takes away what it showed."""
        run = KEYS.get(event.key())
        if event.modifiers() & WITH_COMMANDS:
            run = "close" if event.key() == Qt.Key.Key_F11 else None
        if run is None:
            super().keyPressEvent(event)
            return
        getattr(self, run)()

    def closeEvent(self, event: QCloseEvent) -> None:
        """The race goes on; nothing of this does."""
        self._frames.stop()
        self._racing.changed.disconnect(self.refresh)
        self.closed.emit()
        super().closeEvent(event)


class LargeRace(QToolButton):
    """The button that shows the race on the whole screen, and takes that away."""

    def __init__(
        self, racing: Racing, theme: Theme, start_or_stop: Callable[[], None], from_nothing: Callable[[], object], parent: QWidget
    ) -> None:  # fmt: skip
        super().__init__(parent)
        self._racing, self._theme, self._start_or_stop = racing, theme, start_or_stop
        self._from_nothing = from_nothing
        self.reduced = False
        """Whether rows jump to their places."""
        self.screen_now: RaceScreen | None = None
        """The race on the whole screen, while it is there."""
        self.setText("Large")
        self.setToolTip("The race on the whole screen, to be read from afar (Ctrl+F11)")
        self.setAccessibleName("Race on the whole screen")
        self.clicked.connect(lambda _=False: self.toggle())

    def toggle(self) -> None:
        """Show it, or take it away."""
        if self.screen_now is not None:
            self.screen_now.close()
            return
        self.screen_now = RaceScreen(
            self._racing, self._theme, self._start_or_stop, self._from_nothing, self.reduced, self.window()
        )
        self.screen_now.closed.connect(self._closed)
        self.screen_now.begin()

    def _closed(self) -> None:
        self.screen_now = None

    def close_screen(self) -> None:
        """The window goes."""
        if self.screen_now is not None:
            self.screen_now.close()

    def set_theme(self, theme: Theme) -> None:
        """Other colours."""
        self._theme = theme
        if self.screen_now is not None:
            self.screen_now.set_theme(theme)
