"""Pixels of the matrix view: connections are counted into the pixels that their cells cover, pixels shaded from the counts.

Nothing of Qt in here. ``counts`` is uint32[height, width, 5]: connections in the pixel, those already used, and the sums of
their colours of time in linear light. Sums are whole numbers, so that a connection taken out again leaves no trace: moving
through time touches only the pixels of the connections between two moments. The kernels release the GIL.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from gui.canvas.network.colours import LINEAR_LEVELS, STEPS
from gui.look.theme import from_linear
from gui.raster.blend import INLINE, KERNEL, clamp_int
from planner.compiling.kernel import njit

GRID_FROM = 6.0
"""Cells of so many pixels and more leave a line between them."""


@lru_cache(maxsize=1)
def gamma_table() -> np.ndarray:
    """sRGB levels of linear light: uint8[LINEAR_LEVELS + 1]."""
    levels = [from_linear((i / LINEAR_LEVELS,) * 3)[1:3] for i in range(LINEAR_LEVELS + 1)]
    return np.array([int(level, 16) for level in levels], np.uint8)


@njit(**KERNEL)
def spans(start, size, count, low, high, least):
    """Pixels [first, end) of ``count`` cells from ``start`` on, ``size`` pixels each, within [low, high): int32[count, 2].

    A cell has at least ``least`` pixels before that. Cells of more share none.
    """
    found = np.empty((count, 2), np.int32)
    for i in range(count):
        edge = start + i * size
        first = clamp_int(np.floor(edge), -1, high)
        end = clamp_int(np.floor(edge + size), -1, high)
        if end < first + least:
            end = first + least
        elif size >= GRID_FROM and end - first > 1:
            end -= 1
        found[i, 0] = max(first, low)
        found[i, 1] = min(end, high)
    return found


@njit(**KERNEL)
def count_all(counts, frames, across, down, column, row, light, done):
    """Count every connection anew; the first ``done`` of the order are used. Returns counted cells over touched pixels.

    ``frames`` int64[panels, 4]: the pixels of each panel, x0, x1, y0, y1; ``across``, ``down`` int32[n, 2]: the pixels of each
    column and row of all panels; ``column, row`` int32[W] index them in the order of use; ``light`` uint32[STEPS, 3].
    """
    for k in range(len(frames)):
        counts[frames[k, 2] : frames[k, 3], frames[k, 0] : frames[k, 1]] = 0
    w = len(column)
    cells, touched = 0, 0
    for p in range(w):
        left, right = across[column[p], 0], across[column[p], 1]
        top, bottom = down[row[p], 0], down[row[p], 1]
        if left >= right or top >= bottom:
            continue
        step = p * (STEPS - 1) // max(1, w - 1)
        for y in range(top, bottom):
            for x in range(left, right):
                touched += counts[y, x, 0] == 0
                cells += 1
                counts[y, x, 0] += np.uint32(1)
                if p < done:
                    counts[y, x, 1] += np.uint32(1)
                    for c in range(3):
                        counts[y, x, 2 + c] += light[step, c]
    return cells / max(1, touched)


@njit(**KERNEL)
def shade_all(image, counts, frames, levels, gamma, usual):
    """Shade the pixels of all panels. ``levels`` float64[2, 3]: the ground and what is not used yet, 0 to 255."""
    for k in range(len(frames)):
        for y in range(frames[k, 2], frames[k, 3]):
            for x in range(frames[k, 0], frames[k, 1]):
                image[y, x] = shade(counts, y, x, levels, gamma, usual)


@njit(**KERNEL)
def advance(image, counts, across, down, column, row, light, levels, gamma, usual, before, after):
    """Move from ``before`` connections used to ``after``, forwards or backwards, and shade the pixels that change."""
    w = len(column)
    forwards = after > before
    for shading in range(2):
        for p in range(min(before, after), max(before, after)):
            step = p * (STEPS - 1) // max(1, w - 1)
            for y in range(down[row[p], 0], down[row[p], 1]):
                for x in range(across[column[p], 0], across[column[p], 1]):
                    if shading:
                        image[y, x] = shade(counts, y, x, levels, gamma, usual)
                    elif forwards:
                        counts[y, x, 1] += np.uint32(1)
                        for c in range(3):
                            counts[y, x, 2 + c] += light[step, c]
                    else:
                        counts[y, x, 1] -= np.uint32(1)
                        for c in range(3):
                            counts[y, x, 2 + c] -= light[step, c]


LEAST = 0.45
"""The strength of a pixel with far fewer connections than usual: none may vanish."""


@njit(**INLINE)
def shade(counts, y, x, levels, gamma, usual):
    """One pixel: the mean colour of what is used, and of what is not, as strong as the connections in it are many."""
    total = counts[y, x, 0]
    strength = 0.0
    used = 0.0
    if total > 0:
        strength = min(1.0, LEAST + (1.0 - LEAST) * total / usual)
        used = counts[y, x, 1] / total
    pixel = np.uint32(0xFF)
    for c in range(3):
        level = levels[0, c] * (1.0 - strength) + levels[1, c] * strength * (1.0 - used)
        if used > 0.0:
            level += gamma[counts[y, x, 2 + c] // counts[y, x, 1]] * strength * used
        pixel = np.uint32((pixel << np.uint32(8)) | np.uint32(int(level + 0.5)))
    return pixel


def warm_up() -> None:
    """Compile or load the kernels with tiny inputs."""
    counts, image = np.zeros((4, 4, 5), np.uint32), np.zeros((4, 4), np.uint32)
    pixels = spans(0.0, 2.0, 2, 0, 4, 1)
    frames, zero = np.array([[0, 4, 0, 4]]), np.zeros(1, np.int32)
    light, levels = np.zeros((STEPS, 3), np.uint32), np.zeros((2, 3))
    light.setflags(write=False)
    usual = count_all(counts, frames, pixels, pixels, zero, zero, light, 0)
    shade_all(image, counts, frames, levels, gamma_table(), usual)
    advance(image, counts, pixels, pixels, zero, zero, light, levels, gamma_table(), usual, 0, 1)
