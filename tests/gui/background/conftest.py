"""Fixtures of the tests of jobs: a document, jobs with scripted workers, and jobs with real ones."""

from __future__ import annotations

from collections.abc import Generator

import numpy as np
import pytest

from gui.background.jobs import Jobs
from gui.document.plan.document import Document
from planner.machines.pipeline.target import Pipeline
from tests.gui.background.scripted import Scripted
from tests.gui.models import chain_graph


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


@pytest.fixture
def real(document: Document) -> Generator[Jobs]:
    jobs = Jobs(document)
    yield jobs
    jobs.close()
