"""The middle of the window: a pane with its title for each plan, or one pane for two plans on top of each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPoint, QPointF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QShowEvent
from PySide6.QtWidgets import QGridLayout, QVBoxLayout, QWidget

from gui.editors.comparison.canvases.linking import Linking, Pane
from gui.editors.comparison.canvases.overlay import OverlayPane
from gui.editors.comparison.canvases.overlay_fade import FadeBar
from gui.editors.comparison.canvases.overlay_key import OverlayKey
from gui.editors.comparison.canvases.pane import PlanPane
from gui.editors.comparison.canvases.pane_title import PaneTitle, plan_lines
from gui.editors.comparison.state import CompareState
from gui.look.numbers import plural
from gui.look.theme import Theme
from gui.panels.comparison.words import standing_tip
from planner.model.graph import Ints

if TYPE_CHECKING:
    from planner.reports.comparison import Comparison

MODES = ("side", "over")
GAP = 1


class Carried(QWidget):
    """What a drag carries, drawn over everything; it takes no events."""

    def __init__(self, parent: QWidget, theme: Theme) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents, True)
        self.theme = theme
        self.words, self.good = "", True
        self._at = QPointF()
        self.hide()

    def show_at(self, at: QPoint, words: str, good: bool) -> None:
        """Follow the pointer (parent coordinates)."""
        parent = self.parentWidget()
        assert parent is not None
        self.words, self.good = words, good
        width = self.fontMetrics().horizontalAdvance(words) + 22
        x = min(at.x() + 12, parent.width() - width - 4)
        self.setGeometry(max(4, x), min(at.y() + 14, parent.height() - 32), width, 28)
        self.show()
        self.raise_()
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """A plate with a broken line around it."""
        painter, t = QPainter(self), self.theme
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(t.accent if self.good else t.bad), 1.4, Qt.PenStyle.DashLine))
        painter.setBrush(QColor(t.panel))
        painter.drawRoundedRect(self.rect().adjusted(1, 1, -1, -1), 5, 5)
        painter.setPen(QColor(t.text if self.good else t.bad))
        painter.drawText(self.rect(), int(Qt.AlignmentFlag.AlignCenter), self.words)


class Columns(QWidget):
    """Panes for the plans of a state. ``mode`` is ``side`` or ``over``.

    ``dropped(ops, source, into, QPoint)`` after ops were dragged from one pane to another (the place is in this widget),
    ``hovered(ops, source, into)`` while they are over one, to be answered with :meth:`say_carried`.
    """

    dropped = Signal(object, int, int, QPoint)
    hovered = Signal(object, int, int)
    menu_requested = Signal(QPoint, int, int)
    rebuilt = Signal()
    earlier_changed = Signal()
    """There is another place, or none, to go back to on a canvas."""

    def __init__(
        self, state: CompareState, linking: Linking, theme: Theme, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.state, self.linking, self.theme = state, linking, theme
        self.mode = "side"
        self._panes: list[PlanPane] = []
        self._titles: list[PaneTitle] = []
        self._fade_bar: FadeBar | None = None
        self._seen, self._behind = False, False
        """Whether they were shown ever; and whether panes are not yet those of what is compared: until then they are made when they are asked for."""
        self._calm, self._reduced = True, False
        self._proving: list[bool] = []
        self._shape: tuple[object, ...] = ()
        self._carry_words: dict[tuple[int, int, bytes], tuple[str, bool]] = {}
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(GAP)
        self.carried = Carried(self, theme)
        self._current = 0
        state.comparison_changed.connect(self._follow)
        state.pair_changed.connect(self._follow)
        state.document.plans_changed.connect(self._show_live)

    # ------------------------------------------------------------------ which panes
    @property
    def panes(self) -> list[PlanPane]:
        """The canvases, from left to right."""
        self.catch_up()
        return self._panes

    @property
    def titles(self) -> list[PaneTitle]:
        """What stands over each; none where plans are overlaid."""
        self.catch_up()
        return self._titles

    @property
    def fade_bar(self) -> FadeBar | None:
        """What stands over plans that are overlaid."""
        self.catch_up()
        return self._fade_bar

    def catch_up(self) -> None:
        """Make the panes of what is compared, where that was put off."""
        if self._behind:
            self._follow_now()

    def showEvent(self, event: QShowEvent) -> None:
        """From now on changes are followed at once."""
        super().showEvent(event)
        self._seen = True
        self.catch_up()

    def set_mode(self, mode: str) -> None:
        """``side`` or ``over``. Raises ValueError."""
        if mode not in MODES:
            raise ValueError(f"'{mode}' is neither side nor over")
        if mode != self.mode:
            self.mode = mode
            self._follow()

    def _follow(self) -> None:
        self._behind = True
        if self._seen:
            self._follow_now()

    def _follow_now(self) -> None:
        self._behind = False
        comparison = self.state.comparison
        self._carry_words.clear()
        count = 0 if comparison is None else len(comparison.plans)
        if (count, self.mode) != self._shape:
            self._shape = (count, self.mode)
            self._rebuild(count)
        if comparison is not None:
            self._show_titles(comparison)
            if self._fade_bar is not None:
                i, j = self.state.shown
                self._fade_bar.show_names(comparison.letter(j), comparison.letter(i))

    def set_proving(self, proving: list[bool]) -> None:
        """Of which plans something is being proven: what is known of them now may soon be more."""
        if proving != self._proving:
            self._proving = proving
            if self.state.comparison is not None and not self._behind:
                self._show_titles(self.state.comparison)

    def _show_titles(self, comparison: Comparison) -> None:
        proving = [i < len(self._proving) and self._proving[i] for i in range(len(comparison.plans))]
        for i, title in enumerate(self._titles):
            title.show_plan(comparison, self.state.shown, proving[i])
        if self._fade_bar is not None:
            i, j = self.state.shown
            first, second = (
                (plan_lines(comparison, k, proving[k]), standing_tip(comparison, k)) for k in (j, i)
            )
            self._fade_bar.show_plans((first, second))

    def _show_live(self) -> None:
        for title in self._titles:
            title.show_live()

    def _rebuild(self, count: int) -> None:
        had_focus = any(pane.hasFocus() for pane in self._panes)
        for pane in self._panes:
            pane.stop()
        for widget in self.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly):
            if widget is not self.carried and widget.objectName() in ("column", "fadeBar"):
                widget.hide()
                self._grid.removeWidget(widget)
                widget.setParent(None)
                widget.deleteLater()
        self._panes, self._titles, self._fade_bar = [], [], None
        self._current = 0
        if self.mode == "over" and count >= 2:
            self._build_overlay()
        else:
            for i in range(count):
                self._grid.addWidget(self._column(i), i // 2 if count == 4 else 0, i % 2 if count == 4 else i)
        for at in range(4):
            used = any(self._grid.itemAtPosition(row, at) for row in range(2))
            self._grid.setColumnStretch(at, 1 if used else 0)
            self._grid.setRowStretch(at, 1 if at < (2 if count == 4 and self.mode == "side" else 1) else 0)
        for pane in self._panes:
            pane.set_calm(self._calm)
            pane.set_reduced_motion(self._reduced)
        panes: list[Pane] = list(self._panes)
        self.linking.set_panes(panes)
        if had_focus and self._panes:
            self._panes[0].setFocus()
        self.carried.raise_()
        self.rebuilt.emit()

    def _column(self, i: int) -> QWidget:
        column = QWidget(self)
        column.setObjectName("column")
        rows = QVBoxLayout(column)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(0)
        title = PaneTitle(self.state, i, self.theme, column)
        title.replaced.connect(lambda source, i=i: self.state.replace(i, source))
        title.reference_requested.connect(lambda i=i: self.state.set_reference(i))
        title.close_requested.connect(lambda i=i: self.state.remove(i))
        pane = PlanPane(self.state, self.linking, i, self.theme, column)
        self._connect(pane)
        rows.addWidget(title)
        rows.addWidget(pane, 1)
        self._titles.append(title)
        self._panes.append(pane)
        return column

    def _build_overlay(self) -> None:
        column = QWidget(self)
        column.setObjectName("column")
        rows = QVBoxLayout(column)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(0)
        pane = OverlayPane(self.state, self.linking, self.theme, column)
        self._connect(pane)
        self._fade_bar = FadeBar(pane.fade, column)
        rows.addWidget(self._fade_bar)
        rows.addWidget(OverlayKey(pane, column))
        rows.addWidget(pane, 1)
        self._panes.append(pane)
        self._grid.addWidget(column, 0, 0)

    def _connect(self, pane: PlanPane) -> None:
        pane.earlier_changed.connect(self.earlier_changed)
        pane.carried.connect(lambda ops, at, pane=pane: self._carrying(pane, ops, at))
        pane.dropped.connect(lambda ops, at, pane=pane: self._dropped(pane, ops, at))
        pane.context_menu.connect(lambda at, op, pane=pane: self.menu_requested.emit(at, op, pane.index))
        pane.focused.connect(lambda pane=pane: self._focused(pane))

    # ------------------------------------------------------------------ which has the keyboard
    @property
    def current(self) -> PlanPane | None:
        """The pane that had the keyboard last."""
        return self.panes[min(self._current, len(self.panes) - 1)] if self.panes else None

    def _focused(self, pane: PlanPane) -> None:
        self._current = self.panes.index(pane) if pane in self.panes else 0
        reference = self.state.shown[1]
        if self.mode == "side" and pane.index not in (reference, self.state.shown[0]):
            self.state.set_pair(pane.index, reference)

    def focus_next(self, step: int) -> None:
        """Give the next pane the keyboard."""
        if self.panes:
            self._current = (self._current + step) % len(self.panes)
            self.panes[self._current].setFocus(Qt.FocusReason.ShortcutFocusReason)

    # ------------------------------------------------------------------ dragging from pane to pane
    def _carrying(self, pane: PlanPane, ops: Ints | None, at: QPoint) -> None:
        if ops is None or not len(ops):
            self.carried.hide()
            return
        target = self.linking.pane_at(at)
        into = -1 if target is None else target.plans[0]
        count = plural(len(ops), "op")
        where = self.mapFromGlobal(at)
        if target is None or target is pane or self.mode == "over":
            self.carried.show_at(
                where, f"{count}: drop on another plan to take {'it' if len(ops) == 1 else 'them'} over", True
            )
            return
        key = (pane.index, into, np.asarray(ops).tobytes())
        if key not in self._carry_words:
            self._carry_words[key] = (count, True)
            self.hovered.emit(ops, pane.index, into)
        words, good = self._carry_words[key]
        self.carried.show_at(where, words, good)

    def say_carried(self, ops: Ints, source: int, into: int, words: str, good: bool) -> None:
        """What dropping would give."""
        self._carry_words[(source, into, np.asarray(ops).tobytes())] = (words, good)

    def _dropped(self, pane: PlanPane, ops: Ints, at: QPoint) -> None:
        target = self.linking.pane_at(at)
        if target is not None and target is not pane and self.mode == "side":
            self.dropped.emit(ops, pane.index, target.plans[0], self.mapFromGlobal(at))

    # ------------------------------------------------------------------ looks
    @property
    def calm(self) -> bool:
        """Whether what stays is faded."""
        return self._calm

    def set_calm(self, calm: bool) -> None:
        """Fade what stays, or do not."""
        self._calm = calm
        for pane in self._panes:
            pane.set_calm(calm)

    def set_reduced_motion(self, reduced: bool) -> None:
        """Let cards jump."""
        self._reduced = reduced
        for pane in self._panes:
            pane.set_reduced_motion(reduced)

    def set_theme(self, theme: Theme) -> None:
        """Other colours."""
        self.theme = self.carried.theme = theme
        for pane in self._panes:
            pane.set_theme(theme)
        for title in self._titles:
            title.set_theme(theme)

    def stop(self) -> None:
        """End gestures and animations."""
        for pane in self._panes:
            pane.stop()
