"""The leaderboard: a list that re-ranks itself while the race goes on, without moving under the pointer.

Return applies an entrant's plan, Delete stops the entrant, Left and Right walk along its sparkline; a double click applies. A click
shows where a plan differs, until Escape or until something else has the keyboard.
"""

from __future__ import annotations

import time

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPoint, QRect, Qt, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QListView, QStyle, QStyleOptionViewItem, QWidget

from gui.canvas.graph.animation import eased
from gui.look.theme import Theme
from gui.tools.search.race.facts import BoardFacts, RowFacts
from gui.tools.search.race.leaderboard_model import ROW, LeaderboardModel
from gui.tools.search.race.leaderboard_rows import (
    FLAT,
    SHORT,
    TALL,
    WIDE_FROM,
    LeaderboardRows,
    marked_words,
    places,
)
from gui.widgets.later import Later

GLIDE_SECONDS = 0.25
FRAME_MS = 16
KEY_HOLD_MS = 2000
"""For so long after a key the order stays as it is."""


class Leaderboard(QListView):
    """Rows of :class:`LeaderboardModel`. ``reduced`` lets rows jump to their places."""

    apply_requested = Signal(int)
    """Put this entrant's plan on the canvas."""
    stop_requested = Signal(int)
    looked_at = Signal(int)
    """The pointer chose this entrant, or the keyboard came to it; -1: none."""
    menu_requested = Signal(QPoint, int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self.reduced = False
        self._dense = False
        self.ranks = LeaderboardModel(self)
        self._mark: tuple[int, float] | None = None
        """The entrant and the moment that the pointer, or a key, is on."""
        self._before: dict[int, int] = {}
        self._began = 0.0
        self.setModel(self.ranks)
        self.setItemDelegate(LeaderboardRows(self, self))
        self.setAccessibleName("Leaderboard")
        self.setAccessibleDescription(
            "Return puts an entrant's plan on the canvas, Delete stops it, Left and Right walk along its line"
        )
        self.setMouseTracking(True)
        self.setUniformItemSizes(True)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self._menu)
        self.doubleClicked.connect(lambda index: self.apply_requested.emit(self._entrant(index)))
        self.clicked.connect(lambda index: self.looked_at.emit(self._entrant(index)))
        self.selectionModel().currentChanged.connect(self._current_changed)
        self.ranks.about_to_move.connect(self._remember_places)
        self.ranks.moved.connect(self._glide)
        self.ranks.modelReset.connect(self._forget)
        self._frames = QTimer(self, interval=FRAME_MS)
        self._frames.timeout.connect(self._step)
        self._release = Later(self._let_go, self, KEY_HOLD_MS)
        self.viewport().installEventFilter(self)

    # ------------------------------------------------------------------ contents
    @property
    def facts(self) -> BoardFacts | None:
        """What is shown."""
        return self.ranks.facts

    @property
    def is_wide(self) -> bool:
        """Whether a row is one line of columns."""
        return self.viewport().width() >= WIDE_FROM

    @property
    def animating(self) -> bool:
        """Whether rows are on their way."""
        return self._frames.isActive()

    def _pointed(self) -> bool:
        """Whether the pointer is over the rows."""
        return self.viewport().underMouse()

    def show_facts(self, facts: BoardFacts | None) -> None:
        """Show the race as it is now."""
        self.ranks.held = self._pointed() or self._release.waiting
        self.ranks.show(facts)
        # Scales are shared: a better plan of one changes the lines of all.
        self.viewport().update()

    def set_theme(self, theme: Theme) -> None:
        """Other colours."""
        self.theme = theme
        self.viewport().update()

    def current_entrant(self) -> int:
        """The entrant under the cursor, -1 for none."""
        return self._entrant(self.currentIndex())

    def choose(self, entrant: int) -> None:
        """Put the cursor on an entrant."""
        row = self.ranks.row_of(entrant)
        if row >= 0:
            self.setCurrentIndex(self.ranks.index(row, 0))

    @staticmethod
    def _entrant(index: QModelIndex) -> int:
        row: RowFacts | None = index.data(ROW) if index.isValid() else None
        return -1 if row is None else row.index

    @property
    def row_height(self) -> int:
        """Pixels that a row takes."""
        return FLAT if self.is_wide else SHORT if self._dense else TALL

    def wanted_height(self, room: int) -> int:
        """What all rows take. Where ``room`` pixels are too few for three lines each, rows are of two."""
        count = len(self.ranks.rows)
        dense = count * TALL + 4 > room
        if dense != self._dense:
            self._dense = dense
            self.scheduleDelayedItemsLayout()
        return count * self.row_height + 4

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Rows have another height where there is another width."""
        super().resizeEvent(event)
        self.scheduleDelayedItemsLayout()

    # ------------------------------------------------------------------ changing places
    def _remember_places(self) -> None:
        self._before = {}
        for i, row in enumerate(self.ranks.rows):
            self._before[row.index] = self._shifted(self.visualRect(self.ranks.index(i, 0)), row.index).top()

    def _glide(self) -> None:
        self.doItemsLayout()
        if self.reduced or not self.isVisible():
            self._forget()
            return
        self._began = time.perf_counter()
        self._frames.start()

    def _forget(self) -> None:
        self._before = {}
        self._mark = None
        self._frames.stop()
        self.viewport().update()

    def _step(self) -> None:
        if time.perf_counter() - self._began >= GLIDE_SECONDS:
            self._before = {}
            self._frames.stop()
        self.viewport().update()

    def _shifted(self, rect: QRect, entrant: int) -> QRect:
        """Where an entrant is drawn now that belongs to ``rect``."""
        before = self._before.get(entrant)
        if before is None or not self.animating:
            return rect
        done = eased(min(1.0, (time.perf_counter() - self._began) / GLIDE_SECONDS))
        return rect.translated(0, round((before - rect.top()) * (1 - done)))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Rows where they are on their way to; those that climb are above those that fall."""
        if not self.animating:
            super().paintEvent(event)
            return
        painter = QPainter(self.viewport())
        painter.fillRect(event.rect(), self.palette().base())
        rows = list(enumerate(self.ranks.rows))
        shown = [(i, self.visualRect(self.ranks.index(i, 0)), row.index) for i, row in rows]
        for i, rect, entrant in sorted(
            shown, key=lambda one: one[1].top() - self._before.get(one[2], one[1].top()), reverse=True
        ):
            option = QStyleOptionViewItem()
            self.initViewItemOption(option)
            place = self._shifted(rect, entrant)
            if place != rect:
                painter.fillRect(place, self.palette().base())
            option.rect = place  # type: ignore[attr-defined]
            index = self.ranks.index(i, 0)
            state = QStyle.StateFlag.State_Enabled
            if self.selectionModel().isSelected(index):
                state |= QStyle.StateFlag.State_Selected
            if self.hasFocus() and index == self.currentIndex():
                state |= QStyle.StateFlag.State_HasFocus
            option.state = state  # type: ignore[attr-defined]
            self.itemDelegate().paint(painter, option, index)

    # ------------------------------------------------------------------ the moment looked at
    def marked(self, entrant: int) -> float | None:
        """The moment of an entrant's line that the pointer or a key is on."""
        return self._mark[1] if self._mark is not None and self._mark[0] == entrant else None

    def _set_mark(self, mark: tuple[int, float] | None) -> None:
        if mark != self._mark:
            self._mark = mark
            self.viewport().update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Over a sparkline the row tells the values at that moment."""
        super().mouseMoveEvent(event)
        index = self.indexAt(event.position().toPoint())
        row: RowFacts | None = index.data(ROW) if index.isValid() else None
        facts, mark = self.facts, None
        if row is not None and facts is not None and row.points:
            line = places(self.visualRect(index)).line.adjusted(-3, -4, 3, 4)
            if line.contains(event.position().toPoint()):
                share = (event.position().x() - line.left() - 3) / max(1, line.width() - 6)
                mark = (row.index, facts.end * min(max(share, 0.0), 1.0))
        self._set_mark(mark)

    def viewportEvent(self, event: QEvent) -> bool:
        """No tool tip over a sparkline: the row itself tells the values there."""
        if event.type() == QEvent.Type.ToolTip and self._mark is not None:
            return True
        return super().viewportEvent(event)

    def _walk(self, by: int) -> None:
        """On to the next or the previous step of the current entrant's line, and say what it was then."""
        index = self.currentIndex()
        row: RowFacts | None = index.data(ROW) if index.isValid() else None
        facts = self.facts
        if row is None or not row.points or facts is None:
            return
        times = [seconds for seconds, _ in row.points]
        now = self.marked(row.index)
        if now is None:
            now = facts.end if by < 0 else -1.0
        later, earlier = [s for s in times if s > now], [s for s in times if s < now]
        if by > 0:
            now = later[0] if later else now
        else:
            now = earlier[-1] if earlier else now
        if now >= 0:
            self._set_mark((row.index, now))
            self.setAccessibleDescription(f"{row.title}: {marked_words(row, facts, now)} after {now:.1f} s")

    # ------------------------------------------------------------------ pointer and keyboard
    def _current_changed(self, current: QModelIndex, _: QModelIndex) -> None:
        self._set_mark(None)
        if self.hasFocus():
            self.looked_at.emit(self._entrant(current))

    def _hold(self) -> None:
        """Somebody is about to choose a row: let it stand where it is."""
        self._release.ask()

    def _let_go(self) -> None:
        if not self._pointed():
            self.ranks.held = False
            self.ranks.show(self.ranks.facts)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The pointer leaves: places that have changed meanwhile are taken."""
        if watched is self.viewport() and event.type() == QEvent.Type.Leave:
            self._set_mark(None)
            if not self._release.waiting:
                self.ranks.held = False
                self.ranks.show(self.ranks.facts)
        return super().eventFilter(watched, event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Nobody looks at a row any more."""
        super().focusOutEvent(event)
        self._set_mark(None)
        if event.reason() != Qt.FocusReason.PopupFocusReason:
            self.looked_at.emit(-1)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Return applies, Delete stops, Left and Right walk along the line."""
        self._hold()
        entrant = self.current_entrant()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and entrant >= 0:
            self.apply_requested.emit(entrant)
        elif event.key() == Qt.Key.Key_Delete and entrant >= 0:
            self.stop_requested.emit(entrant)
        elif event.key() == Qt.Key.Key_Escape:
            self._set_mark(None)
            self.looked_at.emit(-1)
        elif event.key() in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            self._walk(1 if event.key() == Qt.Key.Key_Right else -1)
        else:
            super().keyPressEvent(event)

    def _menu(self, position: QPoint) -> None:
        """The context menu; by the keyboard's menu key below the current row."""
        index = self.indexAt(position)
        if index.isValid():
            self.setCurrentIndex(index)
        entrant = self.current_entrant()
        if entrant >= 0:
            rect = self.visualRect(self.currentIndex())
            inside = rect.contains(position)
            place = position if inside else QPoint(rect.left() + 30, rect.center().y())
            self.menu_requested.emit(self.viewport().mapToGlobal(place), entrant)
