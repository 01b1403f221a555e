"""Better windows by search: simulated annealing on the sequences in which sums enter and leave fast memory."""

from __future__ import annotations

import numpy as np

from planner.machines.two_level_memory.windows import refine_kernels as kernels
from planner.machines.two_level_memory.windows.locality import Longs, Window
from planner.search.search import Search

DRIFT, FEW = 48, 16.0
"""How far apart a sum's places may be in the two sequences, where neurons have few targets on average. With many, sums gain
nothing from leaving out of turn, and jumps that cannot overshoot are several times as quick."""
APART = 0.3
"""The share of moves that let a sum enter or leave on its own, where that is allowed."""
HOTTEST, HOT, COLD = 0.6, 1.4, 0.06
"""Annealing begins at ``HOT`` over the root of the mean degree (what a swap changes grows so), at most at ``HOTTEST``."""
SLICE = 250_000
"""Sources looked at between two questions whether to stop: some 20 ms."""
ROOM = 256 * 2**20
"""Bytes that the sets of targets may take."""


def refinable(window: Window) -> bool:
    """Whether there is anything to swap, and room for the sets of targets."""
    n = len(window.leaving)
    return n > 1 and len(window.held) * (n // 64 + 1) * 16 <= ROOM


class Refined:
    """A window under annealing. ``total`` is what its sources cost now (I/Os), ``best`` the least so far."""

    def __init__(self, window: Window) -> None:
        self.window = window
        network = window.links.network
        degree = network.connection_count / max(1, len(window.leaving))
        drift = DRIFT if degree <= FEW else 0
        self.hot = min(HOTTEST, HOT / degree**0.5)
        n, neurons = len(window.leaving), network.neuron_count
        self.drift = min(drift, window.width // 2)
        self.entering, self.leaving = window.entering.copy(), window.leaving.copy()
        self.entry, self.exit = window.entry, window.exit
        self.bits = np.zeros((neurons, n // 64 + 1), np.uint64)
        self.jumps = np.zeros_like(self.bits)
        self.cost = np.zeros(neurons, np.int64)
        self._scratch = np.empty(neurons, np.int64), np.empty(neurons, np.int32), np.empty(neurons, np.int64)
        self._into_ptr, _, self._into_source = window.links.into
        self.total = self._fill()
        self.best = self.total
        self.best_entering, self.best_leaving = self.entering.copy(), self.leaving.copy()

    def _fill(self) -> int:
        return int(
            kernels.fill(
                self.bits, self.jumps, self.cost, self.entry, self.exit, self.leaving, self.window.until, self.drift,
                self.window.links.network.is_output, self._into_ptr, self._into_source,
            )
        )  # fmt: skip

    def restart(self) -> None:
        """Go on from the cheapest window so far."""
        self.entering[:], self.leaving[:] = self.best_entering, self.best_leaving
        places = np.arange(len(self.leaving))
        self.entry[self.entering], self.exit[self.leaving] = places, places
        self.total = self._fill()

    def anneal(self, search: Search, budget: int) -> bool:
        """Cool down once while looking at ``budget`` sources; False where the search was stopped."""
        spent, hot, cold = 0, self.hot, COLD
        apart = APART if self.drift else 0.0
        while spent < budget:
            if search.stopped():
                return False
            part = min(SLICE, budget - spent)
            ends = [hot * (cold / hot) ** (at / budget) for at in (spent, spent + part)]
            self.total, self.best, _ = kernels.anneal(
                int(search.rng.integers(2**31)), part, *ends, self.total, self.best, self.best_entering, self.best_leaving,
                self.entering, self.leaving, self.entry, self.exit, self.bits, self.jumps, self.cost, self.window.until, self.drift,
                self.window.links.network.is_output, self._into_ptr, self._into_source, *self._scratch, apart,
            )  # fmt: skip
            spent += part
        return True

    @property
    def found(self) -> Window:
        """The cheapest window so far."""
        window = self.window
        return Window(
            window.links,
            window.width,
            window.held,
            window.until,
            self.best_leaving.copy(),
            self.best_entering.copy(),
        )

    def costs(self) -> Longs:
        """What each neuron costs as a source now, int64[N], counted anew."""
        kept = self.cost.copy()
        self._fill()
        fresh, self.cost[:] = self.cost.copy(), kept
        return fresh
