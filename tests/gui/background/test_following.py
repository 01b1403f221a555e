"""What a followed job finds reaches the canvas as one step, unless the user edits, holds something, or has a better plan."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gui.background.job import hardly_words
from gui.background.jobs import Jobs
from gui.document.plan.document import Document
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.runs.messages import Incumbent, Proven
from tests.gui.background.job_news import HALVES, THIRDS, found, found_for, objective, result, say, start
from tests.gui.models import chain_graph, tpu_graph

pytestmark = pytest.mark.usefixtures("qapp")


def test_incumbents_of_the_followed_job_are_one_step(jobs: Jobs, document: Document) -> None:
    job, worker = start(jobs, document)
    steps = document.undo_stack.count()
    assert jobs.followed is job
    first, second = sorted((THIRDS, HALVES), key=lambda d: -objective(document, d))
    say(jobs, worker, found(document, first))
    assert document.device_of.tolist() == first.tolist()
    assert document.active is job.entry
    say(jobs, worker, found(document, second, 0.2))
    assert document.device_of.tolist() == second.tolist()
    say(jobs, worker, result(job))
    assert document.undo_stack.count() == steps + 1
    assert job.state == "done"
    assert job.entry is not None
    assert not job.entry.running
    document.undo_stack.undo()
    assert not document.device_of.any()
    assert not jobs._timer.isActive()


def test_incumbents_that_come_at_once_are_shown_as_one(jobs: Jobs, document: Document) -> None:
    job, worker = start(jobs, document)
    changes: list[Any] = []
    document.decision_changed.connect(changes.append)
    ordered = sorted((THIRDS, HALVES), key=lambda d: -objective(document, d))
    say(jobs, worker, *[found(document, d) for d in ordered])
    assert len(changes) == 1
    assert [found for _, found in job.trace] == [(objective(document, d),) for d in ordered]


def test_after_an_edit_results_wait_in_the_list(jobs: Jobs, document: Document) -> None:
    job, worker = start(jobs, document)
    document.move([11], 2)
    mine = document.device_of.tolist()
    say(jobs, worker, found(document, HALVES))
    say(jobs, worker, found(document, THIRDS), result(job))
    assert document.device_of.tolist() == mine
    assert job.entry in document.plans
    assert job.entry is not None
    assert job.entry.device_of.tolist() == THIRDS.tolist()
    assert len([e for e in document.plans if e.planner == "slice" and e.origin == "planner"]) == 1
    assert document.apply_plan(job.entry)
    assert document.device_of.tolist() == THIRDS.tolist()


def test_undoing_what_was_shown_ends_the_following(jobs: Jobs, document: Document) -> None:
    _, worker = start(jobs, document)
    say(jobs, worker, found(document, HALVES))
    document.undo_stack.undo()
    say(jobs, worker, found(document, THIRDS))
    assert not document.device_of.any()


def test_nothing_moves_during_a_drag_but_right_after_it(jobs: Jobs, document: Document) -> None:
    _, worker = start(jobs, document)
    document.begin_preview([3])
    say(jobs, worker, found(document, THIRDS))
    assert not document.device_of.any()
    assert document.preview is not None
    document.end_preview()
    jobs._tick()
    assert document.device_of.tolist() == THIRDS.tolist()


def test_a_drag_that_ends_in_an_edit_keeps_the_edit(jobs: Jobs, document: Document) -> None:
    job, worker = start(jobs, document)
    document.begin_preview([3])
    say(jobs, worker, found(document, THIRDS))
    document.move([11], 2)
    mine = document.device_of.tolist()
    jobs._tick()
    assert document.device_of.tolist() == mine
    assert job.entry in document.plans


def test_an_applied_entry_is_not_changed_under_the_users_hands(jobs: Jobs, document: Document) -> None:
    job, worker = start(jobs, document)
    document.move([11], 2)
    say(jobs, worker, found(document, HALVES))
    shown = job.entry
    assert shown is not None
    document.apply_plan(shown)
    say(jobs, worker, found(document, THIRDS))
    assert document.device_of.tolist() == HALVES.tolist()
    assert shown.device_of.tolist() == HALVES.tolist()
    assert job.entry is not shown
    assert job.entry is not None
    assert job.entry.device_of.tolist() == THIRDS.tolist()


def test_plans_of_an_older_problem_are_checked_against_the_new_one(jobs: Jobs, document: Document) -> None:
    job, worker = start(jobs, document)
    incumbent = found(document, THIRDS)
    document.pin([0], 2)
    say(jobs, worker, incumbent)
    assert job.entry is not None
    assert not job.entry.valid
    assert job.entry.broken == 1
    assert document.device_of[0] == 2
    document.unpin([0])
    assert job.entry.valid
    document.set_problem(Pipeline(count=2))
    assert job.entry.valid and job.entry.problem == job.problem
    say(jobs, worker, found_for(job, HALVES))
    assert job.entry.valid and job.entry.components == job.components
    assert document.device_of.max() < 2


def test_interchangeable_devices_are_called_as_on_the_canvas(jobs: Jobs, document: Document) -> None:
    """A planner's plan moves no op that only another number would move, in the list, on the canvas, and where it goes on."""
    document.open_graph(chain_graph(), target=DevicePool(3, 0))
    by_hand = np.repeat([0, 1, 2], [7, 4, 1]).astype(np.int32)
    document.set_assignment(by_hand, "edit", "By hand")
    document.plan_list.take(document.plans[0])
    job, worker = start(jobs, document, "local-search")
    say(jobs, worker, found_for(job, np.repeat([1, 0, 2], [10, 1, 1]).astype(np.int32)))
    assert job.entry is not None and job.entry is not document.active
    assert job.entry.device_of.tolist() == np.repeat([0, 1, 2], [10, 1, 1]).tolist()
    say(jobs, worker, found_for(job, np.repeat([2, 0, 1], [5, 4, 3]).astype(np.int32)), result(job))
    assert job.entry is document.active
    assert document.device_of.tolist() == np.repeat([0, 1, 2], [5, 4, 3]).tolist()
    assert job.provenance is not None and job.entry.origin == "planner"


