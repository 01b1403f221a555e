"""The Sankey of a comparison: which ops go from which device to which, as ribbons that can be walked and chosen."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPixmap, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from gui.canvas.graph.tooltip import HoverCard
from gui.editors.comparison.base import CompareView, scrolling, selection_mode
from gui.look.theme import Theme
from gui.panels.comparison.names import Pair
from gui.panels.comparison.sankey_painter import (
    SankeyMarks,
    bar_rect,
    columns,
    paint_ribbons,
    paint_sankey,
    ribbon_path,
)
from gui.panels.comparison.sankey_words import HEAD, MEASURES, Sankey, sankey_of
from gui.widgets.accessible import Contents, Item, Role
from gui.widgets.drop_down import DropDown
from gui.widgets.labels import ElidedLabel, capital, set_role
from planner.model.graph import Ints

if TYPE_CHECKING:
    from planner.reports.comparison import Comparison

ADDING = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
LEAST_HEIGHT, LEAST_ROW = 110, 9
"""Pixels of the chart, and of each device in it, below which it scrolls."""
HELP = (
    "Arrows walk from ribbon to ribbon, Page Up and Page Down from device to device; Enter selects the ops of a ribbon,"
    " with Shift it adds them."
)


class SankeyChart(QWidget):
    """Shows the flows between two plans. ``ops_chosen(ops, mode)`` when a ribbon or a device is chosen."""

    ops_chosen = Signal(object, str)
    walked = Signal(float)
    """The keyboard came to a ribbon at this height."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self.sankey: Sankey | None = None
        self.marks = SankeyMarks()
        self._of: tuple[Comparison, Pair, str] | None = None
        self._selection: Ints = np.empty(0, np.int32)
        self._ribbons: QPixmap | None = None
        self._ribbons_of: tuple[object, ...] = ()
        self._ribbons_selected: np.ndarray | None = None
        self._card = HoverCard(self)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName("Flows of ops between devices")

    def sizeHint(self) -> QSize:
        """Room for a dozen devices."""
        return QSize(520, 300)

    def minimumSizeHint(self) -> QSize:
        """Less shows nothing."""
        return QSize(260, LEAST_HEIGHT)

    # ------------------------------------------------------------------ contents
    def show_flows(self, comparison: Comparison | None, pair: Pair = (1, 0), measure: str = "ops") -> None:
        """Show the flows from plan ``pair[1]`` to plan ``pair[0]``; None: nothing."""
        self._of = None if comparison is None else (comparison, pair, measure)
        self.marks = SankeyMarks()
        self._card.hide()
        self._arrange()

    def show_selection(self, ops: Ints) -> None:
        """Outline the ribbons whose ops are all selected, unless everything is."""
        self._selection = ops
        self.marks.selected = None
        if self.sankey is not None and len(ops):
            c, (i, j) = self.sankey.comparison, self.sankey.pair
            layout = self.sankey.layout
            pairs = c.places[j][ops].astype(np.int64) * len(c.rows) + c.places[i][ops]
            held = np.bincount(pairs, minlength=len(c.rows) ** 2)
            chosen = held[layout.left.astype(np.int64) * len(c.rows) + layout.right] == layout.ops
            if len(ops) < c.graph.n:
                self.marks.selected = chosen
        self.update()

    def show_hover(self, op: int) -> None:
        """Let the ribbon of an op stand out; -1: none. The pointer on this chart comes first."""
        if self.sankey is None or self.underMouse():
            return
        c, (i, j) = self.sankey.comparison, self.sankey.pair
        known = 0 <= op < c.graph.n
        found = self.sankey.layout.find(int(c.places[j][op]), int(c.places[i][op])) if known else -1
        if found != self.marks.hovered:
            self.marks.hovered = found
            self.update()

    def set_theme(self, theme: Theme) -> None:
        """Other colours."""
        self.theme = theme
        self.update()

    def _arrange(self) -> None:
        self.sankey = None if self._of is None else sankey_of(*self._of, float(self.height()))
        self.setAccessibleDescription(
            ""
            if self.sankey is None
            else f"{capital(self.sankey.summary())}. {' '.join((*self.sankey.matching_words[:1], HELP))}"
        )
        self.show_selection(self._selection)

    # ------------------------------------------------------------------ for assistive technology
    @cached_property
    def told(self) -> Contents:
        """The ribbons."""
        return Contents(self, Role.Chart, self._ribbons_told, self._ribbon_told, self._ribbon_of_keyboard)

    def _ribbons_told(self) -> Sequence[int]:
        return range(0 if self.sankey is None else self.sankey.layout.count)

    def _ribbon_of_keyboard(self) -> int | None:
        return self.marks.cursor if self.marks.cursor >= 0 else None

    def _ribbon_told(self, key: Hashable) -> Item | None:
        sankey = self.sankey
        if sankey is None or not isinstance(key, int) or key >= sankey.layout.count:
            return None
        path = ribbon_path(sankey.layout, key, *columns(sankey, float(self.width())))
        selected = self.marks.selected is not None and bool(self.marks.selected[key])
        return Item(
            sankey.ribbon_words(key), path.boundingRect(), description=sankey.narrow_words(key), selected=selected,
            act=lambda: self.ops_chosen.emit(sankey.ops(key), "replace"), does="Select its ops",
        )  # fmt: skip

    # ------------------------------------------------------------------ painting
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Bars fill the new size."""
        super().resizeEvent(event)
        cursor = self.marks.cursor
        self._arrange()
        self.marks.cursor = cursor
        self._card.hide()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint what is shown."""
        if self.sankey is not None:
            width, height = float(self.width()), float(self.height())
            ribbons = self._kept_ribbons()
            paint_sankey(QPainter(self), self.sankey, width, height, self.theme, self.marks, ribbons)

    def _kept_ribbons(self) -> QPixmap:
        """The ribbons as they are while nothing is looked at, painted anew when they change."""
        assert self.sankey is not None
        ratio = self.devicePixelRatioF()
        # Other flows and another height make a new Sankey, another selection a new array.
        selected, made_for = self.marks.selected, (self.sankey, self.theme, self.width(), ratio)
        if self._ribbons is None or made_for != self._ribbons_of or selected is not self._ribbons_selected:
            self._ribbons = QPixmap(self.size() * ratio)
            self._ribbons.setDevicePixelRatio(ratio)
            self._ribbons.fill(Qt.GlobalColor.transparent)
            painter = QPainter(self._ribbons)
            paint_ribbons(painter, self.sankey, float(self.width()), self.theme, selected)
            painter.end()
            self._ribbons_of, self._ribbons_selected = made_for, selected
        return self._ribbons

    # ------------------------------------------------------------------ the mouse
    def ribbon_at(self, x: float, y: float) -> int:
        """The ribbon under a point, -1 if none."""
        if self.sankey is None:
            return -1
        x0, x1 = columns(self.sankey, float(self.width()))
        return self.sankey.layout.ribbon_at((x - x0) / max(1.0, x1 - x0), y)

    def bar_at(self, x: float, y: float) -> tuple[int, int]:
        """The side and row of the bar under a point, (-1, -1) if none."""
        if self.sankey is not None:
            layout = self.sankey.layout
            for side, counts in ((0, layout.left_ops), (1, layout.right_ops)):
                for row in layout.order.tolist():
                    if counts[row] and bar_rect(self.sankey, side, row, float(self.width())).contains(x, y):
                        return side, row
        return -1, -1

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Say what is under the pointer."""
        at = event.position()
        self._look(self.ribbon_at(at.x(), at.y()), self.bar_at(at.x(), at.y()), at.toPoint())

    def leaveEvent(self, event: object) -> None:
        """Nothing is under the pointer."""
        self._look(-1, (-1, -1), QPoint())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose what is under the pointer; beside everything nothing is selected any more."""
        if event.button() != Qt.MouseButton.LeftButton or self.sankey is None:
            return
        at = event.position()
        mode = selection_mode(bool(event.modifiers() & ADDING))
        ribbon, (side, row) = self.ribbon_at(at.x(), at.y()), self.bar_at(at.x(), at.y())
        if ribbon >= 0:
            if self.marks.cursor >= 0:
                self.marks.cursor = ribbon
            self.ops_chosen.emit(self.sankey.ops(ribbon), mode)
        elif side >= 0:
            self.ops_chosen.emit(self.sankey.device_ops(side, row), mode)
        elif mode == "replace":
            self.ops_chosen.emit(np.empty(0, np.int32), mode)

    def _look(self, ribbon: int, bar: tuple[int, int], at: QPoint) -> None:
        sankey = self.sankey
        if sankey is None:
            return
        if ribbon >= 0:
            bar = (-1, -1)
        words = (
            self._html(ribbon) if ribbon >= 0 else escape(sankey.device_words(*bar)) if bar[0] >= 0 else ""
        )
        if words:
            self._card.show_at(at, words, self.theme)
            self.setCursor(Qt.CursorShape.PointingHandCursor)
        else:
            self._card.hide()
            self.unsetCursor()
        if (ribbon, bar) != (self.marks.hovered, self.marks.bar):
            self.marks.hovered, self.marks.bar = ribbon, bar
            self.update()

    def _html(self, ribbon: int) -> str:
        assert self.sankey is not None
        note = self.sankey.narrow_words(ribbon)
        return escape(self.sankey.ribbon_words(ribbon)) + (f"<br><i>{escape(note)}</i>" if note else "")

    # ------------------------------------------------------------------ the keyboard
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """See :data:`HELP`."""
        keys: dict[int, Callable[[], None]] = {
            Qt.Key.Key_Down: lambda: self._step(1),
            Qt.Key.Key_Right: lambda: self._step(1),
            Qt.Key.Key_Up: lambda: self._step(-1),
            Qt.Key.Key_Left: lambda: self._step(-1),
            Qt.Key.Key_PageDown: lambda: self._next_device(1),
            Qt.Key.Key_PageUp: lambda: self._next_device(-1),
            Qt.Key.Key_Home: lambda: self._go(0),
            Qt.Key.Key_End: lambda: self._go(10**9),
            Qt.Key.Key_Return: lambda: self._choose(event),
            Qt.Key.Key_Enter: lambda: self._choose(event),
            Qt.Key.Key_Space: lambda: self._choose(event),
        }
        run = keys.get(event.key())
        if run is None or self.sankey is None or not self.sankey.layout.count:
            super().keyPressEvent(event)
        else:
            run()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """With the keyboard here a ribbon is marked: the first that moves."""
        super().focusInEvent(event)
        keyboard = event.reason() in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason)
        if keyboard and self.sankey is not None and self.sankey.layout.count:
            moves = np.flatnonzero(self.sankey.layout.left != self.sankey.layout.right)
            self._go(int(moves[0]) if len(moves) else 0)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """The keyboard's ribbon is only marked while it is here."""
        super().focusOutEvent(event)
        self.marks.cursor = -1
        self._card.hide()
        self.update()

    def _step(self, by: int) -> None:
        self._go(0 if self.marks.cursor < 0 else self.marks.cursor + by)

    def _next_device(self, by: int) -> None:
        """The first ribbon of the device below or above."""
        assert self.sankey is not None
        left = self.sankey.layout.left
        starts = np.flatnonzero(np.diff(left, prepend=-1) != 0)
        here = int(np.searchsorted(starts, max(0, self.marks.cursor), side="right")) - 1
        self._go(int(starts[min(max(0, here + by), len(starts) - 1)]))

    def _go(self, ribbon: int) -> None:
        assert self.sankey is not None
        layout = self.sankey.layout
        self.marks.cursor = ribbon = min(max(0, ribbon), layout.count - 1)
        words = self.sankey.ribbon_words(ribbon)
        self.setAccessibleDescription(f"{words}. Ribbon {ribbon + 1} of {layout.count}. {HELP}")
        self.told.say_current()
        x0, x1 = columns(self.sankey, float(self.width()))
        y = (layout.left_y[ribbon] + layout.right_y[ribbon] + layout.width[ribbon]) / 2
        self.walked.emit(float(y))
        self._card.show_at(QPoint(int((x0 + x1) / 2), int(y)), self._html(ribbon), self.theme)
        self.update()

    def _choose(self, event: QKeyEvent) -> None:
        if self.sankey is not None and self.marks.cursor >= 0:
            mode = selection_mode(bool(event.modifiers() & ADDING))
            self.ops_chosen.emit(self.sankey.ops(self.marks.cursor), mode)


