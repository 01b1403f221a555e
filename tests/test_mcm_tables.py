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
from benchmarks import mcm_figure_7, mcm_memory, mcm_runs, mcm_speed, mcm_tables
from benchmarks.curves import curves
from benchmarks.mcm_runs import Curve, Rows, Trace
from benchmarks.placement import Run
from planner.machines.mcm.search.samples import COST
from planner.machines.mcm.simulation.simulator import Simulator
from planner.machines.mcm.solver.solver import McmSolver
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
    methods = len(mcm_tables.Tables(Rows(tmp_path), [], 1, 1, 1, 1, 1, 1.0).methods("sixteen"))
    assert len(rows) == 1 + 2 * methods and {row["seed"] for row in rows} == {"0", "1"}
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


# ---------------------------------------------------------------------- seven methods
def written(folder: Path, curves_of: dict[tuple[str, str], list[float]], target: str, samples: int) -> None:
    """A file of traces: for each graph and method one objective per sample, of seed 0."""
    head = ["graph", "target", "method", "samples", "seed", "cpu_seconds", "at", "objective"]
    with (folder / "traces.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(head)
        for (graph, method), values in curves_of.items():
            count = 1 if method == mcm_runs.GREEDY else samples
            at = " ".join(str(i + 1) for i in range(len(values)))
            rows.writerow([graph, target, method, count, 0, "0", at, " ".join(map(repr, values))])


def test_levels_are_so_far_from_the_best_known_and_learned_methods_are_held_against_each_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(mcm_tables, "KNOWN", {**mcm_tables.KNOWN, mcm_runs.LEARNED: ((), None)})
    falling = {
        mcm_runs.GREEDY: [8.0],
        "chip-random": [8.0, 5.0, 4.4],
        "chip-anneal": [8.0, 5.0, 4.4],
        mcm_runs.SCRATCH: [8.0, 4.4, 4.18, 4.07],
        mcm_runs.ZERO_SHOT: [4.3],
        mcm_runs.FINE_TUNED: [4.3, 4.1, 4.05],
        "chip-local-search": [4.0],
    }
    written(tmp_path, {("resnet18", m): v for m, v in falling.items()}, mcm_runs.ANALYTICAL, 200)
    arguments = [
        "--out",
        str(tmp_path),
        "--print",
        "--graph",
        "resnet18",
        "--samples",
        "200",
        "--learned-samples",
        "200",
    ]
    assert mcm_tables.main([*arguments, "--runs", "1", "--table", "table-2", "figure-5"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "times fewer than chip-learned,mode=scratch" in shown
    assert "10%, 5%, 2% from the best known plans (2.000x) method >= 1.82x >= 1.90x >= 1.96x" in shown
    assert "chip-learned,mode=scratch 2 (1.00x) 3 (1.00x) 4 (1.00x)" in shown
    assert "chip-learned,mode=fine-tune 1 (2.00x) 2 (1.50x) 3 (1.33x)" in shown
    assert "chip-random 3 (0.67x) - -" in shown and "chip-greedy 1 1 1" in shown
    # Levels of the paper 1.6 and 1.7: the second sample of scratch; 1.8 too.
    ratios = [1 / 2, 1 / 2, 1 / 2, 1 / 2, 2 / 3, 3 / 4]
    assert f"geometric mean {math.prod(ratios) ** (1 / 6):.2f}" in shown
    assert "better than random's hundredth on 1 of 1 graph " in shown


def test_a_run_that_learns_has_fewer_samples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcm_tables, "KNOWN", {**mcm_tables.KNOWN, mcm_runs.LEARNED: ((COST,), None)})
    asked: list[Trace] = []
    rows = Rows(tmp_path)
    monkeypatch.setattr(rows, "curve", lambda case: asked.append(case) or Curve((1,), (1.0,), 0.0))
    tables = mcm_tables.Tables(rows, ["resnet18", "bert_large"], 50, 7, 30, 5, 1, 1.0)
    for which in ("sixteen", "bert", "simulated"):
        list(tables.growth(which))
    learned = {case for case in asked if case.method.startswith(mcm_runs.LEARNED)}
    assert len(learned) == 9 and {case.samples for case in learned} == {7}
    judged = {case.method for case in asked if case.target == mcm_runs.SIMULATED}
    assert judged == {
        f"{method}{mcm_runs.SIMULATE}"
        for method in (
            mcm_runs.GREEDY,
            "chip-random",
            "chip-anneal",
            mcm_runs.SCRATCH,
            mcm_runs.ZERO_SHOT,
            mcm_runs.FINE_TUNED,
        )
    }
    assert {c.samples for c in asked if c.method == "chip-random" and c.target == mcm_runs.COPIED} == {30}


def test_methods_say_planner_and_options() -> None:
    assert mcm_runs.asked("chip-random") == ("chip-random", {})
    assert mcm_runs.asked(f"{mcm_runs.ZERO_SHOT}{mcm_runs.SIMULATE}") == (
        "chip-learned", {"mode": "zero-shot", "cost": "simulated"},
    )  # fmt: skip


def test_a_trace_may_be_judged_by_the_simulation(tmp_path: Path) -> None:
    plain, judged = (
        Rows(tmp_path).curve(
            Trace("squeezenet", f"{mcm_runs.ANALYTICAL},sram=inf", f"chip-random{how}", 15, 3)
        )
        for how in ("", mcm_runs.SIMULATE)
    )
    assert plain is not None and judged is not None and judged.best < plain.best


# ---------------------------------------------------------------------- figure 7
def test_figure_7_is_made_of_random_partitions_that_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--out", str(tmp_path), "--graph", "squeezenet", "--partitions", "25", "--table", "figure-7"]
    assert mcm_tables.main(arguments) == 0
    shown = capsys.readouterr().out
    found = mcm_figure_7.drawn("squeezenet", 25)
    problem = mcm_runs.problem_of("squeezenet", mcm_figure_7.TARGET)
    device_of = McmSolver(problem).sample(None, 3)
    assert device_of is not None
    assert found.analytical[3] == problem.evaluator.objective(device_of)
    assert found.simulated[3] == Simulator(problem.evaluator).run(device_of).interval
    cells = next(line for line in shown.splitlines() if "squeezenet" in line).split()
    assert cells[:2] == ["squeezenet", "25"]
    assert cells[2:8] == [f"{found.invalid(m * 2.0**20):.1%}" for m in mcm_figure_7.MEMORIES]
    assert cells[8] == f"{np.corrcoef(found.analytical, found.simulated)[0, 1]:.3f}"
    assert "13.5% invalid, R 0.91" in shown
    circles = [e for e in ElementTree.parse(tmp_path / "figure-7.svg").iter() if e.tag.endswith("circle")]
    assert len(circles) == 25 + 1
    monkeypatch.setattr(mcm_figure_7, "drawn", None)
    assert mcm_tables.main([*arguments, "--print"]) == 0
    assert capsys.readouterr().out == shown


def test_invalid_partitions_are_those_that_the_allocator_refuses() -> None:
    found = mcm_figure_7.drawn("squeezenet", 20)
    limit = float(np.median(found.memory))
    target = mcm_figure_7.TARGET.replace("sram=inf", f"sram={limit!r}")
    problem = mcm_runs.problem_of("squeezenet", target)
    solver, simulator = McmSolver(problem), Simulator(problem.evaluator)
    plans = [solver.sample(None, seed) for seed in range(20)]
    refused = [simulator.run(plan).unplaced is not None for plan in plans if plan is not None]
    assert found.invalid(limit) == np.mean(refused) and 0 < np.mean(refused) < 1


def test_correlations_and_ranks() -> None:
    one = np.array([1.0, 2.0, 2.0, 5.0])
    assert mcm_figure_7.ranks(one).tolist() == [1.0, 2.5, 2.5, 4.0]
    assert mcm_figure_7.correlation(one, -one) == pytest.approx(-1.0)
    assert math.isnan(mcm_figure_7.correlation(one, np.ones(4))) and math.isnan(
        mcm_figure_7.correlation(one[:2], one[:2])
    )


def test_the_memory_rule_has_tables_of_its_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    some = ["--out", str(tmp_path), "--graph", "resnet18", "--samples", "12", "--runs", "1"]
    assert mcm_tables.main([*some, "--table", "invalid", "memory"]) == 0
    shown = capsys.readouterr().out
    assert "the paper's 13.5%" in shown and "on mcm:36,precision=int8) after so many samples" in shown
    with (tmp_path / "invalid.csv").open(newline="") as file:
        (row,) = csv.DictReader(file)
    assert row["invalid int8"] == "0%" and row["invalid"] == "13%"
    assert mcm_tables.main([*some, "--table", "invalid", "--print"]) == 0
    assert not capsys.readouterr().out


def test_the_share_of_invalid_partitions_is_counted_by_the_target() -> None:
    off, on = "mcm:36,check_memory=false", "mcm:36"
    found = mcm_memory.fullest("resnet18", off, samples=20)
    solver = McmSolver(mcm_runs.problem_of("resnet18", off))
    plans = [solver.sample(None, seed) for seed in range(20)]
    broken = [bool(mcm_runs.problem_of("resnet18", on).evaluator.violations(plan)) for plan in plans]
    assert (found > 32 * 2**20).tolist() == broken
