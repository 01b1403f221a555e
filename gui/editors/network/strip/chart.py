"""The order strip as a widget: drag a block, click to select, wheel to zoom; everything by keyboard too."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QPointF, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPixmap,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui.canvas.graph.tooltip import HoverCard
from gui.editors.network.strip.counting import Counting
from gui.editors.network.strip.drag import Drag
from gui.editors.network.strip.layout import StripLayout
from gui.editors.network.strip.painter import Scene, paint_over, paint_strip
from gui.editors.network.strip.pointing import card_at, neuron_at
from gui.editors.network.strip.words import drag_card, run_words
from gui.look.theme import Theme
from gui.panels.network.base import GUTTER
from gui.widgets.accessible import Contents, Item, Role
from planner.machines.two_level_memory.orders.blocks import BlockMove

if TYPE_CHECKING:
    from gui.document.network.document import OrderDocument
    from planner.machines.two_level_memory.evaluator import Counts

DRAG = 4
"""Pixels that make a press a drag."""
EDGE_EVERY, EDGE_STEP = 30, 14.0
"""Milliseconds between two steps of the view while a block is held beyond its edge, and pixels of each."""
STEP = 1.25
"""What one notch of the wheel zooms by."""
KEYS = (
    "Left and right go from run to run, Alt with them moves the block to the next place, Alt and Shift to the next better"
    " one, B to the best one. Plus and minus zoom, Home shows everything."
)


class StripChart(QWidget):
    """Shows one :class:`Scene` of a document; it asks for moves and says what a drag would do, and changes nothing itself."""

    move_wanted = Signal(int, int)
    """(neuron, start)"""
    step_wanted = Signal(int, bool)
    """(-1 earlier or 1 later, whether to the next better place)"""
    best_wanted = Signal()
    walk_wanted = Signal(int)
    """Select the block before (-1) or behind (1)."""
    drag_changed = Signal()

    def __init__(
        self, document: OrderDocument, counting: Counting, theme: Theme, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.document, self.counting, self.theme = document, counting, theme
        self.scene: Scene | None = None
        self.layout_of = StripLayout(1, 1.0, 1.0)
        self._press: QPointF | None = None
        self._grabbed = -1
        self._lane = ""
        self._last = QPointF()
        self._card = HoverCard(self)
        self._edge = QTimer(self)
        self._edge.setInterval(EDGE_EVERY)
        self._edge.timeout.connect(self._pan_at_edge)
        self._picture: QPixmap | None = None
        """What stays between two events."""
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName("Order of connections")
        self.setAccessibleDescription(KEYS)

    def sizeHint(self) -> QSize:
        """Room for the ribbon and what is under it."""
        return QSize(720, 140)

    def minimumSizeHint(self) -> QSize:
        """Less shows nothing."""
        return QSize(220, 84)

    # ------------------------------------------------------------------ contents
    def show_scene(self, scene: Scene | None, another_network: bool) -> None:
        """Show another scene; the view stays where it was unless the network is another one."""
        drag = self.drag
        before, self.scene = self.scene, scene
        count = 1 if scene is None else int(scene.runs.begin[-1])
        if another_network or count != self.layout_of.count:
            self.layout_of = StripLayout(max(1, count), float(self.width()), float(self.height()))
        if drag is not None and scene is not None:
            scene.drag = drag if drag.move.order is self.document.order else None
            if scene.drag is None:
                self.cancel_drag()
        self._card.hide()
        self.told.say_current()
        if scene is not None and scene.looks_like(before) and not another_network:
            self.update()
        else:
            self.redraw()

    def set_theme(self, theme: Theme) -> None:
        """Other colours."""
        self.theme = theme
        self.redraw()

    @property
    def drag(self) -> Drag | None:
        """The block being dragged."""
        return None if self.scene is None else self.scene.drag

    def fit(self) -> None:
        """Show the whole order."""
        self.layout_of.fit()
        self._card.hide()
        self.redraw()

    def zoom_by(self, factor: float, x: float | None = None) -> None:
        """Zoom around a point, or around the moment shown where that is in sight, or the middle."""
        layout = self.layout_of
        if x is None:
            now, middle = layout.x(self.document.position), GUTTER + layout.plot_width / 2
            x = middle if self._beyond(now) else now
        layout.zoom(factor, x)
        self._card.hide()
        self.redraw()

    def show_block(self) -> None:
        """Pan to where the selected block begins, if that is out of sight."""
        if self.scene is not None and self.scene.move is not None:
            at = self.scene.move.at
            self.layout_of.show(float(at[0]), float(min(at[-1] + 1, at[0] + len(at))))
            self.redraw()

    # ------------------------------------------------------------------ for assistive technology
    @cached_property
    def told(self) -> Contents:
        """The runs in sight."""
        return Contents(self, Role.Chart, self._runs_in_sight, self._run, self._run_of_selection)

    def _runs_in_sight(self) -> Sequence[int]:
        if self.scene is None:
            return ()
        first, last = (min(int(at), self.layout_of.count - 1) for at in self.layout_of.seen)
        return range(self.scene.runs.at(first), self.scene.runs.at(last) + 1)

    def _run_of_selection(self) -> int | None:
        move = None if self.scene is None else self.scene.move
        return None if self.scene is None or move is None else self.scene.runs.at(int(move.at[0]))

    def _run(self, key: Hashable) -> Item | None:
        scene, layout = self.scene, self.layout_of
        if scene is None or not isinstance(key, int) or key >= len(scene.runs):
            return None
        begin, end = int(scene.runs.begin[key]), int(scene.runs.begin[key + 1])
        neuron, (top, height) = int(scene.runs.neuron[key]), layout.ribbon
        return Item(
            run_words(scene.network, scene.runs, key),
            QRectF(layout.x(begin), top, layout.x(end) - layout.x(begin), height),
            selected=scene.move is not None and scene.move.neuron == neuron,
            act=lambda: self.document.select(neuron),
        )  # fmt: skip

    # ------------------------------------------------------------------ painting
    def redraw(self) -> None:
        """Paint everything anew; ``update()`` alone paints other blocks, another place of a drag or moment."""
        self._picture = None
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The order fills the new size."""
        self.layout_of.resize(float(self.width()), float(self.height()))
        self._card.hide()
        self.redraw()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint what is shown; what stays is kept as a picture."""
        if self.scene is None:
            return
        ratio = self.devicePixelRatioF()
        if self._picture is None or self._picture.devicePixelRatio() != ratio:
            self._picture = QPixmap(self.size() * ratio)
            self._picture.setDevicePixelRatio(ratio)
            self._picture.fill(Qt.GlobalColor.transparent)
            painter = QPainter(self._picture)
            paint_strip(painter, self.layout_of, self.scene, self.theme, ratio)
            painter.end()
        painter = QPainter(self)
        painter.drawPixmap(0, 0, self._picture)
        moment = self.document.position
        paint_over(painter, self.layout_of, self.scene, moment, self.theme, self.hasFocus())

    # ------------------------------------------------------------------ the mouse
    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A press may become a drag of a block, a pan, or a choice of the moment."""
        if self.scene is None:
            return
        if event.button() == Qt.MouseButton.RightButton:
            self.cancel_drag()
            return
        at = event.position()
        self._press = self._last = at
        self._card.hide()
        self._lane = self.layout_of.lane_at(at.y())
        if event.button() == Qt.MouseButton.MiddleButton:
            self._lane = "pan"
        elif self._lane in ("block", "ribbon"):
            self._grabbed = neuron_at(self.layout_of, self.scene, self.document.order, at.x(), at.y())
        elif self._lane == "density":
            self.document.set_position(round(self.layout_of.position(at.x())))
        else:
            self._overview_to(at.x())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Follow the pointer."""
        if self.scene is None:
            return
        at = event.position()
        last, self._last = self._last, at
        if self.drag is not None:
            freely = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            self._drag_to(at, freely)
        elif self._press is None:
            self._hover(at)
        elif self._lane == "pan":
            self.layout_of.pan(at.x() - last.x())
            self.redraw()
        elif self._lane == "density":
            self.document.set_position(round(self.layout_of.position(at.x())))
        elif self._lane == "overview":
            self._overview_to(at.x())
        elif abs(at.x() - self._press.x()) >= DRAG and self._grabbed >= 0:
            self._begin_drag(at)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Drop, or choose what was clicked."""
        drag, pressed = self.drag, self._press
        self._press = None
        self.unsetCursor()
        if self.scene is None or pressed is None:
            return
        if drag is not None:
            self._end_drag()
            if drag.legal:
                self.move_wanted.emit(drag.move.neuron, drag.place)
        elif self._lane in ("block", "ribbon") and event.button() == Qt.MouseButton.LeftButton:
            self.document.select(self._grabbed)
        self._grabbed = -1

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Show everything, or come closer where everything is shown."""
        self._press = None
        if self.layout_of.fitted:
            self.zoom_by(STEP**8, event.position().x())
        else:
            self.fit()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom around the pointer; with Shift, or sideways, pan."""
        delta = event.angleDelta()
        if delta.x() or event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self.layout_of.pan((delta.x() or delta.y()) / 2)
        else:
            self.layout_of.zoom(STEP ** (delta.y() / 120), event.position().x())
        self._card.hide()
        self.redraw()
        event.accept()

    def leaveEvent(self, event: object) -> None:
        """Nothing is under the pointer."""
        self._card.hide()
        self.document.set_hover(-1)

    def _overview_to(self, x: float) -> None:
        self.layout_of.centre((x - GUTTER) / self.layout_of.fitting)
        self.redraw()

    def _hover(self, at: QPointF) -> None:
        assert self.scene is not None
        neuron = neuron_at(self.layout_of, self.scene, self.document.order, at.x(), at.y())
        self.document.set_hover(neuron)
        self.setCursor(Qt.CursorShape.OpenHandCursor if neuron >= 0 else Qt.CursorShape.ArrowCursor)
        text = card_at(self.layout_of, self.scene, self.document.order, at.x(), at.y())
        if text:
            self._card.show_at(at.toPoint(), text, self.theme)
        else:
            self._card.hide()

    # ------------------------------------------------------------------ dragging
    def _begin_drag(self, at: QPointF) -> None:
        assert self.scene is not None
        self.document.select(self._grabbed)
        move = BlockMove(self.scene.network, self.document.order, self._grabbed)
        self.scene.move = move
        self.scene.drag = Drag(move, place=-1)
        self.setCursor(Qt.CursorShape.ClosedHandCursor)
        self._card.hide()
        self._drag_to(at, False)

    def _drag_to(self, at: QPointF, freely: bool) -> None:
        drag = self.drag
        assert drag is not None
        if drag.go_to(self.layout_of.position(at.x()), self.layout_of.scale, freely) and drag.legal:
            place = drag.place
            self.counting.count(drag.move, place, lambda counts: self._counted(drag, place, counts))
        self.setCursor(Qt.CursorShape.ClosedHandCursor if drag.legal else Qt.CursorShape.ForbiddenCursor)
        self._tell(at.toPoint())
        if self._beyond(at.x()) and not self.layout_of.fitted:
            self._edge.start()

    def _beyond(self, x: float) -> int:
        """1 left of the order, -1 right of it: which way the picture goes to show more of it."""
        return int(x < GUTTER) - int(x > GUTTER + self.layout_of.plot_width)

    def _pan_at_edge(self) -> None:
        """A block held beyond the edge of the view brings what lies there into sight."""
        side, before = self._beyond(self._last.x()), self.layout_of.left
        if self.drag is not None and side:
            self.layout_of.pan(side * EDGE_STEP)
        if self.layout_of.left == before:
            self._edge.stop()
            return
        self.redraw()
        self._drag_to(self._last, False)

    def _counted(self, drag: Drag, place: int, counts: Counts) -> None:
        if drag is self.drag and drag.place == place:
            drag.counts = counts
            self._tell(self._last.toPoint())

    def _tell(self, at: QPoint) -> None:
        drag = self.drag
        assert drag is not None
        self._card.show_at(at, drag_card(drag, self.document.evaluation), self.theme)
        self.drag_changed.emit()
        self.update()

    def _end_drag(self) -> None:
        self._edge.stop()
        if self.scene is not None:
            self.scene.drag = None
        self._card.hide()
        self.unsetCursor()
        self.drag_changed.emit()
        self.update()

    def cancel_drag(self) -> bool:
        """Leave everything as it is; whether there was a drag."""
        was = self.drag is not None
        self._press, self._grabbed = None, -1
        self._end_drag()
        return was

    # ------------------------------------------------------------------ the keyboard
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """See :data:`KEYS`."""
        side = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()))
        held = event.modifiers()
        keys: dict[int, Callable[[], object]] = {
            Qt.Key.Key_Plus: lambda: self.zoom_by(STEP**2),
            Qt.Key.Key_Equal: lambda: self.zoom_by(STEP**2),
            Qt.Key.Key_Minus: lambda: self.zoom_by(STEP**-2),
            Qt.Key.Key_Home: self.fit,
            Qt.Key.Key_B: self.best_wanted.emit,
        }
        if self.scene is None or held & Qt.KeyboardModifier.ControlModifier:
            super().keyPressEvent(event)
        elif side is not None and held & Qt.KeyboardModifier.AltModifier:
            self.step_wanted.emit(side, bool(held & Qt.KeyboardModifier.ShiftModifier))
        elif side is not None:
            self.walk_wanted.emit(side)
        elif event.key() in keys:
            keys[event.key()]()
        elif event.key() != Qt.Key.Key_Escape or not (self.cancel_drag() or self._unselect()):
            super().keyPressEvent(event)

    def _unselect(self) -> bool:
        was = self.document.selection >= 0
        self.document.select(-1)
        return was
