"""Compiling the kernels ahead of the first file."""

from __future__ import annotations

import numpy as np

from gui.layout.flow import flow_layout
from gui.layout.lanes import lanes_layout
from gui.layout.repeats import repeated_blocks
from gui.layout.skeleton import prepare


def warm_up() -> None:
    """Run every kernel once on a small graph, so that none is compiled, or loaded, while someone waits."""
    n = 12
    src = np.arange(n - 1, dtype=np.int32)
    dst = src + 1
    backward = np.arange(n) >= n // 2
    partner = np.where(backward, n - 1 - np.arange(n), -1)
    training = prepare(n, src, dst, backward=backward, partner=partner)
    flow_layout(training, (800.0, 100.0))
    plain = prepare(n, src, dst)
    flow_layout(plain, (400.0, 400.0))
    lanes_layout(plain, np.arange(n) * 2 // n, 2, (400.0, 400.0))
    every = np.array([(a, b) for a in range(5) for b in range(a)], np.int32)
    flow_layout(prepare(5, every[:, 1], every[:, 0]), (400.0, 400.0))  # dense: sweeps
    repeated_blocks(None, n, src, dst)
