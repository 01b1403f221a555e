"""``stageboard info``: fields, text, the batch, warnings."""

from __future__ import annotations

from typing import Any

from tests.planner.cli.calling import RESNET, ROOT, UNET


def test_info_json_holds_the_public_fields(stageboard: Any) -> None:
    ran = stageboard("info", RESNET, "--json")
    assert (ran.status, ran.err) == (0, "")
    assert ran.json == {
        "name": "ResNet50", "format": "stageboard-graph", "ops": 177, "edges": 192, "depth": 168, "max_degree": 2,
        "params": 25636712, "param_bytes": 102546848, "macs": ran.json["macs"], "warnings": [],
    }  # fmt: skip
    assert isinstance(ran.json["macs"], int) and 3.8e9 < ran.json["macs"] < 3.9e9


def test_info_text(stageboard: Any) -> None:
    out = stageboard("info", RESNET).out
    assert "25.64 M" in out and "97.80 MiB" in out and "none given" in out


def test_info_binds_the_batch(stageboard: Any) -> None:
    one, eight = (stageboard("info", UNET, "--batch", b, "--json").json for b in ("1", "8"))
    assert eight["macs"] == 8 * one["macs"] and eight["params"] == one["params"]


def test_info_tells_warnings(stageboard: Any) -> None:
    model = ROOT / "tests" / "data" / "control_flow.onnx"
    ran = stageboard("info", model, "--json")
    assert ran.status == 0 and len(ran.json["warnings"]) >= 1
    assert f"! {ran.json['warnings'][0]}" in stageboard("info", model).out
