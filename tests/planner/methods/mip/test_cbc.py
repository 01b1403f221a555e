"""CBC, which was a solver once: the options still take it, HiGHS solves in its place, and whoever asked for it is told."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from planner.formats import read_graph
from planner.generate import regal_like
from planner.machines.catalogue import bound_methods, planners
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.machines.trying import best_of
from planner.methods.mip import mip
from planner.plan_files.plan_json import open_plan
from planner.problem.problem import Problem
from planner.reports.certificate.certificate import certificate
from planner.runs.race import Entrant, Race
from planner.runs.replay import replay
from planner.runs.sweep.execute import perform
from planner.runs.sweep.spec import Run, made_up
from planner.search.method import Planner
from planner.search.result import Result
from planner.search.run import run, run_bound
from planner.search.search import Callbacks, Search
from planner.search.stop import Never
from tests.planner.cli.conftest import stageboard  # noqa: F401 - a fixture
from tests.planner.runs.race.examples import pipeline

WRITTEN = Path(__file__).parents[3] / "data" / "written" / "0.1.0"
MODEL, SAVED = WRITTEN / "models" / "chain.json", WRITTEN / "plans" / "pipeline_cbc.plan.json"
METHODS = {
    name: method
    for name, method in {**planners(), **bound_methods()}.items()
    if any("cbc" in option.choices for option in method.options)
}


def ended(name: str, **options: Any) -> Result:
    method = METHODS[name]
    target = DevicePool(2, 1) if "pool" in method.targets else Pipeline(3)
    problem = Problem(regal_like.generate(3, {"nodes": 10}), target)
    if "rounds" in {option.name for option in method.options}:
        options["rounds"] = 0
    if isinstance(method, Planner):
        return run(method, problem, options=options)
    return run_bound(method, problem, options=options)  # type: ignore[arg-type]


def test_the_same_methods_take_it_as_ever() -> None:
    assert set(METHODS) == {"mtpp-mip", "max-load-ip", "bottleneck", "bottleneck-guess", "exact", "ip"}
    assert mip.CHOICES == ("highs", "scip", "cbc")


@pytest.mark.parametrize("solver", [*mip.SOLVERS, "auto", "cp-sat", "none"])
def test_other_solvers_are_as_they_are_asked_for(solver: str) -> None:
    problem = Problem(regal_like.generate(3, {"nodes": 4}), Pipeline(2))
    search = Search(problem, Never(), Callbacks(), 1, {"solver": solver})
    assert mip.solver_of(search) == solver and search.message == ""


@pytest.mark.parametrize("name", sorted(METHODS))
def test_highs_solves_in_its_place(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    solve = mip.solve

    def watched(*args: Any, **more: Any) -> Any:
        asked.append(more["solver"])
        return solve(*args, **more)

    monkeypatch.setattr(mip, "solve", watched)
    result = ended(name, solver="cbc")
    assert set(asked) == {"highs"}
    assert result.message == mip.INSTEAD == "solver=cbc runs on HiGHS, as Stageboard no longer uses CBC"
    assert result.options["solver"] == "cbc"
    same = ended(name, solver="highs")
    assert same.message == "" and same.objective == pytest.approx(result.objective)
    # How many bounds come on the way is a matter of the clock.
    assert max(b.value for b in same.bounds) == pytest.approx(max(b.value for b in result.bounds))


def test_the_command_line_says_so(stageboard: Any) -> None:  # noqa: F811
    words = ["--target", "pipeline:2", "--set"]
    for chosen in (["plan", MODEL, "--planner", "mtpp-mip"], ["bound", MODEL, "--method", "exact"]):
        assert stageboard(*chosen, *words, "solver=cbc", "--json").json["message"] == mip.INSTEAD
        assert mip.INSTEAD in stageboard(*chosen, *words, "solver=cbc").out
        assert "message" not in stageboard(*chosen, *words, "solver=highs", "--json").json
        assert "HiGHS" not in stageboard(*chosen, *words, "solver=highs").out


def test_a_plan_saved_when_it_was_a_solver_is_found_again(stageboard: Any) -> None:  # noqa: F811
    plan = open_plan(SAVED, read_graph(MODEL)).plan
    assert plan.provenance.options["solver"] == "cbc"
    again = replay(plan)
    assert again.outcome == "identical" and again.sentence.endswith(f"; {mip.INSTEAD}")
    ran = stageboard("replay", MODEL, SAVED)
    assert ran.status == 0 and again.sentence in ran.out
    assert "highspy" in certificate(plan).versions


def test_a_sweep_says_so_in_its_row() -> None:
    row = perform(
        Run(made_up("regal-like", 1, {"nodes": 8}), "pipeline:2", "mtpp-mip", options=(("solver", "cbc"),))
    )
    assert row["status"] in ("feasible", "optimal") and row["message"] == mip.INSTEAD


def test_a_race_says_so_of_the_entrant() -> None:
    race = Race(pipeline(), [Entrant("mtpp-mip", options={"solver": "cbc", "split": 0.0})])
    race.start()
    limit = time.monotonic() + 60
    try:
        while not race.ended:
            assert time.monotonic() < limit
            race.poll(0.1)
    finally:
        race.close()
    (standing,) = race.standings
    assert standing.objective is not None and standing.reason == mip.INSTEAD


def test_it_is_said_of_several_tries_whichever_found_the_plan() -> None:
    asked, other = ended("mtpp-mip", solver="cbc"), ended("mtpp-mip", solver="highs")
    assert best_of([asked, other]).message == best_of([other, asked]).message == mip.INSTEAD
