"""Where a drag may end, what that would give, and the question after a drop that would break a rule."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Protocol

import numpy as np
from PySide6.QtCore import QPoint, QPointF

from gui.background.repairing import Repairing, moved_to, stays, why_not
from gui.canvas.graph.areas import device_under, without_area
from gui.canvas.graph.consequence import Consequence, consequences, refusals
from gui.canvas.graph.drop_choice import DropChoice
from gui.canvas.graph.pointed_scene import PointedScene
from gui.canvas.graph.strip import slot_rects
from gui.document.plan.preview import along_change
from gui.look.numbers import plural
from gui.words.objectives import change, column_of, component_words

if TYPE_CHECKING:
    from gui.canvas.graph.scene import Scene
    from gui.document.plan.preview import Preview
    from planner.errors import StageboardError
    from planner.model.graph import Bools, Floats
    from planner.repair import Repair


NAMED = 2
"""Problems that the question after a drop names, a line each."""


class DropTarget(Protocol):
    """A widget outside the canvas on whose device cards ops can be dropped."""

    def device_at(self, global_pos: QPoint) -> int:
        """The device under a screen position, -1 for none."""


class Drops:
    """The destinations of a view's drags: its lanes, blocks or chips, other cards in the flow view, and widgets outside it."""

    def __init__(self, view: PointedScene) -> None:
        self._view = view
        self.targets: list[DropTarget] = []
        self.consequences: list[Consequence] = []
        """What a drop on each device would give; empty while nothing is dragged."""
        self.repairing: Repairing | None = None
        """Who finds what else must move; None: nobody."""
        self.choice = DropChoice(view)
        self.choice.repair_chosen.connect(self._repair)
        self.choice.along_chosen.connect(lambda: self._drop(along=True))
        self.choice.anyway_chosen.connect(lambda: self._drop(along=False))
        self.choice.dismissed.connect(self._drop_dismissed)
        self._device = -1
        self._judged: Preview | None = None
        self._reachable: Bools | None = None
        self._gap: Floats | None = None
        self._effects: dict[str, str] = {}
        self._repaired: Repair | None = None

    def device_at(self, position: QPointF, global_pos: QPoint) -> int:
        """The device on which a drop here would land, -1 for none."""
        if self._view.rect().contains(position.toPoint()):
            if self._view.scene is None or self._view.document.problem is None:
                return -1
            scene, d = self._view.scene, -1
            if without_area(scene):  # the chips lie above everything
                rects = slot_rects(
                    self._view.width(), self._view.height(), len(self._view.document.problem.devices)
                )
                d = next((d for d, rect in enumerate(rects) if rect.contains(position)), -1)
            if d < 0 and scene.by_device:
                d = device_under(scene, self._view.viewport, position, self._view.devicePixelRatioF())
            elif d < 0:
                d = self._device_of_card(scene, position)
            return d
        return next((d for t in self.targets if (d := t.device_at(global_pos)) >= 0), -1)

    def _device_of_card(self, scene: Scene, position: QPointF) -> int:
        """The device of the card under a position, -1 for none, for one that is dragged, and for a group on several devices."""
        item, preview = self._view.item_at(position), self._view.document.preview
        carried = preview is not None and item in scene.items.item_of[preview.ops]
        return -1 if item < 0 or carried or scene.mixed[item] else int(scene.device[item])

    def preview_changed(self) -> None:
        """Judge every device when a drag begins, forget it when it ends."""
        preview, problem, live = (
            self._view.document.preview,
            self._view.document.problem,
            self._view.document.live,
        )
        if preview is None or problem is None or live is None:
            self.consequences = []
            self._judged = None
            self.choice.hide()  # its question was about the preview
        elif (
            preview is not self._judged
            or preview.reachable is not self._reachable
            or preview.gap is not self._gap
        ):
            self._judged, self._reachable, self._gap = preview, preview.reachable, preview.gap
            self.consequences = self._judge()
        self._view.repaint_attention()

    def _judge(self) -> list[Consequence]:
        preview = self._view.document.preview
        assert preview is not None
        return consequences(preview, refusals(preview))

    def ask(self, position: QPointF, device: int) -> None:
        """Ask what to do with a drop on ``device`` that would break a rule; the preview stays on."""
        preview, problem = self._view.document.preview, self._view.document.problem
        assert preview is not None
        assert problem is not None
        self._device = device
        said = preview.reasons(device)
        sentence = "\n".join(said[:NAMED]) if said else "That would break a rule."
        if len(said) > NAMED:
            sentence += f" (and {plural(len(said) - NAMED, 'more problem', 'more problems')})"
        self._effects = self._effects_of(preview, device)
        offered = self.repairing is not None and preview.possible(device)
        # On a package neighbours alone rarely help: a chip that is skipped, or a triangle, takes ops from elsewhere.
        first = "repair" if problem.target.repair_first else "along"
        self.choice.ask(
            position.toPoint(), sentence, len(preview.along), self._effect(), offered, first
        )  # fmt: skip
        self._repaired = None
        if offered and self.repairing is not None:
            start = moved_to(self._view.document.device_of, preview.ops, device)
            self.repairing.look(start, preview.ops, partial(self._repair_found, preview, device))

    def _effects_of(self, preview: Preview, device: int) -> dict[str, str]:
        """What each answer would make of the objective."""
        live = self._view.document.live
        assert live is not None
        effects = {"anyway": preview.changes[device].text}
        if len(preview.along):
            effects["along"] = along_change(live, preview, device).text
        return effects

    def _effect(self) -> dict[str, str]:
        """The same in whole words."""
        problem = self._view.document.problem
        assert problem is not None
        if len(problem.components) > 1 or len(self._effects) > 2:
            return self._effects
        title = component_words(problem.components[0]).title
        return {answer: f"{title} {text}" for answer, text in self._effects.items()}

    def _repair_found(self, preview: Preview, device: int, result: Repair | StageboardError) -> None:
        """What else must move is known: the button says how many."""
        document, problem = self._view.document, self._view.document.problem
        if document.preview is not preview or problem is None or document.live is None:
            return
        if isinstance(result, Exception) or not stays(result, preview.ops, device):
            self.choice.show_repair(None)
            reason = "" if isinstance(result, Exception) else why_not(result).removeprefix(". ")
            if reason:
                self.choice.say(self._effect(), reason)
            return
        self._repaired = result
        others = np.setdiff1d(np.flatnonzero(result.device_of != document.device_of), preview.ops)
        if (
            len(others)
            and np.array_equal(others, np.unique(preview.along))
            and (result.device_of[others] == device).all()
        ):
            self.choice.leave_repair_out()
            return
        self.choice.show_repair(len(others))
        now = document.live.components
        column = column_of(problem, problem.components[0], [now[0] or result.evaluation.values[0]])
        repaired = change(problem, now, result.evaluation.values, column)
        self._effects["repair"] = repaired.text
        self.choice.say(self._effect())

    def _repair(self) -> None:
        preview, device, found = self._view.document.preview, self._device, self._repaired
        self._view.document.end_preview()
        if preview is not None and device >= 0 and self.repairing is not None:
            self.repairing.move_and_repair(preview.ops, device, found)
        self._view.setFocus()

    def _drop(self, along: bool) -> None:
        preview, device = self._view.document.preview, self._device
        self._look_no_further()
        self._view.document.end_preview()
        if preview is not None and device >= 0:
            self._view.document.move(preview.ops, device, along=along)
        self._view.setFocus()

    def _drop_dismissed(self) -> None:
        self._look_no_further()
        self._view.document.end_preview()
        self._view.setFocus()

    def _look_no_further(self) -> None:
        if self.repairing is not None:
            self.repairing.cancel()
