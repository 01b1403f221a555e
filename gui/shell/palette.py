"""The command palette, and the same little window for choosing a device or an op: type, see, press Return."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QFocusEvent, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QLineEdit,
    QListView,
    QMenu,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import isValid

from gui.document.find.fuzzy import ANYWHERE, STANDS, STARTS, closeness, score
from gui.look.theme import Theme, font
from gui.widgets.plain import plain_tip

Index = QModelIndex | QPersistentModelIndex
CHOICE = int(Qt.ItemDataRole.UserRole)
MOST = 100
WIDTH = 640


@dataclass(frozen=True)
class Choice:
    """One line: ``text`` at the left (what is searched), ``detail`` at the right, ``run`` when it is chosen."""

    text: str
    run: Callable[[], None]
    detail: str = ""
    enabled: bool = True
    mark: str = ""
    """A colour to show before the text."""
    tone: str = ""
    """Colour of the detail."""
    note: str = ""
    """A second, small line."""
    key: str = ""
    """A single key that chooses it at once while nothing is typed."""
    by_end: bool = False
    """Whether its end tells it apart: that is what is left where there is no room for all of it."""
    advised: bool = True
    """Whether it may be the one that Return chooses before anyone has looked."""
    hides: bool = False
    """Whether it hides what its words name: it comes after what goes there."""
    also: str = ""
    """Further words by which it is found, after those whose text holds what was typed."""

    def match(self, query: str) -> tuple[int, float] | None:
        """How close it is to what was typed, and how well it matches; None where it does not."""
        value = score(query, self.text)
        if closeness(query, self.text) < STARTS and closeness(query, self.also) >= STANDS:
            return STARTS, score(query, self.also) or 0.0
        return None if value is None else (closeness(query, self.text), value)


Source = Callable[[str], Iterable[Choice]]
"""Further choices for what was typed (op names, for example)."""


def ranked(choices: Sequence[Choice], query: str) -> list[Choice]:
    """Those that match, the closest first, what hides after what is as close, what cannot be chosen last; equal ones keep their order."""
    if not query.strip():
        return list(choices)
    found = [(*match, i) for i, choice in enumerate(choices) if (match := choice.match(query)) is not None]
    found.sort(key=lambda one: (not choices[one[2]].enabled, -one[0], choices[one[2]].hides, -one[1], one[2]))
    return [choices[i] for _, _, i in found]


def sifted(choices: Sequence[Choice], query: str) -> list[Choice]:
    """Without those that only have the letters somewhere, where others have the words or their beginnings."""
    close = [(choice.match(query) or (0,))[0] for choice in choices]
    if max(close, default=0) <= ANYWHERE:
        return list(choices)
    return [choice for choice, near in zip(choices, close, strict=True) if near != ANYWHERE]


class _Choices(QAbstractListModel):
    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.shown: list[Choice] = []

    def set_choices(self, choices: list[Choice]) -> None:
        self.beginResetModel()
        self.shown = choices
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.shown)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= len(self.shown):
            return None
        choice = self.shown[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return choice.text
        if role == CHOICE:
            return choice
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            told = ", ".join(part for part in (choice.text, choice.detail, choice.note) if part)
            return plain_tip(told) if role == Qt.ItemDataRole.ToolTipRole else told
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        if index.isValid() and not self.shown[index.row()].enabled:
            return Qt.ItemFlag.NoItemFlags
        return super().flags(index)


class _Delegate(QStyledItemDelegate):
    def __init__(self, theme: Theme, parent: QObject) -> None:
        super().__init__(parent)
        self.theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        choice: Choice = index.data(CHOICE)
        return QSize(200, 42 if choice.note else 28)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        choice: Choice = index.data(CHOICE)
        t = self.theme
        rect: QRect = option.rect  # type: ignore[attr-defined]
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if option.state & QStyle.StateFlag.State_Selected:  # type: ignore[attr-defined]
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(t.selection))
            painter.drawRoundedRect(QRectF(rect).adjusted(4, 1, -4, -1), 5, 5)
        left, right = rect.left() + 14, rect.right() - 13
        top, height = rect.top(), 28
        if choice.mark:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(choice.mark if choice.enabled else t.card_border))
            painter.drawRoundedRect(QRectF(left, top + 9, 10, 10), 2, 2)
            left += 18
        if choice.key:
            painter.setFont(font(8.0))
            painter.setPen(QColor(t.muted))
            painter.drawText(QRect(left, top, 14, height), int(Qt.AlignmentFlag.AlignVCenter), choice.key)
            left += 18
        painter.setFont(font(9.5))
        wanted = painter.fontMetrics().horizontalAdvance(choice.text)
        painter.setFont(font(8.5))
        metrics = painter.fontMetrics()
        # The words go before the detail, of which a third is left.
        free = max(right - left - 14 - wanted, (right - left) // 3)
        detail = metrics.elidedText(choice.detail, Qt.TextElideMode.ElideRight, free)
        used = metrics.horizontalAdvance(detail)
        painter.setPen(QColor(choice.tone or t.muted))
        painter.drawText(
            QRect(right - used, top, used + 1, height), int(Qt.AlignmentFlag.AlignVCenter), detail
        )
        painter.setFont(font(9.5))
        painter.setPen(QColor(t.text if choice.enabled else t.faint))
        room = right - used - 12 - left
        cut = Qt.TextElideMode.ElideLeft if choice.by_end else Qt.TextElideMode.ElideRight
        words = painter.fontMetrics().elidedText(choice.text, cut, room)
        painter.drawText(QRect(left, top, room, height), int(Qt.AlignmentFlag.AlignVCenter), words)
        if choice.note:
            painter.setFont(font(8.0))
            painter.setPen(QColor(t.muted))
            note = painter.fontMetrics().elidedText(choice.note, Qt.TextElideMode.ElideRight, right - left)
            painter.drawText(
                QRect(left, top + 23, right - left, 15), int(Qt.AlignmentFlag.AlignVCenter), note
            )
        painter.restore()


class Palette(QFrame):
    """Lies over the top of its window. Escape, or losing the keyboard, closes it."""

    closed = Signal()

    def __init__(self, window: QWidget, theme: Theme) -> None:
        super().__init__(window)
        self.setObjectName("palette")
        self.setAccessibleName("Command palette")
        self._choices: Sequence[Choice] = ()
        self._source: Source | None = None
        self._before: QWidget | None = None
        self._passing = False
        self.line = QLineEdit(self)
        self.line.setAccessibleName("Type to choose")
        self.line.setFont(font(11.0))
        self.line.textChanged.connect(self._filter)
        self.line.installEventFilter(self)
        self.model = _Choices(self)
        self.list = QListView(self)
        self.list.setModel(self.model)
        self.list.setAccessibleName("Choices")
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setMouseTracking(True)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.clicked.connect(self._run)
        self._delegate = _Delegate(theme, self)
        self.list.setItemDelegate(self._delegate)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(10, 10, 10, 8)
        layout.setSpacing(6)
        layout.addWidget(self.line)
        layout.addWidget(self.list)
        self.hide()

    def set_theme(self, theme: Theme) -> None:
        """Other colours."""
        self._delegate.theme = theme

    # ------------------------------------------------------------------ opening and closing
    def ask(
        self,
        prompt: str,
        choices: Sequence[Choice],
        source: Source | None = None,
        text: str = "",
        passing: bool = False,
    ) -> None:
        """Offer ``choices`` (and what ``source`` adds to what is typed). ``passing``: they go with model and machine."""
        window = self.parentWidget()
        assert window is not None
        focus = window.focusWidget()
        if self.isHidden():
            self._before = focus if focus is not self.line else None
        self._choices, self._source, self._passing = choices, source, passing
        self.line.setPlaceholderText(prompt)
        self.line.blockSignals(True)
        self.line.setText(text)
        self.line.blockSignals(False)
        self._filter(text)
        self.show()
        self.raise_()
        self.line.setFocus(Qt.FocusReason.PopupFocusReason)

    def dismiss(self) -> None:
        """Close and give the keyboard back."""
        if self.isHidden():
            return
        before, self._before = self._before, None
        # First, or Qt passes the keyboard on to whatever comes next, which selects its text.
        if before is not None and isValid(before) and before.isVisible():  # it may be gone since
            before.setFocus(Qt.FocusReason.PopupFocusReason)
        self.hide()
        self.closed.emit()

    def problem_changed(self) -> None:
        """Another model or machine: choices about the one before, here or in an open menu, can be made no more."""
        if self._passing:
            self.dismiss()
        elif self.isVisible():
            self._filter(self.line.text())
        menu = QApplication.activePopupWidget()
        if isinstance(menu, QMenu):
            menu.close()

    def place(self) -> None:
        """In the middle of the window's upper part, as high as its rows."""
        window = self.parentWidget()
        assert window is not None
        width = min(WIDTH, window.width() - 40)
        rows = sum(self.list.sizeHintForRow(i) for i in range(min(self.model.rowCount(), 12)))
        height = min(56 + max(rows, 28) + 14, window.height() - 120)
        self.setGeometry((window.width() - width) // 2, 60, width, height)

    # ------------------------------------------------------------------ choosing
    def _filter(self, text: str) -> None:
        found = ranked(self._choices, text)
        if self._source is not None:
            found += list(self._source(text))
        found = sifted(found, text)[:MOST]
        if not found:
            found = [Choice("Nothing matches", lambda: None, enabled=False)]
        self.model.set_choices(found)
        enabled = [i for i, c in enumerate(found) if c.enabled]
        first = next((i for i in enabled if found[i].advised), enabled[0] if enabled else -1)
        if first >= 0:
            self.list.scrollToTop()
            self.list.setCurrentIndex(self.model.index(first, 0))
        self.place()

    def _run(self, index: QModelIndex) -> None:
        choice = index.data(CHOICE) if index.isValid() else None
        if choice is None or not choice.enabled:
            return
        self.dismiss()
        choice.run()

    def _step(self, by: int) -> None:
        count = self.model.rowCount()
        row = self.list.currentIndex().row()
        for _ in range(count):
            row = (row + by) % count
            if self.model.shown[row].enabled:
                self.list.setCurrentIndex(self.model.index(row, 0))
                return

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Keys of the line: arrows walk, Return chooses, Escape closes, a choice's own key chooses it."""
        if watched is not self.line:
            return super().eventFilter(watched, event)
        if event.type() == QEvent.Type.ShortcutOverride:
            event.accept()  # no shortcut of the window works while something is being chosen
            return True
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            key = event.key()
            steps = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1, Qt.Key.Key_Tab: 1, Qt.Key.Key_Backtab: -1,
                     Qt.Key.Key_PageDown: 8, Qt.Key.Key_PageUp: -8}  # fmt: skip
            if key == Qt.Key.Key_Escape:
                self.dismiss()
                return True
            if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._run(self.list.currentIndex())
                return True
            if key in steps:
                for _ in range(abs(steps[Qt.Key(key)])):
                    self._step(1 if steps[Qt.Key(key)] > 0 else -1)
                return True
            if not self.line.text():
                for i, choice in enumerate(self.model.shown):
                    if choice.key and choice.key == event.text() and choice.enabled:
                        self._run(self.model.index(i, 0))
                        return True
        staying = (Qt.FocusReason.PopupFocusReason, Qt.FocusReason.ActiveWindowFocusReason)
        if (
            isinstance(event, QFocusEvent)
            and event.type() == QEvent.Type.FocusOut
            and event.reason() not in staying
        ):
            self.dismiss()
        return super().eventFilter(watched, event)
