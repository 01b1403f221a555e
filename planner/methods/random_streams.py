"""Random numbers for compiled searches: streams that a kernel moves on, and Python seeds.

A state is uint64[1]. Two generators are in use, since a seed must go on giving the search that it has always given.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from planner.compiling.kernel import njit


@njit(cache=True, nogil=True)
def uniform(state):
    """The next of a stream of uniform numbers in [0, 1): xorshift64*. ``state`` uint64[1] must not be zero."""
    x = state[0]
    x ^= x >> np.uint64(12)
    x ^= x << np.uint64(25)
    x ^= x >> np.uint64(27)
    state[0] = x
    return float((x * np.uint64(2685821657736338717)) >> np.uint64(11)) / 9007199254740992.0


@njit(cache=True, nogil=True)
def below(state, count):
    """The next of a stream of uniform whole numbers in 0..count-1, by :func:`uniform`."""
    return int(uniform(state) * count)


@njit(cache=True, nogil=True)
def mixed(state):
    """The next of a stream of uniform numbers in [0, 1): splitmix64 (Steele, Lea and Flood, 2014). Any ``state`` uint64[1] will do."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    x = state[0]
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    x ^= x >> np.uint64(31)
    return np.float64(x >> np.uint64(11)) * 2.0**-53


def seeded(seed: int) -> NDArray[np.uint64]:
    """A state for :func:`uniform`, uint64[1]: any odd multiplier spreads the seeds, and the state is not zero."""
    return np.array([(seed * 0x9E3779B97F4A7C15 + 0x1234567) % 2**64 | 1], np.uint64)
