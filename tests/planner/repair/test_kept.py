"""Ops that were to be kept and moved: named, with a reason that is proven where it can be, and counts that speak of the same plans."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.errors import PlanError
from planner.machines.pipeline.target import Pipeline
from planner.problem.problem import Pin, Problem
from planner.repair import Repair, RepairError, repair
from planner.repair.kept import explained
from tests.planner.reports.comparison.test_comparison import chain
from tests.planner.strategies import placements, problems


def repaired(device_of: list[int], keep: list[int], *constraints: Pin, stages: int = 4) -> Repair:
    problem = Problem(chain(len(device_of)), Pipeline(stages), "bottleneck", constraints)
    return repair(problem, np.array(device_of, np.int32), np.array(keep, np.int32), seconds=10.0)


def test_two_that_cannot_both_stay() -> None:
    found = explained(repaired([3, 3, 0, 0], [0, 3]))
    (gone,) = found.kept_moved.tolist()
    assert gone in (0, 3) and found.distance.kept == found.least_kept == 1
    (reason,) = found.reasons
    assert (reason.op, reason.beside, reason.proven) == (gone, (3 - gone,), True)
    stays, goes = f"op{3 - gone} on stage {0 if gone == 0 else 3}", f"op{gone} on stage {found.given[gone]}"
    assert reason.sentence.startswith(
        f"{goes} cannot be kept together with {stays}. Were they pinned there: op0 leads to op3"
    )
    assert f"op{gone} was to be kept" in found.sentence


def test_one_that_cannot_stay_whatever_else_moves() -> None:
    found = explained(repaired([3, 3, 3, 3], [0], Pin("op2", "stage 1")))
    (reason,) = found.reasons
    assert (reason.op, reason.beside, reason.proven) == (0, (), True)
    assert reason.sentence.startswith("op0 on stage 3 cannot be kept. Were it pinned there: op0 leads to op2")


def test_one_that_is_pinned_elsewhere() -> None:
    found = explained(repaired([3, 3, 3, 3], [2], Pin("op2", "stage 1")))
    assert [reason.sentence for reason in found.reasons] == [
        "op2 on stage 3 cannot be kept: it is pinned to Stage 1"
    ]


def test_nothing_is_said_where_all_stay() -> None:
    found = explained(repaired([0, 3, 1, 2], [2]))
    assert (
        found.kept_moved.tolist() == []
        and found.reasons == ()
        and "to be kept" not in found.sentence.split(";")[0]
    )


def worse() -> Repair:
    """A repair that moved a kept op which need not have: what a search that ends early may leave."""
    found = repaired([0, 2, 1, 3], [1])
    assert found.kept_moved.tolist() == [] and found.proven
    device_of = np.array([0, 1, 1, 3], np.int32)
    return replace(
        found,
        device_of=device_of,
        moved=np.array([1], np.int32),
        distance=found.distance._replace(kept=1, moved=1, steps=1),
        evaluation=found.problem.evaluate(device_of),
        least_moved=3,
        proven=False,
    )


def test_without_a_proof_none_is_claimed_and_the_counts_speak_of_the_same_plans() -> None:
    found = explained(worse())
    (reason,) = found.reasons
    assert not reason.proven
    assert (
        reason.sentence == "no valid plan was found that keeps op1 on stage 2; any would move at least 3 ops"
    )
    # One op moved, so "at least" cannot be more for plans that keep no more; what keeping costs is said beside.
    assert (len(found.moved), found.at_least, found.keeping_at_least) == (1, 1, 3)
    assert "moves fewer" not in found.sentence


def test_a_plan_that_keeps_more_takes_its_place() -> None:
    found = explained(worse(), 5.0)
    assert found.kept_moved.tolist() == [] and found.reasons == ()
    assert found.evaluation.valid and found.device_of[1] == 2
    assert found.moved.tolist() == np.flatnonzero(found.device_of != found.given).tolist()
    assert found.distance.kept == 0 and found.distance.moved == len(found.moved)


@given(st.data())
def test_what_is_said_to_be_impossible_is(data: st.DataObject) -> None:
    """On small problems: a proven reason holds for every plan, and counts are those of the sentence."""
    problem = data.draw(problems(options=True))
    device_of = np.array(data.draw(placements(problem)), np.int32)
    n, k = problem.graph.n, len(problem.devices)
    keep = np.array(data.draw(st.lists(st.integers(0, n - 1), min_size=1, max_size=3, unique=True)), np.int32)
    try:
        found = explained(repair(problem, device_of, keep, seconds=0.05))
    except (RepairError, PlanError):
        return
    assert set(found.kept_moved.tolist()) == {v for v in keep.tolist() if found.device_of[v] != device_of[v]}
    assert found.at_least <= len(found.moved)
    assert {reason.op for reason in found.reasons} <= set(found.kept_moved.tolist())
    assert len(found.reasons) == min(3, len(found.kept_moved))
    if k**n > 4096:
        return
    for number in range(k**n):
        plan = np.array([number // k**v % k for v in range(n)], np.int32)
        if problem.evaluator.violations(plan):
            continue
        for reason in found.reasons:
            kept = [reason.op, *reason.beside]
            assert not reason.proven or (plan[kept] != device_of[kept]).any()


@pytest.mark.parametrize("kept", [0, 1])
def test_the_bound_is_that_of_plans_that_keep_as_much(kept: int) -> None:
    found = replace(worse(), least_kept=kept)
    assert found.at_least == (3 if kept else 1)
    assert found.keeping_at_least == (0 if kept else 3)
