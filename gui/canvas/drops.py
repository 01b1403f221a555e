"""Where a drag may end, what that would give, and the question after a drop that would break a rule."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np
from PySide6.QtCore import QPoint, QPointF

from gui.canvas.consequence import Consequence, consequences, rule_words
from gui.canvas.drop_choice import DropChoice
from gui.canvas.headers import lane_extents
from gui.canvas.strip import chip_rects
from gui.objectives import change, component_words
from gui.widgets.numbers import plural

if TYPE_CHECKING:
    from gui.canvas.view import CanvasView


class DropTarget(Protocol):
    """A widget outside the canvas on whose device cards ops can be dropped."""

    def device_at(self, global_pos: QPoint) -> int:
        """The device under a screen position, -1 for none."""


class Drops:
    """The destinations of a view's drags: its lanes or chips, and widgets outside it."""

    def __init__(self, view: CanvasView) -> None:
        self._view = view
        self.targets: list[DropTarget] = []
        self.consequences: list[Consequence] = []
        """What a drop on each device would give; empty while nothing is dragged."""
        self.choice = DropChoice(view)
        self.choice.along_chosen.connect(lambda: self._drop(along=True))
        self.choice.anyway_chosen.connect(lambda: self._drop(along=False))
        self.choice.dismissed.connect(self._drop_dismissed)
        self._device = -1

    def device_at(self, position: QPointF, global_pos: QPoint) -> int:
        """The device on which a drop here would land, -1 for none."""
        if self._view.rect().contains(position.toPoint()):
            if self._view.scene is None or self._view.document.problem is None:
                return -1
            if self._view.scene.layout.lanes:
                y = position.y() * self._view.devicePixelRatioF()
                for d, (top, bottom) in enumerate(lane_extents(self._view.scene, self._view.viewport)):
                    if top <= y < bottom:
                        return d
                return -1
            rects = chip_rects(
                self._view.width(), self._view.height(), len(self._view.document.problem.devices)
            )
            return next((d for d, rect in enumerate(rects) if rect.contains(position)), -1)
        return next((d for t in self.targets if (d := t.device_at(global_pos)) >= 0), -1)

    def preview_changed(self) -> None:
        """Judge every device when a drag begins, forget it when it ends."""
        preview, problem, live = (
            self._view.document.preview,
            self._view.document.problem,
            self._view.document.live,
        )
        if preview is None or problem is None or live is None:
            self.consequences = []
            self.choice.hide()  # its question was about the preview
        elif not self.consequences or len(self.consequences) != len(preview.objective):
            self.consequences = self._judge()
        self._view.repaint_attention()

    def _judge(self) -> list[Consequence]:
        preview, live = self._view.document.preview, self._view.document.live
        assert preview is not None
        assert live is not None
        words = tuple(rule_words(int(code)) for code in live.check(preview.ops).codes)
        return consequences(preview, words)

    def ask(self, position: QPointF, device: int) -> None:
        """Ask what to do with a drop on ``device`` that would break a rule; the preview stays on."""
        preview, problem = self._view.document.preview, self._view.document.problem
        assert preview is not None
        assert problem is not None
        self._device = device
        said = preview.reasons(device)
        sentence = said[0] if said else "That would break a rule."
        if len(said) > 1:
            sentence += f" (and {plural(len(said) - 1, 'more problem', 'more problems')})"
        effect = ""
        if len(preview.along):
            live = self._view.document.live
            assert live is not None
            moved = np.union1d(preview.ops, preview.along).astype(np.int32)
            after = live.delta(moved).components[:, device].tolist()
            along, anyway = change(problem, live.components, after), preview.changes[device]
            if len(after) == 1:
                title = component_words(problem.components[0]).title
                effect = f"{title}: along {along.text}, anyway {anyway.text}"
            else:
                effect = f"Along: {along.text}\nAnyway: {anyway.text}"
        self.choice.ask(position.toPoint(), sentence, len(preview.along), effect)

    def _drop(self, along: bool) -> None:
        preview, device = self._view.document.preview, self._device
        self._view.document.end_preview()
        if preview is not None and device >= 0:
            self._view.document.move(preview.ops, device, along=along)
        self._view.setFocus()

    def _drop_dismissed(self) -> None:
        self._view.document.end_preview()
        self._view.setFocus()
