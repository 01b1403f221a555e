"""What a trace says about any moment, found in a time that depends on the fast memory, not on the length of the order.

A moment ``p`` is the one when ``p`` connections are done, 0 to W; what it shows is fast memory during the last of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple
from weakref import WeakValueDictionary

import numpy as np

from gui.raster.blend import KERNEL
from planner.compiling.kernel import njit
from planner.machines.two_level_memory.kernels import READ, WRITE
from planner.machines.two_level_memory.trace import Trace
from planner.model.graph import Bools, Ints
from planner.model.network import Network


class Counters(NamedTuple):
    """I/Os up to a moment, and what of them no bound asks for: values read again, values written before they are results."""

    reads: int
    writes: int
    again: int
    spills: int

    @property
    def total(self) -> int:
        """Reads and writes."""
        return self.reads + self.writes

    @property
    def beyond(self) -> int:
        """What no bound asks for."""
        return self.again + self.spills


@dataclass(frozen=True, eq=False)
class Residents:
    """The values in fast memory at a moment: int32 ``neuron``, ``slot``, ``since`` (positions), and whether each is ``dirty``."""

    neuron: Ints
    slot: Ints
    since: Ints
    dirty: Bools


@dataclass(frozen=True, eq=False)
class History:
    """A trace with its order, prepared for looking at moments. Cumulative arrays are int64[W + 1]."""

    network: Network
    order: Ints
    trace: Trace
    again: np.ndarray
    spills: np.ndarray
    moments: Ints
    """Moments after which a value has been read, written or evicted, ascending, each once."""
    updated: Ints
    """The position at which each residency is first added to; W where it never is (int32[R])."""
    written: Ints
    """The position at which the value of each residency is written while it stays, as outputs are in the end; W where it never is (int32[R])."""
    slots: int
    _by_slot: Ints
    _keys: np.ndarray

    @property
    def length(self) -> int:
        """W."""
        return len(self.order)

    def counters(self, moment: int) -> Counters:
        """I/Os of the first ``moment`` connections."""
        t = self.trace
        return Counters(
            int(t.reads[moment]), int(t.writes[moment]), int(self.again[moment]), int(self.spills[moment])
        )

    def residents(self, moment: int) -> Residents:
        """The values in fast memory, by slot. O(M log R)."""
        t, at = self.trace, moment - 1
        stride = self.length + 1
        place = np.searchsorted(self._keys, np.arange(self.slots) * stride + at, side="right") - 1
        found = self._by_slot[place[place >= 0]] if at >= 0 else self._by_slot[:0]
        # The last stay that began in an earlier slot is found where a slot was never used; its slot tells.
        found = np.unique(found[(t.begin[found] <= at) & (at < t.end[found])])
        found = found[np.argsort(t.resident_slot[found], kind="stable")]
        dirty = (self.updated[found] <= at) & (at < self.written[found])
        return Residents(t.resident_neuron[found], t.resident_slot[found], t.begin[found], dirty)

    def events(self, before: int, moment: int) -> slice:
        """Events of the connections after moment ``before`` up to ``moment``."""
        first, last = np.searchsorted(self.trace.position, (before, moment))
        return slice(int(first), int(last))

    def step_event(self, moment: int, direction: int) -> int:
        """The next moment with an I/O of a value (direction 1), or the one before (-1); the end where there is none."""
        return step(self.moments, moment, direction, self.length)


def step(stops: Ints, moment: int, direction: int, last: int) -> int:
    """The next of ``stops`` (ascending) after a moment, else ``last``; with direction -1 the one before it, else 0."""
    if direction > 0:
        i = int(np.searchsorted(stops, moment, side="right"))
        return int(stops[i]) if i < len(stops) else last
    i = int(np.searchsorted(stops, moment, side="left")) - 1
    return int(stops[i]) if i >= 0 else 0


_known: WeakValueDictionary[int, History] = WeakValueDictionary()
"""Histories that somebody holds, by the identity of their trace."""


def history_of(network: Network, order: Ints, trace: Trace, slots: int) -> History:
    """The history of a trace; the same for all who look at it, while one of them keeps it."""
    found = _known.get(id(trace))
    if found is None or found.trace is not trace:
        found = _known[id(trace)] = _history(network, order, trace, slots)
    return found


def block_starts(network: Network, order: Ints) -> Ints:
    """Positions at which a run of connections into one neuron begins (int32, ascending)."""
    into = network.target[order]
    return np.concatenate([[0], np.flatnonzero(into[1:] != into[:-1]) + 1]).astype(np.int32)


def _history(network: Network, order: Ints, trace: Trace, slots: int) -> History:
    w = len(order)
    read, written = trace.kind == READ, trace.kind == WRITE
    again = read.copy()
    again[_first_of(trace.neuron, read, network.neuron_count)] = False
    # An output costs one write in the end, which is the last of it; all other writes are spills.
    spill = written.copy()
    final = _last_of(trace.neuron, written, network.neuron_count)
    spill[final[network.is_output[trace.neuron[final]]]] = False
    # Stays come by their begin; numbers of 16 bits are sorted several times faster.
    narrow = trace.resident_slot.astype(np.uint16 if slots < 2**16 else np.int32)
    by_slot = np.argsort(narrow, kind="stable").astype(np.int32)
    keys = trace.resident_slot[by_slot].astype(np.int64) * (w + 1) + trace.begin[by_slot]
    position = trace.position
    last_there = np.append(position[1:] != position[:-1], True)
    updated = _first_updates(
        network.target[order], network.neuron_count, trace.resident_neuron, trace.begin, trace.end
    )
    return History(
        network, order, trace,
        _cumulated(trace.position[again], w), _cumulated(trace.position[spill], w),
        position[last_there] + np.int32(1),
        updated, _writings(trace, written, by_slot, keys, w), slots, by_slot, keys,
    )  # fmt: skip


def _writings(trace: Trace, written: Bools, by_slot: Ints, keys: np.ndarray, w: int) -> Ints:
    """The position at which each residency's value is written while it stays, W where it never is (int32[R]). ``written`` are the events
    that write; what is written as it leaves for another value is of no residency any more."""
    found = np.full(len(by_slot), w, np.int32)
    slot, position = trace.slot[written].astype(np.int64), trace.position[written]
    place = np.searchsorted(keys, slot * (w + 1) + position, side="right") - 1
    stay = by_slot[np.maximum(place, 0)] if len(by_slot) else np.zeros(0, np.int32)
    same = (place >= 0) & (trace.resident_neuron[stay] == trace.neuron[written]) if len(stay) else place >= 0
    found[stay[same]] = position[same]
    return found


def _cumulated(positions: Ints, w: int) -> np.ndarray:
    total = np.zeros(w + 1, np.int64)
    total[1:] = np.cumsum(np.bincount(positions, minlength=w))
    return total


def _first_of(neuron: Ints, mask: Bools, neurons: int) -> np.ndarray:
    """The first event of each neuron among those in ``mask``."""
    return _last_given(neuron, np.flatnonzero(mask)[::-1], neurons)


def _last_of(neuron: Ints, mask: Bools, neurons: int) -> np.ndarray:
    """The last one."""
    return _last_given(neuron, np.flatnonzero(mask), neurons)


def _last_given(neuron: Ints, events: np.ndarray, neurons: int) -> np.ndarray:
    """Of the events of each neuron the one that comes last in ``events``: of repeated places the last assignment counts."""
    found = np.full(neurons, -1, np.int64)
    found[neuron[events]] = events
    return found[found >= 0]


@njit(**KERNEL)
def _first_updates(into, neurons, resident, begin, end):
    """The position at which each residency is first a target, W where it is none; residencies by their begin."""
    w = len(into)
    updated = np.full(len(resident), w, np.int32)
    current = np.full(neurons, -1, np.int32)
    coming = 0
    for p in range(w):
        while coming < len(resident) and begin[coming] <= p:
            current[resident[coming]] = coming
            coming += 1
        stay = current[into[p]]
        if stay >= 0 and p < end[stay] and updated[stay] == w:
            updated[stay] = p
    return updated


def warm_up() -> None:
    """Compile or load the kernel with tiny inputs."""
    one = np.zeros(1, np.int32)
    _first_updates(one, 1, one, one, one)
