"""The script that holds guides of the assignment search against one another: it runs what is missing, and prints what is there."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import pytest

import benchmarks.__main__
from benchmarks import mcm_guided
from benchmarks.mcm_guided import LEVEL, REFERENCE, Reach, graph_of, problem_of, searched, target_of
from benchmarks.mcm_runs import ANALYTICAL, COPIED
from planner.machines.mcm.learning.problems import training_problems
from planner.machines.mcm.search.local import GUIDES
from planner.machines.mcm.search.trace import trace
from planner.problem.problem import Problem

SOME = (
    "--graph",
    "resnet18",
    "--chips",
    "4",
    "--runs",
    "2",
    "--seconds",
    "0.05",
    "--reference-seconds",
    "0.1",
)


def test_tables_are_printed_from_what_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--out", str(tmp_path), *SOME]
    assert mcm_guided.main(arguments) == 0
    shown = capsys.readouterr().out
    with (tmp_path / "guided.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["guide"] for row in rows] == [*GUIDES, *GUIDES]
    assert {row["seed"] for row in rows} == {"0", "1"} and {row["chips"] for row in rows} == {"4"}
    assert all(
        (row["reached"] == "yes") == (float(row["objective"]) <= LEVEL * float(row["best_known"]))
        for row in rows
    )
    monkeypatch.setattr(mcm_guided, "searched", None)
    assert mcm_guided.main([*arguments, "--print"]) == 0
    assert capsys.readouterr().out == shown and "resnet18" in shown and "over 2 runs" in shown


def test_nothing_is_printed_of_cases_that_were_not_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert mcm_guided.main(["--out", str(tmp_path / "none"), "--print"]) == 0
    assert "resnet18" not in capsys.readouterr().out and not (tmp_path / "none").exists()


def test_a_run_ends_at_its_level_or_counts_with_all_its_seconds() -> None:
    problem = problem_of("resnet18", 4)
    curve = trace(problem, "chip-local-search", 400, 3, {"guide": "shares"})
    at = searched(problem, "shares", 3, float(curve[-1]), 60.0)
    assert at.reached and at.samples == 1 + int((curve > curve[-1]).sum()) and at.objective == curve[-1]
    assert 0 < at.cpu < 60.0
    never = searched(problem, "shares", 3, 0.0, 0.05)
    assert (never.reached, never.cpu) == (False, 0.05) and never.samples >= at.samples
    assert never.objective <= at.objective


def test_means_are_over_runs_and_cases_and_say_how_many_reach_the_level(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[tuple[str, int, float]] = []

    def given(problem: Problem, guide: str, seed: int, level: float, seconds: float) -> Reach:
        if seed == REFERENCE:
            return Reach(9, seconds, False, {"shares": 2.0, "policy": 3.0, "none": 4.0}[guide])
        asked.append((guide, seed, level))
        easy = problem.graph.n == graph_of("resnet18").n
        samples, cpu = (
            (3, 0.001) if easy else {"shares": (100, 0.4), "policy": (25, 0.8), "none": (400, 0.1)}[guide]
        )
        return Reach(samples, cpu, guide != "none" or easy or seed == 0, 2.0)

    monkeypatch.setattr(mcm_guided, "searched", given)
    monkeypatch.setattr(mcm_guided, "warm_case", lambda *_: None)
    arguments = ["--out", str(tmp_path), "--graph", "resnet18", "resnet50", "--chips", "4", "--runs", "2"]
    assert mcm_guided.main(arguments) == 0
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert "resnet18 4 3, 1.0 3, 1.0 3, 1.0" in lines
    assert "resnet50 4 100, 400.0 25, 800.0 400, 100.0 (1/2)" in lines
    assert {level for _, _, level in asked} == {LEVEL * 2.0}
    assert "the orders' cuts suffice 1 1.00 1.00 1.00 1.00" in lines
    assert "they do not 1 0.25 2.00 4.00 0.25" in lines
    assert "all 2 0.50 1.41 2.00 0.50" in lines and "sixteen graphs, 4 chips 2 0.50 1.41 2.00 0.50" in lines


def test_every_graph_has_its_machine_and_made_up_ones_are_not_those_of_training() -> None:
    assert target_of("resnet50", 36) == ANALYTICAL and target_of("bert_large", 36) == COPIED
    assert target_of("made_up_150", 12) == "mcm:12,check_memory=false"
    for name in mcm_guided.TRANSFORMERS:
        assert problem_of(name, 12).evaluator.k == 12
    trained = [problem.graph.work.tolist() for problem in training_problems(0)]
    for ops in mcm_guided.MADE_UP:
        graph = graph_of(f"made_up_{ops}")
        assert math.isclose(graph.n, ops, rel_tol=0.1) and graph.work.tolist() not in trained


def test_it_is_a_benchmark_with_options_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[list[str]] = []
    monkeypatch.setattr(mcm_guided, "main", lambda arguments: seen.append(arguments) or 0)
    assert benchmarks.__main__.main(["mcm_guided", "--runs", "1"]) == 0
    assert seen == [["--runs", "1"]]
