"""Canvases that are looked at together: one set of cards, one layout for each plan, one viewport."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, cast

import numpy as np
from PySide6.QtCore import QObject, QPoint, Signal

from gui.canvas.graph.items import Items, kept_items
from gui.canvas.graph.layout_worker import LayoutWorker
from gui.canvas.graph.scene import arrange, skeleton_of
from gui.canvas.graph.viewport import Viewport
from gui.editors.comparison.state import CompareState
from gui.layout import Layout, Skeleton
from gui.layout.aligned import aligned
from gui.layout.drawn_edges import DrawnEdges, drawn_edges
from gui.widgets.later import Later
from planner.model.graph import Ints

if TYPE_CHECKING:
    from collections.abc import Sequence

    from planner.reports.comparison import Comparison
    from planner.reports.comparison.moves import Move


@dataclass(frozen=True, eq=False)
class Laid:
    """What the panes draw: cards, and where each plan's cards stand (in the flow view all plans share one layout)."""

    comparison: Comparison
    view: str
    items: Items
    skeleton: Skeleton
    layouts: dict[int, Layout]
    edges: dict[int, DrawnEdges]
    """Of each plan's layout."""


class Pane(Protocol):
    """A canvas that takes part."""

    viewport: Viewport

    def isVisible(self) -> bool:
        """Whether it is in sight."""

    @property
    def plans(self) -> tuple[int, ...]:
        """The plans it draws."""

    @property
    def room(self) -> tuple[float, float]:
        """What a layout should fill, in logical pixels."""

    @property
    def chosen_place(self) -> bool:
        """Whether someone chose what to look at."""

    def take_layouts(self, laid: Laid, fit: bool, animate: bool) -> None:
        """Draw these; ``fit`` shows everything."""

    def take_viewport(self, viewport: Viewport) -> None:
        """Look where another pane looks."""

    def reveal_ops(self, ops: Ints) -> None:
        """Bring ops into sight."""

    def look_back(self) -> None:
        """Look where one looked before ops were brought into sight."""

    def zoom_to_ops(self, ops: Ints) -> None:
        """Show these ops as large as fits."""

    def fit(self) -> None:
        """Show everything."""

    def look_at_all(self) -> None:
        """Nobody chose a part to look at."""

    def holds(self, global_pos: QPoint) -> bool:
        """Whether a place on the screen is on it."""


RESIZED_MS = 16
"""How long panes may get other sizes until they are laid out for the last of them: a window that is shown is resized several times."""


