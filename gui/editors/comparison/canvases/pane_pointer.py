"""Mouse and keys on a pane: panning, selecting, carrying ops to another pane, walking."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication

from gui.canvas.graph.gestures.rubber_band import selection_mode
from gui.canvas.graph.pointed_scene import PointedScene
from gui.canvas.graph.pointer_base import PointerBase
from gui.editors.comparison.state import CompareState
from planner.model.graph import Ints

NOTHING = np.empty(0, np.int32)


class PanePointer(PointerBase):
    """The hand on a pane: one press at a time, which becomes a click, a pan, a rubber band or a drag of ops.

    ``ops_of(row)`` are the ops that the pane's plan has in a row. ``carry(ops, QPoint)`` is called while ops are dragged
    (None ends it), ``drop(ops, QPoint)`` where they are let go.
    """

    def __init__(
        self,
        pane: PointedScene,
        state: CompareState,
        ops_of: Callable[[int], Ints],
        carry: Callable[[Ints | None, QPoint], None],
        drop: Callable[[Ints, QPoint], None],
    ) -> None:
        super().__init__(pane)
        self._pane, self._state = pane, state
        self._ops_of, self._carry, self._drop = ops_of, carry, drop
        self._pressed: QPointF | None = None
        self._doing = ""
        """What the press has become: empty, ``pan``, ``band`` or ``carry``."""

    @property
    def busy(self) -> bool:
        """Whether a button is held."""
        return self._pressed is not None

    @property
    def gesturing(self) -> bool:
        """Whether a press became something."""
        return bool(self._doing)

    def stop(self, reason: str) -> None:
        """Cancel whatever is going on."""
        if self._doing == "band":
            self._pane.show_band(None)
        elif self._doing == "carry":
            self._carry(None, self._pane.cursor().pos())
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
            self._state.hover_op(-1 if item < 0 or pane.scene is None else int(pane.scene.items.first[item]))
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
            self._carry(self._state.selection, event.globalPosition().toPoint())

    def _start(self, modifiers: Qt.KeyboardModifier) -> None:
        pane = self._pane
        if pane.scene is None:
            return
        if self._item < 0:
            self._begin("band", Qt.CursorShape.CrossCursor)
            return
        ops = pane.scene.items.ops(self._item)
        if not np.isin(ops, self._state.selection).all():
            self.take(self._item, modifiers)
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
            self._state.select(found, selection_mode(event.modifiers()))
        elif doing == "carry":
            where = event.globalPosition().toPoint()
            self._carry(None, where)
            self._drop(self._state.selection, where)
        elif not doing:
            self._click(event)

    def _click(self, event: QMouseEvent) -> None:
        scene = self._pane.scene
        if scene is None:
            return
        mode = selection_mode(event.modifiers())
        if self._item >= 0:
            ops = scene.items.ops(self._item)
            self._cursor = int(ops[0])
            self._state.select(ops, mode)
        elif mode == "replace":
            row = self.header_at(event.position())
            self._state.select(self._ops_of(row) if row >= 0 else NOTHING)

    def escape(self) -> bool:
        """Nothing is selected any more; where nothing was, the window may have a use for the key."""
        had = len(self._state.selection) > 0
        if had:
            self._state.select(NOTHING)
        return had
