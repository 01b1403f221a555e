"""Blocks put together to a plan: each unit in one of them, at most k, and an order in which no edge goes back."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

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


class Columns(NamedTuple):
    """Blocks on runs of alike stages: ``blocks`` bool[b, m], ``run`` int32[b]."""

    blocks: Bools
    run: Ints


def fitting(model: StageModel, blocks: Bools, run: int) -> Bools:
    """Which of ``blocks`` (bool[b, m]) pins leave a stage of ``run`` (bool[b])."""
    stages = np.flatnonzero(model.run_of == run)
    first, last = int(stages[0]), int(stages[-1])
    earliest = np.where(blocks, model.earliest, first).max(axis=1, initial=first)
    latest = np.where(blocks, model.latest, last).min(axis=1, initial=last)
    kept: Bools = earliest <= latest
    return kept


def partition(model: StageModel, columns: Columns, search: Search, nodes: int) -> Ints | None:
    """A plan of some blocks: the stage of each unit (int32[m]), None where it is proven that there is none.

    Raises :class:`Unsettled` after ``nodes`` nodes of one integer program, or many programs.
    """
    blocks, run = columns
    if not len(blocks) or not blocks.any(axis=0).all():
        return None
    counted = blocks.astype(np.float32)
    together = counted.T @ counted
    cuts: list[tuple[Ints, float]] = []
    known: set[bytes] = set()
    sizes = np.bincount(model.run_of).astype(np.int32)
    for _ in range(MOST_ROUNDS):
        chosen = _solve(columns, sizes, cuts, search, nodes)
        if chosen is None:
            return None
        stage_of, circles = arranged(model, Columns(blocks[chosen], run[chosen]), together)
        if stage_of is not None:
            return stage_of
        for circle in circles:
            key = b"".join(sorted(np.array(pair, np.int32).tobytes() for pair in circle))
            if key not in known:
                known.add(key)
                holds = [blocks[:, into] & blocks[:, out] for into, out in circle]
                cuts.append((np.flatnonzero(np.any(holds, axis=0)).astype(np.int32), len(circle) - 1.0))
        back = _backward(model, Columns(blocks[chosen], run[chosen]))
        for u, v, first in back:
            late, early = blocks[:, u] & (run >= first), blocks[:, v] & (run < first)
            cuts.append((np.flatnonzero(late | early).astype(np.int32), 1.0))
        if not circles and not back:
            # In an order, but pins leave no stages for it: these blocks together are no plan.
            cuts.append((chosen, len(chosen) - 1.0))
        search.check()
    raise Unsettled


def _solve(
    columns: Columns, stages: Ints, cuts: list[tuple[Ints, float]], search: Search, nodes: int
) -> Ints | None:
    """Columns (int32[chosen]) that hold each unit once, no more on a run than it has ``stages`` (int32[runs]), and keep the cuts; None where it is proven that there are none."""
    blocks, run = columns
    b, m = blocks.shape
    of_runs = [np.flatnonzero(run == r).astype(np.int32) for r in range(len(stages))]
    unit, column = np.nonzero(blocks.T)
    parts: list[Ints] = [column.astype(np.int32), *of_runs, *(held for held, _ in cuts)]
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
        row_lower=np.concatenate([np.ones(m), np.full(len(stages) + len(cuts), -math.inf)]),
        row_upper=np.concatenate([np.ones(m), stages.astype(np.float64), rows]),
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
    model: StageModel, columns: Columns, together: NDArray[np.float32]
) -> tuple[Ints | None, list[list[tuple[int, int]]]]:
    """Stages for blocks that hold each unit once: ``(stage of each unit int32[m], no circles)`` or ``(None, circles)``.

    A circle is a list of units, each (where it enters a block, where it leaves it): blocks with these units cannot be put in
    order. None without circles: pins leave no stages, or a run comes too late for what follows it. Of two blocks that are before each other those circles are given whose units
    are most often ``together`` (float32[m, m]) in a block, as so many blocks are then known to be in no order.
    """
    blocks = columns.blocks
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
    stage = _stages(model, columns, after)
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


def _backward(model: StageModel, columns: Columns) -> list[tuple[int, int, int]]:
    """Units u that v needs, of blocks that hold each unit once, where the run of u is behind that of v: (u, v, run of u)."""
    run = columns.run[columns.blocks.argmax(axis=0)]
    wrong = run[model.src] > run[model.dst]
    return [(int(u), int(v), int(run[u])) for u, v in zip(model.src[wrong], model.dst[wrong], strict=True)]


def _stages(model: StageModel, columns: Columns, after: list[list[int]]) -> Ints | None:
    """A stage for each block (int32[b]), each its own, in order, of its run and within what pins leave; None where there are none.

    Blocks are jobs of one step on one machine with releases and deadlines: the earliest deadline first is exact.
    """
    blocks, run = columns
    run_of = model.run_of
    first = np.searchsorted(run_of, run, side="left").tolist()
    last = (np.searchsorted(run_of, run, side="right") - 1).tolist()
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
    release = [max(first[a], int(model.earliest[block].max())) for a, block in enumerate(blocks)]
    deadline = [min(last[a], int(model.latest[block].min())) for a, block in enumerate(blocks)]
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
