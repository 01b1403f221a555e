"""The mouse over a talk: a pointer that is seen from afar, and looking nearer at what is shown."""

from __future__ import annotations

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QMouseEvent, QWheelEvent

from gui.present.scenes import UNCHANGED, View, between

NEAREST, FARTHEST = 12.0, 0.5
"""How far the wheel zooms in and out."""
STEP = 1.18
"""What one notch of it does."""
DRAG = 6.0
"""Pixels that make a press a drag."""
MODES = {"": "No pointer", "laser": "Laser pointer", "spotlight": "Spotlight"}


class Pointing:
    """Where the mouse is, what it looks like, and the lens that the wheel and drags have made."""

    def __init__(self) -> None:
        self.mode = ""
        self.at = QPointF(-1e6, -1e6)
        self._lens = self._left = UNCHANGED
        self._press: QPointF | None = None
        self._dragged = False

    @property
    def lens(self) -> View | None:
        """How the stage is enlarged and moved; None where it is as the story has it."""
        return None if self._lens == UNCHANGED else self._lens

    def next_mode(self) -> str:
        """Laser pointer, spotlight, none: the next of them."""
        modes = list(MODES)
        self.mode = modes[(modes.index(self.mode) + 1) % len(modes)]
        return self.mode

    # ------------------------------------------------------------------ the lens
    def reset(self) -> None:
        """As the story has it."""
        self._lens = self._left = UNCHANGED

    def leave(self, at_once: bool) -> None:
        """The talk goes on: the lens is about to give way."""
        self._left = self._lens
        if at_once:
            self.reset()

    def give_way(self, share: float, width: float, height: float) -> None:
        """The lens after a ``share`` of the way."""
        self._lens = UNCHANGED if share >= 1.0 else between(self._left, UNCHANGED, share, width, height)

    # ------------------------------------------------------------------ events
    def press(self, event: QMouseEvent) -> None:
        """A click or a drag begins."""
        self._press, self._dragged = event.position(), False

    def move(self, event: QMouseEvent) -> bool:
        """Follow the mouse; True where something looks different now."""
        at, before, self.at = event.position(), self.at, event.position()
        if self._press is not None and event.buttons() & Qt.MouseButton.LeftButton:
            by = at - self._press
            if self._dragged or (abs(by.x()) + abs(by.y()) > DRAG and self.lens is not None):
                step = by if not self._dragged else at - before
                self._dragged = True
                self._lens = View(self._lens.scale, self._lens.ox + step.x(), self._lens.oy + step.y())
                return True
        return bool(self.mode)

    def release(self) -> bool:
        """Whether this was a click."""
        pressed, self._press = self._press, None
        return pressed is not None and not self._dragged

    def wheel(self, event: QWheelEvent, top: float) -> bool:
        """Zoom around the pointer; ``top`` is where the stage begins. False where the wheel was not turned."""
        turned = event.angleDelta().y() / 120.0
        if not turned:
            return False
        scale = min(max(self._lens.scale * STEP**turned, FARTHEST), NEAREST)
        factor = scale / self._lens.scale
        x, y = event.position().x(), event.position().y() - top
        self._lens = View(scale, x - (x - self._lens.ox) * factor, y - (y - self._lens.oy) * factor)
        return True
