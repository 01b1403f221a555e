"""Blocks put together to a plan: each unit in one of them, at most k, and an order in which no edge goes back."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from planner.machines.pipeline.exact.model import StageModel
from planner.methods.mip import mip
from planner.methods.mip.model import Arrays
from planner.model.graph import Bools, Floats, Ints
from planner.search.search import Search

MOST_CIRCLES, MOST_WITNESSES = 12, 200
"""Circles that are cut off for two blocks, and edges each way that are looked at for them."""
MOST_ROUNDS = 200
"""Programs that are solved at most, each with the cuts of the solutions before it."""


class Unsettled(Exception):
    """Whether there is such a plan was not found out with the work that was allowed."""


def fitting(model: StageModel, blocks: Bools) -> Bools:
    """Which of ``blocks`` (bool[b, m]) pins leave a stage (bool[b])."""
    k = model.k
    earliest = np.where(blocks, model.earliest, 0).max(axis=1, initial=0)
    latest = np.where(blocks, model.latest, k - 1).min(axis=1, initial=k - 1)
    kept: Bools = earliest <= latest
    return kept


def partition(model: StageModel, blocks: Bools, search: Search, nodes: int) -> Ints | None:
    """A plan of some of ``blocks`` (bool[b, m]): the stage of each unit (int32[m]), None where it is proven that there is none.

    Raises :class:`Unsettled` after ``nodes`` nodes of one integer program, or many programs.
    """
    if not len(blocks) or not blocks.any(axis=0).all():
        return None
    counted = blocks.astype(np.float32)
    together = counted.T @ counted
    cuts: list[tuple[Ints, float]] = []
    known: set[bytes] = set()
    for _ in range(MOST_ROUNDS):
        chosen = _solve(model, blocks, cuts, search, nodes)
        if chosen is None:
            return None
        stage_of, circles = arranged(model, blocks[chosen], together)
        if stage_of is not None:
            return stage_of
        for circle in circles:
            key = b"".join(sorted(np.array(pair, np.int32).tobytes() for pair in circle))
            if key not in known:
                known.add(key)
                holds = [blocks[:, into] & blocks[:, out] for into, out in circle]
                cuts.append((np.flatnonzero(np.any(holds, axis=0)).astype(np.int32), len(circle) - 1.0))
        if not circles:
            # In an order, but pins leave no stages for it: these blocks together are no plan.
            cuts.append((chosen, len(chosen) - 1.0))
        search.check()
    raise Unsettled


def _solve(
    model: StageModel, blocks: Bools, cuts: list[tuple[Ints, float]], search: Search, nodes: int
) -> Ints | None:
    """Blocks (int32[chosen]) that hold each unit once and keep the cuts; None where it is proven that there are none."""
    b, m = blocks.shape
    unit, column = np.nonzero(blocks.T)
    everything = np.arange(b, dtype=np.int32)
    parts: list[Ints] = [column.astype(np.int32), everything, *(columns for columns, _ in cuts)]
    sizes = np.concatenate([np.bincount(unit, minlength=m), [len(part) for part in parts[1:]]])
    ptr = np.zeros(len(sizes) + 1, np.int32)
    np.cumsum(sizes, out=ptr[1:])
    idx = np.concatenate(parts).astype(np.int32)
    rows: Floats = np.array([side for _, side in cuts], np.float64)
    arrays = Arrays(
        names=tuple(map(str, range(b))),
        cost=np.zeros(b),
        offset=0.0,
        lower=np.zeros(b),
        upper=np.ones(b),
        integer=np.ones(b, bool),
        ptr=ptr,
        idx=idx,
        value=np.ones(len(idx)),
        row_lower=np.concatenate([np.ones(m), np.full(1 + len(cuts), -math.inf)]),
        row_upper=np.concatenate([np.ones(m), [float(model.k)], rows]),
    )
    found: list[Ints] = []

    def on_solution(values: dict[str, float]) -> None:
        found.append(np.flatnonzero(np.array(list(values.values())) > 0.5).astype(np.int32))

    outcome = mip.solve(
        arrays, search, solver="highs", on_solution=on_solution, on_bound=lambda bound: None, nodes=nodes
    )
    search.check()
    if outcome.status == "infeasible":
        return None
    if not found:
        raise Unsettled
    return found[-1]


def arranged(
    model: StageModel, blocks: Bools, together: NDArray[np.float32]
) -> tuple[Ints | None, list[list[tuple[int, int]]]]:
    """Stages for blocks that hold each unit once (bool[b, m]): ``(stage of each unit int32[m], no circles)`` or ``(None, circles)``.

    A circle is a list of units, each (where it enters a block, where it leaves it): blocks with these units cannot be put in
    order. None without circles: pins leave no stages. Of two blocks that are before each other those circles are given whose units
    are most often ``together`` (float32[m, m]) in a block, as so many blocks are then known to be in no order.
    """
    block_of = blocks.argmax(axis=0).astype(np.int32)
    count = len(blocks)
    units = [np.flatnonzero(block).astype(np.int32) for block in blocks]
    edge: dict[tuple[int, int], tuple[int, int]] = {}
    after: list[list[int]] = [[] for _ in range(count)]
    for a in range(count):
        # With all ancestors, not only the nearest, circles are shorter, and more of what is listed is cut off with them.
        for b in np.flatnonzero(
            np.bincount(block_of[model.before[:, units[a]].any(axis=1)], minlength=count)
        ).tolist():
            if a != b:
                first = int(model.before[np.ix_(units[b], units[a])].argmax())
                edge[a, b] = int(units[a][first % len(units[a])]), int(units[b][first // len(units[a])])
                after[a].append(b)
    circles = [
        circle
        for path in _circles(after)
        for circle in (
            _twofold(model, units[path[0]], units[path[1]], together)
            if len(path) == 2
            else [_entered(path, edge)]
        )
    ]
    if circles:
        return None, circles
    stage = _stages(model, blocks, after)
    return (None if stage is None else stage[block_of]), []


def _entered(path: list[int], edge: dict[tuple[int, int], tuple[int, int]]) -> list[tuple[int, int]]:
    """The units at which a circle of blocks enters and leaves each."""
    size = len(path)
    return [(edge[path[i - 1], path[i]][1], edge[path[i], path[(i + 1) % size]][0]) for i in range(size)]


def _twofold(
    model: StageModel, a: Ints, b: Ints, together: NDArray[np.float32]
) -> list[list[tuple[int, int]]]:
    """Circles of two blocks of the units ``a`` and ``b`` (int32[units] each)."""
    v, u = (some[:MOST_WITNESSES] for some in np.nonzero(model.before[np.ix_(b, a)]))
    x, y = (some[:MOST_WITNESSES] for some in np.nonzero(model.before[np.ix_(a, b)]))
    leaves_a, enters_b, enters_a, leaves_b = a[u], b[v], a[x], b[y]
    often = together[np.ix_(leaves_a, enters_a)] + together[np.ix_(enters_b, leaves_b)]
    chosen = np.argsort(-often, axis=None, kind="stable")[:MOST_CIRCLES]
    return [
        [(int(enters_a[j]), int(leaves_a[i])), (int(enters_b[i]), int(leaves_b[j]))]
        for i, j in zip(*np.unravel_index(chosen, often.shape), strict=True)
    ]


def _circles(after: list[list[int]]) -> Iterator[list[int]]:
    """A shortest circle through each block that is on one."""
    for start in range(len(after)):
        parent = {start: -1}
        queue = deque([start])
        last = -1
        while queue and last < 0:
            a = queue.popleft()
            for b in after[a]:
                if b == start:
                    last = a
                    break
                if b not in parent:
                    parent[b] = a
                    queue.append(b)
        if last < 0:
            continue
        path = [last]
        while path[-1] != start:
            path.append(parent[path[-1]])
        path.reverse()
        yield path


def _stages(model: StageModel, blocks: Bools, after: list[list[int]]) -> Ints | None:
    """A stage for each block (int32[b]), each its own, in order and within what pins leave; None where there are none.

    Blocks are jobs of one step on one machine with releases and deadlines: the earliest deadline first is exact.
    """
    count, k = len(blocks), model.k
    before: list[list[int]] = [[] for _ in range(count)]
    for a, following in enumerate(after):
        for b in following:
            before[b].append(a)
    order: list[int] = []
    left = [len(some) for some in before]
    ready = [a for a in range(count) if not left[a]]
    while ready:
        a = ready.pop()
        order.append(a)
        for b in after[a]:
            left[b] -= 1
            if not left[b]:
                ready.append(b)
    release = [int(model.earliest[block].max()) for block in blocks]
    deadline = [int(model.latest[block].min()) for block in blocks]
    for a in order:
        release[a] = max([release[a], *(release[b] + 1 for b in before[a])])
    for a in reversed(order):
        deadline[a] = min([deadline[a], *(deadline[b] - 1 for b in after[a])])
    stage = np.full(count, -1, np.int32)
    for now in range(k):
        waiting = [a for a in range(count) if stage[a] < 0 and release[a] <= now]
        if waiting:
            first = min(waiting, key=lambda a: (deadline[a], a))
            if deadline[first] < now:
                return None
            stage[first] = now
    return stage if (stage >= 0).all() else None
