"""The flow view: one ribbon, wrapped into rows that fill the viewport like lines of text."""

from __future__ import annotations

import numpy as np

from gui.canvas.layout.assemble import assemble
from gui.canvas.layout.result import Layout
from gui.canvas.layout.skeleton import Skeleton
from gui.canvas.layout.style import LayoutStyle


def flow_layout(
    skeleton: Skeleton, viewport: tuple[float, float], style: LayoutStyle | None = None
) -> Layout:
    """Places of all ops for a viewport of (width, height) px; training graphs get a strip for each direction.

    Rows are as long as gives the largest scale, and break in step with repeated blocks where that costs little.
    """
    lane = np.zeros(skeleton.n, np.int32)
    return assemble(skeleton, lane, 1, viewport, style or LayoutStyle(), framed=False, frame=None)
