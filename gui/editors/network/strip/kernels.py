"""The ribbon's pixels: one column per pixel of width, in which the connections that fall on it share the height."""

from __future__ import annotations

import numpy as np

from planner.compiling.kernel import njit


@njit(cache=True, nogil=True)
def in_sequence(colours, palette, left, step, picture):
    """Each column shows its connections from top to bottom in the order of their use.

    ``colours`` int32[W] (index into ``palette``, uint32[K] as 0xffRRGGBB); a column of ``picture`` (uint32[h, w]) spans ``step``
    positions from ``left`` on. Columns behind the last connection stay as they are.
    """
    height, width = picture.shape
    count = len(colours)
    for x in range(width):
        low, high = span(left, step, x, count)
        for y in range(height if high > low else 0):
            picture[y, x] = palette[colours[low + y * (high - low) // height]]


@njit(cache=True, nogil=True)
def by_share(colours, palette, left, step, picture):
    """Each column shows how many of its connections have each colour, one above the other by index. Like :func:`in_sequence`."""
    height, width = picture.shape
    count = len(colours)
    held = np.zeros(len(palette), np.int64)
    for x in range(width):
        low, high = span(left, step, x, count)
        held[:] = 0
        for p in range(low, high):
            held[colours[p]] += 1
        waiting = 0
        for k in range(len(palette)):
            waiting += held[k] > 0
        # What is there at all gets a pixel, where there are enough.
        each = 1 if waiting <= height else 0
        before, y = 0, 0
        for k in range(len(palette) if high > low else 0):
            if held[k] == 0:
                continue
            waiting -= 1
            before += held[k]
            until = (before * height + (high - low) // 2) // (high - low)
            until = min(max(until, y + each), height - waiting * each)
            while y < until:
                picture[y, x] = palette[k]
                y += 1


@njit(cache=True, nogil=True)
def span(left, step, x, count):
    """The positions of a column: at least one, where the order goes that far."""
    low = int(np.floor(left + x * step))
    high = max(low + 1, int(np.floor(left + (x + 1) * step)))
    if low >= count:
        return 0, 0
    return max(0, low), min(high, count)


def warm_up() -> None:
    """Compile or load the kernels for the types that the ribbon has."""
    for draw in (in_sequence, by_share):
        draw(np.zeros(2, np.int32), np.zeros(1, np.uint32), 0.0, 1.0, np.zeros((1, 2), np.uint32))
