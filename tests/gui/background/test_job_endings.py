"""How a job ends, and what it says of that: proven, stopped, failed, nothing found, nothing better, and after which time."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot

from gui.background.job import PREPARING, STARTING
from gui.background.jobs import Jobs
from gui.document.plan.document import Document
from gui.document.values import Message
from gui.look.numbers import seconds_text
from gui.look.theme import LIGHT
from gui.tools.search.job_row import JobRow
from planner.runs.messages import Compiling, Ended, Failed, Incumbent, Told
from tests.gui.background.job_news import HALVES, THIRDS, found, objective, result, say, start

pytestmark = pytest.mark.usefixtures("qapp")


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


def test_a_job_says_that_planners_are_prepared_for_as_long_as_they_are(
    jobs: Jobs, document: Document, qtbot: QtBot
) -> None:
    job, worker = start(jobs, document)
    assert job.words == STARTING
    say(jobs, worker, Compiling(True))
    row = JobRow(job, jobs, LIGHT)
    qtbot.addWidget(row)
    row.show_job()
    assert job.words == PREPARING and PREPARING in row.result.text()
    say(jobs, worker, Compiling(False), found(document, THIRDS))
    assert job.words == ""
    say(jobs, worker, Compiling(True))
    assert job.words == PREPARING, "in the middle of a search, too"
    say(jobs, worker, result(job))
    assert job.words != PREPARING
