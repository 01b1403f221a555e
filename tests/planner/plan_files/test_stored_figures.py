"""Every figure of a plan file is compared with what it is: each single edit is found, rounding and gaps are not, nonsense is refused."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.errors import PlanError
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.mcm.target import McmPackage
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.machines.two_level_memory.problem import NetworkProblem
from planner.machines.two_level_memory.target import TwoLevelMemory
from planner.methods.tiny import tiny_network
from planner.model.cost_model import fill
from planner.model.graph import Graph, Op, Tensor
from planner.plan_files import order_json, plan_json
from planner.plan_files.stored_figures import SHOWN
from planner.problem.problem import Plan, Problem
from planner.problem.provenance import Provenance
from tests.planner.reports.comparison.test_comparison import chain
from tests.planner.strategies import placements, problems

DATA = Path(__file__).resolve().parents[2] / "data"
TARGETS = [
    Pipeline(4), Pipeline(3, memory=10.0), EdgeTpuPipeline(3, cache=20.0), McmPackage(4), DevicePool(3, 1),
    DevicePool(4, 0, replication=True), DevicePool(2, 1, contiguous=False),
]  # fmt: skip


def stored(plan: Plan) -> dict[str, Any]:
    """A plan's file, as it is read."""
    found: dict[str, Any] = json.loads(json.dumps(plan_json.to_dict(plan)))
    return found


def pushing() -> Graph:
    """A chain whose convolutions read and write bytes that a cache of 20 bytes lacks beside their parameters."""
    ops = [Op(f"n{i}", f"n{i}", "Conv2D", params=8.0, param_bytes=8.0, macs=1.0) for i in range(3)]
    edges = [Tensor(f"n{i}", (f"n{i + 1}",), 4.0) for i in range(2)]
    return fill(Graph.build("chain", ops, edges, time_unit="s"))


def notes_of(data: dict[str, Any], plan: Plan) -> tuple[str, ...]:
    return plan_json.plan_in(data, plan.problem.graph, "p.json", "p.json").notes


def figures(data: dict[str, Any]) -> Iterator[tuple[dict[str, Any], str]]:
    """Every number of a file's evaluation and of its model's sizes, as the object that has it and its key."""
    evaluation = data["evaluation"]
    for place in (
        evaluation, evaluation["components"], evaluation.get("figures", {}), *evaluation["devices"],
        data.get("graph", data.get("network")),
    ):  # fmt: skip
        for key, value in place.items():
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                yield place, key


def some_plan(target: Any) -> Plan:
    problem = Problem(chain(), target)
    return problem.plan(np.array([0, 0, 1, 1, 2, 2]) % len(problem.devices), Provenance("test"))


@given(st.data())
def test_what_was_written_is_no_difference(data: st.DataObject) -> None:
    problem = data.draw(problems(options=True))
    plan = problem.plan(np.array(data.draw(placements(problem)), np.int32), Provenance("test"))
    assert notes_of(stored(plan), plan) == ()


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.spec())
def test_each_edited_figure_is_told(target: Any) -> None:
    plan = some_plan(target)
    count = len(list(figures(stored(plan))))
    assert count > 10
    for i in range(count):
        data = stored(plan)
        place, key = list(figures(data))[i]
        place[key] = place[key] * (1 + 1e-6) if place[key] else 1.0
        notes = notes_of(data, plan)
        assert len(notes) == 1, f"{key} of {place}: {notes}"
        assert "the file says" in notes[0] and "evaluated anew it is" in notes[0]


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.spec())
def test_rounding_null_and_what_is_missing_are_no_difference(target: Any) -> None:
    plan = some_plan(target)
    for change in (lambda value: value * (1 + 1e-11), lambda _: None):
        data = stored(plan)
        for place, key in list(figures(data)):
            place[key] = change(place[key])
        assert notes_of(data, plan) == ()
    data = stored(plan)
    for place, key in list(figures(data)):
        del place[key]
    for key in ("valid", "violations", "objective_name"):
        del data["evaluation"][key]
    del data["decision"]["devices"]
    assert notes_of(data, plan) == ()
    data["evaluation"] = None
    assert notes_of(data, plan) == ()
    del data["evaluation"]
    assert notes_of(data, plan) == ()
    again = stored(plan)
    again["evaluation"]["devices"][0]["of a later version"] = 3
    assert notes_of(again, plan) == ()


@pytest.mark.parametrize(
    ("lie", "says"),
    [
        (lambda d: d["evaluation"].update(objective_name="speed"), "the objective is 'speed', it is 'bottleneck'"),
        (lambda d: d["evaluation"].update(valid=True), "says that it is valid, evaluated anew it breaks rules"),
        (lambda d: d["evaluation"]["violations"].pop(), "lists 0 violations of kind 'order', evaluated anew there are 1"),
        (lambda d: d["evaluation"]["violations"].append({"kind": "pin"}), "lists 1 violation of kind 'pin', evaluated anew there are 0"),
        (lambda d: d["decision"]["devices"].append("stage 4"), "lists 5 devices, its target has 4"),
        (lambda d: d["evaluation"]["devices"].pop(), "lists 3 devices, its target has 4"),
        (lambda d: d["evaluation"]["devices"][2].update(name="stage 9"), "lists 'stage 9' where its target has 'stage 2'"),
        (lambda d: d["graph"].update(ops=7), "the graph's number of ops is 7, evaluated anew it is 6"),
    ],
)  # fmt: skip
def test_what_is_listed_is_compared(lie: Any, says: str) -> None:
    problem = Problem(chain(), Pipeline(4))
    plan = problem.plan(np.array([0, 1, 0, 2, 2, 3]), Provenance("test"))
    data = stored(plan)
    assert [violation["kind"] for violation in data["evaluation"]["violations"]] == ["order"]
    lie(data)
    notes = notes_of(data, plan)
    assert len(notes) == 1 and says in notes[0]


