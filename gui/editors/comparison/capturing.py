"""What a compare window shows now, as a keyframe of the story of the window whose plans are compared."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from gui.editors.comparison.canvases.overlay import OverlayPane
from gui.tools.story.draft import Draft
from gui.tools.story.folds import folded_now
from gui.tools.story.frames import Frame, ModelSource, Shown, same_plan
from gui.tools.story.shots import camera_of, highlight_of
from gui.words.methods import shown_name
from planner.errors import StageboardError
from planner.problem.bound import Bound
from planner.reports.comparison import compare
from planner.story.comparing import LOOKS, comparison_caption, comparison_title
from planner.story.keyframe import CANVASES, Keyframe

if TYPE_CHECKING:
    from gui.editors.comparison.body import CompareBody
    from planner.reports.comparison import Comparison

SLIDING, USUAL = 2.5, 0.8
"""Seconds of the transition towards an overlay, whose slider is to be followed, and towards other comparisons."""
PANELS = {"flows": "sankey", "schedules": "schedules"}
"""What a keyframe shows that was captured while a panel has the keyboard, as after a click on its tab."""


def shown_comparison(window: CompareBody) -> str:
    """What is captured: the flows or the schedules while they are in front and have the keyboard, else the canvases."""
    focus, docks = window.focusWidget(), window.docks
    for id, comparison in PANELS.items():
        if focus is not None and docks.in_front(id) and docks.docks[id].isAncestorOf(focus):
            return comparison
    return "overlay" if window.columns.mode == "over" else "side-by-side"


def captured(window: CompareBody, draft: Draft, comparison: str) -> Frame:
    """A keyframe of the plans that are compared, shown as ``comparison``; the draft gives them their letters.

    Raises :class:`StageboardError` where nothing is compared.
    """
    compared = window.state.comparison
    if compared is None:
        raise StageboardError(f"there is nothing to capture: {window.state.why_not}")
    several = comparison in ("side-by-side", "schedules")
    i, j = window.state.shown
    numbers = list(range(len(compared.plans))) if several else [j, i]
    shown = [_shown(window, compared, number) for number in numbers]
    told = compare([compared.plans[number] for number in numbers], window.state.bounds)
    title, words = comparison_title(told, comparison), comparison_caption(told, comparison)
    before = draft.before(shown[1].source)
    if before is not None and before.keyframe.comparison and all(map(same_plan, before.plans, shown)):
        title = _look(window, told, comparison)
    keyframe = Keyframe(
        title, words, 0, "comparison", versus=0, comparison=comparison, layout=window.state.view,
        beside=(0,) * (len(shown) - 2), transition=USUAL,
    )  # fmt: skip
    if comparison in CANVASES:
        keyframe = _looked_at(window, told, keyframe)
    return Frame(keyframe, shown[1], shown[0], tuple(shown[2:]), titled=title)


def _looked_at(window: CompareBody, told: Comparison, keyframe: Keyframe) -> Keyframe:
    """With the part of the canvases that is in sight, what is folded there, those of the selected ops that moved, and the place of the slider.

    Where none is selected that moved, all that moved stand out.
    """
    pane, selection = window.columns.current, window.state.selection
    moved = {op for i in range(1, len(told.plans)) for op in told.moved(i).tolist()}
    chosen = [op for op in selection.tolist() if op in moved]
    out = highlight_of(told.graph, np.array(chosen, np.int32), None if pane is None else pane.scene)
    camera = None if pane is None else camera_of(pane)
    keyframe = replace(keyframe, camera=camera, highlight=out, folded=folded_now(window.document))
    if isinstance(pane, OverlayPane):
        return replace(keyframe, share=round(pane.fade.share, 3), transition=SLIDING)
    return keyframe


def _look(window: CompareBody, told: Comparison, comparison: str) -> str:
    """How plans are compared that were compared in the keyframe before, as a title."""
    pane = window.columns.current
    if comparison == "overlay" and isinstance(pane, OverlayPane) and pane.fade.share in (0.0, 1.0):
        return shown_name(told.figures(int(pane.fade.share)).name)
    return LOOKS[comparison]


def _shown(window: CompareBody, compared: Comparison, number: int) -> Shown:
    """A plan with what is known of it."""
    plan, document = compared.plans[number], window.document
    problem = plan.problem
    known: tuple[Bound, ...] = tuple(
        bound
        for bound in (*compared.bounds, *window.state.sources[number].claims)
        if bound.applies_to(problem.relaxation, problem.assumptions)
    )
    source = ModelSource(problem.graph, tuple(Path(path) for path in document.paths), document.batch)
    return Shown(plan, known, source)
