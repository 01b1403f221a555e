"""``stageboard planners``: every planner and bound method, and under which name a planner proves bounds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.planner.cli.calling import SMALL


def test_planners_json(stageboard: Any) -> None:
    from planner.machines.catalogue import planners

    ran = stageboard("planners", "--json")
    assert ran.status == 0 and list(ran.json) == ["planners"]
    entries = {entry["name"]: entry for entry in ran.json["planners"]}
    assert list(entries) == list(planners())
    for entry in entries.values():
        assert {
            "targets",
            "objectives",
            "exact",
            "gives_bounds",
            "bound_method",
            "constraints",
            "options",
            "what",
            "paper",
        } <= set(entry)
        assert entry["targets"] and entry["objectives"] and entry["what"]
    options = {option["name"]: option for option in entries["slice-random"]["options"]}
    assert options["orders"]["default"] == 1000 and options["orders"]["type"] == "int"


def test_a_planner_says_under_which_name_it_proves_bounds(stageboard: Any) -> None:
    from planner.machines.catalogue import bound_methods, planners

    found = {
        entry["name"]: entry["bound_method"] for entry in stageboard("planners", "--json").json["planners"]
    }
    named = {"chip-cp-sat": "cp-sat", "mtpp-mip": "exact", "ideals-dp": "dp", "max-load-ip": "ip", "edge-tpu-ilp": "ilp",
             "edge-tpu-fastest": "fastest", "chain-dp": "chain-dp", "blocks": "blocks"}  # fmt: skip
    assert {name: found[name] for name in named} == named
    assert found["mtpp-cp-sat"] is None and found["slice"] is None
    for name, one in planners().items():
        assert not one.proves_as or (one.gives_bounds and one.proves_as in bound_methods()), name
    out = stageboard("planners").out
    assert "gives bounds (bound --method exact), honours" in out
    assert "gives bounds (no bound method: plan --planner mtpp-cp-sat), honours" in out


@pytest.mark.parametrize(
    ("target", "planner", "method"),
    [("mcm:2", "chip-cp-sat", "cp-sat"), ("pipeline:2", "mtpp-mip", "exact"), ("pool:2+1", "ideals-dp", "dp"),
     ("pool:2+1", "max-load-ip", "ip"), ("edge-tpu:2", "edge-tpu-ilp", "ilp")],
)  # fmt: skip
def test_a_proof_is_called_after_the_bound_method(
    stageboard: Any, target: str, planner: str, method: str, tmp_path: Path
) -> None:
    file = str(tmp_path / "a.plan.json")
    assert (
        stageboard(
            "plan", SMALL, "--target", target, "--planner", planner, "--prove", "off", "-o", file
        ).status
        == 0
    )
    data = json.loads(Path(file).read_text(encoding="utf-8"))
    proven_by = {bound["method"] for bound in data["bounds"]}
    assert method in proven_by and planner not in proven_by


def test_planners_text_names_every_planner_and_bound_method(stageboard: Any) -> None:
    from planner.machines.catalogue import bound_methods, planners

    out = stageboard("planners").out
    assert all(f"  {name} " in out for name in (*planners(), *bound_methods()))
    lines = out.splitlines()
    for method in (*planners().values(), *bound_methods().values()):
        assert any(line.split(None, 1) == [method.name, method.title] for line in lines), method.name
