"""What a race finds reaches list and canvas under the same policy as a job, and no process outlives the window."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from gui.background.jobs import Jobs
from gui.document.plan.document import Document
from gui.document.values import Message
from gui.tools.search.race.course import Course, Goal
from gui.tools.search.race.racing import Racing, Settings
from planner.errors import StageboardError
from planner.machines.pipeline.target import Pipeline
from planner.runs.messages import Order
from planner.runs.race import Entrant
from tests.gui.models import chain_graph
from tests.gui.tools.search.race.fake_race import FakeRace
from tests.gui.window_parts import know_little

pytestmark = pytest.mark.usefixtures("qapp")

THIRDS = np.repeat([0, 1, 2], 4).astype(np.int32)
HALVES = np.repeat([0, 2], 6).astype(np.int32)
LATE = np.array([0] * 10 + [2] * 2, np.int32)
FIELD = (Entrant("anneal"), Entrant("slice"), Entrant("ideals-dp"), Entrant("simple", is_bound=True))


@pytest.fixture
def document() -> Document:
    document = Document()
    document.open_graph(chain_graph(), target=Pipeline(count=3))
    know_little(document)
    document.set_assignment(np.zeros(12, np.int32), "edit", "All on one")
    document.plan_list.take(document.plans[0])  # the start plan is better than what most tests find
    return document


@pytest.fixture
def racing(document: Document, monkeypatch: pytest.MonkeyPatch) -> Generator[Racing]:
    FakeRace.made = []
    monkeypatch.setattr("planner.runs.race.Race", FakeRace)
    racing = Racing(document)
    yield racing
    racing.close()


def begin(
    racing: Racing, entrants: Sequence[Entrant] = FIELD, from_canvas: bool = False
) -> tuple[Course, FakeRace]:
    course = racing.start(Settings(entrants, Goal(0.05, 60.0, 4), from_canvas))
    return course, FakeRace.made[-1]


def ordered(document: Document) -> list[np.ndarray]:
    """Three assignments, the worst first."""
    assert document.problem is not None
    problem = document.problem
    found = sorted((THIRDS, HALVES, LATE), key=lambda d: -problem.evaluate(d).objective)
    assert len({problem.evaluate(d).objective for d in found}) == 3
    return found


# ---------------------------------------------------------------------- following
def test_entries_count_the_search_alone(racing: Racing, document: Document) -> None:
    """Not the clock of the race, which goes on while a process is made ready and while others have their turn."""
    course, engine = begin(racing)
    worst, middle, _ = ordered(document)
    engine.finds(0, middle, 4.0, searched=0.5)
    engine.finds(1, worst, 5.0, searched=0.125)
    engine.ends("gap")
    racing.tick()
    assert [runner.entry.seconds for runner in course.runners[:2] if runner.entry is not None] == [0.5, 0.125]


def test_a_race_is_one_undo_step_whoever_leads(racing: Racing, document: Document) -> None:
    course, engine = begin(racing)
    steps = document.undo_stack.count()
    worst, middle, best = ordered(document)
    for index, plan, seconds in ((0, worst, 0.5), (1, middle, 1.0), (0, best, 2.0)):
        engine.finds(index, plan, seconds)
        racing.tick()
        assert document.device_of.tolist() == plan.tolist()
        assert document.active is course.runners[index].entry
    assert document.undo_stack.count() == steps + 1
    engine.ends("gap")
    racing.tick()
    document.undo_stack.undo()
    assert not document.device_of.any()
    document.undo_stack.redo()
    assert document.device_of.tolist() == best.tolist()
    assert document.active is course.runners[0].entry
    entry = course.runners[1].entry
    assert entry is not None and entry.device_of.tolist() == middle.tolist()


def test_every_runner_has_an_entry_with_its_provenance(racing: Racing, document: Document) -> None:
    course, engine = begin(racing)
    worst, middle, best = ordered(document)
    for index, plan in ((0, best), (1, worst), (2, middle)):
        engine.finds(index, plan)
    engine.finishes(1, "iterations")
    engine.ends("proven")
    racing.tick()
    entries = [runner.entry for runner in course.runners[:3]]
    assert all(entry is not None and entry in document.plans and not entry.running for entry in entries)
    assert [entry.device_of.tolist() for entry in entries if entry] == [
        best.tolist(),
        worst.tolist(),
        middle.tolist(),
    ]
    found = [entry.provenance for entry in entries if entry is not None]
    assert [p.planner for p in found if p] == ["anneal", "slice", "ideals-dp"]
    assert [p.stop_reason for p in found if p] == ["proven", "iterations", "proven"]
    assert course.runners[3].entry is None


def test_after_an_edit_plans_wait_in_the_list(racing: Racing, document: Document) -> None:
    course, engine = begin(racing)
    worst, _, best = ordered(document)
    engine.finds(0, worst)
    racing.tick()
    document.move([11], 1)
    mine, entry = document.device_of.tolist(), course.runners[0].entry
    engine.finds(0, best, 3.0)
    racing.tick()
    assert document.device_of.tolist() == mine
    other = course.runners[0].entry
    assert other is not None and other.device_of.tolist() == best.tolist()
    assert other is entry, "the canvas shows an entry of the user's own"
    racing.follow(True)
    assert document.device_of.tolist() == best.tolist()


def test_what_is_on_the_canvas_does_not_change_in_the_list_alone(racing: Racing, document: Document) -> None:
    """The canvas shows the first plan of a race that is not followed any more: a better one gets an entry of its own."""
    course, engine = begin(racing)
    worst, _, best = ordered(document)
    engine.finds(0, worst)
    racing.tick()
    first = course.runners[0].entry
    racing.follow(False)
    engine.finds(0, best, 2.0)
    racing.tick()
    assert document.active is first and first is not None
    assert document.device_of.tolist() == worst.tolist() == first.device_of.tolist()
    assert course.runners[0].entry is not first


def test_nothing_moves_while_the_mouse_is_held(racing: Racing, document: Document) -> None:
    _, engine = begin(racing)
    _, _, best = ordered(document)
    document.begin_preview([0])
    engine.finds(0, best)
    engine.ends("gap")
    racing.tick()
    assert not document.device_of.any()
    assert not racing.running
    assert not racing.settled, "the plan still waits to be shown"
    document.previewing.end()
    racing.tick()
    assert document.device_of.tolist() == best.tolist()
    assert racing.settled


def test_a_worse_plan_than_the_canvas_is_not_shown(racing: Racing, document: Document) -> None:
    worst, _, best = ordered(document)
    document.set_assignment(best, "edit", "Mine")
    course, engine = begin(racing, from_canvas=True)
    assert [start.tolist() for start in engine.starts] == [best.tolist()]
    engine.finds(0, worst)
    racing.tick()
    assert document.device_of.tolist() == best.tolist()
    assert course.leader is None and course.components == tuple(document.evaluation.values)
    entry = course.runners[0].entry
    assert entry is not None and entry.device_of.tolist() == worst.tolist()


def test_a_planner_that_is_started_beside_takes_the_canvas(
    document: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tests.gui.background.scripted import Scripted

    FakeRace.made = []
    monkeypatch.setattr("planner.runs.race.Race", FakeRace)
    monkeypatch.setattr("gui.background.jobs.Worker", Scripted)
    jobs = Jobs(document)
    racing = Racing(document, jobs)
    assert document.problem is not None
    first = jobs.start(Order("slice", document.problem))
    begin(racing)
    assert jobs.followed is None and racing.follows
    second = jobs.start(Order("slice", document.problem))
    assert jobs.followed is second is not first
    assert not racing.follows
    racing.close()
    jobs.close()


# ---------------------------------------------------------------------- bounds and the end
def test_bounds_go_to_the_document_with_who_proved_them(racing: Racing, document: Document) -> None:
    course, engine = begin(racing)
    _, _, best = ordered(document)
    engine.finds(0, best)
    assert document.problem is not None
    objective = document.problem.evaluate(best).objective
    known = engine.proves(3, objective * 0.9, 0.4)
    racing.tick()
    assert known in document.bounds
    assert course.gap == pytest.approx(0.1)
    assert course.prover_of(known) is course.runners[3]
    engine.proves(2, objective * 0.5, 0.6)
    racing.tick()
    assert course.bounds[-1] is known, "a weaker bound is no news"
    proof = engine.proves(2, objective, 0.8)
    engine.ends("proven")
    racing.tick()
    assert course.gap == 0.0 and course.prover_of(proof) is course.runners[2]
    assert course.winner is course.runners[0]


def test_the_end_is_told_once_and_the_timer_rests(racing: Racing, document: Document) -> None:
    told: list[Course] = []
    racing.ended.connect(told.append)
    course, engine = begin(racing)
    assert racing.running and not racing.settled
    racing.stop()
    assert engine.cancelled
    engine.ends("cancelled")
    racing.tick()
    racing.tick()
    assert told == [course]
    assert engine.closed and not racing.running and racing.settled
    assert course.outcome == "cancelled"
    racing.start(Settings(FIELD, Goal(None, None, 1)))
    assert len(racing.courses) == 2


def test_an_entrant_that_fails_is_a_message(racing: Racing, document: Document) -> None:
    said: list[Message] = []
    document.message.connect(said.append)
    _, engine = begin(racing)
    engine.finishes(1, "failed", "its process ended unexpectedly")
    engine.ends("finished")
    racing.tick()
    assert [m.level for m in said] == ["error"]
    assert "Slice" in said[0].text and "unexpectedly" in said[0].text


def test_another_model_ends_the_race(racing: Racing, document: Document) -> None:
    _, engine = begin(racing)
    document.open_graph(chain_graph(9), target=Pipeline(count=2))
    assert engine.closed and not racing.running
    assert racing.courses == [] and racing.course is None
    assert len(document.plans) == 1


def test_another_problem_keeps_the_results(racing: Racing, document: Document) -> None:
    course, engine = begin(racing)
    _, _, best = ordered(document)
    document.set_problem(Pipeline(count=4))
    before = document.device_of.tolist()
    engine.finds(0, best)
    engine.ends("time")
    racing.tick()
    assert document.device_of.tolist() == before
    entry = course.runners[0].entry
    assert entry is not None and entry in document.plans
    assert course.problem != document.problem


def test_refusals(racing: Racing, document: Document) -> None:
    with pytest.raises(StageboardError, match="nobody takes part"):
        racing.start(Settings((), Goal(None, None, 1)))
    begin(racing)
    with pytest.raises(StageboardError, match="a race is on"):
        begin(racing)
    empty = Racing(Document())
    with pytest.raises(StageboardError, match="no model is open"):
        empty.start(Settings(FIELD, Goal(None, None, 1)))


def test_a_graph_of_the_list_is_not_flooded(racing: Racing, document: Document) -> None:
    """Those who do not lead are listed a few times a second, however often they improve; the end misses none."""
    course, engine = begin(racing)
    worst, middle, best = ordered(document)
    engine.finds(0, best)
    racing.tick()
    listed: list[Any] = []
    engine.finds(1, worst)
    racing.tick()
    document.plans_changed.connect(lambda: listed.append(1))
    engine.finds(1, middle)
    racing.tick()
    assert course.runners[1].dirty and not listed
    engine.ends("gap")
    racing.tick()
    entry = course.runners[1].entry
    assert not course.runners[1].dirty and entry is not None and entry.device_of.tolist() == middle.tolist()


# ---------------------------------------------------------------------- real processes
def test_a_real_race_ends_and_leaves_nothing(document: Document, qtbot: QtBot) -> None:
    racing = Racing(document)
    course = racing.start(
        Settings((Entrant("slice"), Entrant("simple", is_bound=True)), Goal(None, 30.0, 2), False)
    )
    qtbot.waitUntil(lambda: racing.settled, timeout=30_000)
    assert course.outcome in ("finished", "proven")
    assert course.runners[0].entry in document.plans
    assert document.active is course.runners[0].entry
    assert any(bound.method == "simple" for bound in document.bounds)
    racing.close()


def test_closing_ends_what_runs(document: Document, qtbot: QtBot) -> None:
    racing = Racing(document)
    course = racing.start(Settings((Entrant("anneal"),), Goal(None, None, 1), False))
    qtbot.waitUntil(lambda: course.components is not None, timeout=30_000)
    racing.close()
    assert course.outcome == "cancelled"
    entry = course.runners[0].entry
    assert entry is not None and not entry.running
