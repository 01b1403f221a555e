"""``stageboard plan``: fields, the planner that is chosen, its options and limits, constraints, several models."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.planner.cli.calling import DEVICE_FIELDS, ENCODER, PLAN_FIELDS, RESNET, ROOT, TARGET, UNET
from tests.shared_files import shared


def test_plan_json_holds_the_public_fields(stageboard: Any, tmp_path: Path) -> None:
    file = tmp_path / "plan.json"
    ran = stageboard("plan", RESNET, "--target", TARGET, "--planner", "slice-random", "--set", "orders=5",
                     "--seed", "3", "-o", file, "--json")  # fmt: skip
    assert (ran.status, ran.err) == (0, "")
    data = ran.json
    assert set(data) == PLAN_FIELDS
    assert (
        data["planner"] == "slice-random"
        and data["seed"] == 3
        and data["target"] == "pipeline:4,bandwidth=12e9"
    )
    assert data["objective_name"] == "bottleneck" and data["components"] == {"bottleneck": data["objective"]}
    assert data["status"] in ("optimal", "feasible") and data["stop_reason"] == "finished"
    assert data["valid"] is True and data["violations"] == [] and data["plan_file"] == str(file)
    assert 0 < data["lower_bound"] <= data["objective"] and data["seconds"] > 0
    assert data["gap"] == pytest.approx(
        (data["objective"] - data["lower_bound"]) / data["objective"], abs=1e-8
    )
    assert [d["name"] for d in data["devices"]] == ["stage 0", "stage 1", "stage 2", "stage 3"]
    assert all(set(d) == DEVICE_FIELDS for d in data["devices"])
    assert sum(d["ops"] for d in data["devices"]) == 177
    assert max(d["cost"] for d in data["devices"]) == pytest.approx(data["objective"])
    for d in data["devices"]:
        assert d["cost"] == pytest.approx(d["receive"] + d["work"] + d["streaming"] + d["send"])


def test_plan_hints_at_the_objective_for_speed_where_everything_fits(stageboard: Any) -> None:
    asked = ("plan", RESNET, "--target", "edge-tpu:4", "--planner", "edge-tpu-ilp", "--prove", "0.1")
    ran = stageboard(*asked, "--json")
    assert ran.json["objective_name"] == "memory-1-2-3"
    assert ran.err.count("all parameters fit the caches") == 1 and "--objective inference-time" in ran.err
    assert "fit the caches" not in stageboard(*asked, "--objective", "memory-1-2-3").err
    assert "fit the caches" not in stageboard(*asked[:3], "edge-tpu:2", *asked[4:]).err


def test_without_a_planner_a_good_one_is_chosen(stageboard: Any) -> None:
    ran = stageboard("plan", ENCODER, "--target", "pool:2+1", "--json")
    assert ran.status == 0 and ran.json["planner"] == "ideals-dp"


def test_auto_names_who_found_the_plan_and_hands_options_on(stageboard: Any, tmp_path: Path) -> None:
    file = tmp_path / "plan.json"
    ran = stageboard("plan", RESNET, "--target", TARGET, "--planner", "auto", "--set", "rounds=1", "--seed", "5", "-o", file,
                     "--json")  # fmt: skip
    assert ran.status == 0 and ran.json["planner"] in {turn["planner"] for turn in ran.json["tried"]}
    assert stageboard("replay", RESNET, file).status == 0
    refused = stageboard("plan", RESNET, "--target", TARGET, "--set", "nonsense=1")
    assert refused.status == 2 and "has no option 'nonsense'" in refused.err
    refused = stageboard(
        "plan", RESNET, "--target", TARGET, "--planner", "auto", "--set", "planner_options=nonsense"
    )
    assert refused.status == 2 and "not KEY=VALUE" in refused.err


def test_the_same_seed_gives_the_same_plan(stageboard: Any, tmp_path: Path) -> None:
    decisions = []
    for name in ("a.json", "b.json"):
        file = tmp_path / name
        stageboard("plan", RESNET, "--target", TARGET, "--planner", "slice-random", "--set", "orders=20",
                   "--seed", "7", "-o", file)  # fmt: skip
        decisions.append(json.loads(file.read_text())["decision"])
    assert decisions[0] == decisions[1]


def test_several_models_are_deployed_together(stageboard: Any, tmp_path: Path) -> None:
    file = tmp_path / "both.json"
    ran = stageboard("plan", RESNET, UNET, "--target", "pool:3+1", "-o", file, "--json")
    assert ran.status == 0
    ops = sum(stageboard("info", model, "--json").json["ops"] for model in (RESNET, UNET))
    assert sum(d["ops"] for d in ran.json["devices"]) == ops
    again = stageboard("evaluate", RESNET, UNET, file, "--json")
    assert again.status == 0 and again.json["objective"] == pytest.approx(ran.json["objective"], rel=1e-9)


def test_the_cost_model_can_be_set(stageboard: Any, tmp_path: Path) -> None:
    table = tmp_path / "fast.toml"
    table.write_text('[cost_model]\naccelerator_flops = 81e12\naccelerator_bandwidth = "3200 GB/s"\n')
    base = ["plan", RESNET, "--target", "pipeline:1", "--planner", "slice", "--json"]
    usual = stageboard(*base).json["objective"]
    fast = stageboard(*base, "--cost-model", table).json["objective"]
    slow = stageboard(*base, "--cost-model", table, "--cost-model", "accelerator_overhead=1").json[
        "objective"
    ]
    assert fast < usual < slow
    file = tmp_path / "plan.json"
    stageboard(*base, "--cost-model", table, "-o", file)
    assert stageboard("evaluate", RESNET, file, "--json").json["objective"] == pytest.approx(fast, rel=1e-9)


# ---------------------------------------------------------------------- constraints
def test_pins_are_honoured(stageboard: Any, tmp_path: Path) -> None:
    file = tmp_path / "plan.json"
    ran = stageboard("plan", RESNET, "--target", TARGET, "--planner", "slice", "--pin", "conv1_conv=stage 1",
                     "--pin", "predictions=3", "-o", file, "--json")  # fmt: skip
    assert ran.status == 0
    places = {op["name"]: op["device"] for op in json.loads(file.read_text())["decision"]["ops"]}
    assert places["conv1_conv"] == "stage 1" and places["predictions"] == "stage 3"


def test_pins_a_planner_cannot_honour_are_refused(stageboard: Any, tmp_path: Path) -> None:
    file = tmp_path / "plan.json"
    ran = stageboard("plan", RESNET, "--target", "pool:2+1", "--planner", "memory-fill",
                     "--pin", "conv1_conv=acc 0", "-o", file)  # fmt: skip
    assert ran.status == 2 and not file.exists()
    assert "does not honour pin constraints" in ran.sentence


def test_impossible_pins_are_status_1(stageboard: Any) -> None:
    ran = stageboard("plan", RESNET, "--target", TARGET, "--planner", "slice", "--pin", "conv1_conv=stage 3",
                     "--pin", "predictions=stage 0", "--json")  # fmt: skip
    assert ran.status == 1 and ran.json["valid"] is False


# ---------------------------------------------------------------------- how long it searches and proves
def test_time_limit_and_gap_stop_the_search(stageboard: Any) -> None:
    many = ["--planner", "slice-random", "--set", "orders=10000000", "--json"]
    ran = stageboard("plan", RESNET, "--target", TARGET, *many, "--time-limit", "0.3")
    assert ran.status == 0 and ran.json["stop_reason"] == "time"
    ran = stageboard("plan", RESNET, "--target", TARGET, *many, "--gap", "99%")
    assert ran.status == 0 and ran.json["stop_reason"] == "gap" and ran.json["gap"] <= 0.99


def test_a_search_without_limits_ends_when_its_budget_is_spent(
    stageboard: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    denoiser = str(ROOT / "sample_models" / "denoiser.onnx")
    monkeypatch.setattr("planner.search.stop.CPU_SECONDS", 0.0)
    ran = stageboard("plan", denoiser, "--target", "pool:3+1", "--json")
    assert ran.status == 0 and ran.json["stop_reason"] == "time" and ran.json["status"] == "feasible"
    assert [turn["planner"] for turn in ran.json["tried"]] == ["memory-fill"] and ran.json[
        "planner"
    ] == "memory-fill"
    assert "--time-limit 60" in stageboard("plan", denoiser, "--target", "pool:3+1").out


def test_what_is_proven_beside_a_plan_can_be_left_out(stageboard: Any) -> None:
    problem = ("plan", RESNET, "--target", TARGET, "--planner", "slice", "--json")
    without, beside = stageboard(*problem, "--prove", "off").json, stageboard(*problem, "--prove", "60").json
    assert without["bound_method"] == "simple" and without["objective"] == beside["objective"]
    assert beside["lower_bound"] > without["lower_bound"] and beside["bound_method"] != "simple"
    assert "--prove" in stageboard(*problem, "--prove", "soon").err


# ---------------------------------------------------------------------- real workloads
def test_the_expert_split_of_resnet50(stageboard: Any) -> None:
    model = shared("workloads/device-placement/throughput/LayerGraphs/resnet50_inference.json")
    split = shared("workloads/device-placement/expert-splits/resnet50_inference_expert.json")
    ran = stageboard(
        "plan", model, "--target", "pool", "--planner", "expert", "--set", f"split={split}", "--json"
    )
    assert ran.status == 0 and round(ran.json["objective"], 2) == 43.92


def test_dpl_on_bert_12_training(stageboard: Any, tmp_path: Path) -> None:
    model = shared("workloads/device-placement/throughput/OperatorGraphs/bert_L-12_training.json")
    file = tmp_path / "bert.json"
    ran = stageboard("plan", model, "--target", "pool", "--planner", "dpl", "-o", file, "--json")
    assert ran.status == 0 and ran.json["objective"] <= 438.00 * 1.01
    again = stageboard("evaluate", model, file, "--json")
    assert again.json["objective"] == pytest.approx(ran.json["objective"], rel=1e-9)
