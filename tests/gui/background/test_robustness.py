"""How sure the plan is, looked for beside the window: what is known comes as it is found, an edit ends it."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from gui.background.robustness import MOST_PLANS, RobustnessSearch
from gui.document.plan.document import Document
from planner.machines.pipeline.target import Pipeline
from planner.processes.question import Answer, Part
from planner.reports.robustness.investigation import Step, robustness
from planner.reports.robustness.report import Settings
from tests.gui.models import chain_graph

EVEN = np.repeat([0, 1, 2], 4).astype(np.int32)


@pytest.fixture
def document(qtbot: QtBot) -> Generator[Document]:
    document = Document()
    document.open_graph(chain_graph(), target=Pipeline(count=3))
    document.set_assignment(EVEN, "edit", "even")
    yield document
    document.deleteLater()


class Scripted:
    """A process that was asked something, and says what the test wants."""

    said: list[Part | Answer]
    asked: tuple[object, ...]

    def __init__(self, work: object, *given: object) -> None:
        Scripted.asked = given
        self.closed = False

    def poll(self) -> Part | Answer | None:
        return self.said.pop(0) if self.said else None

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch) -> type[Scripted]:
    monkeypatch.setattr("gui.background.asking.Aside", Scripted)
    Scripted.said = []
    return Scripted


def test_all_of_it_in_a_process(qtbot: QtBot, document: Document) -> None:
    search = RobustnessSearch(document)
    seen: list[str] = []
    search.changed.connect(lambda: seen.append(search.words))
    search.start(1.5)
    assert search.running and search.current
    qtbot.waitUntil(lambda: not search.running, timeout=120_000)
    assert search.known is not None and search.current
    assert search.known.problem == document.problem
    assert search.known.candidates[0].device_of.tolist() == EVEN.tolist()
    assert search.known.spread.assumed == 1.5
    # Planning under drawn times is left out where the machine is so busy that time is up before.
    assert any("Looking for the best plan" in words for words in seen), "progress is told"
    assert search.words == ""
    assert search.known.gap == document.gap, "what it proved is known to the window"
    search.close()


def test_the_plans_of_the_list_are_compared(document: Document, scripted: type[Scripted]) -> None:
    for cut in range(1, 11):
        document.add_plan(np.repeat([0, 1, 2], [cut, 11 - cut, 1]).astype(np.int32), f"plan {cut}")
    document.add_plan(EVEN[::-1].copy(), "backwards")
    search = RobustnessSearch(document)
    search.start(None)
    plans, bounds, settings = scripted.asked
    assert len(plans) == MOST_PLANS  # type: ignore[arg-type]
    assert plans[0].decision.device_of.tolist() == EVEN.tolist()  # type: ignore[index]
    assert all(plan.evaluation.valid for plan in plans)  # type: ignore[attr-defined]
    assert bounds == tuple(document.bounds) and settings == Settings()
    search.close()


def test_an_edit_ends_it_and_what_is_known_is_of_the_plan_before(
    qtbot: QtBot, document: Document, scripted: type[Scripted]
) -> None:
    search = RobustnessSearch(document)
    scripted.said = [Part(Step("halfway", 0.5, None))]
    search.start(None)
    qtbot.waitUntil(lambda: search.words == "halfway")
    assert search.done == 0.5 and search.running
    document.move([0], 1)
    assert not search.running and not search.current and search.words == ""
    document.history.undo_stack.undo()
    assert search.current, "the plan is what it was"
    search.stop()


def test_what_stands_in_the_way_is_said_and_asks_nothing(
    document: Document, scripted: type[Scripted]
) -> None:
    search = RobustnessSearch(document)
    document.set_assignment(EVEN[::-1].copy(), "edit", "backwards")
    assert "breaks rules" in search.refusal
    search.start(None)
    assert not search.running
    assert "open a model" in RobustnessSearch(Document()).refusal
    search.close()


def test_a_failure_is_told(qtbot: QtBot, document: Document, scripted: type[Scripted]) -> None:
    search = RobustnessSearch(document)
    told: list[str] = []
    search.failed.connect(told.append)
    scripted.said = [Answer(sentence="it broke")]
    search.start(None)
    qtbot.waitUntil(lambda: bool(told))
    assert told == ["how sure the plan is was not found out: it broke"]
    assert not search.running


def test_another_model_is_another_question(document: Document, scripted: type[Scripted]) -> None:
    search = RobustnessSearch(document)
    search.start(None)
    document.open_graph(chain_graph(8), target=Pipeline(count=2))
    assert not search.running and search.known is None and not search.current


def test_what_is_proven_of_the_problem_is_known_everywhere(
    qtbot: QtBot, document: Document, scripted: type[Scripted]
) -> None:
    problem = document.open_problem
    least = document.evaluation.values[0]
    found = robustness([document.current_plan()], settings=Settings(samples=5, seconds=0.0))
    bound = problem.bound("bottleneck", least, "chain-dp", problem.assumptions)
    search, told = RobustnessSearch(document), list[object]()
    search.proven.connect(told.append)
    search.start(None)
    assert document.gap != 0.0
    known = replace(found, bounds=(*document.bounds, bound))
    scripted.said = [Part(Step("halfway", 0.5, known)), Part(Step("", 1.0, known)), Answer()]
    qtbot.waitUntil(lambda: not search.running)
    assert told == [bound] and bound in document.bounds
    assert document.gap == 0.0, "the readouts say that the plan is optimal"
    assert document.active is not None and document.active.standing is not None
    assert document.active.standing.status == "optimal"
