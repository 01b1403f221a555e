"""Slow, obvious evaluations written from the formulas of the design: sets and loops over plain Python numbers.

Nothing here uses the arrays or kernels of :mod:`planner.machines`; tests hold the fast code against it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator

from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.model.graph import Graph
from planner.problem.problem import Pin, Problem, Together
from planner.problem.target import Target
from tests.planner import activations

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


def transfer_time(target: Target, size: float, profiled: float, sending: bool = False) -> float:
    """The time of one tensor: bytes over bandwidth, unless the file's own time is to be used.

    Edge TPUs receive at one rate and send at another.
    """
    if isinstance(target, EdgeTpuPipeline):
        return size / (target.up if sending else target.down)
    if target.bandwidth:
        return size / target.bandwidth
    if not math.isnan(profiled):
        return profiled
    return size / DEFAULT_BANDWIDTH


def is_cpu(problem: Problem, device: int) -> bool:
    """Whether a device is a CPU of a pool."""
    target = problem.target
    return isinstance(target, DevicePool) and device >= target.accelerators * target.subgraphs


def hardware(problem: Problem, device: int) -> int:
    """Which accelerator, CPU or stage a device is: slots of one accelerator are one."""
    target = problem.target
    if not isinstance(target, DevicePool) or target.subgraphs == 1:
        return device
    return (
        device - target.accelerators * (target.subgraphs - 1)
        if is_cpu(problem, device)
        else device // target.subgraphs
    )


def own(problem: Problem, device: int, name: str, unsaid: float) -> float:
    """A number that each device has of its own, by the parameter's ``name``: one for all accelerators or stages, or a list."""
    value, place = getattr(problem.target, name, unsaid), hardware(problem, device)
    if isinstance(value, tuple):
        return value[place] if place < len(value) else unsaid
    return unsaid if is_cpu(problem, device) else value


def work_of(problem: Problem, op: int, device: int) -> float:
    """The time of an op on a device: measured there, else that of its kind of device over its speed."""
    graph = problem.graph
    named = dict(graph.device_times).get(problem.devices[device].name.split(".")[0])
    if named is not None and not math.isnan(named[op]):
        return float(named[op])
    time = float(graph.work_cpu[op] if is_cpu(problem, device) else graph.work[op])
    return time / own(problem, device, "speed", 1.0)


def part_of(problem: Problem, op: int) -> int:
    """1 for the backward ops of a pool, else 0."""
    return int(isinstance(problem.target, DevicePool) and bool(problem.graph.backward[op]))


def cluster(problem: Problem, device: int) -> int | None:
    """The cluster of an accelerator: equal groups of consecutive ones; None for CPUs and blocks."""
    target = problem.target
    if not isinstance(target, DevicePool) or is_cpu(problem, device):
        return None
    return device // (target.accelerators // target.clusters)


def groups(problem: Problem) -> list[list[tuple[set[int], float]]]:
    """The groups of accelerators at each level, the innermost first, and how many times as fast transfers inside are."""
    target = problem.target
    if not isinstance(target, DevicePool) or target.subgraphs > 1:
        return []
    if not target.hierarchy:
        each = target.accelerators // target.clusters
        return [
            [(set(range(c * each, (c + 1) * each)), target.cluster_speed) for c in range(target.clusters)]
        ]
    levels = []
    for text in target.hierarchy.split(":"):
        level: list[tuple[set[int], float]] = []
        first = 0
        for part in text.split("/"):
            times, size = part.partition("@")[0].rpartition("x")[::2]
            for _ in range(int(times or 1)):
                level.append((set(range(first, first + int(size))), float(part.partition("@")[2] or 1)))
                first += int(size)
        levels.append(level)
    return levels


def nearness(problem: Problem, a: int, b: int) -> float:
    """How many times as fast transfers between two devices are, by the smallest group that holds both."""
    both = [(len(group), speed) for level in groups(problem) for group, speed in level if {a, b} <= group]
    return min(both)[1] if both else 1.0


def crossing_time(
    problem: Problem, size: float, profiled: float, a: int, others: set[int], sending: bool = False
) -> float:
    """The time of one tensor between device ``a`` and ``others``: as fast as the farthest of them is near."""
    time = transfer_time(problem.target, size, profiled, sending)
    return time / min(nearness(problem, a, b) for b in others)


