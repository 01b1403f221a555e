"""Mouse and keys on the canvas: which gesture a press becomes, clicks, hovering, zooming, walking."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QApplication

from gui.canvas.gestures import Gesture, MoveOps, Pan, RubberBand
from gui.canvas.gestures.rubber_band import selection_mode
from gui.canvas.headers import HEADER_WIDTH, lane_extents
from gui.canvas.keyboard import neighbour

if TYPE_CHECKING:
    from gui.canvas.view import CanvasView

NOTHING = np.empty(0, np.int32)


class Pointer:
    """The hand on a view: at most one press and one gesture at a time."""

    def __init__(self, view: CanvasView) -> None:
        self._view = view
        self.gesture: Gesture | None = None
        self.pressed: QPointF | None = None
        """Where a button went down that has not become a gesture."""
        self._button = Qt.MouseButton.NoButton
        self._item = -1
        self._space = False
        self._cursor = -1
        """The op that the arrow keys walked to last."""

    @property
    def busy(self) -> bool:
        """Whether a button is held or a gesture goes on."""
        return self.gesture is not None or self.pressed is not None

    def forget(self) -> None:
        """Another graph is open."""
        self._cursor = -1

    def lose_focus(self) -> None:
        """Keys may be released elsewhere."""
        self._space = False

    def press(self, event: QMouseEvent) -> None:
        """Left on a card selects or drags it, left on the ground draws a rubber band, middle or space pans."""
        if self._view.drops.choice.isVisible():
            self._view.drops.choice.dismiss()
            return
        if self.busy:
            return
        position, self._button = event.position(), event.button()
        if event.button() == Qt.MouseButton.MiddleButton or (
            event.button() == Qt.MouseButton.LeftButton and self._space
        ):
            self._begin(Pan(self._view, position))
            return
        if event.button() != Qt.MouseButton.LeftButton:
            return
        self.pressed = position
        self._item = self._view.item_at(position)

    def _begin(self, gesture: Gesture) -> None:
        self.gesture = gesture
        self._view.setCursor(gesture.cursor)

    def move(self, event: QMouseEvent) -> None:
        """Continue a gesture, start one beyond the drag distance, or hover."""
        position, global_pos = event.position(), event.globalPosition().toPoint()
        if self.gesture is not None:
            self.gesture.update(position, global_pos, event.modifiers())
            return
        if self.pressed is not None:
            if (position - self.pressed).manhattanLength() >= QApplication.startDragDistance():
                self._start_drag(event.modifiers())
                if self.gesture is not None:
                    self.gesture.update(position, global_pos, event.modifiers())
            return
        item = self._view.item_at(position)
        self._view.document.set_hover(
            -1 if item < 0 or self._view.scene is None else int(self._view.scene.items.first[item])
        )

    def _start_drag(self, modifiers: Qt.KeyboardModifier) -> None:
        assert self.pressed is not None
        start, self.pressed = self.pressed, None
        scene = self._view.scene
        if scene is None:
            return
        if self._item < 0:
            self._begin(RubberBand(self._view, start))
            return
        ops = scene.items.ops(self._item)
        if not np.isin(ops, self._view.document.selection).all():
            self._view.document.select(
                ops, "add" if modifiers & Qt.KeyboardModifier.ShiftModifier else "replace"
            )
        move = MoveOps(self._view, start)
        self._begin(move)
        move.begin(self._view.document.selection)

    def release(self, event: QMouseEvent) -> None:
        """End a gesture, or select what was clicked."""
        if event.button() != self._button:
            return
        if self.gesture is not None:
            gesture, self.gesture = self.gesture, None
            self._view.unsetCursor()
            gesture.finish(event.globalPosition().toPoint(), event.modifiers())
            return
        if self.pressed is None:
            return
        self.pressed = None
        if self._view.scene is None:
            return
        mode = selection_mode(event.modifiers())
        if self._item >= 0:
            ops = self._view.scene.items.ops(self._item)
            self._cursor = int(ops[0])
            self._view.document.select(ops, mode)
        elif (link := self._view.link_at(event.position())) >= 0 and self._view.links is not None:
            self._view.document.select(self._view.links.producers(link), mode)
        elif mode == "replace":
            device = self._header_at(event.position())
            self._view.document.select(
                NOTHING if device < 0 else np.flatnonzero(self._view.document.device_of == device)
            )

    def _header_at(self, position: QPointF) -> int:
        """The lane header under a position; clicking it selects the device's ops."""
        if self._view.scene is None or not self._view.scene.layout.lanes or position.x() >= HEADER_WIDTH:
            return -1
        y = position.y() * self._view.devicePixelRatioF()
        extents = lane_extents(self._view.scene, self._view.viewport)
        return next((d for d, (top, bottom) in enumerate(extents) if top <= y < bottom), -1)

    def double_click(self, event: QMouseEvent) -> None:
        """On a folded group: unfold it; on an op: zoom to it; on the ground: show everything."""
        item = self._view.item_at(event.position())
        if item < 0 or self._view.scene is None:
            self._view.fit()
            return
        ops = self._view.scene.items.ops(item)
        grouping = self._view.document.grouping
        if len(ops) > 1 and grouping is not None:
            self._view.document.unfold([int(grouping.group_of[ops[0]])])
        else:
            self._view.zoom_to_ops(ops)

    def wheel(self, event: QWheelEvent) -> None:
        """The wheel zooms around the pointer; a touchpad, or the wheel with Shift, pans."""
        pixels = event.pixelDelta()
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier or pixels.isNull():
            step = event.angleDelta().y() or event.angleDelta().x()
            if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
                self._view.pan_by(step / 2, 0)
            elif step:
                self._view.zoom_by(1.0015**step, event.position())
        else:
            self._view.pan_by(pixels.x(), pixels.y())
        event.accept()

    def key_press(self, event: QKeyEvent) -> bool:
        """Arrows walk along edges and columns, space pans, escape cancels."""
        key = event.key()
        if key == Qt.Key.Key_Escape and self.busy:
            self.stop("escape")
        elif key == Qt.Key.Key_Escape:
            self._view.document.select(NOTHING)
        elif key == Qt.Key.Key_Space and not event.isAutoRepeat():
            self._space = True
            self._view.setCursor(Qt.CursorShape.OpenHandCursor)
        elif key in (Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Down):
            self._walk(Qt.Key(key), event.modifiers())
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
            self._view.zoom_by(1.25)
        elif key == Qt.Key.Key_Minus:
            self._view.zoom_by(0.8)
        else:
            return False
        return True

    def key_release(self, event: QKeyEvent) -> bool:
        """The end of panning with space."""
        if event.key() == Qt.Key.Key_Space and not event.isAutoRepeat():
            self._space = False
            if self.gesture is None:
                self._view.unsetCursor()
            return True
        return False

    def _walk(self, key: Qt.Key, modifiers: Qt.KeyboardModifier) -> None:
        scene = self._view.scene
        if scene is None or scene.items.count == 0:
            return
        current, selection = self._cursor, self._view.document.selection
        if len(selection) and current not in selection:  # selected elsewhere since the last step
            current = int(selection[0])
        item = 0 if current < 0 else neighbour(scene, int(scene.items.item_of[current]), key)
        ops = scene.items.ops(item)
        self._cursor = int(ops[0])
        self._view.document.select(ops, "add" if modifiers & Qt.KeyboardModifier.ShiftModifier else "replace")
        self._view.reveal(self._cursor)

    def stop(self, reason: str) -> None:
        """Cancel whatever is going on."""
        if self.gesture is not None:
            self.gesture.cancel(reason)
            self.gesture = None
        self.pressed = None
        self._view.unsetCursor()
