"""One plan beside others: a canvas in the colours of the comparison's rows that shares its viewport with its neighbours."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPoint, QPointF, QSize, Signal
from PySide6.QtGui import QFocusEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from gui.canvas.graph.palette import CanvasPalette, canvas_palette
from gui.canvas.graph.pointed_scene import PointedScene
from gui.canvas.graph.viewport import Viewport
from gui.canvas.graph.way_back import WayBack
from gui.editors.comparison.canvases.linking import Laid, Linking
from gui.editors.comparison.canvases.pane_pointer import PanePointer
from gui.editors.comparison.canvases.pane_surface import PaneSurface
from gui.editors.comparison.state import CompareState
from gui.look.theme import Theme
from gui.panels.comparison.marks import Marks, marks_of
from gui.panels.comparison.rows import names_width, row_headers, scene_of_plan
from gui.panels.comparison.words import card_words, described, hover_text
from gui.words.methods import shown_name
from planner.model.graph import Ints

NOTHING = np.empty(0, np.int32)


class PlanPane(PointedScene):
    """Plan ``index`` of a state. ``calm`` fades what stays, so that moved ops stand out.

    ``carried(ops, QPoint)`` while ops are dragged (None ends it), ``dropped(ops, QPoint)`` where they are let go.
    """

    carried = Signal(object, QPoint)
    dropped = Signal(object, QPoint)
    focused = Signal()

    _surface: PaneSurface
    _pointer: PanePointer

    def __init__(
        self, state: CompareState, linking: Linking, index: int, theme: Theme, parent: QWidget | None = None
    ) -> None:
        super().__init__(state.document, theme, parent)
        self.state, self.linking, self.index = state, linking, index
        self.calm = True
        self._numbers: tuple[int, ...] | None = None
        self._surface = self.make_surface()
        self._pointer = PanePointer(self, state, self.ops_of, self.carry, self.drop)
        self.setMinimumSize(200, 120)
        WayBack(self)
        self.viewport_changed.connect(lambda: linking.moved(self))
        state.selection_changed.connect(self._selection_changed)
        state.hover_changed.connect(self.repaint_attention)
        state.pair_changed.connect(self._pair_changed)

    def make_surface(self) -> PaneSurface:
        """What paints the pane."""
        return PaneSurface(self, self.state)

    # ------------------------------------------------------------------ state
    @property
    def plans(self) -> tuple[int, ...]:
        """The plans that are drawn."""
        return (self.index,)

    @property
    def marks(self) -> Marks:
        """What moved between the plans that lists are about."""
        return self._surface.marks

    @property
    def room(self) -> tuple[float, float]:
        """What a layout should fill."""
        self.view = self.state.view
        return self._layout_room()

    @property
    def row_header_width(self) -> float:
        """The margin for names of rows in the flow view, as on the canvas of one plan; none where a pane is too narrow for it."""
        comparison = self.state.comparison
        return 0.0 if comparison is None else names_width(comparison.graph, self.view, self.width())

    @property
    def chosen_place(self) -> bool:
        """Whether someone chose what to look at."""
        return self._moved_by_hand

    @property
    def palette_now(self) -> CanvasPalette:
        """One colour for each row."""
        return canvas_palette(self.theme, 1 if self.scene is None else self.scene.k, self._numbers)

    def holds(self, global_pos: QPoint) -> bool:
        """Whether a place on the screen is on this pane."""
        return self.isVisible() and self.rect().contains(self.mapFromGlobal(global_pos))

    def set_calm(self, calm: bool) -> None:
        """Whether ops that stay are faded."""
        self.calm = calm
        self._mark()
        self.repaint_scene()

    # ------------------------------------------------------------------ what is drawn
    def take_layouts(self, laid: Laid, fit: bool, animate: bool) -> None:
        """Draw a plan as it is laid out; cards glide where they move."""
        before = self.scene
        layout = laid.layouts[self.index]
        comparison = laid.comparison
        self.view = laid.view
        alone = len(self.plans) == 1
        scene = scene_of_plan(
            comparison,
            self.index,
            laid.items,
            laid.skeleton,
            layout,
            laid.view,
            alone,
            laid.edges[self.index],
        )
        self.scene, self._numbers = scene, comparison.numbers
        self._surface.headers = row_headers(comparison, self.index) if layout.lanes else None
        self._mark()
        if fit:
            self._fit_pending = False
            self._place_viewport()
        else:
            self.viewport.left = self._header_px()
        gliding = animate and before is not None and before.items is laid.items and self.isVisible()
        if gliding and before is not None and self._glide.start(before.x, before.y, layout.x, layout.y):
            scene.x, scene.y = self._glide.x, self._glide.y
            scene.settled = False
        else:
            self._glide.stop()
        self._describe()
        self.repaint_scene()

    def take_viewport(self, viewport: Viewport) -> None:
        """Look where another pane looks."""
        mine = self.viewport
        mine.scale, mine.ox, mine.oy = viewport.scale, viewport.ox, viewport.oy
        self._moved_by_hand, self._walking = True, False
        self.repaint_scene()

    def look_at_all(self) -> None:
        """Nobody chose a part to look at: another size shows everything again."""
        self._moved_by_hand = False

    def _mark(self) -> None:
        scene, comparison = self.scene, self.state.comparison
        if scene is None or comparison is None or self.index >= len(comparison.plans):
            return
        marks = self._surface.marks = marks_of(comparison, scene.items, self.index, self.state.shown)
        quiet = self.calm and marks.moved.any() and not marks.moved.all()
        scene.highlighted = marks.moved if quiet else np.zeros(scene.items.count, bool)
        self._show_selection()

    def _pair_changed(self) -> None:
        self._mark()
        self._describe()
        self.repaint_scene()

    def _selection_changed(self) -> None:
        self._show_selection()
        self._describe()
        self.repaint_scene()
        self.told.say_current()

    def _describe(self) -> None:
        comparison = self.state.comparison
        if comparison is None or self.index >= len(comparison.plans):
            self.setAccessibleName("Plan canvas")
            return
        self.setAccessibleName(
            f"Plan {comparison.letter(self.index)}, {shown_name(comparison.figures(self.index).name)}, {self.state.view} view"
        )
        self.setAccessibleDescription(described(comparison, self.index, self.state.selection))

    # ------------------------------------------------------------------ what follows the pointer
    @property
    def selection(self) -> Ints:
        """The comparison's."""
        return self.state.selection

    def select(self, ops: Ints, mode: str = "replace") -> None:
        """In every pane."""
        self.state.select(ops, mode)

    def hover_op(self, op: int) -> None:
        """In every pane."""
        self.state.hover_op(op)

    def look_at(self, ops: Ints | None) -> None:
        """In every pane."""
        if ops is None:
            self.linking.fit()
        else:
            self.linking.zoom_to_ops(ops)

    def go_to(self, op: int) -> None:
        """In every pane."""
        self.linking.reveal(op)

    def go_back(self) -> None:
        """In every pane."""
        self.linking.look_back()

    def ops_of(self, row: int) -> Ints:
        """The ops that the plan has in a row."""
        comparison = self.state.comparison
        if comparison is None:
            return NOTHING
        return np.flatnonzero(comparison.places[self.index] == row).astype(np.int32)

    def ops_on(self, device: int) -> Ints:
        """The ops that the plan has in a row."""
        return self.ops_of(device)

    def card_words(self, item: int) -> tuple[list[str], list[str]]:
        """Name, kind and the work here; where it is in every plan."""
        comparison, scene = self.state.comparison, self.scene
        if comparison is None or scene is None:
            return [], []
        return card_words(comparison, self.index, scene.items, item)

    def carry(self, ops: Ints | None, global_pos: QPoint) -> None:
        """Ops are on their way to another pane; None ends it."""
        self.carried.emit(ops, global_pos)

    def drop(self, ops: Ints, global_pos: QPoint) -> None:
        """Ops are let go."""
        self.dropped.emit(ops, global_pos)

    def say_hover(self, position: QPointF) -> None:
        """The card about what is at a position."""
        item, comparison = self.item_at(position), self.state.comparison
        text = ""
        if item >= 0 and self.scene is not None and comparison is not None and not self._pointer.busy:
            text = hover_text(comparison, self.index, self.scene.items, item)
        self.say_about(position, text)

    def stop(self) -> None:
        """End a gesture and an animation."""
        self._pointer.stop("closing")
        self._glide.stop()

    # ------------------------------------------------------------------ events
    def focusInEvent(self, event: QFocusEvent) -> None:
        """The line around the pane appears."""
        super().focusInEvent(event)
        self.focused.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay out for another shape."""
        ratio = self.devicePixelRatioF()
        self.viewport.resize(int(self.width() * ratio), int(self.height() * ratio))
        self.linking.resized()
        self.repaint_scene()

    def sizeHint(self) -> QSize:
        """Room for a graph."""
        return QSize(560, 420)
