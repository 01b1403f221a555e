"""Mouse and keys on a pane: panning, selecting, carrying ops to another pane, walking."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QApplication

from gui.canvas.gestures.rubber_band import selection_mode
from gui.canvas.headers import HEADER_WIDTH, lane_extents
from gui.canvas.keyboard import neighbour

if TYPE_CHECKING:
    from gui.compare.pane import PlanPane

NOTHING = np.empty(0, np.int32)


class PanePointer:
    """The hand on a pane: one press at a time, which becomes a click, a pan, a rubber band or a drag of ops."""

    def __init__(self, pane: PlanPane) -> None:
        self._pane = pane
        self._pressed: QPointF | None = None
        self._button = Qt.MouseButton.NoButton
        self._item = -1
        self._doing = ""
        """What the press has become: empty, ``pan``, ``band`` or ``carry``."""
        self._space = False
        self._cursor = -1

    @property
    def busy(self) -> bool:
        """Whether a button is held."""
        return self._pressed is not None

    def lose_focus(self) -> None:
        """Keys may be released elsewhere."""
        self._space = False

    def stop(self) -> None:
        """Cancel whatever is going on."""
        if self._doing == "band":
            self._pane.show_band(None)
        elif self._doing == "carry":
            self._pane.carry(None, self._pane.cursor().pos())
        self._end()

    def _end(self) -> None:
        self._pressed, self._doing = None, ""
        self._pane.unsetCursor()

    # ------------------------------------------------------------------ mouse
    def press(self, event: QMouseEvent) -> None:
        """Left on a card selects or carries it, left on the ground draws a rubber band, middle or space pans."""
        if self.busy:
            return
        left = event.button() == Qt.MouseButton.LeftButton
        if not left and event.button() != Qt.MouseButton.MiddleButton:
            return
        self._pressed, self._button = event.position(), event.button()
        self._item = self._pane.item_at(event.position()) if left else -1
        if not left or self._space:
            self._begin("pan", Qt.CursorShape.ClosedHandCursor)

    def _begin(self, what: str, cursor: Qt.CursorShape) -> None:
        self._doing = what
        self._pane.setCursor(cursor)

    def move(self, event: QMouseEvent) -> None:
        """Go on with a press, or hover."""
        pane, position = self._pane, event.position()
        if self._pressed is None:
            item = pane.item_at(position)
            pane.state.hover_op(-1 if item < 0 or pane.scene is None else int(pane.scene.items.first[item]))
            return
        if not self._doing:
            if (position - self._pressed).manhattanLength() < QApplication.startDragDistance():
                return
            self._start(event.modifiers())
        if self._doing == "pan":
            pane.pan_by(position.x() - self._pressed.x(), position.y() - self._pressed.y())
            self._pressed = position
        elif self._doing == "band":
            pane.show_band(QRectF(self._pressed, position).normalized())
        elif self._doing == "carry":
            pane.carry(pane.state.selection, event.globalPosition().toPoint())

    def _start(self, modifiers: Qt.KeyboardModifier) -> None:
        pane = self._pane
        if pane.scene is None:
            return
        if self._item < 0:
            self._begin("band", Qt.CursorShape.CrossCursor)
            return
        ops = pane.scene.items.ops(self._item)
        if not np.isin(ops, pane.state.selection).all():
            pane.state.select(ops, "add" if modifiers & Qt.KeyboardModifier.ShiftModifier else "replace")
        self._begin("carry", Qt.CursorShape.DragCopyCursor)

    def release(self, event: QMouseEvent) -> None:
        """End a press."""
        if self._pressed is None or event.button() != self._button:
            return
        pane, doing, pressed = self._pane, self._doing, self._pressed
        self._end()
        if doing == "band":
            pane.show_band(None)
            found = pane.ops_in(QRectF(pressed, event.position()).normalized())
            pane.state.select(found, selection_mode(event.modifiers()))
        elif doing == "carry":
            where = event.globalPosition().toPoint()
            pane.carry(None, where)
            pane.dropped.emit(pane.state.selection, where)
        elif not doing:
            self._click(event)

    def _click(self, event: QMouseEvent) -> None:
        pane, scene = self._pane, self._pane.scene
        if scene is None:
            return
        mode = selection_mode(event.modifiers())
        if self._item >= 0:
            ops = scene.items.ops(self._item)
            self._cursor = int(ops[0])
            pane.state.select(ops, mode)
        elif mode == "replace":
            row = self._header_at(event.position())
            comparison = pane.state.comparison
            known = row >= 0 and comparison is not None
            pane.state.select(np.flatnonzero(comparison.places[pane.index] == row) if known else NOTHING)  # type: ignore[union-attr]

    def _header_at(self, position: QPointF) -> int:
        """The row whose header is under a position; clicking it selects the device's ops."""
        pane, scene = self._pane, self._pane.scene
        if scene is None or not scene.layout.lanes or position.x() >= HEADER_WIDTH:
            return -1
        y = position.y() * pane.devicePixelRatioF()
        extents = lane_extents(scene, pane.viewport)
        return next((row for row, (top, bottom) in enumerate(extents) if top <= y < bottom), -1)

    def double_click(self, event: QMouseEvent) -> None:
        """On a folded group: unfold it; on an op: zoom to it in all panes; on the ground: show everything."""
        pane = self._pane
        item = pane.item_at(event.position())
        if item < 0 or pane.scene is None:
            pane.linking.fit()
            return
        ops = pane.scene.items.ops(item)
        document = pane.state.document
        if len(ops) > 1 and document.grouping is not None:
            document.unfold([int(document.grouping.group_of[ops[0]])])
        else:
            pane.linking.zoom_to_ops(ops)

    def wheel(self, event: QWheelEvent) -> None:
        """The wheel zooms around the pointer; a touchpad, or the wheel with Shift, pans."""
        pixels, pane = event.pixelDelta(), self._pane
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier or pixels.isNull():
            step = event.angleDelta().y() or event.angleDelta().x()
            if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
                pane.pan_by(step / 2, 0)
            elif step:
                pane.zoom_by(1.0015**step, event.position())
        else:
            pane.pan_by(pixels.x(), pixels.y())
        event.accept()

    # ------------------------------------------------------------------ keys
    def key_press(self, event: QKeyEvent) -> bool:
        """Arrows walk over the ops in every pane, space pans, escape cancels."""
        pane, key = self._pane, event.key()
        if key == Qt.Key.Key_Escape and self.busy:
            self.stop()
        elif key == Qt.Key.Key_Escape and len(pane.state.selection):
            pane.state.select(NOTHING)
        elif key == Qt.Key.Key_Space and not event.isAutoRepeat():
            self._space = True
            pane.setCursor(Qt.CursorShape.OpenHandCursor)
        elif key in (Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Down):
            self._walk(Qt.Key(key), event.modifiers())
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
            pane.zoom_by(1.25)
        elif key == Qt.Key.Key_Minus:
            pane.zoom_by(0.8)
        else:
            return False
        return True

    def key_release(self, event: QKeyEvent) -> bool:
        """The end of panning with space."""
        if event.key() == Qt.Key.Key_Space and not event.isAutoRepeat():
            self._space = False
            if not self._doing:
                self._pane.unsetCursor()
            return True
        return False

    def _walk(self, key: Qt.Key, modifiers: Qt.KeyboardModifier) -> None:
        pane, scene = self._pane, self._pane.scene
        if scene is None or scene.items.count == 0:
            return
        current, selection = self._cursor, pane.state.selection
        if len(selection) and current not in selection:  # selected elsewhere since the last step
            current = int(selection[0])
        item = 0 if current < 0 else neighbour(scene, int(scene.items.item_of[current]), key)
        ops = scene.items.ops(item)
        self._cursor = int(ops[0])
        pane.state.select(ops, "add" if modifiers & Qt.KeyboardModifier.ShiftModifier else "replace")
        pane.linking.reveal(self._cursor)
