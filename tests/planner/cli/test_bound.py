"""``stageboard bound``: fields, the method that is chosen, and what pins do to a bound."""

from __future__ import annotations

from typing import Any

import pytest

from planner.formats import read_graph
from tests.planner.cli.calling import RESNET, TARGET, UNET


def test_bound(stageboard: Any) -> None:
    ran = stageboard("bound", RESNET, "--target", TARGET, "--method", "simple", "--json")
    assert ran.status == 0
    assert {"method", "lower_bound", "status", "seconds"} <= set(ran.json)
    assert ran.json["status"] == "proven"
    plan = stageboard(
        "plan", RESNET, "--target", TARGET, "--planner", "slice", "--prove", "off", "--json"
    ).json
    assert ran.json["lower_bound"] == plan["lower_bound"] <= plan["objective"]
    assert "bottleneck at least" in stageboard("bound", RESNET, "--target", TARGET, "--method", "simple").out


def test_without_a_method_the_bound_is_proven_by_one_that_suits_the_problem(stageboard: Any) -> None:
    for model, target, method in ((RESNET, TARGET, "chain-dp"), (UNET, "pool:2+1", "dp")):
        ran = stageboard("bound", model, "--target", target, "--time-limit", "20", "--json")
        assert ran.json["method"] == method
        simple = stageboard("bound", model, "--target", target, "--method", "simple", "--json").json
        assert ran.json["lower_bound"] >= simple["lower_bound"] * (1 - 1e-9)


def test_a_bound_without_a_method_is_never_below_the_simple_one(
    stageboard: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from planner.machines.pool.bounds.dp import Dp

    monkeypatch.setattr(Dp, "prove", lambda self, problem, search: None)
    command = ["bound", UNET, "--target", "pool:2+1", "--json"]
    ran = stageboard(*command)
    assert ran.json["method"] == "simple" and ran.json["status"] == "proven"
    assert stageboard(*command, "--method", "dp").json["status"] == "no_bound"


def test_pins_raise_the_bound(stageboard: Any) -> None:
    command = ["bound", UNET, "--target", "pool:2+1", "--method", "simple", "--json"]
    free = stageboard(*command).json
    graph = read_graph(UNET)
    heaviest = graph.op_ids[int(graph.macs.argmax())]
    pinned = stageboard(*command, "--pin", f"{heaviest}=cpu 0").json
    assert pinned["lower_bound"] > free["lower_bound"]
    assert any(token.startswith("pin:") for token in pinned["assumes"])