class Linking(QObject):
    """Lays the plans out once for all panes and keeps their viewports together. Call :meth:`close` before the window goes.

    A pane that is looked at elsewhere hands every pixel of its picture the same way to all: in the flow view the viewports
    are equal, in lanes, where plans differ in shape, the same gesture is made on each.
    """

    laid_out = Signal()

    def __init__(self, state: CompareState, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.state = state
        self.panes: list[Pane] = []
        self.laid: Laid | None = None
        self._items: Items | None = None
        self._skeleton: Skeleton | None = None
        self._grouped: tuple[object, ...] = ()
        self._laid_for: tuple[str, tuple[float, float]] | None = None
        self._fit_pending = True
        self._last: dict[int, tuple[float, float, float]] = {}
        self._mirroring = False
        self._worker = LayoutWorker(self)
        self._later = Later(self._resized_now, self, RESIZED_MS)
        state.comparison_changed.connect(self._comparison_changed)
        state.view_changed.connect(self._view_changed)
        state.document.groups_changed.connect(self._groups_changed)

    @property
    def busy(self) -> bool:
        """Whether a layout is on its way."""
        return self._worker.busy or self._later.waiting

    # ------------------------------------------------------------------ which panes
    def set_panes(self, panes: list[Pane]) -> None:
        """Link these."""
        self.panes = list(panes)
        self._fit_pending = True
        # Panes out of sight have no size yet; they get one when they are shown.
        if any(pane.isVisible() for pane in self.panes):
            self.relayout(animate=False)

    def pane_at(self, global_pos: QPoint) -> Pane | None:
        """The pane at a place on the screen."""
        return next((pane for pane in self.panes if pane.holds(global_pos)), None)

    # ------------------------------------------------------------------ layouts
    def _comparison_changed(self) -> None:
        self.relayout(animate=True)

    def _view_changed(self, _: str) -> None:
        self._fit_pending = True
        self.relayout(animate=True)

    def _groups_changed(self) -> None:
        self._fit_pending = True
        self.relayout(animate=False)

    @property
    def _chosen(self) -> bool:
        """Whether someone chose what to look at."""
        return any(pane.chosen_place for pane in self.panes)

    def _room(self) -> tuple[float, float]:
        rooms = [pane.room for pane in self.panes]
        return min(room[0] for room in rooms), min(room[1] for room in rooms)

    def relayout(self, animate: bool) -> None:
        """Lay the plans out for the panes as they are now."""
        comparison, document = self.state.comparison, self.state.document
        if comparison is None or document.graph is None or not self.panes:
            self.laid = None
            return
        # The document's folding is followed; in lanes a group has a card on each device that any of the plans has it on.
        view, room = self.state.view, self._room()
        grouped = (comparison.graph.fingerprint, document.grouping)
        known = self._items if grouped == self._grouped else None
        places = () if view == "flow" else comparison.places
        items = kept_items(known, comparison.graph, document.grouping, document.folded, places)
        if items is not self._items:
            self._items, self._skeleton = items, None
        self._grouped = grouped
        if self._chosen and self._laid_for and self._laid_for[0] == view and not self._fit_pending:
            room = self._laid_for[
                1
            ]  # rows must not move under the eyes of someone who looks at a part of them
        plans = sorted({plan for pane in self.panes for plan in pane.plans if plan < len(comparison.plans)})
        skeleton, rows = self._skeleton, len(comparison.rows)
        kept = self.laid
        still = (
            kept is not None and kept.view == view and kept.items is items and self._laid_for == (view, room)
        )
        self._laid_for = (view, room)
        keep: dict[int, Layout] = {}
        if kept is not None and still:
            if view == "flow":  # another assignment does not move cards here
                flow = dict.fromkeys(plans, next(iter(kept.layouts.values())))
                edges = dict.fromkeys(plans, next(iter(kept.edges.values())))
                self._deliver(Laid(comparison, view, items, kept.skeleton, flow, edges), animate)
                return
            # Lanes of ops that stay should stay where they are.
            alike = len(kept.comparison.rows) == rows and not self._fit_pending
            keep = kept.layouts if alike else {}

        def make() -> Laid:
            made = skeleton or skeleton_of(items)
            if view == "flow":
                one = arrange(items, made, view, comparison.places[0], rows, room)
                layouts = dict.fromkeys(plans, one)
                edges = dict.fromkeys(plans, drawn_edges(one, items))
            else:
                lanes: list[Layout] = []
                for plan in plans:
                    alike = keep.get(plan, lanes[0] if lanes else None)
                    lanes.append(arrange(items, made, view, comparison.places[plan], rows, room, alike))
                layouts = dict(zip(plans, aligned(lanes), strict=True))
                edges = {plan: drawn_edges(layout, items) for plan, layout in layouts.items()}
            return Laid(comparison, view, items, made, layouts, edges)

        count = items.count * (1 if view == "flow" else len(plans))
        self._worker.request(count, make, lambda result: self._deliver(cast(Laid, result), animate))

    def _deliver(self, laid: Laid, animate: bool) -> None:
        if laid.comparison is not self.state.comparison or laid.items is not self._items:
            return
        if laid.view != self.state.view:
            return
        self._skeleton = laid.skeleton
        fit, self._fit_pending = self._fit_pending or not self._chosen, False
        self.laid = laid
        self._mirroring = True
        try:
            for pane in self.panes:
                if all(plan in laid.layouts for plan in pane.plans):
                    pane.take_layouts(laid, fit, animate)
            if fit and laid.view == "flow":  # panes may differ by a pixel
                self._follow_first()
                for pane in self.panes:
                    pane.look_at_all()
        finally:
            self._mirroring = False
        self._remember()
        self.laid_out.emit()

    def _follow_first(self) -> None:
        for other in self.panes[1:]:
            other.take_viewport(self.panes[0].viewport)

    def resized(self) -> None:
        """A pane has another size: lay out for it soon, once for all of them."""
        self._later.ask_once()

    def _resized_now(self) -> None:
        if self.panes and not self._chosen and self._laid_for != (self.state.view, self._room()):
            self.relayout(animate=False)

    # ------------------------------------------------------------------ viewports
    def _remember(self) -> None:
        self._last = {id(pane): _place(pane.viewport) for pane in self.panes}

    def moved(self, pane: Pane) -> None:
        """A pane is looked at elsewhere: so are the others."""
        if self._mirroring:
            return
        before, now = self._last.get(id(pane)), _place(pane.viewport)
        self._mirroring = True
        try:
            for other in self.panes:
                if other is pane:
                    continue
                if self.state.view == "flow" or before is None:
                    other.take_viewport(pane.viewport)
                else:
                    other.take_viewport(_same_gesture(other.viewport, before, now))
        finally:
            self._mirroring = False
        self._remember()

    def fit(self) -> None:
        """Show everything in every pane."""
        self._each(lambda pane: pane.fit())
        for pane in self.panes:
            pane.look_at_all()
        self.resized()

    def reveal(self, op: int) -> None:
        """Bring an op into sight in every pane (see :meth:`reveal_ops`)."""
        self.reveal_ops(np.array([op], np.int32))

    def reveal_ops(self, ops: Ints) -> None:
        """Bring ops into sight in every pane, moving no more than needed: in lanes each goes where its plan has them."""
        self._each(lambda pane: pane.reveal_ops(ops))

    def look_back(self) -> None:
        """Look in every pane where one looked before ops were brought into sight."""
        self._each(lambda pane: pane.look_back())
        if self.panes and not self.panes[0].chosen_place:
            for pane in self.panes:
                pane.look_at_all()
            self.resized()

    def zoom_to_ops(self, ops: Ints) -> None:
        """Show some ops as large as fits in every pane."""
        if len(ops):
            self._each(lambda pane: pane.zoom_to_ops(ops))

    def _each(self, look: object) -> None:
        assert callable(look)
        panes = self.panes
        self._mirroring = True
        try:
            if self.state.view == "flow" and panes:
                look(panes[0])
                self._follow_first()
            else:
                for pane in panes:
                    look(pane)
        finally:
            self._mirroring = False
        self._remember()

    def close(self) -> None:
        """Wait for a layout that is being made."""
        self._later.stop()
        self._worker.close()


def _place(viewport: Viewport) -> tuple[float, float, float]:
    return viewport.scale, viewport.ox, viewport.oy


def _same_gesture(
    viewport: Viewport, before: tuple[float, float, float], now: tuple[float, float, float]
) -> Viewport:
    """Where a viewport looks after the movement of pixels that took another one from ``before`` to ``now``."""
    factor = now[0] / before[0]
    moved = Viewport(viewport.width, viewport.height, viewport.scale * factor, left=viewport.left)
    moved.smallest = viewport.smallest
    moved.ox = factor * viewport.ox + now[1] - factor * before[1]
    moved.oy = factor * viewport.oy + now[2] - factor * before[2]
    return moved


def walk_moves(moves: Sequence[Move], order: Ints, selection: Ints, step: int) -> int:
    """The next (``step`` 1) or previous (-1) of the moves after what is selected in a graph's order, around the end; -1 for none."""
    if not moves:
        return -1
    if not len(selection):
        return 0 if step > 0 else len(moves) - 1
    at = move_selected(moves, selection)
    if at < 0:
        place = np.empty(len(order), np.int64)
        place[order] = np.arange(len(order))
        here = int(place[selection].min())
        before = sum(int(place[move.ops].min()) <= here for move in moves)
        at = before - 1 if step > 0 else before
    return (at + step) % len(moves)


def move_selected(moves: Sequence[Move], selection: Ints) -> int:
    """The move whose ops are selected, and no others; -1 for none."""
    return next((i for i, move in enumerate(moves) if np.array_equal(move.ops, selection)), -1)


def walk(moved: Ints, order: Ints, current: int, step: int) -> int:
    """The next (``step`` 1) or previous (-1) of the moved ops after ``current`` in a graph's order, around the end; -1 for none."""
    if not len(moved):
        return -1
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    ranked = moved[np.argsort(place[moved], kind="stable")]
    ranks = place[ranked]
    if current < 0:
        return int(ranked[0 if step > 0 else -1])
    here = int(place[current])
    if step > 0:
        at = int(np.searchsorted(ranks, here, side="right"))
        return int(ranked[at % len(ranked)])
    at = int(np.searchsorted(ranks, here, side="left")) - 1
    return int(ranked[at])
