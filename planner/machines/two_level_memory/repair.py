"""Repair of orders: connections that are used too early wait until the neuron they leave is complete."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.machines.two_level_memory.evaluator import read_only
from planner.machines.two_level_memory.order import OrderEvaluation
from planner.machines.two_level_memory.orders.ready_first import ready_first
from planner.machines.two_level_memory.orders.rising import longest_increasing
from planner.machines.two_level_memory.problem import NetworkProblem
from planner.model.graph import Ints


@dataclass(frozen=True, eq=False)
class OrderRepair:
    """A valid order near a given one (both int32[W]).

    ``moved`` int32[..]: the connections that had to be moved for the given order to become this one, as few as that takes;
    ``before`` and ``evaluation``: the given order's and the new one's.
    """

    order: Ints
    moved: Ints
    before: OrderEvaluation
    evaluation: OrderEvaluation

    @property
    def sentence(self) -> str:
        """What was moved, for a person."""
        if not len(self.moved):
            return "The order breaks no rule; nothing was moved"
        count = len(self.moved)
        return f"Moved {count:,} of {len(self.order):,} connection{'s' if count > 1 else ''} to after all that they wait for"


def repair_order(problem: NetworkProblem, order: Ints) -> OrderRepair:
    """The order in which connections are used as early as in ``order`` (int32[W]), or else as soon as they can be.

    At each step the first in ``order`` of those that are ready is used. Raises :class:`planner.errors.PlanError` where
    ``order`` does not name each connection once.
    """
    before = problem.evaluate(order)
    order = read_only(problem.evaluator.checked(order))
    network = problem.network
    mended = ready_first(order, network.source, network.target, network.in_degree, *network.outgoing)
    place = np.empty(len(order), np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    moved = np.sort(np.delete(mended, longest_increasing(place[mended]))).astype(np.int32)
    return OrderRepair(mended, moved, before, problem.evaluate(mended))
