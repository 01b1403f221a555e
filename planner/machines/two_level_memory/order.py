"""Orders of connections, the decisions of a two-level memory, and what they cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from planner.model.graph import Ints
from planner.problem.decision import Decision, Evaluated, Violation


@dataclass(frozen=True, eq=False)
class OrderEvaluation(Evaluated):
    """What an order of connections costs on a two-level memory: I/Os of both kinds.

    ``reads`` include one for each connection; ``figures`` are further amounts by name.
    """

    reads: int
    writes: int
    objective_name: str
    components: Mapping[str, float]
    violations: tuple[Violation, ...] = ()
    figures: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class ConnectionOrder(Decision):
    """The decision of a two-level memory: a network's connections (int32[W], ids) in the order of their use."""

    order: Ints

    @property
    def array(self) -> Ints:
        """The order of connections (int32[W])."""
        return self.order

    def __post_init__(self) -> None:
        frozen = np.array(self.order, np.int32)
        frozen.setflags(write=False)
        object.__setattr__(self, "order", frozen)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ConnectionOrder) and np.array_equal(self.order, other.order)

    def __hash__(self) -> int:
        return hash(self.order.tobytes())
