"""Where what flows from block to block runs in the stages view, and how wide it is. No Qt."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gui.canvas.graph.scene import Scene
from gui.canvas.graph.viewport import Viewport
from gui.layout import stage_routes
from planner.model.graph import Floats

WIDEST = 14.0
"""Of ribbons, in scene units."""
MOST = 240
"""Of more ribbons the widest are drawn: the others are hairs, and nobody follows one among so many."""


@dataclass(frozen=True, eq=False)
class StageRibbon:
    """Bytes from one device to another along a polyline (float64[p, 2], scene units), ``width`` scene units wide; ``unit`` is that of
    the layout in scene units."""

    src: int
    dst: int
    bytes: float
    width: float
    route: Floats
    unit: float = 1.0

    @property
    def head(self) -> float:
        """Half of the width of the arrowhead."""
        return 0.5 * self.width + 0.35 * self.arrow

    @property
    def arrow(self) -> float:
        """Length of the arrowhead: no longer than the way before it."""
        return float(
            min(max(7.0 * self.unit, 1.5 * self.width), 0.7 * np.abs(self.route[-1] - self.route[-2]).max())
        )


def stage_ribbons(scene: Scene) -> list[StageRibbon]:
    """The ribbons, widest first."""
    stages, flow = scene.layout.stages, scene.flow
    if stages is None:
        return []
    ends = np.argwhere(flow > 0)
    ends = ends[np.argsort(-flow[ends[:, 0], ends[:, 1]], kind="stable")[:MOST]]
    pairs = [(a, b) for a, b in ends.tolist() if stages.place[a] >= 0 <= stages.place[b]]
    routes, apart = stage_routes(stages, pairs)
    most, widest = flow.max(initial=0.0), min(WIDEST * stages.unit, 0.8 * apart)
    return [
        StageRibbon(a, b, float(flow[a, b]), widest * float(np.sqrt(flow[a, b] / most)), route, stages.unit)
        for (a, b), route in zip(pairs, routes, strict=True)
    ]


def arrivals(scene: Scene, viewport: Viewport, device: int) -> list[tuple[float, float]]:
    """Where ribbons come down on the plate of a device: the left and the right end of each arrowhead (device pixels)."""
    ends = []
    for ribbon in stage_ribbons(scene):
        (before, start), (x, end) = ribbon.route[-2:].tolist()
        if ribbon.dst == device and before == x and start < end:
            middle, half = viewport.to_pixels(x, end)[0], ribbon.head * viewport.scale
            ends.append((middle - half, middle + half))
    return ends
