"""One sample at a time: when the pieces of a plan run."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from planner.model.graph import Floats, Ints


class Alone(NamedTuple):
    """Pieces (p) of a plan for a single sample: ``piece_of`` int32[n], ``piece_device`` int32[p], ``part`` int8[p] (1 = backward),
    ``begin`` float64[p], ``times`` float64[p, 4] by phase (receive, stream parameters, work, send), ``finish`` float64[p]; ``total`` is when all is done, ``hop`` what a
    tensor takes from one device to the next."""

    piece_of: Ints
    piece_device: Ints
    part: np.ndarray
    begin: Floats
    times: Floats
    finish: Floats
    total: float
    hop: float = 0.0