def parts(problem: Problem, device_of: list[int], device: int) -> dict[str, list[float]]:
    """Receive, work and send of one device, each for the forward and the backward part."""
    graph = problem.graph
    S = {v for v in range(graph.n) if device_of[v] == device}
    receive, work, send = [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]
    for v in S:
        work[part_of(problem, v)] += work_of(problem, v, device)
    if not is_cpu(problem, device):
        for u, consumers, size, profiled in tensors(graph):
            inside = consumers & S
            if u not in S and inside:
                time = crossing_time(problem, size, profiled, device, {device_of[u]})
                receive[min(part_of(problem, v) for v in inside)] += time
            if u in S and consumers - S:
                away = {device_of[v] for v in consumers - S}
                send[part_of(problem, u)] += crossing_time(problem, size, profiled, device, away, True)
    if isinstance(problem.target, EdgeTpuPipeline) and problem.target.host_io:
        for u, consumers, size, profiled in tensors(graph):
            if u in S and graph.kinds[u] in {"Input", "InputLayer"}:
                receive[0] += transfer_time(problem.target, size, profiled)
            elif u in S and not consumers:
                send[0] += transfer_time(problem.target, size, profiled, True)
    return {"receive": receive, "work": work, "send": send}


def streaming(problem: Problem, device_of: list[int], device: int) -> float:
    """max(0, parameters + reserve + peak - M) / B on a pipeline, what exceeds the cache on Edge TPUs; nothing on a pool."""
    target = problem.target
    held = sum(float(problem.graph.param_bytes[v]) for v in range(problem.graph.n) if device_of[v] == device)
    if isinstance(target, EdgeTpuPipeline):
        return max(0.0, held - target.cache) / target.streaming
    if not isinstance(target, Pipeline):
        return 0.0
    if target.activations != "reserve":
        block = {v for v in range(problem.graph.n) if device_of[v] == device}
        held += activations.peak(tensors(problem.graph), block, target.activations)
    memory = own(problem, device, "memory", math.inf)
    return max(0.0, held + target.reserve - memory) / (target.bandwidth or DEFAULT_BANDWIDTH)


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
    """The objective: the largest cost, or the largest forward plus the largest backward cost, or the latency."""
    devices = range(len(problem.devices))
    if problem.objective == "latency":
        return max((finish for _, finish in latency_times(problem, device_of).values()), default=0.0)
    if getattr(problem.target, "replication", False):
        return replicated_maximum(problem, device_of)
    if problem.objective != "gpipe":
        return max(cost(problem, device_of, d) for d in devices)
    mode = problem.target.communication
    split = [parts(problem, device_of, d) for d in devices]
    return sum(
        max(combined(mode, p["receive"][part], p["work"][part], p["send"][part]) for p in split)
        for part in (0, 1)
    )


# ------------------------------------------------------------------------------------------------------ replication
def sync_bandwidth(problem: Problem) -> float:
    """Bytes per time between accelerators of a cluster: the target's, else that of the profiled tensors, else the default."""
    speed = problem.target.cluster_speed
    if problem.target.bandwidth:
        return problem.target.bandwidth * speed
    profiled = [(size, time) for _, _, size, time in tensors(problem.graph) if time > 0 and size > 0]
    if profiled:
        return speed * sum(size for size, _ in profiled) / sum(time for _, time in profiled)
    return DEFAULT_BANDWIDTH * speed


def stage_cost(problem: Problem, device_of: list[int], device: int, copies: int) -> float:
    """C.2: load / r and (r - 1) * params / (r * B), added or the larger; CPUs synchronise nothing."""
    load = cost(problem, device_of, device)
    params = sum(
        float(problem.graph.param_bytes[v]) for v in range(problem.graph.n) if device_of[v] == device
    )
    sync = 0.0 if is_cpu(problem, device) else (copies - 1) * params / (copies * sync_bandwidth(problem))
    shared = load / copies
    return shared + sync if problem.target.communication == "sum" else max(shared, sync)


