"""What plans cost on a pipeline (MTPP, section 2.2)."""

from __future__ import annotations

from typing import cast

import numpy as np

from planner.evaluation import kernels
from planner.evaluation.device_classes import device_classes
from planner.evaluation.evaluator import AssignmentEvaluator
from planner.evaluation.rules import OrderRule, PinRule, TogetherRule
from planner.machines.pipeline.target import Pipeline
from planner.problem.evaluator import Evaluator, Rule
from planner.problem.problem import Problem
from planner.problem.target import DEFAULT_BANDWIDTH, transfer_times


def evaluator(problem: Problem) -> Evaluator:
    """Blocks that all pay transfers, of one cost class where they are alike; parameters beyond a block's budget are streamed."""
    target, graph = cast(Pipeline, problem.target), problem.graph
    k = target.count
    memory = np.array(target.memories)
    classes = device_classes(
        graph.work.reshape(1, -1),
        np.zeros(k, np.int32),
        target.speeds,
        target.memories,
        problem.measured_times,
    )
    rules: list[Rule] = [OrderRule(), TogetherRule(), PinRule()]
    return AssignmentEvaluator(
        problem,
        work=classes.work,
        class_of=classes.class_of,
        tensor_time=transfer_times(graph, target.bandwidth),
        pays=np.ones(k, bool),
        budget=memory - target.reserve,
        streaming_rate=target.bandwidth or DEFAULT_BANDWIDTH,
        memory=graph.param_bytes,
        capacity=memory,
        communication=kernels.SUM,
        objective_code=kernels.MAX_COST,
        rules=rules,
    )
