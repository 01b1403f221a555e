"""The script that prints the Edge TPU paper's figures as tables: it runs what is missing, and prints what is there."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

import benchmarks.__main__
from benchmarks import edge_tpu_runs, edge_tpu_tables, edge_tpu_times
from benchmarks.edge_tpu_runs import Case, Runs, Worth


def test_tables_are_printed_from_what_is_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # The compiler's rule stands in for the exact planner, which other tests run.
    monkeypatch.setattr(edge_tpu_tables, "EXACT", "edge-tpu-balanced")
    some = ["--model", "xception", "--stages", "2", "--table", "proofs", "baseline", "figure-6"]
    arguments = ["--out", str(tmp_path), *some]
    assert edge_tpu_tables.main(arguments) == 0
    shown = capsys.readouterr().out
    words = " ".join(shown.split())
    assert "memory-1-3 yes 0/1, " in words and "xception no 1.000 1.000" in words
    assert "None of 2 plans is worse" in shown
    rows = (tmp_path / "results.csv").read_text()
    assert rows.count("\n") == 1 + 6
    assert edge_tpu_tables.main([*arguments, "--print"]) == 0
    assert capsys.readouterr().out == shown and (tmp_path / "results.csv").read_text() == rows
    with (tmp_path / "figure-6-2.csv").open(newline="") as file:
        assert next(csv.DictReader(file)) == {"model": "xception", "2: 1-3": "1.000"} | dict.fromkeys(
            ("2: 1-2-3", "2: 2-1-3"), "1.000"
        )


def test_only_what_is_named_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Case] = []
    monkeypatch.setattr(Runs, "get", lambda self, case: asked.append(case))
    figures = ["figure-7", "figure-10", "figure-11", "stage-time", "inference-time"]
    some = ["--model", "resnet152", "--stages", "4", "--table", *figures]
    assert edge_tpu_tables.main(["--out", str(tmp_path), *some]) == 0
    assert {case.models for case in asked} == {"resnet152", edge_tpu_tables.TOGETHER}
    assert {case.stages for case in asked} == {4}


@pytest.mark.parametrize("status", [0, 1])
def test_the_command_ends_as_the_tables_do(
    qapp: object, monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    for warming in ("gui.app.warm_up.warm_up", "gui.app.kernels.load_here"):
        monkeypatch.setattr(warming, lambda: None)
    monkeypatch.setattr(edge_tpu_tables, "main", lambda arguments: status)
    assert benchmarks.__main__._run(["edge_tpu"]) == status


def test_every_table_prints_without_any_row(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert edge_tpu_tables.main(["--out", str(tmp_path), "--print"]) == 0
    shown = capsys.readouterr().out
    for title in (
        "Plans proven",
        "memory-1-3 / compiler",
        "Figure 6",
        "Figure 7",
        "Figure 10",
        "Figure 11",
        "Stage time",
        "Estimated inferences per second",
    ):
        assert title in shown
    assert not (tmp_path / "results.csv").exists()


def test_a_worse_plan_ends_the_script_with_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = {
        "edge-tpu-ilp": Worth("optimal", max_memory=4.0, max_communication=3.0),
        "edge-tpu-balanced": Worth("feasible", max_memory=4.0, max_communication=2.0),
    }
    monkeypatch.setattr(Runs, "get", lambda self, case: made[case.planner])
    arguments = ["--out", str(tmp_path), "--model", "xception", "--stages", "3", "--table", "baseline"]
    assert edge_tpu_tables.main(arguments) == 1
    assert "WORSE than the compiler's segmentation: xception on 3 stages" in capsys.readouterr().out


def test_rows_read_back_as_they_were_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    case = Case("resnet50+xception", 3, True, "memory-1-3", "edge-tpu-balanced")
    first = Runs(tmp_path / "results.csv", 5.0).get(case)
    assert first is not None and len(first.memory) == 3 and first.max_memory == max(first.memory)
    monkeypatch.setattr(edge_tpu_runs, "solve", None)
    again = Runs(tmp_path / "results.csv", 5.0)
    assert again.get(case) == first
    assert again.get(Case("resnet50", 2, True, "memory-1-3", "not-there-yet")) is None


def test_single_inferences_of_small_networks_are_met_within_15_per_cent() -> None:
    mobilenet = edge_tpu_times.mobilenet_v1()
    assert mobilenet.macs.sum() == pytest.approx(569e6, rel=0.001)
    assert mobilenet.params.sum() == pytest.approx(4.23e6, rel=0.005)
    _, rows = edge_tpu_times.single()
    errors = {name: int(cells[-1].split()[0]) for name, *cells in rows}
    assert abs(errors.pop("DenseNet")) > 50  # its concatenations move data without computing
    assert len(errors) == 4 and max(map(abs, errors.values())) <= 15
    assert all(int(cells[-3].split()[0]) < -15 for _, *cells in rows)


def test_without_measured_times_there_is_no_table_of_pipelines(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(edge_tpu_times, "MEASURED", tmp_path / "missing.tsv")
    assert list(edge_tpu_times.tables()) == ["Single inferences on one Edge TPU"]
