"""A scene that is pointed at: mouse, keys and focus go to a pointer; a card tells about what is hovered."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Protocol

import numpy as np
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QFocusEvent, QKeyEvent, QMouseEvent, QPaintEvent, QWheelEvent
from PySide6.QtWidgets import QWidget

from gui.canvas.graph.animation import Glide
from gui.canvas.graph.consequence import Consequence
from gui.canvas.graph.header_data import HeaderData
from gui.canvas.graph.kept_pixels import KeptPixels
from gui.canvas.graph.palette import CanvasPalette
from gui.canvas.graph.scene_widget import SceneWidget
from gui.canvas.graph.told import SceneTold
from gui.canvas.graph.tooltip import HoverCard, header_tooltip
from gui.look.theme import Theme
from gui.widgets.accessible import Contents, Role
from planner.model.graph import Ints

if TYPE_CHECKING:
    from gui.document.plan.document import Document


class Hand(Protocol):
    """What becomes of mouse and keys on a scene (see :class:`gui.canvas.graph.pointer_base.PointerBase`)."""

    @property
    def cursor(self) -> int:
        """The op that was clicked or walked to last, -1 for none."""

    @property
    def busy(self) -> bool:
        """Whether a gesture goes on."""

    def header_at(self, position: QPointF) -> int:
        """The device whose header is under a position, -1 for none."""

    def press(self, event: QMouseEvent) -> None:
        """A button went down."""

    def move(self, event: QMouseEvent) -> None:
        """The pointer moved, with or without a button held."""

    def release(self, event: QMouseEvent) -> None:
        """A button went up."""

    def double_click(self, event: QMouseEvent) -> None:
        """A button went down twice."""

    def wheel(self, event: QWheelEvent) -> None:
        """The wheel turned, or fingers moved on a touchpad."""

    def key_press(self, event: QKeyEvent) -> bool:
        """A key went down; returns whether it means something here."""

    def key_release(self, event: QKeyEvent) -> bool:
        """A key went up; returns whether it means something here."""

    def lose_focus(self) -> None:
        """Keys may be released elsewhere."""

    def stop(self, reason: str) -> None:
        """Cancel whatever is going on."""


class PointedScene(SceneWidget):
    """What the canvas and the panes of a comparison share. Subclasses say what is selected and hovered.

    ``context_menu(place on the screen, op)``: a menu is wanted about an op (-1 for none).
    """

    context_menu = Signal(QPoint, int)
    card_clicked = Signal()
    """A card was clicked, and its ops are selected."""
    left_alone = Signal()
    """Escape was pressed with nothing selected: what stands out otherwise need not any more."""

    _surface: KeptPixels
    _pointer: Hand

    def __init__(self, document: Document, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.document = document
        self.theme = theme
        self._hover_card = HoverCard(self)
        self._glide = Glide(self)
        self._glide.stepped.connect(self._glided)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent, True)

    # ------------------------------------------------------------------ for assistive technology
    @cached_property
    def told(self) -> Contents:
        """What is on screen, item by item."""
        told = SceneTold(self)
        return Contents(self, Role.Canvas, told.keys, told.item, told.current)

    @property
    def lane_headers(self) -> HeaderData | None:
        """What the headers of the lanes say."""
        return self._surface.headers

    @property
    def cursor_op(self) -> int:
        """The op that was clicked or walked to last, -1 for none."""
        return self._pointer.cursor

    # ------------------------------------------------------------------ what is shown and done here; subclasses say
    @property
    def consequences(self) -> list[Consequence]:
        """What a drop on each device would give; empty while nothing is dragged."""
        return []

    def ops_on(self, device: int) -> Ints:
        """The ops that a device has."""
        raise NotImplementedError

    def card_words(self, item: int) -> tuple[list[str], list[str]]:
        """What a card is called, and what else there is to say of it."""
        raise NotImplementedError

    @property
    def palette_now(self) -> CanvasPalette:
        """The colours of what is shown."""
        raise NotImplementedError

    @property
    def selection(self) -> Ints:
        """The ops that are selected."""
        raise NotImplementedError

    def select(self, ops: Ints, mode: str = "replace") -> None:
        """Select ops: ``replace``, ``add`` or ``toggle``."""
        raise NotImplementedError

    def hover_op(self, op: int) -> None:
        """The pointer is on an op, -1 for none."""
        raise NotImplementedError

    def say_hover(self, position: QPointF) -> None:
        """Show the card about what is at a position (logical pixels), or hide it."""
        raise NotImplementedError

    def say_about(self, position: QPointF, text: str) -> None:
        """Show ``text`` at a position; without any what there is to say about the device whose header is there, else nothing."""
        device = -1 if self._pointer.busy else self._pointer.header_at(position)
        if not text and device >= 0 and self.lane_headers is not None:
            text = header_tooltip(self.lane_headers, device)
        if text:
            self._hover_card.show_at(position.toPoint(), text, self.theme)
        else:
            self._hover_card.hide()

    def look_at(self, ops: Ints | None) -> None:
        """Show these ops as large as fits; None shows everything."""
        if ops is None:
            self.fit()
        else:
            self.zoom_to_ops(ops)

    def go_to(self, op: int) -> None:
        """Bring an op into sight."""
        self.reveal(op)

    def go_back(self) -> None:
        """Look where one looked before ops were brought into sight."""
        self.look_back()

    def stop_gesture(self, reason: str) -> None:
        """Cancel whatever is going on."""
        self._pointer.stop(reason)

    # ------------------------------------------------------------------ looks
    @property
    def animating(self) -> bool:
        """Whether cards are gliding to their places."""
        return self._glide.running

    def set_reduced_motion(self, reduced: bool) -> None:
        """Let cards jump instead of gliding."""
        self._glide.reduced = reduced

    def set_theme(self, theme: Theme) -> None:
        """Other colours."""
        self.theme = theme
        self.repaint_scene()

    def show_band(self, rect: QRectF | None) -> None:
        """Draw the rubber band; None ends it."""
        self._surface.band = rect
        self.update()

    def _glided(self) -> None:
        self.show_places(self._glide.x, self._glide.y)

    def _show_selection(self) -> None:
        if self.scene is not None:
            self.scene.select(self.selection)

    # ------------------------------------------------------------------ painting
    def repaint_scene(self) -> None:
        """Paint the scene again at the next occasion."""
        self._surface.stale()
        self.update()

    def repaint_attention(self) -> None:
        """Paint what stands out (hovered, selected, dragged) again."""
        self._surface.over_stale = True
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Only what is stale is painted again."""
        self._surface.paint()

    # ------------------------------------------------------------------ mouse and keys
    def mousePressEvent(self, event: QMouseEvent) -> None:
        """See the pointer, as for the next ones."""
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
        """Unfold or zoom."""
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
        self.hover_op(-1)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Ask for a menu about the op under the pointer (or the selection, by keyboard)."""
        op = -1
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            op = int(self.selection[0]) if len(self.selection) else -1
        else:
            item = self.item_at(QPointF(event.pos()))
            if item >= 0 and self.scene is not None:
                ops = self.scene.items.ops(item)
                op = int(ops[0])
                if not np.isin(ops, self.selection).all():
                    self.select(ops)
        self.context_menu.emit(event.globalPos(), op)

    def event(self, event: QEvent) -> bool:
        """Tooltips are made when asked for."""
        if event.type() == QEvent.Type.ToolTip:
            self.say_hover(QPointF(self.mapFromGlobal(event.globalPos())))  # type: ignore[attr-defined]
            return True
        return super().event(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """The keyboard is on the card walked to last."""
        super().focusInEvent(event)
        self.told.say_current()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """A gesture does not outlive the focus, except for its own question."""
        self._pointer.lose_focus()
        if event.reason() == Qt.FocusReason.ActiveWindowFocusReason:
            self.stop_gesture("the window lost the focus")
        super().focusOutEvent(event)
