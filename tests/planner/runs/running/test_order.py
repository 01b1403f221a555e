"""What a plan is run as: on cores that are all alike."""

from __future__ import annotations

import numpy as np
import pytest

from planner.formats import read_model
from planner.machines.spec import parse_target
from planner.model.cost_model import fill
from planner.problem.problem import Problem
from planner.runs.running.order import Split, on_equal_cores, split_of
from planner.runs.running.scaled import scaled_times
from tests.planner.runs.running.fake import line_run
from tests.planner.runs.running.test_again import UNET, halves, skewed


@pytest.mark.parametrize("kind", ["pipeline:2", "pool:2"])
def test_speeds_of_the_plans_machine_are_not_those_of_the_cores(kind: str) -> None:
    graph = read_model(UNET)
    equal, unequal = halves(graph, kind), halves(graph, f"{kind},speed=1/0.5")
    split = split_of(unequal.plan, "the plan")
    assert split.problem == equal.problem
    assert split.plan.objective == equal.plan.objective != unequal.plan.objective
    assert split.notes == (
        "speeds 1/0.5 are those of the plan's machine, not of these cores; predicted is what devices of speed 1 take",
    )
    taught, wanted = (scaled_times(one, line_run(one, skewed(one)), "a run").ops for one in (split, equal))
    assert {op: time.seconds for op, time in taught.items()} == {
        op: time.seconds for op, time in wanted.items()
    }


def test_times_of_single_devices_are_left_out() -> None:
    graph = read_model(UNET)
    own = fill(graph.with_device_times({"stage 1": np.full(graph.n, 1.0)}), graph.cost_model)
    problem = Problem(own, parse_target("pipeline:2"))
    split = split_of(Split(problem, halves(graph).device_of).plan, "the plan")
    assert split.problem == halves(graph).problem
    assert "times of single devices (stage 1) are those of the plan's machine" in split.notes[0]


def test_a_machine_of_equal_devices_stays() -> None:
    problem = halves(read_model(UNET)).problem
    assert on_equal_cores(problem) is problem
    assert split_of(halves(problem.graph).plan, "the plan").notes == ()
    [note] = split_of(halves(problem.graph, "pipeline:2,speed=2").plan, "the plan").notes
    assert note.startswith("speed 2 is that of the plan's machine")
