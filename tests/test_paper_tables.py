"""The script that prints the papers' tables: it runs what is missing, and prints what is there."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import paper_tables
from benchmarks.scatter import scatter
from planner.sweep.execute import perform


def test_tables_are_printed_from_what_is_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paper_tables, "BLOCKS", (2,))
    monkeypatch.setattr(paper_tables, "BOUNDS", ("simple", "not-there-yet"))
    monkeypatch.setattr(paper_tables, "PLANS", (paper_tables.column("random-1", "slice-random", orders=1),))
    monkeypatch.setattr(
        paper_tables, "perform_all", lambda runs, base, workers: ((r, perform(r, base)) for r in runs)
    )
    arguments = ["--out", str(tmp_path), "--graphs", "2", "--seconds", "5", "--table", "mtpp-3"]
    assert paper_tables.main(arguments) == 0
    shown = capsys.readouterr().out
    assert "MTPP, table 3" in shown and "simple         0.9" in shown and "not-there-yet       -" in shown
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
        "table 1: time",
        "table 2: throughput",
        "table 3",
    ):
        assert title in shown


def test_a_scatter_plot_has_a_mark_per_point() -> None:
    picture = scatter("a < b", "ops", "s", {"one": [(10, 0.1), (100, 0.0)], "two": [(20, 3.0)]})
    assert picture.count('r="3"') == 2 and "a &lt; b" in picture
    assert scatter("empty", "x", "y", {}).startswith("<svg")
