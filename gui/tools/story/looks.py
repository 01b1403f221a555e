"""Titles of keyframes that show again what the one before shows: what is looked at now, and how."""

from __future__ import annotations

import numpy as np

from gui.canvas.graph.heat.heat import BYTES, RATIO, STAGE, TIME
from gui.widgets.labels import capital
from planner.machines.two_level_memory.problem import OrderPlan
from planner.problem.problem import Plan
from planner.story.keyframe import Keyframe
from planner.story.looking import named_ops

COLOURED = {
    STAGE: "Stage by stage",
    TIME: "Where the time goes",
    BYTES: "Where bytes move",
    RATIO: "Measured over estimated",
}
"""Titles of keyframes that show the same in other colours."""
LOOKS = {
    "lanes": "Device by device",
    "flow": "As it flows",
    "stages": "Stages, and what flows between them",
    "package": "Chip by chip",
    "certificate": "The certificate",
}
"""Titles of keyframes that show the same plan in another view."""
ALL_OF_IT, CLOSER = "All of it", "A closer look"
"""And that show another part."""
ON_ONE = "All on one device"
"""What shows the stages of a plan that leaves nothing to flow between them."""
SAID_OF_LOOKS = frozenset({*LOOKS.values(), *COLOURED.values(), ALL_OF_IT, CLOSER, ON_ONE})
"""Titles that say how something is looked at, and nothing of what."""


def look(plan: Plan | OrderPlan, before: Keyframe, now: Keyframe) -> str:
    """What is looked at now of the same plan, as a title; empty where nothing changed."""
    if now.at != before.at:
        return f"After {now.at or 0:,} connections"
    if now.view != before.view:
        if now.view == "stages" and isinstance(plan, Plan) and np.count_nonzero(plan.evaluation.ops) < 2:
            return ON_ONE
        return LOOKS.get(now.view, "")
    if now.colouring != before.colouring:
        return _by_stage(plan) if now.colouring == STAGE else COLOURED[now.colouring]
    if set(now.folded) != set(before.folded):
        return _folds(before, now)
    if now.highlight and now.highlight != before.highlight:
        return named_ops(plan, now.highlight, now.folded)
    if now.camera is None:
        return ALL_OF_IT if before.camera is not None else ""
    return CLOSER


def _by_stage(plan: Plan | OrderPlan) -> str:
    """The colours of devices again, called as the machine calls these: ``Chip by chip``."""
    one = plan.problem.target.words.one
    words = f"{capital(one)} by {one}"
    return words if words in SAID_OF_LOOKS else LOOKS["lanes"]


def _folds(before: Keyframe, now: Keyframe) -> str:
    """What was folded or unfolded since, as a title: the one group that was opened, or what is folded now."""
    opened = [group for group in before.folded if group not in now.folded]
    if len(opened) == 1 and len(before.folded) == len(now.folded) + 1:
        return f"Inside {opened[0].name}"
    if not now.folded:
        return "Op by op"
    return now.folded[0].name if len(now.folded) == 1 else f"{len(now.folded):,} groups, folded"
