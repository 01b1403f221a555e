"""The command line on sparse networks: fields, exit statuses, files."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from planner.formats.networks.npz import write_network
from planner.machines.two_level_memory.problem import NetworkProblem
from planner.machines.two_level_memory.target import TwoLevelMemory
from planner.methods.tiny import tiny_network
from planner.plan_files.order_json import to_dict
from planner.plan_files.plan_json import write_plan
from planner.problem.provenance import Provenance
from tests.planner.cli.calling import PLAN_FIELDS, RESNET


@pytest.fixture
def network(tmp_path: Path) -> Path:
    return write_network(tiny_network(), tmp_path / "tiny.npz")


@pytest.fixture
def planned(stageboard, network, tmp_path) -> Path:
    ran = stageboard("plan", network, "--target", "memory:4", "--json", "-o", tmp_path / "tiny.plan.json")
    assert ran.status == 0
    return tmp_path / "tiny.plan.json"


@pytest.mark.parametrize("policy", ["min", "lru", "rr"])
def test_plan_reports_reads_writes_and_what_is_proven(stageboard, network, policy):
    data = stageboard("plan", network, "--target", f"memory:4,policy={policy}", "--json").json
    assert set(data) >= PLAN_FIELDS - {"op_times"}
    assert data["objective"] == data["reads"] + data["writes"]
    assert data["components"] == {"ios": data["objective"]}
    assert data["lower_bound"] == 8 + 6 + 1
    assert data["gap"] == pytest.approx((data["objective"] - 15) / data["objective"])
    assert data["valid"] is True
    assert data["devices"] == []
    assert data["status"] == ("optimal" if data["objective"] == 15 else "feasible")


def test_plan_as_text(stageboard, network):
    said = stageboard("plan", network, "--target", "memory:100").out
    assert "15 I/Os" in said
    assert "reads" in said and "at least 14" in said
    assert "0, optimal" in said


def test_bound(stageboard, network):
    data = stageboard("bound", network, "--target", "memory:4", "--method", "theorem-1", "--json").json
    assert (data["lower_bound"], data["status"], data["method"]) == (15, "proven", "theorem-1")
    assert stageboard("bound", network, "--target", "memory:4", "--json").json["lower_bound"] == 15


def test_a_plan_file_is_evaluated_again(stageboard, network, planned):
    ran = stageboard("evaluate", network, planned, "--json")
    assert ran.status == 0
    assert ran.json["objective"] == json.loads(planned.read_text())["evaluation"]["objective"]


def test_an_order_is_exported_and_opens_as_a_network(stageboard, network, planned, tmp_path):
    out = tmp_path / "order.npz"
    assert (
        stageboard("export", network, planned, "--to", "order", "-o", out, "--json").json["format"] == "order"
    )
    with np.load(out, allow_pickle=False) as arrays:
        assert set(arrays) >= {"source", "target", "weight", "bias", "activation", "inputs", "outputs"}
        assert arrays["source"].dtype == arrays["target"].dtype == np.int32
        order = json.loads(planned.read_text())["decision"]["order"]
        assert arrays["source"].tolist() == tiny_network().source[order].tolist()
    assert stageboard("info", out, "--json").status == 0


def test_repair_delays_what_is_used_too_early(stageboard, network, tmp_path):
    problem = NetworkProblem(tiny_network(), TwoLevelMemory(4))
    broken = tmp_path / "broken.plan.json"
    write_plan(broken, problem.plan(np.arange(7, -1, -1), Provenance("hand")))
    assert stageboard("evaluate", network, broken).status == 1
    ran = stageboard("repair", network, broken, "-o", tmp_path / "mended.plan.json", "--json")
    assert ran.status == 0
    assert ran.json["valid"] is True
    assert ran.json["before"]["valid"] is False
    assert 0 < len(ran.json["moved"]) < 8
    assert stageboard("evaluate", network, tmp_path / "mended.plan.json").status == 0
    again = stageboard(
        "repair", network, tmp_path / "mended.plan.json", "-o", tmp_path / "same.plan.json", "--json"
    )
    assert again.json["moved"] == []
    refused = stageboard("repair", network, broken, "--keep", "a", "-o", tmp_path / "x.plan.json")
    assert (refused.status, "--keep names an op" in refused.sentence) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["plan", "NETWORK", "--target", "pipeline:4"], "is a sparse network; plan it with --target memory:100"),
        (["plan", RESNET, "--target", "memory:100"], "network"),
        (["plan", "NETWORK", "--target", "memory:2"], "whole number from 3"),
        (["plan", "NETWORK", "--target", "memory:100,policy=x"], "no eviction policy"),
        (["plan", "NETWORK", "--target", "memory:100", "--pin", "a=b"], "--pin is about graphs"),
        (["plan", "NETWORK", "--target", "memory:100", "--batch", "2"], "--batch is about graphs"),
        (["plan", "NETWORK", "--target", "memory:100", "--precision", "int8"], "--precision is about graphs"),
        (["plan", "NETWORK", "--target", "memory:100", "--granularity", "layer"], "--granularity is about graphs"),
        (["plan", "NETWORK", "--target", "memory:100", "--cost-model", "a=1"], "--cost-model is about graphs"),
        (["plan", "NETWORK", "--target", "memory:100", "--planner", "anneal"], "does not plan for a two-level memory"),
        (["plan", RESNET, "--target", "pipeline:4", "--planner", "locality"], "'locality' does not plan for a pipeline"),
        (["plan", RESNET, "--target", "pipeline:4", "--density", "0.1"], "--density prunes sparse networks"),
        (["export", "NETWORK", "PLAN", "--to", "csv", "-o", "x.csv"], "export it with --to order"),
        (["evaluate", "NETWORK", "PLAN", "--batch", "2"], "--batch is about graphs"),
        (["evaluate", "NETWORK", "PLAN", "--precision", "int8"], "--precision is about graphs"),
        (["info", "NETWORK", "--precision", "int8"], "--precision is about graphs"),
        (["evaluate", RESNET, "PLAN"], "network"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_one_sentence(stageboard, network, planned, arguments, said):
    names = {"NETWORK": str(network), "PLAN": str(planned)}
    ran = stageboard(*(names.get(a, a) for a in arguments))
    assert ran.status == 2
    assert said in ran.sentence


def test_a_plan_of_another_network_says_how_they_differ(stageboard, planned, tmp_path):
    stageboard("generate", "tree", "--set", "inputs=7", "-o", tmp_path / "tree.npz")
    other = tmp_path / "tree.npz"
    if not other.exists():
        pytest.fail("generate wrote no tree")
    ran = stageboard("evaluate", other, planned)
    assert ran.status == 2
    assert "is a plan of another network" in ran.sentence


def test_the_decision_is_one_line_of_numbers(planned):
    text = planned.read_text()
    assert text.count("\n") == 1
    problem = NetworkProblem(tiny_network(), TwoLevelMemory(4))
    assert set(json.loads(text)) == set(to_dict(problem.plan(np.arange(8), Provenance("hand"))))
