"""Windows some of whose sources stay for a while: simulated annealing of the sequence, with prices for the places of memory.

A window's places are not all taken at all times: a sum that has entered takes none before the first of its sources passes. A
source that stays in such a place for a few sums more is often fetched once less in all. A narrower window leaves room for more
that stay. Under MIN only: other policies would forget what stays.

First every place of memory has a price at each time, which follows demand (a Lagrangian relaxation), and annealing weighs stays
against fetches. Then sources stay only where there is room, at one price, while annealing goes on at lower temperatures.
"""

from __future__ import annotations

import numpy as np

from planner.machines.two_level_memory.windows import stay_kernels as kernels
from planner.machines.two_level_memory.windows.locality import SLICE, Links, Longs, Window, window_of
from planner.machines.two_level_memory.windows.stay_order_kernels import emit, loads
from planner.model.graph import Ints
from planner.search.search import Search

UNIT = 1024
"""What an I/O costs, so that prices are whole numbers."""
NARROWER = 0.02
"""The share of a window's width that is given to what stays."""
PRICE, SECOND_PRICE = 2.5, 2.0
"""What a place costs while as many sums pass as are in the window, in I/Os, at first and when stays are chosen."""
LEAST, MOST = 0.003, 0.5
"""Bounds of the price of a place for one step, in I/Os."""
RATE, OVER, NEAR = 0.03, 3.0, 2
"""A price grows by this share per place wanted too much, of which at most so many count, in the mean over so many sums before and after."""
HOT, WARM, COLD, AGAIN = 0.12, 0.03, 0.025, 0.05
"""Temperatures in I/Os: the first phase cools from ``HOT`` to ``WARM``, the second from ``AGAIN`` to ``COLD``."""
FIRST_PHASE = 0.75
"""The share of the first phase."""
PART = 200_000
"""Steps between two questions whether to stop: some 30 ms."""
LARGEST, LONGEST = 30_000_000, 1_000_000
"""Stays are chosen anew in one go (a tenth of a second): at most so many sums times neurons, and so many connections."""
BOUNDLESS = 1 << 40


def stayable(window: Window) -> bool:
    """Whether there is anything to swap, and stays can be chosen anew within a moment."""
    n, neurons = len(window.leaving), len(window.held)
    return n > 1 and n * neurons <= LARGEST and window.links.network.connection_count <= LONGEST


