"""``--machine``, ``stageboard machines`` and ``stageboard calibrate`` on the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from planner.cli import main
from planner.formats import read_graph
from planner.model.cost_model import CostModel
from planner.model.named_machines import machine

SAMPLES = Path(__file__).resolve().parents[3] / "sample_models"
UNET, TFLITE, RESNET, NETWORK = (
    str(SAMPLES / name) for name in ("unet.onnx", "branchy_int8.tflite", "resnet50.json", "mlp_100.npz")
)


def run(capsys: pytest.CaptureFixture[str], *arguments: str, status: int = 0) -> tuple[Any, str]:
    """The JSON (or text) that a command prints, and what it says beside."""
    assert main(list(arguments)) == status
    streams = capsys.readouterr()
    return (json.loads(streams.out) if "--json" in arguments else streams.out), streams.err


def times_of(model: str, factor: float, path: Path, device: str = "") -> str:
    """A profile of a model whose ops take ``factor`` times what the default cost model says of a CPU."""
    graph = read_graph(model)
    seconds = CostModel().estimate(graph)[1] * factor
    column = ",device" if device else ""
    rows = [
        f"{op},{value!r}{',' + device if device else ''}" for op, value in zip(graph.op_ids, seconds.tolist(), strict=True) if value > 0
    ]  # fmt: skip
    path.write_text("\n".join([f"op,seconds{column}", *rows]) + "\n")
    return str(path)


def test_a_machine_is_used_and_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan = str(tmp_path / "p.json")
    made, _ = run(
        capsys, "plan", RESNET, "--target", "pipeline:4", "--machine", "a100-40gb", "-o", plan, "--json"
    )
    assert made["op_times"]["are"] == "estimated"
    assert made["op_times"]["rates"][0]["machine"] == "a100-40gb"
    assert "A100 data sheet" in made["op_times"]["rates"][0]["source"]
    again, said = run(capsys, "evaluate", RESNET, plan, "--json")
    assert (again["objective"], said) == (made["objective"], "")
    assert again["op_times"]["rates"] == made["op_times"]["rates"]
    text, _ = run(capsys, "evaluate", RESNET, plan)
    assert "stage as a100-40gb (NVIDIA A100 data sheet" in text
    slower, said = run(capsys, "evaluate", RESNET, plan, "--machine", "t4", "--json")
    assert slower["objective"] > made["objective"]
    assert "evaluated again with those at hand" in said
    same, said = run(capsys, "evaluate", RESNET, plan, "--machine", "a100-40gb", "--json")
    assert (same["objective"], said) == (made["objective"], "")


def test_bounds_and_info_take_it_too(capsys: pytest.CaptureFixture[str]) -> None:
    fast, _ = run(
        capsys,
        "bound",
        RESNET,
        "--target",
        "pipeline:4",
        "--method",
        "simple",
        "--machine",
        "h100-pcie",
        "--json",
    )
    slow, _ = run(capsys, "bound", RESNET, "--target", "pipeline:4", "--method", "simple", "--json")
    assert fast["lower_bound"] < slow["lower_bound"]
    info, _ = run(capsys, "info", UNET, "--machine", "t4", "--machine", "cpu-core", "--json")
    assert [one["machine"] for one in info["estimated"]] == ["t4", "cpu-core"]
    text, _ = run(capsys, "info", UNET, "--machine", "cpu-core")
    assert "on any device: cpu-core" in text


def test_a_target_with_rates_of_its_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan = str(tmp_path / "p.json")
    made, _ = run(capsys, "plan", RESNET, "--target", "edge-tpu:2,up=1e9", "--objective", "stage-time", "--machine", "edge-tpu-pcie", "-o", plan, "--json")  # fmt: skip
    assert made["target"] == "edge-tpu:2,down=500e6,up=1e9"
    again, said = run(capsys, "evaluate", RESNET, plan, "--machine", "edge-tpu-usb", "--json")
    assert again["op_times"]["rates"][0]["machine"] == "edge-tpu-usb"
    assert "other times" in said


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["plan", RESNET, "--target", "pipeline:2", "--machine", "t5"], "there is no machine 't5'; choose from t4, "),
        (["plan", RESNET, "--target", "edge-tpu:2", "--machine", "t4"], "t4 says nothing of an Edge TPU pipeline; choose from edge-tpu-usb, edge-tpu-pcie"),
        (["plan", RESNET, "--target", "pipeline:2", "--machine", "edge-tpu-usb"], "choose from t4, "),
        (["plan", RESNET, "--target", "pipeline:2", "--machine", "t4", "--cost-model", "accelerator_flops=1e9"], "leave one out"),
        (["plan", NETWORK, "--target", "memory:100", "--machine", "t4"], "--machine is about graphs"),
        (["info", NETWORK, "--machine", "t4"], "--machine is about graphs"),
        (["info", RESNET, "--machine", "edge-tpu-usb"], "has no rates"),
        (["export", RESNET, "--to", "json", "-o", "x.json", "--machine", "t4"], "leave it out"),
        (["machines", "--remove", "t4"], "only your own"),
        (["calibrate", RESNET, "--name", "a"], "--times"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_one_sentence(
    arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    _, said = run(capsys, *arguments, status=2)
    assert says in said
    assert said.count("\n") == 1


def test_machines_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    found, _ = run(capsys, "machines", "--json")
    named = {one["name"]: one for one in found["machines"]}
    assert named["t4"]["rates"] == {"flops": 8.1e12, "bandwidth": 320e9, "overhead": 5e-6}
    assert named["edge-tpu-pcie"]["parameters"]["edge-tpu"]["down"] == 500e6
    text, _ = run(capsys, "machines")
    assert "8.1 TFLOP/s, 320 GB/s" in text and "NVIDIA T4 data sheet" in text


def test_a_machine_of_ones_own_comes_from_profiles(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    a = times_of(UNET, 4.0, tmp_path / "a.csv", "cpu")
    b = times_of(TFLITE, 4.0, tmp_path / "b.csv", "cpu")
    found, _ = run(capsys, "calibrate", UNET, "--times", a, TFLITE, "--times", b, "--name", "lab", "--json")
    assert found["before"]["total"] == pytest.approx(0.25)
    assert found["after"]["median"] < 1.2 and 0.9 < found["after"]["total"] < 1.1
    assert found["left_out"]["median"] < 2.0
    assert [one["model"] for one in found["models"]] == ["unet", "branchy_int8"]
    assert Path(found["file"]).is_file()
    made, _ = run(capsys, "plan", RESNET, "--target", "pipeline:2", "--machine", "lab", "--json")
    assert made["op_times"]["rates"][0]["machine"] == "lab"
    assert "calibrated on unet, branchy_int8" in made["op_times"]["rates"][0]["source"]
    listed, _ = run(capsys, "machines")
    assert "lab (your own)" in listed and "convolution:" in listed
    _, said = run(capsys, "calibrate", UNET, "--times", a, "--name", "lab", status=2)
    assert "your own already" in said
    text, _ = run(capsys, "calibrate", UNET, "--times", a, "--name", "lab", "--replace")
    assert "estimate to measured" in text and "left out" not in text
    run(capsys, "machines", "--remove", "lab")
    _, said = run(capsys, "plan", RESNET, "--target", "pipeline:2", "--machine", "lab", status=2)
    assert "no machine 'lab'" in said


def test_a_machine_in_a_file_is_read_anywhere(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    times, file = times_of(UNET, 2.0, tmp_path / "t.csv"), str(tmp_path / "lab.json")
    _, said = run(capsys, "calibrate", UNET, "--times", times, "--name", "lab", "-o", file, status=2)
    assert "add --device" in said
    run(capsys, "calibrate", UNET, "--times", times, "--name", "lab", "--device", "accelerator", "-o", file)
    assert machine(file).device == "accelerator"
    found, _ = run(capsys, "plan", UNET, "--target", "pipeline:2", "--machine", file, "--json")
    assert found["op_times"]["rates"][0]["machine"] == "lab"
    listed, _ = run(capsys, "machines", "--json")
    assert "lab" not in [one["name"] for one in listed["machines"]]


def test_profiles_and_models_must_match(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    both = tmp_path / "both.csv"
    graph = read_graph(UNET)
    lines = [f"{op},1e-3,{device}" for device in ("cpu", "accelerator") for op in graph.op_ids]
    both.write_text("\n".join(["op,seconds,device", *lines]) + "\n")
    for arguments, says in (
        ([UNET, TFLITE, "--times", str(both)], "2 models and 1 profile"),
        ([UNET, "--times", str(both)], "name one with --device"),
        ([UNET, "--times", times_of(UNET, 1.0, tmp_path / "c.csv", "cpu"), "--device", "accelerator"], "has no times of a device"),
        ([UNET, "--times", str(both), TFLITE, "--times", times_of(TFLITE, 1.0, tmp_path / "d.csv", "cpu"), "--device", "cpu"], ""),
    ):  # fmt: skip
        _, said = run(
            capsys,
            "calibrate",
            *arguments,
            "--name",
            "lab",
            "-o",
            str(tmp_path / "o.json"),
            status=2 if says else 0,
        )
        assert says in said


def test_what_is_written_says_where_times_come_from(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    times, plan = times_of(UNET, 4.0, tmp_path / "t.csv"), str(tmp_path / "p.json")
    run(capsys, "plan", UNET, "--target", "pool:2+1", "--machine", "a100-40gb", "-o", plan)
    where = {form: str(tmp_path / f"out.{form}") for form in ("txt", "json", "split", "csv")}
    run(capsys, "export", UNET, plan, "--to", "certificate", "-o", where["txt"])
    assert "accelerator as a100-40gb (NVIDIA A100 data sheet" in " ".join(
        Path(where["txt"]).read_text().split()
    )
    run(capsys, "export", UNET, plan, "--to", "device-placement", "-o", where["split"])
    assert "a100-40gb" in json.loads(Path(where["split"]).read_text())["times"]
    stored = json.loads(Path(plan).read_text())["problem"]["cost_model"]
    assert stored["machines"]["accelerator"]["machine"] == "a100-40gb"
    run(capsys, "export", UNET, plan, "--times", times, "--to", "certificate", "-o", where["json"])
    assert json.loads(Path(where["json"]).read_text())["times"][1] == "measured by t.csv"
    run(capsys, "export", UNET, plan, "--times", times, "--to", "csv", "-o", where["csv"])
    head, *rows = (line.split(",") for line in Path(where["csv"]).read_text().splitlines())
    assert head[-4:] == ["estimated", "measured", "measured_over_estimated", "measured_spread"]
    assert all(float(row[-3]) / float(row[-4]) == pytest.approx(float(row[-2])) for row in rows if row[-2])
    assert sum(bool(row[-2]) for row in rows) == 49


def test_this_computer_is_measured_and_kept(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from planner.model.cost_model import Rates
    from planner.runs.calibration import this_computer as subject

    monkeypatch.setattr(subject, "in_child", lambda *_, **__: (Rates(1e11, 2e10, 3e-7), "onnxruntime 1"))
    made, _ = run(capsys, "machines", "--measure", "this-computer", "--json")
    assert made["device"] == "cpu" and made["rates"] == {"flops": 1e11, "bandwidth": 2e10, "overhead": 3e-7}
    assert Path(made["file"]).is_file() and machine("this-computer").rates == Rates(1e11, 2e10, 3e-7)
    _, said = run(capsys, "machines", "--measure", "this-computer", status=2)
    assert "of your own already" in said and said.count("\n") == 1
    text, _ = run(capsys, "machines", "--measure", "this-computer", "--replace")
    assert "100 GFLOP/s, 20 GB/s" in text and "kept in" in text
    for arguments, words in (
        (["--measure", "t4"], "brings along"),
        (["--replace"], "name a machine with it"),
    ):
        _, said = run(capsys, "machines", *arguments, status=2)
        assert words in said
    estimated, _ = run(capsys, "info", UNET, "--machine", "this-computer", "--json")
    assert estimated["estimated"]
