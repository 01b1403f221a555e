"""Peaks of activations on pipelines from their definition: sets and loops over plain Python numbers, nothing of the fast code."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

Tensors = list[tuple[int, frozenset[int], float, float]]
"""Producer, consumers, bytes and time of each, as :func:`tests.planner.reference.tensors` gives them."""


def live_bytes(tensors: Tensors, block: set[int], order: Sequence[int]) -> list[float]:
    """Bytes of activations on ``block`` while each op of ``order`` runs.

    What comes from elsewhere is there from the start to its last use; what an op makes from then on to its last use, or to the end
    where another block reads it or nobody does.
    """
    out = [0.0] * len(order)
    for u, consumers, size, _ in tensors:
        uses = [order.index(v) for v in consumers & block]
        if u not in block and not uses:
            continue
        first = order.index(u) if u in block else 0
        stays = u in block and (not consumers or bool(consumers - block))
        last = len(order) - 1 if stays else max(uses)
        for step in range(first, last + 1):
            out[step] += size
    return out


def edges(tensors: Tensors, block: set[int]) -> set[tuple[int, int]]:
    """Producer and consumer of every tensor where both are on ``block``."""
    return {(u, v) for u, consumers, _, _ in tensors for v in consumers & block if u in block}


def depth_first(tensors: Tensors, block: set[int]) -> list[int]:
    """What has just become ready next, the smallest id of it first."""
    return run(tensors, block, lambda stack, done: len(stack) - 1)


def least_bytes(tensors: Tensors, block: set[int]) -> list[int]:
    """Of all ready ops the one after which the block holds the fewest bytes, the smallest id of several."""

    def choose(stack: list[int], done: list[int]) -> int:
        def after(v: int) -> tuple[float, int]:
            held = 0.0
            for u, consumers, size, _ in tensors:
                left = consumers & block - {*done, v}
                stays = u in block and (not consumers or bool(consumers - block))
                there = u not in block or u in {*done, v}
                if there and (left or stays):
                    held += size
            return held, v

        return stack.index(min(stack, key=after))

    return run(tensors, block, choose)


def run(tensors: Tensors, block: set[int], choose: Callable[[list[int], list[int]], int]) -> list[int]:
    """The ops of ``block`` as they run: ``choose`` picks a place in the stack of ready ones."""
    bound = edges(tensors, block)
    done: list[int] = []
    stack = sorted((v for v in block if not any(b == v for _, b in bound)), reverse=True)
    while stack:
        v = stack.pop(choose(stack, done))
        done.append(v)
        ready = [w for w in block if (v, w) in bound and all(u in done for u, b in bound if b == w)]
        stack += sorted(ready, reverse=True)
    return done


def peak(tensors: Tensors, block: set[int], activations: str) -> float:
    """The most bytes that ``block`` holds at once, its ops run as the target's ``activations`` says."""
    orders = [depth_first(tensors, block)]
    if activations == "peak":
        orders.append(least_bytes(tensors, block))
    return min(max(live_bytes(tensors, block, order), default=0.0) for order in orders)


def least_peak(tensors: Tensors, block: set[int]) -> float:
    """The least peak over all orders in which ``block`` can run: every one is tried."""
    bound = edges(tensors, block)
    return min(
        max(live_bytes(tensors, block, order), default=0.0)
        for order in itertools.permutations(sorted(block))
        if all(order.index(u) < order.index(v) for u, v in bound)
    )
