"""Random graphs, targets and problems for hypothesis."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from planner.errors import ConstraintError, TargetError
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.model.graph import Graph, Op, Tensor
from planner.problem.problem import Constraint, Pin, Problem, Together
from planner.problem.target import Target

# Quarters add up exactly, so equal costs are equal; zeros are frequent on purpose.
amounts = st.one_of(st.just(0.0), st.integers(0, 40).map(lambda q: q / 4))


@st.composite
def graphs(
    draw: st.DrawFn,
    least: int = 1,
    most: int = 8,
    training: bool | None = None,
    supported: bool | None = None,
) -> Graph:
    """A DAG with up to two tensors per op, each with several consumers; ids are not in topological order.

    ``training`` and ``supported`` None = drawn. Backward ops never feed forward ops.
    """
    n = draw(st.integers(least, most))
    names = draw(st.permutations([f"op{i}" for i in range(n)]))
    with_backward = draw(st.booleans()) if training is None else training
    first_backward = draw(st.integers(0, n)) if with_backward else n
    all_supported = draw(st.booleans()) if supported is None else supported
    colours = draw(st.booleans())
    ops = [
        Op(
            id=names[i],
            name=names[i],
            work=draw(amounts),
            work_cpu=draw(amounts),
            param_bytes=draw(amounts),
            memory=draw(amounts),
            supported=all_supported or draw(st.booleans()),
            backward=i >= first_backward,
            colour_class=draw(st.one_of(st.none(), st.integers(0, 2))) if colours else None,
        )
        for i in range(n)
    ]
    tensors = []
    for i in range(n - 1):
        for _ in range(draw(st.integers(0, 2))):
            consumers = draw(st.sets(st.integers(i + 1, n - 1), max_size=3))
            tensors.append(
                Tensor(
                    names[i],
                    tuple(names[c] for c in sorted(consumers)),
                    bytes=draw(amounts),
                    time=draw(st.one_of(st.none(), amounts)),
                )
            )
    shuffled = draw(st.permutations(ops))
    return Graph.build("random", shuffled, tensors)


@st.composite
def pipelines(draw: st.DrawFn, least: int = 1, most: int = 4) -> Pipeline:
    """With and without bandwidth, streaming and reserve."""
    memory = draw(st.one_of(st.just(math.inf), amounts))
    return Pipeline(
        count=draw(st.integers(least, most)),
        bandwidth=draw(st.sampled_from([0.0, 1.0, 4.0])),
        memory=memory,
        reserve=draw(st.sampled_from([0.0, 2.0])),
    )


@st.composite
def edge_tpus(draw: st.DrawFn, least: int = 1, most: int = 4) -> EdgeTpuPipeline:
    """Links faster down than up, slower, and alike; with and without streaming, shared children and host transfers."""
    return EdgeTpuPipeline(
        count=draw(st.integers(least, most)),
        cache=draw(st.one_of(st.just(1000.0), amounts)),
        shared_children=draw(st.booleans()),
        down=draw(st.sampled_from([0.5, 1.0, 4.0])),
        up=draw(st.sampled_from([0.5, 1.0, 4.0])),
        streaming=draw(st.sampled_from([1.0, 2.0])),
        host_io=draw(st.booleans()),
    )


@st.composite
def pools(draw: st.DrawFn, most: int = 4, contiguous: bool | None = None) -> DevicePool:
    """Accelerators and CPUs, every communication mode, with and without a memory cap."""
    accelerators = draw(st.integers(0, most))
    cpus = draw(
        st.integers(0 if accelerators else 1, max(0 if accelerators else 1, min(2, most - accelerators)))
    )
    return DevicePool(
        accelerators=accelerators,
        cpus=cpus,
        memory=draw(st.one_of(st.just(math.inf), st.integers(1, 100).map(lambda q: q / 4))),
        contiguous=draw(st.booleans()) if contiguous is None else contiguous,
        communication=draw(st.sampled_from(["sum", "overlap", "duplex"])),
        bandwidth=draw(st.sampled_from([0.0, 1.0, 4.0])),
    )


speeds = st.sampled_from([0.5, 1.0, 2.0])
"""Quarters over these add up exactly."""


@st.composite
def unequal(draw: st.DrawFn, target: st.SearchStrategy[Target]) -> Target:
    """A pipeline or a pool whose devices have speeds and memories of their own, those of a pool's CPUs said or not."""
    t = draw(target)
    first = t.count if isinstance(t, Pipeline) else t.accelerators
    most = first if isinstance(t, Pipeline) else first + t.cpus
    memories = st.one_of(st.just(math.inf), st.integers(1, 100).map(lambda q: q / 4))

    def each(numbers: st.SearchStrategy[float], default: object) -> object:
        count = draw(st.sampled_from(sorted({first, most} - {0})))
        return draw(st.one_of(st.just(default), st.lists(numbers, min_size=count, max_size=count).map(tuple)))

    return replace(t, speed=each(speeds, 1.0), memory=each(memories, t.memory))  # type: ignore[call-arg]


@st.composite
def measured(draw: st.DrawFn, problem: Problem) -> Problem:
    """The problem with times measured on up to two of its devices, of some ops or all."""
    hardware = sorted(set(problem.target.hardware(problem.graph)))
    chosen = draw(st.sets(st.sampled_from(hardware), max_size=2))
    times = st.one_of(st.just(math.nan), amounts)
    n = problem.graph.n
    found = {name: np.array(draw(st.lists(times, min_size=n, max_size=n))) for name in sorted(chosen)}
    return replace(problem, graph=problem.graph.with_device_times(found))


