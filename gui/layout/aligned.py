"""Lanes of several layouts at the same heights, so that the same device stands in one line where plans are side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from gui.layout.result import Lane, Layout


def aligned(layouts: Sequence[Layout]) -> list[Layout]:
    """The same layouts, of as many lanes each: every lane as high as the highest of its place, its rows in the middle, and all bounds
    alike. Cards keep their sizes, and edges their ways."""
    if len(layouts) < 2 or not layouts[0].lanes:
        return list(layouts)
    bands = np.array([[lane.band for lane in layout.lanes] for layout in layouts])
    high = bands[:, :, 3].max(axis=0)
    ends = bands[:, :, 1] + bands[:, :, 3]
    gaps = (bands[:, 1:, 1] - ends[:, :-1]).max(axis=0, initial=0.0)
    top = bands[:, 0, 1].max() + np.concatenate([[0.0], np.cumsum(high[:-1] + gaps)])
    wide = bands[:, :, 2].max()
    beside = max(
        layout.bounds[2] - float(each[:, 2].max()) for layout, each in zip(layouts, bands, strict=True)
    )
    below = max(layout.bounds[3] - float(each[-1]) for layout, each in zip(layouts, ends, strict=True))
    bounds = (0.0, 0.0, float(wide) + beside, float(top[-1] + high[-1]) + below)
    return [
        replace(_moved(layout, each, top, high, float(wide)), bounds=bounds)
        for layout, each in zip(layouts, bands, strict=True)
    ]


def _moved(
    layout: Layout,
    band: NDArray[np.float64],
    top: NDArray[np.float64],
    high: NDArray[np.float64],
    wide: float,
) -> Layout:
    """A layout whose lanes have other tops and heights: what lies within a lane moves with it, and what lies between two is stretched."""
    by = top - band[:, 1] + (high - band[:, 3]) / 2
    knots = np.stack([band[:, 1], band[:, 1] + band[:, 3]], axis=1).ravel()
    moves = np.repeat(by, 2)

    def moved(y: NDArray[np.float64]) -> NDArray[np.float64]:
        return y + np.interp(y, knots, moves)

    lanes = tuple(
        Lane((x, float(top[i]), wide, float(high[i])), (hx, float(top[i]), hw, float(high[i])))
        for i, ((x, _, _, _), (hx, _, hw, _)) in enumerate((lane.band, lane.header) for lane in layout.lanes)
    )
    points = layout.route_points.copy()
    points[:, 1] = moved(points[:, 1])
    rows = tuple(replace(row, y=row.y + float(by[row.lane])) for row in layout.rows)
    return replace(layout, y=moved(layout.y), lanes=lanes, rows=rows, route_points=points)
