"""Which device of one row of devices is which of another: an alignment that never crosses, as of lines in two versions of a text.

Of all ways to pair the devices of two rows in their order, as many as the shorter row has, those are best that keep the most ops on
their device; of these, those that keep the most work; of these, those that pair the most equal names; of these, those that
pair near numbers (least sum of squared distances). Rows of equal length have one such way: each device is its own counterpart.

Where row i of the shorter side is at column i + o, the shift o never falls from one i to the next. So the best for the first i is
found from the best for i - 1 with a shift that is no larger: a dynamic program over i and o (Needleman and Wunsch, 1970,
without gaps in the shorter sequence), in whole numbers of any size.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from planner.model.graph import Floats, Ints

WORK_STEPS = 2**40
"""Work is compared in steps of this share of all of it: sums that differ by rounding only are equal."""
_WORK, _NAMES, _APART = 2**42, 2**11, 2**31
"""More than all work (in steps), all equal names and all squared distances of 1,024 devices can add up to."""


def aligned(ops: NDArray[np.int64], work: Floats, names: Sequence[str], other_names: Sequence[str]) -> Ints:
    """The partner of each row among the columns (int32[rows], -1 = none), rising from row to row.

    ``ops`` (int64[rows, columns]) and ``work`` (float64, shares of 1) are what each pair has in common.
    """
    rows, columns = ops.shape
    if rows > columns:
        partner = np.full(rows, -1, np.int32)
        chosen = aligned(ops.T, work.T, other_names, names)
        partner[chosen] = np.arange(columns, dtype=np.int32)
        return partner
    shifts = columns - rows + 1
    steps = np.rint(work * WORK_STEPS).astype(np.int64)
    best = [0] * shifts
    came: list[list[int]] = []
    for i in range(rows):
        from_shift, reached = 0, []
        chosen_shifts = []
        for o in range(shifts):
            if best[o] > best[from_shift]:
                from_shift = o
            c = i + o
            worth = (int(ops[i, c]) * _WORK + int(steps[i, c])) * _NAMES + (names[i] == other_names[c])
            reached.append(best[from_shift] + worth * _APART - o * o)
            chosen_shifts.append(from_shift)
        best = reached
        came.append(chosen_shifts)
    partner = np.empty(rows, np.int32)
    o = max(range(shifts), key=best.__getitem__)
    for i in reversed(range(rows)):
        partner[i] = i + o
        o = came[i][o]
    return partner
