"""Programs: legal streams, runs of one neuron, places that are not overwritten while they are needed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.errors import PlanError
from planner.machines.two_level_memory.execution.emission import FIRST, FROM_BATCH, TO_RESULT
from planner.machines.two_level_memory.execution.program import Program, compile_order
from planner.model.network import Network
from planner.model.network_building import network_of
from tests.conftest import PLAIN_KERNELS
from tests.planner.machines.two_level_memory.execution.networks import by_hand, networks, some_order

pytestmark = pytest.mark.skipif(PLAIN_KERNELS, reason="the registers' kernel has no plain Python")


def replay(program: Program) -> None:
    """Follow a program by names: every read finds the neuron that is meant, complete."""
    network = program.network
    stands: dict[int, int] = {int(slot): -1 for slot in program.constants[0]}
    constants = network.inputs[network.feature < 0]
    for slot, neuron in zip(program.constants[0].tolist(), constants.tolist(), strict=True):
        stands[slot] = neuron
    column = dict(zip(network.inputs.tolist(), network.feature.tolist(), strict=True))
    missing = network.in_degree.copy()
    rows: dict[int, int] = {}
    for r in range(program.runs):
        ids = program.stream[program.begins[r] : program.begins[r + 1]]
        (neuron,) = set(network.target[ids].tolist())
        flags, place = int(program.flags[r]), int(program.places[r])
        assert bool(flags & FIRST) == (missing[neuron] == network.in_degree[neuron])
        holder = rows if flags & TO_RESULT else stands
        if flags & FIRST:
            holder[place] = neuron
        assert holder[place] == neuron
        for e, at in zip(
            ids.tolist(), program.sources[program.begins[r] : program.begins[r + 1]], strict=True
        ):
            source = int(network.source[e])
            assert missing[source] == 0
            if flags & FROM_BATCH:
                assert column[source] == at
            else:
                assert stands[int(at)] == source and at < program.slots
        missing[neuron] -= len(ids)
        assert 0 <= place < (len(network.outputs) if flags & TO_RESULT else program.slots)
    for slot, row in zip(*program.copies, strict=True):
        assert stands[int(slot)] == network.outputs[row]
        rows[int(row)] = int(network.outputs[row])
    assert rows == dict(enumerate(network.outputs.tolist()))


@settings(max_examples=60, deadline=None)
@given(networks(), st.integers(0, 100), st.sampled_from([1, 3, 160]), st.sampled_from([1, 14]))
def test_a_program_reads_what_the_network_says(network: Network, seed: int, tile: int, shortest: int) -> None:
    order = some_order(network, seed)
    program = compile_order(network, order, tile, shortest)
    assert sorted(program.stream.tolist()) == list(range(network.connection_count))
    np.testing.assert_array_equal(program.weights, network.weight[program.stream])
    assert program.segments[0] == 0 and program.segments[-1] == program.runs
    replay(program)


@settings(max_examples=40, deadline=None)
@given(networks(), st.integers(0, 100), st.integers(1, 40), st.sampled_from([1, 160]))
def test_outputs_are_those_of_the_network(network: Network, seed: int, samples: int, tile: int) -> None:
    batch = np.random.default_rng(seed).normal(size=(network.features, samples)).astype(np.float32)
    program = compile_order(network, some_order(network, seed), tile, 1)
    expected = by_hand(network, batch)
    np.testing.assert_allclose(program.run(batch), expected, rtol=1e-4, atol=1e-4)


def test_wide_waves_are_cut_into_tiles_and_others_are_not() -> None:
    rng = np.random.default_rng(0)
    source, target = np.nonzero(rng.random((300, 20)) < 0.5)
    network = network_of("wide", source, target + 300, rng.normal(size=len(source)))
    order = np.argsort(target, kind="stable")
    # The first neuron reads nothing of the last tile, whose sources are those that it does not read.
    assert compile_order(network, order, tile=100, shortest=14).runs == 59
    assert compile_order(network, order, tile=100, shortest=120).runs == 20
    assert compile_order(network, rng.permutation(len(source)), tile=1000).runs == 20


def test_values_of_dead_neurons_give_way() -> None:
    chain = network_of("chain", np.arange(50), np.arange(1, 51), np.ones(50))
    assert compile_order(chain, np.arange(50)).slots == 2


def test_orders_that_cannot_be_run_are_refused() -> None:
    network = network_of("chain", [0, 1], [1, 2], [1.0, 2.0])
    with pytest.raises(PlanError, match="2 connection ids"):
        compile_order(network, [0])
    with pytest.raises(PlanError, match="once"):
        compile_order(network, [0, 0])
    with pytest.raises(PlanError, match="once"):
        compile_order(network, [0, -1])
    with pytest.raises(PlanError, match="whole numbers"):
        compile_order(network, [0.0, 1.0])
    with pytest.raises(PlanError, match="connection 1 of the order reads neuron 0 of layer 1 before"):
        compile_order(network, [1, 0])