# ---------------------------------------------------------------------- of several jobs
def test_only_the_followed_job_is_shown(jobs: Jobs, document: Document) -> None:
    first, worker = start(jobs, document)
    second, _ = start(jobs, document)
    assert jobs.followed is second
    say(jobs, worker, found(document, THIRDS))
    assert not document.device_of.any()
    jobs.follow(first)
    assert document.device_of.tolist() == THIRDS.tolist()
    assert len(jobs.running) == 2


def test_when_the_followed_job_is_over_the_one_before_is_followed(jobs: Jobs, document: Document) -> None:
    first, worker = start(jobs, document)
    second, quick = start(jobs, document)
    worse, better = sorted((THIRDS, HALVES), key=lambda d: -objective(document, d))
    say(jobs, quick, found(document, worse))
    assert document.device_of.tolist() == worse.tolist()
    say(jobs, worker, found(document, better))
    assert document.device_of.tolist() == worse.tolist()
    say(jobs, quick, result(second))
    assert jobs.followed is first
    assert document.device_of.tolist() == better.tolist()
    say(jobs, worker, result(first))
    assert document.device_of.tolist() == better.tolist()


def test_a_result_is_not_forgotten_because_another_job_was_followed(jobs: Jobs, document: Document) -> None:
    first, worker = start(jobs, document)
    second, other = start(jobs, document)
    say(jobs, worker, found(document, THIRDS), result(first))
    assert not document.device_of.any()
    say(jobs, other, result(second, status="no_plan"))
    assert document.device_of.tolist() == THIRDS.tolist()
    assert jobs.followed is first


# ---------------------------------------------------------------------- only better plans
def test_a_worse_plan_does_not_take_the_place_of_a_better_one(jobs: Jobs, document: Document) -> None:
    document.set_assignment(THIRDS, "edit", "thirds")
    job, worker = start(jobs, document)
    one = np.zeros(12, np.int32)
    say(jobs, worker, found(document, one))
    assert document.device_of.tolist() == THIRDS.tolist()
    assert job.entry in document.plans


