"""What is proven of an open problem without anybody asking: when it runs, when it does not, and what becomes of its bounds."""

from __future__ import annotations

from collections.abc import Generator

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from gui.background.jobs import Jobs
from gui.background.proving_unasked import PREPARING_PROOF, PROVING, UNASKED, ProvingUnasked
from gui.document.network.document import OrderDocument
from gui.document.plan.document import Document
from gui.document.proven_here import PROVEN
from gui.look.theme import LIGHT
from gui.panels.readouts import ReadoutStrip
from gui.words.explaining import next_step
from planner.machines.pipeline.target import Pipeline
from planner.machines.two_level_memory.orders.io_bounds import io_bounds
from planner.machines.two_level_memory.target import TwoLevelMemory
from planner.problem.bound import Bound
from planner.runs.messages import Compiling, Ended, Proven
from planner.search.result import Result
from planner.search.search import Shared
from tests.gui.background.scripted import Scripted
from tests.gui.editors.network.models import opened
from tests.gui.models import chain_graph
from tests.gui.window_parts import shown


@pytest.fixture
def document() -> Document:
    document = Document()
    document.open_graph(chain_graph(), target=Pipeline(count=3))
    document.set_assignment(np.zeros(12, np.int32), "edit", "All on one")
    return document


@pytest.fixture
def proving(document: Document, monkeypatch: pytest.MonkeyPatch) -> Generator[ProvingUnasked]:
    Scripted.made = []
    monkeypatch.setattr("gui.background.proving_unasked.Worker", Scripted)
    monkeypatch.setattr("gui.background.jobs.Worker", Scripted)
    monkeypatch.setattr("gui.background.proving_unasked.SETTLE", 0)
    jobs = Jobs(document)
    proving = ProvingUnasked(document, jobs)
    yield proving
    proving.close()
    jobs.close()


def began(qtbot: QtBot, count: int) -> Scripted:
    qtbot.waitUntil(lambda: len(Scripted.made) == count, timeout=5_000)
    return Scripted.made[-1]


def ending(document: Document, reason: str = "finished") -> Ended:
    return Ended(Result("auto", document.problem, None, None, (), "no_plan", reason, 0.1, 0, {}, 0))


def test_nothing_runs_before_the_window_is_up(
    document: Document, proving: ProvingUnasked, qtbot: QtBot
) -> None:
    document.set_problem(target=Pipeline(count=2))
    qtbot.wait(50)
    assert not Scripted.made and not proving.running


def test_the_open_problem_is_proven_and_its_bound_kept(
    document: Document, proving: ProvingUnasked, qtbot: QtBot
) -> None:
    proving.begin()
    worker = began(qtbot, 1)
    assert worker.order is not None and worker.order.method == "auto" and worker.order.is_bound
    assert worker.order.options == {"seconds": UNASKED}
    assert isinstance(worker.told[0], Shared) and proving.running
    assert document.problem is not None
    bound = document.problem.bound(
        "bottleneck", document.evaluation.objective, "exact", document.problem.assumptions
    )
    worker.inbox = [Proven(bound, 0.1), ending(document)]
    qtbot.waitUntil(lambda: not proving.running, timeout=5_000)
    assert document.gap == 0.0 and document.bound == bound and worker.finished


def test_networks_have_their_turn_too(monkeypatch: pytest.MonkeyPatch, qtbot: QtBot) -> None:
    Scripted.made = []
    monkeypatch.setattr("gui.background.proving_unasked.Worker", Scripted)
    monkeypatch.setattr("gui.background.proving_unasked.SETTLE", 0)
    document = OrderDocument()
    jobs = Jobs(document)  # type: ignore[arg-type]
    proving = ProvingUnasked(document, jobs)
    proving.begin()
    document.install(opened())
    worker = began(qtbot, 1)
    problem = document.open_problem
    stronger = problem.bound("ios", io_bounds(problem.network).least + 1.0, "segments", frozenset())
    worker.inbox = [Proven(stronger, 0.1)]
    qtbot.waitUntil(lambda: document.bound == stronger, timeout=5_000)
    document.set_target(TwoLevelMemory(5))
    began(qtbot, 2)
    proving.close()
    jobs.close()
    document.close()


def test_moving_ops_asks_for_no_proof_and_another_problem_does(
    document: Document, proving: ProvingUnasked, qtbot: QtBot
) -> None:
    proving.begin()
    worker = began(qtbot, 1)
    worker.inbox = [ending(document)]
    qtbot.waitUntil(lambda: not proving.running, timeout=5_000)
    document.move([11], 2)
    qtbot.wait(50)
    assert len(Scripted.made) == 1
    document.pin([11], 0)
    second = began(qtbot, 2)
    document.undo_stack.undo()
    qtbot.wait(50)
    assert second.finished and len(Scripted.made) == 2, "what was proven once is not proven again"


