"""What every plan of a device pool costs at least, seen without a search."""

from __future__ import annotations

from planner.evaluation.simple_bounds import longest_path
from planner.methods.least import Least, shared_work
from planner.problem.problem import Problem


def least(problem: Problem) -> list[Least]:
    """The longest path for a single sample, whatever stays together; else shares of the work."""
    if problem.objective == "latency":
        return [Least(problem.objective, longest_path(problem), ("rule:support", "pin:"))]
    return shared_work(problem)
