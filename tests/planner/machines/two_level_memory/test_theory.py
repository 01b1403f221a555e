"""What theory says of networks and connection orders, on what counts the I/Os: bounds, lemmas, propositions, corollaries."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.generate.catalogue import generate_network
from planner.machines.catalogue import bound_method, planner
from planner.machines.two_level_memory.evaluator import Counts
from planner.machines.two_level_memory.orders.bandwidth import bandwidth, neuron_orders
from planner.machines.two_level_memory.orders.io_bounds import io_bounds
from planner.machines.two_level_memory.orders.least_memory import backwards, least_memory
from planner.machines.two_level_memory.orders.live import block_order, live_counts, memory_of
from planner.machines.two_level_memory.problem import NetworkProblem
from planner.machines.two_level_memory.target import TwoLevelMemory
from planner.model.graph import Ints
from planner.model.network import Network
from planner.model.network_building import network_of
from planner.search.run import run, run_bound
from tests.planner.machines.two_level_memory import reference
from tests.planner.machines.two_level_memory.orders import cases, links_of, networks, orders_of, small


def counted(network: Network, order: Ints, size: int, policy: str = "min") -> Counts:
    """Reads and writes of a valid order."""
    problem = NetworkProblem(network, TwoLevelMemory(size, policy))
    assert problem.evaluate(order).valid
    return problem.evaluator.count(problem.evaluator.checked(order))


def by_target(network: Network) -> Ints:
    """The order of Theorem 1's proof: all connections into a neuron follow each other, neurons in topological order."""
    return np.argsort(network.rank[network.target], kind="stable").astype(np.int32)


def dense(*sizes: int) -> Network:
    """Layers of these sizes, every two that follow each other fully connected."""
    starts = np.concatenate([[0], np.cumsum(sizes)])
    links = [
        (a, b)
        for (i, size), after in pairwise([*enumerate(sizes), (0, 0)])
        for a in range(starts[i], starts[i] + size)
        for b in range(starts[i + 1], starts[i + 1] + after[1])
        if after[1]
    ]
    return small(links)


def least_and_reached(network: Network, counts: Counts) -> bool:
    """Whether the counts are the lower bounds."""
    bounds = io_bounds(network)
    return counts == (bounds.least_reads, bounds.least_writes)


# ---------------------------------------------------------------------- Theorem 1
@given(cases(), st.data())
@settings(max_examples=60)
def test_no_order_beats_theorem_1(case: tuple[NetworkProblem, Ints], data: st.DataObject) -> None:
    problem, order = case
    bounds = io_bounds(problem.network)
    counts = problem.evaluator.count(order)
    assert counts.reads >= bounds.least_reads and counts.writes >= bounds.least_writes
    assert bounds.least == bounds.least_reads + bounds.least_writes
    method = bound_method("theorem-1")
    (bound,) = run_bound(method, problem).bounds
    assert bound.value == bounds.least <= problem.evaluate(order).objective
    assert bound.assumes == frozenset()
    standing = problem.standing((float(bounds.least),), [bound])
    assert standing.status == "optimal" and standing.gap == 0.0


@given(networks(10, 30), st.integers(3, 8))
@settings(max_examples=60)
def test_the_order_of_theorem_1_stays_within_its_upper_bounds(network: Network, size: int) -> None:
    bounds = io_bounds(network)
    counts = counted(network, by_target(network), size)
    assert counts.reads <= bounds.most_reads
    assert counts.writes <= bounds.most_writes
    assert counts.total <= bounds.most == bounds.most_reads + bounds.most_writes
    assert bounds.most <= 2 * bounds.least


@given(st.data())
@settings(max_examples=25)
def test_neurons_without_connections_count_for_nothing(data: st.DataObject) -> None:
    network = data.draw(networks())
    more = network_of(
        "more",
        network.source,
        network.target,
        network.weight,
        neurons=network.neuron_count + 3,
        outputs=network.outputs,
    )
    assert io_bounds(more) == io_bounds(network)
    order = data.draw(orders_of(network))
    assert counted(more, order, 4) == counted(network, order, 4)


