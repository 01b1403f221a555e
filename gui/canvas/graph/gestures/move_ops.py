"""Dragging ops to another device."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QPointF, Qt

from gui.canvas.graph.drops import Drops
from gui.canvas.graph.gestures.base import Gesture
from gui.canvas.graph.pointed_scene import PointedScene
from gui.canvas.graph.surface import Surface
from planner.model.graph import Ints


class MoveOps(Gesture):
    """Carries ops to a lane, a block, a chip of the strip, among the ops of a device in the flow view, or to a card of the device panel.

    A legal drop moves them. A drop that would break a rule asks what to do; Alt takes the neighbours along at once, Shift
    moves against the rules at once.
    """

    cursor = Qt.CursorShape.DragMoveCursor

    def __init__(self, view: PointedScene, start: QPointF, surface: Surface, drops: Drops) -> None:
        super().__init__(view, start)
        self._surface, self._drops = surface, drops

    def begin(self, ops: Ints) -> None:
        """Show what each device would make of it."""
        self.view.document.begin_preview(ops)

    def moved(self, before: QPointF, global_pos: QPoint, modifiers: Qt.KeyboardModifier) -> None:
        """Follow the pointer; say which device is under it."""
        self.view.document.update_preview(self._drops.device_at(self.position, global_pos))
        self._surface.carry(self.position)

    def finish(self, global_pos: QPoint, modifiers: Qt.KeyboardModifier) -> None:
        """Move, ask, or do nothing when released outside every device."""
        document = self.view.document
        preview = document.preview
        device = self._drops.device_at(self.position, global_pos)
        self._surface.carry(None)
        if preview is None or device < 0 or (len(preview.origins) == 1 and int(preview.origins[0]) == device):
            document.end_preview()
            return
        if preview.legal[device] or modifiers & Qt.KeyboardModifier.ShiftModifier:
            document.end_preview()
            document.move(preview.ops, device)
            return
        document.update_preview(device)
        if len(preview.along) and modifiers & Qt.KeyboardModifier.AltModifier:
            document.end_preview()
            document.move(preview.ops, device, along=True)
            return
        self._drops.ask(self.position, device)

    def cancel(self, reason: str) -> None:
        """Everything stays where it was."""
        self._surface.carry(None)
        self.view.document.end_preview()