def targets(most: int = 4) -> st.SearchStrategy[Target]:
    """A pipeline or a pool."""
    return st.one_of(pipelines(most=most), pools(most=most))


@st.composite
def hierarchies(draw: st.DrawFn, accelerators: int) -> str:
    """One or two levels of groups of accelerators, of sizes and rates that differ."""
    outer, rates, left = [], [], accelerators
    while left:
        outer.append(draw(st.integers(1, left)))
        rates.append(draw(st.sampled_from([1.0, 2.0, 3.0])))
        left -= outer[-1]
    inner = []
    for size, rate in zip(outer, rates, strict=True):
        left = size
        while left:
            part = draw(st.integers(1, left))
            inner.append(f"{part}@{rate * draw(st.sampled_from([1.0, 2.0, 4.0])):g}")
            left -= part
    whole = "/".join(f"{size}@{rate:g}" for size, rate in zip(outer, rates, strict=True))
    return draw(st.sampled_from([whole, "/".join(inner), "/".join(inner) + ":" + whole]))


@st.composite
def pools_with_options(draw: st.DrawFn, most: int = 4) -> tuple[DevicePool, str]:
    """A pool and one of its objectives, with subgraphs, replication or clusters where they have a meaning."""
    pool = draw(pools(most=most))
    kind = draw(st.sampled_from(["latency", "replication", "clusters"]))
    if kind == "latency":
        contiguous = pool.contiguous
        subgraphs = draw(st.integers(1, 3)) if contiguous and pool.accelerators else 1
        subgraphs = min(subgraphs, max(1, most // max(pool.accelerators, 1)))
        return replace(pool, communication="sum", subgraphs=subgraphs), "latency"
    if pool.accelerators > 1 and kind == "clusters" and draw(st.booleans()):
        layered = replace(pool, hierarchy=draw(hierarchies(pool.accelerators)))
        return layered, draw(st.sampled_from(("max-load", "gpipe")))
    clusters = draw(st.sampled_from([c for c in range(1, most + 1) if pool.accelerators % c == 0]))
    speed = draw(st.sampled_from([1.0, 2.0, 4.0]))
    clustered = replace(pool, clusters=clusters, cluster_speed=speed)
    if kind == "replication":
        return replace(clustered if draw(st.booleans()) else pool, replication=True), "max-load"
    return clustered, draw(st.sampled_from(("max-load", "gpipe")))


@st.composite
def problems(
    draw: st.DrawFn,
    target: st.SearchStrategy[Target] | None = None,
    graph: st.SearchStrategy[Graph] | None = None,
    constraints: bool = True,
    objective: str | None = None,
    options: bool = False,
    alike: bool = True,
) -> Problem:
    """A graph on a target with one of its objectives (or the one given), some pins and some ops kept together.

    Where they need not be ``alike``, devices may have speeds, memories and measured times of their own.

    With ``options`` pools of every kind are drawn too, the objective latency among them; without, it is not.
    """
    g = draw(graph if graph is not None else graphs())
    if options and draw(st.booleans()):
        t, objective = draw(pools_with_options())
    else:
        t = draw(target if target is not None else targets())
    uneven = not alike and isinstance(t, (Pipeline, DevicePool)) and not getattr(t, "replication", False)
    if uneven and draw(st.booleans()):
        t = draw(unequal(st.just(t)))
    usual = [o for o in t.objectives if o != "latency"]
    problem = Problem(g, t, objective or draw(st.sampled_from(usual)))
    if uneven and draw(st.booleans()):
        problem = draw(measured(problem))
    chosen: list[Constraint] = []
    if constraints:
        ops = st.sampled_from(g.op_ids)
        names = [d.name for d in problem.devices]
        pinned = draw(st.dictionaries(ops, st.sampled_from(names), max_size=2))
        chosen += [Pin(op, device) for op, device in pinned.items()]
        if g.n > 1 and draw(st.booleans()):
            chosen.append(Together(tuple(sorted(draw(st.sets(ops, min_size=2, max_size=3))))))
    try:
        return problem.with_constraints(tuple(chosen))
    except (ConstraintError, TargetError):
        return problem


def stage_problems(
    most: int = 3, graph: st.SearchStrategy[Graph] | None = None, least: int = 1
) -> st.SearchStrategy[Problem]:
    """Stages in a row of which the slowest counts: a pipeline, or Edge TPUs that receive and send at different rates."""
    return st.one_of(
        problems(target=pipelines(least, most), graph=graph),
        problems(target=edge_tpus(least, most), graph=graph, objective="stage-time"),
    )


@st.composite
def uneven_stages(
    draw: st.DrawFn, most: int = 3, graph: st.SearchStrategy[Graph] | None = None, least: int = 1
) -> Problem:
    """A pipeline whose stages have speeds and memories of their own, some also measured times."""
    target = draw(unequal(pipelines(least, most)))
    problem = draw(problems(target=st.just(target), graph=graph))
    return draw(measured(problem)) if draw(st.booleans()) else problem


def placements(problem: Problem) -> st.SearchStrategy[list[int]]:
    """Any device for each op."""
    n = problem.graph.n
    return st.lists(st.integers(0, len(problem.devices) - 1), min_size=n, max_size=n)
