"""A plan's search is run again from its provenance, also after a trip through a file; files are read without belief."""

from __future__ import annotations

import base64
import json
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from planner import __version__
from planner.cli import main
from planner.errors import PlanError, StageboardError
from planner.formats import read_graph
from planner.formats.graphs.stageboard_json import write
from planner.machines.catalogue import planner
from planner.machines.pool.target import DevicePool
from planner.machines.two_level_memory.problem import NetworkProblem
from planner.plan_files.order_json import open_network_plan
from planner.plan_files.plan_json import open_plan, write_plan
from planner.plan_files.search_json import MOST_VALUES, packed, search_dict, search_of
from planner.problem.base import decision_of
from planner.problem.problem import Problem
from planner.problem.provenance import Adoption, Entrant, Origin, Provenance, RaceRecord, provenance_of
from planner.runs.replay import incumbents_of, replay, why_uncertain
from planner.search.run import plan_of, run
from planner.search.search import Shared
from planner.search.stop import Cancel, IterationLimit
from tests.planner.runs.race.examples import PROBLEMS, chain_plan, layered, pipeline

PLANNED = [
    ("anneal", "pipeline", {"rounds": 2, "moves": 200, "orders": 5}),
    ("brkga", "stage time", {"generations": 4, "population": 10}),
    ("local-search", "in any shape", {"restarts": 3}),
    ("ideals-dp", "contiguous", {}),
    ("latency-ip", "latency", {"runs": 2, "moves": 200, "solver": "none"}),
    ("edge-tpu-ilp", "bytes", {}),
    ("edge-tpu-fastest", "inference time", {}),
    ("chip-local-search", "chips", {"rounds": 1, "moves": 50, "orders": 2}),
    ("chip-anneal", "chips", {"samples": 40}),
    ("chip-learned", "chips", {"samples": 40, "mode": "fine-tune"}),
    ("connection-reordering", "network", {"iterations": 20_000}),
]


def planned(name: str, kind: str, options: dict[str, Any], **more: Any) -> Any:
    problem: Any = PROBLEMS[kind]
    plan = plan_of(run(planner(name), problem, seed=7, options=options, **more))
    assert plan is not None
    return plan


@pytest.mark.parametrize(("name", "kind", "options"), PLANNED)
def test_a_plan_is_found_again_from_its_file(
    name: str, kind: str, options: dict[str, Any], tmp_path: Path
) -> None:
    plan = planned(name, kind, options)
    file = tmp_path / "a.plan.json"
    write_plan(file, plan)
    problem = plan.problem
    opened: Any = (
        open_network_plan(file, problem.network)
        if isinstance(problem, NetworkProblem)
        else open_plan(file, problem.graph)
    )
    again = replay(opened.plan)
    assert again.outcome == "identical" and again.same, again.sentence
    assert (again.result.device_of == decision_of(plan)).all()
    assert again.result.iterations <= (plan.provenance.iteration or 0) + 10_000_000
    found = incumbents_of(again)
    assert found[-1].components == plan.evaluation.values and found[-1].iteration == plan.provenance.iteration
    assert [f.iteration for f in found] == sorted(f.iteration for f in found)


