"""What stands out at a keyframe: the ops that it highlights, else those on the devices that its words name."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from planner.model.graph import Bools
from planner.problem.target import Device


def named_devices(words: str, devices: Sequence[Device], ops: np.ndarray) -> Bools:
    """Which devices ``words`` name (bool[k]); none where they name no device that has ops, or all of those.

    ``ops`` are how many ops each device has.
    """
    used = np.asarray(ops) > 0
    lit = np.array(
        [re.search(rf"(?<!\w){re.escape(d.title)}(?!\w)", words, re.IGNORECASE) is not None for d in devices],
        bool,
    )
    if not (lit & used).any() or (lit | ~used).all():
        return np.zeros(len(devices), bool)
    return lit