def replicated_maximum(problem: Problem, device_of: list[int]) -> float:
    """The least largest cost over every way in which devices without ops may join stages of their kind and cluster."""
    worst = 0.0
    for group in {cluster(problem, d) for d in range(len(problem.devices))}:
        of_kind = [d for d in range(len(problem.devices)) if cluster(problem, d) == group]
        stages = [d for d in of_kind if d in device_of]
        if stages:
            free = len(of_kind) - len(stages)
            worst = max(
                worst,
                min(
                    max(
                        stage_cost(problem, device_of, d, 1 + more)
                        for d, more in zip(stages, extra, strict=True)
                    )
                    for extra in itertools.product(range(free + 1), repeat=len(stages))
                    if sum(extra) <= free
                ),
            )
    return worst


# ---------------------------------------------------------------------------------------------------------- latency
def machine_of(problem: Problem, device: int) -> str:
    """What a device of a pool is part of: slots belong to their accelerator; for one sample all CPUs are one."""
    if problem.objective != "latency":
        return str(device)
    return "cpu" if is_cpu(problem, device) else f"acc {device // problem.target.subgraphs}"


def turns(problem: Problem, device_of: list[int]) -> dict[str, list[frozenset[int]]]:
    """What each accelerator runs in turn: the forward ops of its slots in order, the backward ops in reverse order."""
    ops = range(problem.graph.n)
    slots = [d for d in range(len(problem.devices)) if not is_cpu(problem, d)]
    found: dict[str, list[frozenset[int]]] = {}
    for part, order in ((0, slots), (1, slots[::-1])):
        for d in order:
            group = frozenset(v for v in ops if device_of[v] == d and part_of(problem, v) == part)
            if group:
                found.setdefault(machine_of(problem, d), []).append(group)
    return found


def runs_in_one_go(problem: Problem, device_of: list[int]) -> bool:
    """Whether no subgraph, slots in turn, has to wait for itself: nodes that wait for nothing are taken away."""
    queues = turns(problem, device_of)
    node: dict[int, frozenset[int]] = {v: frozenset([v]) for v in range(problem.graph.n)}
    arcs = set()
    for groups in queues.values():
        node |= {v: group for group in groups for v in group}
        arcs |= set(itertools.pairwise(groups))
    arcs |= {(node[u], node[v]) for u, v in edges(problem.graph) if node[u] != node[v]}
    left = set(node.values())
    while True:
        free = {x for x in left if not any(b == x and a in left for a, b in arcs)}
        if not free:
            return not left
        left -= free


def latency_pieces(problem: Problem, device_of: list[int]) -> dict[str, list[frozenset[int]]]:
    """What each accelerator runs in turn.

    A split that is not contiguous may be cut in many ways; the evaluator's way is taken then, once it has been seen to
    be one: pieces of one device and part, in an order in which they can run.
    """
    if runs_in_one_go(problem, device_of):
        return turns(problem, device_of)
    times = problem.evaluator.schedule(device_of)
    piece_of = times.piece_of.tolist()
    assert all(piece_of[u] <= piece_of[v] for u, v in edges(problem.graph))
    found: dict[str, list[frozenset[int]]] = {}
    for p in sorted(set(piece_of)):
        ops = frozenset(v for v in range(problem.graph.n) if piece_of[v] == p)
        assert len({(device_of[v], part_of(problem, v)) for v in ops}) == 1
        device = device_of[min(ops)]
        if is_cpu(problem, device):
            assert len(ops) == 1
        else:
            found.setdefault(machine_of(problem, device), []).append(ops)
    return found


def piece_parts(problem: Problem, device_of: list[int], ops: frozenset[int]) -> tuple[float, float, float]:
    """Receive, work and send of one subgraph, or of one CPU op."""
    graph, target = problem.graph, problem.target
    if is_cpu(problem, device_of[min(ops)]):
        return 0.0, sum(work_of(problem, v, device_of[v]) for v in ops), 0.0
    receive = send = 0.0
    for u, consumers, size, profiled in tensors(graph):
        time = transfer_time(target, size, profiled)
        receive += time if u not in ops and consumers & ops else 0.0
        send += time if u in ops and consumers - ops else 0.0
    return receive, sum(work_of(problem, v, device_of[v]) for v in ops), send


