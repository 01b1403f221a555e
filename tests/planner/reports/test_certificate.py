"""Certificates agree with ``stageboard evaluate``, on every target, and believe nothing but the decision."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from planner.cli import main
from planner.errors import StageboardError
from planner.formats import read_model
from planner.formats.networks.read import read_network
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.mcm.target import McmPackage
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.machines.two_level_memory.problem import NetworkProblem, OrderPlan
from planner.machines.two_level_memory.target import TwoLevelMemory
from planner.plan_files.plan_json import write_plan
from planner.problem.bound import Bound
from planner.problem.per_device import PerDevice
from planner.problem.problem import Pin, Plan, Problem, Together
from planner.problem.provenance import Provenance
from planner.problem.target import Target
from planner.quantity import bytes_text
from planner.reports.certificate.certificate import certificate, digest, to_dict
from planner.reports.certificate.text import certificate_text, setting_text, status_words
from planner.reports.certificate.write import to_certificate

ROOT = Path(__file__).resolve().parents[3]
SMALL = ROOT / "tests" / "data" / "small.json"
RESNET = ROOT / "sample_models" / "resnet50.json"
NETWORK = ROOT / "sample_models" / "mlp_100.npz"
CASES: dict[str, tuple[Path, Target, str]] = {
    "pipeline": (RESNET, Pipeline(4), ""),
    "edge-tpu": (RESNET, EdgeTpuPipeline(4), "memory-1-2-3"),
    "stage-time": (RESNET, EdgeTpuPipeline(3, shared_children=True), "stage-time"),
    "pool": (RESNET, DevicePool(3, 1, contiguous=False), "max-load"),
    "latency": (RESNET, DevicePool(2, 1), "latency"),
    "mcm": (RESNET, McmPackage(6), ""),
}  # fmt: skip


def plan_of(case: str) -> tuple[Path, Plan | OrderPlan]:
    if case == "memory":
        problem = NetworkProblem(read_network(str(NETWORK)), TwoLevelMemory(size=40, policy="lru"))
        order = np.argsort(problem.network.rank[problem.network.target], kind="stable").astype(np.int32)
        return NETWORK, problem.plan(order, Provenance("natural", {"a": 1}, seed=3, seconds=0.2), "natural")
    model, target, objective = CASES[case]
    graph = read_model(model)
    made = Problem(graph, target, objective)
    device_of = np.empty(graph.n, np.int32)
    device_of[graph.topological_order] = np.arange(graph.n) * len(made.devices) // graph.n
    return model, made.plan(device_of, Provenance("by hand", seed=7), "even")


@pytest.mark.parametrize("case", [*CASES, "memory"])
def test_agrees_with_evaluate(case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model, plan = plan_of(case)
    file = write_plan(tmp_path / "x.plan.json", plan)
    main(["evaluate", str(model), str(file), "--json"])
    evaluated: dict[str, Any] = json.loads(capsys.readouterr().out)
    certified = to_dict(certificate(plan))
    for key, value in certified["evaluation"].items():
        assert evaluated[key] == value, key
    assert evaluated["target"] == certified["target_spec"]
    assert evaluated["valid"] == (not certified["violations"]) == (certified["status"] != "invalid")
    assert [part["value"] for part in certified["parts"]] == list(evaluated["components"].values())
    assert [v["sentence"] for v in evaluated["violations"]] == certified["violations"]
    assert json.loads(json.dumps(certified)) == certified
    text = certificate_text(certificate(plan))
    assert plan.problem.fingerprint in text and certified["digest"] in text
    for rule in certified["rules"]:
        assert rule["name"] in text


@pytest.mark.parametrize("ending", [".json", ".txt"])
@pytest.mark.parametrize("case", ["pipeline", "memory"])
def test_the_command_writes_it(
    case: str, ending: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model, plan = plan_of(case)
    file = write_plan(tmp_path / "x.plan.json", plan)
    out = tmp_path / f"c{ending}"
    assert main(["export", str(model), str(file), "--to", "certificate", "-o", str(out)]) == 0
    capsys.readouterr()
    if ending == ".json":
        assert json.loads(out.read_text())["digest"] == digest(plan)
    else:
        written = out.read_text()
        assert written.startswith(f"CERTIFICATE: {plan.problem.name}, valid; gap")
        assert digest(plan) in written and "proven here now by " in written
    assert main(["export", str(model), str(file), "--to", "certificate", "-o", str(tmp_path / "c.pdf")]) == 2
    assert "written as .json or .txt" in capsys.readouterr().err


def small() -> Plan:
    problem = Problem(read_model(SMALL), Pipeline(2))
    return problem.plan(np.zeros(problem.graph.n, np.int32), Provenance("x"), "x")


def bound(plan: Plan, value: float, **more: Any) -> Bound:
    return replace(plan.problem.bound(plan.problem.components[0], value, "simple", frozenset()), **more)


def test_a_problem_without_any_valid_plan(tmp_path: Path) -> None:
    made = Problem(read_model(SMALL), DevicePool(2, 0, memory=1.0))
    plan = made.plan(np.zeros(made.graph.n, np.int32), Provenance("x"), "x")
    out = tmp_path / "c.json"
    file = write_plan(tmp_path / "x.plan.json", plan)
    for written in (out, out.with_suffix(".txt")):
        assert main(["export", str(SMALL), str(file), "--to", "certificate", "-o", str(written)]) == 0
    assert json.loads(out.read_text())["parts"][0]["proof"]["value"] is None
    assert "no plan is valid" in out.with_suffix(".txt").read_text()


@pytest.mark.parametrize(
    ("problem", "optimal", "gap"),
    [
        (lambda graph: Problem(graph, DevicePool(0, 1), "latency"), "proven optimal for least latency", "valid; gap ≤ 50.0 % of latency"),
        (lambda graph: Problem(graph, EdgeTpuPipeline(1)), "proven optimal for least max-memory", "valid; gap ≤ 50.0 % of max-memory"),
        (lambda graph: Problem(graph, EdgeTpuPipeline(1), "inference-time"), "proven optimal", "valid; gap ≤ 50.0 %"),
    ],
)  # fmt: skip
def test_a_status_says_of_which_objective_where_that_is_not_the_usual_one(
    problem: Any, optimal: str, gap: str
) -> None:
    """Readers take the best plan for the fastest: a plan that holds the least is not, nor is the one that a sample alone is fastest on."""
    made = problem(read_model(SMALL))
    plan = made.plan(np.zeros(made.graph.n, np.int32), Provenance("x"), "x")
    values, names = plan.evaluation.values, made.components
    met = [
        made.bound(n, v, "simple", frozenset(), given=tuple(zip(names[:i], values[:i], strict=True)))
        for i, (n, v) in enumerate(zip(names, values, strict=True))
    ]
    found, near = (
        certificate(plan, met),
        certificate(plan, [made.bound(names[0], values[0] / 2, "simple", frozenset())]),
    )
    assert (status_words(found), status_words(near)) == (optimal, gap)
    assert certificate_text(found).startswith(f"CERTIFICATE: {found.model}, {optimal}\n")


def test_status_comes_from_bounds_alone() -> None:
    plan = small()
    open_, near, met = (certificate(plan, b) for b in ((), [bound(plan, plan.objective / 2)], [bound(plan, plan.objective)]))  # fmt: skip
    assert (open_.status, open_.gap, open_.parts[0].proof) == ("feasible", None, None)
    assert (near.status, near.gap) == ("feasible", 0.5)
    assert (met.status, met.gap, met.first_open) == ("optimal", 0.0, None)
    assert status_words(met) == "proven optimal" and status_words(near) == "valid; gap ≤ 50.0 %"
    assert near.parts[0].proof is not None and near.parts[0].proof.source == "MTPP, Lemma 3.3"
    assert (
        near.parts[0].proof.again
        == "stageboard bound MODEL --target 'pipeline:2' --objective bottleneck --method simple"
    )


def test_bounds_that_cannot_be_are_left_out_and_said() -> None:
    plan = small()
    refuted = certificate(plan, [bound(plan, 2 * plan.objective)])
    assert refuted.status == "feasible" and "was dropped" in refuted.notes[0]
    foreign = certificate(plan, [bound(plan, plan.objective, relaxation="other")])
    assert foreign.status == "feasible" and foreign.notes == (
        "a bound says nothing about this plan: it is of other machines, objectives or rules",
    )


def test_an_evaluation_that_lies_is_not_believed() -> None:
    plan = small()
    lying = replace(plan, evaluation=replace(plan.evaluation, components={"bottleneck": 1e-9}))
    assert certificate(lying).parts[0].value == plan.objective


def test_an_invalid_plan_has_neither_gap_nor_proof() -> None:
    problem = Problem(read_model(SMALL), Pipeline(2))
    device_of = np.zeros(problem.graph.n, np.int32)
    device_of[problem.graph.topological_order[0]] = 1
    plan = problem.plan(device_of, Provenance("x"))
    found = certificate(plan, [bound(plan, plan.objective / 3)])
    assert (found.status, found.gap) == ("invalid", None) and found.violations
    assert found.parts[0].gap is None and not found.parts[0].proven


def test_constraints_rules_and_settings_are_said() -> None:
    graph = read_model(SMALL)
    problem = Problem(graph, DevicePool(2, 1, memory=1e9), constraints=())
    problem = problem.with_constraints(
        (Pin(graph.op_ids[0], problem.devices[0].name), Together(graph.op_ids[1:3]))
    )
    plan = problem.plan(np.zeros(graph.n, np.int32), Provenance("x"))
    found = certificate(plan, [problem.bound(problem.components[0], 1e-12, "simple", frozenset())])
    assert [c["kind"] for c in found.constraints] == ["pin", "together"]
    assert {rule.name.partition("<=")[0] for rule in found.rules} == {
        "support",
        "colocation",
        "contiguous",
        "memory",
    }
    assert next(s for s in found.settings if s.name == "memory").default is False
    assert found.parts[0].proof is not None
    assert found.parts[0].proof.again == "stageboard evaluate MODEL PLAN --prove 60"


@pytest.mark.parametrize(
    ("memory", "rule", "setting"),
    [
        (2**26, "what is on an accelerator fits its memory of 64.00 MiB", "64.00 MiB"),
        ((2**26,) * 3, "what is on a device fits its memory: 64.00 MiB each", "64.00 MiB each"),
        ((2**26, 2**26, 2**27), "what is on a device fits its memory: 64.00 MiB, 64.00 MiB and 128.00 MiB", "64.00 MiB, 64.00 MiB and 128.00 MiB"),
        ((2**26, 2**27), "what is on an accelerator fits its memory: 64.00 MiB and 128.00 MiB", "64.00 MiB and 128.00 MiB"),
    ],
)  # fmt: skip
def test_limits_of_each_device_are_said(memory: PerDevice, rule: str, setting: str) -> None:
    graph = read_model(SMALL)
    problem = Problem(graph, DevicePool(2, 1, memory=memory))
    found = certificate(problem.plan(np.zeros(graph.n, np.int32), Provenance("x")))
    assert next(r.words for r in found.rules if r.name.startswith("memory")) == rule
    assert setting_text(next(s for s in found.settings if s.name == "memory")) == setting
    assert f"memory = {setting}" in " ".join(certificate_text(found).split())


def test_the_digest_is_of_the_decision() -> None:
    plan = small()
    other = plan.problem.plan(np.ones(plan.problem.graph.n, np.int32), plan.provenance)
    assert digest(plan) == digest(replace(plan, name="renamed")) != digest(other)


def test_solvers_are_named_with_their_versions() -> None:
    plan = replace(small(), provenance=Provenance("mtpp-mip", {"solver": "highs"}))
    assert "highspy" in certificate(plan).versions
    assert set(certificate(small()).versions) == {"stageboard", "python", "numpy"}


def test_other_endings_are_refused(tmp_path: Path) -> None:
    with pytest.raises(StageboardError, match=r"\.json or \.txt"):
        to_certificate(small(), (), tmp_path / "c.doc")


def test_the_time_is_the_searchs_own_and_a_stopped_search_says_so() -> None:
    _, plan = plan_of("memory")
    for reason, limit, words in (
        ("cancelled", None, ", stopped by hand"),
        ("time", 20.0, ", stopped at the time limit of 20 s that was set"),
        ("time", None, ", usual work done, no time limit set"),
        ("finished", 20.0, ""),
    ):
        ended = replace(plan, provenance=replace(plan.provenance, stop_reason=reason, time_limit=limit))
        assert f", search 0.200 s{words}\n" in certificate_text(certificate(ended))


def test_what_a_proof_is_among_is_said_in_the_unit_of_the_component() -> None:
    _, plan = plan_of("edge-tpu")
    problem, first = plan.problem, plan.problem.components[0]
    most = plan.evaluation.components[first]
    among = problem.bound(problem.components[1], 0.0, "ilp", frozenset(), given=((first, most),))
    found = certificate(plan, [problem.bound(first, most, "ilp", frozenset()), among])
    said = " ".join(certificate_text(found).split())
    assert f"of plans whose {first} is at most {bytes_text(most)}" in said
    assert ["max-memory", most] in to_dict(found)["parts"][1]["proof"]["given"]
