"""``stageboard repair`` as people script it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from planner.formats import read_graph
from planner.plan_files.plan_json import read_plan
from tests.planner.cli.calling import RESNET, TARGET

FIELDS = {
    "planner", "target", "objective_name", "objective", "components", "valid", "violations", "devices", "status", "sentence",
    "ops", "moved", "moved_at_least", "fewest", "kept_moved", "op_times", "moved_at_least_keeping", "before", "seconds", "seed", "plan_file",
}  # fmt: skip


@pytest.fixture
def plan_file(stageboard: Any, tmp_path: Path) -> Path:
    file = tmp_path / "plan.json"
    assert stageboard("plan", RESNET, "--target", TARGET, "--planner", "slice", "-o", file).status == 0
    return file


def edited(file: Path, *places: tuple[str, str], pins: tuple[tuple[str, str], ...] = ()) -> Path:
    """A copy of a plan file with ops on other devices, and with pins."""
    data = json.loads(file.read_text())
    for op in data["decision"]["ops"]:
        op["device"] = dict(places).get(op["id"], op["device"])
    data["problem"]["constraints"] += [{"kind": "pin", "op": op, "device": device} for op, device in pins]
    del data["evaluation"], data["bounds"]
    other = file.with_name("edited.json")
    other.write_text(json.dumps(data))
    return other


def test_a_broken_plan_becomes_valid(stageboard: Any, plan_file: Path, tmp_path: Path) -> None:
    broken, out = edited(plan_file, ("conv1_bn", "stage 3")), tmp_path / "repaired.json"
    ran = stageboard("repair", RESNET, broken, "-o", out, "--json")
    assert ran.status == 0 and set(ran.json) == FIELDS
    assert ran.json["moved"] == [{"op": "conv1_bn", "name": "conv1_bn", "from": "stage 3", "to": "stage 0"}]
    assert ran.json["valid"] and ran.json["fewest"] and ran.json["moved_at_least"] == 1
    assert ran.json["before"]["valid"] is False and ran.json["before"]["violations"]
    assert ran.json["plan_file"] == str(out)
    assert stageboard("evaluate", RESNET, out).status == 0
    plan, _ = read_plan(out, read_graph(RESNET))
    assert plan.provenance.planner == "repair" and "Moved 1 of 177 ops" in plan.provenance.note
    text = stageboard("repair", RESNET, broken, "-o", out).out
    assert "Moved 1 of 177 ops: conv1_bn from stage 3 to stage 0" in text and "1 violation" in text


def test_what_is_kept_stays(stageboard: Any, plan_file: Path, tmp_path: Path) -> None:
    broken, out = edited(plan_file, ("conv1_bn", "stage 1")), tmp_path / "repaired.json"
    ran = stageboard("repair", RESNET, broken, "-o", out, "--keep", "conv1_bn")
    assert ran.status == 0 and "  > " in ran.out and "and " in ran.out
    data = json.loads(out.read_text())
    places = {op["id"]: op["device"] for op in data["decision"]["ops"]}
    assert places["conv1_bn"] == "stage 1"
    assert stageboard("repair", RESNET, broken, "-o", out, "--keep", "conv1").status == 2


def test_a_kept_op_that_could_not_stay_is_named_with_the_reason(
    stageboard: Any, plan_file: Path, tmp_path: Path
) -> None:
    broken, out = (
        edited(plan_file, ("conv1_conv", "stage 3"), ("conv1_bn", "stage 0")),
        tmp_path / "repaired.json",
    )
    kept = ("--keep", "conv1_conv", "--keep", "conv1_bn", "--time-limit", "20")
    data = stageboard("repair", RESNET, broken, "-o", out, *kept, "--json").json
    (gone,) = data["kept_moved"]
    assert set(gone) == {"op", "name", "from", "to", "proven", "reason"}
    assert gone["op"] in ("conv1_conv", "conv1_bn") and gone["from"] != gone["to"] and gone["proven"]
    assert "conv1_conv leads to conv1_bn" in gone["reason"] or "conv1_conv feeds conv1_bn" in gone["reason"]
    assert data["moved_at_least"] <= len(data["moved"]) and data["moved_at_least_keeping"] is None
    assert f"{gone['name']} was to be kept" in data["sentence"]
    text = stageboard("repair", RESNET, broken, "-o", out, *kept).out
    assert "not kept" in text and "cannot be kept together with" in text


def test_a_valid_plan_is_written_as_it_is(stageboard: Any, plan_file: Path, tmp_path: Path) -> None:
    out = tmp_path / "same.json"
    ran = stageboard("repair", RESNET, plan_file, "-o", out, "--json")
    assert ran.status == 0 and ran.json["moved"] == [] and "nothing was moved" in ran.json["sentence"]
    old, new = json.loads(plan_file.read_text()), json.loads(out.read_text())
    assert new["decision"] == old["decision"] and new["provenance"]["planner"] == "slice"


def test_where_there_is_no_plan_nothing_is_written(
    stageboard: Any,
    plan_file: Path,
    tmp_path: Path,
) -> None:
    broken = edited(plan_file, pins=(("conv1_conv", "stage 3"), ("predictions", "stage 0")))
    out = tmp_path / "none.json"
    ran = stageboard("repair", RESNET, broken, "-o", out, "--json")
    assert ran.status == 1 and not out.exists()
    assert ran.json["status"] == "infeasible" and ran.json["plan_file"] is None and ran.json["devices"] == []
    assert ran.json["explanation"]["ops"] and "pinned" in ran.err
    assert stageboard("repair", RESNET, broken, "-o", out).status == 1


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["-o", "/nowhere/at/all.json"], "there is no folder"),
        ([], "required"),
        (["-o", "x.json", "--time-limit", "0"], "seconds above 0"),
    ],
)
def test_bad_input_is_one_line(stageboard: Any, plan_file: Path, more: list[str], words: str) -> None:
    ran = stageboard("repair", RESNET, plan_file, *more)
    assert ran.status == 2 and words in ran.sentence