def latency_times(problem: Problem, device_of: list[int]) -> dict[frozenset[int], tuple[float, float]]:
    """Start and finish of every subgraph and CPU op for one sample."""
    queues = latency_pieces(problem, device_of)
    node = {v: frozenset([v]) for v in range(problem.graph.n)}
    earlier: dict[frozenset[int], frozenset[int]] = {}
    for groups in queues.values():
        node |= {v: group for group in groups for v in group}
        earlier |= {b: a for a, b in itertools.pairwise(groups)}
    times: dict[frozenset[int], tuple[float, float]] = {}

    def run(ops: frozenset[int]) -> float:
        if ops not in times:
            needs = {node[u] for u, v in edges(problem.graph) if v in ops and u not in ops}
            if ops in earlier:
                needs.add(earlier[ops])
            start = max((run(other) for other in needs), default=0.0)
            times[ops] = start, start + sum(piece_parts(problem, device_of, ops))
        return times[ops][1]

    for ops in set(node.values()):
        run(ops)
    return times


# ------------------------------------------------------------------------------------------------------------ rules
def orderable(arcs: set[tuple[int, int]], devices: set[int]) -> bool:
    """Whether some order of ``devices`` has every arc stay or go forward: all orders are tried."""
    for order in itertools.permutations(sorted(devices)):
        place = {d: i for i, d in enumerate(order)}
        if all(place[a] <= place[b] for a, b in arcs):
            return True
    return False


def contiguous(problem: Problem, device_of: list[int], part: int) -> bool:
    """Whether one part's ops form a chain of ideals over the devices, and over the clusters of each level if there are several."""
    inside = [(u, v) for u, v in edges(problem.graph) if part_of(problem, u) == part == part_of(problem, v)]
    arcs = {(device_of[u], device_of[v]) for u, v in inside}
    if not orderable(arcs, set(device_of)):
        return False
    several = [[group for group, _ in level] for level in groups(problem) if len(level) > 1]
    if not several:
        return True

    def together(order: tuple[int, ...], group: set[int]) -> bool:
        places = [i for i, d in enumerate(order) if d in group]
        return not places or places[-1] - places[0] == len(places) - 1

    return any(
        all(order.index(a) <= order.index(b) for a, b in arcs)
        and all(together(order, group) for level in several for group in level)
        for order in itertools.permutations(set(device_of))
    )


def together(problem: Problem) -> Iterator[set[int]]:
    """Sets of ops that must share a device, as stated (not merged)."""
    graph = problem.graph
    if isinstance(problem.target, DevicePool):
        for colour in {int(c) for c in graph.colour_class if c >= 0}:
            yield {v for v in range(graph.n) if graph.colour_class[v] == colour}
    for constraint in problem.constraints:
        if isinstance(constraint, Together):
            yield {graph.index[op] for op in constraint.ops}


def siblings(graph: Graph) -> list[set[int]]:
    """The ops that read any tensor of an op, for each op."""
    return [{v for a, v in edges(graph) if a == u} for u in range(graph.n)]


def broken(problem: Problem, device_of: list[int]) -> set[str]:
    """Names of the rules and constraints that an assignment breaks."""
    graph, target = problem.graph, problem.target
    found = set()
    if isinstance(target, (Pipeline, EdgeTpuPipeline)):
        if any(device_of[u] > device_of[v] for u, v in edges(graph)):
            found.add("order")
        if getattr(target, "path", False) and any(
            abs(device_of[u] - device_of[v]) > 1 for u, v in edges(graph)
        ):
            found.add("path")
        if getattr(target, "shared_children", False) and any(
            len({device_of[v] for v in children}) > 1 for children in siblings(graph)
        ):
            found.add("shared_children")
    else:
        if target.contiguous:
            if problem.objective == "latency":
                fine = runs_in_one_go(problem, device_of)
            else:
                fine = all(contiguous(problem, device_of, part) for part in (0, 1))
            if not fine:
                found.add("contiguous")
        for first in range(len(problem.devices)):
            slots = [
                d for d in range(len(problem.devices)) if hardware(problem, d) == hardware(problem, first)
            ]
            held = sum(float(graph.memory[v]) for v in range(graph.n) if device_of[v] in slots)
            if held > own(problem, first, "memory", math.inf) * (1 + 1e-9):
                found.add("memory")
        if any(not graph.supported[v] and not is_cpu(problem, device_of[v]) for v in range(graph.n)):
            found.add("support")
    for constraint in problem.constraints:
        if isinstance(constraint, Pin):
            device = [d.name for d in problem.devices].index(constraint.device)
            if device_of[graph.index[constraint.op]] != device:
                found.add("pin")
    if any(len({machine_of(problem, device_of[v]) for v in ops}) > 1 for ops in together(problem)):
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
