"""The picture of a plan as document and canvas are at the moment at which it is drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from gui.canvas.graph.picture.part import Part
from gui.look.drawn import Drawing
from gui.panels.pictures import Shown, drawing_of

if TYPE_CHECKING:
    from gui.canvas.graph.view import CanvasView
    from gui.document.plan.document import Document
    from gui.shell.picture_dialog import Choice


def pictured(document: Document, canvas: CanvasView, choice: Choice) -> Callable[[], Drawing]:
    """The call that draws the plan as it was chosen, with what is proven by now."""
    shown = Shown(
        document.open_problem, document.device_of.copy(), choice.title, document.plan_bounds,
        document.current_plan().provenance.planner, document.grouping, document.folded, colouring=canvas.colouring,
    )  # fmt: skip
    scene, region = canvas.scene, canvas.in_sight()
    if choice.in_sight and choice.view == canvas.view and scene is not None and region is not None:
        shown = replace(shown, part=Part(scene, region))
    theme = choice.page.theme.numbered(canvas.theme.device_numbers)
    return partial(drawing_of, shown, choice.view, replace(choice.page, theme=theme))
