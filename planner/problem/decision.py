"""Decisions of plans, what they cost, and the rules that they break."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from planner.model.graph import Floats, Ints


@dataclass(frozen=True)
class Violation:
    """One broken rule: its kind, the ops and devices involved, and a sentence a person understands."""

    kind: str
    ops: tuple[int, ...]
    devices: tuple[int, ...]
    sentence: str


class Evaluated:
    """What every evaluation has: the objective's ``components`` in the order in which plans are compared, ``violations``."""

    components: Mapping[str, float]
    violations: tuple[Violation, ...]

    @property
    def objective(self) -> float:
        """The first component of the objective."""
        return self.values[0]

    @property
    def values(self) -> tuple[float, ...]:
        """All components in order."""
        return tuple(self.components.values())

    @property
    def valid(self) -> bool:
        """Whether no rule and no constraint is broken."""
        return not self.violations


@dataclass(frozen=True, eq=False)
class Evaluation(Evaluated):
    """What a plan costs. Arrays are indexed by device (length k); times in the graph's unit, memory in bytes.

    ``components`` holds the objective's parts in the order in which plans are compared. ``pace`` (float64[k]) is what the
    first of them is about on each device: its cost, or the bytes that are to be kept small. ``details`` are further
    amounts per device and ``figures`` of the whole plan, by name, where a target has some.

    ``memory`` is what counts against a device's limit: slots of one accelerator share it. ``replicas`` (int32[k]) says how
    many devices work on the stage that a device holds, 0 where it holds none; ``serves`` (int32[k]) whose stage it works
    on, -1 for a device that stays idle. They differ from one device per stage under replication only; what copies
    of a stage synchronise counts as streaming there.

    ``rests`` (float64[k]) is what devices take besides streaming, where all of them stream one after another and that makes the
    objective larger than any device's cost: it is then the sum of the streaming and the largest of these. None elsewhere.
    """

    receive: Floats
    work: Floats
    streaming: Floats
    send: Floats
    cost: Floats
    memory: Floats
    ops: Ints
    objective_name: str
    components: Mapping[str, float]
    replicas: Ints
    serves: Ints
    pace: Floats
    violations: tuple[Violation, ...] = ()
    details: Mapping[str, Floats] = field(default_factory=dict)
    figures: Mapping[str, float] = field(default_factory=dict)
    rests: Floats | None = None

    @property
    def bottleneck(self) -> int:
        """The device with the largest of :attr:`rests` where there are any, else with the largest :attr:`pace`."""
        counted = self.pace if self.rests is None else self.rests
        return int(np.argmax(counted)) if len(counted) else -1


class Decision(ABC):
    """What a plan decides."""

    @property
    @abstractmethod
    def array(self) -> Ints:
        """The devices of ops (int32[n]), or the order of connections (int32[W])."""


@dataclass(frozen=True, eq=False)
class Assignment(Decision):
    """The decision of most targets: the device of each op (int32[n])."""

    device_of: Ints

    @property
    def array(self) -> Ints:
        """The devices of the ops (int32[n])."""
        return self.device_of

    def __post_init__(self) -> None:
        frozen = np.array(self.device_of, np.int32)
        frozen.setflags(write=False)
        object.__setattr__(self, "device_of", frozen)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Assignment) and np.array_equal(self.device_of, other.device_of)

    def __hash__(self) -> int:
        return hash(self.device_of.tobytes())
