"""What tests let the scripted workers of jobs say: the plans that they find, and how they end."""

from __future__ import annotations

from typing import Any

import numpy as np

from gui.background.job import Job
from gui.background.jobs import Jobs
from gui.document.plan.document import Document
from planner.problem.bound import Bound
from planner.runs.messages import Ended, Incumbent, Order
from planner.search.result import Result
from tests.gui.background.scripted import Scripted

THIRDS = np.repeat([0, 1, 2], 4).astype(np.int32)
HALVES = np.repeat([0, 2], 6).astype(np.int32)
BAD = THIRDS[::-1].copy()


def start(jobs: Jobs, document: Document, method: str = "slice", **given: Any) -> tuple[Job, Scripted]:
    assert document.problem is not None
    job = jobs.start(Order(method, document.problem, **given))
    return job, next(w for w in Scripted.made if w.order is job.order)


def objective(document: Document, device_of: np.ndarray) -> float:
    assert document.problem is not None
    return document.problem.evaluate(device_of).objective


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
