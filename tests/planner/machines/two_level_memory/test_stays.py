"""Windows whose sources stay for a while: books kept, stays that save what they promise, valid orders, time limits used."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.machines.catalogue import planner
from planner.machines.two_level_memory.problem import NetworkProblem
from planner.machines.two_level_memory.target import TwoLevelMemory
from planner.machines.two_level_memory.windows.locality import Links, Window, gathered, window_of
from planner.machines.two_level_memory.windows.staying import Allowance
from planner.machines.two_level_memory.windows.stays import UNIT, Stays, stayable
from planner.model.network import Network
from planner.search.run import run
from planner.search.search import Callbacks, Search
from planner.search.stop import AnyOf, FirstPlan, IterationLimit, Never, Stop, TimeLimit
from tests.planner.machines.two_level_memory.strategies import networks
from tests.planner.machines.two_level_memory.test_locality import NOTHING, layered, slowly


def search_of(problem: NetworkProblem, seed: int = 0, stop: Stop | None = None) -> Search:
    return Search(problem, stop or Never(), Callbacks(), seed, {})


def dense(size: int = 14, last: int = 1) -> tuple[NetworkProblem, Window]:
    problem = NetworkProblem(layered(width=50, depth=4, density=0.4, last=last), TwoLevelMemory(size))
    links = Links(problem.network)
    return problem, gathered(links, size - 2, links.large_sums(size - 2), relative=True)


def fetches(stays: Stays, s: int, stay: tuple[int, int]) -> int:
    """Fetches of ``s`` from the definition: in its window, and beyond where it stays from a place to another."""
    window, network = stays.window, stays.links.network
    own = int(stays.exit[s])
    targets = {int(stays.exit[t]) for t in network.target[network.source == s] if not window.held[t]}
    served = -1 if own < 0 else int(window.until[own])
    if own >= 0 and stay[1] > stay[0] == own:
        served = max(served, int(window.until[stay[1]]) - 1)
    count = 0
    for place in sorted(targets):
        if place > served:
            count += 1
            served = int(window.until[stay[1] if stay[1] > stay[0] == place else place]) - 1
    return count


def check_books(stays: Stays) -> None:
    """Costs are what fetches and stays cost, and what stays takes the room that it takes."""
    network = stays.links.network
    bits = np.zeros_like(stays.bits)
    for v, place in enumerate(stays.exit):
        if place >= 0:
            np.bitwise_or.at(
                bits[:, place // 64],
                network.source[network.target == v],
                np.uint64(1) << np.uint64(place % 64),
            )
    assert (bits == stays.bits).all()
    free = stays.capacity.copy()
    for s in range(network.neuron_count):
        begin, end = int(stays.begin[s]), int(stays.end[s])
        free[begin:end] -= 1
        count = fetches(stays, s, (begin, end))
        written = stays.exit[s] >= 0 and count > 0 and not network.is_output[s]
        assert stays.cost[s] == UNIT * (count + written) + stays.toll[end] - stays.toll[begin]
        plain = fetches(stays, s, (0, 0))
        assert count == plain - (end > begin)
    assert (free == stays.free).all()
    assert stays.total == stays.cost.sum()


# ---------------------------------------------------------------------- annealing
@pytest.mark.parametrize("last", [1, 30])
def test_annealing_keeps_its_books(last: int) -> None:
    problem, window = dense(last=last)
    search = search_of(problem)
    stays = Stays(window, problem.target.size - 1)
    check_books(stays)
    before = stays.total
    for _ in range(2):
        stays.anneal(search, 20_000, 0.1, 0.03)
        check_books(stays)
        easy, cost = stays.easy.copy(), stays.cost.copy()
        stays.reprice()
        assert (stays.cost == cost).all()
        assert (stays.easy == easy).all()
        stays.renew(search)
    assert stays.total < before
    stays.choose()
    for _ in range(2):
        stays.renew(search)
        stays.anneal(search, 20_000, 0.1, 0.03)
        check_books(stays)
    assert (stays.end > stays.begin).any()
    assert problem.evaluate(stays.fitting(search)).valid


def test_stays_that_fit_save_what_they_promise() -> None:
    problem, window = dense(last=30)
    network, search = problem.network, search_of(problem)
    stays = Stays(window, problem.target.size - 1)
    stays.anneal(search, 200_000, 0.1, 0.03)
    stays.choose()
    stays.renew(search)
    stays.anneal(search, 100_000, 0.05, 0.03)
    found = problem.evaluate(stays.fitting(search))
    paid = sum(fetches(stays, s, (stays.begin[s], stays.end[s])) for s in range(network.neuron_count))
    assert found.reads <= network.connection_count + int((network.in_degree > 0).sum()) + paid


def test_nothing_stays_for_nothing() -> None:
    problem, window = dense()
    stays = Stays(window, problem.target.size - 1)
    stays.price[:] = 2.0
    stays.reprice()
    assert not (stays.end > stays.begin).any()
    order = window_of(stays.links, window.leaving, stays.width, np.flatnonzero(window.held)).order()
    assert problem.evaluate(stays.order()).objective == problem.evaluate(order).objective


@settings(max_examples=40)
@given(networks(14, 60), st.integers(3, 9), st.integers(0, 1000))
def test_orders_are_valid_on_every_network(network: Network, size: int, seed: int) -> None:
    problem = NetworkProblem(network, TwoLevelMemory(size))
    window = gathered(Links(network), size - 2, NOTHING)
    if not stayable(window):
        return
    search = search_of(problem, seed)
    stays = Stays(window, size - 1)
    for _ in range(2):
        stays.anneal(search, 300, 0.5, 0.1)
        order = stays.fitting(search)
        evaluation = problem.evaluate(order)
        assert evaluation.valid
        assert evaluation.objective == slowly(problem, order)
        stays.renew(search)
        stays.choose()
        stays.renew(search)


# ---------------------------------------------------------------------- time
def test_without_a_limit_steps_count() -> None:
    problem, _ = dense()
    allowance = Allowance(search_of(problem), 0.001, 100)
    assert allowance.share == 0.0
    allowance.spend(6_000)
    assert allowance.share == pytest.approx(0.5)


def test_a_time_limit_is_seen_through_other_criteria() -> None:
    problem, _ = dense()
    stop = AnyOf([IterationLimit(5), AnyOf([TimeLimit(1e9), FirstPlan()]), TimeLimit(1e6)])
    assert 0.9e6 < search_of(problem, stop=stop).remaining <= 1e6
    assert search_of(problem, stop=AnyOf([IterationLimit(5)])).remaining == math.inf
    assert search_of(problem).remaining == math.inf
    assert search_of(problem, stop=TimeLimit(-1.0)).remaining == 0.0


def test_a_time_limit_is_used_and_kept() -> None:
    problem, _ = dense()
    result = run(planner("order-portfolio"), problem, TimeLimit(0.5), options={"restarts": 0})
    assert result.stop_reason in {"finished", "time"}
    assert problem.evaluate(result.device_of).valid


def test_a_search_with_stays_beats_windows_without() -> None:
    problem, window = dense(last=30)
    plain = problem.evaluate(window.order()).objective
    found = run(planner("order-portfolio"), problem, options={"effort": 0.05, "restarts": 0})
    assert found.objective is not None
    assert found.objective < plain
