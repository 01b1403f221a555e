"""What plans and bounds of other counts say of more devices, and what Why says with it."""

from __future__ import annotations

import numpy as np

from gui.words.explaining import next_step
from gui.words.more_devices import MoreDevices, more_devices
from gui.words.what_helps import beyond
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.pool.target import DevicePool
from planner.model.graph import Ints
from planner.problem.problem import Problem
from planner.runs.stage_counts import Found, evaluated, with_count
from tests.gui.models import chain_graph, tpu_graph

POOL = Problem(chain_graph(12), DevicePool(3, 0))


def even(devices: int) -> Ints:
    """The chain's ops on so many devices, in turn."""
    return (np.arange(12) * devices // 12).astype(np.int32)


def told(*counts: int, used: int = 3, proven: tuple[int, ...] = ()) -> MoreDevices | None:
    """What is known of a plan on ``used`` devices where larger counts got plans on three; some ``proven`` to be no better."""
    here = POOL.evaluate(even(used))
    results = {}
    for count in counts:
        at = with_count(POOL, count)
        bound = at.bound("max-load", here.objective, "test", at.assumptions)
        found = Found(count, "auto", even(min(count, 3)), (bound,) if count in proven else (), None, 0.1)
        results[count] = evaluated(POOL, found)
    return more_devices(results, POOL, here)


def test_more_devices_bring_nothing_where_that_is_proven_of_them() -> None:
    assert told() is None and told(1, 2, 3) is None, "nothing is known of more"
    assert told(4, 5, proven=(4, 5)) == MoreDevices(
        "More accelerators bring nothing (4 and 5 are proven no better)", better=False
    )
    assert told(4, 5) == MoreDevices("For 4 and 5 accelerators no better plan was found", better=False)
    found = told(4, 6, used=1)
    assert found is not None and found.better
    assert found.words.startswith("A plan for 4 accelerators is ") and found.words.endswith(" % better")


def test_why_says_of_more_devices_what_is_known_of_them() -> None:
    here = POOL.evaluate(even(3))

    def said(more: MoreDevices | None) -> str:
        return next_step(POOL, here, even(3), 0.0, more=more)

    assert "More or faster devices may help" in said(None)
    nothing = said(told(4, 5, proven=(4, 5)))
    assert "More accelerators bring nothing (4 and 5 are proven no better): faster ones may help" in nothing
    assert "More or faster" not in nothing
    better = said(told(4, used=1))
    assert " % better. Faster ones may help" in better
    assert "Which of these helps most" not in better and "Which of the others" in better


def test_more_stages_that_bring_nothing_are_not_named_beside_a_larger_cache() -> None:
    problem = Problem(tpu_graph(), EdgeTpuPipeline(3, cache=2.0**20), "memory-1-2-3")
    plan = np.array([0, 0, 1, 2, 2, 2], np.int32)
    evaluation = problem.evaluate(plan)
    nothing = MoreDevices("More TPUs bring nothing (4 is proven no better)", better=False)
    assert "more stages" in beyond(problem, evaluation, plan, ())
    said = beyond(problem, evaluation, plan, (), more=nothing)
    assert "more stages" not in said and said.count(nothing.words) == 1