# ---------------------------------------------------------------------- lemmas and propositions
@pytest.mark.parametrize("sizes", [(2, 3), (3, 2, 3, 2), (4, 1, 4), (1, 1, 1, 1), (5, 5, 5)])
def test_lemma_1_small_layers_reach_the_lower_bounds(sizes: tuple[int, ...]) -> None:
    network = dense(*sizes)
    size = max(a + b for a, b in pairwise(sizes)) + 1
    assert least_and_reached(network, counted(network, by_target(network), size))


@pytest.mark.parametrize("policy", ["min", "lru", "rr"])
@pytest.mark.parametrize("inputs", [1, 2, 50])
def test_lemma_2_a_tree_costs_its_upper_bounds(inputs: int, policy: str) -> None:
    """Inputs that all lead to one output: every order costs 2 W + N - I reads and 2 (W + N - I) I/Os, and the bounds meet."""
    network = small([(i, inputs) for i in range(inputs)])
    bounds = io_bounds(network)
    for size in (3, 10, 100):
        counts = counted(network, np.arange(inputs, dtype=np.int32), size, policy)
        assert counts == (bounds.most_reads, bounds.most_writes)
        assert counts.total == bounds.most == bounds.least


@pytest.mark.parametrize(("hidden", "outputs"), [(1, 4), (3, 20)])
def test_lemma_3_many_outputs_leave_little_else_to_write(hidden: int, outputs: int) -> None:
    network = dense(2, hidden, outputs)
    counts = counted(network, by_target(network), 3)
    bounds = io_bounds(network)
    assert outputs <= counts.writes <= bounds.most_writes == hidden + outputs


@pytest.mark.parametrize(("size", "c"), [(3, 1), (3, 4), (5, 2), (8, 3)])
def test_proposition_2_layer_after_layer_writes_what_chain_after_chain_does_not(size: int, c: int) -> None:
    """2 M chains through c hidden layers, from one input to one output."""
    chains = 2 * size
    last = 1 + chains * c
    neuron = [[1 + layer * chains + k for layer in range(c)] for k in range(chains)]
    links = [(0, n[0]) for n in neuron]
    links += [(n[layer], n[layer + 1]) for layer in range(c - 1) for n in neuron]
    links += [(n[-1], last) for n in neuron]
    network = small(links)
    by_layer = np.arange(len(links), dtype=np.int32)
    for policy in ("min", "lru", "rr"):
        assert counted(network, by_layer, size, policy).writes >= size * c
    by_chain = by_layer.reshape(c + 1, chains).T.ravel()
    # Room for the input, the output and one chain: its two ends at a time, of which one is the input or the output.
    assert counted(network, by_chain, 5).writes == 1
    assert least_and_reached(network, counted(network, by_chain, 5))


def compact_growth(size: int, steps: int, in_degree: int, rng: np.random.Generator) -> Network:
    """Section V-A with a full bag of ``size`` - 2 neurons: each new one draws connections from some, the last of which leaves."""
    bag = list(range(size - 2))
    links = []
    for new in range(size - 2, size - 2 + steps):
        drawn = rng.permutation(len(bag))[:in_degree]
        links += [(bag[k], new) for k in drawn.tolist()]
        bag[int(drawn[-1])] = new
    links += [(v, size - 2 + steps) for v in bag]
    return small(links)


@pytest.mark.parametrize(("size", "seed"), [(3, 0), (4, 1), (10, 2), (30, 3)])
def test_theorem_2_compact_growth_reaches_the_lower_bounds_in_its_own_order(size: int, seed: int) -> None:
    network = compact_growth(size, 60, min(5, size - 2), np.random.default_rng(seed))
    order = np.arange(network.connection_count, dtype=np.int32)
    for enough in (size, size + 1, 4 * size):
        assert least_and_reached(network, counted(network, order, enough))
    assert memory_of(network, order) <= size
    assert least_memory(network).memory <= size


