"""Mouse and keys on the picture of a network: zooming and panning, pointing, selecting, walking."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import TYPE_CHECKING, Protocol

import numpy as np
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QApplication

from gui.canvas.network.lens import Hit, Lens, Shown
from gui.canvas.network.words import hit_html

if TYPE_CHECKING:
    from gui.canvas.graph.tooltip import HoverCard
    from gui.canvas.network.links import LinksPicture
    from gui.canvas.network.matrix import MatrixPicture
    from gui.document.network.document import OrderDocument
    from gui.look.theme import Theme
    from planner.machines.two_level_memory.trace import Trace

KEYS = (
    "Up and Down walk through a layer, Left and Right along connections, plus and minus zoom, 0 shows everything,"
    " Escape selects nothing"
)


class Pictured(Protocol):
    """The widget that shows the picture."""

    document: OrderDocument
    theme: Theme
    lens: Lens
    picture: MatrixPicture | LinksPicture | None
    card: HoverCard

    @property
    def trace(self) -> Trace | None:
        """What happens along the order drawn, once known."""

    def prepare(self) -> Shown | None:
        """What is drawn, up to date; None where there is nothing."""

    def fit(self) -> None:
        """Show everything."""

    def zoom_by(self, factor: float, at: QPointF | None = None) -> None:
        """Zoom around a position (logical pixels), the middle by default."""

    def pan_by(self, dx: float, dy: float) -> None:
        """Move the picture by logical pixels."""

    def reveal(self, neuron: int) -> None:
        """Bring a neuron into sight."""

    def setCursor(self, cursor: Qt.CursorShape, /) -> None:
        """Let the pointer look so over the widget."""

    def unsetCursor(self) -> None:
        """Let the pointer look as usual."""


class Pointer:
    """The hand on a picture."""

    def __init__(self, view: Pictured) -> None:
        self._view = view
        self._pressed: QPointF | None = None
        self._panning: QPointF | None = None

    def _hit(self, at: QPointF) -> Hit:
        """What is at a place of the widget."""
        view = self._view
        if view.prepare() is None or view.picture is None:
            return Hit()
        return view.picture.hit(view.lens, at.x() * view.lens.ratio, at.y() * view.lens.ratio)

    # ------------------------------------------------------------------ the mouse
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

    def press(self, event: QMouseEvent) -> None:
        """A click selects, a drag pans."""
        if event.button() in (Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton):
            self._pressed = event.position()
            self._view.card.hide()

    def move(self, event: QMouseEvent) -> None:
        """Pan, or say what is under the pointer."""
        at = event.position()
        if self._panning is not None:
            self._view.pan_by(at.x() - self._panning.x(), at.y() - self._panning.y())
            self._panning = at
        elif self._pressed is not None:
            if (at - self._pressed).manhattanLength() >= QApplication.startDragDistance():
                self._panning = at
                self._view.setCursor(Qt.CursorShape.ClosedHandCursor)
        else:
            self._point(at)

    def _point(self, at: QPointF) -> None:
        view, hit = self._view, self._hit(at)
        shown = view.prepare()
        view.document.set_hover(hit.neuron)
        view.setCursor(Qt.CursorShape.PointingHandCursor if hit else Qt.CursorShape.ArrowCursor)
        if hit and shown is not None:
            view.card.show_at(at.toPoint(), hit_html(shown, view.trace, hit), view.theme)
            return
        title = "" if view.picture is None else view.picture.title_at(view.lens, at.x(), at.y())
        if title:
            view.card.show_at(at.toPoint(), escape(title), view.theme)
        else:
            view.card.hide()

    def release(self, event: QMouseEvent) -> None:
        """End a drag, or select: of a connection its target, with Shift its source; with Ctrl go to its moment."""
        pressed, self._pressed = self._pressed, None
        if self._panning is not None:
            self._panning = None
            self._view.unsetCursor()
        elif pressed is not None and event.button() == Qt.MouseButton.LeftButton:
            self._click(event.position(), event.modifiers())

    def _click(self, at: QPointF, modifiers: Qt.KeyboardModifier) -> None:
        hit, shown, document = self._hit(at), self._view.prepare(), self._view.document
        if shown is None or not len(hit.connections):
            document.select(hit.neuron)
            return
        connection = int(hit.connections[np.argmin(shown.when[hit.connections])])
        if modifiers & Qt.KeyboardModifier.ControlModifier:
            document.set_position(int(shown.when[connection]) + 1)
            return
        shift = modifiers & Qt.KeyboardModifier.ShiftModifier
        ends = shown.network.source if shift else shown.network.target
        document.select(int(ends[connection]))

    def double_click(self, event: QMouseEvent) -> None:
        """Look nearer at a place; on the ground show everything."""
        if self._hit(event.position()):
            self._view.zoom_by(3.0, event.position())
        else:
            self._view.fit()

    # ------------------------------------------------------------------ keys
    def key_press(self, event: QKeyEvent) -> bool:
        """See :data:`KEYS`. Returns whether the key means something here."""
        keys: dict[int, Callable[[], None]] = {
            Qt.Key.Key_Up: lambda: self._walk(-1),
            Qt.Key.Key_Down: lambda: self._walk(1),
            Qt.Key.Key_Left: lambda: self._follow(False),
            Qt.Key.Key_Right: lambda: self._follow(True),
            Qt.Key.Key_Plus: lambda: self._view.zoom_by(1.25),
            Qt.Key.Key_Equal: lambda: self._view.zoom_by(1.25),
            Qt.Key.Key_Minus: lambda: self._view.zoom_by(0.8),
            Qt.Key.Key_0: self._view.fit,
            Qt.Key.Key_Escape: lambda: self._view.document.select(-1),
        }
        run = keys.get(event.key())
        other = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
        if run is None or event.modifiers() & other:
            return False
        run()
        return True

    def _walk(self, direction: int) -> None:
        """The neuron before or after the selected one in its layer."""
        if self._view.prepare() is None or self._view.picture is None:
            return
        arranged, chosen = self._view.picture.layout.arranged, self._view.document.selection
        if chosen < 0:
            self._choose(int(arranged.members[0]))
            return
        neurons = arranged.neurons(int(arranged.group[chosen]))
        place = min(max(int(arranged.place[chosen]) + direction, 0), len(neurons) - 1)
        self._choose(int(neurons[place]))

    def _follow(self, forward: bool) -> None:
        """The other end of the selected neuron's connection that is used first."""
        shown, chosen = self._view.prepare(), self._view.document.selection
        if shown is None or chosen < 0:
            self._walk(0)
            return
        network = shown.network
        offsets, ids = network.outgoing if forward else network.incoming
        mine = ids[offsets[chosen] : offsets[chosen + 1]]
        if len(mine):
            earliest = int(mine[np.argmin(shown.when[mine])])
            self._choose(int((network.target if forward else network.source)[earliest]))

    def _choose(self, neuron: int) -> None:
        self._view.document.select(neuron)
        self._view.reveal(neuron)
