"""What jobs prove is kept where it applies, and told to the other jobs."""

from __future__ import annotations

from typing import Any

import pytest

from gui.background.jobs import Jobs
from gui.document.plan.document import Document
from planner.runs.messages import Order, Proven
from tests.gui.background.job_news import THIRDS, found, objective, result, say, start
from tests.gui.background.scripted import Scripted

pytestmark = pytest.mark.usefixtures("qapp")


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
