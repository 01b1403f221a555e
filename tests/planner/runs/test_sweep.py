"""Sweeps: what is run, what is skipped, and that nothing is lost or left behind."""

from __future__ import annotations

import builtins
import itertools
import json
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from planner.cli import main
from planner.errors import StageboardError
from planner.formats.graphs.stageboard_json import write
from planner.formats.networks.npz import write_network
from planner.generate.catalogue import generate_network
from planner.machines.two_level_memory.problem import NetworkProblem
from planner.model.graph import Graph, Op, Tensor
from planner.problem.problem import Problem
from planner.runs.sweep import execute
from planner.runs.sweep.execute import perform, perform_all, perform_apart, perform_on_cluster, problem_of
from planner.runs.sweep.results import COLUMNS, Results
from planner.runs.sweep.spec import Run, made_up, read_sweep

ROOT = Path(__file__).resolve().parents[3]
SMALL = made_up("regal-like", 1, {"nodes": 8})


def sweep(folder: Path, text: str) -> str:
    path = folder / "sweep.toml"
    path.write_text(text)
    return str(path)


def test_every_combination_is_a_run(tmp_path: Path) -> None:
    (tmp_path / "b.json").touch()
    (tmp_path / "a.json").touch()
    path = sweep(
        tmp_path,
        """
        models = ["*.json"]
        targets = ["pipeline:2"]
        planners = ["slice", { name = "slice-random", set = { orders = 3 } }]
        bounds = ["simple"]
        seeds = [4, 5]
        time_limit = 2
        [[generate]]
        kind = "regal-like"
        seeds = 2
        set = { nodes = 9 }
        """,
    )
    runs = read_sweep(path)
    assert list(dict.fromkeys(r.model for r in runs)) == [
        "a.json", "b.json", "regal-like:seed=0,nodes=9", "regal-like:seed=1,nodes=9",
    ]  # fmt: skip
    assert len(runs) == 4 * (1 + 2 * 2)
    assert runs[3] == Run(
        "a.json", "pipeline:2", "slice-random", options=(("orders", "3"),), seed=4, time_limit=2.0
    )


