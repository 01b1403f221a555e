"""Where the plans of a job come from: its own, those that it began with, and another's, each under the name of who found it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from gui.background.job import MORE_EFFORT, nothing_better_words
from gui.background.jobs import Jobs
from gui.document.plan.document import Document
from gui.look.theme import LIGHT
from gui.tools.search.job_row import JobRow
from gui.words.objectives import components_text
from planner import __version__
from planner.machines.catalogue import planner
from planner.plan_files.plan_json import open_plan
from planner.problem.provenance import Origin
from planner.runs.messages import Incumbent, Order
from planner.runs.replay import replay
from planner.search.result import Own
from planner.search.stop import GIVEN
from tests.gui.background.job_news import BAD, HALVES, THIRDS, found, objective, result, say, start

pytestmark = pytest.mark.usefixtures("qapp")


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


def test_a_quick_plan_names_its_own_planner_until_a_better_one_comes(jobs: Jobs, document: Document) -> None:
    job, worker = start(jobs, document)
    first, second = sorted((THIRDS, HALVES), key=lambda d: -objective(document, d))
    say(jobs, worker, replace(found(document, first), origin=Origin("one-device", {}, 0)))
    assert job.entry is not None and job.entry.planner == "one-device"
    assert job.provenance is not None and job.provenance.planner == "one-device"
    say(jobs, worker, found(document, second, 0.2))
    assert job.entry.planner == job.provenance.planner == "slice"


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


# ---------------------------------------------------------------------- plans that it began with
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


def shown(document: Document, device_of: np.ndarray) -> str:
    assert document.problem is not None
    return components_text(document.problem, (objective(document, device_of),))


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
