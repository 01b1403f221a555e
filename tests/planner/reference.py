"""Slow, obvious evaluations written from the formulas of the design: sets and loops over plain Python numbers.

Nothing here uses the arrays or kernels of :mod:`planner.targets`; tests hold the fast code against it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator

from planner.graph import Graph
from planner.problem import Pin, Problem, Together
from planner.targets import DevicePool, Pipeline

DEFAULT_BANDWIDTH = 12e9


def tensors(graph: Graph) -> list[tuple[int, frozenset[int], float, float]]:
    """Each tensor: its producer, its consumers, its bytes, its profiled time (NaN = none)."""
    return [
        (
            int(graph.tensor_producer[i]),
            frozenset(int(v) for v in graph.consumer_idx[graph.consumer_ptr[i] : graph.consumer_ptr[i + 1]]),
            float(graph.tensor_bytes[i]),
            float(graph.tensor_time[i]),
        )
        for i in range(graph.tensor_count)
    ]


def edges(graph: Graph) -> set[tuple[int, int]]:
    """Producer and consumer of every tensor."""
    return {(u, v) for u, consumers, _, _ in tensors(graph) for v in consumers}


def transfer_time(target: Pipeline | DevicePool, size: float, profiled: float) -> float:
    """The time of one tensor: bytes over bandwidth, unless the file's own time is to be used."""
    if target.bandwidth:
        return size / target.bandwidth
    if not math.isnan(profiled):
        return profiled
    return size / DEFAULT_BANDWIDTH


def is_cpu(problem: Problem, device: int) -> bool:
    """Whether a device is a CPU of a pool."""
    return isinstance(problem.target, DevicePool) and device >= problem.target.accelerators


def part_of(problem: Problem, op: int) -> int:
    """1 for the backward ops of a pool, else 0."""
    return int(isinstance(problem.target, DevicePool) and bool(problem.graph.backward[op]))


def parts(problem: Problem, device_of: list[int], device: int) -> dict[str, list[float]]:
    """Receive, work and send of one device, each for the forward and the backward part."""
    graph, target = problem.graph, problem.target
    S = {v for v in range(graph.n) if device_of[v] == device}
    receive, work, send = [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]
    for v in S:
        work[part_of(problem, v)] += float(graph.work_cpu[v] if is_cpu(problem, device) else graph.work[v])
    if not is_cpu(problem, device):
        for u, consumers, size, profiled in tensors(graph):
            time = transfer_time(target, size, profiled)
            inside = consumers & S
            if u not in S and inside:
                receive[min(part_of(problem, v) for v in inside)] += time
            if u in S and consumers - S:
                send[part_of(problem, u)] += time
    return {"receive": receive, "work": work, "send": send}


def streaming(problem: Problem, device_of: list[int], device: int) -> float:
    """max(0, parameters + reserve - M) / B on a pipeline; nothing on a pool."""
    target = problem.target
    if not isinstance(target, Pipeline) or math.isinf(target.memory):
        return 0.0
    held = sum(float(problem.graph.param_bytes[v]) for v in range(problem.graph.n) if device_of[v] == device)
    return max(0.0, held + target.reserve - target.memory) / (target.bandwidth or DEFAULT_BANDWIDTH)


def combined(mode: str, receive: float, work: float, send: float) -> float:
    """One device's cost under a communication mode."""
    return {
        "sum": receive + work + send,
        "overlap": max(work, receive + send),
        "duplex": max(receive, work, send),
    }[mode]


def cost(problem: Problem, device_of: list[int], device: int) -> float:
    """One device's cost."""
    p = parts(problem, device_of, device)
    work = sum(p["work"]) + streaming(problem, device_of, device)
    mode = getattr(problem.target, "communication", "sum")
    return combined(mode, sum(p["receive"]), work, sum(p["send"]))