def test_a_model_is_planned_with_estimates_and_with_profiles_of_it(tmp_path: Path) -> None:
    """Each is a run of its own, and a row; profiles of single devices count for them alone."""
    ops = "abcdefgh"
    links = [Tensor(a, (b,), 1e6) for a, b in itertools.pairwise(ops)]
    write(Graph.build("g", [Op(op, op, "Conv", macs=1e9) for op in ops], links), tmp_path / "model.json")
    (tmp_path / "times.csv").write_text("op,seconds\n" + "".join(f"{op},0.5\n" for op in ops))
    (tmp_path / "fast.csv").write_text("op,seconds\n" + "".join(f"{op},0.25\n" for op in ops))
    runs = read_sweep(
        sweep(
            tmp_path,
            """
            models = [
                "model.json",
                { file = "model.json", times = ["times.csv"] },
                { file = "*.json", times = ["times.csv", "1=fast.csv"] },
            ]
            targets = ["pipeline:2"]
            planners = ["one-device"]
            """,
        )
    )
    assert [run.times for run in runs] == [(), ("times.csv",), ("times.csv", "1=fast.csv")]
    _, measured, apart = (problem_of(run, str(tmp_path)) for run in runs)
    assert isinstance(measured, Problem) and isinstance(apart, Problem)
    assert measured.evaluate(np.zeros(8, np.int32)).work[0] == 4.0
    assert apart.evaluate(np.ones(8, np.int32)).work.tolist() == [0.0, 2.0]
    results = Results(tmp_path / "r.csv")
    for run in runs[:2]:
        outcome = perform_apart(run, str(tmp_path))
        assert outcome["status"] in {"feasible", "optimal"}, outcome
        results.add(run, outcome)
    assert Results(tmp_path / "r.csv").missing(runs) == runs[2:]
    assert [row["model"] for row in results.rows] == ["model.json", "model.json times=times.csv"]
    wrong = perform(Run("model.json", "pipeline:2", "slice", times=("2=fast.csv",)), str(tmp_path))
    assert wrong["status"] == "error" and "no device '2'" in wrong["message"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("models = ", "not a valid TOML file"),
        ('models = ["a"]\nplanners = ["slice"]', "names no targets"),
        ('targets = ["pipeline:2"]\nplanners = ["slice"]', "names no models"),
        ('models = ["a"]\ntargets = ["pipeline:2"]', "names no planners"),
        ('models = ["a"]\nmodel = 3', "has a field 'model', which is not known; the fields are bounds, gap"),
        (
            "models = [3]",
            "model number 1 is 3; it must be text that is not empty or { file = ..., times = [...] }",
        ),
        ('models = ["*.nothing"]\ntargets = ["pipeline:2"]', "there are none"),
        (
            'models = ["a"]\ntargets = ["p"]\nplanners = [3]',
            "planner number 1 is 3; it must be a name or { name",
        ),
        (
            'models = ["a"]\ntargets = ["p"]\nplanners = ["x"]\nseeds = [-1]',
            "entry number 1 of seeds is -1; it must be a whole number from 0",
        ),
        (
            'models = ["a"]\ntargets = ["p"]\nplanners = ["x"]\ntime_limit = 0',
            "time_limit is 0; it must be a number above 0 and at most 1e+09",
        ),
        ('models = ["a"]\ntargets = ["p"]\nplanners = ["x"]\ngranularity = "block"', "granularity"),
        ('[[generate]]\nkind = "mesh"', "no kind of graph 'mesh'"),
        ("generate = 3", "generate is 3; it must be a list of tables, each under [[generate]]"),
        ("seeds = []", "seeds is []; it must be how many, or a list of whole numbers from 0"),
    ],
)
def test_a_bad_file_is_one_sentence(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(StageboardError, match=re.escape(said)):
        read_sweep(sweep(tmp_path, text))


def test_the_file_in_the_documentation_can_be_read(tmp_path: Path) -> None:
    block = re.search(
        r"^```toml\n(.*?)^```", (ROOT / "docs/command-line.md").read_text(), re.DOTALL | re.MULTILINE
    )
    assert block is not None
    (tmp_path / "sample_models").symlink_to(ROOT / "sample_models")
    assert len(read_sweep(sweep(tmp_path, block[1]))) > 100


# ---------------------------------------------------------------------- results
def test_rows_are_kept_and_a_torn_one_is_dropped(tmp_path: Path) -> None:
    file = tmp_path / "r.csv"
    first, second = Run(SMALL, "pipeline:2", "slice"), Run(SMALL, "pipeline:2", "slice", seed=1)
    results = Results(file)
    results.add(first, {"status": "feasible", "objective": 0.1, "message": "two\nlines, one cell"})
    whole = file.read_bytes()
    file.write_bytes(whole + b"plan,regal-like:seed=1,pipe")
    again = Results(file)
    assert file.read_bytes() == whole
    assert again.has(first) and again.missing([first, second]) == [second]
    assert again.rows[0]["message"] == "two lines, one cell" and again.rows[0]["objective"] == "0.1"


def test_a_file_that_is_none_of_ours_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "r.csv"
    file.write_text("a,b\n1,2\n")
    with pytest.raises(StageboardError, match="no result of a sweep"):
        Results(file)
    assert file.read_text() == "a,b\n1,2\n"
    file.write_text("kind,mo")
    assert Results(file).rows == [] and file.read_text() == ",".join(COLUMNS) + "\n"


# ---------------------------------------------------------------------- runs
def test_one_run_says_what_came_of_it(tmp_path: Path) -> None:
    plan = perform(Run(SMALL, "pipeline:2", "slice", time_limit=5.0, gap=0.5))
    assert plan["status"] in {"feasible", "optimal"} and plan["ops"] == 8 and plan["bound_method"] == "simple"
    assert plan["objective"] >= plan["lower_bound"]
    bound = perform(Run(SMALL, "pipeline:2", "simple", is_bound=True))
    assert bound["status"] == "proven" and bound["lower_bound"] == plan["lower_bound"]
    assert perform(Run(SMALL, "pool:2+1", "slice"))["status"] == "refused"
    assert perform(Run(SMALL, "pipeline:2", "slice", granularity="layer"))["status"] == "refused"
    assert perform(Run("missing.json", "pipeline:2", "slice"), str(tmp_path))["status"] == "error"
    assert perform(Run("regal-like:seed=x", "pipeline:2", "slice"))["status"] == "error"


def test_a_process_that_dies_or_never_ends_is_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    run = Run(SMALL, "pipeline:2", "slice", time_limit=0.01)
    monkeypatch.setattr(sys, "executable", "/bin/false")
    assert perform_apart(run)["status"] == "error"
    monkeypatch.undo()
    monkeypatch.setattr(execute, "GRACE", 0.0)
    assert perform_apart(run)["message"] == "it did not end in time"
    assert perform_apart(run, stopping=lambda: True)["status"] == "stopped"


def test_closing_ends_what_runs() -> None:
    outcomes = perform_all([Run(SMALL, "pipeline:2", "slice", seed=s) for s in range(50)], ".", 1)
    run, outcome = next(outcomes)
    here = perform(run)
    assert all(outcome[k] == here[k] for k in ("status", "objective", "lower_bound"))
    outcomes.close()  # type: ignore[attr-defined]


def test_without_dask_a_scheduler_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *args: Any, **more: Any) -> Any:
        if name == "distributed":
            raise ImportError(name)
        return real(name, *args, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(StageboardError, match=r"pip install distributed"):
        list(perform_on_cluster([], ".", "tcp://127.0.0.1:1"))


# ---------------------------------------------------------------------- the command
def test_the_command_goes_on_where_it_stopped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = 'targets = ["pipeline:2", "pool:1+1"]\nplanners = ["slice"]\n[[generate]]\nkind = "regal-like"\nset = { nodes = 6 }\n'
    path, out = sweep(tmp_path, text), str(tmp_path / "r.csv")
    assert main(["sweep", path, "-o", out, "--json"]) == 0
    first = json.loads(capsys.readouterr().out)
    assert (first["runs"], first["done"], first["skipped"]) == (2, 2, 0)
    assert first["statuses"]["refused"] == 1
    assert main(["sweep", path, "-o", out, "--json"]) == 0
    again = json.loads(capsys.readouterr().out)
    assert (again["done"], again["skipped"], again["left"]) == (0, 2, 0)


def test_the_command_refuses_before_it_begins(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "r.csv"
    path = sweep(tmp_path, f'models = ["{SMALL}"]\ntargets = ["pipeline:2"]\nplanners = ["slce"]\n')
    assert main(["sweep", path, "-o", str(out)]) == 2
    assert "did you mean 'slice'" in capsys.readouterr().err and not out.exists()
    assert main(["sweep", path, "-o", str(out), "--workers", "0"]) == 2
    assert main(["sweep", path, "-o", str(out), "--workers", "1", "--scheduler", "tcp://x"]) == 2
    bad = sweep(tmp_path, 'models = ["gone.json"]\ntargets = ["pipeline:2"]\nplanners = ["slice"]\n')
    assert main(["sweep", bad, "-o", str(out)]) == 1
    assert "gone.json" in out.read_text()


def test_made_up_networks_are_models_of_a_sweep(tmp_path: Path) -> None:
    text = 'targets = ["memory:9"]\nplanners = ["theorem-1"]\n[[generate]]\nkind = "mlp"\nseeds = 2\nset = { width = 6 }\n'
    runs = read_sweep(sweep(tmp_path, text))
    assert [run.model for run in runs] == ["mlp:seed=0,width=6", "mlp:seed=1,width=6"]
    assert problem_of(runs[1], str(tmp_path)).target.spec() == "memory:9"


def test_files_to_prune_are_found_beside_the_sweep(tmp_path: Path) -> None:
    whole = generate_network("mlp", {"width": 6})
    write_network(whole, tmp_path / "whole.npz")
    text = 'targets = ["memory:9"]\nplanners = ["theorem-1"]\n[[generate]]\nkind = "pruned"\nset = { file = "whole.npz" }\n'
    (found,) = read_sweep(sweep(tmp_path, text))
    problem = problem_of(found, str(tmp_path))
    assert isinstance(problem, NetworkProblem)
    assert 0 < problem.network.connection_count < whole.connection_count


def test_granularity_is_refused_for_networks(tmp_path: Path) -> None:
    text = 'targets = ["memory:9"]\nplanners = ["theorem-1"]\ngranularity = "layer"\n[[generate]]\nkind = "tree"\n'
    (tmp_path / "sweep.toml").write_text(text)
    (found,) = read_sweep(str(tmp_path / "sweep.toml"))
    assert perform(found, str(tmp_path))["status"] == "refused"


def test_results_that_cannot_be_read_are_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    path.write_text(f"{','.join(COLUMNS)}\n{'x' * 200_000}\n")
    with pytest.raises(StageboardError, match=r"results\.csv is no table .*; choose another file to write"):
        Results(path)