def test_a_plan_worse_than_one_in_the_list_does_not_take_the_canvas(jobs: Jobs, document: Document) -> None:
    worse, better = sorted((THIRDS, HALVES), key=lambda d: -objective(document, d))
    listed = document.add_plan(better, "mine")
    job, worker = start(jobs, document)
    say(jobs, worker, found(document, worse))
    assert not document.device_of.any() and job.entry in document.plans
    say(jobs, worker, found(document, better))
    assert document.active is job.entry and listed in document.plans


def test_a_plan_that_is_better_by_less_than_is_shown_joins_the_list(jobs: Jobs, document: Document) -> None:
    """What looks the same does not change the canvas; the run says by how much its plan is better."""
    document.set_assignment(THIRDS, "edit", "thirds")
    active = document.active
    assert active is not None and document.problem is not None
    start(jobs, document)
    assert active.components is not None
    better = 0.9 * active.components[0]
    assert document.plan_list.deserves((better,), document.problem, None)
    assert document.plan_list.hardly_better((better,), document.problem) == ""
    hardly = (active.components[0] * (1 - 1e-7),)
    assert not document.plan_list.deserves(hardly, document.problem, None)
    assert document.plan_list.hardly_better(hardly, document.problem) == "0.001 %"
    assert document.plan_list.hardly_better(active.components, document.problem) == ""
    assert hardly_words("finished", "0.020 %") == "0.020 % better than the plan on the canvas: in Plans"
    assert hardly_words("time limit", "0.020 %").startswith("time limit, 0.020 % better")
    assert hardly_words("finished", "") == "finished"


def test_plans_are_compared_component_by_component(jobs: Jobs) -> None:
    document = jobs._document
    document.open_graph(tpu_graph(), target=EdgeTpuPipeline(3, cache=2 * 2**20))
    assert document.problem is not None
    here = np.array([0, 0, 1, 2, 2, 2], np.int32)
    equal_first = np.array([0, 1, 1, 2, 2, 2], np.int32)
    document.set_assignment(here, "edit", "uneven")
    document.plan_list.take(document.plans[0])
    job, worker = start(jobs, document, "edge-tpu-balanced")
    values = document.problem.evaluator.components(equal_first)
    assert values[:2] == document.evaluation.values[:2]
    assert values < document.evaluation.values
    say(jobs, worker, Incumbent(equal_first, values[0], 0.1, values))
    assert document.device_of.tolist() == equal_first.tolist()
    assert job.components == values
    first = document.problem.bound("max-memory", values[0], "simple", frozenset())
    second = document.problem.bound(
        "dram", values[1], "simple", frozenset(), given=(("max-memory", values[0]),)
    )
    say(jobs, worker, Proven(first, 0.2), Proven(second, 0.3), Proven(second, 0.4))
    assert job.bounds == [first, second]
    assert job.standing is not None
    assert [part.proven for part in job.standing.components] == [True, True, False]
    assert job.gap is None
    assert document.standing is not None
    assert document.standing.first_open is not None
    assert document.standing.first_open.name == "max-communication"
    given = (("max-memory", values[0]), ("dram", values[1]))
    last = document.problem.bound("max-communication", values[2], "simple", frozenset(), given=given)
    say(jobs, worker, Proven(last, 0.5), result(job))
    assert job.gap == document.gap == 0.0


def test_a_worse_component_does_not_take_the_canvas(jobs: Jobs) -> None:
    document = jobs._document
    document.open_graph(tpu_graph(), target=EdgeTpuPipeline(3, cache=2 * 2**20))
    assert document.problem is not None
    here, worse = np.array([0, 1, 1, 2, 2, 2], np.int32), np.array([0, 0, 1, 2, 2, 2], np.int32)
    document.set_assignment(here, "edit", "better")
    job, worker = start(jobs, document, "edge-tpu-balanced", starts=[here])
    values = document.problem.evaluator.components(worse)
    say(jobs, worker, Incumbent(worse, values[0], 0.1, values), result(job))
    assert document.device_of.tolist() == here.tolist()
    assert job.text.endswith("no better plan")