def objective(problem: Problem, device_of: list[int]) -> float:
    """The objective: the largest cost, or the largest forward plus the largest backward cost."""
    devices = range(len(problem.devices))
    if problem.objective != "gpipe":
        return max(cost(problem, device_of, d) for d in devices)
    mode = problem.target.communication
    split = [parts(problem, device_of, d) for d in devices]
    return sum(
        max(combined(mode, p["receive"][part], p["work"][part], p["send"][part]) for p in split)
        for part in (0, 1)
    )


# ------------------------------------------------------------------------------------------------------------ rules
def orderable(arcs: set[tuple[int, int]], devices: set[int]) -> bool:
    """Whether some order of ``devices`` has every arc stay or go forward: all orders are tried."""
    for order in itertools.permutations(sorted(devices)):
        place = {d: i for i, d in enumerate(order)}
        if all(place[a] <= place[b] for a, b in arcs):
            return True
    return False


def contiguous(problem: Problem, device_of: list[int], part: int) -> bool:
    """Whether one part's ops form a chain of ideals over the devices."""
    inside = [(u, v) for u, v in edges(problem.graph) if part_of(problem, u) == part == part_of(problem, v)]
    return orderable({(device_of[u], device_of[v]) for u, v in inside}, set(device_of))


def together(problem: Problem) -> Iterator[set[int]]:
    """Sets of ops that must share a device, as stated (not merged)."""
    graph = problem.graph
    if isinstance(problem.target, DevicePool):
        for colour in {int(c) for c in graph.colour_class if c >= 0}:
            yield {v for v in range(graph.n) if graph.colour_class[v] == colour}
    for constraint in problem.constraints:
        if isinstance(constraint, Together):
            yield {graph.index[op] for op in constraint.ops}


def broken(problem: Problem, device_of: list[int]) -> set[str]:
    """Names of the rules and constraints that an assignment breaks."""
    graph, target = problem.graph, problem.target
    found = set()
    if isinstance(target, Pipeline):
        if any(device_of[u] > device_of[v] for u, v in edges(graph)):
            found.add("order")
    else:
        if target.contiguous and not all(contiguous(problem, device_of, part) for part in (0, 1)):
            found.add("contiguous")
        for d in range(target.accelerators):
            if sum(float(graph.memory[v]) for v in range(graph.n) if device_of[v] == d) > target.memory * (
                1 + 1e-9
            ):
                found.add("memory")
        if any(not graph.supported[v] and not is_cpu(problem, device_of[v]) for v in range(graph.n)):
            found.add("support")
    for constraint in problem.constraints:
        if isinstance(constraint, Pin):
            device = [d.name for d in problem.devices].index(constraint.device)
            if device_of[graph.index[constraint.op]] != device:
                found.add("pin")
    if any(len({device_of[v] for v in ops}) > 1 for ops in together(problem)):
        found.add("together")
    return found


def assignments(problem: Problem) -> Iterator[list[int]]:
    """Every assignment, valid or not."""
    yield from map(list, itertools.product(range(len(problem.devices)), repeat=problem.graph.n))


def optimum(problem: Problem) -> tuple[float, list[int] | None]:
    """The least objective of all valid assignments, and one that attains it; infinity and None without any."""
    best, found = math.inf, None
    for device_of in assignments(problem):
        if not broken(problem, device_of):
            value = objective(problem, device_of)
            if value < best:
                best, found = value, device_of
    return best, found


def slicings(order: Iterable[Iterable[int]], devices: int, chain: bool) -> Iterator[dict[int, int]]:
    """Every way to cut ``order`` (sets of ops) into segments on distinct devices: op -> device.

    On a chain the devices follow their numbers, some may stay empty; otherwise any sequence of devices will do.
    """
    groups = [list(ops) for ops in order]
    m = len(groups)
    for count in range(1, min(devices, m) + 1):
        for cuts in itertools.combinations(range(1, m), count - 1):
            bounds = [0, *cuts, m]
            choices = (
                itertools.combinations(range(devices), count)
                if chain
                else itertools.permutations(range(devices), count)
            )
            for sequence in choices:
                yield {
                    v: sequence[i]
                    for i in range(count)
                    for group in groups[bounds[i] : bounds[i + 1]]
                    for v in group
                }
