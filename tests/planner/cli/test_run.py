"""``stageboard run`` on the command line."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from planner.cli.main import main
from planner.cli.run import stage_table, text_of
from planner.formats import read_model
from planner.runs.running import again, running
from planner.runs.running.order import RunFailed, RunOrder
from planner.text_table import NONE
from tests.planner.export.onnx_maker import random_model
from tests.planner.runs.running.fake import machine
from tests.planner.runs.running.test_again import UNET, halves, skewed


@pytest.fixture
def files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> tuple[str, str]:
    model, plan = random_model(tmp_path / "m.onnx", 7), str(tmp_path / "m.plan.json")
    assert main(["plan", str(model), "--target", "pipeline:2", "--planner", "slice", "-o", plan]) == 0
    capsys.readouterr()
    return str(model), plan


def test_a_plan_is_run(files: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model, plan = files
    report = tmp_path / "report.json"
    options = ["--samples", "12", "--warm-up", "1", "--against", plan, "--against-copies", "-o", str(report)]
    assert main(["run", model, plan, *options, "--json"]) == 0
    streams = capsys.readouterr()
    found = json.loads(streams.out)
    assert found["samples"] == 12
    assert {"throughput", "throughput_unsplit", "throughput_copies", "predicted_throughput"} <= found.keys()
    assert found["throughput"] > 0 < found["throughput_unsplit"]
    assert found["outputs_equal"] is True
    assert [stage["name"] for stage in found["stages"]] == ["stage 0", "stage 1"]
    for stage in found["stages"]:
        assert {"busy", "transfer", "wait", "predicted", "cores", "timeline"} <= stage.keys()
        assert stage["busy"] > 0 < stage["predicted"]
        assert stage["timeline"][0].keys() == {"sample", "receive", "run", "send", "wait"}
    assert found["against"][0]["name"] == plan
    assert json.loads(report.read_text()) == found
    assert "are estimates, and the stages ran on cores of this computer" in streams.err
    assert main(["run", model, plan, "--samples", "4", "--seed", "1"]) == 0
    text = capsys.readouterr().out
    for word in ("throughput", "predicted", "unsplit", "outputs", "stage 1", "busy", "transfer", "wait"):
        assert word in text


def test_speeds_of_the_plans_machine_are_said(
    files: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model, plan = files[0], str(tmp_path / "unequal.json")
    assert main(["plan", model, "--target", "pipeline:2,speed=1/0.5", "-o", plan]) == 0
    capsys.readouterr()
    assert main(["run", model, plan, "--samples", "2", "--warm-up", "1"]) == 0
    streams = capsys.readouterr()
    assert "speeds 1/0.5 are those of the plan's machine, not of these cores" in streams.err


def test_figures_do_not_contradict_one_another() -> None:
    split = halves(read_model(UNET))
    quiet = machine(skewed)(RunOrder(split, (UNET,), copies=True))
    text = text_of(quiet)
    assert "of what its slowest stage alone would give" in text
    assert "times as fast\n" in text, "of one round there is no median"
    assert " samples in 1 round\n" in text
    stage = quiet.plan.stages[0]
    unknown = replace(stage, busy=stage.busy._replace(spread=float("nan")), predicted=float("nan"))
    rounds = replace(
        quiet.plan, rounds=(400.0, 593.8, 700.0), away=(0.5, 0.4, 0.6), predicted=float("nan"),
        stages=(unknown, *quiet.plan.stages[1:]),
    )  # fmt: skip
    whole = replace(quiet.unsplit, rounds=(450.0, 877.8, 900.0), away=(0.5, 0.4, 0.6))
    text = text_of(replace(quiet, plan=rounds, unsplit=whole, copies=whole))
    assert "593.8 samples per second\n" in text, "a share of time that others took says nothing"
    assert "877.8 samples per second on one core; the plan is 0.78 times as fast (median of rounds)" in text
    assert "1.00 times as fast as one (median of rounds)" in text
    assert "nan" not in text
    assert NONE in stage_table(rounds).splitlines()[1]


def test_what_fails_is_said(
    files: tuple[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    model, plan = files
    for options, said in (
        (["--samples", "1"], "--samples 1 says nothing of a pipeline"),
        (["--cores", "a"], "'a' is no list of cores"),
        (["--cores", "4095"], "core 4095 is not among those"),
        (["--inputs", "no.npz"], "no.npz does not exist; check the path"),
        (["-o", model], "is a file to be read and would be lost"),
    ):
        assert main(["run", model, plan, *options]) == 2
        assert said in capsys.readouterr().err
    sample = str(Path(__file__).resolve().parents[3] / "sample_models" / "mlp_100.npz")
    assert main(["run", sample, plan]) == 2

    def killed(*_: object) -> object:
        raise RunFailed("the process of stage 1 ended")

    monkeypatch.setattr("planner.cli.run.run_plan", killed)
    assert main(["run", model, plan]) == 1
    assert "the process of stage 1 ended" in capsys.readouterr().err


def test_other_outputs_are_a_failure(
    files: tuple[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(running, "difference", lambda whole, stages: float(np.inf))
    assert main(["run", *files, "--samples", "3"]) == 1
    streams = capsys.readouterr()
    assert "DIFFER from the whole model's" in streams.out
    assert "the outputs differ from the whole model's" in streams.err


def test_a_plan_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(again, "run_plan", machine(skewed))
    model, plan = str(UNET), str(tmp_path / "p.json")
    new, times = str(tmp_path / "new.json"), str(tmp_path / "times.json")
    assert main(["plan", model, "--target", "pipeline:2", "--planner", "slice", "-o", plan]) == 0
    capsys.readouterr()
    assert main(["run", model, plan, "--plan-again", "--new-plan", new, "--new-times", times, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["plan_again"]
    assert found["settled"] is True
    assert len(found["rounds"]) == found["kept"] > 1
    assert found["rounds"][0].keys() == {
        "objective", "predicted_throughput", "throughput", "off", "moved", "over_first",
    }  # fmt: skip
    assert main(["evaluate", model, new, "--times", times, "--json"]) == 0
    streams = capsys.readouterr()
    assert json.loads(streams.out)["objective"] == pytest.approx(found["objective"])
    assert streams.err == "", "the plan was made with these times"
    assert main(["run", model, plan, "--plan-again"]) == 0
    text = capsys.readouterr().out
    assert "the plan stays" in text
    assert "times the first" in text
    assert "(kept)" in text
    assert "<" not in text
    for options, said in (
        (["--new-plan", new], "are written by --plan-again"),
        (["--plan-again", "--new-times", model], "is a file to be read and would be lost"),
    ):
        assert main(["run", model, plan, *options]) == 2
        assert said in capsys.readouterr().err
    assert main(["run", model, model, plan, "--plan-again", "--new-times", times]) == 2
    assert "the plan is of several" in capsys.readouterr().err
