"""The simulation from its description: dictionaries, and a list of requests of which the earliest is looked for. Nothing of the fast code."""

from __future__ import annotations

import math
from collections.abc import Sequence

from planner.problem.problem import Problem
from tests.planner.machines.mcm import reference
from tests.planner.reference import tensors

Burst = tuple[int, tuple[int, ...]]
"""The chip that sends, and those that read, ascending."""


def bursts(problem: Problem, device_of: Sequence[int]) -> dict[Burst, float]:
    """How long each burst holds a link."""
    copies = reference.copied_ops(problem)
    found: dict[Burst, float] = {}
    for u, consumers, size, profiled in tensors(problem.graph):
        readers = tuple(sorted({device_of[v] for v in consumers} - {device_of[u]}))
        if readers and u not in copies:
            burst = (device_of[u], readers)
            found[burst] = found.get(burst, 0.0) + reference.link_time(problem, size, profiled)
    return found


def run(
    problem: Problem, device_of: Sequence[int], inferences: int, factors: Sequence[Sequence[float]]
) -> tuple[dict[tuple[int, int], float], dict[tuple[int, int], float], dict[int, float]]:
    """When each chip begins and ends each inference, by (inference, chip), and how long each link is held."""
    k = reference.package(problem).count
    hop = reference.package(problem).hop if problem.graph.time_unit is not None else 0.0
    times = bursts(problem, device_of)
    names = sorted(times, key=lambda burst: (burst[0], sum(2**r for r in burst[1])))
    work = [reference.parts(problem, device_of, c)["work"] for c in range(k)]
    begin: dict[tuple[int, int], float] = {}
    end: dict[tuple[int, int], float] = {}
    left: dict[tuple[int, Burst], float] = {}
    arrived: dict[tuple[int, Burst, int], float] = {}
    asked: set[tuple[int, Burst]] = set()
    requests: list[tuple[float, int, int, int]] = []
    free = dict.fromkeys(range(k), 0.0)
    held = dict.fromkeys(range(k), 0.0)
    while True:
        moved = True
        while moved:
            moved = False
            for s in range(inferences):
                for c in range(k):
                    if (s, c) in end:
                        continue
                    needs = [arrived.get((s, burst, c)) for burst in names if c in burst[1]]
                    needs += [end.get((s - 1, c))] if s >= 1 else []
                    needs += [left.get((s - 2, burst)) for burst in names if burst[0] == c and s >= 2]
                    known = [value for value in needs if value is not None]
                    if len(known) == len(needs):
                        begin[s, c] = max(known, default=0.0)
                        end[s, c] = begin[s, c] + factors[s][c] * work[c]
                        moved = True
                for number, burst in enumerate(names):
                    if (s, burst) in asked:
                        continue
                    needs = [end.get((s, burst[0]))]
                    needs += [end.get((s - 2, reader)) for reader in burst[1] if s >= 2]
                    known = [value for value in needs if value is not None]
                    if len(known) == len(needs):
                        requests.append((max(known), s, number, burst[0]))
                        asked.add((s, burst))
                        moved = True
        if not requests:
            return begin, end, held
        first = min(requests)
        requests.remove(first)
        now, s, number, link = first
        burst = names[number]
        entered = max(now, free[link])
        free[link] = entered + times[burst]
        held[link] += times[burst]
        if link == burst[0]:
            left[s, burst] = free[link]
        if link + 1 in burst[1]:
            arrived[s, burst, link + 1] = free[link] + hop
        if link + 1 < max(burst[1]):
            requests.append((entered + hop, s, number, link + 1))


def interval(end: dict[tuple[int, int], float], inferences: int) -> float:
    """The mean time between the ends of inferences in the second half."""
    done = [max(value for (s, _), value in end.items() if s == i) for i in range(inferences)]
    half = inferences // 2
    return (done[-1] - done[half - 1]) / (inferences - half)


def lines(size: float) -> float:
    return math.ceil(size / 64) * 64.0


def lowest(blocks: dict[int, tuple[float, float]], size: float, capacity: float) -> float | None:
    """The lowest address where a block of ``size`` overlaps none of ``blocks`` (address, size) and ends within ``capacity``."""
    candidates = sorted([0.0, *(at + length for at, length in blocks.values())])
    for at in candidates:
        if all(at + size <= other or other + length <= at for other, length in blocks.values()):
            return at if at + size <= capacity else None
    return None


def place(
    problem: Problem, device_of: Sequence[int], chip: int
) -> tuple[float, tuple[int, float, float, float] | None]:
    """The highest address in use on a chip, and (op, wanted, largest gap, free in total) where something has no place."""
    capacity = reference.package(problem).sram
    copies = reference.copied_ops(problem)
    blocks: dict[int, tuple[float, float]] = {}
    high = 0.0
    count = 0
    failed: tuple[int, float, float, float] | None = None

    def put(size: float, before: int) -> int | None:
        nonlocal high, count, failed
        wanted = lines(size)
        at = lowest(blocks, wanted, capacity)
        if at is None:
            edges = sorted(blocks.values())
            gaps, reached = [], 0.0
            for start, length in edges:
                gaps.append(start - reached)
                reached = start + length
            gaps.append(capacity - reached)
            failed = (before, wanted, max(gaps), sum(gaps))
            return None
        count += 1
        blocks[count] = (at, wanted)
        high = max(high, at + wanted)
        return count

    parameters = reference.parameters(problem, device_of, chip)
    if parameters > 0 and put(parameters, -1) is None:
        return lines(parameters), failed
    every = list(tensors(problem.graph))
    temporary: dict[int, int] = {}
    for i, (u, consumers, size, _) in enumerate(every):
        read_here = any(device_of[v] == chip for v in consumers)
        if size <= 0 or not (read_here or device_of[u] == chip):
            continue
        if u in copies:
            times = 1 if read_here else 0
        elif device_of[u] == chip:
            times = 2 if any(device_of[v] != chip for v in consumers) else 0
        else:
            times = 2
        for _ in range(times):
            block = put(size, -1)
            if block is None:
                return high, failed
            if u in copies:
                temporary[i] = block
    order = reference.run(problem, device_of, chip)
    for step, v in enumerate(order):
        for i, (u, consumers, size, _) in enumerate(every):
            if u == v and v not in copies and size > 0 and all(device_of[w] == chip for w in consumers):
                block = put(size, v)
                if block is None:
                    return high, failed
                temporary[i] = block
        for i, (_, consumers, _, _) in enumerate(every):
            uses = [w for w in consumers if device_of[w] == chip]
            if i in temporary and v in uses and all(order.index(w) <= step for w in uses):
                del blocks[temporary.pop(i)]
    return high, failed
