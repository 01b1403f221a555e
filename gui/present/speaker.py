"""The speaker's window: this slide, the next, notes and time, while the audience sees the story alone.

It leads nothing itself: keys, clicks and the pointer go to the window that presents.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QCoreApplication, QEvent, QPointF, QRect, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QCloseEvent,
    QColor,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from gui.look.theme import THEMES, Theme
from gui.present import keys
from gui.present.captions import letters
from gui.present.panels.overlays import paint_help
from gui.present.scenes import WIDTH
from gui.present.screen import Screen
from gui.present.show import Show
from gui.present.speaker_words import SpeakerWords, speaker_words
from gui.shell.key_claims import claims
from gui.widgets.labels import ElidedLabel, set_role
from gui.widgets.plain import plain

TICK_MS = 500
"""The clock is looked at so often."""
BUTTONS = (
    ("back", "Back", "the keyframe before (Left)"), ("forward", "Next", "the next keyframe (Right)"),
    ("toggle_play", "Play", "play by itself, or pause (P)"), ("toggle_black", "Black", "black screen, or the story again (B)"),
    ("next_pointer", "Pointer", "laser pointer, spotlight, none (L); point at the slide here"),
    ("toggle_help", "Keys", "all keys (?)"), ("escape", "End", "end the talk (Esc)"),
)  # fmt: skip
NO_NOTES = "No notes here. Write them in the Story panel."
NOW, NEXT, GAP = 8, 5, 16
"""Shares of the width that this slide and the next have, and pixels between and around them."""
LEAST_WIDE, LEAST_HIGH = 560, 420
"""Pixels without which the window cannot be read."""
SHARE = 0.42
"""What the speaker's window has of the width of a single screen."""
SQUAREST = 4 / 3
"""How wide an audience's window beside it is at least, for its height: slides are wide, and small on a high page."""


def seats(rooms: Sequence[QRect], here: int) -> tuple[QRect, QRect, int]:
    """Where the speaker's window and the audience's go, and the screen that the audience has of its own (-1: none).

    ``rooms`` are the screens, ``here`` the one at which the speaker sits. On one screen they stand side by side, the audience's no higher than :data:`SQUAREST`.
    """
    room = rooms[here]
    other = next((i for i in range(len(rooms)) if i != here), -1)
    if other >= 0:
        return room, rooms[other], other
    left = max(LEAST_WIDE, round(SHARE * room.width()))
    wide = room.width() - left
    audience = QRect(room.left() + left, room.top(), wide, min(room.height(), round(wide / SQUAREST)))
    return QRect(room.left(), room.top(), left, room.height()), audience, -1


