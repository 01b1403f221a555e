"""The race at a glance: the best plan of all, what is proven about it, and how far that is on its way to what was asked."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from gui.look.numbers import gap_text, seconds_text
from gui.look.theme import Theme, font
from gui.tools.search.race.course import Course
from gui.tools.search.race.words import digits_to_goal, goal_text, goal_words, headline, towards
from gui.widgets.labels import ElidedLabel


class GapBar(QWidget):
    """A thin bar that is full when the gap asked for is reached."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._share, self._done = theme, 0.0, False
        self.setFixedHeight(5)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_share(self, share: float, done: bool, theme: Theme) -> None:
        """Show another state."""
        if (share, done, theme) != (self._share, self._done, self._theme):
            self._share, self._done, self._theme = share, done, theme
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Track and bar."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        full = QRectF(self.rect())
        painter.setBrush(QColor(self._theme.track))
        painter.drawRoundedRect(full, 2.5, 2.5)
        if self._share > 0:
            painter.setBrush(QColor(self._theme.good if self._done else self._theme.accent))
            painter.drawRoundedRect(
                QRectF(0, 0, max(5.0, full.width() * self._share), full.height()), 2.5, 2.5
            )


class Headline(QWidget):
    """Two lines and a bar."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.value = ElidedLabel("", self)
        self.value.setFont(font(14.0, weight=QFont.Weight.Bold))
        self.clock = ElidedLabel("", self)
        self.clock.setFont(font(9.0))
        self.clock.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.proven = ElidedLabel("", self)
        self.proven.setFont(font(9.0))
        self.goal = ElidedLabel("", self)
        self.goal.setFont(font(8.0))
        self.goal.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.bar = GapBar(theme, self)
        self.bar.setAccessibleName("Way to the gap asked for")
        first, second = QHBoxLayout(), QHBoxLayout()
        for line, left, right in ((first, self.value, self.clock), (second, self.proven, self.goal)):
            line.setSpacing(8)
            line.addWidget(left, 1)
            line.addWidget(right)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addLayout(first)
        column.addWidget(self.bar)
        column.addLayout(second)

    def show_course(self, course: Course, theme: Theme) -> None:
        """Read the race anew."""
        self._theme = theme
        value, proven = headline(course)
        done = course.gap is not None and course.gap <= (course.goal.gap or 0.0)
        self.value.setText(value)
        self.value.set_colour(theme.text if course.components is not None else theme.muted)
        self.proven.setText(proven)
        self.proven.set_colour(theme.good if course.gap == 0.0 else theme.text)
        limit = course.goal.time_limit
        clock = seconds_text(course.seconds)
        self.clock.setText(f"{clock} of {limit:g} s" if limit and course.alive else clock)
        self.clock.set_colour(theme.muted)
        self.goal.setText(goal_text(course))
        self.goal.set_colour(theme.muted)
        self.goal.set_tip(goal_words(course))
        share = towards(course.gap, course.goal.gap)
        self.bar.show_share(share, done, theme)
        self.bar.setToolTip(f"{100 * share:.0f} % of the way {goal_words(course).split(',')[0]}")
        self.setAccessibleName(
            f"Race: best {value}, {proven}" if course.components is not None else "Race: no plan yet"
        )
        self.setAccessibleDescription(
            f"gap {gap_text(course.gap, digits_to_goal(course))}, {self.goal.text()}, {self.clock.text()}"
        )
