"""What every plan of a pipeline of Edge TPUs costs at least, seen without a search."""

from __future__ import annotations

from typing import cast

from planner.machines.edge_tpu.inference_time import InferenceEvaluator
from planner.machines.edge_tpu.target import INFERENCE_TIME
from planner.methods.least import Least, least_part, shared_work
from planner.problem.problem import Problem


def least(problem: Problem) -> list[Least]:
    """Shares of the bytes where they are compared, of work and streaming for the time per inference, else of the work."""
    if problem.unit(problem.components[0]) == "B":
        share, over = _bytes(problem)
        found = {"max-memory": share, "dram": over}
        return [Least(name, value) for name, value in found.items() if name in problem.components]
    if problem.objective == INFERENCE_TIME:
        return [Least(problem.objective, _inference(problem))]
    return shared_work(problem)


def _bytes(problem: Problem) -> tuple[float, float]:
    """Bytes that some stage holds, and bytes that all caches leave over."""
    e = problem.evaluator
    share = least_part(problem, e.memory[None, :])
    return share, max(float(e.memory.sum() - e.budget.sum()), share - float(e.budget.max()), 0.0)


def _inference(problem: Problem) -> float:
    """The bound on the time per inference.

    What all caches leave over is streamed, through one link before the slowest stage does the rest, or by the stages at
    once: then they share work and streaming. Activations in a cache only make it smaller.
    """
    e = cast(InferenceEvaluator, problem.evaluator)
    rest = least_part(problem, e.work)
    over = _bytes(problem)[1] / e.streaming_rate
    if e.target.shared_link:
        return rest + over
    return max(rest, (over + float(e.work.sum())) / e.k)
