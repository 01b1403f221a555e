"""The loop over runs: a program executed for blocks of columns of a batch."""

from __future__ import annotations

import numpy as np

from planner.compiling.kernel import njit
from planner.machines.two_level_memory.execution.activations import activate
from planner.machines.two_level_memory.execution.emission import FIRST, FROM_BATCH, TO_RESULT
from planner.machines.two_level_memory.execution.registers import LANES, accumulate

SIZE = 4
"""Bytes of a float."""


@njit(cache=True, nogil=True)
def execute(
    batch, values, result, blocks, width, rank, begins, places, flags, biases, floors, codes, sources, weights, segments,
    slots, rows, part, parts,
):  # fmt: skip
    """Run a program for every ``parts``-th of the ``blocks`` of columns, from ``part`` on.

    A block is ``width`` columns: 16, 32, 64 or 128. ``batch`` is the address of float32[features, blocks x width] and ``result``
    float32[S, blocks x width], flat; ``values`` are float32[blocks, ``rank``, width], flat, with room for ``rank`` slots.
    ``slots`` and ``rows``: values that are copied into the result in the end.
    """
    columns = blocks * width
    held = values.ctypes.data
    given = result.ctypes.data
    for s in range(len(segments) - 1):
        for c in range(part, blocks, parts):
            from_batch = batch + c * width * SIZE
            from_slots = held + c * rank * width * SIZE
            to_result = given + c * width * SIZE
            for run in range(segments[s], segments[s + 1]):
                r = np.uint64(run)  # numba looks for negative indices otherwise
                flag = flags[r]
                first = (flag & FIRST) != 0
                if flag & FROM_BATCH:
                    origin, stride = from_batch, columns * SIZE
                else:
                    origin, stride = from_slots, width * SIZE
                if flag & TO_RESULT:
                    into = to_result + places[r] * columns * SIZE
                else:
                    into = from_slots + places[r] * width * SIZE
                begin, end = begins[r], begins[r + np.uint64(1)]
                bias, floor = biases[r], floors[r]
                if width == 8 * LANES:
                    accumulate(8, into, origin, stride, sources, weights, begin, end, first, bias, floor)
                elif width == 4 * LANES:
                    accumulate(4, into, origin, stride, sources, weights, begin, end, first, bias, floor)
                elif width == 2 * LANES:
                    accumulate(2, into, origin, stride, sources, weights, begin, end, first, bias, floor)
                else:
                    accumulate(1, into, origin, stride, sources, weights, begin, end, first, bias, floor)
                if codes[r]:
                    if flag & TO_RESULT:
                        at = places[r] * columns + c * width
                        activate(result[at : at + width], codes[r])
                    else:
                        at = (c * rank + places[r]) * width
                        activate(values[at : at + width], codes[r])
    for c in range(part, blocks, parts):
        for i in range(len(slots)):
            at, to = (c * rank + slots[i]) * width, rows[i] * columns + c * width
            result[to : to + width] = values[at : at + width]
