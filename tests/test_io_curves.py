"""The script that draws the curves of the I/O paper: it runs what is missing, and draws what is there."""

from __future__ import annotations

import csv
import math
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

import benchmarks.__main__
from benchmarks import io_curves, io_execution, io_runs
from benchmarks.intervals import Point, intervals, median_interval
from benchmarks.io_curves import PANELS, TIMED, Panel, Spot
from benchmarks.io_runs import FILE_ORDER, THEOREM_1, Case, Rows

TINY = Panel(
    "2a", "Tiny", "neurons per layer", tuple(Spot(w, "mlp", f"width={w} depth=2 density=0.3") for w in (5, 8))
)


def test_each_figure_has_its_panels() -> None:
    assert {name[0] for name in PANELS} == set("2356")
    assert [len([n for n in PANELS if n[0] == f]) for f in "2356"] == [4, 3, 1, 3]
    assert set(TIMED) == {"7a", "7b", "7c", "8"} and {s.kind for s in TIMED["8"].spots} == {"bert-block"}
    for panel in [*PANELS.values(), *TIMED.values()]:
        assert any(s.quick for s in panel.spots)
        assert [s.x for s in panel.spots] == sorted({s.x for s in panel.spots})


def test_counts_are_run_once_and_drawn_from_what_is_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(io_curves, "PANELS", {"2a": TINY})
    some = ["--figure", "2a", "--seeds", "2", "--seconds", "0.02", "--out", str(tmp_path)]
    assert io_curves.main([*some, "--print"]) == 0
    assert "nothing there" in capsys.readouterr().out and not (tmp_path / "counts.csv").exists()
    assert benchmarks.__main__.main(["curves", *some]) == 0
    printed = capsys.readouterr().out
    assert "Theorem-1 order" in printed and "the paper's reordering" in printed and "portfolio" in printed
    with (tmp_path / "counts.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 2 * 2 * len(TINY.methods)
    for row in rows:
        assert int(row["reads"]) + int(row["writes"]) >= int(row["lower_bound"])
    best = {(r["settings"], r["seed"], r["method"]): int(r["reads"]) + int(r["writes"]) for r in rows}
    for (settings, seed, _), ios in best.items():
        assert best[settings, seed, "order-portfolio"] <= best[settings, seed, THEOREM_1]
        assert ios >= 1
    ElementTree.fromstring((tmp_path / "figure-2a.svg").read_text())
    assert (tmp_path / "figure-2a.csv").exists()
    monkeypatch.setattr(io_runs, "measured", None)  # whoever runs anything again fails
    assert io_curves.main([*some, "--print"]) == 0
    assert io_curves.main(some) == 0
    assert capsys.readouterr().out == 2 * printed


def test_figure_4_tells_how_searches_fall_with_time(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(io_curves, "mlp", lambda: "width=12 depth=2 density=0.5")
    monkeypatch.setattr(io_curves, "MEMORY", 5)
    assert io_curves.main(["--figure", "4", "--seeds", "1", "--seconds", "0.02", "--out", str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    for policy in io_curves.POLICIES:
        assert f"{policy.upper()}, reordering" in printed and f"{policy.upper()}, portfolio" in printed
    assert printed.count("~") == 4
    ElementTree.fromstring((tmp_path / "figure-4.svg").read_text())


def test_a_search_keeps_when_it_found_better(tmp_path: Path) -> None:
    case = Case("mlp", "width=12 depth=3 density=0.3", 0, 6, "lru", "connection-reordering", 0.05)
    rows = Rows(tmp_path)
    count, steps = rows.count(case), rows.steps(case)
    assert count is not None and steps
    assert [ios for _, ios in steps] == sorted({ios for _, ios in steps}, reverse=True)
    assert steps[-1][1] == count.ios
    again = Rows(tmp_path, only_print=True)
    assert again.count(case) == count and len(again.steps(case) or ()) == len(steps)


def test_compact_growth_as_generated_needs_nothing_else(tmp_path: Path) -> None:
    case = Case("compact-growth", "memory=20 neurons=40", 1, 20, "min", FILE_ORDER)
    count = Rows(tmp_path).count(case)
    assert count is not None and count.ios == count.least


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30))
def test_intervals_cover_the_median_as_often_as_they_say(values: list[float]) -> None:
    low, middle, high = median_interval(values)
    ranked, n = sorted(values), len(values)
    assert low <= middle <= high and low in ranked and high in ranked
    # With ranks (i, n - i + 1) the median lies outside with the chance of fewer than i heads, or of fewer than i tails.
    outside = [2 * sum(math.comb(n, k) for k in range(i)) / 2**n for i in range(1, n // 2 + 1)]
    allowed = [i for i, chance in enumerate(outside, 1) if chance <= 0.05]
    i = max(allowed, default=1)
    assert (low, high) == (ranked[i - 1], ranked[n - i])


@given(st.booleans(), st.booleans(), st.lists(st.floats(1e-3, 1e7), max_size=8))
def test_pictures_of_any_values_are_whole(log_x: bool, log_y: bool, values: list[float]) -> None:
    points = [Point(x + 1.0, 0.9 * v, v, 1.1 * v) for x, v in enumerate(values)]
    svg = intervals("a < b", "x", "y", {"one & all": points, "none": []}, log_x, log_y)
    root = ElementTree.fromstring(svg)
    circles = [e for e in root.iter() if e.tag.endswith("circle")]
    assert len(circles) == len(points)
    for circle in circles:
        assert 0 <= float(circle.get("cx", "nan")) <= 560 and 0 <= float(circle.get("cy", "nan")) <= 400


def test_all_ways_to_infer_say_the_same_and_are_timed_in_turn() -> None:
    took = io_execution.times("mlp", "width=9 depth=2 density=0.4", 6, 0.02)
    assert tuple(took) == io_execution.methods()
    assert all(len(times) == io_execution.RUNS and min(times) > 0 for times in took.values())


def test_timed_figures_are_drawn_for_the_figure_that_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    spots = (Spot(10.0, "mlp", "width=12 depth=2 density=0.1", 6, quick=True),)
    timed = {name: Panel(name, f"Figure {name}", "density, %", spots) for name in ("7a", "7b", "8")}
    monkeypatch.setattr(io_curves, "TIMED", timed)
    some = ["--seconds", "0.02", "--out", str(tmp_path)]
    assert io_curves.main(["--figure", "8", *some, "--print"]) == 0
    assert not capsys.readouterr().out
    assert io_curves.main(["--figure", "8", *some]) == 0
    printed = capsys.readouterr().out
    assert "Figure 8; CPU milliseconds" in printed and "scipy CSR" in printed
    assert {path.name for path in tmp_path.glob("*.svg")} == {"figure-8.svg"}
    assert io_curves.main(["--figure", "7", *some]) == 0
    assert {path.name for path in tmp_path.glob("*.svg")} == {
        "figure-7a.svg",
        "figure-7b.svg",
        "figure-8.svg",
    }
