"""What stands out at a keyframe: the ops that it highlights, else those on the devices that its words name."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from planner.model.graph import Bools
from planner.problem.target import Device


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
