"""Incremental counts of orders: equal to full counts after any sequence of changes kept and undone."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.errors import PlanError
from planner.machines.two_level_memory.orders.theorem_1 import is_topological, theorem_1_order
from planner.machines.two_level_memory.problem import NetworkProblem
from planner.machines.two_level_memory.recount.incremental import Incremental
from planner.machines.two_level_memory.target import TwoLevelMemory
from planner.model.network import Network
from planner.model.network_building import network_of
from tests.planner.machines.two_level_memory.strategies import networks, orders

POLICIES = ("min", "lru", "rr")


def chained(order: np.ndarray, network: Network) -> tuple[list[int], list[int]]:
    """The next and previous uses of all uses, by looking."""
    last: dict[int, int] = {}
    after, before = [-1] * (2 * len(order)), [-1] * (2 * len(order))
    for c in order.tolist():
        for side, neuron in enumerate((int(network.source[c]), int(network.target[c]))):
            use = 2 * c + side
            if neuron in last:
                before[use] = last[neuron]
                after[last[neuron]] = use
            last[neuron] = use
    return after, before


def changed(data: st.DataObject, order: np.ndarray, network: Network) -> tuple[int, int] | None:
    """Put a stretch of ``order`` in another order, in place; None where that is not topological."""
    w = len(order)
    low = data.draw(st.integers(0, w - 1))
    high = data.draw(st.integers(low, w - 1))
    new = order[low : high + 1].tolist()
    if data.draw(st.booleans()):
        new = data.draw(st.permutations(new))
    else:
        moved = new.pop(data.draw(st.integers(0, len(new) - 1)))
        new.insert(data.draw(st.integers(0, len(new))), moved)
    order[low : high + 1] = new
    return (low, high) if is_topological(network, order) else None


@settings(max_examples=40, deadline=None)
@given(networks(most_connections=40), st.sampled_from(POLICIES), st.integers(3, 7), st.data())
def test_any_changes(network: Network, policy: str, size: int, data: st.DataObject) -> None:
    problem = NetworkProblem(network, TwoLevelMemory(size, policy))
    count = problem.evaluator.count
    order = data.draw(orders(network))
    counter = Incremental(problem, order)
    assert counter.total == count(order).total
    for _ in range(8):
        new = order.copy()
        span = changed(data, new, network)
        if span is None:
            continue
        low, high = span
        change = counter.replace(low, high, new[low : high + 1])
        assert counter.total + change == count(new).total
        assert counter.change == change
        if data.draw(st.booleans()):
            counter.keep()
            order = new
        else:
            counter.undo()
        assert counter.total == count(order).total
        assert np.array_equal(counter.order, order)
        after, before = chained(order, network)
        assert counter.state.next.tolist() == after and counter.state.prev.tolist() == before
        fresh = Incremental(problem, order).state
        for name in ("position", "dirty", "cost", "victim", "entry"):
            assert np.array_equal(getattr(counter.state, name), getattr(fresh, name)), name


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("size", [3, 12, 60])
def test_long_orders(policy: str, size: int) -> None:
    """Long enough for marks of memory on the way, for leaps between places, and for agreement after each."""
    rng = np.random.default_rng(size)
    layers, wide = 5, 40
    pairs = np.array(
        [(k * wide + a, (k + 1) * wide + b) for k in range(layers) for b in range(wide) for a in range(wide)]
    )
    chosen = pairs[rng.random(len(pairs)) < 0.2]
    network = network_of("layers", chosen[:, 0], chosen[:, 1], np.ones(len(chosen)))
    problem = NetworkProblem(network, TwoLevelMemory(size, policy))
    order = theorem_1_order(network)
    counter = Incremental(problem, order)
    w, kept = network.connection_count, 0
    for k in range(120):
        new = order.copy()
        # Some connections leave for places far away.
        low = int(rng.integers(0, w - 2))
        high = min(w - 1, low + int(rng.choice([5, 60, 900])))
        for _ in range(int(rng.integers(1, 4))):
            a, b = rng.integers(low, high + 1, 2)
            taken = np.delete(new, a)
            attempt = np.insert(taken, b, new[a]).astype(np.int32)
            if is_topological(network, attempt):
                new = attempt
        change = counter.replace(low, high, new[low : high + 1])
        assert counter.total + change == problem.evaluator.count(new).total
        if k % 3 == 0:
            counter.undo()
        else:
            counter.keep()
            order = new
            kept += 1
    assert np.array_equal(counter.order, order) and kept
    fresh = Incremental(problem, order).state
    for name in ("dirty", "cost", "victim", "entry"):
        assert np.array_equal(getattr(counter.state, name), getattr(fresh, name)), name


def test_refuses() -> None:
    network = network_of("chain", [0, 1], [1, 2], [1.0, 1.0])
    problem = NetworkProblem(network, TwoLevelMemory(3))
    with pytest.raises(PlanError, match="before all connections into"):
        Incremental(problem, np.array([1, 0]))
    counter = Incremental(problem, np.array([0, 1]))
    with pytest.raises(PlanError, match="positions 0 to 1"):
        counter.replace(0, 1, np.array([1, 1]))
    with pytest.raises(PlanError, match="positions 1 to 2"):
        counter.replace(1, 2, np.array([1, 0]))
