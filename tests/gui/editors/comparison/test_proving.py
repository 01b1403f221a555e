"""What is proven of compared plans without anybody asking: of which, in which order, and how the window says so."""

from __future__ import annotations

from collections.abc import Generator

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from gui.background.jobs import Jobs
from gui.background.proving_unasked import ProvingUnasked
from gui.document.plan.document import Document
from gui.editors.comparison.sources import Source
from planner.machines.pipeline.target import Pipeline
from planner.problem.problem import Problem
from planner.problem.provenance import Provenance
from planner.runs.messages import Ended, Proven
from planner.search.result import Result
from planner.search.search import Shared
from tests.gui.background.scripted import Scripted
from tests.gui.editors.comparison.parts import rest, two_plans, window_on


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch) -> Generator[list[Scripted]]:
    Scripted.made = []
    monkeypatch.setattr("gui.background.proving_unasked.Worker", Scripted)
    yield Scripted.made
    Scripted.made = []


def other(document: Document, count: int, places: list[int] | None = None) -> Source:
    """A plan of the document's graph on another machine, as if from a file."""
    assert document.graph is not None
    problem = Problem(document.graph, Pipeline(count))
    device_of = np.zeros(12, np.int32) if places is None else np.array(places, np.int32)
    return Source(plan=problem.plan(device_of, Provenance("x"), f"on {count}"))


def ended(worker: Scripted) -> Ended:
    assert worker.order is not None
    return Ended(Result("auto", worker.order.problem, None, None, (), "no_plan", "finished", 0.1, 0, {}, 0))


def test_each_problem_has_its_turn_and_its_plans_say_so(qtbot: QtBot, scripted: list[Scripted]) -> None:
    document = two_plans()
    with window_on(qtbot, document) as window:
        window.state.add([other(document, 4), other(document, 5)])
        rest(qtbot, window)
        qtbot.wait(50)
        assert not scripted, "nothing runs before it is to begin"
        window.proving.begin()
        qtbot.waitUntil(lambda: len(scripted) == 1, timeout=5_000)
        order = scripted[0].order
        assert order is not None
        assert order.is_bound and order.problem == window.state.plans[2].problem
        assert isinstance(scripted[0].told[0], Shared)
        said = [title.figures.text().endswith("proving …") for title in window.columns.titles]
        assert said == [False, False, True, False]
        plan = window.state.plans[2]
        bound = plan.problem.bound("bottleneck", plan.objective, "exact", plan.problem.assumptions)
        scripted[0].inbox = [Proven(bound, 0.1), ended(scripted[0])]
        qtbot.waitUntil(lambda: len(scripted) == 2, timeout=5_000)
        rest(qtbot, window)
        assert scripted[0].finished and bound in document.bounds
        assert "optimal" in window.columns.titles[2].figures.text()
        assert window.columns.titles[3].figures.text().endswith("proving …")
        scripted[1].inbox = [ended(scripted[1])]
        qtbot.waitUntil(lambda: not window.proving.running, timeout=5_000)
        document.move([3], 0)
        rest(qtbot, window)
        qtbot.wait(250)
        assert len(scripted) == 2, "what had its turn is not proven again"


def test_what_is_compared_no_longer_is_not_proven(qtbot: QtBot, scripted: list[Scripted]) -> None:
    document = two_plans()
    with window_on(qtbot, document) as window:
        window.state.add([other(document, 4)])
        window.proving.begin()
        qtbot.waitUntil(lambda: len(scripted) == 1, timeout=5_000)
        window.state.remove(2)
        assert scripted[0].finished and not window.proving.running
        window.state.add([other(document, 5, [4, *[0] * 11])])
        rest(qtbot, window)
        assert not window.proving.running, "a plan that breaks rules has no gap"


def test_the_open_problem_is_proven_by_its_own_window(qtbot: QtBot, scripted: list[Scripted]) -> None:
    document = two_plans()
    jobs = Jobs(document)
    beside = ProvingUnasked(document, jobs)
    with window_on(qtbot, document) as window:
        beside.begin()
        window.proving.begin(beside)
        qtbot.waitUntil(lambda: len(scripted) == 1, timeout=5_000)
        assert not window.proving.running
        assert all(title.figures.text().endswith("proving …") for title in window.columns.titles)
        scripted[0].inbox = [ended(scripted[0])]
        qtbot.waitUntil(lambda: not beside.running, timeout=5_000)
        assert not any("proving" in title.figures.text() for title in window.columns.titles)
        beside.close()
    jobs.close()
