"""Moving units out of memories that hold too much, along a row."""

from __future__ import annotations

import numpy as np

from planner.methods.repair.labelling import FORBIDDEN
from planner.methods.repair.measure import Clock
from planner.methods.repair.ordered import Row
from planner.model.graph import Floats, Ints

_STEPS_PER_UNIT = 4


def unload(row: Row, labels: Ints, memory: Floats, owner: Ints, room: Floats, clock: Clock) -> Ints | None:
    """Labels near ``labels`` (int32[m], which keep to the row) with every memory within its limit, or None.

    ``memory`` float64[m] of the units; ``owner`` int[L]: whose memory a label fills, ``room`` float64[L]: that memory. One unit
    at a time leaves the fullest memory, to another label between its neighbours' ones, where the price per byte
    that is gained is least; one that would overfill the next memory costs more, and more each time it moves.
    """
    labels = labels.astype(np.int64)
    m, count = row.costs.shape
    limit = room * (1 + 1e-9)
    turns = np.zeros(m)
    place = np.arange(count)
    for _ in range(_STEPS_PER_UNIT * m + 8):
        used = np.bincount(owner[labels], weights=memory, minlength=int(owner.max()) + 1)
        over = used[owner] - limit
        worst = int(over.argmax())
        if over[worst] <= 0:
            return labels.astype(np.int32)
        if clock.out():
            return None
        low, high = np.zeros(m, np.int64), np.full(m, count - 1)
        np.maximum.at(low, row.dst, labels[row.src])
        np.minimum.at(high, row.src, labels[row.dst])
        np.maximum.at(low, row.src, labels[row.dst] - row.span)
        np.minimum.at(high, row.dst, labels[row.src] + row.span)
        here = np.flatnonzero((owner[labels] == owner[worst]) & (memory > 0) & (low < high))
        if not len(here):
            return None
        fine = (place >= low[here, None]) & (place <= high[here, None]) & (row.costs[here] < FORBIDDEN)
        fine &= (owner != owner[worst])[None, :]
        gained = np.minimum(memory[here], over[worst])[:, None]
        dearer = (row.costs[here] - row.costs[here, labels[here]][:, None]).astype(float)
        spilled = np.maximum(over[None, :] + memory[here, None], 0.0)
        base = float(max(row.costs[row.costs < FORBIDDEN].max(initial=1), 1))
        score = (
            dearer + base * turns[here, None] + base * (spilled > 0)
        ) / gained + base * spilled / gained**2
        score = np.where(fine, score, np.inf)
        i, label = np.unravel_index(int(score.argmin()), score.shape)
        if not np.isfinite(score[i, label]):
            return None
        labels[here[i]] = label
        turns[here[i]] += 1
    return None
