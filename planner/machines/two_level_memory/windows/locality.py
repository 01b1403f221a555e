"""Constructive orders: sums of neurons stay in memory in a sliding window while sources pass by.

A window is a sequence of the neurons that have incoming connections, in topological order. ``width`` partial sums are in
memory at a time. The oldest leaves when all its sources have passed; a source that is fetched serves every sum in the window. A
neuron that has just been completed serves the window from its own place before it is written. So a source is fetched once
per window's width of its targets, at most; what that costs in all follows from the sequence alone (``refine.py``), and
the orders that windows stand for are counted by the evaluator.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from planner.machines.two_level_memory.problem import NetworkProblem
from planner.machines.two_level_memory.windows import locality_kernels as kernels
from planner.model.graph import Bools, Ints
from planner.model.network import Network
from planner.search.search import Search

Longs = NDArray[np.int64]

HELD_SHARE = 4
"""Sums are held throughout only where they take at most one place in so many."""
NARROWER = (0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1)
"""Widths tried under policies that do not look ahead, as shares of the widest."""
SLICE = 400_000
"""Connections looked at between two questions whether to stop: some milliseconds."""


@dataclass(frozen=True, eq=False)
class Links:
    """A network's connections as kernels of windows read them, both ways, int64 pointers and int32 ids."""

    network: Network

    @cached_property
    def into(self) -> tuple[Longs, Ints, Ints]:
        """Pointers int64[N + 1], connections int32[W] and the neurons they leave int32[W], by the neuron they lead into."""
        pointers, ids = self.network.incoming
        return pointers, ids, self.network.source[ids]

    @cached_property
    def out(self) -> tuple[Longs, Ints, Ints]:
        """Pointers int64[N + 1], connections int32[W] and the neurons they lead into int32[W], by the neuron they leave."""
        pointers, ids = self.network.outgoing
        return pointers, ids, self.network.target[ids]

    @cached_property
    def computed(self) -> Ints:
        """The neurons with incoming connections by rank, int32[n]."""
        ranked = np.argsort(self.network.rank).astype(np.int32)
        return ranked[self.network.in_degree[ranked] > 0]

    def large_sums(self, width: int) -> Ints:
        """Final neurons with so many sources that their sums had better stay while those are made, int32[]."""
        network = self.network
        large = (network.out_degree == 0) & (network.in_degree > 2 * width)
        found = np.flatnonzero(large).astype(np.int32)
        return found if 0 < len(found) <= width // HELD_SHARE else found[:0]


