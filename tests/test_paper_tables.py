"""The script that prints the papers' tables: it runs what is missing, and prints what is there."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import in_turn, paper_tables
from benchmarks.scatter import scatter
from planner.runs.sweep.execute import perform
from planner.runs.sweep.spec import Run
from planner.search.stop import Stop


def test_tables_are_printed_from_what_is_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    simple = paper_tables.column("simple", "simple", is_bound=True)
    unknown = paper_tables.column("?", "not-there-yet", is_bound=True)
    monkeypatch.setattr(
        paper_tables, "BOUNDS", {"simple": (simple,), "not-there-yet": (unknown,), "exact": (unknown, simple)}
    )
    monkeypatch.setattr(paper_tables, "PLANS", (paper_tables.column("random-1", "slice-random", orders=1),))
    monkeypatch.setattr(
        paper_tables, "perform_in_turn", lambda runs, base: ((r, perform(r, base)) for r in runs)
    )
    arguments = [
        "--out",
        str(tmp_path),
        "--graphs",
        "2",
        "--seconds",
        "5",
        "--table",
        "mtpp-3",
        "--blocks",
        "2",
    ]
    assert paper_tables.main(arguments) == 0
    shown = capsys.readouterr().out
    assert "MTPP, table 3" in shown and "optimal, of all   0 / 2" in shown
    lines = {line.split()[0]: line.split()[1:] for line in shown.splitlines() if line.startswith("  ")}
    assert 0.5 < float(lines["simple"][0]) <= 1 and lines["not-there-yet"] == ["-"]
    assert lines["exact"] == lines["simple"]
    rows = (tmp_path / "results.csv").read_text()
    assert rows.count("\n") == 1 + 2 * 2
    assert paper_tables.main(arguments) == 0
    assert capsys.readouterr().out == shown and (tmp_path / "results.csv").read_text() == rows


def test_every_table_prints_without_any_row(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert paper_tables.main(["--out", str(tmp_path), "--print"]) == 0
    shown = capsys.readouterr().out
    for title in (
        "MTPP, table 1",
        "MTPP, table 2",
        "MTPP, table 3",
        "How hard",
        "table 1: time",
        "table 2: throughput",
        "table 3",
    ):
        assert title in shown


def test_runs_follow_one_another_in_one_process_that_is_replaced_when_it_dies(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fine = Run("regal-like:seed=1,nodes=50", "pipeline:2", "simple", is_bound=True, time_limit=5.0)
    begun: list[in_turn._Helper] = []
    start = in_turn._Helper.__init__

    def counted(helper: in_turn._Helper) -> None:
        start(helper)
        begun.append(helper)

    monkeypatch.setattr(in_turn._Helper, "__init__", counted)
    statuses = []
    for i, (run, outcome) in enumerate(in_turn.perform_in_turn([fine, fine, fine, fine], ".")):
        assert run is fine
        statuses.append(outcome["status"])
        if i == 1:
            begun[0]._process.kill()
    assert statuses == ["proven", "proven", "error", "proven"] and len(begun) == 2
    assert all(helper._process.poll() is not None for helper in begun)


def test_a_scatter_plot_has_a_mark_per_point() -> None:
    picture = scatter("a < b", "ops", "s", {"one": [(10, 0.1), (100, 0.0)], "two": [(20, 3.0)]})
    assert picture.count('r="3"') == 2 and "a &lt; b" in picture
    assert scatter("empty", "x", "y", {}).startswith("<svg")


def test_plots_that_are_held_against_one_another_have_the_same_axes() -> None:
    points = {"one": [(10.0, 0.5), (20.0, 0.5)]}
    alone, beside = (scatter("a", "ops", "s", points, more) for more in ((), [(3000.0, 70.0), (0.0, 1.0)]))
    assert ">1000<" not in alone and ">10000<" in beside
    assert alone.count('r="3"') == beside.count('r="3"') == 2


def test_a_run_is_limited_by_whatever_time_its_caller_counts() -> None:
    asked: list[float] = []

    def none_left(seconds: float) -> Stop:
        asked.append(seconds)
        return in_turn.processor_time(0.0)

    run = Run("regal-like:seed=1,nodes=50", "pipeline:4", "slice-random", options=(("orders", "1000000"),), time_limit=60.0)  # fmt: skip
    outcome = perform(run, ".", none_left)
    assert asked == [60.0] and outcome["stop_reason"] == "time" and outcome["objective"] > 0
