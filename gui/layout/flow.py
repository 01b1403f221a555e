"""The flow view: one ribbon, wrapped into rows that fill the viewport like lines of text."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gui.layout.assemble import pack_rows, place
from gui.layout.result import Layout
from gui.layout.skeleton import Skeleton
from gui.layout.style import LayoutStyle


def flow_layout(
    skeleton: Skeleton,
    viewport: tuple[float, float],
    style: LayoutStyle | None = None,
    model: NDArray[np.int32] | None = None,
    models: int = 1,
) -> Layout:
    """Places of all ops for a viewport of (width, height) px; training graphs get a strip for each direction.

    Rows are as long as gives the largest scale, and break in step with repeated blocks where that costs little. Of
    several models (``model`` int32[n], 0..models-1) each has rows of its own, one model under the other.
    """
    lane = np.zeros(skeleton.n, np.int32) if model is None else np.ascontiguousarray(model, np.int32)
    return place(
        pack_rows(skeleton, lane, models, viewport, style or LayoutStyle(), framed=False, frame=None)
    )
