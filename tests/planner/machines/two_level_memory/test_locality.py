"""Windows and the orders they stand for: valid on every network, never undercounted, the same for the same seed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.machines.catalogue import own_planner, planner, planners_for
from planner.machines.two_level_memory.orders.io_bounds import io_bounds
from planner.machines.two_level_memory.orders.theorem_1 import is_topological, theorem_1_order
from planner.machines.two_level_memory.problem import NetworkProblem
from planner.machines.two_level_memory.target import POLICIES, TwoLevelMemory
from planner.machines.two_level_memory.windows.locality import (
    Links,
    Window,
    constructed,
    gathered,
    restarted,
    widths,
    window_of,
)
from planner.machines.two_level_memory.windows.refine import Refined
from planner.model.network import Network
from planner.model.network_building import network_of
from planner.search.run import run
from planner.search.search import Callbacks, Search
from planner.search.stop import Cancel, Never
from tests.planner.machines.two_level_memory import reference as memory_reference
from tests.planner.machines.two_level_memory.strategies import networks

NOTHING = np.empty(0, np.int32)
memories = st.builds(TwoLevelMemory, st.integers(3, 9), st.sampled_from(POLICIES))


def search_of(problem: NetworkProblem, seed: int = 0) -> Search:
    return Search(problem, Never(), Callbacks(), seed, {})


def layered(width: int = 30, depth: int = 3, density: float = 0.3, seed: int = 0, last: int = 1) -> Network:
    """Layers of ``width`` neurons at random, and ``last`` outputs that read the whole last one."""
    rng = np.random.default_rng(seed)
    pairs = [
        (k * width + a, (k + 1) * width + b)
        for k in range(depth - 1)
        for a in range(width)
        for b in rng.choice(width, max(1, int(density * width)), replace=False)
    ]
    pairs += [((depth - 1) * width + a, depth * width + b) for a in range(width) for b in range(last)]
    source, target = np.array(pairs).T
    return network_of("layers", source, target, np.ones(len(pairs)))


def modelled(window: Window) -> tuple[int, int]:
    """Reads and writes that a window stands for, from its definition: intervals of places, stabbed at their earliest ends."""
    network = window.links.network
    entry, leave, n = window.entry, window.exit, len(window.leaving)
    reads, writes = network.connection_count + int((network.in_degree > 0).sum()), len(network.outputs)
    for s in range(network.neuron_count):
        targets = {int(t) for t in network.target[network.source == s] if not window.held[t]}
        computed = network.in_degree[s] > 0
        if computed and not window.held[s]:
            targets = {t for t in targets if entry[t] > window.until[leave[s]]}
        fetches = 0
        for place in range(n):
            if int(window.leaving[place]) in targets:
                fetches += 1
                targets = {t for t in targets if entry[t] >= window.until[place]}
        reads += fetches
        writes += bool(computed and fetches and not network.is_output[s])
    return reads, writes


def slowly(problem: NetworkProblem, order: np.ndarray) -> int:
    """Reads and writes by the reference."""
    network = problem.network
    links = [(int(network.source[c]), int(network.target[c])) for c in order]
    policy, outputs = problem.target.policy, set(network.outputs.tolist())
    return sum(memory_reference.counts(policy, links, outputs, problem.target.size - 1))


# ---------------------------------------------------------------------- orders
@settings(max_examples=25)
@given(networks())
def test_theorem_1_order_is_as_good_as_the_theorem_says(network: Network) -> None:
    order = theorem_1_order(network)
    assert is_topological(network, order)
    rank = network.rank[network.target[order]]
    assert (np.diff(rank) >= 0).all()
    for size in (3, 5):
        problem = NetworkProblem(network, TwoLevelMemory(size))
        most = 2 * (network.connection_count + network.neuron_count - len(network.inputs))
        assert problem.evaluate(order).objective <= most


@settings(max_examples=25)
@given(networks(), memories, st.integers(0, 1000))
def test_every_window_gives_a_valid_order(network: Network, memory: TwoLevelMemory, seed: int) -> None:
    problem = NetworkProblem(network, memory)
    search, links = search_of(problem, seed), Links(network)
    made = list(constructed(problem, search, links))
    made.append(restarted(search, made[0]))
    for window in made:
        evaluation = problem.evaluate(window.order())
        assert evaluation.valid
        assert evaluation.objective >= io_bounds(network).least


@settings(max_examples=25)
@given(networks(), st.integers(3, 9))
def test_under_min_a_window_reads_what_it_stands_for_or_less(network: Network, size: int) -> None:
    problem = NetworkProblem(network, TwoLevelMemory(size))
    links = Links(network)
    for window in (window_of(links, links.computed, size - 2, NOTHING), gathered(links, size - 2, NOTHING)):
        # MIN has the fewest reads, not always the fewest writes.
        assert problem.evaluate(window.order()).reads <= modelled(window)[0]


def test_held_sums_stay() -> None:
    network = layered(width=60, density=0.1)
    links = Links(network)
    held = links.large_sums(8)
    assert held.tolist() == network.outputs.tolist()
    problem = NetworkProblem(network, TwoLevelMemory(10))
    with_held = problem.evaluate(gathered(links, 8, held).order()).objective
    without = problem.evaluate(gathered(links, 8, NOTHING).order()).objective
    assert with_held < without


def test_widths_by_policy() -> None:
    network = layered()
    assert widths(NetworkProblem(network, TwoLevelMemory(100))) == (98,)
    assert widths(NetworkProblem(network, TwoLevelMemory(3))) == (1,)
    several = widths(NetworkProblem(network, TwoLevelMemory(100, "lru")))
    assert len(several) > 5
    assert max(several) < 98


# ---------------------------------------------------------------------- refinement
@pytest.mark.parametrize("density", [0.1, 0.7])
@pytest.mark.parametrize("last", [1, 30])
def test_annealing_keeps_its_books(density: float, last: int) -> None:
    network = layered(width=40, density=density, last=last)
    problem = NetworkProblem(network, TwoLevelMemory(14))
    links = Links(network)
    refined = Refined(gathered(links, 12, links.large_sums(12)))
    assert (refined.drift > 0) == (density < 0.5)
    base = sum(modelled(refined.window)) - refined.total
    for _ in range(3):
        refined.anneal(search_of(problem), 20_000)
        assert (refined.costs() == refined.cost).all()
        assert refined.total == refined.cost.sum()
        found = refined.found
        assert sum(modelled(found)) - base == refined.best
        evaluation = problem.evaluate(found.order())
        assert evaluation.valid
        # A held sum's sources may be made earlier than before, and it then takes its place earlier.
        if not found.held.any():
            assert evaluation.reads <= modelled(found)[0]
        refined.restart()
        assert refined.total == refined.best


@settings(max_examples=25)
@given(networks(14, 60), st.integers(3, 9), st.integers(0, 1000))
def test_annealed_windows_are_valid(network: Network, size: int, seed: int) -> None:
    problem = NetworkProblem(network, TwoLevelMemory(size))
    links = Links(network)
    window = gathered(links, size - 2, NOTHING)
    if len(window.leaving) < 2:
        return
    refined = Refined(window)
    before = refined.total
    refined.anneal(search_of(problem, seed), 300)
    assert refined.best <= before
    evaluation = problem.evaluate(refined.found.order())
    assert evaluation.valid
    assert evaluation.reads <= modelled(refined.found)[0]


# ---------------------------------------------------------------------- planners
@settings(max_examples=25)
@given(networks(), memories)
def test_the_portfolio_is_never_worse_than_theorem_1(network: Network, memory: TwoLevelMemory) -> None:
    problem = NetworkProblem(network, memory)
    result = run(planner("order-portfolio"), problem, options={"effort": 0.0001, "restarts": 1})
    assert result.objective is not None
    assert result.objective <= problem.evaluate(theorem_1_order(network)).objective
    assert result.objective == slowly(problem, result.device_of)
    assert (result.status == "optimal") == (result.objective == io_bounds(network).least)


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("name", ["locality", "order-portfolio", "theorem-1"])
def test_planners_repeat_themselves(name: str, policy: str) -> None:
    problem = NetworkProblem(layered(), TwoLevelMemory(12, policy))
    options: dict[str, Any] = {"order-portfolio": {"effort": 0.02}, "locality": {"restarts": 3}}.get(name, {})
    first, second = (run(planner(name), problem, seed=7, options=options) for _ in range(2))
    assert first.device_of.tolist() == second.device_of.tolist()
    assert first.objective == slowly(problem, first.device_of)


@pytest.mark.parametrize("policy", POLICIES)
def test_the_portfolio_beats_what_it_is_made_of(policy: str) -> None:
    problem = NetworkProblem(layered(width=60), TwoLevelMemory(20, policy))
    values = [run(planner(n), problem).objective for n in ("theorem-1", "locality")]
    best = run(planner("order-portfolio"), problem, options={"effort": 0.1}).objective
    assert best <= values[1] < values[0]


def test_the_portfolio_stops_where_the_bound_is_met() -> None:
    network = layered(width=6, depth=2)
    result = run(planner("order-portfolio"), NetworkProblem(network, TwoLevelMemory(100)))
    assert result.status == "optimal"
    assert result.iterations == 1


def test_a_start_is_taken() -> None:
    problem = NetworkProblem(layered(), TwoLevelMemory(12))
    best = run(planner("order-portfolio"), problem, options={"effort": 0.1})
    again = run(planner("order-portfolio"), problem, options={"effort": 0.0}, starts=[best.device_of])
    assert again.objective <= best.objective


def test_a_cancelled_search_has_an_order() -> None:
    asked = iter(range(10**9))
    stop = Cancel(lambda: next(asked) > 20)
    problem = NetworkProblem(layered(width=60), TwoLevelMemory(20))
    result = run(planner("order-portfolio"), problem, stop, options={"effort": 1e6})
    assert result.stop_reason == "cancelled"
    assert problem.evaluate(result.device_of).valid


def test_the_portfolio_is_the_default() -> None:
    problem = NetworkProblem(layered(), TwoLevelMemory(12))
    assert own_planner(problem).name == "order-portfolio"
    assert {"locality", "theorem-1"} <= {p.name for p in planners_for(problem)}