@given(networks(8, 10), st.data())
@settings(max_examples=60)
def test_theorem_2_less_than_the_live_neurons_is_not_enough(network: Network, data: st.DataObject) -> None:
    """MIN reaches the bounds on an order exactly where memory holds its live neurons and a connection."""
    order = data.draw(orders_of(network))
    links = links_of(network, order)
    live = live_counts(network, order)
    assert live.max() == reference.most_live(links)
    needed = memory_of(network, order)
    assert needed == max(3, reference.most_live(links) + 1)
    for size in range(3, needed + 2):
        assert least_and_reached(network, counted(network, order, size)) == (size >= needed)


# ---------------------------------------------------------------------- Corollary 1 and least memory
@given(networks(10, 24))
@settings(max_examples=50)
def test_corollary_1_two_more_than_the_bandwidth_suffice(network: Network) -> None:
    for words, neurons in neuron_orders(network):
        place = np.empty(network.neuron_count, int)
        place[neurons] = np.arange(network.neuron_count)
        assert sorted(neurons.tolist()) == list(range(network.neuron_count)), words
        assert (place[network.source] < place[network.target]).all(), words
        order = block_order(network, neurons)
        size = max(3, bandwidth(network, neurons) + 2)
        assert least_and_reached(network, counted(network, order, size)), words
        assert memory_of(network, order) <= size


@given(networks(8, 9), st.integers(0, 5))
@settings(max_examples=40)
def test_least_memory_is_reached_and_at_best_the_least(network: Network, seed: int) -> None:
    found = least_memory(network, seed=seed)
    assert least_and_reached(network, counted(network, found.order, found.memory))
    assert found.memory == 3 or not least_and_reached(
        network, counted(network, found.order, found.memory - 1)
    )
    assert found.memory <= max(3, found.bandwidth + 2)
    assert found.memory >= max(3, reference.least_live(links_of(network)) + 1)


def test_least_memory_is_the_least_on_most_small_networks() -> None:
    rng = np.random.default_rng(0)
    exact = 0
    for _ in range(40):
        count, connections = int(rng.integers(3, 9)), int(rng.integers(2, 10))
        source = rng.integers(0, count - 1, connections)
        target = source + 1 + (rng.random(connections) * (count - 1 - source)).astype(int)
        network = network_of("drawn", source, target, np.ones(connections))
        least = max(3, reference.least_live(links_of(network)) + 1)
        exact += least_memory(network).memory == least
    assert exact >= 38


@pytest.mark.parametrize(
    ("links", "memory"),
    [
        ([(0, 1)], 3),
        ([(i, 9) for i in range(9)], 3),
        ([(0, i) for i in range(1, 9)], 3),
        ([(i, i + 1) for i in range(9)], 3),
        ([(0, 2), (0, 3), (1, 2), (1, 3)], 4),
        ([(a, b) for a in range(4) for b in range(4, 8)], 6),
    ],
)
def test_least_memory_of_plain_shapes(links: list[tuple[int, int]], memory: int) -> None:
    assert least_memory(small(links)).memory == memory


def test_known_orders_count_and_a_stop_is_heard() -> None:
    network = compact_growth(12, 80, 5, np.random.default_rng(5))
    shuffled = network_of("shuffled", network.source[::-1], network.target[::-1], network.weight)
    known = np.arange(network.connection_count, dtype=np.int32)[::-1].copy()
    first = least_memory(shuffled, 60.0, stopped=lambda: True)
    assert least_and_reached(shuffled, counted(shuffled, first.order, first.memory))
    assert least_memory(shuffled, known=[known]).memory <= 12
    breaks = np.arange(network.connection_count, dtype=np.int32)
    assert least_memory(shuffled, known=[breaks]).method != "a known order"


@given(networks(), st.data())
@settings(max_examples=40)
def test_backwards_as_many_neurons_are_live(network: Network, data: st.DataObject) -> None:
    order = data.draw(orders_of(network))
    assert live_counts(backwards(network), order[::-1]).tolist() == live_counts(network, order)[::-1].tolist()


