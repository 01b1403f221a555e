"""I/Os of orders against the size of fast memory: counted at few sizes first, then where the curves bend. No Qt."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from planner.machines.two_level_memory.orders.io_bounds import io_bounds
from planner.machines.two_level_memory.orders.live import memory_of
from planner.machines.two_level_memory.target import LEAST, POLICIES
from planner.model.graph import Ints
from planner.model.network import Network

COARSE, MOST_SAMPLES = 12, 64
SLICE_SECONDS = 0.25
"""After so long a part of the curves is handed over to be drawn."""


@dataclass(frozen=True, eq=False)
class Curves:
    """Exact I/Os at some sizes: ``memory`` int64[m] ascending; ``reads``, ``writes`` int64[orders, policies, m]."""

    memory: np.ndarray
    reads: np.ndarray
    writes: np.ndarray
    reaches: int
    """The size from which MIN needs the least possible for the first order."""
    complete: bool

    def values(self, component: str) -> np.ndarray:
        """``reads``, ``writes`` or their sum, ``total``."""
        return {"reads": self.reads, "writes": self.writes}.get(component, self.reads + self.writes)

    def nearest(self, memory: float) -> int:
        """The sample (index) whose size is nearest on a logarithmic scale."""
        return int(np.argmin(np.abs(np.log(self.memory) - np.log(max(memory, 1e-9)))))


class Sampling:
    """Counts orders of one network at sizes from 3 to where every policy needs the least possible.

    With one more value than there are neurons nothing is ever evicted before its end, so no larger size is of interest.
    """

    def __init__(self, network: Network, orders: tuple[Ints, ...], always: tuple[int, ...] = ()) -> None:
        self.network, self.orders = network, orders
        self._least = io_bounds(network).least
        self._most = max(LEAST + 1, network.neuron_count + 1)
        self._always = tuple(min(max(size, LEAST), self._most) for size in always)
        self._reaches: int | None = None
        self._known: dict[int, np.ndarray] = {}
        """Reads and writes by size: int64[orders, policies, 2]."""

    def _count(self, size: int, stopped: Callable[[], bool]) -> None:
        """Count all curves at one size; a part of them would be of no use, and is dropped when stopped."""
        from planner.machines.two_level_memory.kernels import simulate

        network = self.network
        nothing = np.empty((4, 0), np.int32)
        counts = np.empty((len(self.orders), len(POLICIES), 2), np.int64)
        for i, order in enumerate(self.orders):
            for policy in range(len(POLICIES)):
                if stopped():
                    return
                reads, writes, _ = simulate(
                    policy, order, network.source, network.target, network.is_output, network.neuron_count,
                    size - 1, nothing,
                )  # fmt: skip
                counts[i, policy] = network.connection_count + reads, writes
        self._known[size] = counts

    def _wanted(self) -> int | None:
        """The next size to count at, None where the curves are complete."""
        grid = np.geomspace(LEAST, self._most, COARSE).round().astype(int)
        for size in (*self._always, *np.unique(grid).tolist()):
            if size not in self._known:
                return int(size)
        if len(self._known) >= MOST_SAMPLES:
            return None
        sizes = np.array(sorted(self._known))
        totals = np.stack([self._known[s].sum(axis=2).ravel() for s in sizes.tolist()], axis=1).astype(float)
        # Where a step is high and wide there is most to find out.
        rise = np.abs(np.diff(totals, axis=1)).max(axis=0) / max(1.0, float(np.ptp(totals)))
        width = np.diff(np.log(sizes)) / np.log(self._most / LEAST)
        score = np.where(np.diff(sizes) > 1, rise * width, 0.0)
        at = int(np.argmax(score))
        if score[at] <= 1e-5:
            return None
        low, high = int(sizes[at]), int(sizes[at + 1])
        return min(max(round((low * high) ** 0.5), low + 1), high - 1)

    def work(self, stopped: Callable[[], bool]) -> Curves | None:
        """Count on for a while; the curves so far, None where it was stopped before there were any. Run on a thread."""
        begin = time.perf_counter()
        if self._reaches is None:
            self._reaches = memory_of(self.network, self.orders[0])
        while (size := self._wanted()) is not None and not stopped():
            self._count(size, stopped)
            if time.perf_counter() - begin > SLICE_SECONDS and len(self._known) > 1:
                break
        return self._curves() if self._known else None

    def _curves(self) -> Curves:
        sizes = sorted(self._known)
        counts = np.stack([self._known[size] for size in sizes], axis=2)
        # Behind the size from which all curves are at their least there is nothing to see.
        above = np.flatnonzero((counts.sum(axis=3) > self._least).any(axis=(0, 1)))
        end = min(len(sizes), (int(above[-1]) if len(above) else 0) + 2)
        end = max(end, *(sizes.index(size) + 1 for size in self._always if size in self._known), 1)
        assert self._reaches is not None
        return Curves(
            np.array(sizes[:end]),
            counts[:, :, :end, 0],
            counts[:, :, :end, 1],
            self._reaches,
            self._wanted() is None,
        )
