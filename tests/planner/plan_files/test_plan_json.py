"""Plan files: round trips, what is computed again, and what is refused."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.errors import PlanError, StageboardError
from planner.formats import read_graph, read_model, read_models
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.model.cost_model import CostModel
from planner.model.graph import Graph
from planner.plan_files.plan_json import open_plan, plan_model_options, read_plan, write_plan
from planner.plan_files.plan_parts import is_plan
from planner.problem.bound import Bound
from planner.problem.claims import as_claims
from planner.problem.problem import Pin, Plan, Problem, Together
from planner.problem.provenance import Provenance
from tests.shared_files import shared

DATA = Path(__file__).resolve().parents[2] / "data"


def make(graph: Graph, seed: int = 0) -> Plan:
    problem = Problem(graph, Pipeline(count=3, memory=500.0, bandwidth=1e6), "bottleneck", (Pin(graph.op_ids[0], "stage 0"),
                      Together((graph.op_ids[1], graph.op_ids[2]))))  # fmt: skip
    device_of = np.random.default_rng(seed).integers(0, 3, graph.n)
    provenance = Provenance(
        "slice",
        {"orders": 5, "note": "x"},
        7,
        "0.1.0",
        1.5,
        "finished",
        "2025-01-01T00:00:00Z",
        time_limit=20.0,
    )
    return problem.plan(device_of, provenance, "my plan")


@pytest.mark.parametrize(
    "name", ["small.json", "workload.json", "small.graphml", "small.dot", "small.pbtxt", "control_flow.onnx"]
)
def test_a_plan_comes_back_as_it_was(tmp_path: Path, name: str) -> None:
    graph = read_model(DATA / name)
    plan = make(graph)
    value = 0.25 * plan.objective
    bounds = (
        plan.problem.bound("bottleneck", value, "simple", frozenset({"rule:order", "together:a\0b"}), 0.5),
    )
    path = write_plan(tmp_path / "a.plan.json", plan, bounds)
    assert is_plan(path)
    opened = open_plan(path, read_model(DATA / name))
    assert opened.notes == ()
    again = opened.plan
    assert again.decision == plan.decision
    assert again.problem == plan.problem
    assert again.problem.constraints == plan.problem.constraints
    assert again.evaluation.components == plan.evaluation.components
    assert again.evaluation.violations == plan.evaluation.violations
    assert again.provenance == plan.provenance
    assert again.name == "my plan"
    assert opened.bounds == as_claims(bounds, "a.plan.json")
    assert open_plan(path, graph, own_record=True).bounds == bounds
    assert read_plan(path, graph)[0].decision == plan.decision


def test_the_plans_cost_model_is_applied(tmp_path: Path) -> None:
    mine = CostModel(accelerator_flops=1e9, accelerator_overhead=1.0)
    plan = make(read_model(DATA / "control_flow.onnx", cost_model=mine))
    path = write_plan(tmp_path / "p.json", plan)
    for graph in (read_model(DATA / "control_flow.onnx"), read_graph(DATA / "control_flow.onnx")):
        again, _ = read_plan(path, graph)
        assert again.objective == plan.objective
        assert again.problem.graph.cost_model == mine


def test_the_batch_is_known_before_the_model_is_read(tmp_path: Path) -> None:
    plan = make(read_model(DATA / "control_flow.onnx", batch=16))
    path = write_plan(tmp_path / "p.json", plan)
    assert plan_model_options(path) == {"batch": 16, "precision": "file"}
    assert plan_model_options(write_plan(tmp_path / "q.json", make(read_model(DATA / "small.json")))) == {
        "batch": 1,
        "precision": "file",
    }
    counted = write_plan(tmp_path / "r.json", make(read_model(DATA / "control_flow.onnx", precision="int8")))
    assert plan_model_options(counted)["precision"] == "int8"
    with pytest.raises(
        PlanError, match=r"made with precision 'int8' and .* was read with 'file'; read the model"
    ):
        read_plan(counted, read_model(DATA / "control_flow.onnx"))
    with pytest.raises(PlanError, match="made with batch 16 and 'control_flow' was read with 1"):
        read_plan(path, read_model(DATA / "control_flow.onnx"))


def test_several_models(tmp_path: Path) -> None:
    graph = read_models([DATA / "small.json", DATA / "small.json"])
    plan = make(graph)
    path = write_plan(tmp_path / "p.json", plan)
    assert read_plan(path, graph)[0].decision == plan.decision
    with pytest.raises(PlanError, match="another graph"):
        read_plan(path, read_model(DATA / "small.json"))
    other = json.loads((DATA / "small.json").read_text()) | {"name": "other"}
    (tmp_path / "other.json").write_text(json.dumps(other))
    two = [DATA / "small.json", tmp_path / "other.json"]
    path = write_plan(tmp_path / "two.json", make(read_models(two)))
    with pytest.raises(PlanError, match="its models are in another order; name them as the plan does: "):
        read_plan(path, read_models(two[::-1]))


@pytest.mark.parametrize("workload", ["LayerGraphs/bert24_training", "OperatorGraphs/bert_L-12_training"])
def test_a_published_workload(tmp_path: Path, workload: str) -> None:
    graph = read_graph(shared(f"workloads/device-placement/throughput/{workload}.json"))
    problem = Problem(graph, DevicePool(accelerators=6, cpus=1, memory=17185374208.0), "max-load")
    plan = problem.plan(np.arange(graph.n) % 7, Provenance("by hand"))
    opened = open_plan(write_plan(tmp_path / "p.json", plan), graph)
    assert opened.plan.problem == problem
    assert opened.plan.objective == pytest.approx(plan.objective, rel=1e-12)
    assert opened.plan.problem.target.memory == 17185374208.0  # type: ignore[attr-defined]


def test_another_graph_is_refused_with_the_difference(tmp_path: Path) -> None:
    path = write_plan(tmp_path / "p.json", make(read_model(DATA / "small.json")))
    with pytest.raises(PlanError) as caught:
        read_plan(path, read_model(DATA / "workload.json"))
    sentence = str(caught.value)
    assert "places 5 ops of 'small' while 'workload' has 4" in sentence
    assert "in, conv, left, ..." in sentence
    assert "conv.weight" in sentence
    data = json.loads((DATA / "small.json").read_text())
    for change, says in (
        (lambda d: d["tensors"][0].update(bytes=601), "tensors hold 4,600 bytes and here 4,601"),
        (lambda d: d["ops"][1].update(param_bytes=4), "parameters take 400 bytes and here 4"),
        (lambda d: d["ops"][1].update(kind="Gemm"), "connections, kinds or sizes differ"),
        (lambda d: d["ops"].append({"id": "more", "work": 0, "work_cpu": 0}), "1 are not in the plan (more)"),
    ):
        changed = json.loads(json.dumps(data))
        change(changed)
        (tmp_path / "small.json").write_text(json.dumps(changed))
        with pytest.raises(PlanError) as caught:
            read_plan(path, read_model(tmp_path / "small.json"))
        assert says in str(caught.value)


def test_nothing_stored_is_believed(tmp_path: Path) -> None:
    plan = make(read_model(DATA / "small.json"))
    path = write_plan(tmp_path / "p.json", plan)
    data = json.loads(path.read_text())
    data["evaluation"]["components"]["bottleneck"] *= 1 + 1e-6
    path.write_text(json.dumps(data))
    opened = open_plan(path, read_model(DATA / "small.json"))
    assert opened.plan.objective == plan.objective
    assert "evaluated anew it is" in opened.notes[0]
    assert opened.notes[0] in opened.plan.provenance.note
    data["evaluation"]["components"]["bottleneck"] = plan.objective * (1 + 1e-12)
    path.write_text(json.dumps(data))
    assert open_plan(path, read_model(DATA / "small.json")).notes == ()


def test_a_bound_above_a_valid_plan_is_dropped(tmp_path: Path) -> None:
    graph = read_model(DATA / "small.json")
    problem = Problem(graph, Pipeline(count=2))
    plan = problem.plan(np.zeros(graph.n), Provenance("by hand"))
    assert plan.evaluation.valid
    good = problem.bound("bottleneck", plan.objective, "exact", frozenset())
    lie = problem.bound("bottleneck", 2 * plan.objective, "magic", frozenset())
    foreign = Bound("bottleneck", 9 * plan.objective, "simple", "of another problem")
    opened = open_plan(write_plan(tmp_path / "p.json", plan, (good, lie, foreign)), graph)
    assert opened.bounds == as_claims((good, foreign), "p.json")
    assert "'magic'" in opened.notes[0]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda d: d.update(format="x"), "not a Stageboard plan"),
        (lambda d: d.update(version=9), "version 9"),
        (lambda d: d.pop("graph"), "must be an object"),
        (lambda d: d.pop("decision"), "must be an object"),
        (lambda d: d["decision"].update(kind="order"), "decision of kind"),
        (lambda d: d["decision"]["ops"].pop(), "leaves 1 of 5 ops"),
        (lambda d: d["decision"]["ops"][0].update(id="conv"), "twice"),
        (lambda d: d["decision"]["ops"][0].update(id="alien"), "'alien'"),
        (
            lambda d: d["decision"]["ops"][0].update(device="stage 9"),
            "'stage 9', which its target does not have",
        ),
        (lambda d: d["decision"]["ops"][0].update(device=None), "must be text"),
        (lambda d: d["problem"].update(objective="speed"), "no objective 'speed'"),
        (lambda d: d["problem"]["target"].update(kind="quantum"), "quantum"),
        (lambda d: d["problem"]["target"].update(kind=["pipeline"]), "must be text"),
        (lambda d: d["problem"]["target"].update(count=10**9), "whole number"),
        (lambda d: d["problem"]["target"].update(wings=2), "wings"),
        (lambda d: d["problem"]["target"].update({"w\x1b[31m": 2}), r"'w\x1b[31m'"),
        (lambda d: d["problem"]["target"].update(bandwidth=10**400), "too large"),
        (lambda d: d["problem"]["target"].update(bandwidth=["x" * 5000]), "a float was expected"),
        (lambda d: d["problem"]["target"].update(bandwidth=1e400), "finite"),
        (lambda d: d["problem"].update(target=[]), "must be an object"),
        (lambda d: d["problem"].update(cost_model={"warp": 9}), "warp"),
        (lambda d: d["problem"]["constraints"][0].update(device="moon"), "moon"),
        (lambda d: d["problem"]["constraints"][0].update(op="alien"), "alien"),
        (lambda d: d["problem"]["constraints"][0].update(kind="spell"), "spell"),
        (lambda d: d["evaluation"]["components"].update(bottleneck=-1), "component"),
        (lambda d: d["evaluation"]["components"].update(bottleneck="NAN"), "must be a number"),
        (lambda d: d["provenance"].update(seed="x"), "seed"),
        (lambda d: d.update(bounds=[{"component": "bottleneck", "value": -1}]), "value"),
        (lambda d: d.update(bounds=[{"component": "bottleneck", "value": 1, "assumes": [3]}]), "assumes"),
    ],
)
def test_damaged_plans_are_one_sentence(tmp_path: Path, change: Any, says: str) -> None:
    graph = read_model(DATA / "small.json")
    data = json.loads(write_plan(tmp_path / "p.json", make(graph)).read_text())
    change(data)
    path = tmp_path / "damaged.json"
    path.write_text(json.dumps(data).replace("Infinity", "1e400").replace('"NAN"', '"NaN"'))
    with pytest.raises(PlanError) as caught:
        read_plan(path, graph)
    assert says in str(caught.value)
    assert "damaged.json" in str(caught.value)
    assert "\n" not in str(caught.value) and len(str(caught.value)) <= 500


def test_truncated_missing_and_foreign_files(tmp_path: Path) -> None:
    graph = read_model(DATA / "small.json")
    text = write_plan(tmp_path / "p.json", make(graph)).read_text()
    (tmp_path / "cut.json").write_text(text[: len(text) // 2])
    for name in ("cut.json", "missing.json", "."):
        with pytest.raises(PlanError):
            read_plan(tmp_path / name, graph)
    with pytest.raises(PlanError, match="not a Stageboard plan"):
        plan_model_options(DATA / "small.json")
    assert not is_plan(DATA / "small.json")
    assert not is_plan(tmp_path / "missing.json")


def test_a_failed_save_leaves_the_old_plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = make(read_model(DATA / "small.json"))
    path = write_plan(tmp_path / "p.json", plan)
    before = path.read_bytes()

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(StageboardError, match="no space left"):
        write_plan(path, replace(plan, name="new"))
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir() if p.is_file()] == ["p.json"]


@given(st.data())
def test_mutated_plans_never_crash(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    graph = read_model(DATA / "small.json")
    folder = tmp_path_factory.mktemp("plans")
    content = bytearray(write_plan(folder / "p.json", make(graph)).read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(content) - 1))
        content[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    path = folder / "mutated.json"
    path.write_bytes(bytes(content))
    try:
        read_plan(path, graph)
    except StageboardError as error:
        assert isinstance(error, PlanError)
