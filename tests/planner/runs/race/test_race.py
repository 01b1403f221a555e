"""The engine: who runs when, who is told what, whose find counts as whose, and how a race ends."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Generator
from itertools import count
from multiprocessing import active_children
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from planner.errors import PlannerRefusal
from planner.problem.provenance import Adoption
from planner.runs.messages import Adopted, Begun, Failed, Incumbent, Proven, Told
from planner.runs.race import (
    Better,
    Entrant,
    Event,
    Paused,
    Race,
    RaceEnded,
    Refused,
    Resumed,
    Started,
    good_field,
    runner,
    serving,
)
from planner.runs.race.field import EXACT, QUICK, SEARCHING
from planner.runs.replay import replay
from planner.search.search import Shared
from tests.planner.runs.race.examples import PROBLEMS, FakeWorker, chain_plan, ended, pipeline

PATIENCE = 60.0
GOOD, FAIR, POOR = (5, 10, 15), (6, 10, 16), (2, 4, 6)


@pytest.fixture
def fakes(monkeypatch: pytest.MonkeyPatch) -> type[FakeWorker]:
    monkeypatch.setattr(runner, "Worker", FakeWorker)
    monkeypatch.setattr(runner, "BETWEEN_PLANS", 0.0)
    FakeWorker.script, FakeWorker.made, FakeWorker.holds = {}, [], True
    return FakeWorker


@pytest.fixture(autouse=True)
def no_process_is_left() -> Generator[None]:
    yield
    assert active_children() == []


def values(ends: tuple[int, ...]) -> tuple[float, ...]:
    problem = pipeline()
    return tuple(problem.evaluate(chain_plan(problem, ends)).values)


def plan(ends: tuple[int, ...], seconds: float = 1.0, by: str = "", warm: bool = False) -> Incumbent:
    return Incumbent(chain_plan(pipeline(), ends), values(ends)[0], seconds, values(ends), 3, by, warm)


def proof(value: float) -> Proven:
    return Proven(pipeline().bound("bottleneck", value, "slice", frozenset()), 1.0)


def names(*methods: str) -> list[Entrant]:
    return [Entrant(method) for method in methods]


def race(*methods: str, **settings: Any) -> Race:
    made = Race(pipeline(), names(*methods), **{"cores": 2, **settings})
    made.start()
    return made


def poll(race: Race, times: int = 1) -> list[Event]:
    return [event for _ in range(times) for event in race.poll()]


# ---------------------------------------------------------------------- sharing
def test_the_values_of_these_plans_tell_them_apart() -> None:
    assert values(GOOD) < values(FAIR) < values(POOR)
    for ends in (GOOD, FAIR, POOR):
        assert pipeline().evaluate(chain_plan(pipeline(), ends)).valid


def test_a_better_plan_is_passed_on_to_the_others_and_counts_as_the_finders(fakes: type[FakeWorker]) -> None:
    fakes.script = {"anneal": [[Begun(), plan(FAIR)], [plan(GOOD)]], "brkga": [[Begun(), plan(POOR)]]}
    r = race("anneal", "brkga")
    events = poll(r, 2)
    anneal, brkga = fakes.made
    assert [e.index for e in events if isinstance(e, Better)] == [0, 1, 0]
    assert [type(told) for told in brkga.told] == [Shared, Shared] and anneal.told == []
    assert brkga.told[-1].by == "anneal" and brkga.told[-1].components == values(GOOD)
    assert (
        r.best is not None
        and r.best.by == 0
        and [v for _, v in r.history_best] == [values(FAIR)[0], values(GOOD)[0]]
    )
    # What it took over is not its own.
    assert r.standings[1].components == values(POOR) and r.ranking()[0] is r.standings[0]
    r.close()


def test_taking_over_is_no_improvement_and_says_from_whom(fakes: type[FakeWorker]) -> None:
    decision = chain_plan(pipeline(), FAIR)
    fakes.script = {
        "anneal": [[Begun(), plan(FAIR)]],
        "brkga": [
            [Begun(), plan(POOR)],
            [Adopted(Adoption(4, 9, decision, "anneal"), 1.0)],
            [plan(GOOD, 2.0, "", True)],
        ],
    }
    r = race("anneal", "brkga")
    poll(r, 3)
    taker = r.standings[1]
    assert taker.warmed_by == (0,) and [(t.by, t.iteration) for t in taker.adopted] == [(0, 9)]
    assert [v for _, v in taker.history] == [values(POOR)[0], values(GOOD)[0]]
    made = r.plan()
    assert made.provenance.planner == "brkga" and [a.look for a in made.provenance.adopted] == [4]
    assert made.provenance.race is not None and made.provenance.race.finder == 1
    assert r.plan(0).provenance.adopted == ()
    r.close()


def test_who_starts_later_begins_with_the_best_plan_and_all_bounds(fakes: type[FakeWorker]) -> None:
    fakes.script = {
        "slice-random": [[Begun(), plan(FAIR), proof(1.0)], [ended_of("slice-random")]],
        "brkga": [[Begun(), plan(FAIR, 1.0, "start", True)]],
    }
    r = race("slice-random", "brkga", cores=1)
    poll(r, 3)
    order = fakes.made[1].order
    assert (
        order is not None
        and (order.starts[0] == chain_plan(pipeline(), FAIR)).all()
        and len(order.bounds) == 1
    )
    late = r.standings[1]
    assert late.components is None and late.warmed_by == (0,), "what it was given is no find"
    r.close()


def ended_of(method: str) -> Any:
    from planner.runs.messages import Order

    return ended(Order(method, pipeline()))


def test_bounds_are_passed_on_once_and_say_who_proved_them(fakes: type[FakeWorker]) -> None:
    fakes.script = {"anneal": [[Begun(), plan(GOOD)]], "slice-random": [[Begun(), proof(2.0), proof(1.0)]]}
    r = race("anneal", "slice-random")
    poll(r)
    assert [told for told in fakes.made[0].told if not isinstance(told, Shared)] == [proof(2.0).bound]
    assert r.proved_by == 1 and r.bound is not None and r.bound.value == 2.0
    assert r.gap == pytest.approx((values(GOOD)[0] - 2.0) / values(GOOD)[0])
    assert r.standings[1].bound is not None and r.standings[0].bound is None
    r.close()


# ---------------------------------------------------------------------- the end
def test_the_race_ends_at_the_gap_of_the_best_plan_and_the_strongest_bound_of_all(
    fakes: type[FakeWorker],
) -> None:
    value = values(GOOD)[0]
    fakes.script = {"anneal": [[Begun(), plan(GOOD)]], "slice-random": [[Begun()], [proof(0.96 * value)]]}
    r = race("anneal", "slice-random", "brkga", gap=0.05)
    events = poll(r, 4)
    assert r.ended and r.outcome == "gap"
    assert all(worker.finished for worker in fakes.made)
    last = events[-1]
    assert isinstance(last, RaceEnded) and last.index == 0 and "anneal found" in last.sentence
    assert "slice-random proved" in last.sentence and "gap ≤ 4.0 %" in last.sentence
    assert {s.ending for s in r.standings} == {"gap"}


def test_a_proof_by_one_of_the_plan_of_another_ends_the_race_as_proven(fakes: type[FakeWorker]) -> None:
    fakes.script = {"anneal": [[Begun(), plan(GOOD)]], "slice-random": [[Begun(), proof(values(GOOD)[0])]]}
    r = race("anneal", "slice-random")
    poll(r, 3)
    assert r.outcome == "proven" and r.gap == 0.0 and {s.ending for s in r.standings} == {"proven"}


def test_an_infinite_bound_says_that_there_is_no_plan(fakes: type[FakeWorker]) -> None:
    fakes.script = {"slice-random": [[Begun(), proof(float("inf"))]]}
    r = race("slice-random", "anneal")
    poll(r, 3)
    assert r.outcome == "infeasible" and r.plan() is None and "slice-random proved it" in r.sentence


def test_a_cancel_ends_all_and_keeps_what_was_found(fakes: type[FakeWorker]) -> None:
    fakes.script = {"anneal": [[Begun(), plan(GOOD)]]}
    r = race("anneal", "slice-random", "brkga")
    poll(r)
    r.cancel()
    poll(r, 2)
    assert r.ended and r.outcome == "cancelled" and r.plan().objective == values(GOOD)[0]
    assert [s.ending for s in r.standings] == ["cancelled"] * 3


def test_one_entrant_can_be_stopped(fakes: type[FakeWorker]) -> None:
    fakes.script = {"anneal": [[Begun()]], "slice-random": [[Begun()]]}
    r = race("anneal", "slice-random", "brkga")
    poll(r)
    r.stop(0)
    r.stop(2)
    poll(r, 2)
    assert [s.state for s in r.standings] == ["ended", "running", "ended"] and not r.ended
    r.close()
    assert r.ended and r.sentence.startswith("Stopped")


def test_a_process_that_fails_loses_nothing_and_others_go_on(fakes: type[FakeWorker]) -> None:
    fakes.script = {
        "anneal": [[Begun(), plan(GOOD)], [Failed("it broke", "Traceback")]],
        "slice-random": [[Begun()]],
    }
    r = race("anneal", "slice-random")
    poll(r, 2)
    broken = r.standings[0]
    assert (
        broken.ending == "failed"
        and broken.reason == "it broke"
        and broken.detail
        and broken.components == values(GOOD)
    )
    assert not r.ended and r.plan().objective == values(GOOD)[0]
    r.close()


def test_who_does_not_serve_is_refused_with_the_reason_and_the_rest_races(fakes: type[FakeWorker]) -> None:
    r = race("chip-anneal", "slice-random")
    events = poll(r)
    assert [e.reason for e in events if isinstance(e, Refused)] == [r.refusals[0]]
    assert r.standings[0].ending == "refused" and [w.order.method for w in fakes.made if w.order] == [
        "slice-random"
    ]
    r.close()


def test_a_field_of_nobody_an_unknown_name_and_a_wrong_option_are_refused() -> None:
    for entrants in ([], names("anneel"), [Entrant("anneal", options={"round": 1})]):
        with pytest.raises(PlannerRefusal):
            Race(pipeline(), entrants)


def test_the_plan_that_a_race_was_given_is_nobodys_find(fakes: type[FakeWorker]) -> None:
    given = chain_plan(pipeline(), GOOD)
    r = race("anneal", "slice-random", starts=[given])
    assert r.best is not None and r.best.by == -1
    assert r.plan().provenance.planner == "given" and "nobody was better" not in r.sentence
    r.close()
    assert "nobody was better than the plan given" in r.sentence


# ---------------------------------------------------------------------- cores
def test_no_more_run_than_there_are_cores_and_the_next_begins_when_one_ends(fakes: type[FakeWorker]) -> None:
    fakes.script = {"slice-random": [[Begun(), ended_of("slice-random")]]}
    r = race("slice-random", "anneal", "brkga", cores=1)
    assert len(fakes.made) == 1
    events = poll(r)
    assert [type(e) for e in events if isinstance(e, Started)] == [Started, Started] and len(fakes.made) == 2
    r.close()


def test_who_has_had_a_turn_is_held_for_who_waits(
    fakes: type[FakeWorker], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("planner.runs.race.turns.FIRST_TURN", 0.0)
    monkeypatch.setattr("planner.runs.race.turns.GROWTH", 0.0)
    ticks = count()
    monkeypatch.setattr(runner, "time", SimpleNamespace(perf_counter=lambda: 0.01 * next(ticks)))
    fakes.script = {"anneal": [[Begun()]], "brkga": [[Begun()]], "slice-random": [[Begun(), plan(GOOD)]]}
    r = race("anneal", "brkga", "slice-random", cores=2)
    events = poll(r, 8)
    assert any(isinstance(e, Paused) for e in events) and any(isinstance(e, Resumed) for e in events)
    running = [s for s in r.standings if s.state == "running"]
    assert len(running) <= 2 and len(fakes.made) == 3, "nobody began anew"
    held = next(w for w in fakes.made if w.paused)
    told = len(held.told)
    poll(r, 3)
    assert not held.paused or len(held.told) == told
    r.close()


def test_a_solver_with_threads_counts_as_so_many(fakes: type[FakeWorker]) -> None:
    r = Race(
        PROBLEMS["in any shape"],
        [Entrant("max-load-ip", options={"workers": 8}), Entrant("local-search")],
        cores=2,
    )
    assert [s.threads for s in r.standings] == [2, 1]
    assert r.standings[0].entrant.options["workers"] == 2
    r.start()
    assert len(fakes.made) == 1
    r.close()
    alone = Race(PROBLEMS["in any shape"], [Entrant("max-load-ip")], cores=3)
    assert alone.standings[0].threads == 3


def test_names_of_entrants_are_unique() -> None:
    r = Race(pipeline(), [Entrant("anneal"), Entrant("anneal", seed=1), Entrant("two-superblock", True)])
    assert [s.name for s in r.standings] == ["anneal", "anneal 2", "two-superblock (bound)"]


def test_who_is_quick_goes_first_and_alone_and_the_others_begin_with_its_plan(
    fakes: type[FakeWorker],
) -> None:
    fakes.script = {"slice": [[Begun()], [plan(FAIR)], [ended_of("slice")]]}
    r = race("anneal", "slice", "brkga", cores=2)
    poll(r)
    assert [w.order.method for w in fakes.made if w.order] == ["slice"]
    assert [s.state for s in r.standings] == ["queued", "running", "queued"]
    poll(r, 2)
    assert [w.order.method for w in fakes.made if w.order] == ["slice", "anneal", "brkga"]
    assert all((w.order.starts[0] == chain_plan(pipeline(), FAIR)).all() for w in fakes.made[1:] if w.order)
    r.close()


@pytest.mark.parametrize("why", ["it ends without", "it takes long", "there is one already", "it is stopped"])
def test_nobody_waits_longer_for_a_first_plan(
    why: str, fakes: type[FakeWorker], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("planner.runs.race.turns.OPENING", 0.0 if why == "it takes long" else 1e9)
    if why == "it ends without":
        fakes.script = {"slice": [[Begun(), ended_of("slice")]]}
    starts = [chain_plan(pipeline(), FAIR)] if why == "there is one already" else []
    r = race("slice", "anneal", cores=2, starts=starts)
    if why == "it is stopped":
        r.stop(0)
    poll(r, 2)
    assert [w.order.method for w in fakes.made if w.order] == ["slice", "anneal"]
    r.close()


@pytest.mark.parametrize("kind", PROBLEMS)
def test_a_short_race_has_a_smaller_field(kind: str) -> None:
    problem = PROBLEMS[kind]
    full = good_field(problem)
    sizes = [len(good_field(problem, cores=2, time_limit=seconds)) for seconds in (0.1, 5.0, 10.0, 25.0)]
    assert sizes == sorted(sizes) and 3 <= sizes[0] <= 4 and sizes[-1] == len(full) >= sizes[-2]
    assert (
        good_field(problem, cores=8, time_limit=10.0) == good_field(problem, cores=1, time_limit=None) == full
    )
    small = good_field(problem, cores=1, time_limit=1.0)
    assert (
        all(entrant in full for entrant in small if not entrant.is_bound)
        and sum(e.is_bound for e in small) == 1
    )
    for names in (QUICK, EXACT, SEARCHING):
        assert any(e.method in names for e in small) == any(e.method in names for e in full)


@pytest.mark.parametrize("kind", PROBLEMS)
def test_a_good_field_is_diverse_and_serves(kind: str) -> None:
    problem = PROBLEMS[kind]
    field = good_field(problem, seed=4)
    all_names = serving(problem)
    assert {e.method for e in field if not e.is_bound} <= set(all_names.planners)
    assert {e.method for e in field if e.is_bound} <= set(all_names.bounds)
    assert 3 <= len(field) <= 6 and len({(e.method, e.is_bound) for e in field}) == len(field)
    assert sum(e.is_bound for e in field) == 1 and {e.seed for e in field} == {4}
    assert "expert" not in all_names.planners


def test_who_proves_chains_at_once_takes_part_where_stages_stand_in_a_row() -> None:
    for cores, seconds in ((2, 10.0), (1, 15.0), (1, 1.0)):
        field = good_field(pipeline(), cores=cores, time_limit=seconds)
        assert "chain-dp" in {e.method for e in field}


# ---------------------------------------------------------------------- with processes
def until(race: Race, done: Any) -> list[Event]:
    seen: list[Event] = []
    limit = time.monotonic() + PATIENCE
    while not done(seen):
        assert time.monotonic() < limit, seen
        seen += race.poll(0.1)
    return seen


def test_a_real_race_is_won_and_its_plan_is_found_again() -> None:
    r = Race(
        pipeline(),
        [Entrant("slice"), Entrant("anneal", seed=2), Entrant("mtpp-cp-sat", options={"split": 0.0})],
        cores=2,
    )
    r.start()
    try:
        until(r, lambda seen: r.ended)
    finally:
        r.close()
    assert r.outcome == "proven" and r.gap == 0.0
    best = r.plan()
    assert best.evaluation.valid and best.evaluation.values == r.best.components
    assert replay(best).outcome == "identical"


ENDLESS = {"orders": 10_000_000}


@pytest.fixture
def short_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("planner.runs.race.turns.FIRST_TURN", 0.1)


def test_a_killed_process_loses_nothing_and_held_ones_end_too(short_turns: None) -> None:
    entrants = [Entrant("slice-random", options=ENDLESS, seed=i) for i in range(2)]
    r = Race(pipeline(), entrants, cores=1)
    r.start()
    try:
        until(r, lambda seen: r.standings[0].components is not None and r.standings[1].components is not None)
        until(r, lambda seen: any(s.state == "paused" for s in r.standings))
        running = next(s.index for s in r.standings if s.state == "running")
        worker = r._runners[running].worker
        assert worker is not None
        os.kill(worker._process.pid or 0, signal.SIGKILL)
        until(r, lambda seen: r.standings[running].ending == "failed")
        assert r.standings[running].components is not None
        r.cancel()
        until(r, lambda seen: r.ended)
    finally:
        r.close()
    assert r.outcome == "cancelled" and r.plan() is not None


def test_closing_a_race_ends_held_and_running_processes(short_turns: None) -> None:
    entrants = [Entrant("slice-random", options=ENDLESS, seed=i) for i in range(2)]
    r = Race(pipeline(), entrants, cores=1)
    r.start()
    until(r, lambda seen: any(s.state == "paused" for s in r.standings))
    r.close()
    r.close()
    assert r.ended and all(not s.alive for s in r.standings)
    assert isinstance(r.poll()[-1], RaceEnded) and np.isfinite(r.seconds)


def test_progress_is_passed_on(fakes: type[FakeWorker]) -> None:
    fakes.script = {"slice": [[Begun(), Told(0.5, "half way", 1.0, 12)]]}
    r = race("slice")
    poll(r)
    assert (r.standings[0].fraction, r.standings[0].text, r.standings[0].iterations) == (0.5, "half way", 12)
    r.close()
