"""Back from a keyframe to the window: its plan on the canvas (one undo step), its view, what it folds, its camera, its selection,
and the colours that devices have in the story."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from gui.document.plan.taking import entry_for, entry_of, put_on_canvas
from gui.tools.story.frames import ElsewhereError, Frame
from planner.problem.problem import Plan
from planner.story.folded import ops_of
from planner.story.keyframe import CANVASES, GRAPH_VIEWS, Camera

if TYPE_CHECKING:
    from gui.canvas.graph.view import CanvasView
    from gui.document.plan.document import Document
    from gui.editors.plan.story_colours import StoryColours


def revisit_graph(
    document: Document, canvas: CanvasView, colours: StoryColours, frame: Frame, numbers: Sequence[int]
) -> None:
    """Raises :class:`ElsewhereError` where the keyframe is about another model than the open one; opens it where none is. ``numbers`` are those that
    the plan's devices have in the story."""
    plan, keyframe, bounds = frame.shown.plan, frame.keyframe, frame.shown.bounds
    left = document.active
    kept = not document.modified or (left is not None and left.would_be_lost)
    if document.problem is None and isinstance(plan, Plan):
        source = frame.shown.source
        document.open_graph(plan.problem.graph, source.paths, plan.problem.target, source.batch)
        document.change_problem(plan.problem, "Plan as the story does")
    graph = document.graph
    if not isinstance(plan, Plan) or graph is None or graph.fingerprint != plan.problem.graph.fingerprint:
        raise ElsewhereError(frame)
    document.add_bounds(bounds)
    entry = entry_of(document, plan) or entry_for(document, plan, bounds)
    put_on_canvas(document, plan, entry, f"Show “{keyframe.title}”")
    colours.show(plan, numbers)
    if kept:  # a story holds the plan, and the list one that was edited: nobody is asked about more than that
        document.history.set_saved()
    if keyframe.view in GRAPH_VIEWS or keyframe.comparison in CANVASES:
        document.folding.show([ops_of(group) for group in keyframe.folded])
    if keyframe.view in GRAPH_VIEWS:
        canvas.set_view(keyframe.view)
        canvas.set_colouring(keyframe.colouring)
    index = graph.index
    document.select(np.array([index[op] for op in keyframe.highlight if op in index], np.int32))
    _look(canvas, keyframe.camera)


def _look(canvas: CanvasView, camera: Camera | None) -> None:
    if canvas.busy:  # a large graph is laid out beside the window

        def laid_out() -> None:
            canvas.scene_changed.disconnect(laid_out)
            _look(canvas, camera)

        canvas.scene_changed.connect(laid_out)
        return
    scene = canvas.scene
    if camera is None or scene is None:
        canvas.fit()
        return
    left, top, width, height = scene.layout.bounds
    canvas.viewport.fit(
        (left + camera.x * width, top + camera.y * height, camera.width * width, camera.height * height),
        margin=0.0, largest=4.0,
    )  # fmt: skip
    canvas.pan_by(0.0, 0.0)
