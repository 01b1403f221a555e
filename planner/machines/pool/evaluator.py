"""What plans cost on a device pool (device placement, sections 3 to 5)."""

from __future__ import annotations

from typing import cast

import numpy as np

from planner.evaluation import kernels
from planner.evaluation.contiguity import ContiguityRule, SubgraphRule
from planner.evaluation.device_classes import device_classes
from planner.evaluation.evaluator import AssignmentEvaluator
from planner.evaluation.rules import MemoryRule, PinRule, SupportRule, TogetherRule
from planner.machines.pool.hierarchy import fastest_common
from planner.machines.pool.latency.evaluator import LatencyEvaluator
from planner.machines.pool.target import DevicePool
from planner.problem.evaluator import Evaluator, Rule
from planner.problem.problem import Problem
from planner.problem.target import DEFAULT_BANDWIDTH, transfer_times

OBJECTIVES = {"max-load": kernels.MAX_COST, "gpipe": kernels.SUM_OF_PART_MAXIMA, "latency": kernels.LATENCY}


def evaluator(problem: Problem) -> Evaluator:
    """Cost classes of accelerators and of CPUs, one each where these are alike; only accelerators pay transfers."""
    target, graph = cast(DevicePool, problem.target), problem.graph
    slots, l = target.accelerators * target.subgraphs, target.cpus
    latency = problem.objective == "latency"
    rules: list[Rule] = [SupportRule(), TogetherRule(), PinRule()]
    memory = np.array(target.slot_memories)
    if np.isfinite(memory).any():
        rules.insert(0, MemoryRule())
    if target.contiguous:
        rules.insert(0, SubgraphRule() if latency else ContiguityRule())
    number = np.arange(slots + l)
    levels = target.slot_levels
    is_cpu = number >= slots
    classes = device_classes(
        np.stack([graph.work, graph.work_cpu]),
        is_cpu.astype(np.int32),
        target.slot_speeds,
        target.slot_memories,
        problem.measured_times,
    )
    # Cores do not run out for a single sample, so all CPUs are one machine then.
    owner = np.where(is_cpu, slots, number // target.subgraphs * target.subgraphs) if latency else number
    make = LatencyEvaluator if latency else AssignmentEvaluator
    return make(
        problem,
        work=classes.work,
        class_of=classes.class_of,
        tensor_time=transfer_times(graph, target.bandwidth),
        pays=~is_cpu,
        budget=np.full(slots + l, np.inf),
        streaming_rate=1.0,
        memory=graph.memory,
        capacity=memory,
        communication=kernels.COMMUNICATION[target.communication],
        objective_code=OBJECTIVES[problem.objective],
        rules=rules,
        supported=np.stack([graph.supported, np.ones(graph.n, bool)])[classes.kind_of],
        parts=graph.backward.astype(np.int8),
        owner=owner.astype(np.int32),
        clusters=[np.where(is_cpu, -1, np.pad(level.of(), (0, l))) for level in levels],
        pace=fastest_common(levels, slots + l),
        sync_rate=target.cluster_speed * (target.sync_rate(graph) or DEFAULT_BANDWIDTH)
        if target.replication
        else 0.0,
    )
