"""Jobs are started, refused, forgotten and ended; a spare process is kept ready, and all of them are heard in turn."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from gui.background.jobs import Jobs
from gui.document.plan.document import Document
from planner.errors import PlannerRefusal, StageboardError
from planner.machines.pool.target import DevicePool
from planner.runs.messages import Incumbent, Order, Told
from tests.gui.background.job_news import THIRDS, found, result, say, start
from tests.gui.background.scripted import Scripted
from tests.gui.models import chain_graph

pytestmark = pytest.mark.usefixtures("qapp")


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


def test_another_model_ends_the_jobs(jobs: Jobs, document: Document) -> None:
    job, worker = start(jobs, document)
    document.open_graph(chain_graph(9, "other"))
    assert worker.finished
    assert job.state == "cancelled"
    assert jobs.jobs == []
    worker.inbox = [Incumbent(THIRDS, 1.0, 0.1)]
    jobs._tick()
    assert len(document.plans) == 1
