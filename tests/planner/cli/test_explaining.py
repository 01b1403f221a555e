"""``stageboard plan`` where no valid plan is found: why, what would help, what was tried, and the exit status."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from planner.machines.catalogue import machine_of, planner
from planner.search.result import Result
from tests.planner.cli.calling import PLAN_FIELDS, RESNET, TARGET


def test_no_valid_plan_is_status_1_and_writes_nothing(
    stageboard: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What one look at the ops tells is said before planners are prepared."""
    monkeypatch.setattr(
        "planner.runs.warm_up.warm_planner", lambda *_: pytest.fail("nothing is to be searched")
    )
    file = tmp_path / "plan.json"
    ran = stageboard("plan", RESNET, "--target", "pool:2+0,memory=1KiB", "-o", file, "--json")
    assert ran.status == 1 and not file.exists()
    assert set(ran.json) == {*PLAN_FIELDS, "tried", "explanation"}
    assert ran.json["status"] == "infeasible" and ran.json["objective"] is None
    assert ran.json["valid"] is False and ran.json["devices"] == [] and ran.json["plan_file"] is None
    explanation = ran.json["explanation"]
    assert set(explanation) == {"sentence", "ops", "rules", "remedies"} and "memory" in explanation["rules"]
    first, *further = ran.err.splitlines()
    assert first == f"stageboard: no valid plan exists: {explanation['sentence']}"
    assert "surely needed: " in further[0] and further[1] == "stageboard: trying what would help"
    assert all("what would help: " in line for line in further[2:])
    assert len(further[2:]) == len(explanation["remedies"]) > 0


BINS = """{"format": "stageboard-graph", "version": 1, "name": "bins", "time_unit": "s", "ops": [
{"id": "a", "work": 1, "work_cpu": 1, "memory": 6}, {"id": "b", "work": 1, "work_cpu": 1, "memory": 6},
{"id": "c", "work": 1, "work_cpu": 1, "memory": 6}], "tensors": [{"from": "a", "to": ["b"], "bytes": 1}]}"""
"""Three ops of 6 bytes: they fit two devices of 10 bytes only if one of them could be divided."""


def test_what_was_tried_is_named_where_nothing_was_found(
    stageboard: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = tmp_path / "bins.json"
    model.write_text(BINS)
    problem = (model, "--target", "pool:2+0,memory=10,contiguous=false", "--json")
    ran = stageboard("plan", *problem)
    assert ran.status == 1 and ran.json["status"] == "infeasible" and ran.json["planner"] == "max-load-ip"
    assert [t["planner"] for t in ran.json["tried"]][-1] == "max-load-ip"
    # Without the planner that proves it, and the one after it.
    monkeypatch.setattr("planner.machines.trying.own_planner", lambda problem: planner("dpl"))
    monkeypatch.setattr(
        "planner.machines.trying.machine_of",
        lambda problem: dataclasses.replace(machine_of(problem), further=()),
    )
    ran = stageboard("plan", *problem)
    assert ran.status == 1 and ran.json["status"] == "no_plan" and "explanation" not in ran.json
    assert (
        "nor a proof that there is none; tried were 'memory-fill' (found none), 'dpl' (found none)" in ran.err
    )


def test_a_plan_that_turns_up_while_the_reason_is_sought_is_given(
    stageboard: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nothing(planner: Any, problem: Any, *given: Any, **named: Any) -> Result:
        return Result(planner.name, problem, None, None, (), "no_plan", "finished", 0.0, 0, {}, 0)

    monkeypatch.setattr("planner.runs.planning.run", nothing)
    file = tmp_path / "plan.json"
    ran = stageboard("plan", RESNET, "--target", TARGET, "-o", file, "--json")
    assert ran.status == 0 and ran.json["planner"] == "feasibility" and ran.json["valid"] is True
    assert stageboard("evaluate", RESNET, file).status == 0
    assert "which is no planner" in stageboard("replay", RESNET, file).sentence
