"""TwoLevelMemory: a fast memory of M values before a slow one without limit (I/O-efficient sparse inference, section II)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from planner.errors import TargetError
from planner.problem.target import Device, Target, Words, parameter

if TYPE_CHECKING:
    from planner.model.graph import Graph

POLICIES = ("min", "lru", "rr")
"""Eviction policies; the place in this list is the kernels' code."""
LEAST, MOST = 3, 2**30
IOS = "ios"


@dataclass(frozen=True)
class TwoLevelMemory(Target):
    """A fast memory of M values, before a slow one that holds everything.

    The decision is an order of a network's connections. A connection can be used while it, the value of the neuron it leaves
    and the partial sum of the one it leads to are in fast memory; what is not there is read, one I/O each, and what must not be
    lost is written before it is evicted, one I/O each (section II, algorithm 1). ``ios`` counts both.

    The rule ``topological``: all connections into a neuron come before those out of it. There are no devices: the order
    is all that is decided.
    """

    kind: ClassVar[str] = "memory"
    title: ClassVar[str] = "Two-level memory"
    in_words: ClassVar[str] = "a two-level memory"
    words: ClassVar[Words] = Words("memory", "memories")
    evaluated_by: ClassVar[str] = "planner.machines.two_level_memory.evaluator:evaluator"
    objectives: ClassVar[tuple[str, ...]] = (IOS,)
    uses_cost_model: ClassVar[bool] = False
    plans_networks: ClassVar[bool] = True
    count_parameter: ClassVar[str] = "size"

    size: int = parameter(
        100,
        help="values that fast memory holds, the connection in use among them",
        label="Fast memory",
        unit="values",
        source="I/O paper, section VI-A",
    )
    policy: str = parameter(
        "min",
        help="which value makes room: the one used farthest ahead (min), used longest ago (lru), or slots in turn (rr)",
        label="Eviction policy",
        choices=POLICIES,
        source="I/O paper, section II-A",
    )

    def __post_init__(self) -> None:
        if isinstance(self.size, bool) or not isinstance(self.size, int) or not LEAST <= self.size <= MOST:
            raise TargetError(
                f"the fast memory is {self.size!r} values; it must be a whole number from {LEAST} (two neurons and a"
                f" connection) to {MOST}"
            )
        if self.policy not in POLICIES:
            raise TargetError(
                f"there is no eviction policy '{self.policy}'; choose from {', '.join(POLICIES)}"
            )

    @property
    def policy_code(self) -> int:
        """The kernels' number of the policy."""
        return POLICIES.index(self.policy)

    def smallest(self) -> TwoLevelMemory:
        """The least memory that anything runs on, under the same policy."""
        return replace(self, size=LEAST)

    def devices(self, graph: Any) -> tuple[Device, ...]:
        """No devices: nothing is assigned to one."""
        return ()

    def rules(self, graph: Any) -> tuple[str, ...]:
        """The only rule: ``topological``."""
        return ("topological",)

    def unit(self, component: str) -> str:
        """The unit of the objective: I/Os."""
        return "I/Os"

    def validate(self, graph: Graph) -> None:
        """Refuses: a graph of operators has no connections to order."""
        raise TargetError(
            f"{graph.name} is a graph of operators, and a two-level memory is for sparse networks; open a network"
            " (.npz, .mtx, or the dense layers of an ONNX model with --density)"
        )
