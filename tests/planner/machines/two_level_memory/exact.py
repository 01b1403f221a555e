"""The fewest I/Os of small networks, over all orders of their connections and all choices of what to evict: Dijkstra's algorithm."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from heapq import heappop, heappush
from itertools import combinations

from tests.planner.machines.two_level_memory.reference import Link

State = tuple[int, frozenset[int], frozenset[int]]
"""Connections that are done, as bits; what is in memory; what of it is dirty."""


def fewest_ios(links: Sequence[Link], outputs: Collection[int], slots: int) -> int:
    """Reads, of connections too, and writes of the best inference with ``slots`` places for values of neurons."""
    into = {b: sum(1 << c for c, e in enumerate(links) if e[1] == b) for _, b in links}
    touching = {v: sum(1 << c for c, e in enumerate(links) if v in e) for e in links for v in e}
    whole = (1 << len(links)) - 1
    start: State = (0, frozenset(), frozenset())
    least, queue, count = {start: 0}, [(0, 0, start)], 0
    while queue:
        cost, _, state = heappop(queue)
        if cost > least[state]:
            continue
        done, held, dirty = state
        if done == whole:
            return cost + len(links)
        for c, (a, b) in enumerate(links):
            if done >> c & 1 or into.get(a, 0) & ~done:
                continue
            for more, kept in _room(held, dirty, {a, b}, slots):
                after = done | 1 << c
                unclean = (dirty & kept) | {b}
                gone = {v for v in kept if not touching[v] & ~after}
                paid = cost + more + len({a, b} - held) + len(gone & unclean & set(outputs))
                following = after, frozenset(kept - gone), frozenset(unclean - gone)
                if paid < least.get(following, 1 << 30):
                    least[following] = paid
                    count += 1
                    heappush(queue, (paid, count, following))
    raise AssertionError("every network has an order")


def _room(
    held: frozenset[int], dirty: frozenset[int], needed: set[int], slots: int
) -> Iterator[tuple[int, frozenset[int]]]:
    """(writes, what is in memory) for each choice of what to evict so that ``needed`` fits."""
    excess = len(held | needed) - slots
    for victims in combinations(sorted(held - needed), max(0, excess)):
        yield len(dirty.intersection(victims)), (held - set(victims)) | needed
