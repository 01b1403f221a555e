"""Back from a keyframe that compares to its comparison: which of those that are open it is, and how it looks at the plans."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from gui.editors.comparison.canvases.overlay import OverlayPane
from planner.problem.base import decision_of
from planner.problem.problem import Plan
from planner.problem.provenance import same_author
from planner.story.folded import ops_of
from planner.story.keyframe import CANVASES

if TYPE_CHECKING:
    from gui.editors.comparison.editor import CompareWindow
    from gui.tools.story.frames import Frame

PANEL_OF = {"sankey": "flows", "schedules": "schedules"}
"""The panels that show what no canvas does."""


def places_in(window: CompareWindow, frame: Frame) -> list[int]:
    """Where the plans of a keyframe are among those that are compared, in its order; empty where one of them is not."""
    places: list[int] = []
    for shown in frame.plans:
        found = [
            i for i, plan in enumerate(window.state.plans) if i not in places and _same(plan, shown.plan)
        ]
        if not found:
            return []
        places.append(found[0])
    return places


def _same(plan: Plan, told: object) -> bool:
    return (
        isinstance(told, Plan)
        and plan.problem == told.problem
        and same_author(plan.provenance, told.provenance)
        and np.array_equal(decision_of(plan), decision_of(told))
    )


def look_as(window: CompareWindow, frame: Frame, places: Sequence[int]) -> None:
    """Look at the plans of a comparison, which are at these places there, as a keyframe does."""
    keyframe, state, document = frame.keyframe, window.state, window.document
    state.set_pair(places[1], places[0])
    if keyframe.comparison in CANVASES:
        document.folding.show([ops_of(group) for group in keyframe.folded])
        state.set_view(keyframe.layout)
        window.show_mode("over" if keyframe.comparison == "overlay" else "side")
        pane = window.columns.current
        if isinstance(pane, OverlayPane):
            pane.fade.set_share(keyframe.share)
        index = window.state.document.open_problem.graph.index
        state.select([index[op] for op in keyframe.highlight if op in index])
    else:
        window.docks.reveal(PANEL_OF[keyframe.comparison])