@pytest.mark.parametrize("interrupted", [False, True])
def test_a_plan_from_the_command_line_is_found_again(
    interrupted: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also one whose search was ended by a second Ctrl-C, which leaves no result."""
    model, file = tmp_path / "layered.json", tmp_path / "a.plan.json"
    write(layered(), model)
    if interrupted:

        def ended(*args: Any, **more: Any) -> Any:
            result = run(*args, **more)
            if len(args) > 4:  # the search itself, not what warms it up
                raise KeyboardInterrupt
            return result

        monkeypatch.setattr("planner.search.run.run", ended)
    arguments: list[object] = [
        "plan",
        model,
        "--target",
        "pipeline:4",
        "--planner",
        "anneal",
        "--seed",
        "7",
        "-o",
        file,
    ]
    for setting in ("rounds=2", "moves=200", "orders=5"):
        arguments += ["--set", setting]
    assert main([str(argument) for argument in arguments]) == 0
    capsys.readouterr()
    monkeypatch.undo()
    plan = open_plan(file, read_graph(model)).plan
    p = plan.provenance
    assert set(p.options) == {option.name for option in planner("anneal").options}
    assert p.version == __version__ and p.iteration is not None and p.seed == 7 and p.bounds
    again = replay(plan)
    assert again.outcome == "identical", again.sentence


def test_starts_and_adoptions_survive_the_file_and_are_repeated(tmp_path: Path) -> None:
    problem = pipeline()
    start, better = chain_plan(problem, (6, 10, 16)), chain_plan(problem, (5, 10, 15))
    shared = Shared(better, tuple(problem.evaluate(better).values), "friend")
    arrived = [[], [], [shared]]
    options = {"rounds": 2, "moves": 200, "orders": 5}
    plan = planned(
        "anneal", "pipeline", options, starts=[start], news=lambda: arrived.pop(0) if arrived else []
    )
    record = RaceRecord((Entrant("anneal", name="anneal"), Entrant("brkga", name="friend")), 0, 2, 0.05, 9.0)
    plan = replace(plan, provenance=replace(plan.provenance, race=record))
    write_plan(tmp_path / "a.json", plan)
    read = open_plan(tmp_path / "a.json", problem.graph).plan
    p = read.provenance
    assert p.race == record and (p.starts[0] == start).all() and p.iteration == plan.provenance.iteration
    assert [(a.look, a.iteration, a.by) for a in p.adopted] == [
        (a.look, a.iteration, a.by) for a in plan.provenance.adopted
    ]
    again = replay(read)
    assert again.outcome == "identical" and len(again.result.adopted) == len(p.adopted)
    assert [f.by for f in again.found if f.by not in ("", "start")] == [a.by for a in p.adopted]


def test_the_best_plan_of_its_own_is_kept_beside_a_better_start_and_found_again() -> None:
    problem: Any = PROBLEMS["chips"]
    start = decision_of(planned("chip-local-search", "chips", {"rounds": 2, "moves": 200, "orders": 4}))
    result = run(planner("chip-random"), problem, seed=3, options={"samples": 3}, starts=[start])
    own = result.own
    assert result.found_by == "start" and own is not None and not np.array_equal(own.decision, start)
    assert not problem.evaluate(own.decision).violations
    assert own.components[0] > problem.evaluate(start).objective
    origin = Origin("chip-random", result.options, 3, own.iteration, result.starts)
    plan = problem.plan(own.decision, provenance_of(origin, own.seconds, "finished"), "own")
    assert replay(plan).outcome == "identical"


def test_a_plan_changed_by_hand_differs_and_the_sentence_says_so() -> None:
    plan = planned("slice", "pipeline", {})
    other = pipeline().plan(chain_plan(pipeline(), (2, 4, 6)), plan.provenance, "")
    assert replay(other).outcome == "differs"
    assert "better plan" in replay(other).sentence


def test_another_plan_of_the_same_value_is_equal() -> None:
    plan = planned("local-search", "in any shape", {"restarts": 1})
    moved = decision_of(plan).copy()
    evaluation = plan.evaluation
    for op in range(len(moved)):
        for device in range(4):
            trial = moved.copy()
            trial[op] = device
            found = plan.problem.evaluate(trial)
            if trial[op] != moved[op] and found.valid and found.values == evaluation.values:
                again = replay(plan.problem.plan(trial, plan.provenance, ""))
                assert again.outcome == "equal" and again.same and "same value" in again.sentence
                return
    pytest.skip("no op can move for nothing")


def test_a_stopped_replay_says_so_and_other_versions_are_named() -> None:
    plan = planned("brkga", "pipeline", {})
    again = replay(plan, stop=Cancel(lambda: True))
    assert again.outcome == "differs" or again.found
    older = replace(plan.provenance, version="0.0.1")
    assert "version 0.0.1" in why_uncertain(older)
    threaded = Provenance("max-load-ip", {"workers": 4}, 0, plan.provenance.version, iteration=1)
    assert "4 threads" in why_uncertain(threaded)
    assert why_uncertain(plan.provenance) == ""
    assert "clock" in why_uncertain(Provenance("mtpp-mip", {}, 0, plan.provenance.version, iteration=1))


def test_what_no_planner_made_cannot_be_run_again() -> None:
    plan = planned("slice", "pipeline", {})
    by_hand = replace(plan, provenance=Provenance("manual", seed=1))
    with pytest.raises(StageboardError, match="no planner"):
        replay(by_hand)
    with pytest.raises(StageboardError, match="seed"):
        replay(replace(plan, provenance=replace(plan.provenance, seed=None)))


def test_a_replay_ends_past_the_iteration_of_the_plan() -> None:
    plan = planned("slice-random", "pipeline", {"orders": 100_000}, stop=IterationLimit(300))
    worse = plan.problem.plan(
        decision_of(plan), replace(plan.provenance, seed=plan.provenance.seed + 1, iteration=2), ""
    )
    again = replay(worse)
    assert again.result.iterations < 100_000


# ---------------------------------------------------------------------- files
def roundtrip(provenance: Provenance) -> dict[str, Any]:
    return search_of(json.loads(json.dumps(search_dict(provenance))), "a.json", "")


@settings(max_examples=30, deadline=None)
@given(
    st.lists(hnp.arrays(np.int32, st.integers(0, 40), elements=st.integers(-5, 2**31 - 1)), max_size=3),
    st.none() | st.integers(0, 2**40),
    st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 10**9), st.text(max_size=5)), max_size=3),
)
def test_what_is_written_is_read(starts: list[Any], iteration: int | None, adopted: list[Any]) -> None:
    given_plans = tuple(
        Adoption(look, at, np.arange(look % 7, dtype=np.int32), by) for look, at, by in adopted
    )
    provenance = Provenance("anneal", iteration=iteration, starts=tuple(starts), adopted=given_plans)
    if not search_dict(provenance):
        return
    read = roundtrip(provenance)
    assert read["iteration"] == iteration
    assert all((a == b).all() for a, b in zip(read["starts"], starts, strict=True))
    assert [(a.look, a.iteration) for a in read["adopted"]] == [(a.look, a.iteration) for a in given_plans]


def test_old_files_have_no_search_and_are_read() -> None:
    assert search_of(None, "old.json", "") == {}
    assert search_dict(Provenance("anneal", {}, 0)) == {}


def good() -> dict[str, Any]:
    plan = chain_plan(pipeline(), (5, 10, 15))
    record = RaceRecord((Entrant("anneal", name="anneal"),), 0)
    provenance = Provenance(
        "anneal", iteration=3, starts=(plan,), adopted=(Adoption(1, 2, plan, "brkga"),), race=record
    )
    return json.loads(json.dumps(search_dict(provenance)))


BOMB = base64.b64encode(zlib.compress(bytes(50_000_000), 9)).decode()
HOSTILE: dict[str, dict[str, Any]] = {
    "another format": {"format": 2},
    "no object": {"starts": [7]},
    "a list that is none": {"starts": "all"},
    "no base64": {"starts": [{"length": 2, "data": "!!"}]},
    "no zlib": {"starts": [{"length": 2, "data": "AAAA"}]},
    "too short": {"starts": [{**packed(np.zeros(3, np.int32)), "length": 4}]},
    "too long": {"starts": [{**packed(np.zeros(3, np.int32)), "length": 2}]},
    "a bomb": {"starts": [{"length": 3, "data": BOMB}]},
    "a length that nobody has": {"starts": [{"length": MOST_VALUES + 1, "data": ""}]},
    "many lengths": {"starts": [{"length": MOST_VALUES // 2, "data": ""}] * 3},
    "a negative look": {"adopted": [{"look": -1, "iteration": 0, "plan": packed(np.zeros(1, np.int32))}]},
    "a plan that is missing": {"adopted": [{"look": 1, "iteration": 0}]},
    "an iteration that is no number": {"iteration": "many"},
    "a bound of nothing": {"bounds": [{}]},
    "a finder who did not take part": {"race": {"entrants": [{"method": "anneal"}], "finder": 1}},
    "a race of nobody": {"race": {"entrants": [], "finder": 0}},
    "an entrant without a name": {"race": {"entrants": [{}], "finder": 0}},
    "half a core": {"race": {"entrants": [{"method": "anneal"}], "finder": 0, "cores": 0.5}},
}


@pytest.mark.parametrize("what", HOSTILE)
def test_files_that_are_wrong_are_refused_with_a_sentence(what: str) -> None:
    assert search_of(good(), "a.json", "")["iteration"] == 3
    with pytest.raises(PlanError, match=r"a\.json"):
        search_of({**good(), **HOSTILE[what]}, "a.json", "")


def test_more_plans_than_a_file_may_hold_are_left_out_and_nobody_takes_it_for_repeatable(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("planner.plan_files.search_json.MOST_VALUES", 10)
    start = np.zeros(11, np.int32)
    data = search_dict(Provenance("anneal", iteration=3, starts=(start,)))
    assert data["iteration"] is None and data["starts"] == []
    assert "which iteration" in why_uncertain(Provenance("anneal", seed=0, iteration=None))


def test_a_start_of_another_model_is_refused() -> None:
    plan = planned("local-search", "pipeline", {"restarts": 1})
    wrong = replace(plan, provenance=replace(plan.provenance, starts=(np.zeros(3, np.int32),)))
    with pytest.raises(StageboardError):
        replay(wrong)


def test_a_plan_by_other_numbers_of_interchangeable_devices_is_found_again() -> None:
    """As a window has it, which calls devices as its canvas does."""
    problem = Problem(layered(), DevicePool(3, 0))
    plan = plan_of(run(planner("local-search"), problem, seed=7, options={"restarts": 3}))
    assert plan is not None
    names = np.array([1, 2, 0], np.int32)
    again = replay(problem.plan(names[plan.decision.device_of], plan.provenance))
    assert again.outcome == "identical"
    assert again.sentence.endswith("its interchangeable devices by other numbers")
