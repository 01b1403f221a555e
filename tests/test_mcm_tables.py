"""The script that prints the tables of multi-chip modules: it runs what is missing, and prints what is there."""

from __future__ import annotations

import csv
import math
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import benchmarks.__main__
from benchmarks import mcm_runs, mcm_speed, mcm_tables
from benchmarks.curves import curves
from benchmarks.mcm_runs import Curve, Rows, Trace
from benchmarks.placement import Run
from planner.model.graph import Graph, Op, Tensor


def small(readers: dict[str, list[str]]) -> Graph:
    """A graph from each op's readers, one tensor each."""
    ids = sorted({*readers, *(r for row in readers.values() for r in row)})
    tensors = [Tensor(op, tuple(row), 4.0, time=0.5) for op, row in readers.items()]
    return Graph.build("small", [Op(i, i, work=1.0, work_cpu=2.0) for i in ids], tensors, time_unit=None)


def test_tables_are_printed_from_what_is_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    some = [
        "--graph",
        "resnet18",
        "--samples",
        "12",
        "--runs",
        "2",
        "--table",
        "table-2",
        "figure-5",
        "graphs",
    ]
    arguments = ["--out", str(tmp_path), *some]
    assert mcm_tables.main(arguments) == 0
    shown = capsys.readouterr().out
    words = " ".join(shown.split())
    assert "paper: random 305 915 3612" in words and "paper: learned, zero-shot 196 600 3652" in words
    assert "over greedy (1 graph, geometric mean over 2 runs" in words
    assert "chip-local-search takes" in words and "resnet18 50 " in words
    with (tmp_path / "traces.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 1 + 2 * 3 and {row["seed"] for row in rows} == {"0", "1"}
    ElementTree.parse(tmp_path / "figure-5.svg")
    assert mcm_tables.main([*arguments, "--print"]) == 0
    assert capsys.readouterr().out == shown
    with (tmp_path / "traces.csv").open(newline="") as file:
        assert list(csv.DictReader(file)) == rows


def test_every_table_prints_without_any_row(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert mcm_tables.main(["--out", str(tmp_path), "--print"]) == 0
    shown = capsys.readouterr().out
    for title in (
        "Throughput over greedy (0 graphs",
        "Throughput over greedy (BERT-large",
        "chip-cp-sat on bert_l-12",
    ):
        assert title in shown
    assert not list(tmp_path.iterdir())


def test_exact_runs_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[tuple[str, str]] = []

    def plan(model: Path, target: str, *arguments: str) -> Run:
        asked.append((model.name, target))
        return Run({"status": "optimal", "objective": 65.656, "lower_bound": 65.656}, 3.25, 0.1)

    published = tmp_path / "published.json"
    mcm_runs.write(small({"a": ["b"], "b": ["c"]}), published)
    monkeypatch.setattr(mcm_runs, "PUBLISHED", published)
    monkeypatch.setattr(mcm_runs, "plan", plan)
    arguments = ["--out", str(tmp_path / "out"), "--table", "exact"]
    assert mcm_tables.main(arguments) == 0
    first = capsys.readouterr().out
    assert "pruned 12 free 65.66 65.66 optimal 3.2" in " ".join(first.split())
    assert len(asked) == 6 and asked[-1] == (
        "published.json",
        "mcm:36,link=inf,check_memory=false,every_chip=true",
    )
    assert mcm_tables.main(arguments) == 0
    assert capsys.readouterr().out == first and len(asked) == 6


def test_an_exact_run_that_fails_is_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    published = tmp_path / "published.json"
    mcm_runs.write(small({"a": ["b"]}), published)
    monkeypatch.setattr(mcm_runs, "PUBLISHED", published)
    monkeypatch.setattr(mcm_runs, "plan", lambda *_: Run({}, 0.5, 0.1))
    assert Rows(tmp_path / "out").exact(True, "mcm:12", 1.0) is None
    assert "is not kept" in capsys.readouterr().err and not (tmp_path / "out" / "exact-runs.csv").exists()


def test_without_the_published_graph_there_are_no_exact_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(mcm_runs, "PUBLISHED", tmp_path / "missing")
    monkeypatch.setattr(mcm_tables, "PUBLISHED", tmp_path / "missing")
    assert mcm_tables.main(["--out", str(tmp_path), "--table", "exact"]) == 0
    assert "not beside this checkout" in capsys.readouterr().err


def test_the_command_hands_on_options_and_its_status(qapp: object, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []
    for warming in ("gui.app.warm_up.warm_up", "gui.app.kernels.load_here"):
        monkeypatch.setattr(warming, lambda: None)
    monkeypatch.setattr(mcm_tables, "main", lambda arguments: seen.append(arguments) or 0)
    assert benchmarks.__main__.main(["mcm", "--quick", "--runs", "1"]) == 0
    assert benchmarks.__main__._run(["mcm"]) == 0
    assert seen == [["--quick", "--runs", "1"], []]


def test_a_trace_reads_back_as_it_was_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    case = Trace("squeezenet", mcm_runs.ANALYTICAL, "chip-random", 15, 3)
    first = Rows(tmp_path).curve(case)
    assert first is not None and first.at[0] == 1 and list(first.values) == sorted(first.values, reverse=True)
    monkeypatch.setattr(mcm_runs, "traced", None)
    again = Rows(tmp_path).curve(case)
    assert again is not None and (again.at, again.values) == (first.at, first.values)
    assert Rows(tmp_path / "none", only_print=True).curve(case) is None


@given(st.lists(st.floats(0.1, 10.0), min_size=1, max_size=30), st.floats(0.1, 10.0))
@settings(max_examples=60, deadline=None)
def test_a_curve_says_what_every_sample_gave(objectives: list[float], level: float) -> None:
    best = np.minimum.accumulate(objectives)
    better = [i for i in range(len(best)) if i == 0 or best[i] < best[i - 1]]
    curve = Curve(tuple(i + 1 for i in better), tuple(float(best[i]) for i in better), 0.0)
    assert np.array_equal(curve.expanded(len(best)), best) and curve.best == best[-1]
    hit = [i + 1 for i, value in enumerate(best) if value <= level * (1 + 1e-9)]
    assert curve.reached(level) == (hit[0] if hit else math.inf)


def test_levels_and_means() -> None:
    mean = np.array([0.0, 1.2, 1.5, 1.5, 1.7])
    assert mcm_tables.reached(mean, 1.5) == 3 and mcm_tables.reached(mean, 1.71) == math.inf
    assert mcm_tables.mean_text(np.array([1.5, 2.5])) == "2.000 ± 0.500" and mcm_tables.mean_text(mean) == "-"
    assert mcm_tables.times_text([2.0, 8.0]) == "4.0x" and mcm_tables.times_text([2.0, 0.0]) == "-"


def test_pruning_drops_the_edges_of_sources_and_of_ops_with_many_consumers() -> None:
    readers = {"source": ["a", "b"], "a": ["b", "c"], "b": list("defghij"), "c": ["d"]}
    graph = small(readers)
    found = mcm_runs.pruned(graph)
    pairs = {(found.op_ids[u], found.op_ids[v]) for u, v in zip(*found.edges, strict=True)}
    assert pairs == {("a", "b"), ("a", "c"), ("c", "d")}
    assert found.op_ids == graph.op_ids and np.array_equal(found.work, graph.work)
    assert found.tensor_time.tolist() == [0.5, 0.5]
    assert len(mcm_runs.pruned(graph, 7).edges[0]) == 3 + 7


@pytest.mark.parametrize("times", [True, False])
def test_the_sampler_is_timed_and_checked(times: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = small({"a": ["b", "c"], "b": ["d"], "c": ["d"]})
    monkeypatch.setattr(mcm_speed, "cases", lambda: iter([("small", graph, "mcm:3,check_memory=false")]))
    if not times:
        wrong = np.array([1, 0, 0, 0], np.int32)
        monkeypatch.setattr(mcm_speed.McmSolver, "sample", lambda self, p, seed: wrong)
        with pytest.raises(AssertionError, match="broke a rule"):
            next(mcm_speed.table(3))
        return
    _, head, rows = next(mcm_speed.table(3))
    assert "SAMPLE ms" in head and rows[0][:2] == ["small", "4"] and rows[0][4] == "0.0%"


def test_the_cases_of_the_sampler_can_be_read() -> None:
    names = [name for name, _, _ in mcm_speed.cases()]
    assert names[-3:] == ["inception_resnet_v2", "speech_gru", "bert_large"]


def test_curves_have_a_line_and_a_band_each() -> None:
    picture = curves(
        "a < b",
        "samples",
        "gain",
        {"one": [(1, 1.0, 0.1), (100, 1.8, 0.2)], "none": [], "bad": [(1, math.nan, 0)]},
    )
    root = ElementTree.fromstring(picture)
    tags = [element.tag.rpartition("}")[2] for element in root]
    assert tags.count("polyline") == tags.count("polygon") == 1 and "a &lt; b" in picture
    assert curves("empty", "x", "y", {}).startswith("<svg")
