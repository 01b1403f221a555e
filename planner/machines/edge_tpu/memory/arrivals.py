"""The least communication of an Edge TPU pipeline without looking at pairs of ideals.

For a limit X on the bytes that enter a stage, the ideals are found that one more stage can lead to. A stage that begins at I
chooses a set F of tensors on the border of I that it leaves for later stages, so that the others come to at most X. It grows
unit by unit along the covers of the lattice, and never by a consumer of a tensor in F. All that has to be known of its
beginning is F, which stays a part of the border, and the potential of I; where m is limited on one side only, the largest
(or the least) potential per ideal and F is enough.
"""

from __future__ import annotations

import numpy as np

from planner.compiling.kernel import njit
from planner.machines.edge_tpu.memory.lattice import EdgeTpuLattice
from planner.machines.edge_tpu.memory.units import Whole
from planner.model.graph import Bools
from planner.search.search import Search

MOST_BORDER = 10
"""Tensors on a border of which all subsets are kept."""
MOST_STATES = 50_000_000
"""Pairs of an ideal and a set of tensors on its border, eight bytes each."""
STATES_PER_CALL = 1_000_000
"""Of these, looked at between two looks at the stop criteria: some twenty milliseconds."""
CELLS_PER_FILL = 4_000_000
"""Cells cleared between two looks."""
NONE = -(2**61)


@njit(cache=True, nogil=True)
def grow(
    first, most, ptr, upper, unit, key, before, allowed, limit, entering,
    border_ptr, border_idx, border_size, size, consumer_ptr, consumer_idx, state_ptr, label, after,
):  # fmt: skip
    """Settle the ideals from ``first`` on and pass on what is known of each; returns where to go on.

    ``label`` int64[states], NONE at first: the largest ``key`` of an ideal in ``before`` from which a stage has come here
    and left a set of tensors; sets are bits over the border. ``after`` bool[i]: key - label <= ``limit`` for one of them.
    """
    place = np.empty(MOST_BORDER, np.int64)
    done = 0
    for i in range(first, len(key)):
        if done >= most:
            return i
        begin = border_ptr[i]
        width = border_ptr[i + 1] - begin
        sets = 1 << width
        done += sets
        states = state_ptr[i]
        if before[i]:
            for left in range(sets):
                rest = border_size[i]
                least = np.int64(2**61)
                for x in range(width):
                    if (left >> x) & 1:
                        rest -= size[border_idx[begin + x]]
                        least = min(least, size[border_idx[begin + x]])
                # A larger set than necessary leads to nothing more.
                if rest <= entering and (left == 0 or rest + least > entering):
                    label[states + left] = max(label[states + left], key[i])
        best = np.int64(NONE)
        for left in range(sets):
            best = max(best, label[states + left])
        after[i] = allowed[i] and best > NONE and key[i] - best <= limit
        if best == NONE:
            continue
        for e in range(ptr[i], ptr[i + 1]):
            j, u = upper[e], unit[e]
            blocked = 0
            y = border_ptr[j]
            for x in range(width):
                t = border_idx[begin + x]
                place[x] = 0
                for c in range(consumer_ptr[t], consumer_ptr[t + 1]):
                    if consumer_idx[c] == u:
                        blocked |= 1 << x
                        break
                if (blocked >> x) & 1 == 0:
                    while border_idx[y] < t:
                        y += 1
                    place[x] = 1 << (y - border_ptr[j])
            done += sets
            for left in range(sets):
                if left & blocked == 0 and label[states + left] > NONE:
                    there = np.int64(0)
                    for x in range(width):
                        if (left >> x) & 1:
                            there |= place[x]
                    there += state_ptr[j]
                    label[there] = max(label[there], label[states + left])
    return len(key)


class Arrivals:
    """Chains of ``ideals`` whose m is at most ``top`` on each stage, or at least ``bottom`` if there is no ``top``."""

    def __init__(self, ideals: EdgeTpuLattice, search: Search, top: int | None, bottom: int) -> None:
        self._ideals, self._search = ideals, search
        self._limit = -bottom if top is None else top
        self._key: Whole = -ideals.potential if top is None else ideals.potential
        self._state_ptr = state_numbers(ideals)
        self._label = np.empty(int(self._state_ptr[-1]), np.int64)

    @staticmethod
    def serves(ideals: EdgeTpuLattice) -> bool:
        """Whether borders are narrow enough."""
        widest = int(np.diff(ideals.border_ptr).max(initial=0))
        return widest <= MOST_BORDER and int(state_numbers(ideals)[-1]) <= MOST_STATES

    def reachable(self, entering: int) -> Bools:
        """bool[n+1, i]: ideal k of some chain whose stages so far have at most ``entering`` bytes enter."""
        ideals, lattice, tpus = self._ideals, self._ideals.lattice, self._ideals.tpus
        found = np.zeros((tpus.stages + 1, ideals.count), bool)
        found[0, 0] = True
        for k in range(tpus.stages):
            for i in range(0, len(self._label), CELLS_PER_FILL):
                self._label[i : i + CELLS_PER_FILL] = NONE
                self._search.check()
            at = 0
            while at < ideals.count:
                at = grow(
                    at, STATES_PER_CALL, lattice.ptr, lattice.upper, lattice.unit, self._key, found[k],
                    ideals.allowed[k + 1], self._limit, entering, ideals.border_ptr, ideals.border_idx,
                    ideals.border_size, tpus.size, tpus.consumer_ptr, tpus.consumer_idx, self._state_ptr,
                    self._label, found[k + 1],
                )  # fmt: skip
                self._search.check()
        return found


def state_numbers(ideals: EdgeTpuLattice) -> Whole:
    """Where the sets of tensors on the border of each ideal begin (int64[count+1])."""
    ptr = np.zeros(ideals.count + 1, np.int64)
    np.cumsum(np.left_shift(1, np.minimum(np.diff(ideals.border_ptr), MOST_BORDER)), out=ptr[1:])
    return ptr
