"""``stageboard evaluate``: the figures of a plan file found again, what it remembers of the reading, and what is wrong with it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.planner.cli.calling import PLAN_FIELDS, RESNET, SMALL, UNET


def test_evaluate_gives_the_same_objective(stageboard: Any, plan_file: Path) -> None:
    said = json.loads(plan_file.read_text())["evaluation"]
    ran = stageboard("evaluate", RESNET, plan_file, "--json")
    assert ran.status == 0
    claims = {"claimed_bound", "claimed_component", "claimed_method", "claimed_by"}
    assert (
        set(ran.json) == PLAN_FIELDS - {"status", "stop_reason", "seconds", "prove_seconds", "seed"} | claims
    )
    assert ran.json["objective"] == pytest.approx(said["objective"], rel=1e-9)
    assert ran.json["devices"] == said["devices"]


def test_evaluate_has_the_rows_of_compare(stageboard: Any, tmp_path: Path) -> None:
    file = str(tmp_path / "a.plan.json")
    stageboard("plan", SMALL, "--target", "pipeline:2", "--planner", "slice", "--prove", "off", "-o", file)
    said = stageboard("evaluate", SMALL, file).out
    assert "throughput, estimated" in said and "latency, estimated" in said


# ---------------------------------------------------------------------- how the model was read
def test_a_batch_is_remembered_by_the_plan(stageboard: Any, tmp_path: Path) -> None:
    file = tmp_path / "plan.json"
    stageboard("plan", UNET, "--target", "pool:2+1", "--batch", "4", "-o", file)
    assert stageboard("evaluate", UNET, file).status == 0
    ran = stageboard("evaluate", UNET, file, "--batch", "2")
    assert ran.status == 2 and "batch 4" in ran.sentence


def test_what_is_counted_in_a_precision_is_said_of_plans(stageboard: Any, tmp_path: Path) -> None:
    one, two = (str(tmp_path / f"{name}.plan.json") for name in ("file", "int8"))
    for file, target in ((one, "edge-tpu:2,precision=file"), (two, "edge-tpu:2")):
        ran = stageboard(
            "plan",
            RESNET,
            "--target",
            target,
            "--planner",
            "edge-tpu-balanced",
            "--prove",
            "off",
            "-o",
            file,
            "--json",
        )
        words = ran.json.get("counted_in")
    assert words is not None and words.startswith("int8 bytes")
    assert "counted_in" not in stageboard("evaluate", RESNET, one, "--prove", "off", "--json").json
    assert stageboard("evaluate", RESNET, two, "--prove", "off", "--json").json["counted_in"] == words


def test_a_precision_is_remembered_by_the_plan(stageboard: Any, tmp_path: Path) -> None:
    file = tmp_path / "plan.json"
    stored, counted = (stageboard("info", UNET, "--precision", p, "--json").json for p in ("file", "int8"))
    assert counted["param_bytes"] * 4 == stored["param_bytes"] and counted["precision"] == "int8"
    assert "precision" not in stored and "counted_in" not in stored
    assert counted["counted_in"] == "int8 bytes and times"
    assert "int8 bytes and times" in stageboard("info", UNET, "--precision", "int8").out
    assert "int8 bytes, op times as in the file" in stageboard("info", SMALL, "--precision", "int8").out
    planned = stageboard("plan", UNET, "--target", "pool:2+1", "--precision", "int8", "-o", file, "--json")
    assert planned.status == 0
    again = stageboard("evaluate", UNET, file, "--json")
    assert again.status == 0 and again.json["objective"] == planned.json["objective"]
    ran = stageboard("evaluate", UNET, file, "--precision", "file")
    assert ran.status == 2 and "read the model with that precision" in ran.sentence
    assert stageboard("plan", UNET, "--target", "pool:2+1", "--precision", "int4").status == 2


# ---------------------------------------------------------------------- plans that are wrong
def test_an_invalid_plan_is_status_1_and_says_why(stageboard: Any, plan_file: Path) -> None:
    data = json.loads(plan_file.read_text())
    for op in data["decision"]["ops"]:
        if op["name"] == "conv1_conv":
            op["device"] = "stage 3"
    del data["evaluation"], data["bounds"]
    plan_file.write_text(json.dumps(data))
    ran = stageboard("evaluate", RESNET, plan_file, "--json")
    assert ran.status == 1 and ran.json["valid"] is False
    violation = ran.json["violations"][0]
    assert set(violation) == {"kind", "ops", "devices", "sentence"}
    assert violation["kind"] == "order" and "conv1_conv sends back from stage 3" in violation["sentence"]
    assert violation["sentence"] in stageboard("evaluate", RESNET, plan_file).out


def test_a_plan_that_claims_too_much_is_found_out(stageboard: Any, plan_file: Path) -> None:
    data = json.loads(plan_file.read_text())
    data["evaluation"]["components"]["bottleneck"] *= 0.9
    plan_file.write_text(json.dumps(data))
    ran = stageboard("evaluate", RESNET, plan_file)
    assert ran.status == 1 and "evaluated anew" in ran.err


@pytest.mark.parametrize(
    ("lie", "says"),
    [
        (lambda d: d["evaluation"].update(objective=1.0), "the file says the objective is 1, evaluated anew it is 0.00"),
        (lambda d: d["evaluation"]["devices"][1].update(cost=1.0), "the file says the cost of stage 1 is 1, evaluated anew"),
        (lambda d: d["evaluation"].update(valid=False), "the file says that it breaks rules, evaluated anew it is valid"),
        (lambda d: d["problem"]["target"].update(count=5), "the file lists 4 devices, its target has 5"),
    ],
)  # fmt: skip
def test_every_figure_of_a_plan_is_compared(stageboard: Any, plan_file: Path, lie: Any, says: str) -> None:
    data = json.loads(plan_file.read_text())
    lie(data)
    plan_file.write_text(json.dumps(data))
    ran = stageboard("evaluate", RESNET, plan_file)
    assert ran.status == 1 and says in ran.err
    assert ran.err.count("\n") == 1


def test_a_plan_of_another_graph_is_refused(stageboard: Any, plan_file: Path) -> None:
    ran = stageboard("evaluate", UNET, plan_file)
    assert ran.status == 2 and "is a plan of another graph" in ran.sentence
