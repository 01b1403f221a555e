"""Jobs: what planners find reaches list and canvas under the policy, and no process outlives the window.

Most tests put a scripted worker in the place of the process; the last ones start real ones.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Generator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from gui.background.job import MORE_EFFORT, Job, hardly_words, nothing_better_words
from gui.background.jobs import Jobs
from gui.document.plan.document import Document
from gui.document.values import Message
from gui.look.numbers import seconds_text
from gui.look.theme import LIGHT
from gui.tools.search.job_row import JobRow
from gui.words.objectives import components_text
from planner import __version__
from planner.errors import PlannerRefusal, StageboardError
from planner.machines.catalogue import planner
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.plan_files.plan_json import open_plan
from planner.problem.bound import Bound
from planner.problem.provenance import Origin
from planner.runs.messages import Ended, Failed, Incumbent, Order, Proven, Told
from planner.runs.replay import replay
from planner.search.result import Own, Result
from planner.search.stop import GIVEN
from tests.gui.background.scripted import Scripted
from tests.gui.models import chain_graph, tpu_graph

pytestmark = pytest.mark.usefixtures("qapp")

THIRDS = np.repeat([0, 1, 2], 4).astype(np.int32)
HALVES = np.repeat([0, 2], 6).astype(np.int32)
BAD = THIRDS[::-1].copy()


@pytest.fixture
def document() -> Document:
    document = Document()
    document.open_graph(chain_graph(), target=Pipeline(count=3))
    document.set_assignment(np.zeros(12, np.int32), "edit", "All on one")
    document.plan_list.take(document.plans[0])  # the start plan is better than what most tests find
    return document


@pytest.fixture
def jobs(document: Document, monkeypatch: pytest.MonkeyPatch) -> Generator[Jobs]:
    Scripted.made = []
    monkeypatch.setattr("gui.background.jobs.Worker", Scripted)
    jobs = Jobs(document)
    yield jobs
    jobs.close()


def start(jobs: Jobs, document: Document, method: str = "slice", **given: Any) -> tuple[Job, Scripted]:
    assert document.problem is not None
    job = jobs.start(Order(method, document.problem, **given))
    return job, next(w for w in Scripted.made if w.order is job.order)


def objective(document: Document, device_of: np.ndarray) -> float:
    assert document.problem is not None
    return document.problem.evaluate(device_of).objective


def shown(document: Document, device_of: np.ndarray) -> str:
    assert document.problem is not None
    return components_text(document.problem, (objective(document, device_of),))


def say(jobs: Jobs, worker: Scripted, *messages: Any) -> None:
    worker.inbox += messages
    jobs._tick()


def found(document: Document, device_of: np.ndarray, seconds: float = 0.1) -> Incumbent:
    return Incumbent(device_of, objective(document, device_of), seconds)


def found_for(job: Job, device_of: np.ndarray) -> Incumbent:
    values = job.problem.evaluate(device_of).values
    return Incumbent(device_of, values[0], 0.2, tuple(values))


def result(
    job: Job, reason: str = "finished", bounds: tuple[Bound, ...] = (), status: str = "feasible"
) -> Ended:
    return Ended(Result("slice", job.problem, None, None, bounds, status, reason, 1.0, 0, {}, 3))


# ---------------------------------------------------------------------- following
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


def test_a_quick_plan_names_its_own_planner_until_a_better_one_comes(jobs: Jobs, document: Document) -> None:
    job, worker = start(jobs, document)
    first, second = sorted((THIRDS, HALVES), key=lambda d: -objective(document, d))
    say(jobs, worker, replace(found(document, first), origin=Origin("one-device", {}, 0)))
    assert job.entry is not None and job.entry.planner == "one-device"
    assert job.provenance is not None and job.provenance.planner == "one-device"
    say(jobs, worker, found(document, second, 0.2))
    assert job.entry.planner == job.provenance.planner == "slice"


def test_a_complete_search_that_proves_nothing_says_what_it_is(jobs: Jobs, document: Document) -> None:
    job, worker = start(jobs, document)
    say(jobs, worker, found(document, HALVES))
    value = objective(document, HALVES)
    bound = job.problem.bound("bottleneck", value * (1 - 2e-6), "mtpp-mip", frozenset())
    over = result(job, bounds=(bound,)).result
    over = replace(over, device_of=HALVES, objective=value, components=(value,), complete=True)
    say(jobs, worker, Ended(over))
    assert job.text == "search complete: optimal within the solver's precision (gap 2e-06)"


def test_what_a_run_has_to_say_is_a_message_beside_how_it_ended(jobs: Jobs, document: Document) -> None:
    said: list[Message] = []
    document.message.connect(said.append)
    job, worker = start(jobs, document)
    say(
        jobs, worker, Ended(replace(result(job, status="optimal").result, message="solver=cbc runs on HiGHS"))
    )
    assert job.text == "optimal: proven"
    assert [(m.level, m.text) for m in said] == [("info", f"{job.title}: solver=cbc runs on HiGHS")]


def test_incumbents_that_come_at_once_are_shown_as_one(jobs: Jobs, document: Document) -> None:
    job, worker = start(jobs, document)
    changes: list[Any] = []
    document.decision_changed.connect(changes.append)
    ordered = sorted((THIRDS, HALVES), key=lambda d: -objective(document, d))
    say(jobs, worker, *[found(document, d) for d in ordered])
    assert len(changes) == 1
    assert [found for _, found in job.trace] == [(objective(document, d),) for d in ordered]


def test_a_run_has_one_time(jobs: Jobs, document: Document) -> None:
    """That of its search, in its row, in the list and in the provenance of what it found; not that with what was prepared for it."""
    job, worker = start(jobs, document)
    job.began -= 100.0
    say(jobs, worker, found(document, THIRDS, 0.25))
    assert job.entry is not None and job.entry.seconds == 0.25
    say(jobs, worker, Ended(replace(result(job).result, seconds=3.0)))
    assert job.seconds > 100.0 and job.searched == job.entry.seconds == 3.0
    assert (
        job.time_words == "3.0 s"
        and job.preparing_words == "100 s in all: 97 s of preparing, 3.0 s of search"
    )


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


def test_a_worse_plan_does_not_take_the_place_of_a_better_one(jobs: Jobs, document: Document) -> None:
    document.set_assignment(THIRDS, "edit", "thirds")
    job, worker = start(jobs, document)
    one = np.zeros(12, np.int32)
    say(jobs, worker, found(document, one))
    assert document.device_of.tolist() == THIRDS.tolist()
    assert job.entry in document.plans


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


# ---------------------------------------------------------------------- problems that change meanwhile
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


def test_bounds_are_kept_and_shown_where_they_apply(jobs: Jobs, document: Document) -> None:
    assert document.problem is not None
    document.pin([0], 0)
    job, worker = start(jobs, document)
    value = objective(document, THIRDS) * 0.99
    bound = job.problem.bound(job.problem.objective, value, "test", job.problem.assumptions)
    heard: list[Any] = []
    jobs.bound.connect(lambda *given: heard.append(given))
    say(jobs, worker, Proven(bound, 0.1))
    assert heard == [(job, bound)]
    assert document.bound is bound
    assert job.bound == value
    document.unpin([0])
    assert document.bound is not bound
    say(jobs, worker, result(job, bounds=(bound,)))
    document.undo_stack.undo()
    assert document.bound is bound


def test_a_run_that_finds_nothing_better_says_so(jobs: Jobs, document: Document) -> None:
    job, worker = start(jobs, document, starts=[document.device_of.copy()])
    same = Incumbent(document.device_of.copy(), document.evaluation.objective, 0.1)
    say(jobs, worker, same, result(job))
    assert job.text.endswith("no better plan")


def test_a_run_that_finds_nothing_says_how_long_it_looked_and_what_kept_it(
    jobs: Jobs, document: Document
) -> None:
    """It had no time limit, and the plan on the canvas is valid."""
    for compiling, why in ((0.0, ""), (1e6, "; planners were still being prepared")):
        job, worker = start(jobs, document)
        job.order = replace(job.order, starts=[HALVES])
        say(jobs, worker, replace(result(job, "time", status="no_plan"), compiling=compiling))
        assert job.text == f"nothing better found in {seconds_text(job.searched)}{why}"
    job, worker = start(jobs, document)
    job.order = replace(job.order, time_limit=1.0)
    say(jobs, worker, result(job, "time", status="no_plan"))
    assert job.text == f"time limit reached: no valid plan found in {seconds_text(job.searched)}"
    job, worker = start(jobs, document)
    say(jobs, worker, found(document, HALVES))
    say(jobs, worker, result(job, "time"))
    assert job.text.startswith("usual work done") and not job.text.endswith("go on")


def test_a_run_that_ends_long_before_its_time_limit_does_not_blame_it(jobs: Jobs, document: Document) -> None:
    job, worker = start(jobs, document, starts=[document.device_of.copy()])
    say(jobs, worker, Incumbent(document.device_of.copy(), document.evaluation.objective, 0.1))
    job.order = replace(job.order, time_limit=60.0, options={"effort": 1.0})
    say(jobs, worker, result(job, "time"))  # after a second
    assert job.text == "usual work done, no better plan; more effort lets it go on"


def test_another_model_ends_the_jobs(jobs: Jobs, document: Document) -> None:
    job, worker = start(jobs, document)
    document.open_graph(chain_graph(9, "other"))
    assert worker.finished
    assert job.state == "cancelled"
    assert jobs.jobs == []
    worker.inbox = [Incumbent(THIRDS, 1.0, 0.1)]
    jobs._tick()
    assert len(document.plans) == 1


# ---------------------------------------------------------------------- the life of a job
def test_progress_and_the_ways_to_end(jobs: Jobs, document: Document) -> None:
    said: list[Message] = []
    document.message.connect(said.append)
    job, worker = start(jobs, document)
    say(jobs, worker, Told(0.5, "order 3 of 6", 0.2, 3))
    assert (job.fraction, job.text, job.iterations) == (0.5, "order 3 of 6", 3)
    job.order = replace(job.order, time_limit=1.0)
    say(jobs, worker, result(job, "time"))
    assert (job.state, job.text, job.fraction) == ("done", "time limit reached", 1.0)

    job, worker = start(jobs, document)
    jobs.cancel(job)
    assert (job.state, worker.cancelled) == ("stopping", True)
    say(jobs, worker, result(job, "cancelled"))
    assert job.state == "cancelled"
    assert not said

    job, worker = start(jobs, document)
    say(jobs, worker, found(document, THIRDS))
    say(
        jobs,
        worker,
        Failed("its process ended unexpectedly (exit code -9); its best plan so far was kept", "trace"),
    )
    assert job.state == "failed"
    assert job.entry in document.plans
    assert document.device_of.tolist() == THIRDS.tolist()
    assert said[0].level == "error"
    assert said[0].detail == "trace"

    job, worker = start(jobs, document)
    say(jobs, worker, result(job, status="infeasible"))
    assert job.text == "there is no valid plan: proven"
    seconds = job.seconds
    assert job.seconds == seconds
    jobs.forget(job)
    assert job not in jobs.jobs


def test_a_running_entry_is_not_removed(jobs: Jobs, document: Document) -> None:
    job, worker = start(jobs, document)
    document.move([11], 2)
    say(jobs, worker, found(document, THIRDS))
    assert job.entry is not None
    with pytest.raises(StageboardError, match="still works"):
        document.remove_plan(job.entry)
    say(jobs, worker, result(job))
    document.remove_plan(job.entry)
    assert job.entry not in document.plans


def test_refusals_start_nothing(jobs: Jobs, document: Document) -> None:
    assert document.problem is not None
    with pytest.raises(PlannerRefusal, match="no planner 'magic'"):
        jobs.start(Order("magic", document.problem))
    document.set_problem(DevicePool(accelerators=2))
    with pytest.raises(PlannerRefusal):
        jobs.start(Order("slice", document.problem))
    assert not jobs.jobs
    jobs.close()
    with pytest.raises(StageboardError, match="closing"):
        jobs.start(Order("dpl", document.problem))


def test_a_spare_process_is_kept_ready(jobs: Jobs, document: Document, qtbot: QtBot) -> None:
    jobs.warm_up()
    assert len(Scripted.made) == 1
    _, worker = start(jobs, document)
    assert worker is Scripted.made[0]
    qtbot.waitUntil(lambda: len(Scripted.made) == 2, timeout=30_000)
    jobs.close()
    assert all(w.finished for w in Scripted.made)


def test_many_busy_jobs_share_the_ticks(
    jobs: Jobs, document: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "TICK_SECONDS", 0.0)
    workers = [start(jobs, document)[1] for _ in range(3)]
    for worker in workers:
        worker.inbox = [Told(0.5, "on it", 0.1, 1)]
    for _ in range(3):
        jobs._tick()
    assert [job.text for job in jobs.jobs] == ["on it"] * 3


# ---------------------------------------------------------------------- real processes
def endless(document: Document) -> Order:
    """An order that ends only when it is told to."""
    assert document.problem is not None
    return Order("slice-random", document.problem, options={"orders": 10_000_000})


@pytest.fixture
def real(document: Document) -> Generator[Jobs]:
    jobs = Jobs(document)
    yield jobs
    jobs.close()


def test_two_real_planners_and_a_bound_at_once(real: Jobs, document: Document, qtbot: QtBot) -> None:
    assert document.problem is not None
    real.warm_up()
    orders = [
        Order("slice", document.problem),
        Order("slice-random", document.problem, iterations=5),
        Order("simple", document.problem, is_bound=True),
    ]
    started = [real.start(order) for order in orders]
    qtbot.waitUntil(lambda: not real.running, timeout=60_000)
    assert [job.state for job in started] == ["done"] * 3
    assert started[0].entry is not None
    assert started[0].entry.valid
    assert document.evaluation.objective <= min(job.objective or 1e9 for job in started[:2]) + 1e-9
    assert document.evaluation.valid


def test_a_killed_process_keeps_its_best(real: Jobs, document: Document, qtbot: QtBot) -> None:
    assert document.problem is not None
    job = real.start(endless(document))
    qtbot.waitUntil(lambda: job.objective is not None, timeout=60_000)
    pid = real._workers[job]._process.pid
    assert pid is not None
    with qtbot.waitSignal(document.message, timeout=10_000):
        os.kill(pid, signal.SIGKILL)
    assert job.state == "failed"
    assert "kept" in job.text
    assert job.entry in document.plans


def test_closing_ends_every_process(real: Jobs, document: Document, qtbot: QtBot) -> None:
    assert document.problem is not None
    real.warm_up()
    first = real.start(endless(document))
    qtbot.waitUntil(lambda: first.objective is not None, timeout=60_000)
    late = real.start(endless(document))  # its process still starts
    real.cancel(first)
    real.close()
    assert [job.state for job in (first, late)] == ["cancelled", "cancelled"]
    assert first.entry in document.plans  # the guards see to it that no process is left


def test_cancelling_a_real_planner_keeps_its_best(real: Jobs, document: Document, qtbot: QtBot) -> None:
    assert document.problem is not None
    job = real.start(endless(document))
    real.cancel(job)  # before it can have read its order
    qtbot.waitUntil(lambda: not job.alive, timeout=60_000)
    assert job.state == "cancelled"


# ---------------------------------------------------------------------- where plans come from
def test_the_provenance_of_a_plan_goes_with_it(jobs: Jobs, document: Document) -> None:
    assert document.problem is not None
    bound = document.problem.bound("bottleneck", 1.0, "simple", frozenset())
    given = {"seed": 5, "options": {"orders": 7}, "starts": [BAD], "bounds": [bound]}
    job, worker = start(jobs, document, "slice-random", **given)
    first = Incumbent(HALVES, objective(document, HALVES), 0.1, iteration=3)
    best = Incumbent(THIRDS, objective(document, THIRDS), 0.2, iteration=8)
    say(jobs, worker, first)
    assert job.entry is not None and job.entry.provenance is not None
    assert job.entry.provenance.iteration == 3
    document.set_assignment(BAD, "edit", "by hand")  # the better plan goes into the list alone
    say(jobs, worker, best)
    found = job.entry.provenance
    assert found is not None and job.entry.device_of.tolist() == THIRDS.tolist()
    assert (found.planner, found.seed, found.iteration, found.version) == ("slice-random", 5, 8, __version__)
    options = {option.name for option in planner("slice-random").options}
    assert set(found.options) == options and found.options["orders"] == 7
    assert [start.tolist() for start in found.starts] == [BAD.tolist()] and found.bounds == (bound,)
    say(jobs, worker, result(job, "time"))
    assert job.entry.provenance is not None and job.entry.provenance.stop_reason == "time"


def test_what_a_planner_began_with_is_not_listed_as_its_own(jobs: Jobs, document: Document) -> None:
    job, worker = start(jobs, document, "slice-random", starts=[HALVES])
    count, heard = len(document.plans), []
    jobs.incumbent.connect(lambda _, device_of, __: heard.append(device_of.tolist()))
    say(jobs, worker, Incumbent(HALVES, objective(document, HALVES), 0.1, iteration=0))
    assert len(document.plans) == count and job.entry is None and job.objective == objective(document, HALVES)
    assert heard == [HALVES.tolist()]
    say(jobs, worker, Incumbent(THIRDS, objective(document, THIRDS), 0.2, iteration=8))
    assert len(document.plans) == count + 1 and job.entry is not None
    say(jobs, worker, result(job, "time"))
    assert job.entry.device_of.tolist() == THIRDS.tolist()


def test_a_worse_plan_of_its_own_joins_the_list(jobs: Jobs, document: Document, qtbot: QtBot) -> None:
    """What the run keeps is the canvas' plan; its card says what it found itself."""
    document.set_assignment(THIRDS, "edit", "Good")
    for decision, words in (
        (HALVES, f"found {shown(document, HALVES)}; the plan that it began with is better"),
        (None, "found nothing better"),
    ):
        job, worker = start(jobs, document, "slice-random", starts=[THIRDS])
        # As good as the start, and made of it: the search says so itself.
        values = (objective(document, THIRDS),)
        given = Incumbent(THIRDS.copy(), values[0], 0.1, values, by=GIVEN)
        say(jobs, worker, given)
        row = JobRow(job, jobs, LIGHT)
        qtbot.addWidget(row)
        assert row.result.text() == f"began with {shown(document, THIRDS)}"
        ended = result(job)
        own = None if decision is None else Own(decision, (objective(document, decision),), 4, 0.2)
        count = len(document.plans)
        say(jobs, worker, replace(ended, result=replace(ended.result, own=own)))
        row.show_job()
        assert row.result.text() == f"{words} · began with {shown(document, THIRDS)}"
        told = f"found nothing better than {shown(document, THIRDS)} in {job.time_words}"
        assert nothing_better_words(job) == told
        job.text = f"usual work done{MORE_EFFORT}"
        assert nothing_better_words(job) == told + MORE_EFFORT
        assert document.device_of.tolist() == THIRDS.tolist()
        if decision is None:
            assert job.entry is None and len(document.plans) == count
        else:
            assert job.entry is not None and job.entry.device_of.tolist() == decision.tolist()
            assert job.entry.provenance is not None and job.entry.provenance.stop_reason == "finished"


