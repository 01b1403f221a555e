"""Plan files of networks."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.errors import PlanError
from planner.files import to_json
from planner.machines.two_level_memory.problem import NetworkProblem
from planner.machines.two_level_memory.target import TwoLevelMemory
from planner.methods.tiny import tiny_graph, tiny_network
from planner.model.network_building import network_of
from planner.plan_files.order_json import is_order_plan, open_network_plan, to_dict
from planner.plan_files.plan_json import open_plan, write_plan
from planner.plan_files.plan_parts import is_plan
from planner.problem.bound import Bound
from planner.problem.provenance import Provenance
from tests.planner.machines.two_level_memory.strategies import networks, orders


def tiny_plan(policy: str = "min"):
    problem = NetworkProblem(tiny_network(), TwoLevelMemory(4, policy))
    return problem.plan(np.arange(8), Provenance("hand", {"a": 1}, 7, "1", 0.5), "by hand")


@given(st.data())
@settings(max_examples=30)
def test_written_and_read_plans_are_equal(tmp_path_factory, data):
    network = data.draw(networks())
    order = data.draw(orders(network))
    target = TwoLevelMemory(data.draw(st.integers(3, 12)), data.draw(st.sampled_from(["min", "lru", "rr"])))
    problem = NetworkProblem(network, target)
    plan = problem.plan(order, Provenance("hand"), "mine")
    bound = problem.bound("ios", 3.0, "theorem-1", frozenset())
    file = write_plan(tmp_path_factory.mktemp("plan") / "a.plan.json", plan, [bound])
    assert is_plan(file)
    assert is_order_plan(file)
    opened = open_network_plan(file, network)
    assert opened.plan.problem == problem
    assert opened.plan.decision == plan.decision
    assert (opened.plan.evaluation.reads, opened.plan.evaluation.writes) == (
        plan.evaluation.reads,
        plan.evaluation.writes,
    )
    assert (opened.plan.name, opened.bounds, opened.notes) == (
        "mine",
        (replace(bound, claimed_by="a.plan.json"),),
        (),
    )
    assert open_network_plan(file, network, own_record=True).bounds == (bound,)


def test_what_a_file_claims_is_counted_again(tmp_path):
    plan = tiny_plan()
    problem = plan.problem
    data = to_dict(
        plan,
        [
            Bound("ios", 10_000.0, "magic", problem.relaxation),
            problem.bound("ios", math.inf, "x", frozenset()),
        ],
    )
    assert len(data["bounds"]) == 1
    data["evaluation"]["components"]["ios"] = 1.0
    file = tmp_path / "a.plan.json"
    file.write_text(to_json(data))
    opened = open_network_plan(file, problem.network)
    assert opened.plan.evaluation.objective == plan.evaluation.objective
    assert opened.bounds == ()
    assert len(opened.notes) == 2
    assert "the file says ios is 1" in opened.plan.provenance.note


@pytest.mark.parametrize("what", ["reads", "writes"])
def test_a_claim_of_other_reads_or_writes_is_told(tmp_path, what):
    plan = tiny_plan()
    data = to_dict(plan)
    data["evaluation"][what] += 1
    path = tmp_path / "edited.plan.json"
    path.write_text(json.dumps(data))
    opened = open_network_plan(path, plan.problem.network)
    assert any(f"the number of {what}" in note for note in opened.notes)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda d: d["decision"].update(kind="assignment"), "not an order of a network's connections"),
        (lambda d: d["decision"].update(order="0 1"), "order"),
        (
            lambda d: d["decision"].update(order=[True] * 8),
            "entry number 1 of order is True; it must be a whole number",
        ),
        (
            lambda d: d["decision"].update(order=[-1] * 8),
            "entry number 1 of order is -1; it must be a whole number from 0",
        ),
        (lambda d: d["decision"].update(order=[0] * 8), "names connection 0 8 times"),
        (lambda d: d["decision"].update(order=[0, 1]), "each of its 8 connections once"),
        (
            lambda d: d["network"].update(fingerprint="x", connections=9),
            "one of 9 connections and 'tiny' has 8",
        ),
        (lambda d: d["network"].update(fingerprint="x"), "weights or activations differ"),
        (lambda d: d["problem"]["target"].update(kind=3), "target's kind is"),
        (lambda d: d["problem"]["target"].update(kind="pipeline"), "pipeline"),
        (lambda d: d["problem"]["target"].update(size=1), "whole number from 3"),
        (lambda d: d["problem"].update(objective="latency"), "no objective 'latency'"),
        (lambda d: d.pop("network"), "network"),
        (lambda d: d.update(version=99), "version 99"),
    ],
)
def test_damaged_files_are_refused_in_one_sentence(tmp_path, change, said):
    plan = tiny_plan()
    data = json.loads(to_json(to_dict(plan)))
    change(data)
    file = tmp_path / "a.plan.json"
    file.write_text(to_json(data))
    with pytest.raises(PlanError) as caught:
        open_network_plan(file, plan.problem.network)
    assert said in str(caught.value)
    assert "a.plan.json" in str(caught.value)


def test_plans_of_networks_and_of_graphs_are_told_apart(tmp_path):
    file = write_plan(tmp_path / "a.plan.json", tiny_plan())
    with pytest.raises(PlanError, match="is an order of a network's connections"):
        open_plan(file, tiny_graph())


def test_another_network_of_the_same_size_is_told(tmp_path):
    file = write_plan(tmp_path / "a.plan.json", tiny_plan())
    other = network_of("other", tiny_network().source, tiny_network().target, np.full(8, 2.0))
    with pytest.raises(PlanError, match="weights or activations differ"):
        open_network_plan(file, other)
