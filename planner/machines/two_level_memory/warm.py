"""The tiny networks on which kernels are compiled."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from planner.machines.two_level_memory.execution.layers import layers_of
from planner.machines.two_level_memory.execution.program import compile_order
from planner.machines.two_level_memory.execution.scipy_csr import ScipyCsr
from planner.machines.two_level_memory.order import ConnectionOrder
from planner.machines.two_level_memory.planners.order_portfolio import OrderPortfolio
from planner.machines.two_level_memory.problem import NetworkProblem
from planner.machines.two_level_memory.repair import repair_order
from planner.machines.two_level_memory.target import LEAST, POLICIES, TwoLevelMemory
from planner.machines.two_level_memory.windows.locality import Links, constructed
from planner.machines.two_level_memory.windows.staying import Allowance, anneal_stays
from planner.methods import tiny
from planner.methods.tiny import SECONDS, tiny_network
from planner.model.network import Network
from planner.model.network_building import network_of
from planner.search.run import run
from planner.search.search import Callbacks, Search
from planner.search.stop import Never, TimeLimit


class Warm(tiny.Warm):
    """A network under every policy of eviction."""

    def problems(self) -> Iterator[NetworkProblem]:
        """One for each policy."""
        for policy in POLICIES:
            yield NetworkProblem(tiny_network(), TwoLevelMemory(LEAST, policy))

    def like(self, problem: NetworkProblem) -> NetworkProblem:
        """A tiny network on the smallest memory under the policy of ``problem``."""
        return NetworkProblem(tiny_network(), problem.target.smallest())

    def evaluate(self, problem: NetworkProblem) -> None:
        """Counts, traces and repair of an order."""
        order = np.arange(problem.network.connection_count, dtype=np.int32)
        problem.evaluate(order)
        problem.evaluator.trace(order)
        repair_order(problem, order[::-1])

    def search(self, problem: NetworkProblem) -> None:
        """Greedy orders and the annealing of windows, which a search comes to only where the first orders are not the best."""
        crossed = NetworkProblem(crossed_network(), TwoLevelMemory(LEAST))
        run(OrderPortfolio(), crossed, TimeLimit(SECONDS), options={"effort": 0.001, "restarts": 1})
        search = Search(crossed, Never(), Callbacks(), 0, {})
        window = next(constructed(crossed, search, Links(crossed.network)))
        anneal_stays(window, LEAST - 1, search, Allowance(search, 1e-6, 1))

    def rest(self) -> None:
        """Programs, and the pass over what libraries compute."""
        network = tiny_network()
        order = np.arange(network.connection_count, dtype=np.int32)
        batch = np.zeros((network.features, 1), np.float32)
        # Orders of plans are read-only, those of searches are not.
        for given in (order, ConnectionOrder(order).order):
            compile_order(network, given).run(batch)
        ScipyCsr(layers_of(network)).run(batch)


def crossed_network() -> Network:
    """Every neuron reads all of the layer before, and one also a constant, so that the least memory is far from enough."""
    hidden, last = (4, 5, 6, 7), (8, 9, 10, 11)
    pairs = [(a, b) for b in hidden for a in range(4)] + [(a, b) for b in last for a in hidden] + [(12, 8)]
    source, target = zip(*pairs, strict=True)
    return network_of("crossed", source, target, np.ones(len(pairs)), inputs=range(4))
