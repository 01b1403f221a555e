"""``stageboard profile`` and ``--times`` on the command line."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from planner.cli import main
from planner.cli.profile import _added_up, _text
from planner.formats import read_model
from planner.model.times import OpTime, OpTimes, Use

SAMPLES = Path(__file__).resolve().parents[3] / "sample_models"
UNET, TFLITE, RESNET = (str(SAMPLES / name) for name in ("unet.onnx", "branchy_int8.tflite", "resnet50.json"))


def run(capsys: pytest.CaptureFixture[str], *arguments: str, status: int = 0) -> tuple[Any, str]:
    """The JSON (or text) that a command prints, and what it says beside."""
    assert main(list(arguments)) == status
    streams = capsys.readouterr()
    return (json.loads(streams.out) if "--json" in arguments else streams.out), streams.err


@pytest.fixture
def table(tmp_path: Path) -> str:
    file = tmp_path / "t.csv"
    file.write_text("op,seconds\nconv1_conv,0.001\nconv1_bn,0.0002\n")
    return str(file)


def test_a_model_is_measured_and_planned(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    times, plan = str(tmp_path / "times.json"), str(tmp_path / "p.json")
    found, _ = run(capsys, "profile", TFLITE, "--runs", "3", "-o", times, "--json")
    assert found["file"] == times
    assert found["measured"] == 44
    assert found["coverage"] == 1.0
    assert found["seconds_sum"] > 0 < found["seconds_run"]
    assert found["about"]["op_sum"] == pytest.approx(found["seconds_sum"]) and found["about"]["processor"] > 0
    assert found["about"]["runs"] == 3
    assert found["spread"] is None, "three runs say nothing of it"
    made, _ = run(capsys, "plan", TFLITE, "--target", "pipeline:2", "--times", times, "-o", plan, "--json")
    assert made["times"]["measured"] == 44
    assert made["times"]["sources"] == [found["source"]]
    work = sum(device["work"] for device in made["devices"])
    total = sum(op["seconds"] for op in json.loads(Path(times).read_text())["ops"])
    assert work == pytest.approx(total)
    again, said = run(capsys, "evaluate", TFLITE, plan, "--times", times, "--json")
    assert again["objective"] == made["objective"]
    assert said == ""
    text, _ = run(capsys, "evaluate", TFLITE, plan, "--times", times)
    assert "44 of 44 ops measured" in text


def test_a_plan_made_with_other_times_is_evaluated_again(
    table: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = str(tmp_path / "p.json")
    run(capsys, "plan", RESNET, "--target", "pipeline:4", "--times", table, "-o", plan)
    found, said = run(capsys, "evaluate", RESNET, plan, "--json")
    assert "times" not in found
    assert "it was made with other times of ops (t.csv) and was evaluated again with those at hand" in said
    assert found["claimed_bound"] is None


def test_times_of_one_kind_of_device(table: str, capsys: pytest.CaptureFixture[str]) -> None:
    both, _ = run(capsys, "plan", RESNET, "--target", "pipeline:4", "--times", table, "--json")
    stages, _ = run(
        capsys, "plan", RESNET, "--target", "pipeline:4", "--times", f"accelerator={table}", "--json"
    )
    others, _ = run(capsys, "plan", RESNET, "--target", "pipeline:4", "--times", f"cpu={table}", "--json")
    assert both["objective"] == stages["objective"] != others["objective"]


def test_other_programs_profiles_become_ours(
    table: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = str(tmp_path / "own.json")
    found, _ = run(capsys, "profile", RESNET, "--from", table, "-o", out, "--json")
    assert found["measured"] == 2
    assert found["ops"] == 177
    told, _ = run(capsys, "info", RESNET, "--times", out, "--json")
    assert told["times"]["measured"] == 2
    assert found["spread"] is None, "the table does not say"
    text, _ = run(capsys, "info", RESNET, "--times", out)
    assert "2 of 176 ops measured, 174 estimated; t.csv" in text


def test_any_model_is_written_as_json(table: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    copy, plan, timed = (str(tmp_path / name) for name in ("unet.json", "p.json", "timed.json"))
    run(capsys, "export", UNET, "--to", "json", "-o", copy)
    made, _ = run(capsys, "plan", copy, "--target", "pipeline:3", "-o", plan, "--json")
    found, said = run(capsys, "evaluate", UNET, plan, "--json")
    assert found["objective"] == made["objective"]
    assert said == ""
    run(capsys, "export", RESNET, "--to", "json", "-o", timed, "--times", table)
    ops = {op["id"]: op for op in json.loads(Path(timed).read_text())["ops"]}
    assert ops["conv1_conv"]["work"] == 0.001
    assert "work" not in ops["conv1_relu"], "what was not measured is not made up"
    run(capsys, "export", UNET, plan, "--to", "json", "-o", copy)
    devices = {op["attrs"]["device"] for op in json.loads(Path(copy).read_text())["ops"]}
    assert devices == {"stage 0", "stage 1", "stage 2"}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["profile", RESNET], "resnet50.json cannot be run here"),
        (["profile", UNET, "--runs", "1"], "cannot be measured in 1 runs"),
        (["profile", UNET, "--runs", "0"], "--runs 0 measures nothing"),
        (["profile", UNET, "--from", "absent.csv"], "absent.csv"),
        (["profile", RESNET, "--from", "{table}", "--threads", "2"], "--threads is about measuring"),
        (["profile", UNET, "--from", "{table}"], "and 'unet' has none of them"),
        (["plan", UNET, "--target", "pipeline:2", "--times", "{table}"], "and 'unet' has none of them"),
        (["plan", str(SAMPLES / "mlp_100.npz"), "--target", "memory:60", "--times", "{table}"], "--times is about graphs"),
        (["export", UNET, "--to", "csv", "-o", "x.csv"], "name both, the model first"),
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_said(
    arguments: list[str], said: str, table: str, capsys: pytest.CaptureFixture[str]
) -> None:
    _, words = run(capsys, *(argument.replace("{table}", table) for argument in arguments), status=2)
    assert said in words
    assert words.count("\n") == 1


def test_a_busy_machine_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    times = tmp_path / "times.json"
    run(capsys, "profile", TFLITE, "--runs", "2", "-o", str(times), "--json")
    for share, busy in ((0.04, False), (0.23, True)):
        content = json.loads(times.read_text())
        for op in content["ops"]:
            op["spread"] = share * op["seconds"]
        times.write_text(json.dumps(content))
        text, _ = run(capsys, "profile", TFLITE, "--from", str(times))
        assert f"runs spread by {100 * share:.0f} %" in text
        assert ("the machine was busy; measure again when it is idle" in text) == busy


def test_why_all_kernels_may_take_longer_than_a_run_is_told() -> None:
    ops = {"conv1_conv": OpTime(1e-3)}
    found = OpTimes(
        ops, "times.json", "a stopwatch", seconds_sum=1.28e-3, seconds_run=1.13e-3, about={"profiling": 0.2}
    )
    graph = read_model(RESNET, times=[Use(found)])
    assert "all kernels take longer than a run without it" in _text(graph, found, None)
    assert "take longer" not in _text(graph, replace(found, seconds_sum=1.0e-3), None)


@pytest.mark.parametrize("command", ["plan", "bound"])
def test_measured_times_of_another_scale_are_said(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    slow = tmp_path / "slow.csv"
    slow.write_text("op,seconds\nconv1_conv,0.01\n")
    asked = (command, RESNET, "--target", "pipeline:2", "--times", str(slow))
    said = run(capsys, *asked)[1]
    assert "estimated ops are of t4, which is" in said
    assert "(--machine cpu-core) or measure all" in said
    assert "estimated ops" not in run(capsys, *asked, "--machine", "cpu-core")[1]


def test_a_spread_stands_beside_a_measured_time_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    times, plan, out = (str(tmp_path / name) for name in ("t.json", "p.json", "p.csv"))
    run(capsys, "profile", TFLITE, "--runs", "5", "-o", times)
    ops = json.loads(Path(times).read_text())["ops"]
    run(capsys, "plan", TFLITE, "--target", "pipeline:2", "--times", f"cpu={times}", "-o", plan)
    run(capsys, "export", TFLITE, plan, "--times", f"cpu={times}", "--to", "csv", "-o", out)
    rows = list(csv.DictReader(Path(out).read_text().splitlines()))
    assert any("spread" in op for op in ops)
    assert {row["measured"] for row in rows} == {row["measured_spread"] for row in rows} == {""}


def test_op_times_are_said_beside_the_processor_time_of_a_run() -> None:
    ops = {"a": OpTime(0.3), "b": OpTime(0.7)}
    times = OpTimes(ops, "t", "me", seconds_run=2.0, about={"op_sum": 1.0, "processor": 1.25})
    ((label, words),) = _added_up(times)
    assert label == "op times" and words.startswith(
        "1.00 s in sum, 0.80 of the processor time of a run (1.25 s)"
    )
    assert "other programs took 37.5 % of a run" in words
    alone = OpTimes(ops, "t", "me", seconds_run=1.25, about={"op_sum": 1.0, "processor": 1.25})
    assert "other programs" not in _added_up(alone)[0][1]
    assert _added_up(OpTimes(ops, "t", "me", seconds_run=1.25)) == [], (
        "profiles from before say nothing of it"
    )
