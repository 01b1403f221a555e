"""The panel in which a story is made: record or capture, put in order, say what is seen, present."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QMenu,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gui.look.numbers import plural
from gui.look.theme import Theme, font
from gui.panels.base import Panel
from gui.tools.story.draft import UNTITLED, Draft
from gui.tools.story.editor import FrameEditor
from gui.tools.story.frames_list import FramesList
from gui.tools.story.recorder import Recorder
from gui.widgets.labels import ElidedLabel, set_role
from gui.widgets.offering import offer
from planner.story.keyframe import LONGEST_TITLE

if TYPE_CHECKING:
    from gui.document.plan.document import Document

NOTHING_YET = (
    "Record what you do, or capture what the canvas shows as a keyframe. Keyframes with their words make a story to"
    " present and to export."
)


ROOMY = 720
"""Pixels of height from which the list has room for some keyframes whatever the words take."""


class StoryPanel(Panel):
    """Keyframes as a list of pictures, and what is said about the one that is chosen."""

    id: ClassVar[str] = "story"
    title: ClassVar[str] = "Story"

    present_requested = Signal()
    save_requested = Signal()
    menu_requested = Signal(object)
    """Fill this menu (QMenu) with what else can be done with the story."""
    show_requested = Signal(int)
    """Show this keyframe on the canvas."""
    failed = Signal(str)

    def __init__(
        self,
        document: Document,
        draft: Draft,
        recorder: Recorder,
        theme: Theme,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(document, theme, parent)
        self.draft, self.recorder = draft, recorder
        self._showed: tuple[int, int] | None = None
        """What :meth:`_at` was when a keyframe had been put on the canvas."""
        self.name = QLineEdit(self)
        self.name.setMaxLength(LONGEST_TITLE)
        self.name.setPlaceholderText(UNTITLED)
        self.name.setAccessibleName("Title of the story")
        self.length = ElidedLabel("", self)
        self.length.setFont(font(8.0))
        set_role(self.length, "muted")
        self.record = self._button(
            "Record", "Record what you do: whenever the canvas comes to rest, it is a keyframe"
        )
        self.record.setCheckable(True)
        self.capture = self._button("Capture", "What the canvas shows now becomes a keyframe (Ctrl+Shift+K)")
        self.play = self._button(
            "Present",
            "Present the story on the whole screen, from the chosen keyframe (Shift+F5; F5: from the first)",
        )
        self.play.setObjectName("primary")
        self.more = QToolButton(self)
        self.more.setText("⋯")
        self.more.setToolTip("Open, save, export")
        self.more.setAccessibleName("More about the story")
        self.more.setStyleSheet("QToolButton::menu-indicator { image: none; }")
        self.more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(self.more)
        menu.aboutToShow.connect(lambda: self.menu_requested.emit(menu))
        self.more.setMenu(menu)
        self.empty = QLabel(NOTHING_YET, self)
        self.empty.setWordWrap(True)
        self.empty.setContentsMargins(10, 8, 10, 8)
        set_role(self.empty, "muted")
        self.list = FramesList(draft, theme, self)
        self.editor = FrameEditor(draft, self)
        buttons = QHBoxLayout()
        buttons.setContentsMargins(8, 4, 8, 4)
        buttons.setSpacing(6)
        for button in (self.record, self.capture, self.play):
            buttons.addWidget(button, 1)
        buttons.addWidget(self.more)
        head = QVBoxLayout()
        head.setContentsMargins(8, 6, 8, 0)
        head.setSpacing(2)
        head.addWidget(self.name)
        head.addWidget(self.length)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 4)
        column.setSpacing(0)
        column.addLayout(head)
        column.addLayout(buttons)
        column.addWidget(self.empty)
        column.addWidget(self.list, 1)
        column.addWidget(self.editor)
        self._spring = QWidget(self)
        column.addWidget(self._spring, 1)
        self.record.toggled.connect(self._record)
        self.capture.clicked.connect(lambda _=False: self._try(recorder.capture))
        self.play.clicked.connect(lambda _=False: self.present_requested.emit())
        self.name.textEdited.connect(draft.set_title)
        self.list.shown.connect(self._show)
        recorder.recording_changed.connect(self._recording_changed)
        recorder.failed.connect(self.failed)
        for signal in (draft.frames_changed, draft.modified_changed, document.model_changed):
            signal.connect(self.request_refresh)
        self.installEventFilter(self)
        for field in (self.list, self.name, self.editor.title, self.editor.caption, self.editor.notes):
            field.installEventFilter(self)

    def _button(self, text: str, tip: str) -> QPushButton:
        button = QPushButton(text, self)
        button.setToolTip(tip)
        button.setStyleSheet("padding-left: 4px; padding-right: 4px;")
        return button

    # ------------------------------------------------------------------ contents
    @property
    def waiting(self) -> bool:
        """Whether a refresh or a picture is on its way."""
        return super().waiting or self.list.frames.busy

    def set_theme(self, theme: Theme) -> None:
        """Other colours."""
        super().set_theme(theme)
        self.list.set_theme(theme)

    def refresh(self) -> None:
        """Follow the draft."""
        draft = self.draft
        there = bool(draft.frames)
        is_open = self.document.problem is not None
        shown = "" if draft.state.title == UNTITLED else draft.state.title
        if self.name.text() != shown and not self.name.hasFocus():
            self.name.setText(shown)
        self.list.setVisible(there)
        self.editor.setVisible(there)
        self.empty.setVisible(not there)
        self._spring.setVisible(not there)
        closed = "" if is_open else "open a model first"
        offer(self.record, "" if self.recorder.recording else closed)
        offer(self.capture, closed)
        offer(self.play, "" if there else "the story has no keyframe yet")
        seconds = round(draft.duration)
        long = f"{seconds // 60} min {seconds % 60} s" if seconds >= 60 else f"{seconds} s"
        where = "" if draft.path is None else f" · {draft.path.name}"
        unsaved = " · not saved" if there and draft.modified else ""
        self.length.setText(f"{plural(len(draft.frames), 'keyframe')}, {long}{where}{unsaved}")

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Where the panel is low, words leave the list more room."""
        self.editor.set_low(event.size().height() < ROOMY)
        super().resizeEvent(event)

    # ------------------------------------------------------------------ acting
    def _try(self, run: object) -> None:
        from planner.errors import StageboardError

        try:
            run()  # type: ignore[operator]
        except StageboardError as error:
            self.failed.emit(str(error))

    def _show(self, index: int) -> None:
        """Ask for a keyframe to be shown where it came from; a step of the plan's that this takes is the next to be undone."""
        before = self._at()
        self.show_requested.emit(index)
        self._showed = self._at() if self._at() != before else self._showed

    def _at(self) -> tuple[int, int]:
        """How many steps of the story and of the plan are done."""
        return self.draft.undo_stack.index(), self.document.undo_stack.index()

    def _record(self, on: bool) -> None:
        if on != self.recorder.recording:
            self._try(self.recorder.start if on else self.recorder.stop)
        self._recording_changed(self.recorder.recording)

    def _recording_changed(self, recording: bool) -> None:
        self.record.setChecked(recording)
        self.record.setText("● Stop" if recording else "Record")
        self.record.setAccessibleName("Stop recording" if recording else "Record")

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Undo and redo are the story's own while the keyboard is in this panel, but for a keyframe that was put on the canvas last."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            if event.matches(QKeySequence.StandardKey.Undo) or event.matches(QKeySequence.StandardKey.Redo):
                event.accept()
                return True
        elif event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            if event.matches(QKeySequence.StandardKey.Undo):
                (self.document if self._at() == self._showed else self.draft).undo_stack.undo()
                return True
            if event.matches(QKeySequence.StandardKey.Redo):
                before = None if self._showed is None else (self._showed[0], self._showed[1] - 1)
                (self.document if self._at() == before else self.draft).undo_stack.redo()
                return True
        return super().eventFilter(watched, event)
