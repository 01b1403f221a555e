"""Which rule keeps a device idle: asked of small graphs in full, of large ones in few ways."""

from __future__ import annotations

import numpy as np
import pytest

from planner.machines.pipeline.target import Pipeline
from planner.model.graph import Graph, Ints, Op, Tensor
from planner.problem.problem import Pin, Problem
from planner.reports import idle
from planner.reports.idle import kept_idle


def row(n: int, pinned: bool = False) -> tuple[Problem, Ints]:
    """Ops of a second in a row on two of three stages, and that plan; ``pinned``: the last half is to stay on stage 1."""
    ops = [Op(f"o{i}", f"o{i}", work=1.0, work_cpu=1.0) for i in range(n)]
    tensors = [Tensor(f"o{i}", (f"o{i + 1}",), 0.0) for i in range(n - 1)]
    pins = tuple(Pin(f"o{i}", "stage 1") for i in range(n // 2, n)) if pinned else ()
    problem = Problem(Graph.build("row", ops, tensors, time_unit="s"), Pipeline(3)).with_constraints(pins)
    return problem, (np.arange(n) >= n // 4).astype(np.int32)


def test_what_a_valid_plan_could_use_is_kept_idle_by_nothing() -> None:
    problem, device_of = row(8)
    assert kept_idle(problem, problem.evaluate(device_of), device_of) is None
    bound, device_of = row(8, pinned=True)
    found = kept_idle(bound, bound.evaluate(device_of), device_of)
    assert found is not None and found.rule == "pin" and found.objective < 6.0


@pytest.mark.parametrize("n", [2, 3, 16, 100])
def test_a_large_graph_is_tried_in_few_ways_that_share_alike(n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    problem, device_of = row(n), np.zeros(n, np.int32)
    ways = idle._shared(problem[0], device_of, 0)
    assert 1 <= len(ways) == min(n - 1, idle.MOST_CUTS)
    assert all(0 < np.count_nonzero(shared == 1) < n for shared in ways)
    monkeypatch.setattr(idle, "MOST_OPS", n)
    (half,) = idle._shared(problem[0], device_of, 0)
    assert abs(2 * np.count_nonzero(half == 1) - n) <= 1, "the only way shares the ops equally"