@dataclass(eq=False)
class Window:
    """What is in memory when: sums enter in one sequence and leave in another (n computed neurons that are not held).

    ``entering`` and ``leaving`` int32[n]; ``held`` bool[N] sums that stay in memory while their sources are made; ``until`` int64[n]
    the first place of ``entering`` not yet in memory while the sum at each place of ``leaving`` waits.
    """

    links: Links
    width: int
    held: Bools
    until: Longs
    leaving: Ints
    entering: Ints = field(default_factory=lambda: np.empty(0, np.int32))

    def __post_init__(self) -> None:
        if not len(self.entering):
            self.entering = self.leaving

    @property
    def entry(self) -> Longs:
        """Each neuron's place in ``entering``, -1 for inputs and held sums: int64[N]."""
        return _places(self.entering, len(self.held))

    @property
    def exit(self) -> Longs:
        """Each neuron's place in ``leaving``, -1 for inputs and held sums: int64[N]."""
        return _places(self.leaving, len(self.held))

    def order(self, search: Search | None = None) -> Ints:
        """The connections in the order of use, int32[W]. Raises :class:`planner.search.search.Stopped` where ``search`` has stopped."""
        network, (into_ptr, into, into_source) = self.links.network, self.links.into
        order = np.empty(network.connection_count, np.int32)
        done = np.zeros(len(order), np.bool_)
        entry, filled, n = self.entry, 0, len(self.leaving)
        step = max(1, n * SLICE // (SLICE + 8 * len(order)))
        for begin in range(0, n, step):
            if search is not None:
                search.check()
            filled = kernels.emit(
                begin, min(n, begin + step), filled, self.leaving, entry, self.until, into_ptr, into, into_source, *self.links.out,
                done, order,
            )  # fmt: skip
        # What is left leads from inputs into held sums alone.
        order[filled:] = np.flatnonzero(~done)
        return order


def window_of(links: Links, sequence: Ints, width: int, held: Ints) -> Window:
    """The window of ``width`` sums that slides over ``sequence`` (int32[n], topological), less a place for each held sum.

    A held sum takes its place when the first of its sources is complete.
    """
    network = links.network
    n = len(sequence)
    taken = np.zeros(n, np.int64)
    exits = _places(sequence, network.neuron_count)
    pointers, _, sources = links.into
    for v in held:
        first = int(exits[sources[pointers[v] : pointers[v + 1]]].min())
        taken[max(0, first) :] += 1
    until = np.arange(n) + width - taken
    until = np.minimum(np.maximum.accumulate(until), n).astype(np.int64) if n else until.astype(np.int64)
    marks = np.zeros(network.neuron_count, np.bool_)
    marks[held] = True
    return Window(links, width, marks, until, sequence)


def _places(sequence: Ints, neurons: int) -> Longs:
    places = np.full(neurons, -1, np.int64)
    places[sequence] = np.arange(len(sequence))
    return places


def gathered(
    links: Links,
    width: int,
    held: Ints,
    *,
    noise: NDArray[np.float64] | None = None,
    relative: bool = False,
    search: Search | None = None,
) -> Window:
    """A window over a sequence made greedily: next comes the neuron for which the fewest sources must be fetched.

    ``noise`` float64[N] is added to the neurons' scores; with ``relative`` the share of sources decides and not their number. Raises
    :class:`planner.search.search.Stopped`.
    """
    network = links.network
    computed = links.computed[~np.isin(links.computed, held)]
    frame = window_of(links, computed, width, held)
    n, neurons = len(computed), network.neuron_count
    into_ptr, _, into_source = links.into
    out_ptr, _, out_target = links.out
    sequence, ready = np.empty(n, np.int32), np.empty(n, np.int32)
    needs, covered = np.zeros(neurons, np.int64), np.zeros(neurons, np.int64)
    absent = network.in_degree.astype(np.int64)
    heads, expiring = np.full(n + 2, -1, np.int64), np.full(neurons, -1, np.int64)
    scores = np.zeros(neurons) if noise is None else noise
    count = kernels.ready_inputs(into_ptr, into_source, network.is_input, frame.held, needs, ready)
    step = max(1, n * SLICE // (SLICE + 8 * network.connection_count + n * min(n, kernels.SCANNED)))
    for begin in range(0, n, step):
        if search is not None:
            search.check()
        count = kernels.gather(
            begin, min(n, begin + step), sequence, ready, count, needs, absent, covered, heads, expiring, into_ptr, into_source,
            out_ptr, out_target, frame.held, frame.until, scores, relative,
        )  # fmt: skip
    return window_of(links, sequence, width, held)


def widths(problem: NetworkProblem) -> tuple[int, ...]:
    """Widths of windows worth trying, the likeliest first: MIN keeps the widest, other policies need room to forget."""
    widest = max(1, problem.target.size - 2)
    if problem.target.policy == "min":
        return (widest,)
    return tuple(dict.fromkeys(max(1, round(widest * share)) for share in NARROWER))


def constructed(problem: NetworkProblem, search: Search, links: Links) -> Iterator[Window]:
    """Windows made without chance, the quickest first. Raises :class:`planner.search.search.Stopped`."""
    nothing = np.empty(0, np.int32)
    for width in widths(problem):
        large = links.large_sums(width)
        for held in (large, nothing) if len(large) else (nothing,):
            computed = links.computed[~np.isin(links.computed, held)]
            yield window_of(links, computed, width, held)
            yield gathered(links, width, held, relative=True, search=search)


def restarted(search: Search, window: Window) -> Window:
    """A greedy window as wide as ``window``, with random ties and weights. Raises :class:`planner.search.search.Stopped`."""
    neurons = len(window.held)
    relative = bool(search.rng.integers(2))
    strength = search.rng.exponential(0.1 if relative else 3.0)
    noise = search.rng.random(neurons) * strength
    held = np.flatnonzero(window.held).astype(np.int32)
    return gathered(window.links, window.width, held, noise=noise, relative=relative, search=search)
