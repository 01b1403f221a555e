"""Problems of networks: a sparse network on a two-level memory. What is decided is the order of its connections."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from planner.errors import TargetError
from planner.machines.two_level_memory.order import ConnectionOrder, OrderEvaluation
from planner.machines.two_level_memory.target import IOS, TwoLevelMemory
from planner.model.graph import Ints
from planner.model.network import Network
from planner.problem.base import AnyPlan, PlanningProblem
from planner.problem.provenance import Provenance
from planner.problem.target import Target

if TYPE_CHECKING:
    from planner.machines.two_level_memory.evaluator import OrderEvaluator


@dataclass(frozen=True, eq=False)
class NetworkProblem(PlanningProblem):
    """A network to be run with few I/Os. Hashable and comparable by :attr:`fingerprint`.

    It has no devices and takes no constraints. Raises :class:`TargetError` on a target that plans graphs.
    """

    network: Network
    target: TwoLevelMemory
    objective: str = IOS

    constraints: tuple[()] = ()
    devices: tuple[()] = ()

    def __post_init__(self) -> None:
        check_memory(self.network, self.target)
        if not self.objective:
            object.__setattr__(self, "objective", IOS)
        if self.objective not in self.target.objectives:
            raise TargetError(f"target 'memory' has no objective '{self.objective}'; choose from {IOS}")

    @property
    def name(self) -> str:
        """The network's name."""
        return self.network.name

    @property
    def size(self) -> int:
        """Number of neurons."""
        return self.network.neuron_count

    def identity(self) -> dict[str, Any]:
        return {"network": self.network.fingerprint}

    @property
    def assumptions(self) -> frozenset[str]:
        """The rule in force, as a token of bounds."""
        return frozenset(f"rule:{rule}" for rule in self.target.rules(self.network))

    def unit(self, component: str) -> str:
        """The unit of a component: I/Os."""
        return self.target.unit(component)

    @cached_property
    def evaluator(self) -> OrderEvaluator:
        """The evaluator that counts the I/Os of orders."""
        evaluator: OrderEvaluator = self.target.evaluator(self)
        return evaluator

    def evaluate(self, order: Ints | ConnectionOrder) -> OrderEvaluation:
        """Full evaluation of an order (int32[W]), violations included. Raises :class:`planner.errors.PlanError`."""
        return self.evaluator.evaluate(
            order.order if isinstance(order, ConnectionOrder) else np.asarray(order)
        )

    def plan(self, order: Ints | ConnectionOrder, provenance: Provenance, name: str = "") -> OrderPlan:
        """An evaluated plan of an order (int32[W])."""
        decision = order if isinstance(order, ConnectionOrder) else ConnectionOrder(order)
        return OrderPlan(self, decision, self.evaluate(decision), provenance, name or provenance.planner)

    def with_target(self, target: TwoLevelMemory) -> NetworkProblem:
        """The problem of the same network on another memory."""
        return replace(self, target=target)


def check_memory(network: Network, target: Target) -> TwoLevelMemory:
    """``target`` where it is for networks. Raises :class:`TargetError`."""
    if not isinstance(target, TwoLevelMemory):
        raise TargetError(
            f"{network.name} is a sparse network, and {target.in_words} is for graphs of operators; use --target memory:100"
        )
    return target


@dataclass(frozen=True, eq=False)
class OrderPlan(AnyPlan):
    """An order of a network's connections, evaluated. ``name`` is what lists show."""

    problem: NetworkProblem
    decision: ConnectionOrder
    evaluation: OrderEvaluation
