"""What a connection costs in a trial, and the note of it: the same under every policy.

The arrays are handed over one by one: with all of :class:`planner.machines.two_level_memory.recount.state.State` references to each
would be counted for every connection.
"""

from __future__ import annotations

import numpy as np

from planner.machines.two_level_memory.recount.state import FIRST, MISS, inner


@inner
def was_dirty(use, dirty, new_dirty, changed):
    """Whether a value is dirty after a use of it (-1: there is none), as the trial has it so far."""
    c = use >> 1
    return use >= 0 and (use & 1 == 1 or (new_dirty[c] if changed[c] else dirty[c]) == 1)


@inner
def outcome(c, got_a, got_b, ends, chain_prev, dirty, new_dirty, changed):
    """``(stays, due)`` of connection c: whether its source's value is dirty after it, and its I/Os beyond its own read.

    ``got_a`` and ``got_b``: how the values of its source and target came to be there. ``ends``: whether the source is an output
    that is not used again.
    """
    dirty_a = was_dirty(chain_prev[2 * c], dirty, new_dirty, changed)
    dirty_b = was_dirty(chain_prev[2 * c + 1], dirty, new_dirty, changed)
    stays = dirty_a and got_a != MISS
    due = np.int64(got_a == FIRST) + np.int64(got_b == FIRST) + np.int64(ends and stays)
    if got_a == MISS:
        due += np.int64(1) + np.int64(dirty_a)
    if got_b == MISS:
        due += np.int64(1) + np.int64(dirty_b)
    return stays, due


@inner
def note(c, got_a, got_b, stays, due, made, cost, changed, changes, new_took, new_dirty, new_cost):
    """Note what the trial changes of connection c, after ``made`` others; returns the change of its I/Os."""
    changed[c] = 1
    changes[made] = c
    new_took[2 * c], new_took[2 * c + 1] = got_a, got_b
    new_dirty[c], new_cost[c] = stays, due
    return due - np.int64(cost[c])
