"""The evaluator of connection orders: checks, counts and traces."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from planner.errors import PlanError
from planner.machines.two_level_memory.kernels import first_breach, simulate
from planner.machines.two_level_memory.order import OrderEvaluation
from planner.machines.two_level_memory.target import TwoLevelMemory
from planner.machines.two_level_memory.trace import Trace, trace_of
from planner.model.graph import Ints
from planner.model.network import Network
from planner.problem.decision import Violation


class Counts(NamedTuple):
    """I/Os of an order: ``reads`` (connections and values of neurons) and ``writes``."""

    reads: int
    writes: int

    @property
    def total(self) -> int:
        """Reads and writes."""
        return self.reads + self.writes


class OrderEvaluator:
    """Counts what orders of a network's connections read and write. Orders are int32[W], connection ids."""

    def __init__(self, network: Network, machine: TwoLevelMemory, objective: str) -> None:
        self.network, self.objective = network, objective
        self.slots = machine.size - 1
        self.policy = machine.policy_code
        self.source, self.target = network.source, network.target
        self.is_output, self.in_degree = network.is_output, network.in_degree
        self.neurons, self.connections = network.neuron_count, network.connection_count

    def checked(self, order: Ints) -> Ints:
        """``order`` as int32[W]. Raises :class:`PlanError` where it does not name each connection once."""
        order = np.asarray(order)
        if order.shape != (self.connections,) or order.dtype.kind not in "iu":
            raise PlanError(
                f"an order of {self.network.name} must name each of its {self.connections} connections once;"
                f" this one has {order.size} entries"
            )
        if order.min() < 0 or order.max() >= self.connections:
            wrong = int(order.min() if order.min() < 0 else order.max())
            raise PlanError(
                f"the order names connection {wrong}; they are numbered 0 to {self.connections - 1}"
            )
        seen = np.bincount(order, minlength=self.connections)
        if seen.max() > 1:
            twice, missing = int(np.argmax(seen)), int(np.argmin(seen))
            raise PlanError(
                f"the order names connection {twice} {seen[twice]} times and connection {missing} never"
            )
        return np.ascontiguousarray(order, np.int32)

    def violations(self, order: Ints) -> tuple[Violation, ...]:
        """The rule ``topological`` where an order (int32[W]) breaks it: the first connection used before its source is complete."""
        at = int(first_breach(read_only(order), self.source, self.target, self.in_degree))
        if at < 0:
            return ()
        network, connection = self.network, int(order[at])
        early, late = int(network.source[connection]), int(network.target[connection])
        sentence = (
            f"connection {connection} from {network.neuron_name(early)} to {network.neuron_name(late)} is number"
            f" {at + 1:,} in the order, before all connections into {network.neuron_name(early)}"
        )
        return (Violation("topological", (connection,), (), sentence),)

    def _simulate(self, order: Ints, events: NDArray[np.int32]) -> tuple[int, int, int]:
        """(reads of neurons, writes, events) of an order; ``events`` (int32[4, E]) are filled."""
        reads, writes, made = simulate(
            self.policy, read_only(order), self.source, self.target, self.is_output, self.neurons, self.slots, events
        )  # fmt: skip
        return int(reads), int(writes), int(made)

    def count(self, order: Ints) -> Counts:
        """Reads and writes of an order (int32[W], as :meth:`checked` returns it), valid or not."""
        reads, writes, _ = self._simulate(order, _NOTHING)
        return Counts(self.connections + reads, writes)

    def components(self, order: Ints) -> tuple[float, ...]:
        """The objective of an order (int32[W]): all I/Os."""
        return (float(self.count(order).total),)

    def evaluate(self, order: Ints) -> OrderEvaluation:
        """The full evaluation. Raises :class:`PlanError` where ``order`` (int32[W]) is no order of the connections."""
        order = self.checked(order)
        counts = self.count(order)
        return OrderEvaluation(
            counts.reads,
            counts.writes,
            self.objective,
            {self.objective: float(counts.total)},
            self.violations(order),
            {"neuron_reads": float(counts.reads - self.connections)},
        )

    def trace(self, order: Ints) -> Trace:
        """What happens at each moment of an order (int32[W]). Raises :class:`PlanError`."""
        order = self.checked(order)
        counts = self.count(order)
        # A value is evicted at most once per read, and never without.
        room = 2 * (counts.reads - self.connections) + counts.writes
        events = np.empty((4, room), np.int32)
        *_, made = self._simulate(order, events)
        return trace_of(events[:, :made], order, self.source, self.target)


def read_only(order: Ints) -> Ints:
    """A view of an order (int32[W]) that cannot be written to. Kernels are compiled apart for arrays that can, so none is handed over."""
    view = order.view()
    view.setflags(write=False)
    return view


_NOTHING = np.empty((4, 0), np.int32)
"""No room for events: nothing is recorded."""


def evaluator(problem: Any) -> OrderEvaluator:
    """The evaluator of a :class:`planner.machines.two_level_memory.problem.NetworkProblem`."""
    return OrderEvaluator(problem.network, problem.target, problem.objective)
