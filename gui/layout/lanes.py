"""The lanes view: one band per device, in device order, each wrapped inside its band."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gui.layout.assemble import bands_of, pack_rows, place
from gui.layout.result import Frame, Layout
from gui.layout.skeleton import Skeleton
from gui.layout.style import LayoutStyle

Heights = Callable[[NDArray[np.float64], tuple[float, float]], tuple[float, float]]
"""From the heights of the bands of k devices (float64[k]) and width and height of the whole picture, in scene units: the
least height of the bands of devices without ops, and of those with ops."""


def lanes_layout(skeleton: Skeleton, device: ArrayLike, devices: int, viewport: tuple[float, float],
                 style: LayoutStyle | None = None, keep: Frame | None = None,
                 heights: Heights | None = None) -> Layout:  # fmt: skip
    """Places of all ops in the bands of their devices.

    device: int32[n], 0..devices-1; viewport: (width, height) px; keep: the `frame` of an earlier layout. With it
    a lane depends on its own ops alone, so ops in lanes that did not change keep their x and only move down or up with
    their band. heights: asked for other least heights than the style has, once it is known how high the bands are. Raises ValueError for a device that does not exist.
    """
    lane = np.ascontiguousarray(device, np.int32)
    if lane.shape != (skeleton.n,):
        raise ValueError(
            f"device needs one value for each of the {skeleton.n} ops, not an array of shape {lane.shape}."
        )
    if devices < 1 or (skeleton.n and (lane.min() < 0 or lane.max() >= devices)):
        raise ValueError(f"An op is on a device outside 0..{devices - 1}; assign it to one that exists.")
    style = style or LayoutStyle()
    packed = pack_rows(skeleton, lane, devices, viewport, style, framed=True, frame=keep)
    if heights is not None:
        bands = bands_of(packed)
        high = np.array([one.band[3] for one in bands.lanes])
        empty, least = heights(high, (packed.band_width + 2 * style.margin, bands.height))
        if (empty, least) != (style.empty_lane_h, style.least_lane_h):

            def taller(one: LayoutStyle) -> LayoutStyle:
                return replace(one, empty_lane_h=empty, least_lane_h=least)

            if keep is not None:  # rows that are kept do not depend on how high lanes are
                packed = replace(packed, style=taller(packed.style))
            else:
                packed = pack_rows(skeleton, lane, devices, viewport, taller(style), framed=True, frame=None)
    return place(packed)
