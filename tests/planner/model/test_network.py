"""Networks: what is derived, what is left out, what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from planner.errors import NetworkError, PlanError, TargetError
from planner.machines.pipeline.target import Pipeline
from planner.machines.spec import parse_target, target_from_dict
from planner.machines.two_level_memory.problem import NetworkProblem
from planner.machines.two_level_memory.target import TwoLevelMemory
from planner.methods.tiny import tiny_graph
from planner.model.network import ACTIVATIONS, Network
from planner.model.network_building import network_of
from planner.problem.problem import Problem
from tests.planner.machines.two_level_memory.strategies import networks


def diamond(**more: object) -> Network:
    return network_of("diamond", [0, 0, 1, 2], [1, 2, 3, 3], [1.0, 2.0, 3.0, 4.0], **more)  # type: ignore[arg-type]


def test_what_is_not_given_is_derived():
    network = diamond()
    assert (network.neuron_count, network.connection_count) == (4, 4)
    assert network.inputs.tolist() == [0]
    assert network.outputs.tolist() == [3]
    assert network.layer.tolist() == [0, 1, 1, 2]
    assert network.rank.tolist() == [0, 1, 2, 3]
    assert network.in_degree.tolist() == [0, 1, 1, 2]
    assert network.out_degree.tolist() == [2, 1, 1, 0]
    assert [ACTIVATIONS[code] for code in network.activation] == ["identity", "relu", "relu", "relu"]
    assert network.layer_sizes.tolist() == [1, 2, 1]
    assert network.density == 1.0
    assert network.neuron_name(2) == "neuron 1 of layer 1"


def test_neurons_without_connections_are_left_out():
    network = network_of("gaps", [1, 1], [3, 5], [1, 1], neurons=7)
    assert network.ids.tolist() == [1, 3, 5]
    assert network.inputs.tolist() == [0]
    # Of the five without connections into them it is the second.
    assert (network.feature.tolist(), network.features) == ([1], 5)
    assert network.warnings == ("4 neurons without any connection are left out",)
    lost = network_of("lost", [0], [1], [1], neurons=3, inputs=[0], outputs=[1, 2])
    assert lost.outputs.tolist() == [1]
    assert "1 output has no connection into it and is left out" in lost.warnings


def test_a_neuron_that_nothing_feeds_is_a_constant_input():
    network = network_of("constant", [0, 1, 2], [2, 3, 3], [1, 1, 1], inputs=[0])
    assert network.inputs.tolist() == [0, 1]
    assert network.feature.tolist() == [0, -1]
    assert network.layer.tolist() == [0, 1, 1, 2]  # it stands beside those that are used with it


def test_layers_are_kept_where_connections_climb():
    assert diamond(layer=[0, 4, 5, 9]).layer.tolist() == [0, 1, 2, 3]
    assert diamond(layer=[0, 0, 1, 2]).layer.tolist() == [0, 1, 1, 2]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"source": [0, 1], "target": [1], "weight": [1]}, "source has 2 entries and target 1"),
        ({"source": [], "target": [], "weight": []}, "has no connection"),
        ({"source": [0.5], "target": [1], "weight": [1]}, "source must be one row of whole numbers"),
        ({"source": [0], "target": [1], "weight": [1, 2]}, "weight has 2 entries for 1 connections"),
        ({"source": [0], "target": [1], "weight": [float("nan")]}, "weight 0 is nan"),
        ({"source": [0], "target": [1], "weight": ["a"]}, "weight must be one row of numbers"),
        ({"source": [0], "target": [0], "weight": [1]}, "leads from neuron 0 to itself"),
        ({"source": [0, 1], "target": [1, 0], "weight": [1, 1]}, "no output that a connection leads into"),
        ({"source": [0, 1, 1], "target": [1, 0, 2], "weight": [1, 1, 1]}, "form a cycle"),
        ({"source": [0], "target": [4], "weight": [1], "neurons": 3}, "names neuron 4"),
        ({"source": [-1], "target": [1], "weight": [1]}, "names neuron -1"),
        ({"source": [0], "target": [1], "weight": [1], "bias": [0.0]}, "names neuron 1"),
        ({"source": [0], "target": [1], "weight": [1], "bias": [0.0] * 3, "neurons": 2}, "bias has 3 entries"),
        ({"source": [0], "target": [1], "weight": [1], "neurons": 2**40}, "at most"),
        ({"source": [0], "target": [1], "weight": [1], "activation": "step"}, "no activation 'step'"),
        ({"source": [0], "target": [1], "weight": [1], "activation": ["relu"]}, "activation has 1 entries"),
        ({"source": [0], "target": [1], "weight": [1], "activation": ["relu", "x"]}, "no activation 'x'"),
        ({"source": [0], "target": [1], "weight": [1], "activation": [0, 99]}, "codes from 0"),
        ({"source": [0], "target": [1], "weight": [1], "inputs": [1]}, "neuron 1 is an input"),
        ({"source": [0], "target": [1], "weight": [1], "inputs": [0.5]}, "inputs must be one row"),
        ({"source": [0], "target": [1], "weight": [1], "inputs": [7]}, "inputs names a neuron that is not"),
        ({"source": [0], "target": [1], "weight": [1], "outputs": [1, 1]}, "outputs names a neuron twice"),
        ({"source": [0], "target": [1], "weight": [1], "feature": [0, 1]}, "feature has 2 entries"),
        ({"source": [0], "target": [1], "weight": [1], "feature": [3], "features": 2}, "columns from 0 to 1"),
        ({"source": [0], "target": [1], "weight": [1], "layer": [0]}, "layer must hold one whole number"),
        ({"source": [0], "target": [1], "weight": [1], "ids": [0]}, "ids has 1 entries"),
    ],
)  # fmt: skip
def test_bad_networks_are_refused_in_one_sentence(arguments, said):
    with pytest.raises(NetworkError) as caught:
        network_of("bad", **arguments)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_activations_by_name_and_by_code():
    assert diamond(activation=["identity", "gelu", "tanh", "sigmoid"]).activation.tolist() == [0, 4, 2, 3]
    assert diamond(activation=[0, 4, 2, 3]).activation.tolist() == [0, 4, 2, 3]


def test_callers_arrays_are_copied():
    source = np.array([0, 0, 1, 2], np.int32)
    network = network_of("own", source, [1, 2, 3, 3], [1, 2, 3, 4])
    source[0] = 3
    assert network.source[0] == 0
    with pytest.raises(ValueError, match="read-only"):
        network.source[0] = 1


def test_fingerprints_tell_networks_apart():
    assert diamond().fingerprint == diamond().fingerprint
    assert diamond().fingerprint != diamond(bias=[0, 0, 0, 1]).fingerprint
    assert diamond().fingerprint != diamond(outputs=[1, 3]).fingerprint


@given(networks())
def test_adjacency_and_ranks_agree_with_the_connections(network: Network):
    offsets, ids = network.incoming
    for v in range(network.neuron_count):
        assert ids[offsets[v] : offsets[v + 1]].tolist() == np.flatnonzero(network.target == v).tolist()
    offsets, ids = network.outgoing
    for v in range(network.neuron_count):
        assert ids[offsets[v] : offsets[v + 1]].tolist() == np.flatnonzero(network.source == v).tolist()
    assert (network.rank[network.source] < network.rank[network.target]).all()
    assert (network.layer[network.source] < network.layer[network.target]).all()
    assert (network.in_degree + network.out_degree > 0).all()
    assert network.is_input.sum() == len(network.inputs)
    assert not (network.is_input & network.is_output).any()


# ---------------------------------------------------------------------- problems
def test_problems_are_told_apart_by_network_and_memory():
    problem = NetworkProblem(diamond(), TwoLevelMemory(10))
    assert problem == NetworkProblem(diamond(), TwoLevelMemory(10))
    assert hash(problem) == hash(NetworkProblem(diamond(), TwoLevelMemory(10)))
    assert problem != problem.with_target(TwoLevelMemory(10, "lru"))
    assert problem.components == ("ios",)
    assert problem.unit("ios") == "I/Os"
    assert (problem.name, problem.size) == ("diamond", 4)
    assert NetworkProblem(diamond(), TwoLevelMemory(10), "") == problem
    with pytest.raises(TargetError, match="no objective 'latency'"):
        NetworkProblem(diamond(), TwoLevelMemory(10), "latency")


def test_targets_and_models_must_fit():
    with pytest.raises(TargetError, match="is a sparse network, and a pipeline"):
        NetworkProblem(diamond(), Pipeline(2))  # type: ignore[arg-type]
    with pytest.raises(TargetError, match="is a graph of operators"):
        Problem(tiny_graph(), TwoLevelMemory(10))


def test_the_memory_as_text_and_back():
    target = parse_target("memory:64,policy=lru")
    assert target == TwoLevelMemory(64, "lru")
    assert target.spec() == "memory:64,policy=lru"
    assert target_from_dict(target.to_dict()) == target
    with pytest.raises(TargetError, match="whole number from 3"):
        parse_target("memory:2")
    with pytest.raises(TargetError, match="no eviction policy 'fifo'"):
        parse_target("memory:64,policy=fifo")
    with pytest.raises(TargetError, match="'big' is not a whole number of values"):
        parse_target("memory:big")


@pytest.mark.parametrize(
    ("order", "said"),
    [
        ([0, 1, 2], "each of its 4 connections once; this one has 3"),
        ([0.0, 1.0, 2.0, 3.0], "must name each"),
        ([0, 1, 2, 4], "names connection 4"),
        ([0, 1, 2, -1], "names connection -1"),
        ([0, 1, 1, 3], "names connection 1 2 times and connection 2 never"),
    ],
)
def test_what_is_no_order_is_refused(order, said):
    problem = NetworkProblem(diamond(), TwoLevelMemory(10))
    with pytest.raises(PlanError) as caught:
        problem.evaluate(np.array(order))
    assert said in str(caught.value)


def test_an_order_that_uses_an_unfinished_neuron_breaks_a_rule():
    evaluation = NetworkProblem(diamond(), TwoLevelMemory(10)).evaluate(np.array([0, 2, 3, 1]))
    assert not evaluation.valid
    (violation,) = evaluation.violations
    assert (violation.kind, violation.ops) == ("topological", (3,))
    assert "from neuron 1 of layer 1 to neuron 0 of layer 2 is number 3 in the order" in violation.sentence
