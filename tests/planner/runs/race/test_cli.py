"""``stageboard race`` and ``stageboard replay`` as people script them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from planner.cli import main
from planner.cli.racing import SPARKS, sparkline
from planner.formats import read_graph
from planner.formats.graphs.stageboard_json import write
from planner.plan_files.plan_json import open_plan, write_plan
from planner.runs.race import good_field
from tests.planner.runs.race.examples import chain_plan, layered, pipeline

TARGET = "pipeline:4"
FIELD = [
    "--planners",
    "slice,anneal",
    "--set",
    "anneal.rounds=1",
    "--set",
    "anneal.moves=100",
    "--cores",
    "2",
]


@pytest.fixture
def model(tmp_path: Path) -> str:
    file = tmp_path / "layered.json"
    write(layered(), file)
    return str(file)


def call(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[int, str, str]:
    status = main([str(a) for a in arguments])
    streams = capsys.readouterr()
    return status, streams.out, streams.err


def test_a_race_prints_the_leaderboard_and_writes_a_plan_that_can_be_replayed(
    model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = tmp_path / "best.plan.json"
    status, out, err = call(
        capsys, "race", model, "--target", TARGET, *FIELD, "--bounds", "none", "-o", plan, "--json"
    )
    assert status == 0
    data: dict[str, Any] = json.loads(out)
    assert {line["method"] for line in data["leaderboard"]} == {"slice", "anneal"}
    assert data["leaderboard"][0]["objective"] == data["objective"] and data["valid"]
    assert data["found_by"] == data["leaderboard"][0]["name"] and data["plan_file"] == str(plan)
    assert data["stop_reason"] in ("finished", "gap") and data["sentence"]
    assert "stageboard:" in err and "found" not in json.dumps(data["devices"])
    provenance = open_plan(plan, read_graph(model)).plan.provenance
    assert provenance.race is not None and provenance.planner == data["planner"]
    status, out, _ = call(capsys, "replay", model, plan)
    assert status == 0 and "identical" in out
    status, out, _ = call(capsys, "replay", model, plan, "--json")
    again = json.loads(out)
    assert again["outcome"] == "identical" and again["objective"] == again["expected"] == data["objective"]
    assert again["incumbents"][-1]["components"] == [data["objective"]]


def test_the_text_ends_with_the_leaderboard(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    start = ["race", model, "--target", TARGET, "--planners", "slice", "--bounds", "simple", "--cores", "1"]
    status, out, _ = call(capsys, *start)
    assert status == 0
    head, _, board = out.partition("\n\n     planner")
    assert "race" in head and "slice" in board and "simple (bound)" in board


def test_who_had_no_turn_is_not_said_to_have_proven_anything(
    model: str, capsys: pytest.CaptureFixture[str]
) -> None:
    field = ["--planners", "chain-dp,anneal,local-search", "--cores", "1"]
    status, out, err = call(capsys, "race", model, "--target", TARGET, *field, "--bounds", "none")
    assert status == 0 and "optimal" in out
    board = out[out.index("found at") :].splitlines()
    state = {line.split()[1 if line.split()[0].isdigit() else 0]: line for line in board[1:] if line.strip()}
    assert "proven optimal" in state["chain-dp"]
    for name in ("anneal", "local-search"):
        assert "had no turn" in state[name] and f"{name}:" not in err


def test_a_race_begins_with_a_plan(model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    problem = pipeline()
    start = tmp_path / "start.json"
    from planner.problem.provenance import Provenance

    write_plan(start, problem.plan(chain_plan(problem, (2, 4, 6)), Provenance("manual"), "mine"))
    arguments = [
        "race",
        model,
        "--target",
        TARGET,
        "--planners",
        "slice",
        "--bounds",
        "none",
        "--start",
        start,
        "--json",
    ]
    status, out, _ = call(capsys, *arguments)
    assert status == 0 and json.loads(out)["found_by"] == "slice"
    status, _, err = call(capsys, *arguments[:3], "pipeline:3", *arguments[4:])
    assert status == 2 and "is a plan of 4 devices and pipeline:3 has 3" in err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--planners", "anneel"], "did you mean 'anneal'"),
        (["--planners", "greedy"], "choose from auto, slice,"),
        (["--planners", ","], "names nobody"),
        (["--bounds", "nothing"], "no bound method"),
        (["--planners", "anneal", "--set", "rounds=1"], "PLANNER.KEY=VALUE"),
        (["--planners", "anneal", "--set", "brkga.generations=1"], "does not take part"),
        (["--planners", "anneal", "--set", "anneal.round=1"], "no option 'round'"),
        (["--planners", "chip-anneal", "--bounds", "none"], "does not plan for"),
        (["--planners", "chip-anneal"], "does not plan for"),
        (["--cores", "0"], "from 1 to 1024"),
        (["--start", "nowhere.json"], "nowhere.json"),
    ],
)
def test_bad_usage_is_one_sentence(
    arguments: list[str], words: str, model: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out, err = call(capsys, "race", model, "--target", TARGET, *arguments)
    assert status == 2 and out == "" and err.count("\n") == 1 and words in err


def test_a_plan_that_nobody_searched_is_not_replayed(
    model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from planner.problem.provenance import Provenance

    problem = pipeline()
    file = tmp_path / "hand.json"
    write_plan(file, problem.plan(chain_plan(problem, (2, 4, 6)), Provenance("manual"), ""))
    status, out, err = call(capsys, "replay", model, file)
    assert status == 2 and out == "" and "no planner" in err


def test_a_plan_that_does_not_come_out_again_is_told_by_the_status(
    model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from planner.problem.provenance import Provenance

    problem = pipeline()
    file = tmp_path / "claimed.json"
    claimed = Provenance("slice", {}, 0, iteration=0)
    write_plan(file, problem.plan(np.zeros(problem.graph.n, np.int32), claimed, ""))
    status, out, _ = call(capsys, "replay", model, file)
    assert status == 1 and "better plan" in out


def test_all_who_can_take_part() -> None:
    import argparse

    from planner.cli.race import entrants_of
    from planner.runs.race import serving

    args = argparse.Namespace(planners="all", bounds=None, settings=[], seed=3, time_limit=None)
    field = entrants_of(args, pipeline())
    assert [e.method for e in field if not e.is_bound] == list(serving(pipeline()).planners)
    args = argparse.Namespace(planners=None, bounds=None, settings=[], seed=3, time_limit=None)
    assert entrants_of(args, pipeline()) == good_field(pipeline(), 3)
    args.time_limit = 5.0
    assert entrants_of(args, pipeline(), 2) == good_field(pipeline(), 3, 2, 5.0) != good_field(pipeline(), 3)


def test_a_sparkline_falls_as_plans_get_better() -> None:
    line = sparkline([(2.0, 9.0), (6.0, 5.0), (9.0, 1.0)], 10.0, (1.0, 9.0), 10)
    assert line[0] == " " and line[2] == SPARKS[-1] and line[-1] == SPARKS[0]
    assert sparkline([], 0.0, (0.0, 0.0), 4) == "    "
