"""``stageboard evaluate --simulate``, and what other machines and wrong options say to it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from planner.formats import read_models
from planner.machines.mcm.simulation.simulator import SimulationSettings, Simulator
from planner.plan_files.plan_json import open_plan
from planner.problem.base import decision_of
from tests.planner.cli.calling import RESNET

TARGET = "mcm:4,precision=int8"


@pytest.fixture
def chips(stageboard: Any, tmp_path: Path) -> Path:
    """A plan on four chips."""
    file = tmp_path / "chips.plan.json"
    assert stageboard("plan", RESNET, "--target", TARGET, "--planner", "chip-greedy", "-o", file).status == 0
    return file


def test_a_simulation_stands_beside_the_analytical_cost(stageboard: Any, chips: Path) -> None:
    plain = stageboard("evaluate", RESNET, chips, "--json").json
    ran = stageboard(
        "evaluate", RESNET, chips, "--simulate", "--set", "inferences=20", "--set", "seed=4", "--json"
    )
    assert ran.status == 0
    every = ran.json
    said = every.pop("simulated")
    assert every == plain
    plan = open_plan(chips, read_models([Path(RESNET)])).plan
    found = Simulator(plan.problem.evaluator, SimulationSettings(20, 0.05, 4)).run(decision_of(plan))
    assert said["interval"] == found.interval and said["throughput"] == 1 / found.interval
    assert said["latency"] == found.latency and said["unplaced"] is None
    assert (said["inferences"], said["jitter"], said["seed"]) == (20, 0.05, 4)
    assert [d["name"] for d in said["devices"]] == [f"chip {c}" for c in range(4)]
    for field, values in (("busy", found.busy), ("link", found.links), ("memory", found.high)):
        assert [d[field] for d in said["devices"]] == values.tolist()
    words = " ".join(stageboard("evaluate", RESNET, chips, "--simulate").out.split())
    assert "µs per inference, " in words or "ms per inference, " in words
    for label in ("simulated latency", "simulated use chip", "simulated memory chip"):
        assert label in words


def test_a_plan_that_does_not_run_says_where(stageboard: Any, tmp_path: Path) -> None:
    file = tmp_path / "tight.plan.json"
    target = "mcm:4,precision=int8,sram=1MiB,check_memory=false"
    assert stageboard("plan", RESNET, "--target", target, "--planner", "chip-greedy", "-o", file).status == 0
    ran = stageboard("evaluate", RESNET, file, "--simulate", "--json")
    said = ran.json["simulated"]
    assert ran.status == 1 and ran.json["valid"]
    # Without the rule nobody was told that it fits, so it is said to whoever asks.
    assert "does_not_run" not in ran.json
    assert stageboard("evaluate", RESNET, file).status == 0
    assert said["interval"] is said["throughput"] is said["latency"] is None
    assert said["unplaced"]["chip"] == "chip 0" and said["unplaced"]["wanted"] > said["unplaced"]["largest"]
    assert said["reason"].startswith("chip 0 has no place for ")
    shown = stageboard("evaluate", RESNET, file, "--simulate").out
    assert "does not run: chip 0 has no place for" in shown and "simulated latency" not in shown
    assert "The memory rule is off" in " ".join(shown.split()) and "although valid" in shown


def test_a_valid_plan_that_does_not_run_is_said_to_by_whoever_tells_of_it(
    stageboard: Any, tmp_path: Path
) -> None:
    """The rule's sum fits, the allocator's buffers do not."""
    file = tmp_path / "tight.plan.json"
    planning = ["--target", "mcm:4,precision=int8,sram=20MiB", "--planner", "chip-greedy", "--prove", "off"]
    planned = stageboard("plan", RESNET, *planning, "-o", file)
    assert planned.status == 0 and "does not run: chip 3 has no place for" in planned.out
    assert stageboard("plan", RESNET, *planning, "--json").json["does_not_run"].startswith("chip 3 has no")
    plain = stageboard("evaluate", RESNET, file, "--prove", "off")
    assert plain.status == 0 and "does not run: chip 3" in plain.out and "although valid" in plain.out
    asked = stageboard("evaluate", RESNET, file, "--prove", "off", "--simulate")
    assert asked.status == 1 and asked.out.count("does not run") == 1
    larger = stageboard("evaluate", RESNET, file, "--prove", "off", "--simulate", "--set", "sram=32MiB")
    assert larger.status == 0 and "simulated latency" in larger.out and "does not run" not in larger.out
    repaired = stageboard("repair", RESNET, file, "-o", tmp_path / "repaired.plan.json")
    assert "does not run: chip 3 has no place for" in repaired.out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--set", "jitter=0"], "add --simulate"),
        (["--simulate", "--set", "jiter=0"], "'simulation' has no option 'jiter'"),
        (["--simulate", "--set", "jitter=2"], "option 'jitter' is 2.0; it must lie between 0 and 0.99"),
        (["--simulate", "--set", "inferences=1"], "it must lie between 2 and 100000"),
    ],
)
def test_wrong_options_are_refused(stageboard: Any, chips: Path, arguments: list[str], sentence: str) -> None:
    ran = stageboard("evaluate", RESNET, chips, *arguments)
    assert ran.status == 2 and sentence in ran.sentence


def test_machines_without_a_simulation_say_who_has_one(stageboard: Any, tmp_path: Path) -> None:
    file = tmp_path / "stages.plan.json"
    stageboard("plan", RESNET, "--target", "pipeline:4", "--planner", "slice", "-o", file)
    ran = stageboard("evaluate", RESNET, file, "--simulate")
    assert ran.status == 2 and "evaluate a plan of a multi-chip module" in ran.sentence


def test_a_plan_that_leads_back_does_not_run(stageboard: Any, chips: Path) -> None:
    data = json.loads(chips.read_text())
    data["decision"]["ops"][0]["device"] = "chip 3"
    chips.write_text(json.dumps(data))
    ran = stageboard("evaluate", RESNET, chips, "--simulate", "--json")
    said = ran.json["simulated"]
    assert ran.status == 1 and said["interval"] is said["unplaced"] is None
    assert "leads back to an earlier chip" in said["reason"]
    assert (
        "does not run: the plan has a dependency" in stageboard("evaluate", RESNET, chips, "--simulate").out
    )
