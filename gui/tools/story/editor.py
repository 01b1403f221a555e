"""The words and the timing of the keyframe that is edited."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from math import ceil
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import (
    QComboBox,
    QGridLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QWidget,
)

from gui.tools.story.draft import Draft
from gui.tools.story.frames import Shown
from gui.tools.story.looks import LOOKS
from gui.tools.story.ordering import ELSEWHERE
from gui.widgets.drop_down import DropDown
from gui.widgets.labels import set_role
from gui.widgets.number_boxes import NumberBox
from planner.errors import StoryError
from planner.machines.two_level_memory.problem import OrderPlan
from planner.story.comparing import LOOKS as COMPARED
from planner.story.keyframe import (
    LAYOUTS,
    LONGEST_CAPTION,
    LONGEST_HOLD,
    LONGEST_NOTES,
    LONGEST_TITLE,
    LONGEST_TRANSITION,
    MACHINES_OWN,
    WITHOUT_ORDERS,
    Keyframe,
)
from planner.story.telling import title

if TYPE_CHECKING:
    from collections.abc import Iterator

VIEWS = (
    ("flow", "Flow"), ("lanes", "Lanes"), ("stages", "Stages"), ("package", "Package"), ("certificate", "Certificate"),
)  # fmt: skip
NETWORK_VIEWS = (("network", "Network"), ("certificate", "Certificate"))
PANELS = (
    ("", "No panel"), ("costs", "Costs"), ("convergence", "Convergence"), ("schedule", "Schedule"), ("memory", "Memory"),
    ("difference", "What changed"), ("package", "Package"),
)  # fmt: skip
COMPARISONS = (
    ("side-by-side", "Side by Side"), ("overlay", "Overlaid"), ("sankey", "Flows of Ops"), ("schedules", "Schedules Compared"),
)  # fmt: skip
"""Views that compare the plan with another one."""


def view_title(keyframe: Keyframe) -> str:
    """What the view of a keyframe is called."""
    return dict((*VIEWS, *NETWORK_VIEWS, *COMPARISONS))[keyframe.comparison or keyframe.view]


def _view_told(keyframe: Keyframe) -> str:
    """The title that a keyframe has by itself where it is about its view; empty where the view has none."""
    return COMPARED.get(keyframe.comparison, "") if keyframe.comparison else LOOKS.get(keyframe.view, "")


def suits(entry: tuple[str, str], own: tuple[str, ...]) -> bool:
    """Whether a view or a panel is for a machine whose own pictures (:attr:`planner.problem.target.Target.own_views`) are ``own``."""
    return entry[0] not in MACHINES_OWN or entry[0] in own


class FrameEditor(QWidget):
    """Title, caption, view, panel, seconds and the speaker's notes. Every change is an undo step of the draft; typing in a field is one."""

    def __init__(self, draft: Draft, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._draft = draft
        self._filling = False
        self.title = QLineEdit(self)
        self.title.setMaxLength(LONGEST_TITLE)
        self.title.setPlaceholderText("Title")
        self.title.setAccessibleName("Title of the keyframe")
        self.caption = self._words("What is said here", "Caption of the keyframe")
        self.notes = self._words("Speaker notes: never on the slide", "Speaker notes of the keyframe")
        self.set_low(False)
        self.view, self.panel = DropDown(self), DropDown(self)
        self.view.setAccessibleName("What the keyframe shows")
        self.panel.setAccessibleName("Panel beside the graph")
        self.hold = self._seconds("Seconds for which it is held", 0.1, LONGEST_HOLD)
        self.transition = self._seconds("Seconds of the transition towards it", 0.0, LONGEST_TRANSITION)
        grid = QGridLayout(self)
        grid.setContentsMargins(8, 4, 8, 4)
        grid.setHorizontalSpacing(6)
        grid.setVerticalSpacing(4)
        grid.addWidget(self.title, 0, 0, 1, 4)
        self.elsewhere = QLabel(f"{ELSEWHERE.capitalize()} of keyframes: see whether it is still true", self)
        self.elsewhere.setWordWrap(True)
        set_role(self.elsewhere, "bad")
        grid.addWidget(self.caption, 1, 0, 1, 4)
        grid.addWidget(self.elsewhere, 2, 0, 1, 4)
        grid.addWidget(self.view, 3, 0, 1, 2)
        grid.addWidget(self.panel, 3, 2, 1, 2)
        for column, (text, field) in enumerate((("held", self.hold), ("moves in", self.transition))):
            label = QLabel(text, self)
            label.setBuddy(field)
            set_role(label, "muted")
            grid.addWidget(label, 4, 2 * column)
            grid.addWidget(field, 4, 2 * column + 1)
        grid.addWidget(self.notes, 5, 0, 1, 4)
        grid.setColumnStretch(1, 1)
        grid.setColumnStretch(3, 1)
        self.title.textEdited.connect(lambda text: self._edit("Change a title", title=text))
        self.caption.textChanged.connect(
            partial(self._words_changed, self.caption, "caption", LONGEST_CAPTION, "Change a caption")
        )
        self.notes.textChanged.connect(
            partial(self._words_changed, self.notes, "notes", LONGEST_NOTES, "Change speaker notes")
        )
        self.view.activated.connect(lambda _: self._edit_view(self.view.currentData()))
        self.panel.activated.connect(lambda _: self._edit_panel(self.panel.currentData()))
        self.hold.valueChanged.connect(lambda value: self._edit("Change how long it is held", hold=value))
        self.transition.valueChanged.connect(
            lambda value: self._edit("Change a transition", transition=value)
        )
        draft.frames_changed.connect(self.show_frame)
        draft.current_changed.connect(self.show_frame)
        self.show_frame()

    def set_low(self, low: bool) -> None:
        """Whether there is little room: the caption has two lines in sight as the notes have, else three; more scroll."""
        for field, lines in ((self.caption, 2 if low else 3), (self.notes, 2)):
            field.ensurePolished()  # letters and padding are those of the style sheet
            around = field.height() - field.viewport().height() + 2 * field.document().documentMargin() + 1
            field.setFixedHeight(ceil(lines * QFontMetricsF(field.font()).lineSpacing() + around))

    def _words(self, hint: str, name: str) -> QPlainTextEdit:
        field = QPlainTextEdit(self)
        field.document().setDocumentMargin(2.0)
        field.setPlaceholderText(hint)
        field.setAccessibleName(name)
        field.setTabChangesFocus(True)
        field.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)  # it would lie on a line
        # Lines break anew beside a scroll bar that appears, and the cursor would be below what is in sight.
        field.verticalScrollBar().rangeChanged.connect(field.ensureCursorVisible)
        return field

    def _seconds(self, name: str, least: float, most: float) -> NumberBox:
        field = NumberBox(self)
        field.setRange(least, most)
        field.setDecimals(1)
        field.setSingleStep(0.5)
        field.setSuffix(" s")
        field.setAccessibleName(name)
        field.setToolTip(name)
        field.setKeyboardTracking(False)
        return field

    @contextmanager
    def _filled(self) -> Iterator[None]:
        self._filling = True
        try:
            yield
        finally:
            self._filling = False

    def show_frame(self) -> None:
        """Show what the keyframe holds; the cursor stays where someone types."""
        frame = self._draft.frame
        self.setEnabled(frame is not None)
        self.elsewhere.setVisible(frame is not None and frame.told_for is not None)
        with self._filled():
            if frame is None:
                self.title.clear()
                self.caption.clear()
                self.notes.clear()
                return
            keyframe = frame.keyframe
            if self.title.text() != keyframe.title:
                self.title.setText(keyframe.title)
            if self.caption.toPlainText() != keyframe.caption:
                self.caption.setPlainText(keyframe.caption)
            if self.notes.toPlainText() != keyframe.notes:
                self.notes.setPlainText(keyframe.notes)
            network = isinstance(frame.shown.plan, OrderPlan)
            own = frame.shown.plan.problem.target.own_views
            earlier = self._earlier() is not None or frame.versus is not None
            shown = tuple(entry for entry in VIEWS if suits(entry, own))
            views = NETWORK_VIEWS if network else (*shown, *COMPARISONS) if earlier else shown
            self._fill(self.view, views, keyframe.comparison or keyframe.view)
            panels = [
                entry
                for entry in PANELS
                if not (network and entry[0] in WITHOUT_ORDERS)
                and suits(entry, own)
                and (entry[0] != "difference" or earlier)
            ]
            self._fill(self.panel, panels, keyframe.panel)
            self.hold.setValue(keyframe.hold)
            self.transition.setValue(keyframe.transition)

    @staticmethod
    def _fill(box: QComboBox, entries: object, chosen: str) -> None:
        box.clear()
        for value, text in entries:  # type: ignore[attr-defined]
            box.addItem(text, value)
        box.setCurrentIndex(max(0, box.findData(chosen)))

    def _earlier(self) -> Shown | None:
        """The nearest plan before this keyframe that is another one of the same model."""
        frame, draft = self._draft.frame, self._draft
        if frame is None:
            return None
        for before in reversed(draft.frames[: draft.current]):
            same = before.shown.source.model.fingerprint == frame.shown.source.model.fingerprint
            if same and before.shown is not frame.shown:
                return before.shown
        return None

    def _edit_view(self, view: str) -> None:
        """A view of the plan alone, or one that compares it: with the plan that it is compared with already, else the one before."""
        frame = self._draft.frame
        if frame is None or self._filling:
            return
        if view not in dict(COMPARISONS):
            alone = replace(frame.keyframe, view=view, comparison="", beside=(), letters="")
            changed = replace(frame, keyframe=alone, beside=())
        else:
            versus = frame.versus or self._earlier()
            several = frame.beside if view in ("side-by-side", "schedules") else ()
            layout = frame.keyframe.view if frame.keyframe.view in LAYOUTS else frame.keyframe.layout
            letters = frame.keyframe.letters[: 2 + len(several)]
            compared = replace(
                frame.keyframe, view="comparison", letters=letters, comparison=view, layout=layout, versus=0, beside=(0,) * len(several), at=None
            )  # fmt: skip
            changed = replace(frame, keyframe=compared, versus=versus, beside=several)
        told = _view_told(frame.keyframe)
        if told and frame.keyframe.title == told:
            fresh = _view_told(changed.keyframe) or title(frame.shown.plan)
            changed = replace(changed, keyframe=replace(changed.keyframe, title=fresh[:LONGEST_TITLE]))
        self._draft.change(self._draft.current, changed, "Change a view")

    def _edit_panel(self, panel: str) -> None:
        frame = self._draft.frame
        if frame is None or self._filling:
            return
        versus = frame.versus or self._earlier() if panel == "difference" else frame.versus
        keyframe = replace(frame.keyframe, panel=panel, versus=-1 if versus is None else 0)
        self._draft.change(
            self._draft.current, replace(frame, keyframe=keyframe, versus=versus), "Change a panel"
        )

    def _words_changed(self, field: QPlainTextEdit, name: str, longest: int, what: str) -> None:
        text = field.toPlainText()
        if len(text) > longest:
            # Pasting more than fits keeps what fits.
            with self._filled():
                field.setPlainText(text[:longest])
                field.moveCursor(field.textCursor().MoveOperation.End)
        self._edit(what, **{name: text[:longest]})

    def _edit(self, what: str, **fields: object) -> None:
        if self._filling or self._draft.frame is None:
            return
        try:
            self._draft.edit(what, **fields)
        except StoryError:
            self.show_frame()
