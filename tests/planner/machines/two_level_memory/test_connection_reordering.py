"""Connection reordering: its moves by the words of the paper, and the same way with and without incremental counts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.errors import PlannerRefusal
from planner.generate.catalogue import generate_network
from planner.machines.catalogue import planner
from planner.machines.two_level_memory.orders import moves
from planner.machines.two_level_memory.orders.theorem_1 import is_topological, theorem_1_order
from planner.machines.two_level_memory.planners.connection_reordering import paper_window
from planner.machines.two_level_memory.problem import NetworkProblem
from planner.machines.two_level_memory.recount.incremental import keep, undo
from planner.machines.two_level_memory.recount.state import DELTA, TOTAL
from planner.machines.two_level_memory.target import TwoLevelMemory
from planner.model.graph import Ints
from planner.model.network import Network
from planner.model.network_building import network_of
from planner.search.run import run
from tests.planner.machines.two_level_memory.strategies import networks, orders

POLICIES = ("min", "lru", "rr")


def by_the_paper(network: Network, order: Ints, first: int, last: int, left: bool) -> list[int]:
    """Section IV-A with a list: one connection after the other is taken out and put in elsewhere."""
    source, target = network.source, network.target
    result = order.tolist()
    window = result[first : last + 1]
    for e in window if left else reversed(window):
        at = result.index(e)
        if left:
            stops = (k for k in range(at - 1, -1, -1) if source[e] in (source[result[k]], target[result[k]]))
            result.insert(next(stops, -1) + 1, result.pop(at))
        else:
            stops = (
                k for k in range(at + 1, len(result)) if target[e] in (source[result[k]], target[result[k]])
            )
            result.insert(next(stops, len(result)) - 1, result.pop(at))
    return result


@settings(max_examples=25, deadline=None)
@given(networks(most_connections=40), st.sampled_from(POLICIES), st.integers(3, 7), st.data())
def test_windows_move_as_the_paper_says(
    network: Network, policy: str, size: int, data: st.DataObject
) -> None:
    problem = NetworkProblem(network, TwoLevelMemory(size, policy))
    order = data.draw(orders(network))
    w = len(order)
    state, work = moves.prepared(problem, order, w, 0)
    for _ in range(6):
        first = data.draw(st.integers(0, w - 1))
        last = data.draw(st.integers(first, w - 1))
        left = data.draw(st.booleans())
        expected = np.array(by_the_paper(network, order, first, last, left), np.int32)
        assert is_topological(network, expected)
        change = moves.try_window(state, work, first, last, left, False)
        assert state.new_order.tolist() == expected.tolist()
        assert state.numbers[TOTAL] + change == problem.evaluator.count(expected).total
        if data.draw(st.booleans()):
            keep(state)
            order = expected
        else:
            undo(state)
            assert state.new_order.tolist() == state.order.tolist() == order.tolist()


def way(
    problem: NetworkProblem, order: Ints, window: int, seed: int, steps: int, recount: bool
) -> list[tuple[int, ...]]:
    """Total and number of changes kept after each iteration, and the order after the last."""
    state, work = moves.prepared(problem, order, window, seed)
    passed = []
    for k in range(1, steps + 1):
        moves.anneal(state, work, window, 0.2, k, 1 << 40, recount)
        passed.append((int(state.numbers[TOTAL]), int(work.tally[moves.ACCEPTED]), int(state.numbers[DELTA])))
    best = moves.best_of(state, work)
    assert problem.evaluator.count(best).total == work.tally[moves.BEST]
    return [*passed, tuple(state.order.tolist()), tuple(best.tolist())]


@settings(max_examples=20, deadline=None)
@given(
    networks(most_connections=40), st.sampled_from(POLICIES), st.integers(3, 7), st.integers(1, 50), st.integers(0, 9)
)  # fmt: skip
def test_the_same_way_as_with_full_counts(
    network: Network, policy: str, size: int, window: int, seed: int
) -> None:
    problem = NetworkProblem(network, TwoLevelMemory(size, policy))
    order = theorem_1_order(network)
    assert way(problem, order, window, seed, 40, False) == way(problem, order, window, seed, 40, True)


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize(("size", "window"), [(3, 20), (20, 1), (20, 40), (50, 3000), (400, 10)])
def test_the_same_way_on_medium_networks(policy: str, size: int, window: int) -> None:
    network = generate_network("mlp", {"width": 60, "depth": 4, "density": 0.15}, 1)
    problem = NetworkProblem(network, TwoLevelMemory(size, policy))
    order = theorem_1_order(network)
    steps = 15 if window > 1000 else 150
    assert way(problem, order, window, 2, steps, False) == way(problem, order, window, 2, steps, True)


@pytest.mark.parametrize("left", [True, False])
def test_many_connections_go_to_one_place(left: bool) -> None:
    """More than halving a number can tell apart, so that they must be spaced out anew."""
    # Two neurons, each to (from) 150 others; their connections alternate.
    hubs, n = np.tile([0, 1], 150), 150
    others = 2 + np.arange(300) // 2
    network = (
        network_of("fan out", hubs, others, np.ones(300))
        if left
        else network_of("fan in", np.repeat(np.arange(n), 2), n + hubs, np.ones(300))
    )
    problem = NetworkProblem(network, TwoLevelMemory(5))
    order = np.arange(300, dtype=np.int32)
    state, work = moves.prepared(problem, order, 300, 0)
    change = moves.try_window(state, work, 0, 299, left, False)
    expected = np.array(by_the_paper(network, order, 0, 299, left), np.int32)
    assert state.new_order.tolist() == expected.tolist()
    assert state.numbers[TOTAL] + change == problem.evaluator.count(expected).total


def test_planner() -> None:
    network = generate_network("mlp", {"width": 60, "depth": 4, "density": 0.15}, 1)
    problem = NetworkProblem(network, TwoLevelMemory(12))
    results = {
        incremental: run(
            planner("connection-reordering"),
            problem,
            options={"iterations": 300, "incremental": incremental},
            seed=3,
        )
        for incremental in (True, False)
    }
    first = problem.evaluator.count(theorem_1_order(network)).total
    order = results[True].device_of
    assert order is not None and results[False].device_of is not None
    assert results[True].objective == problem.evaluator.count(order).total < first
    assert order.tolist() == results[False].device_of.tolist()
    assert results[True].iterations == 300


def test_starts() -> None:
    backwards = network_of("chain", [1, 0], [2, 1], [1.0, 1.0])
    problem = NetworkProblem(backwards, TwoLevelMemory(3))
    method = planner("connection-reordering")
    with pytest.raises(PlannerRefusal, match="file's order"):
        run(method, problem, options={"start": "given"})
    forwards = NetworkProblem(network_of("chain", [0, 1], [1, 2], [1.0, 1.0]), TwoLevelMemory(3))
    assert run(method, forwards, options={"start": "given", "iterations": 5}).objective == 6.0
    found = run(
        method, problem, options={"start": "best", "iterations": 5}, starts=[np.array([1, 0], np.int32)]
    )
    assert found.objective == 6.0


def test_the_papers_window() -> None:
    network = network_of("two into one", [0, 1, 2], [2, 2, 3], [1.0, 1.0, 1.0])
    assert paper_window(NetworkProblem(network, TwoLevelMemory(3))) == 6