class Stays:
    """A window under annealing: the best sequence for a width somewhat smaller than that of ``window``.

    ``total`` is what sources and stays cost now (in I/Os times :data:`UNIT`).
    """

    def __init__(self, window: Window, places: int) -> None:
        """``places``: values of neurons that memory holds."""
        held = np.flatnonzero(window.held).astype(np.int32)
        width = max(1, window.width - round(NARROWER * window.width))
        self.links: Links = window.links
        self.window = window_of(window.links, window.leaving, width, held)
        self.places, self.width = places, width
        network = window.links.network
        n, neurons = len(window.leaving), network.neuron_count
        self.sequence, self.exit = window.leaving.astype(np.int64), self.window.exit
        self.since = np.searchsorted(self.window.until, np.arange(n), side="right").astype(np.int64)
        self.begin, self.end, self.cost = (np.zeros(neurons, np.int64) for _ in range(3))
        self.price = np.full(n, PRICE / width)
        self.priced = True
        self.capacity = np.full(n, BOUNDLESS, np.int64)
        self.free = self.capacity.copy()
        self._wish = np.arange(neurons)
        words = neurons // 64 + 1
        self.bits = np.zeros((neurons, n // 64 + 1), np.uint64)
        self.easy = np.zeros((n, words), np.uint64)
        self.needs = np.zeros((neurons, words), np.uint64)
        source = network.source.astype(np.uint64)
        np.bitwise_or.at(
            self.needs, (network.target, network.source >> 6), np.uint64(1) << (source & np.uint64(63))
        )
        self._scratch = [np.empty(neurons, np.int64) for _ in range(4)]
        self._windows = np.empty(n + 1, np.int64), np.empty(n + 1, np.int64)
        pointers, _, sources = window.links.into
        kernels.place_bits(self.bits, self.sequence, pointers, sources)
        self.reprice()

    def reprice(self) -> None:
        """Choose all stays anew, for :attr:`price` and :attr:`capacity`."""
        steps = np.rint(self.price * UNIT).astype(np.int64)
        self.toll = np.concatenate([[0], np.cumsum(steps)])
        self.free = self.capacity.copy()
        self.total = int(
            kernels.price_all(
                self._wish, UNIT, self.toll, self.free, self.begin, self.end, self.cost, self.bits, self.easy, self.exit,
                self.window.until, self.since, self.links.network.is_output, *self._windows,
            )
        )  # fmt: skip

    def anneal(self, search: Search, steps: int, hot: float, cold: float) -> int:
        """Cool down while spending about ``steps``; returns how many were spent."""
        into_ptr, _, into_source = self.links.into
        self.total, spent = kernels.anneal(
            int(search.rng.integers(2**31)), steps, hot * UNIT, cold * UNIT, UNIT, self.total, self.sequence, self.exit, self.window.until,
            self.since, self.links.network.is_output, into_ptr, into_source, self.toll, self.free, self.begin, self.end, self.cost,
            self.bits, self.needs, self.easy, *self._scratch, *self._windows,
        )  # fmt: skip
        return int(spent)

    def order(self, search: Search | None = None) -> Ints:
        """The connections in the order of use, int32[W]. Raises :class:`planner.search.search.Stopped`."""
        network = self.links.network
        neurons, n = network.neuron_count, len(self.sequence)
        order = np.empty(network.connection_count, np.int32)
        done, started = np.zeros(len(order), np.bool_), np.zeros(neurons, np.bool_)
        active = np.empty(2 * neurons + len(order) // max(1, n) + int(network.in_degree.max()), np.int64)
        self.stay_begin, self.stay_end = np.zeros(neurons, np.int64), np.zeros(neurons, np.int64)
        filled, actives = 0, 0
        step = max(1, n * SLICE // (SLICE + 8 * len(order)))
        for first in range(0, n, step):
            if search is not None:
                search.check()
            filled, actives = emit(
                first, min(n, first + step), filled, active, actives, self.sequence, self.exit, self.window.until, self.begin, self.end,
                *self.links.into, *self.links.out, started, done, order, self.stay_begin, self.stay_end,
            )  # fmt: skip
        order[filled:] = np.flatnonzero(~done)
        return order

    def _room(self, search: Search) -> tuple[Longs, Longs]:
        """(places for what stays at each position int64[W + 1], the position after the last connection into each sum int64[n])."""
        order = self.order(search)
        neurons = len(self.begin)
        first, last, load = (
            np.empty(neurons, np.int64),
            np.empty(neurons, np.int64),
            np.empty(len(order) + 1, np.int64),
        )
        loads(order, self.links.network.target, first, last, load)
        return self.places - load, np.maximum.accumulate(last[self.sequence] + 1)

    def follow_demand(self, search: Search) -> None:
        """Prices rise where more would stay than there is room for, and fall where there is room."""
        free, edges = self._room(search)
        staying = np.flatnonzero(self.end > self.begin)
        wanted = np.zeros(len(free), np.int64)
        np.add.at(wanted, self.stay_begin[staying], 1)
        np.add.at(wanted, self.stay_end[staying], -1)
        over = np.concatenate([[0], np.cumsum(np.cumsum(wanted) - free)])
        places = np.arange(len(edges))
        low = np.concatenate([[0], edges])[np.maximum(0, places - NEAR)]
        high = edges[np.minimum(len(edges) - 1, places + NEAR)]
        mean = (over[high] - over[low]) / np.maximum(1, high - low)
        self.price = np.clip(self.price * np.exp(RATE * np.clip(mean, -OVER, OVER)), LEAST, MOST)
        self.reprice()

    def fit(self, search: Search) -> None:
        """Only what there is room for stays, the shortest stays first."""
        free, edges = self._room(search)
        # From a fetch at the end of one place to the last use at the beginning of another.
        self.capacity = np.minimum.reduceat(free, edges - 1)
        length = self.end - self.begin
        self._wish = np.argsort(np.where(length > 0, length, BOUNDLESS), kind="stable")
        self.reprice()

    def choose(self) -> None:
        """Begin the second phase: all places cost the same, and prices follow demand no more."""
        self.priced = False
        self.price = np.full(len(self.price), SECOND_PRICE / self.width)

    def fitting(self, search: Search) -> Ints:
        """An order (int32[W]) whose stays there is room for; in the first phase it goes on as before. Raises :class:`planner.search.search.Stopped`."""
        kept = self.capacity, self._wish
        self.fit(search)
        order = self.order(search)
        if self.priced:
            self.capacity, self._wish = kept
            self.reprice()
        return order

    def renew(self, search: Search) -> None:
        """Bring prices, or what there is room for, up to date with the sequence."""
        if self.priced:
            self.follow_demand(search)
        else:
            self.fit(search)
