"""The lanes view: one band per device, in device order, each wrapped inside its band."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from gui.layout.assemble import assemble
from gui.layout.result import Frame, Layout
from gui.layout.skeleton import Skeleton
from gui.layout.style import LayoutStyle


def lanes_layout(skeleton: Skeleton, device: ArrayLike, devices: int, viewport: tuple[float, float],
                 style: LayoutStyle | None = None, keep: Frame | None = None) -> Layout:  # fmt: skip
    """Places of all ops in the bands of their devices.

    device: int32[n], 0..devices-1; viewport: (width, height) px; keep: the `frame` of an earlier layout. With it
    a lane depends on its own ops alone, so ops in lanes that did not change keep their x and only move down or up with
    their band. Raises ValueError for a device that does not exist.
    """
    lane = np.ascontiguousarray(device, np.int32)
    if lane.shape != (skeleton.n,):
        raise ValueError(
            f"device needs one value for each of the {skeleton.n} ops, not an array of shape {lane.shape}."
        )
    if devices < 1 or (skeleton.n and (lane.min() < 0 or lane.max() >= devices)):
        raise ValueError(f"An op is on a device outside 0..{devices - 1}; assign it to one that exists.")
    return assemble(skeleton, lane, devices, viewport, style or LayoutStyle(), framed=True, frame=keep)