def test_who_comes_by_itself_to_what_it_began_with_found_nothing_better(
    jobs: Jobs, document: Document, qtbot: QtBot
) -> None:
    """Not a worse plan of its own, which it met on the way."""
    document.set_assignment(THIRDS, "edit", "Good")
    job, worker = start(jobs, document, "slice-random", starts=[THIRDS])
    values = (objective(document, THIRDS),)
    say(jobs, worker, Incumbent(THIRDS.copy(), values[0], 0.1, values, by=GIVEN))
    ended, count = result(job), len(document.plans)
    say(jobs, worker, replace(ended, result=replace(ended.result, met=True)))
    row = JobRow(job, jobs, LIGHT)
    qtbot.addWidget(row)
    assert row.result.text() == f"found nothing better · began with {shown(document, THIRDS)}"
    assert job.entry is None and len(document.plans) == count


def test_what_a_run_began_with_is_summed_once(
    jobs: Jobs, document: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    document.set_assignment(THIRDS, "edit", "Good")
    job, worker = start(jobs, document, "slice-random", starts=[THIRDS])
    say(jobs, worker, found(document, HALVES))
    evaluator, asked = job.problem.evaluator, 0
    components = evaluator.components

    def counted(device_of: np.ndarray) -> tuple[float, ...]:
        nonlocal asked
        asked += 1
        return components(device_of)

    monkeypatch.setattr(evaluator, "components", counted)
    say(jobs, worker, result(job))
    assert job.state == "done"
    assert nothing_better_words(job) == nothing_better_words(job)
    assert asked == 1


def test_a_start_that_comes_late_does_not_take_the_name_of_the_run(jobs: Jobs, document: Document) -> None:
    job, worker = start(jobs, document, "slice-random", starts=[THIRDS])
    say(jobs, worker, found(document, HALVES))
    say(jobs, worker, Incumbent(THIRDS, objective(document, THIRDS), 0.2, by=GIVEN), result(job))
    assert job.entry is not None and job.entry.device_of.tolist() == HALVES.tolist()
    assert job.keeps_start and job.own == (objective(document, HALVES),)


def test_a_plan_that_a_real_job_found_is_found_again(
    real: Jobs, document: Document, qtbot: QtBot, tmp_path: Path
) -> None:
    problem = document.problem
    assert problem is not None
    order = Order("anneal", problem, seed=3, options={"rounds": 2, "moves": 100}, starts=[BAD, HALVES])
    job = real.start(order)
    qtbot.waitUntil(lambda: not job.alive, timeout=60_000)
    assert job.entry is document.active
    document.save_plan(tmp_path / "a.plan.json")
    opened = open_plan(tmp_path / "a.plan.json", problem.graph).plan
    assert len(opened.provenance.starts) == 2
    again = replay(opened)
    assert again.outcome == "identical", again.sentence


# ---------------------------------------------------------------------- bounds are shared
def test_what_one_job_proves_the_others_know(jobs: Jobs, document: Document) -> None:
    searching, planner_at_work = start(jobs, document)
    assert document.problem is not None
    proving = jobs.start(Order("simple", document.problem, is_bound=True))
    prover = next(w for w in Scripted.made if w.order is proving.order)
    known = document.problem.bound("bottleneck", 1.0, "simple", frozenset())
    stronger = document.problem.bound("bottleneck", 46.0, "stronger", frozenset())
    elsewhere = document.problem.bound("bottleneck", 99.0, "stronger", frozenset({"pin:n0=stage 1"}))
    say(jobs, prover, Proven(known, 0.1), Proven(stronger, 0.2), Proven(elsewhere, 0.3))
    assert planner_at_work.told == [known, stronger]
    assert prover.told == []
    assert (searching.bound, proving.bound) == (46.0, 46.0)
    assert [bound for _, bound in searching.proofs] == [known, stronger]
    assert stronger in document.bounds
    # What it finds afterwards is measured against that bound; a weaker one is no news.
    say(jobs, planner_at_work, found(document, THIRDS), Proven(known, 0.4))
    assert searching.gap == pytest.approx(1 - 46.0 / objective(document, THIRDS))
    assert len(searching.proofs) == 2


# ---------------------------------------------------------------------- several components
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


def test_plans_of_the_list_differ_from_the_canvas_by_what_a_comparison_counts(document: Document) -> None:
    document.open_graph(chain_graph(), target=DevicePool(3, 0))
    document.set_assignment(THIRDS, "edit", "By hand")
    turned = np.repeat([2, 0, 1], [4, 5, 3]).astype(np.int32)
    entry = document.add_plan(turned, "of a file", origin="file")
    assert entry.device_of.tolist() == turned.tolist(), "files keep their numbers"
    assert np.flatnonzero(document.differences(entry)).tolist() == [8]