# ---------------------------------------------------------------------- what MIN is best at
def test_min_may_write_more_than_needed() -> None:
    """Three slots. MIN evicts the sum of 4, wanted last, for 3; evicting input 2, read again as soon, saves that write."""
    links = [(2, 4), (0, 3), (2, 3), (3, 4)]
    network = small([(a - (a > 0), b - 1) for a, b in links])
    assert counted(network, np.arange(4), 4) == (9, 2)
    assert reference.best_counts(links_of(network), network.outputs.tolist(), 3) == (9, 10)


@given(st.data())
@settings(max_examples=60)
def test_min_reads_least_on_a_fixed_order_and_is_off_by_little_in_total(data: st.DataObject) -> None:
    """MIN minimises reads. In total another choice of victims may save a write: docs/io-theory.md."""
    network = data.draw(networks(7, 10))
    order = data.draw(orders_of(network))
    size = data.draw(st.integers(3, 5))
    counts = counted(network, order, size)
    reads, total = reference.best_counts(links_of(network, order), network.outputs.tolist(), size - 1)
    assert counts.reads == reads
    assert total <= counts.total <= total + counts.writes
    for policy in ("lru", "rr"):
        other = counted(network, order, size, policy)
        assert other.reads >= reads and other.total >= total


# ---------------------------------------------------------------------- planners against all orders
SHORT = {"order-portfolio": {"effort": 0.01}, "connection-reordering": {"iterations": 300}}


def best_of_all(problem: NetworkProblem) -> int:
    """The fewest I/Os of any valid order."""
    count = problem.evaluator.count
    return min(count(np.array(o, np.int32)).total for o in reference.orders(links_of(problem.network)))


@pytest.mark.parametrize("policy", ["min", "lru", "rr"])
def test_no_planner_beats_the_best_of_all_orders_and_the_portfolio_mostly_finds_it(policy: str) -> None:
    rng = np.random.default_rng(7)
    found = 0
    for _ in range(12):
        count, connections = int(rng.integers(4, 8)), int(rng.integers(5, 8))
        source = rng.integers(0, count - 1, connections)
        target = source + 1 + (rng.random(connections) * (count - 1 - source)).astype(int)
        network = network_of("drawn", source, target, np.ones(connections))
        problem = NetworkProblem(network, TwoLevelMemory(int(rng.integers(3, 5)), policy))
        best = best_of_all(problem)
        assert best >= io_bounds(network).least
        for name in ("theorem-1", "locality", "connection-reordering", "order-portfolio"):
            result = run(planner(name), problem, options=SHORT.get(name))
            order = result.order
            assert order is not None and problem.evaluate(order).objective == result.objective
            slow = reference.counts(
                policy, links_of(network, order), network.outputs.tolist(), problem.evaluator.slots
            )
            assert sum(slow) == result.objective
            assert result.objective >= best
            found += name == "order-portfolio" and result.objective == best
    assert found >= 10


@pytest.mark.parametrize("policy", ["min", "lru", "rr"])
def test_what_planners_find_is_recounted(policy: str) -> None:
    """Searches exploit whatever a counter gets wrong, so what they end with is counted by the reference."""
    network = generate_network("mlp", {"width": 14, "depth": 3, "density": 0.35}, 1)
    problem = NetworkProblem(network, TwoLevelMemory(8, policy))
    for name in ("theorem-1", "locality", "connection-reordering", "order-portfolio"):
        result = run(planner(name), problem, options=SHORT.get(name))
        assert result.order is not None
        slow = reference.counts(policy, links_of(network, result.order), network.outputs.tolist(), 7)
        assert sum(slow) == result.objective >= io_bounds(network).least


@pytest.mark.parametrize("seed", [12, 32, 112])
def test_the_portfolio_reaches_the_least_where_memory_is_known_to_suffice(seed: int) -> None:
    settings = {"width": 10, "depth": 3, "density": 0.5, "outputs": 3}
    network = generate_network("mlp", settings, seed)
    target = TwoLevelMemory(size=least_memory(network, 60.0).memory)
    result = run(planner("order-portfolio"), NetworkProblem(network, target), options={"effort": 0.0})
    assert result.objective == io_bounds(network).least