class SlideView(QWidget):
    """A keyframe at rest, as large as it fits, at the top; what a slide leaves free is ground."""

    def __init__(self, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setMinimumSize(160, 100)
        self._key: tuple[object, ...] = ()
        self._image = QImage()
        self._show: Show | None = None
        self._blank = ""
        self._frame = ""

    @property
    def place(self) -> QRectF:
        """Where the slide is in this widget; empty where there is none."""
        if self._show is None:
            return QRectF()
        wide, high = self._show.size
        scale = min(self.width() / wide, self.height() / high)
        size = (wide * scale, high * scale)
        return QRectF((self.width() - size[0]) / 2, 0.0, *size)

    def show_slide(self, show: Show | None, index: int, lens: object, blank: str, theme: Theme) -> None:
        """Show keyframe ``index``, through a lens if there is one; None is no slide, ``blank`` the colour that hides it."""
        self._show, self._blank, self._frame = show, blank, theme.border
        pixels = self.devicePixelRatioF()
        size = (self.place.size() * pixels).toSize()
        key = (show, index, size, lens)
        if key != self._key:
            self._key = key
            self._image = QImage()
            if show is not None:
                # Painted as a large window has it and then made small: small letters would be left out.
                ratio = max(pixels, max(size.width(), WIDTH) / show.size[0])
                image = show.slide_image(index, ratio, lens)  # type: ignore[arg-type]
                exact, smooth = (
                    Qt.AspectRatioMode.IgnoreAspectRatio,
                    Qt.TransformationMode.SmoothTransformation,
                )
                self._image = image.scaled(size, exact, smooth)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """The slide with a thin frame."""
        if self._image.isNull():
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.drawImage(self.place, self._image)
        if self._blank:
            veil = QColor(self._blank)
            veil.setAlphaF(0.7)
            painter.fillRect(self.place, veil)
        painter.setPen(QPen(QColor(self._frame), 1.0))
        painter.drawRect(self.place.adjusted(0.5, 0.5, -0.5, -0.5))


class _Help(QWidget):
    """The keys, over all of the speaker's window."""

    def __init__(self, parent: SpeakerWindow) -> None:
        super().__init__(parent)
        self._speaker = parent
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def paintEvent(self, event: QPaintEvent) -> None:
        """As over the story."""
        size = (self.width(), self.height())
        painter = QPainter(self)
        paint_help(painter, size, keys.rows(), 1.0, self._speaker.theme)


class SpeakerWindow(QWidget):
    """Follows ``audience``. ``asked(name)``: a command of :mod:`gui.present.keys`, by a button or a click; ``closed`` at the end."""

    asked = Signal(str)
    closed = Signal()

    def __init__(self, audience: Screen) -> None:
        super().__init__(audience.parentWidget(), Qt.WindowType.Window)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumSize(LEAST_WIDE, LEAST_HIGH)
        self.setWindowTitle(plain(f"Speaker: {audience.resolved.story.title} \N{EN DASH} Stageboard"))
        self._audience = audience
        self._words: SpeakerWords | None = None
        self._pictured = -1
        """The keyframe that the slides are of, which stay on the way to another; -1 before the first."""
        self.elapsed, self.clock, self.place, self.state = (ElidedLabel("", self) for _ in range(4))
        self.title, self.following = ElidedLabel("", self), ElidedLabel("", self)
        self.caption = QLabel(self)
        self.caption.setWordWrap(True)
        self.caption.setTextFormat(Qt.TextFormat.PlainText)
        self.caption.setAlignment(Qt.AlignmentFlag.AlignTop)
        for label in (self.clock, self.caption):
            set_role(label, "muted")
        self.now, self.next = SlideView("This slide", self), SlideView("The next slide", self)
        self.notes = QPlainTextEdit(self)
        self.notes.setReadOnly(True)
        self.notes.setPlaceholderText(NO_NOTES)
        self.notes.setAccessibleName("Speaker notes")
        self.notes.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the arrows are those of the talk
        self.now.setMouseTracking(True)
        self.now.installEventFilter(self)
        self._slides = QWidget(self)
        self._lay_out()
        self._help = _Help(self)
        self._timer = QTimer(self)
        self._timer.setInterval(TICK_MS)
        self._timer.timeout.connect(self.refresh)
        audience.changed.connect(self.refresh)
        self.refresh()

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(24)
        for label in (self.elapsed, self.clock, self.place):
            head.addWidget(label)
        head.addWidget(self.state, 1)
        foot = QHBoxLayout()
        foot.setSpacing(6)
        for run, text, tip in BUTTONS:
            button = QPushButton(text, self)
            button.setToolTip(tip)
            button.setFocusPolicy(
                Qt.FocusPolicy.NoFocus
            )  # Space is the next keyframe, whatever was clicked last
            button.clicked.connect(lambda _=False, run=run: self.asked.emit(run))
            foot.addWidget(button, 1)
        beside = QVBoxLayout()
        beside.addWidget(self.following)
        beside.addWidget(self.next, 3)
        beside.addWidget(self.caption, 2)
        slides = QHBoxLayout(self._slides)
        slides.setContentsMargins(0, 0, 0, 0)
        slides.setSpacing(GAP)
        slides.addWidget(self.now, NOW)
        slides.addLayout(beside, NEXT)
        column = QVBoxLayout(self)
        column.setContentsMargins(GAP, 12, GAP, GAP)
        column.setSpacing(10)
        column.addLayout(head)
        column.addWidget(self._slides, 11)
        column.addWidget(self.title)
        column.addWidget(self.notes, 7)
        column.addLayout(foot)

    # ------------------------------------------------------------------ showing
    @property
    def theme(self) -> Theme:
        """That of the program; of a talk without one, the story's."""
        themes = getattr(self._audience, "themes", None)
        return THEMES[self._audience.resolved.story.theme] if themes is None else themes.theme

    def begin(self, place: QRect, maximised: bool) -> None:
        """Show the window at ``place``."""
        self.setGeometry(place)
        if maximised:
            self.showMaximized()
        else:
            self.show()
        self.activateWindow()
        self.setFocus()
        self._timer.start()

    def refresh(self) -> None:
        """Follow the talk."""
        audience = self._audience
        at = audience.course.destination
        if audience.course.resting:
            self._pictured = at
        words = speaker_words(audience.resolved, at, audience.elapsed, self._pictured)
        if words != self._words:
            self._tell(words)
        self.state.setText(audience.state_words)
        self._help.setVisible(audience.help_shown)
        if not audience.course.resting:  # a slide is not painted while the audience sees something move
            return
        show = audience.show_now
        last = at + 1 == audience.course.count
        self.now.show_slide(show, at, audience.mouse.lens, audience.blank, self.theme)
        self.next.show_slide(None if last else show, at + 1, None, "", self.theme)

    def _tell(self, words: SpeakerWords) -> None:
        before, self._words = self._words, words
        for label, text in (
            (self.elapsed, words.elapsed), (self.clock, words.clock), (self.place, words.place), (self.title, words.title),
            (self.following, words.following),
        ):  # fmt: skip
            label.setText(text)
        self.elapsed.setAccessibleName(f"Time since the start: {words.elapsed}")
        self.clock.setAccessibleName(f"Time of day: {words.clock}")
        if before is not None and replace(before, elapsed=words.elapsed, clock=words.clock) == words:
            return
        self.caption.setText(plain(words.following_caption))
        self.notes.setPlainText(words.notes)
        self.setAccessibleName(f"Speaker: {words.place}: {words.title}")
        said = words.notes or "No notes."
        self.setAccessibleDescription(f"{said} {words.following}. Press F1 for the keys.")

    # ------------------------------------------------------------------ events
    def event(self, event: QEvent) -> bool:
        """The keys of a talk are its own here too."""
        return claims(event, keys.OWN) or super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Shift with an arrow scrolls the notes; all others are those of the talk."""
        bar = self.notes.verticalScrollBar()
        steps = {Qt.Key.Key_Down: bar.singleStep(), Qt.Key.Key_Up: -bar.singleStep()}
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier and event.key() in steps:
            bar.setValue(bar.value() + steps[Qt.Key(event.key())])
            return
        QCoreApplication.sendEvent(self._audience, event)

    def eventFilter(self, watched: object, event: QEvent) -> bool:
        """The mouse over this slide is the mouse over the story."""
        kind = event.type()
        if isinstance(event, QMouseEvent) and kind == QEvent.Type.MouseMove:
            self._audience.point_at(self._in_story(event.position()))
        elif isinstance(event, QMouseEvent) and kind == QEvent.Type.MouseButtonRelease:
            runs = {Qt.MouseButton.LeftButton: "forward", Qt.MouseButton.RightButton: "back"}
            if event.button() in runs:
                self.asked.emit(runs[event.button()])
        elif isinstance(event, QWheelEvent) and self.now.place.contains(event.position()):
            at = self._in_story(event.position())
            moved = QWheelEvent(
                at, event.globalPosition(), event.pixelDelta(), event.angleDelta(), event.buttons(), event.modifiers(),
                event.phase(), event.inverted(),
            )  # fmt: skip
            QCoreApplication.sendEvent(self._audience, moved)
            self.refresh()
        return False

    def _in_story(self, at: QPointF) -> QPointF:
        """A place of the slide here as one of the audience's window."""
        place = self.now.place
        if place.isEmpty():
            return at
        scale = self._audience.width() / place.width()
        return (at - place.topLeft()) * scale

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Letters that can be read from where one stands."""
        super().resizeEvent(event)
        unit = min(max(min(self.width() / 1280, self.height() / 800), 0.7), 2.0)
        for label, pixels, bold in (
            (self.elapsed, 30, True), (self.clock, 22, False), (self.place, 22, True), (self.state, 18, True),
            (self.title, 22, True), (self.following, 18, True), (self.caption, 16, False), (self.notes, 22, False),
        ):  # fmt: skip
            label.setFont(letters(pixels * unit, bold))
        # Notes have what the slides cannot use.
        wide = (self.width() - 3 * GAP) * NOW / (NOW + NEXT)
        self._slides.setMaximumHeight(
            round(wide * self._audience.height() / max(1, self._audience.width())) + 2
        )
        self._help.setGeometry(self.rect())
        self._help.raise_()
        self.refresh()

    def closeEvent(self, event: QCloseEvent) -> None:
        """No timer goes on."""
        self._timer.stop()
        self._audience.changed.disconnect(self.refresh)
        self.closed.emit()
        super().closeEvent(event)
