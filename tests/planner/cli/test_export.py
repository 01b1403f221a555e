"""``stageboard export``: every format, stages and their check, and what the exit status says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from planner.cli import main
from planner.cli.export import FOLDERS, formats
from planner.export.onnx import stages as onnx_stages
from planner.export.onnx.stage import OnnxStage
from planner.formats import read_model, read_models
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.pipeline.target import Pipeline
from planner.plan_files.plan_json import write_plan
from planner.problem.problem import Problem
from planner.problem.provenance import Provenance
from planner.problem.target import Target
from tests.planner.cli.calling import ENCODER, Ran
from tests.planner.export.onnx_maker import random_model
from tests.planner.export.tflite_maker import skipping

ROOT = Path(__file__).resolve().parents[3]
RESNET = ROOT / "sample_models" / "resnet50.json"
SMALL = ROOT / "tests" / "data" / "small.json"


def plan_file(model: Path, target: Target, place: Path) -> Path:
    graph = read_model(model)
    problem = Problem(graph, target)
    device_of = np.empty(graph.n, np.int32)
    device_of[graph.topological_order] = np.arange(graph.n) * len(problem.devices) // graph.n
    return write_plan(place, problem.plan(device_of, Provenance("test")))


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


@pytest.mark.parametrize("form", [form for form in formats() if form not in (*FOLDERS, "order")])
def test_formats_that_are_files(export: Any, tmp_path: Path, form: str) -> None:
    plan = plan_file(RESNET, EdgeTpuPipeline(count=3), tmp_path / "plan.json")
    ran = export(RESNET, plan, "--to", form, "-o", tmp_path / "exported", "--json")
    assert (ran.status, ran.err) == (0, "")
    files = ran.json.get("files") or [{"file": ran.json["file"], "bytes": ran.json["bytes"]}]
    assert ran.json["format"] == form and ran.json["file"] == files[0]["file"]
    assert all(Path(entry["file"]).stat().st_size == entry["bytes"] > 0 for entry in files)
    said = export(RESNET, plan, "--to", form, "-o", tmp_path / "exported")
    assert said.out.splitlines()[-1].startswith(f"wrote {files[-1]['file']} ({form}, ")


@pytest.mark.parametrize("options", [("--no-check",), ("--samples", "3"), ("--seed", "0")])
def test_options_of_a_check_are_refused_where_nothing_is_checked(
    export: Any, tmp_path: Path, options: tuple[str, ...]
) -> None:
    plan = plan_file(SMALL, Pipeline(count=2), tmp_path / "plan.json")
    ran = export(SMALL, plan, "--to", "csv", *options, "-o", tmp_path / "exported")
    assert ran.status == 2 and f"{options[0]} is about checking stages" in ran.err
    assert not (tmp_path / "exported").exists()


def test_stages_are_written_and_checked(export: Any, tmp_path: Path, onnx: tuple[Path, Path]) -> None:
    ran = export(*onnx, "--to", "onnx-stages", "-o", tmp_path / "stages", "--samples", "1", "--json")
    assert ran.status == 0
    assert ran.json | {"files": [], "notes": []} == {
        "format": "onnx-stages", "folder": str(tmp_path / "stages"), "files": [], "verified": True, "checked": 1,
        "exact": True, "largest_difference": 0.0, "tolerance": 1e-5, "read_back": True, "notes": [],
    }  # fmt: skip
    assert len(ran.json["files"]) == 3
    for entry in ran.json["files"]:
        assert Path(entry["file"]).stat().st_size == entry["bytes"]
        assert set(entry) == {"file", "model", "device", "inputs", "outputs", "bytes"}
    assert "batch = 1" in ran.err


def test_the_last_line_says_all_that_was_verified(export: Any, tmp_path: Path) -> None:
    source = skipping().save(tmp_path / "skip.tflite")
    plan = plan_file(source, EdgeTpuPipeline(count=3), tmp_path / "skip.plan.json")
    ran = export(source, plan, "--to", "tflite-stages", "-o", tmp_path / "stages", "--samples", "2")
    assert ran.status == 0 and ran.out.splitlines()[-1] == (
        "verified on 2 random inputs: the outputs equal the whole model's bit for bit; read back, each file equals its"
        " part of the source"
    )
    ran = export(source, plan, "--to", "tflite-stages", "-o", tmp_path / "stages", "--no-check", "--json")
    assert not ran.json["verified"] and ran.json["read_back"] and not ran.json["exact"]
    manifest = json.loads((tmp_path / "stages" / "manifest.json").read_text())
    assert manifest["verified"] == {"checked": 0, "read_back": True}


def test_models_in_several_formats_are_not_cut_together(
    export: Any, tmp_path: Path, onnx: tuple[Path, Path]
) -> None:
    source = skipping().save(tmp_path / "skip.tflite")
    graph = read_models([onnx[0], source])
    problem = Problem(graph, EdgeTpuPipeline(count=1))
    plan = write_plan(tmp_path / "both.json", problem.plan(np.zeros(graph.n, np.int32), Provenance("test")))
    for form, name in (("onnx-stages", "skip.tflite"), ("tflite-stages", "net.onnx")):
        ran = export(onnx[0], source, plan, "--to", form, "-o", tmp_path / "stages")
        assert ran.status == 2 and f"{name} is no " in ran.err
        assert "plan and export each model by itself" in ran.err
    assert "choose ONNX stages" in export(*onnx, "--to", "tflite-stages", "-o", tmp_path / "stages").err


@pytest.mark.parametrize("form", ["csv", "tflite-stages"])
def test_rules_that_the_plan_breaks_are_noted(export: Any, tmp_path: Path, form: str) -> None:
    source = skipping().save(tmp_path / "skip.tflite")
    graph = read_model(source)
    last_first = np.zeros(graph.n, np.int32)
    last_first[graph.topological_order[:2]] = 1
    problem = Problem(graph, EdgeTpuPipeline(count=2))
    plan = write_plan(tmp_path / "back.json", problem.plan(last_first, Provenance("test")))
    ran = export(
        source, plan, "--to", form, "-o", tmp_path / "out", *(["--no-check"] if form != "csv" else [])
    )
    assert (
        ran.status == 0 and "the plan breaks " in ran.err and "sends back from stage 1 to stage 0" in ran.err
    )


@pytest.mark.parametrize(
    ("form", "place"),
    [("edge-tpu", "net.plan"), ("model-explorer", "net.plan"), ("csv", "net.plan.json"), ("dot", "net.onnx")],
)
def test_an_export_never_replaces_the_plan_or_its_model(
    export: Any, tmp_path: Path, onnx: tuple[Path, Path], form: str, place: str
) -> None:
    before = [file.read_bytes() for file in onnx]
    ran = export(*onnx, "--to", form, "-o", tmp_path / place)
    assert ran.status == 2 and "would be lost; choose another name" in ran.err
    assert [file.read_bytes() for file in onnx] == before


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
        ("onnx-stages", "stages", "small.json is no ONNX file"),
        ("tflite-stages", "stages", "small.json is no TFLite file"),
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
    assert {p.name for p in tmp_path.iterdir()} == {"plan.json"}


def test_samples_are_a_number(export: Any, tmp_path: Path) -> None:
    ran = export(SMALL, "p.json", "--to", "onnx-stages", "-o", tmp_path / "s", "--samples", "0")
    assert ran.status == 2 and "0 is not from 1 to 10,000" in ran.err


@pytest.mark.parametrize("form", ["device-placement", "dot", "csv"])
def test_export(stageboard: Any, plan_file: Path, tmp_path: Path, form: str) -> None:
    file = tmp_path / "exported"
    ran = stageboard("export", RESNET, plan_file, "--to", form, "-o", file, "--json")
    assert ran.status == 0
    assert ran.json == {"format": form, "file": str(file), "bytes": file.stat().st_size}


def test_an_exported_split_comes_back_as_the_same_plan(stageboard: Any, tmp_path: Path) -> None:
    plan, split = tmp_path / "plan.json", tmp_path / "split.json"
    there = stageboard("plan", ENCODER, "--target", "pool:2+1", "-o", plan, "--json").json
    stageboard("export", ENCODER, plan, "--to", "device-placement", "-o", split)
    back = stageboard(
        "plan", ENCODER, "--target", "pool:2+1", "--planner", "expert", "--set", f"split={split}", "--json"
    )
    assert back.status == 0 and back.json["objective"] == pytest.approx(there["objective"], rel=1e-12)


def test_export_knows_its_formats(stageboard: Any, plan_file: Path) -> None:
    ran = stageboard("export", RESNET, plan_file, "--to", "xlsx", "-o", "x")
    assert ran.status == 2 and "device-placement" in ran.sentence