def test_a_target_with_another_count_is_noticed_once() -> None:
    plan = some_plan(Pipeline(4))
    data = stored(plan)
    data["problem"]["target"]["count"] = 5
    assert notes_of(data, plan) == ("the file lists 4 devices, its target has 5",)


def test_many_differences_are_counted() -> None:
    plan = some_plan(Pipeline(4))
    data = stored(plan)
    for device in data["evaluation"]["devices"]:
        device.update(cost=9.0, memory=9.0, work=99.0)
    notes = notes_of(data, plan)
    assert len(notes) == SHOWN + 1
    assert notes[-1] == "and 8 more of its figures are not what the file says"
    assert all("evaluated anew" in note for note in notes[:-1])


def test_whose_stage_a_replica_works_on_is_compared() -> None:
    plan = some_plan(DevicePool(4, 0, replication=True))
    data = stored(plan)
    data["evaluation"]["devices"][0]["serves"] = "acc 3"
    assert any("acc 0 works for 'acc 3', evaluated anew for 'acc 0'" in note for note in notes_of(data, plan))


@pytest.mark.parametrize(
    ("nonsense", "says"),
    [
        (lambda d: d.update(evaluation=5), "evaluation must be an object"),
        (lambda d: d["evaluation"].update(objective="fast"), "evaluation.objective is 'fast'; it must be a number"),
        (lambda d: d["evaluation"].update(objective=True), "must be a number"),
        (lambda d: d["evaluation"].update(objective=10**400), "must be finite and not negative"),
        (lambda d: d["evaluation"].update(components=[1]), "components must be an object"),
        (lambda d: d["evaluation"].update(valid="yes"), "evaluation.valid is 'yes'; it must be true or false"),
        (lambda d: d["evaluation"].update(violations=3), "violations must be a list"),
        (lambda d: d["evaluation"].update(violations=[3]), "violation number 1 must be an object"),
        (lambda d: d["evaluation"].update(violations=[{"kind": []}]), "kind of violation number 1"),
        (lambda d: d["evaluation"].update(devices={}), "devices must be a list"),
        (lambda d: d["evaluation"].update(devices=[1]), "must be an object"),
        (lambda d: d["evaluation"]["devices"][0].update(name=[]), "must be text"),
        (lambda d: d["evaluation"]["devices"][0].update(cost=[]), "cost of 'stage 0' is []; it must be a number"),
        (lambda d: d["decision"].update(devices=4), "the decision's devices must be a list"),
        (lambda d: d["graph"].update(ops="six"), "graph.ops is 'six'; it must be a number"),
    ],
)  # fmt: skip
def test_what_is_no_figure_is_refused(nonsense: Any, says: str) -> None:
    plan = some_plan(Pipeline(4))
    data = stored(plan)
    nonsense(data)
    with pytest.raises(PlanError) as caught:
        notes_of(data, plan)
    assert (
        says in str(caught.value)
        and str(caught.value).startswith("p.json: ")
        and "\n" not in str(caught.value)
    )


def test_orders_of_networks() -> None:
    network = tiny_network()
    problem = NetworkProblem(network, TwoLevelMemory(4))
    plan = problem.plan(np.arange(network.connection_count, dtype=np.int32), Provenance("test"))

    def notes(change: Any = lambda data: None) -> tuple[str, ...]:
        data = json.loads(json.dumps(order_json.to_dict(plan)))
        change(data)
        return order_json.order_in(data, network, "o.json", "o.json").notes

    assert notes() == ()
    assert "the number of reads is 1," in notes(lambda d: d["evaluation"].update(reads=1))[0]
    assert "the number of writes is 100," in notes(lambda d: d["evaluation"].update(writes=100))[0]
    assert "the objective is 1," in notes(lambda d: d["evaluation"].update(objective=1))[0]
    assert "ios is 1," in notes(lambda d: d["evaluation"]["components"].update(ios=1))[0]
    assert "the network's number of inputs is 9" in notes(lambda d: d["network"].update(inputs=9))[0]
    assert notes(lambda d: d["evaluation"].update(valid=not plan.evaluation.valid))
    assert notes(lambda d: d.update(evaluation=None)) == ()


@pytest.mark.parametrize("objective", ["inference-time", "memory-1-2-3"])
@pytest.mark.parametrize("listed", [False, True])
def test_files_from_before_activations_counted_as_streamed_are_not_said_to_differ(
    objective: str, listed: bool
) -> None:
    """Whether they list what is pushed out or not: where bytes are planned for it was told before it counted."""
    problem = Problem(pushing(), EdgeTpuPipeline(2, cache=20.0, streaming=1.0), objective)
    plan = problem.plan(np.array([0, 0, 1], np.int32), Provenance("by hand"))
    data = stored(plan)
    first = data["evaluation"]["devices"][0]
    late = (first["pushed"] if listed else first.pop("pushed")) / problem.target.streaming
    assert late > 0.0 and not notes_of(data, plan)
    before = {**first, "streaming": first["streaming"] - late, "cost": first["cost"] - late}
    data["evaluation"]["devices"][0] = before
    assert not notes_of(data, plan)
    # One without the other is no older file.
    data["evaluation"]["devices"][0] = {**before, "cost": first["cost"]}
    assert any("the streaming of stage 0" in note for note in notes_of(data, plan))
