"""Which picture a keyframe that compares plans wants."""

from __future__ import annotations

import numpy as np

from gui.look.theme import Theme
from gui.present.comparison.canvases import CanvasesShot
from gui.present.comparison.flows import SankeyShot
from gui.present.comparison.overlay import OverlayShot
from gui.present.comparison.schedules import SchedulesShot
from gui.present.comparison.shot import ComparisonShot
from gui.present.comparison.sizes import USUAL, Sizes, largest
from planner.problem.bound import proven
from planner.problem.problem import Plan
from planner.reports.comparison import Comparison, compare
from planner.story.keyframe import Keyframe
from planner.story.story import Resolved

Usual = tuple[float, float, float]
"""Width and height of the room (logical pixels) and the size of letters, 1 at 1280 x 800, where nobody asked for larger ones."""


def own_numbers(resolved: Resolved, keyframe: Keyframe) -> list[tuple[int, ...]]:
    """The numbers that the devices of each of the compared plans have throughout the story; none where it does not compare them."""
    return [resolved.device_numbers.get(i, ()) for i in (keyframe.versus, keyframe.plan, *keyframe.beside)]


def comparison_of(resolved: Resolved, keyframe: Keyframe) -> Comparison:
    """The comparison of a keyframe: its ``versus``, its ``plan``, then those ``beside``, by the letters that it has for them."""
    numbers = (keyframe.versus, keyframe.plan, *keyframe.beside)
    plans = [plan for i in numbers if isinstance(plan := resolved.plans[i], Plan)]
    bounds = [resolved.bounds[i] for i in numbers]
    comparison = compare(
        plans,
        [bound for own in bounds for bound in proven(own)],
        bounds,
        keyframe.called,
        resolved.matched.rows(numbers),
    )
    return comparison.numbered(own_numbers(resolved, keyframe))


def comparison_shot(
    resolved: Resolved,
    keyframe: Keyframe,
    room: tuple[float, float],
    letters: float,
    theme: Theme,
    usual: Usual | None = None,
) -> ComparisonShot:
    """The keyframe at rest in ``room`` (logical pixels); ``letters`` is the size of letters, 1 at 1280 x 800; ``usual``: room and letters
    where nobody asked for larger ones."""
    comparison = comparison_of(resolved, keyframe)
    if keyframe.comparison == "sankey":
        return SankeyShot(comparison, room, letters, theme)
    if keyframe.comparison == "schedules":
        return SchedulesShot(comparison, room, letters, theme)
    index, folded = comparison.graph.index, keyframe.folded
    out = np.array([index[op] for op in keyframe.highlight if op in index], np.int32)

    def made(room: tuple[float, float], letters: float, sizes: Sizes = USUAL) -> OverlayShot | CanvasesShot:
        if keyframe.comparison == "overlay":
            return OverlayShot(
                comparison, room, letters, theme, keyframe.layout, keyframe.camera, out, keyframe.share, folded, sizes=sizes
            )  # fmt: skip
        return CanvasesShot(
            comparison, room, letters, theme, keyframe.layout, keyframe.camera, out, folded, sizes
        )

    if usual is None or letters <= usual[2]:
        return made(room, letters)
    return largest(lambda sizes: made(room, usual[2], sizes), made(usual[:2], usual[2]), letters / usual[2])
