"""One plan beside others: a canvas in the colours of the comparison's rows that shares its viewport with its neighbours."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QWidget

from gui.canvas.animation import Glide
from gui.canvas.palette import CanvasPalette, canvas_palette
from gui.canvas.scene import Scene
from gui.canvas.scene_widget import SceneWidget
from gui.canvas.tooltip import HoverCard
from gui.canvas.viewport import Viewport
from gui.compare.linking import Laid, Linking
from gui.compare.pane_marks import Marks, marks_of
from gui.compare.pane_pointer import PanePointer
from gui.compare.pane_rows import row_devices, row_headers, violating_ops
from gui.compare.pane_surface import PaneSurface
from gui.compare.pane_words import described, hover_text
from gui.compare.state import CompareState
from gui.theme import Theme
from planner.graph import Ints

NOTHING = Marks(np.zeros(0, bool), np.zeros(0, np.int32), ())


class PlanPane(SceneWidget):
    """Plan ``index`` of a state. ``calm`` fades what stays, so that moved ops stand out.

    ``carried(ops, QPoint)`` while ops are dragged (None ends it), ``dropped(ops, QPoint)`` where they are let go,
    ``menu_requested(QPoint, op)``.
    """

    carried = Signal(object, QPoint)
    dropped = Signal(object, QPoint)
    menu_requested = Signal(QPoint, int)
    focused = Signal()

    def __init__(
        self, state: CompareState, linking: Linking, index: int, theme: Theme, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.state, self.linking, self.index, self.theme = state, linking, index, theme
        self.calm = True
        self.marks = NOTHING
        self._surface = self.make_surface()
        self._pointer = PanePointer(self)
        self._hover_card = HoverCard(self)
        self._glide = Glide(self)
        self._glide.stepped.connect(lambda: self.show_places(self._glide.x, self._glide.y))
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent, True)
        self.setMinimumSize(200, 120)
        self.viewport_changed.connect(lambda: linking.moved(self))
        state.selection_changed.connect(self._selection_changed)
        state.hover_changed.connect(self.repaint_attention)
        state.pair_changed.connect(self._pair_changed)

    def make_surface(self) -> PaneSurface:
        """What paints the pane."""
        return PaneSurface(self)

    # ------------------------------------------------------------------ state
    @property
    def plans(self) -> tuple[int, ...]:
        """The plans that are drawn."""
        return (self.index,)

    @property
    def room(self) -> tuple[float, float]:
        """What a layout should fill."""
        self.view = self.state.view
        return self._layout_room()

    @property
    def chosen_place(self) -> bool:
        """Whether someone chose what to look at."""
        return self._moved_by_hand

    @property
    def animating(self) -> bool:
        """Whether cards glide."""
        return self._glide.running

    @property
    def palette_now(self) -> CanvasPalette:
        """One colour for each row."""
        return canvas_palette(self.theme, 1 if self.scene is None else self.scene.k)

    def holds(self, global_pos: QPoint) -> bool:
        """Whether a place on the screen is on this pane."""
        return self.isVisible() and self.rect().contains(self.mapFromGlobal(global_pos))

    def set_theme(self, theme: Theme) -> None:
        """Other colours."""
        self.theme = theme
        self.repaint_scene()

    def set_reduced_motion(self, reduced: bool) -> None:
        """Let cards jump."""
        self._glide.reduced = reduced

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
        comparison, rows = laid.comparison, len(laid.comparison.rows)
        self.view = laid.view
        device, mixed = laid.items.devices(comparison.places[self.index], rows)
        evaluator = comparison.plans[self.index].problem.evaluator
        scene = Scene(
            laid.items, laid.skeleton, layout, laid.view, device, mixed, rows, layout.x.copy(), layout.y.copy(),
            devices=row_devices(comparison, self.index), size=evaluator.size, work=evaluator.op_work[0],
        )  # fmt: skip
        scene.evaluation = comparison.plans[self.index].evaluation
        scene.violating = scene.mask(violating_ops(comparison, self.index))
        scene.pinned = scene.mask(np.flatnonzero(evaluator.pinned >= 0))
        self.scene = scene
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
        self._moved_by_hand = True
        self.repaint_scene()

    def look_at_all(self) -> None:
        """Nobody chose a part to look at: another size shows everything again."""
        self._moved_by_hand = False

    def _mark(self) -> None:
        scene, comparison = self.scene, self.state.comparison
        if scene is None or comparison is None or self.index >= len(comparison.plans):
            return
        self.marks = marks_of(comparison, scene.items, self.index, self.state.shown)
        quiet = self.calm and self.marks.moved.any() and not self.marks.moved.all()
        scene.highlighted = self.marks.moved if quiet else np.zeros(scene.items.count, bool)
        scene.selected = scene.mask(self.state.selection)

    def _pair_changed(self) -> None:
        self._mark()
        self._describe()
        self.repaint_scene()

    def _selection_changed(self) -> None:
        if self.scene is not None:
            self.scene.selected = self.scene.mask(self.state.selection)
        self._describe()
        self.repaint_scene()

    def _describe(self) -> None:
        comparison = self.state.comparison
        if comparison is None or self.index >= len(comparison.plans):
            self.setAccessibleName("Plan canvas")
            return
        plan = comparison.plans[self.index]
        self.setAccessibleName(f"Plan {comparison.letter(self.index)}, {plan.name}, {self.state.view} view")
        self.setAccessibleDescription(described(comparison, self.index, self.state.selection))

    # ------------------------------------------------------------------ what follows the pointer
    def show_band(self, rect: QRectF | None) -> None:
        """Draw the rubber band; None ends it."""
        self._surface.band = rect
        self.update()

    def carry(self, ops: Ints | None, global_pos: QPoint) -> None:
        """Ops are on their way to another pane; None ends it."""
        self.carried.emit(ops, global_pos)

    def say_hover(self, position: QPointF) -> None:
        """The card about what is at a position."""
        item, comparison = self.item_at(position), self.state.comparison
        if item < 0 or self.scene is None or comparison is None or self._pointer.busy:
            self._hover_card.hide()
            return
        text = hover_text(comparison, self.index, self.scene.items, item)
        self._hover_card.show_at(position.toPoint(), text, self.theme)

    def stop(self) -> None:
        """End a gesture and an animation."""
        self._pointer.stop()
        self._glide.stop()

    # ------------------------------------------------------------------ painting
    def repaint_scene(self) -> None:
        """Paint the scene again at the next occasion."""
        self._surface.stale()
        self.update()

    def repaint_attention(self) -> None:
        """Paint what is pointed at again."""
        self._surface.over_stale = True
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Only what is stale is painted again."""
        self._surface.paint()

    # ------------------------------------------------------------------ events
    def mousePressEvent(self, event: QMouseEvent) -> None:
        """See :class:`~gui.compare.pane_pointer.PanePointer`, as for the next ones."""
        self._hover_card.hide()
        self._pointer.press(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Drag or hover."""
        self._hover_card.hide()
        self._pointer.move(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Drop or click."""
        self._pointer.release(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Zoom to what is there."""
        self._pointer.double_click(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom or pan."""
        self._hover_card.hide()
        self._pointer.wheel(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Walk, zoom, cancel."""
        if not self._pointer.key_press(event):
            super().keyPressEvent(event)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        """The end of panning with space."""
        if not self._pointer.key_release(event):
            super().keyReleaseEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        """Nothing is hovered."""
        self._hover_card.hide()
        self.state.hover_op(-1)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Ask for a menu about the op under the pointer, or about the selection."""
        op = -1
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            op = int(self.state.selection[0]) if len(self.state.selection) else -1
        else:
            item = self.item_at(QPointF(event.pos()))
            if item >= 0 and self.scene is not None:
                ops = self.scene.items.ops(item)
                op = int(ops[0])
                if not np.isin(ops, self.state.selection).all():
                    self.state.select(ops)
        self.menu_requested.emit(event.globalPos(), op)

    def event(self, event: QEvent) -> bool:
        """Tool tips are made when asked for."""
        if event.type() == QEvent.Type.ToolTip:
            self.say_hover(QPointF(self.mapFromGlobal(event.globalPos())))  # type: ignore[attr-defined]
            return True
        return super().event(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """The line around the pane appears."""
        super().focusInEvent(event)
        self.update()
        self.focused.emit()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """A gesture does not outlive the focus."""
        self._pointer.lose_focus()
        if event.reason() == Qt.FocusReason.ActiveWindowFocusReason:
            self._pointer.stop()
        super().focusOutEvent(event)
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay out for another shape."""
        ratio = self.devicePixelRatioF()
        self.viewport.resize(int(self.width() * ratio), int(self.height() * ratio))
        self.linking.resized()
        self.repaint_scene()

    def sizeHint(self) -> QSize:
        """Room for a graph."""
        return QSize(560, 420)
