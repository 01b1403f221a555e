"""Sparse networks from Python: the same verbs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import stageboard as sb
from planner.formats.networks.npz import write_network
from planner.methods.tiny import tiny_network


@pytest.fixture
def network(tmp_path: Path) -> sb.Network:
    found = sb.read(write_network(tiny_network(), tmp_path / "tiny.npz"))
    assert isinstance(found, sb.Network)
    return found


def test_the_five_lines_of_a_network(network: sb.Network, tmp_path: Path) -> None:
    plan = sb.plan(network, "memory:4", planner="theorem-1")
    assert (
        plan.valid and plan.bound is not None and plan.objective is not None and plan.objective >= plan.bound
    )
    assert len(str(plan).splitlines()) == 4 and "I/Os" in str(plan)
    assert sorted(plan.order.tolist()) == list(range(len(network.edges))) and plan.assignment == {}
    assert len(plan.devices) == 0
    file = plan.save(tmp_path / "tiny.plan.json")
    again = sb.load(file, network)
    assert again.objective == plan.objective and np.array_equal(again.order, plan.order)
    assert sb.evaluate(network, "memory:4", plan.order).objective == plan.objective


def test_what_a_network_has(network: sb.Network) -> None:
    assert len(network) == len(network.ops) == len(network.parameters) and network.edges.shape[1] == 2
    assert network.macs.sum() == len(network.edges) == len(network.weights)
    for array in (network.edges, network.parameters, network.macs, network.weights):
        assert not array.flags.writeable
    drawn = network.to_networkx()
    assert drawn.number_of_edges() == len(network.edges)
    assert repr(network).startswith("<Network ") and "<svg" in network._repr_html_()


def test_orders_are_repaired_compared_run_and_written(network: sb.Network, tmp_path: Path) -> None:
    plan = sb.plan(network, "memory:4", planner="theorem-1")
    backwards = sb.evaluate(network, "memory:4", plan.order[::-1].copy())
    assert not backwards.valid and backwards.repair().valid
    text = str(sb.compare(plan, backwards.repair()))
    assert "2 orders compared" in text or "plans compared" in text
    run = sb.run(plan, samples=8)
    assert (
        run.outputs_equal
        and run.throughput > 0
        and run.predicted_throughput is None
        and "\n" not in repr(run)
    )
    (file,) = sb.export(plan, "order", tmp_path / "order.npz")
    assert np.load(file)["source"].shape == (len(network.edges),)


def test_made_up_models() -> None:
    chain = sb.generate("chain", seed=3)
    assert isinstance(chain, sb.Network) and chain.paths == ()
    graph = sb.generate("regal-like", seed=1, nodes=30)
    assert isinstance(graph, sb.Graph) and len(graph) == 30
    assert sb.generate("regal-like", seed=1, nodes=30).planned.fingerprint == graph.planned.fingerprint


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda n: sb.plan(n, "pipeline:2"), "is a sparse network"),
        (lambda n: sb.plan(n, "memory:4", pins={"a": 0}), "pins are about ops"),
        (lambda n: sb.plan(n, "memory:4").move({"a": 0}), "has no ops"),
        (lambda n: sb.evaluate(n, "memory:4", {"a": 0}), "order of its connections"),
        (lambda n: sb.read(n.paths[0], times="t.csv"), "leave it out for a sparse network"),
        (lambda n: sb.export(n, "json", "x.json"), "without a plan"),
        (lambda n: sb.export(sb.plan(n, "memory:4"), "csv", "x.csv"), "order of a network"),
        (lambda n: sb.render(n, "x.png", view="lanes"), "leave it out for a sparse network"),
    ],
)  # fmt: skip
def test_bad_input_is_one_sentence(network: sb.Network, call: object, sentence: str) -> None:
    with pytest.raises(sb.StageboardError, match=sentence):
        call(network)  # type: ignore[operator]