def test_a_proof_that_is_asked_for_is_a_job(
    document: Document, proving: ProvingUnasked, qtbot: QtBot
) -> None:
    proving.begin()
    unasked = began(qtbot, 1)
    job = proving.prove_more()
    assert job is not None and job.is_bound and unasked.finished and proving.running
    assert isinstance(Scripted.made[-1].told[0], Shared)


@pytest.mark.parametrize("reason", ["finished", "time"])
def test_a_proof_that_brings_nothing_says_so_and_is_offered_again_only_where_time_was_short(
    document: Document, proving: ProvingUnasked, qtbot: QtBot, reason: str
) -> None:
    strip, said = ReadoutStrip(document, LIGHT), []
    document.message.connect(lambda message: said.append(message.text))
    for entry in [entry for entry in document.plans if entry is not document.active]:
        document.remove_plan(entry)
    job = proving.prove_more()
    assert job is not None and not PROVEN.exhausted(document.problem)
    Scripted.made[-1].inbox = [ending(document, reason)]
    qtbot.waitUntil(lambda: not job.alive, timeout=5_000)
    assert len(said) == 1 and said[0].startswith("no stronger bound after 0.1 s of search")
    assert (
        ("have no more to prove" in said[0]) == PROVEN.exhausted(document.problem) == (reason == "finished")
    )
    with shown(qtbot, strip, 1280, 66):
        assert strip.prove.isVisible() == (reason == "time")
    problem = document.problem
    assert problem is not None
    words = next_step(
        problem, document.evaluation, document.device_of, document.gap, exhausted=PROVEN.exhausted(problem)
    )
    assert ("Ctrl+Shift+B" in words) == (reason == "time") and "Ctrl+Return" in words


def test_a_proof_that_brings_something_needs_no_words(
    document: Document, proving: ProvingUnasked, qtbot: QtBot
) -> None:
    said: list[str] = []
    document.message.connect(lambda message: said.append(message.text))
    job = proving.prove_more()
    problem = document.problem
    assert job is not None and problem is not None
    least = 0.999 * document.evaluation.objective
    bound = problem.bound("bottleneck", least, "exact", problem.assumptions)
    Scripted.made[-1].inbox = [Proven(bound, 0.1), ending(document)]
    qtbot.waitUntil(lambda: not job.alive, timeout=5_000)
    assert document.bound == bound and not said


def test_a_proof_that_nobody_asked_for_is_not_offered_again_once_it_is_at_its_end(
    document: Document, proving: ProvingUnasked, qtbot: QtBot
) -> None:
    told: list[None] = []
    document.readouts_changed.connect(lambda: told.append(None))
    proving.begin()
    began(qtbot, 1).inbox = [ending(document)]
    qtbot.waitUntil(lambda: not proving.running, timeout=5_000)
    assert PROVEN.exhausted(document.problem) and told
    document.set_problem(target=Pipeline(count=2))
    assert not PROVEN.exhausted(document.problem)


def test_the_readouts_say_that_something_is_proven_and_offer_more(document: Document, qtbot: QtBot) -> None:
    for entry in [entry for entry in document.plans if entry is not document.active]:
        document.remove_plan(entry)  # among them one that is proven optimal
    strip = ReadoutStrip(document, LIGHT)
    with shown(qtbot, strip, 1280, 66):
        assert strip.prove.isVisible() and strip.gap.note == "could be better"
        strip.set_proving(PROVING)
        assert not strip.prove.isVisible() and strip.gap.note == "proving …"
        assert document.problem is not None
        value = document.evaluation.objective
        proof = Bound("bottleneck", value, "exact", document.problem.relaxation, seconds=0.4)
        document.add_bounds([proof])
        strip.set_proving("")
        assert (strip.gap.value, strip.gap.note) == (
            "optimal",
            "proven in 0.4 s",
        ) and not strip.prove.isVisible()


def test_a_bound_of_valid_plans_is_grey_beside_a_broken_one(document: Document, qtbot: QtBot) -> None:
    strip = ReadoutStrip(document, LIGHT)
    with shown(qtbot, strip, 1280, 66):
        document.move([0], 2)
        strip.refresh_now()
        assert (
            document.evaluation.violations
            and strip.bound.note == "of valid plans"
            and not strip.prove.isVisible()
        )


def test_what_is_prepared_for_a_proof_is_not_called_proving(
    document: Document, proving: ProvingUnasked, qtbot: QtBot
) -> None:
    assert proving.words == ""
    proving.begin()
    worker = began(qtbot, 1)
    assert proving.words == PROVING
    worker.inbox = [Compiling(True)]
    qtbot.waitUntil(lambda: proving.words == PREPARING_PROOF, timeout=5_000)
    worker.inbox = [Compiling(False)]
    qtbot.waitUntil(lambda: proving.words == PROVING, timeout=5_000)
    worker.inbox = [Compiling(True), ending(document)]
    qtbot.waitUntil(lambda: proving.words == "", timeout=5_000)
