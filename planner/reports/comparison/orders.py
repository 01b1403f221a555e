"""Two to four orders of one network's connections: what each costs, and how different they are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from planner.errors import PlanError
from planner.machines.two_level_memory.orders.rising import longest_increasing
from planner.machines.two_level_memory.problem import OrderPlan
from planner.model.graph import Ints
from planner.model.network import Network
from planner.plan_files import order_json
from planner.problem.bound import Bound
from planner.reports.comparison.comparison import check_count
from planner.reports.comparison.figures import LETTERS, Figures, figures_of, told_apart, weighed
from planner.reports.comparison.rules import Differing, differing


@dataclass(frozen=True, eq=False)
class Displacement:
    """How to make one order of neurons from another. ``neurons`` (int32, ids by their place in the new order) is a smallest set whose
    moves suffice; ``before`` and ``after`` (int32, same length) their places among the completed neurons, from 0.
    ``connections`` counts those of the order that do not follow the connection which they followed."""

    neurons: Ints
    before: Ints
    after: Ints
    connections: int


@dataclass(frozen=True, eq=False)
class OrderComparison:
    """Orders of one network beside each other; made by :func:`compare_orders`. The first is the reference."""

    plans: tuple[OrderPlan, ...]
    bounds: tuple[Bound, ...]
    notes: tuple[str, ...]
    claims: tuple[tuple[Bound, ...], ...] = ()
    """What the file of each plan claims; counts nowhere."""

    @property
    def network(self) -> Network:
        """The network."""
        return self.plans[0].problem.network

    def letter(self, i: int) -> str:
        """What plan i is called for short: A, B, C or D."""
        return LETTERS[i]

    @cached_property
    def _figures(self) -> tuple[Figures, ...]:
        names = told_apart(self.plans)
        return tuple(
            figures_of(plan, self.bounds, LETTERS[i], self.claims[i], names[i])
            for i, plan in enumerate(self.plans)
        )

    def figures(self, i: int) -> Figures:
        """Plan i in figures: I/Os, what is proven, and what is broken."""
        return self._figures[i]

    @cached_property
    def _sequences(self) -> tuple[Ints, ...]:
        return tuple(completed(self.network, plan.decision.order) for plan in self.plans)

    def sequence(self, i: int) -> Ints:
        """The neurons with inputs (int32[neurons], ids) in the order in which plan i completes them."""
        return self._sequences[i]

    @cached_property
    def differing(self) -> Differing:
        """In what memory and policy of the orders differ."""
        return differing(self.plans, LETTERS[: len(self.plans)])

    def displaced(self, i: int, j: int = 0) -> Displacement:
        """The fewest neurons that must move to make plan i's order of neurons from plan j's, and the connections displaced."""
        return displacement(
            self.network,
            (self._sequences[j], self._sequences[i]),
            (self.plans[j].decision.order, self.plans[i].decision.order),
        )


def displacement(network: Network, sequences: tuple[Ints, Ints], orders: tuple[Ints, Ints]) -> Displacement:
    """How the second of two orders (int32[W] each) differs from the first; ``sequences`` are their neurons by :func:`completed`."""
    before, after = sequences
    place = np.full(network.neuron_count, -1, np.int32)
    place[before] = np.arange(len(before), dtype=np.int32)
    was = place[after]
    moves = np.ones(len(after), bool)
    moves[longest_increasing(was)] = False
    at = np.flatnonzero(moves).astype(np.int32)
    return Displacement(after[at], was[at], at, displaced_connections(*orders))


def compare_orders(
    plans: Sequence[OrderPlan], bounds: Iterable[Bound] = (), claims: Sequence[Sequence[Bound]] = ()
) -> OrderComparison:
    """Compare two to four orders of one network, the first being the reference; memory and policy may differ.

    ``bounds`` and ``claims`` as for :func:`planner.reports.comparison.comparison.compare`.

    Raises :class:`PlanError` on another number of plans and on plans of different networks.
    """
    check_count(len(plans))
    for i, plan in enumerate(plans[1:], 1):
        network = plans[0].problem.network
        if plan.problem.network.fingerprint != network.fingerprint:
            stored = order_json.to_dict(plan)["network"]
            raise PlanError(
                f"plans {LETTERS[0]} and {LETTERS[i]} are of different networks: {order_json.difference(stored, network)}"
            )
    kept, own, notes = weighed(plans, bounds, claims)
    return OrderComparison(tuple(plans), kept, notes, own)


def completed(network: Network, order: Ints) -> Ints:
    """The neurons with inputs (int32 ids) by the position of their last connection in ``order`` (int32[W])."""
    last = np.full(network.neuron_count, -1, np.int64)
    # Positions ascend, so the last write is the latest.
    last[network.target[order]] = np.arange(len(order))
    neurons = np.flatnonzero(last >= 0)
    return np.ascontiguousarray(neurons[np.argsort(last[neurons], kind="stable")], np.int32)


def displaced_connections(before: Ints, after: Ints) -> int:
    """How many connections of ``after`` do not directly follow the one that they follow in ``before`` (both int32[W])."""
    if not len(before):
        return 0
    ahead = np.full(len(before), -1, np.int32)
    ahead[before[1:]] = before[:-1]
    now = np.full(len(after), -1, np.int32)
    now[1:] = after[:-1]
    return int((ahead[after] != now).sum())
