"""What plans cost on a pipeline (MTPP, section 2.2)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import cast

import numpy as np

from planner.evaluation import kernels
from planner.evaluation.device_classes import device_classes
from planner.evaluation.evaluator import AssignmentEvaluator
from planner.evaluation.rules import OrderRule, PinRule, TogetherRule
from planner.machines.pipeline.activations import CHOICES, ActivationEvaluator
from planner.machines.pipeline.rules import PathRule
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
    rules: list[Rule] = [OrderRule(), *([PathRule()] if target.path else []), TogetherRule(), PinRule()]
    counted = target.activations in CHOICES
    make: Callable[..., AssignmentEvaluator] = (
        partial(ActivationEvaluator, choice=CHOICES[target.activations]) if counted else AssignmentEvaluator
    )
    return make(
        problem,
        work=classes.work,
        class_of=classes.class_of,
        tensor_time=transfer_times(graph, target.bandwidth),
        pays=np.ones(k, bool),
        budget=memory - target.reserve,
        streaming_rate=target.bandwidth or DEFAULT_BANDWIDTH,
        memory=graph.param_bytes,
        capacity=memory,
        communication=kernels.COMMUNICATION[target.communication],
        objective_code=kernels.MAX_COST,
        rules=rules,
    )
