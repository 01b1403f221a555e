"""What kernels take when nobody else wants the processor, from runs in which others did.

Runtimes tell how long a kernel lasted on the wall. On a busy machine that holds the time in which other programs had the processor, and medians of kernels
do not add up to what a run takes: a short kernel is struck in few runs, a whole run in each. What a run took of the processor is known
(:func:`time.thread_time`), and kernels add up to no more than that.
"""

from __future__ import annotations

import numpy as np

from planner.model.graph import Floats

HALVINGS = 40
"""Steps of a search between two numbers: what is left is rounding."""


def undisturbed(kernels: Floats, wall: Floats, processor: Floats) -> Floats:
    """Runs of kernels (float64[kernels, runs]) without the time of other programs, each in proportion to what it was.

    ``wall`` and ``processor`` (float64[runs] each): what runs of the whole model took. Where the medians of the kernels add up to no more than a
    run's processor time they are left as they are. Else each counts by its fast runs, the same quantile of all, with which they do. Kernels that last longer than a
    processor is had at a stretch are struck in every run: where not even the fastest runs will do, what lasts beyond some stretch counts
    with the share of the time in which the processor was had, the stretch being that with which all add up.
    """
    total = float(np.median(processor))
    median = np.median(kernels, axis=1)
    if not total > 0 or float(median.sum()) <= total:
        return kernels
    least = kernels.min(axis=1)
    if float(least.sum()) <= total:
        found = _by_quantile(kernels, total)
    else:
        found = _by_stretch(least, total, min(1.0, total / float(np.median(wall))))
    return kernels * np.divide(found, median, out=np.ones_like(median), where=median > 0)[:, None]


def _by_quantile(kernels: Floats, total: float) -> Floats:
    """The quantile of each kernel's runs, up to the median, at which all add up to ``total``."""
    low, high = 0.0, 0.5
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if float(np.quantile(kernels, middle, axis=1).sum()) <= total:
            low = middle
        else:
            high = middle
    found: Floats = np.quantile(kernels, low, axis=1)
    return found


def _by_stretch(least: Floats, total: float, had: float) -> Floats:
    """``least`` (float64[kernels]) where what is beyond a stretch counts with the share ``had``, so that all add up to ``total``."""

    def beyond(stretch: float) -> Floats:
        found: Floats = np.minimum(least, stretch) + had * np.maximum(least - stretch, 0.0)
        return found

    low, high = 0.0, float(least.max())
    if float(beyond(low).sum()) > total:
        return least * (total / float(least.sum()))
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if float(beyond(middle).sum()) <= total:
            low = middle
        else:
            high = middle
    return beyond(low)
