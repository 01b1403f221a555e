"""What hands on a scene share: looking elsewhere with wheel and keys, walking over the ops, and where a press was."""

from __future__ import annotations

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent, QWheelEvent

from gui.canvas.graph.areas import title_under
from gui.canvas.graph.keyboard import neighbour
from gui.canvas.graph.pointed_scene import PointedScene


class PointerBase:
    """The hand on a view: at most one press at a time. Subclasses say what becomes of it."""

    def __init__(self, view: PointedScene) -> None:
        self._looking = view
        self._button = Qt.MouseButton.NoButton
        self._item = -1
        """The card that was pressed, -1 for none."""
        self._space = False
        self._cursor = -1
        """The op that was clicked or walked to last."""

    @property
    def cursor(self) -> int:
        """The op that was clicked or walked to last, -1 for none."""
        return self._cursor

    # ------------------------------------------------------------------ what subclasses say
    @property
    def busy(self) -> bool:
        """Whether a button is held or a gesture goes on."""
        raise NotImplementedError

    @property
    def gesturing(self) -> bool:
        """Whether a press became a gesture, which has a cursor of its own."""
        raise NotImplementedError

    def press(self, event: QMouseEvent) -> None:
        """A button went down."""
        raise NotImplementedError

    def move(self, event: QMouseEvent) -> None:
        """Go on with a press, or hover."""
        raise NotImplementedError

    def release(self, event: QMouseEvent) -> None:
        """End a press."""
        raise NotImplementedError

    def stop(self, reason: str) -> None:
        """Cancel whatever is going on."""
        raise NotImplementedError

    def escape(self) -> bool:
        """Escape while nothing goes on; returns whether that did anything."""
        raise NotImplementedError

    # ------------------------------------------------------------------ mouse
    def header_at(self, position: QPointF) -> int:
        """The device whose header or plate is under a position, -1 for none."""
        view, scene = self._looking, self._looking.scene
        if scene is None or not scene.by_device:
            return -1
        return title_under(scene, view.viewport, position, view.devicePixelRatioF())

    def double_click(self, event: QMouseEvent) -> None:
        """On a folded group: unfold it; on an op: zoom to it; on the ground: show everything."""
        view = self._looking
        item = view.item_at(event.position())
        if item < 0 or view.scene is None:
            view.look_at(None)
            return
        ops = view.scene.items.ops(item)
        grouping = view.document.grouping
        if len(ops) > 1 and grouping is not None:
            view.document.unfold([int(grouping.group_of[ops[0]])])
        else:
            view.look_at(ops)

    def wheel(self, event: QWheelEvent) -> None:
        """The wheel zooms around the pointer; a touchpad, or the wheel with Shift, pans."""
        pixels, view = event.pixelDelta(), self._looking
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier or pixels.isNull():
            step = event.angleDelta().y() or event.angleDelta().x()
            if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
                view.pan_by(step / 2, 0)
            elif step:
                view.zoom_by(1.0015**step, event.position())
        else:
            view.pan_by(pixels.x(), pixels.y())
        event.accept()

    # ------------------------------------------------------------------ keys
    def lose_focus(self) -> None:
        """Keys may be released elsewhere."""
        self._space = False

    def key_press(self, event: QKeyEvent) -> bool:
        """Arrows walk along edges and columns, space pans, escape cancels."""
        view, key = self._looking, event.key()
        if key == Qt.Key.Key_Escape:
            if not self.busy:
                return self.escape()
            self.stop("escape")
        elif key == Qt.Key.Key_Space and not event.isAutoRepeat():
            self._space = True
            view.setCursor(Qt.CursorShape.OpenHandCursor)
        elif key in (Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Down):
            self._walk(Qt.Key(key), event.modifiers())
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
            view.zoom_by(1.25)
        elif key == Qt.Key.Key_Minus:
            view.zoom_by(0.8)
        else:
            return False
        return True

    def key_release(self, event: QKeyEvent) -> bool:
        """The end of panning with space."""
        if event.key() == Qt.Key.Key_Space and not event.isAutoRepeat():
            self._space = False
            if not self.gesturing:
                self._looking.unsetCursor()
            return True
        return False

    def _walk(self, key: Qt.Key, modifiers: Qt.KeyboardModifier) -> None:
        view, scene = self._looking, self._looking.scene
        if scene is None or scene.items.count == 0:
            return
        current, selection = self._cursor, view.selection
        if len(selection) and current not in selection:  # selected elsewhere since the last step
            current = int(selection[0])
        item = 0 if current < 0 else neighbour(scene, int(scene.items.item_of[current]), key)
        self._cursor = int(scene.items.ops(item)[0])
        self.take(item, modifiers)
        view.go_to(self._cursor)

    def take(self, item: int, modifiers: Qt.KeyboardModifier) -> None:
        """Select a card's ops; with Shift also what was selected before."""
        view = self._looking
        assert view.scene is not None
        adding = bool(modifiers & Qt.KeyboardModifier.ShiftModifier)
        view.select(view.scene.items.ops(item), "add" if adding else "replace")
