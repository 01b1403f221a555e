"""A longest rising subsequence: what need not move where one order becomes another."""

from __future__ import annotations

from bisect import bisect_left

import numpy as np

from planner.model.graph import Ints


def longest_increasing(values: Ints) -> Ints:
    """Indices (int32[length], ascending) of a longest strictly increasing subsequence of ``values`` (int32[v]).

    Patience sorting in n log n: M. L. Fredman, "On computing the length of longest increasing subsequences", Discrete
    Mathematics 11 (1975); the piles' tops are searched by bisection.
    """
    tops: list[int] = []
    at_top: list[int] = []
    before = np.full(len(values), -1, np.int64)
    for i, value in enumerate(values.tolist()):
        pile = bisect_left(tops, value)
        if pile == len(tops):
            tops.append(value)
            at_top.append(i)
        else:
            tops[pile] = value
            at_top[pile] = i
        if pile:
            before[i] = at_top[pile - 1]
    found = []
    i = at_top[-1] if at_top else -1
    while i >= 0:
        found.append(i)
        i = int(before[i])
    return np.array(found[::-1], np.int32)
