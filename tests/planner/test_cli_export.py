"""``stageboard export``: every format, stages and their check, and what the exit status says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from planner.cli import main
from planner.cli.export import FOLDERS, FORMATS
from planner.export import onnx_stages
from planner.export.onnx_stage import OnnxStage
from planner.formats import read_model
from planner.formats.plan_json import write_plan
from planner.plan import Provenance
from planner.problem import Problem
from planner.targets import EdgeTpuPipeline, Pipeline, Target
from tests.planner.export.onnx_maker import random_model

ROOT = Path(__file__).resolve().parents[2]
RESNET = ROOT / "sample_models" / "resnet50.json"
SMALL = ROOT / "tests" / "data" / "small.json"


def plan_file(model: Path, target: Target, place: Path) -> Path:
    graph = read_model(model)
    problem = Problem(graph, target)
    device_of = np.empty(graph.n, np.int32)
    device_of[graph.topological_order] = np.arange(graph.n) * len(problem.devices) // graph.n
    return write_plan(place, problem.plan(device_of, Provenance("test")))


class Ran:
    def __init__(self, status: int, out: str, err: str) -> None:
        self.status, self.out, self.err = status, out, err

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@pytest.fixture
def export(capsys: pytest.CaptureFixture[str]) -> Any:
    def call(*arguments: str | Path) -> Ran:
        status = main(["export", *map(str, arguments)])
        streams = capsys.readouterr()
        return Ran(status, streams.out, streams.err)

    return call


@pytest.fixture
def onnx(tmp_path: Path) -> tuple[Path, Path]:
    model = random_model(tmp_path / "net.onnx", 4)
    return model, plan_file(model, Pipeline(count=3), tmp_path / "net.plan.json")


@pytest.mark.parametrize("form", [form for form in FORMATS if form not in FOLDERS])
def test_formats_that_are_files(export: Any, tmp_path: Path, form: str) -> None:
    plan = plan_file(RESNET, EdgeTpuPipeline(count=3), tmp_path / "plan.json")
    ran = export(RESNET, plan, "--to", form, "-o", tmp_path / "exported", "--json")
    assert (ran.status, ran.err) == (0, "")
    files = ran.json.get("files") or [{"file": ran.json["file"], "bytes": ran.json["bytes"]}]
    assert ran.json["format"] == form and ran.json["file"] == files[0]["file"]
    assert all(Path(entry["file"]).stat().st_size == entry["bytes"] > 0 for entry in files)
    said = export(RESNET, plan, "--to", form, "-o", tmp_path / "exported")
    assert said.out.splitlines()[-1].startswith(f"wrote {files[-1]['file']} ({form}, ")


def test_stages_are_written_and_checked(export: Any, tmp_path: Path, onnx: tuple[Path, Path]) -> None:
    ran = export(*onnx, "--to", "onnx-stages", "-o", tmp_path / "stages", "--samples", "1", "--json")
    assert ran.status == 0
    assert ran.json | {"files": [], "notes": []} == {
        "format": "onnx-stages", "folder": str(tmp_path / "stages"), "files": [], "verified": True, "checked": 1,
        "exact": True, "largest_difference": 0.0, "tolerance": 1e-5, "notes": [],
    }  # fmt: skip
    assert len(ran.json["files"]) == 3
    for entry in ran.json["files"]:
        assert Path(entry["file"]).stat().st_size == entry["bytes"]
        assert set(entry) == {"file", "model", "device", "inputs", "outputs", "bytes"}
    assert "batch = 1" in ran.err


def test_the_check_can_be_left_out(export: Any, tmp_path: Path, onnx: tuple[Path, Path]) -> None:
    ran = export(*onnx, "--to", "onnx-stages", "-o", tmp_path / "stages", "--no-check")
    assert (
        ran.status == 0
        and ran.out.splitlines()[0] == f"wrote 3 stages to {tmp_path / 'stages'} (onnx-stages)"
    )
    assert ran.out.splitlines()[-1].startswith("not run: ")
    assert (tmp_path / "stages" / "net_segment_2_of_3.onnx").is_file()


def test_a_check_that_fails_is_status_1(
    export: Any, tmp_path: Path, onnx: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    right = onnx_stages.onnx_stage

    def wrong(*arguments: Any) -> OnnxStage:
        stage = right(*arguments)
        for value in stage.model.graph.output:
            value.name = f"not {value.name}"
        return stage

    monkeypatch.setattr(onnx_stages, "onnx_stage", wrong)
    ran = export(*onnx, "--to", "onnx-stages", "-o", tmp_path / "stages", "--json")
    assert ran.status == 1 and ran.json["verified"] is False and ran.json["files"] == []
    assert ran.json["failure"] in ran.err and "nothing was written" in ran.json["failure"]
    assert not (tmp_path / "stages").exists()


@pytest.mark.parametrize(
    ("form", "place", "words"),
    [
        ("onnx-stages", "stages", "small.json (small) is no ONNX file"),
        ("tflite-stages", "stages", "small.json is not a TFLite model"),
        ("edge-tpu", "report", "has no Edge TPU segments"),
        ("onnx-stages", "nowhere/stages", "does not exist; make it"),
        ("onnx-stages", ".", "choose a new or empty folder"),
        ("csv", ".", "is a folder"),
    ],
)
def test_what_cannot_be_exported_is_status_2(
    export: Any, tmp_path: Path, form: str, place: str, words: str
) -> None:
    plan = plan_file(SMALL, Pipeline(count=2), tmp_path / "plan.json")
    ran = export(SMALL, plan, "--to", form, "-o", tmp_path / place)
    assert (ran.status, ran.out) == (2, "") and ran.err.count("\n") == 1
    assert words in ran.err
    assert {p.name for p in tmp_path.iterdir()} - {"xdg"} == {"plan.json"}


def test_samples_are_a_number(export: Any, tmp_path: Path) -> None:
    ran = export(SMALL, "p.json", "--to", "onnx-stages", "-o", tmp_path / "s", "--samples", "0")
    assert ran.status == 2 and "0 is not from 1 to 10,000" in ran.err
