"""One figure of the readout strip."""

from __future__ import annotations

from functools import cached_property

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from gui.look.theme import Theme, font
from gui.widgets.accessible import Contents, Role
from gui.widgets.briefer import briefer
from gui.widgets.labels import ElidedLabel

LEAST_VALUE = 1000
"""Pixels of a value that are kept where there is little room, all there may be: a figure is never cut, the words around it are."""

WHOLE_LABEL, WHOLE_NOTE = 180, 130
"""Pixels up to which the shortest way to say the lines around a value is never cut."""


class Readout(QWidget):
    """A small label, a big value, and a line that explains it. Clickable when something is behind it."""

    clicked = Signal()

    def __init__(
        self, theme: Theme, label: str, margin: int = 0, parent: QWidget | None = None, whole: bool = False
    ) -> None:
        """``whole``: the line that explains the value is short, and never cut either."""
        super().__init__(parent)
        self.whole = whole
        self._theme = theme
        self._widest = 0
        self._held = False
        self._mark = ""
        self._label, self._value, self._note = (
            ElidedLabel(label, self),
            ElidedLabel("", self, least=LEAST_VALUE),
            ElidedLabel("", self, least=LEAST_VALUE) if whole else ElidedLabel("", self),
        )
        self._label.setFont(font(8.0))
        self._value.setFont(font(14.0, weight=QFont.Weight.Bold))
        self._note.setFont(font(8.0))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(margin, 5, 0, 5)
        layout.setSpacing(0)
        self._foot = QHBoxLayout()
        self._foot.setSpacing(0)
        self._foot.addWidget(self._note)
        for part in (self._label, self._value):
            layout.addWidget(part)
        layout.addLayout(self._foot)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        self.setAccessibleName(label)
        self.set_theme(theme)

    @cached_property
    def told(self) -> Contents:
        """A button where something is behind it, else words."""
        if self.focusPolicy() == Qt.FocusPolicy.NoFocus:
            return Contents(self, Role.StaticText)
        return Contents(self, Role.Button, act=self.clicked.emit)

    def sizeHint(self) -> QSize:
        """As wide as it has been for this graph, so that figures that change do not push one another about; what passes does not count."""
        hint = super().sizeHint()
        if self._held:
            return QSize(self._widest or hint.width(), hint.height())
        self._widest = max(self._widest, hint.width())
        return QSize(self._widest, hint.height())

    def lay_out(self) -> None:
        """Give all three lines the room that they take now, before anything is painted."""
        layout = self.layout()
        assert layout is not None
        layout.activate()

    def keep_whole(self, kept: bool) -> None:
        """Whether the lines around the value say something shorter rather than be cut; else they may be cut, which takes less room."""
        self._label.set_whole(WHOLE_LABEL if kept else 0)
        if not self.whole:
            self._note.set_whole(WHOLE_NOTE if kept else 0)

    def forms(self) -> list[int]:
        """The widths in which no line is cut, the widest first: in that all say all of it, in each of the others one line more says
        something shorter."""
        link = self._foot.sizeHint().width() - self._note.sizeHint().width()
        label, note = self._label.widths(), [wide + link for wide in self._note.widths()]
        least = max(min(label), min(note), *self._value.widths())
        layout = self.layout()
        assert layout is not None
        margins = layout.contentsMargins()
        beside = margins.left() + margins.right()
        return sorted({max(wide, least) + beside for wide in (*label, *note)}, reverse=True)

    def hold_width(self, held: bool) -> None:
        """Whether what is shown passes: it says something shorter rather than ask for more room than there was before."""
        if held != self._held:
            if held:
                self.sizeHint()
            self._held = held
            self.updateGeometry()

    def forget_width(self) -> None:
        """Another graph: widths start over."""
        self._widest = 0
        self.updateGeometry()

    def set_theme(self, theme: Theme) -> None:
        """Other colours."""
        self._theme = theme
        self._label.set_colour(theme.muted)
        self._note.set_colour(theme.muted)

    def make_button(self, tip: str) -> None:
        """The keyboard and the mouse may activate it."""
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setToolTip(tip)

    def add_link(self, text: str, tip: str) -> QPushButton:
        """A word behind the note that leads somewhere; whoever adds it listens to it."""
        link = QPushButton(text, self)
        link.setObjectName("link")
        link.setFont(font(8.0))
        link.setToolTip(tip)
        link.setStyleSheet("QPushButton#link { padding: 0 3px; }")
        # What is left is a part of its own behind the link that asks for no more (a stretch would make the whole figure grow), and neither
        # the word nor the note, which an alignment from side to side would free to, takes a share of it.
        link.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._note.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self._foot.addWidget(link)
        self._foot.addWidget(QWidget(self))
        return link

    def set_mark(self, colour: str) -> None:
        """A bar at the left, beside the figure that matters most now; empty for none."""
        if colour != self._mark:
            self._mark = colour
            self.update()

    def set_strong(self, strong: bool) -> None:
        """Whether the value is written in bold."""
        shown = QFont(self._value.font())
        shown.setWeight(QFont.Weight.Bold if strong else QFont.Weight.Normal)
        self._value.setFont(shown)

    def show_value(
        self,
        label: str,
        value: str,
        note: str,
        colour: str = "",
        note_colour: str = "",
        tip: str = "",
        shorter: tuple[str, ...] = (),
    ) -> None:
        """Show all three lines; a colour is ``#rrggbb`` or empty. ``tip`` is shown wherever the pointer rests.

        ``shorter``: ever shorter notes for little room, where :func:`briefer` does not know them.
        """
        self._label.set_texts(label, *briefer(label))
        self._value.setText(value)
        self._value.set_colour(colour or self._theme.text)
        self._note.set_texts(note, *(shorter or briefer(note)))
        self._note.set_colour(note_colour or self._theme.muted)
        for part in (self._label, self._value, self._note):
            part.set_tip(tip)
        self.setAccessibleDescription(tip)
        self.setAccessibleName(f"{label}: {value}. {note}" if note else f"{label}: {value}")

    @property
    def value(self) -> str:
        """The big value."""
        return self._value.text()

    @property
    def note(self) -> str:
        """The small line below it."""
        return self._note.text()

    @property
    def label(self) -> str:
        """The small line above it."""
        return self._label.text()

    def paintEvent(self, event: QPaintEvent) -> None:
        """The mark, in the margin at the left."""
        super().paintEvent(event)
        if self._mark:
            painter = QPainter(self)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(self._mark))
            painter.drawRoundedRect(QRectF(0, 9, 3, self.height() - 18), 1.5, 1.5)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """A click."""
        super().mouseReleaseEvent(event)
        if self.rect().contains(event.position().toPoint()):
            self.clicked.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Return and space click."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.clicked.emit()
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        """Show the focus by underlining the value."""
        if event.type() in (QEvent.Type.FocusIn, QEvent.Type.FocusOut):
            shown = QFont(self._value.font())
            shown.setUnderline(event.type() == QEvent.Type.FocusIn)
            self._value.setFont(shown)
        return super().event(event)
