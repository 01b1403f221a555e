"""Comparing orders: the fewest neurons that move, against brute force, and what each costs."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.errors import PlanError
from planner.machines.two_level_memory.orders.rising import longest_increasing
from planner.machines.two_level_memory.problem import NetworkProblem, OrderPlan
from planner.machines.two_level_memory.target import TwoLevelMemory
from planner.methods.tiny import tiny_network
from planner.model.network_building import network_of
from planner.problem.provenance import Provenance
from planner.reports.comparison import compare_orders
from planner.reports.comparison.orders import completed, displaced_connections
from tests.planner.machines.two_level_memory.strategies import networks, orders


def longest_by_brute_force(values: list[int]) -> int:
    for size in range(len(values), 0, -1):
        for chosen in combinations(values, size):
            if all(a < b for a, b in pairwise(chosen)):
                return size
    return 0


def plans(problem: NetworkProblem, *found: np.ndarray) -> list[OrderPlan]:
    return [problem.plan(order, Provenance(f"planner {i}")) for i, order in enumerate(found)]


@given(st.lists(st.integers(0, 9), max_size=9))
def test_longest_increasing_subsequence(values: list[int]) -> None:
    chosen = longest_increasing(np.array(values, np.int32)).tolist()
    assert chosen == sorted(chosen)
    picked = [values[i] for i in chosen]
    assert all(a < b for a, b in pairwise(picked))
    assert len(picked) == longest_by_brute_force(values)


@given(st.data())
def test_neurons_are_completed_with_their_last_connection(data: st.DataObject) -> None:
    network = data.draw(networks())
    order = data.draw(orders(network))
    left = np.bincount(network.target, minlength=network.neuron_count)
    expected = []
    for connection in order.tolist():
        neuron = int(network.target[connection])
        left[neuron] -= 1
        if not left[neuron]:
            expected.append(neuron)
    assert completed(network, order).tolist() == expected


@given(st.data())
def test_moving_the_displaced_neurons_makes_the_other_order(data: st.DataObject) -> None:
    network = data.draw(networks())
    problem = NetworkProblem(network, TwoLevelMemory(3))
    comparison = compare_orders(plans(problem, data.draw(orders(network)), data.draw(orders(network))))
    found = comparison.displaced(1)
    before, after = comparison.sequence(0).tolist(), comparison.sequence(1).tolist()
    moved = found.neurons.tolist()
    assert [v for v in before if v not in moved] == [v for v in after if v not in moved]
    assert [before[i] for i in found.before.tolist()] == [after[i] for i in found.after.tolist()] == moved
    places = {v: i for i, v in enumerate(before)}
    assert len(after) - len(moved) == longest_by_brute_force([places[v] for v in after])
    assert found.connections == displaced_by_hand(comparison.plans)
    assert len(comparison.displaced(0, 1).neurons) == len(moved)


def displaced_by_hand(pair: tuple[OrderPlan, ...]) -> int:
    first, second = (plan.decision.order.tolist() for plan in pair)
    ahead = dict(zip(first, [None, *first[:-1]], strict=True))
    return sum(ahead[c] != p for c, p in zip(second, [None, *second[:-1]], strict=True))


@given(st.data())
def test_an_order_does_not_differ_from_itself(data: st.DataObject) -> None:
    network = data.draw(networks())
    problem = NetworkProblem(network, TwoLevelMemory(3))
    order = data.draw(orders(network))
    found = compare_orders(plans(problem, order, order)).displaced(1)
    assert len(found.neurons) == 0 and found.connections == 0


def test_one_block_moved_displaces_three_connections() -> None:
    """What is cut out leaves one seam, what is put in makes two."""
    before = np.arange(10, dtype=np.int32)
    after = np.array([0, 1, 4, 5, 6, 2, 3, 7, 8, 9], np.int32)
    assert displaced_connections(before, after) == 3
    assert displaced_connections(before[:0], before[:0]) == 0


def test_figures_and_bounds() -> None:
    network = tiny_network()
    small, large = (NetworkProblem(network, TwoLevelMemory(size)) for size in (3, 100))
    order = np.argsort(network.target, kind="stable").astype(np.int32)
    pair = [small.plan(order, Provenance("a"), "small"), large.plan(order, Provenance("b"), "large")]
    bound = large.bound("ios", pair[1].objective, "theorem-1", frozenset())
    comparison = compare_orders(pair, [bound])
    assert comparison.figures(1).status == "optimal"
    assert comparison.figures(0).bound is None  # another machine
    assert comparison.figures(0).target_words == "memory:3"
    assert comparison.letter(1) == "B" and comparison.network is network
    assert comparison.differing == ("machine", "the machines differ: fast memory 3 in A, 100 in B")


def test_orders_of_different_networks_are_refused() -> None:
    first = tiny_network()
    other = network_of("two", [0, 1], [1, 2], [1.0, 1.0], neurons=3)
    pair = [
        NetworkProblem(net, TwoLevelMemory(5)).plan(
            np.argsort(net.target, kind="stable").astype(np.int32), Provenance("x")
        )
        for net in (first, other)
    ]
    with pytest.raises(
        PlanError, match="plans A and B are of different networks: it orders one of 2 connections"
    ):
        compare_orders(pair)
    with pytest.raises(PlanError, match="1 plan cannot be compared; choose 2 to 4"):
        compare_orders(pair[:1])
