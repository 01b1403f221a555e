"""A row that is a button: words at the left, a figure at the right, the whole width to click on."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QEnterEvent, QFocusEvent, QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QStyle, QWidget

from gui.look.theme import Theme, font
from gui.widgets.apart import cut_apart
from gui.widgets.plain import plain, plain_tip


class RowButton(QAbstractButton):
    """One clickable line. ``entered`` and ``left`` tell when the pointer or the focus comes and goes."""

    entered = Signal()
    left = Signal()

    def __init__(self, theme: Theme, text: str = "", value: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.value = value
        self.value_colour = ""
        self.strong = True
        self.faded = False
        self.two_lines = False
        self.mark = ""
        self.below = ""
        """Words on the second line, before the figure; where there is one line only, behind the others."""
        self.beside: tuple[str, ...] = ()
        """What other rows say: words that are cut are told apart from theirs."""
        self.setText(text)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(24)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def set_row(
        self, text: str, value: str = "", value_colour: str = "", mark: str = "", tip: str = ""
    ) -> None:
        """Words, figure, the figure's colour, and a coloured mark before the words (all optional)."""
        text = plain(text)
        self.setText(text)
        self.value, self.value_colour, self.mark = value, value_colour, mark
        self.setAccessibleName(f"{text} {value}".strip())
        self.setToolTip(plain_tip(tip))
        self.update()

    def set_below(self, below: str, beside: tuple[str, ...] = ()) -> None:
        """Words that go below the others where both have no room on a line; ``beside`` is what all rows say."""
        self.below, self.beside = plain(below), tuple(map(plain, beside))
        self.setAccessibleName(" ".join(part for part in (self.text(), self.below, self.value) if part))
        self.update()

    def one_line(self) -> str:
        """All words on one line."""
        return f"{self.text()} {self.below}".strip()

    def fits_one_line(self, width: int) -> bool:
        """Whether words and figure have room beside each other in a row that is ``width`` pixels wide."""
        figure = QFontMetrics(font(9.0, bold=self.strong)).horizontalAdvance(self.value)
        words = self.fontMetrics().horizontalAdvance(self.one_line())
        return words + (figure + 8 if self.value else 0) <= width - 16 - (14 if self.mark else 0)

    def shown_words(self, room: int) -> str:
        """The words as they are painted in ``room`` pixels."""
        return cut_apart(
            self.text() if self.two_lines else self.one_line(), self.beside, self.fontMetrics(), room
        )

    def set_two_lines(self, two: bool) -> None:
        """Give the words a line of their own above the figure."""
        self.two_lines = two
        self.setFixedHeight(40 if two else 24)

    def set_faded(self, faded: bool) -> None:
        """Grey what is about to be replaced; the row keeps its place and the keyboard."""
        self.faded = faded
        self.update()

    def set_theme(self, theme: Theme) -> None:
        """Other colours."""
        self._theme = theme
        self.update()

    def sizeHint(self) -> QSize:
        """As wide as there is room."""
        return QSize(160, 24)

    def enterEvent(self, event: QEnterEvent) -> None:
        """Tell that the pointer came."""
        super().enterEvent(event)
        self.entered.emit()
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        """Tell that it went."""
        super().leaveEvent(event)
        self.left.emit()
        self.update()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """The keyboard counts as a pointer."""
        super().focusInEvent(event)
        if event.reason() in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason):
            self.entered.emit()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """See :meth:`focusInEvent`."""
        super().focusOutEvent(event)
        self.left.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Ground when hovered, ring when focused, words and figure."""
        t = self._theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        inner = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        if self.isEnabled() and (self.underMouse() or self.isDown()):
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(t.selection if self.isDown() else t.hover))
            painter.drawRoundedRect(inner, 4, 4)
        if self.hasFocus():
            painter.setPen(QPen(QColor(t.focus), 1.5))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(inner, 4, 4)
        left, faint = 8, self.faded or not self.isEnabled()
        if self.mark:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(t.faint if faint else self.mark))
            middle = self.height() / (3.6 if self.two_lines else 2)
            painter.drawRoundedRect(QRectF(left, middle - 4, 8, 8), 2, 2)
            left += 14
        right, line = self.width() - 8, self.height() / 2 if self.two_lines else 0.0
        if self.value:
            painter.setFont(font(9.0, bold=self.strong))
            width = painter.fontMetrics().horizontalAdvance(self.value)
            painter.setPen(QColor(t.faint if faint else self.value_colour or t.text))
            painter.drawText(
                QRectF(right - width - 1, line, width + 1, self.height() - line - (3 if line else 0)),
                int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter), self.value,
            )  # fmt: skip
            right -= 0 if line else width + 8
        painter.setFont(self.font())
        painter.setPen(QColor(t.faint if faint else t.text))
        room = QRectF(
            left, 3 if line else 0, max(0, right - left), (line or self.height()) - (3 if line else 0)
        )
        middle = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        painter.drawText(room, middle, self.shown_words(int(room.width())))
        if line and self.below:
            painter.setPen(QColor(t.faint if faint else t.muted))
            painter.drawText(QRectF(left, line, right - left, self.height() - line - 3), middle, self.below)


def paint_row_ground(painter: QPainter, ground: QRectF, state: QStyle.StateFlag, theme: Theme) -> None:
    """What a row of a list lies on where it is selected or hovered, with a line around it where it has the keyboard."""
    if state & QStyle.StateFlag.State_Selected:
        focused = bool(state & QStyle.StateFlag.State_HasFocus)
        painter.setPen(QPen(QColor(theme.focus), 1) if focused else Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.selection))
    elif state & QStyle.StateFlag.State_MouseOver:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.hover))
    else:
        return
    painter.drawRoundedRect(ground, 5, 5)
