"""Mouse and keys on the canvas: which gesture a press becomes, clicks, hovering, zooming, walking."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication

from gui.canvas.graph.drops import Drops
from gui.canvas.graph.gestures import Gesture, MoveOps, Pan, RubberBand
from gui.canvas.graph.gestures.rubber_band import selection_mode
from gui.canvas.graph.pointed_scene import PointedScene
from gui.canvas.graph.pointer_base import PointerBase
from gui.canvas.graph.surface import Surface

NOTHING = np.empty(0, np.int32)


class Pointer(PointerBase):
    """The hand on a view: at most one press and one gesture at a time."""

    def __init__(self, view: PointedScene, surface: Surface, drops: Drops) -> None:
        super().__init__(view)
        self._view, self._surface, self._drops = view, surface, drops
        self.gesture: Gesture | None = None
        self.pressed: QPointF | None = None
        """Where a button went down that has not become a gesture."""

    @property
    def busy(self) -> bool:
        """Whether a button is held or a gesture goes on."""
        return self.gesture is not None or self.pressed is not None

    @property
    def gesturing(self) -> bool:
        """Whether a gesture goes on."""
        return self.gesture is not None

    def forget(self) -> None:
        """Another graph is open."""
        self._cursor = -1

    def press(self, event: QMouseEvent) -> None:
        """Left on a card selects or drags it, left on the ground draws a rubber band, middle or space pans."""
        if self._drops.choice.isVisible():
            self._drops.choice.dismiss()
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
            self.take(self._item, modifiers)
        move = MoveOps(self._view, start, self._surface, self._drops)
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
            self._view.card_clicked.emit()
        elif (link := self._surface.link_at(event.position())) >= 0 and self._surface.links is not None:
            self._view.document.select(self._surface.links.producers(link), mode)
        elif mode == "replace":
            device = self.header_at(event.position())
            self._view.document.select(
                NOTHING if device < 0 else np.flatnonzero(self._view.document.device_of == device)
            )

    def escape(self) -> bool:
        """Nothing is selected any more; where nothing was, nothing is found any more either."""
        if len(self._view.document.selection):
            self._view.document.select(NOTHING)
        else:
            self._view.left_alone.emit()
        return True

    def stop(self, reason: str) -> None:
        """Cancel whatever is going on."""
        if self.gesture is not None:
            self.gesture.cancel(reason)
            self.gesture = None
        self.pressed = None
        self._view.unsetCursor()
