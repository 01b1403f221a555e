"""The bound by segments: never above what an order costs, additive over components, and how near it comes to the optimum."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.generate.catalogue import generate_network
from planner.machines.catalogue import bound_method, default_bound, planner, unasked_bounds
from planner.machines.two_level_memory.orders.io_bounds import io_bounds
from planner.machines.two_level_memory.partition.densest import Densest
from planner.machines.two_level_memory.partition.halves import components
from planner.machines.two_level_memory.problem import NetworkProblem
from planner.machines.two_level_memory.target import TwoLevelMemory
from planner.model.graph import Ints
from planner.model.network import Network
from planner.search.run import run, run_bound
from planner.search.stop import IterationLimit
from tests.planner.machines.two_level_memory import reference
from tests.planner.machines.two_level_memory.exact import fewest_ios
from tests.planner.machines.two_level_memory.orders import cases, links_of, networks, small


def segments(network: Network, size: int) -> float:
    """What the bound proves in the end."""
    result = run_bound(bound_method("segments"), NetworkProblem(network, TwoLevelMemory(size)))
    values = [b.value for b in result.bounds]
    assert all(b.assumes == frozenset() for b in result.bounds)
    return max(values)


def optimum(network: Network, size: int) -> int:
    """The fewest I/Os over all orders and all choices of what to evict."""
    return fewest_ios(links_of(network), network.outputs.tolist(), size - 1)


def crossed(*sizes: int) -> Network:
    """Layers of these sizes, every two that follow each other fully connected."""
    starts = np.cumsum([0, *sizes])
    return small(
        [
            (a, b)
            for i in range(len(sizes) - 1)
            for a in range(starts[i], starts[i + 1])
            for b in range(starts[i + 1], starts[i + 2])
        ]
    )


@given(networks(7, 11), st.integers(3, 5))
@settings(max_examples=60, deadline=None)
def test_no_inference_beats_it(network: Network, size: int) -> None:
    assert io_bounds(network).least <= segments(network, size) <= optimum(network, size)


@given(st.integers(1, 3), st.integers(1, 3), st.integers(0, 2), st.integers(3, 5))
@settings(max_examples=40, deadline=None)
def test_no_inference_of_dense_layers_beats_it(first: int, second: int, third: int, size: int) -> None:
    network = crossed(first, second, third) if third else crossed(first, second)
    assert segments(network, size) <= optimum(network, size)


@given(networks(6, 7), st.integers(2, 4))
@settings(max_examples=40, deadline=None)
def test_the_optimum_is_what_going_through_all_orders_finds(network: Network, slots: int) -> None:
    """Orders one by one, each with its best victims."""
    outputs = network.outputs.tolist()
    orders = reference.orders(links_of(network))
    best = min(
        reference.best_counts(links_of(network, np.array(o, np.int32)), outputs, slots)[1] for o in orders
    )
    assert fewest_ios(links_of(network), outputs, slots) == best


@given(cases(12, 60))
@settings(max_examples=60, deadline=None)
def test_no_order_under_any_policy_beats_it(case: tuple[NetworkProblem, Ints]) -> None:
    problem, order = case
    assert segments(problem.network, problem.target.size) <= problem.evaluate(order).objective


@pytest.mark.parametrize("size", [4, 8])
@pytest.mark.parametrize(("density", "outputs"), [(0.3, 1), (1.0, 1), (1.0, 9)])
def test_planners_stay_above_it_and_it_above_theorem_1(size: int, density: float, outputs: int) -> None:
    options = {"width": 30, "depth": 3, "density": density, "outputs": outputs}
    network = generate_network("mlp", options, 2)
    problem = NetworkProblem(network, TwoLevelMemory(size))
    proven = segments(network, size)
    assert proven > io_bounds(network).least
    found = run(planner("order-portfolio"), problem, options={"effort": 0.01})
    assert found.objective >= proven


@given(networks(10, 40), st.integers(3, 6))
@settings(max_examples=40, deadline=None)
def test_more_memory_never_proves_more(network: Network, size: int) -> None:
    assert segments(network, size + 1) <= segments(network, size)


def test_two_networks_beside_each_other_need_what_both_need() -> None:
    one = links_of(crossed(4, 4, 3))
    extra = segments(crossed(4, 4, 3), 4) - io_bounds(crossed(4, 4, 3)).least
    assert extra > 0
    both = small([*one, *((a + 11, b + 11) for a, b in one)])
    assert segments(both, 4) == io_bounds(both).least + 2 * extra


def test_layers_are_components_and_sources_are_told_apart() -> None:
    found = sorted(components(crossed(3, 4, 2)), key=lambda c: c.sources)
    assert [(c.sources, c.targets) for c in found] == [(3, 4), (4, 2)]
    assert [c.twice.all() for c in found] == [False, True] == [c.twice.any() for c in found]
    assert found[0].matrix().tolist() == [[1.0] * 4] * 3


@given(st.integers(0, 10_000), st.booleans())
@settings(max_examples=40, deadline=None)
def test_so_many_values_have_no_more_among_them(seed: int, spectral: bool) -> None:
    """Against all sets of sources and targets."""
    rng = np.random.default_rng(seed)
    n, m = (int(k) for k in rng.integers(1, 7, 2))
    weights = rng.integers(0, 2, (n, m)) * rng.random((n, m)).round(2)
    weights[0, 0] += 1.0
    densest = Densest(weights, spectral)
    sets = [np.array([k >> i & 1 for i in range(max(n, m))]) for k in range(1 << max(n, m))]
    sources, targets = np.array([s[:n] for s in sets]), np.array([s[:m] for s in sets])
    among = sources @ weights @ targets.T
    x, y = np.meshgrid(sources.sum(axis=1), targets.sum(axis=1), indexing="ij")
    assert (among <= densest.among(x, y) + 1e-12).all()


def test_it_is_proven_unasked_and_asked_first_and_can_be_stopped() -> None:
    problem = NetworkProblem(crossed(6, 6, 6), TwoLevelMemory(4))
    method = bound_method("segments")
    assert default_bound(problem) is method and unasked_bounds(problem) == [method]
    whole = run_bound(method, problem)
    stopped = run_bound(method, problem, IterationLimit(1))
    assert io_bounds(problem.network).least < stopped.bounds[-1].value < whole.bounds[-1].value


SMALL = (
    ((2, 2), 3, 10, 11, 11),
    ((3, 3), 3, 18, 22, 22),
    ((3, 3), 4, 18, 19, 20),
    ((3, 4), 3, 23, 29, 29),
    ((2, 6), 3, 26, 31, 31),
    ((2, 3, 2), 3, 21, 27, 30),
    ((2, 3, 2), 4, 21, 21, 25),
    ((3, 3, 1), 3, 20, 24, 28),
    ((3, 3, 1), 4, 20, 21, 23),
)
"""Fully connected layers, values of fast memory, W + N + S, the bound and the optimum: docs/io-theory.md has these figures."""


@pytest.mark.parametrize(("sizes", "size", "least", "proven", "best"), SMALL)
def test_how_far_optima_are_from_it(
    sizes: tuple[int, ...], size: int, least: int, proven: int, best: int
) -> None:
    network = crossed(*sizes)
    found = io_bounds(network).least, segments(network, size), optimum(network, size)
    assert found == (least, proven, best)