class SankeyView(CompareView):
    """What the widths stand for, how much moves in a line, and the chart."""

    id: ClassVar[str] = "compare-sankey"
    title: ClassVar[str] = "Flows"

    def build(self) -> None:
        """Make the widgets, empty."""
        self.measure = DropDown(self)
        self.measure.setAccessibleName("What the width of a ribbon stands for")
        self.measure.setToolTip("What the width of a ribbon stands for")
        self.measure.setSizeAdjustPolicy(DropDown.SizeAdjustPolicy.AdjustToContents)
        for measure, name in MEASURES.items():
            self.measure.addItem(name, measure)
        self.measure.currentIndexChanged.connect(self.request_refresh)
        caption = QLabel("Width:", self)
        set_role(caption, "muted")
        self.words = ElidedLabel("", self, lines=2)
        set_role(self.words, "muted")
        self.chart = SankeyChart(self.theme, self)
        self.chart.ops_chosen.connect(self.state.select)
        top = QHBoxLayout()
        top.setContentsMargins(10, 4, 10, 0)
        top.setSpacing(8)
        top.addWidget(caption)
        top.addWidget(self.measure)
        top.addWidget(self.words, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 2)
        column.setSpacing(3)
        column.addLayout(top)
        self._area = scrolling(self.chart, self)
        column.addWidget(self._area, 1)
        self.chart.walked.connect(lambda y: self._area.ensureVisible(0, int(y), 0, 40))
        self.state.selection_changed.connect(self._selection_changed)
        self.state.hover_changed.connect(self._hover_changed)

    def sizeHint(self) -> QSize:
        """Room for a dozen devices."""
        return QSize(520, 330)

    def minimumSizeHint(self) -> QSize:
        """Less shows nothing."""
        return QSize(260, 120)

    def refresh(self) -> None:
        """Show the flows as they are now."""
        comparison = self.comparison
        self._area.setVisible(comparison is not None)
        measure = self.measure.currentData()
        self.chart.show_flows(comparison, self.pair, measure)
        sankey = self.chart.sankey
        rows = 0 if sankey is None else len(sankey.layout.order)
        self.chart.setMinimumHeight(max(LEAST_HEIGHT, int(HEAD + LEAST_ROW * rows)))
        if sankey is None:
            self.words.setText(capital(self.state.why_not))
            return
        self.words.setText(sankey.summary())
        if not sankey.layout.value.sum():
            self.words.setText(
                f"There are no {MEASURES[measure].lower()} to measure by: choose another width"
            )
        self.chart.show_selection(self.state.selection)

    def _selection_changed(self) -> None:
        if self.isVisible() and not self.waiting:
            self.chart.show_selection(self.state.selection)
        else:
            self.request_refresh()

    def _hover_changed(self) -> None:
        if self.isVisible() and not self.waiting:
            self.chart.show_hover(self.state.hover)

    def set_theme(self, theme: Theme) -> None:
        """Other colours."""
        if self.built:
            self.chart.set_theme(theme)
        super().set_theme(theme)
