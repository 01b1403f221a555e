"""What stands out at a keyframe: the ops that it highlights, else those that its panel or its words say moved, else those on the devices that
these name."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from gui.canvas.graph.heat.heat import STAGE
from planner.model.graph import Bools
from planner.problem.problem import Plan
from planner.problem.target import Device
from planner.story.keyframe import GRAPH_VIEWS
from planner.story.story import Resolved
from planner.story.telling import moved_ops, moved_title


def named_devices(words: str, devices: Sequence[Device], ops: np.ndarray) -> Bools:
    """Which devices ``words`` name (bool[k]); none where they name no device that has ops, or most of those: the few others would look
    as if they were out of use.

    ``ops`` are how many ops each device has. The two ends of a way (``from Stage 0 to Stage 1``) are not what is spoken of.
    """
    title = "|".join(re.escape(d.title) for d in devices)
    words = re.sub(rf"(?<!\w)from (?:{title}) to (?:{title})(?!\w)", "", words, flags=re.IGNORECASE)
    used = np.asarray(ops) > 0
    lit = np.array(
        [re.search(rf"(?<!\w){re.escape(d.title)}(?!\w)", words, re.IGNORECASE) is not None for d in devices],
        bool,
    )
    if not (lit & used).any() or 2 * (lit & used).sum() > used.sum():
        return np.zeros(len(devices), bool)
    return lit


def said_to_move(resolved: Resolved, index: int) -> tuple[str, ...]:
    """The ops (by id) that stand out since a keyframe's panel is about what changed, or its words say how many moved since the keyframe
    before of the same model; none where neither does, where all did, where other ops are to stand out, and on heat maps, whose colours say
    something else."""
    keyframes, plans = resolved.story.keyframes, resolved.plans
    keyframe, plan = keyframes[index], plans[keyframes[index].plan]
    plain = keyframe.view in GRAPH_VIEWS and not keyframe.highlight and keyframe.colouring == STAGE
    if not plain or not isinstance(plan, Plan):
        return ()
    told = keyframe.panel == "difference" and keyframe.versus >= 0
    before = plans[keyframe.versus] if told else _said_before(resolved, index, plan)
    found = () if before is None else moved_ops(plan, before)
    return found if len(found) < plan.problem.graph.n else ()


def _said_before(resolved: Resolved, index: int, plan: Plan) -> Plan | None:
    """The plan of the keyframe before of the same model, if a keyframe's words say how many ops moved since."""
    keyframes, plans = resolved.story.keyframes, resolved.plans
    said = f"{keyframes[index].title}\n{keyframes[index].caption}"
    if f"of {plan.problem.size:,} ops moved" not in said:
        return None
    graph = plan.problem.graph
    earlier = (plans[one.plan] for one in reversed(keyframes[:index]))
    alike = (p for p in earlier if isinstance(p, Plan) and p.problem.graph.fingerprint == graph.fingerprint)
    before = next(alike, None)
    words = "" if before is None else moved_title(plan, before)
    return before if words and re.search(rf"(?<![\d,]){re.escape(words)}", said) is not None else None
