"""Two-level memory from its definition: dicts, sets and loops over plain Python numbers, nothing of the fast code.

A connection (a, b) is used by reading it, having the values of neurons a and b in fast memory, and updating b. Fast memory holds ``slots`` values of
neurons besides the connection. Whoever is used later is found by looking through the rest of the order, every time.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from math import inf

Link = tuple[int, int]
"""Source and target of a connection."""
Event = tuple[int, str, int]
"""Position in the order, ``read``, ``write`` or ``evict``, and the neuron."""


@dataclass
class Memory:
    """Fast memory and what has been done to it."""

    links: Sequence[Link]
    outputs: Collection[int]
    slots: int
    held: dict[int, int] = field(default_factory=dict)
    dirty: set[int] = field(default_factory=set)
    used: dict[int, int] = field(default_factory=dict)
    pointer: int = 0
    events: list[Event] = field(default_factory=list)

    def next_use(self, neuron: int, position: int) -> float:
        """The first position from ``position`` on whose connection touches the neuron, or infinity."""
        return next((p for p in range(position, len(self.links)) if neuron in self.links[p]), inf)

    def leave(self, neuron: int, position: int, after: int) -> None:
        """Take a value out; what is dirty and needed from position ``after`` on, or is an output, is written first."""
        wanted = neuron in self.outputs or self.next_use(neuron, after) < inf
        if neuron in self.dirty and wanted:
            self.events.append((position, "write", neuron))
        self.dirty.discard(neuron)
        self.events.append((position, "evict", neuron))
        del self.held[neuron]

    def fetch(self, neuron: int, position: int, victim: Callable[[Memory, int], int]) -> None:
        """Have a value in fast memory."""
        if neuron in self.held:
            return
        if len(self.held) == self.slots:
            out = victim(self, position)
            assert out not in self.links[position]
            self.leave(out, position, position)
        taken = set(self.held.values())
        self.held[neuron] = next(s for s in range(self.slots) if s not in taken)
        self.events.append((position, "read", neuron))

    def count(self, kind: str) -> int:
        """How many events are of a kind."""
        return sum(k == kind for _, k, _ in self.events)


def others(memory: Memory, position: int) -> list[int]:
    """The values in fast memory that the current connection does not pin."""
    return [n for n in memory.held if n not in memory.links[position]]


def farthest(memory: Memory, position: int) -> int:
    """The value used farthest in the future; of the two ends of one connection the clean one, where both are alike that used longest ago."""

    def rank(neuron: int) -> tuple[float, bool, int]:
        return memory.next_use(neuron, position), neuron not in memory.dirty, -memory.used[neuron]

    return max(others(memory, position), key=rank)


def least_recent(memory: Memory, position: int) -> int:
    """The value whose last use is longest ago."""
    return min(others(memory, position), key=memory.used.__getitem__)


def next_slot(memory: Memory, position: int) -> int:
    """The value in the pointer's slot, or in the first slot behind it that is not pinned; the pointer goes one past it."""
    by_slot = {slot: neuron for neuron, slot in memory.held.items()}
    while by_slot[memory.pointer] in memory.links[position]:
        memory.pointer = (memory.pointer + 1) % memory.slots
    found = by_slot[memory.pointer]
    memory.pointer = (memory.pointer + 1) % memory.slots
    return found


VICTIMS = {"min": farthest, "lru": least_recent, "rr": next_slot}


def simulate(policy: str, links: Sequence[Link], outputs: Collection[int], slots: int) -> Memory:
    """Use the connections in order under a policy."""
    memory = Memory(links, outputs, slots)
    for p, (a, b) in enumerate(links):
        for time, neuron in enumerate((a, b)):
            memory.fetch(neuron, p, VICTIMS[policy])
            memory.used[neuron] = 2 * p + time
        memory.dirty.add(b)
        if policy == "min":
            for neuron in (a, b):
                if neuron in memory.held and memory.next_use(neuron, p + 1) == inf:
                    memory.leave(neuron, p, p + 1)
    for neuron in sorted(memory.dirty & set(outputs)):
        memory.events.append((len(links) - 1, "write", neuron))
    return memory


def counts(policy: str, links: Sequence[Link], outputs: Collection[int], slots: int) -> tuple[int, int]:
    """Reads, those of the connections among them, and writes."""
    memory = simulate(policy, links, outputs, slots)
    return memory.count("read") + len(links), memory.count("write")


def best_counts(links: Sequence[Link], outputs: Collection[int], slots: int) -> tuple[int, int]:
    """The least reads, and the least reads plus writes, that any choice of victims reaches on this order."""
    memory = Memory(links, outputs, slots)

    @cache
    def least(p: int, end: int, held: frozenset[int], dirty: frozenset[int], weight: int) -> int:
        """Cost of what is left: ``end`` says which end of connection p comes next, a write costs ``weight``."""
        if p == len(links):
            return weight * len(dirty & set(outputs))
        if end == 2:
            return least(p + 1, 0, held, dirty | {links[p][1]}, weight)
        neuron = links[p][end]
        if neuron in held:
            return least(p, end + 1, held, dirty, weight)
        if len(held) < slots:
            return 1 + least(p, end + 1, held | {neuron}, dirty, weight)
        found = []
        for out in held - set(links[p]):
            wanted = out in outputs or memory.next_use(out, p) < inf
            cost = 1 + weight * (out in dirty and wanted)
            found.append(cost + least(p, end + 1, held - {out} | {neuron}, dirty - {out}, weight))
        return min(found)

    start: frozenset[int] = frozenset()
    return least(0, 0, start, start, 0) + len(links), least(0, 0, start, start, 1) + len(links)


def orders(links: Sequence[Link]) -> Iterator[list[int]]:
    """Every order in which all connections into a neuron come before those out of it."""

    def grow(taken: list[int]) -> Iterator[list[int]]:
        if len(taken) == len(links):
            yield list(taken)
        left = [c for c in range(len(links)) if c not in taken]
        for c in left:
            if all(links[d][1] != links[c][0] for d in left):
                yield from grow([*taken, c])

    return grow([])


def most_live(links: Sequence[Link]) -> int:
    """The largest number of neurons that are between their first and their last use at once, both included."""
    return max(
        sum(any(n in e for e in links[: p + 1]) and any(n in e for e in links[p:]) for n in touched(links))
        for p in range(len(links))
    )


def touched(links: Sequence[Link]) -> set[int]:
    """Every neuron that has a connection."""
    return {neuron for link in links for neuron in link}


def least_live(links: Sequence[Link]) -> int:
    """The least of :func:`most_live` over all orders, by going through the sets of connections that may be used first."""
    whole = (1 << len(links)) - 1

    @cache
    def least(done: int) -> int:
        """The largest live set that the best way to go on from here still meets."""
        if done == whole:
            return 0
        left = [c for c in range(len(links)) if not done >> c & 1]
        before = touched([links[c] for c in range(len(links)) if done >> c & 1])
        after = touched([links[c] for c in left])
        found = []
        for c in left:
            if all(links[d][1] != links[c][0] for d in left):
                live = (before & after) | set(links[c])
                found.append(max(len(live), least(done | 1 << c)))
        return min(found)

    return least(0)
