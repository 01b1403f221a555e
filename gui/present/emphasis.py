"""What stands out at a keyframe: the ops that it highlights, else those that its words say moved, or those on the devices that they name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import numpy as np

from planner.model.graph import Bools
from planner.problem.problem import Plan
from planner.problem.target import Device
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


def said_to_move(words: str, plan: Plan, earlier: Iterable[object]) -> tuple[str, ...]:
    """The ops of a plan (by id) that are elsewhere than in the latest of the ``earlier`` plans of the same model, where ``words`` say how many
    those are (``10 of 134 ops moved``); none where they do not, or where all moved."""
    graph = plan.problem.graph
    alike = (
        one for one in earlier if isinstance(one, Plan) and one.problem.graph.fingerprint == graph.fingerprint
    )
    before = next(alike, None)
    told = "" if before is None else moved_title(plan, before)
    if before is None or not told or re.search(rf"(?<![\d,]){re.escape(told)}", words) is None:
        return ()
    found = moved_ops(plan, before)
    return found if len(found) < graph.n else ()
