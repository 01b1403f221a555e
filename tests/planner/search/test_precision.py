"""Searches that are complete: what rounding leaves open is proven where that is cheap, and else said."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from planner.formats import read_models
from planner.machines.catalogue import planner
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.latency import solving as latency_solving
from planner.machines.pool.max_load import search as max_load_search
from planner.machines.spec import parse_target
from planner.machines.trying import best_of
from planner.model.graph import Graph, Op, Tensor
from planner.problem.bound import Bound
from planner.problem.problem import Problem
from planner.search.result import Result, precision_words
from planner.search.run import run
from planner.search.stop import IterationLimit
from tests.planner.cli.conftest import stageboard  # noqa: F401 - a fixture

DATA = Path(__file__).parents[2] / "data" / "precision"
CASES = [
    ("nanoseconds.json", "pool:2+0", "latency", "latency-ip", 0),
    ("picoseconds.json", "pool:1+1,memory=60", "max-load", "max-load-ip", 7),
]


def problem_of(file: str, target: str, objective: str) -> Problem:
    graph = read_models([DATA / file])
    return Problem(graph, parse_target(target, graph), objective)


@pytest.mark.parametrize(("file", "target", "objective", "name", "seed"), CASES)
def test_costs_far_apart_or_tiny_are_proven(
    file: str, target: str, objective: str, name: str, seed: int
) -> None:
    result = run(planner(name), problem_of(file, target, objective), seed=seed)
    assert result.status == "optimal" and result.complete and precision_words(result) == ""


@pytest.mark.parametrize(("file", "target", "objective", "name", "seed"), CASES)
def test_what_is_not_proven_is_told(
    file: str, target: str, objective: str, name: str, seed: int, monkeypatch: pytest.MonkeyPatch,
    stageboard: Any,  # noqa: F811
) -> None:  # fmt: skip
    # As if a second look over finer integers were too dear.
    monkeypatch.setattr(latency_solving, "FINE", 10**6)
    monkeypatch.setattr(max_load_search, "COARSE", 10**6)
    monkeypatch.setattr(max_load_search, "FINE", 10**6)
    arguments = [
        "--target",
        target,
        "--objective",
        objective,
        "--planner",
        name,
        "--seed",
        str(seed),
        "--prove",
        "off",
    ]
    ran = stageboard("plan", str(DATA / file), *arguments, "--json")
    assert ran.json["status"] == "feasible" and 0.0 < ran.json["gap"] < 1e-4
    assert ran.json["precision"].startswith("search complete: optimal within the solver's precision (gap ")
    assert ran.json["precision"] in stageboard("plan", str(DATA / file), *arguments).out


def test_a_search_that_was_cut_short_is_not_complete() -> None:
    result = run(planner("max-load-ip"), problem_of(*CASES[1][:3]), IterationLimit(0), seed=7)
    assert not result.complete and precision_words(result) == ""


def row_result(value: float, **changes: Any) -> Result:
    ops = [Op(f"o{i}", f"o{i}", work=1.0, work_cpu=1.0) for i in range(2)]
    problem = Problem(Graph.build("row", ops, [Tensor("o0", ("o1",), 0.0, 0.0)], time_unit="s"), Pipeline(2))
    bounds: tuple[Bound, ...] = (problem.bound("bottleneck", value, "mtpp-mip", frozenset()),)
    result = Result(
        "mtpp-mip", problem, np.array([0, 1], np.int32), 1.0, bounds, "feasible", "finished", 0.0, 0, {}, 1,
        components=(1.0,), complete=True,
    )  # fmt: skip
    return replace(result, **changes)


def test_only_a_small_gap_of_a_complete_search_is_precision() -> None:
    assert precision_words(row_result(1 - 2e-6)) == (
        "search complete: optimal within the solver's precision (gap 2e-06)"
    )
    assert precision_words(row_result(0.98)) == precision_words(row_result(1 - 2e-6, complete=False)) == ""
    assert precision_words(row_result(1 - 2e-6, bounds=())) == ""
    assert precision_words(row_result(1 - 2e-6, components=None)) == ""
    quick = row_result(0.5, planner="slice", complete=False)
    assert best_of([quick, row_result(1 - 2e-6)]).complete
