"""The small values that the document hands to its views: changes, messages, plan entries, previews."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from planner.model.graph import Bools, Floats, Ints

if TYPE_CHECKING:
    from gui.words.objectives import Change
    from planner.problem.bound import Bound, Standing
    from planner.problem.decision import Violation
    from planner.problem.problem import Problem
    from planner.problem.provenance import Provenance

EMPTY: Ints = np.empty(0, np.int32)
EMPTY.setflags(write=False)


def op_array(ops: object) -> Ints:
    """Any sequence of op indices as a sorted int32 array without repeats."""
    array = np.asarray(ops if isinstance(ops, np.ndarray) else list(ops), np.int64)  # type: ignore[call-overload]
    return np.unique(array).astype(np.int32)


@dataclass(frozen=True, eq=False)
class AssignmentChange:
    """Which ops may have moved (int32 array, None = any) and why: edit, undo, redo, apply, follow or load."""

    ops: Ints | None
    reason: str


@dataclass(frozen=True)
class Message:
    """Something a person should know. ``level`` is info, warning or error; ``detail`` is for those who ask."""

    level: str
    text: str
    detail: str = ""


_ids = itertools.count(1)


def new_entry_id() -> str:
    """An id that no other entry of this process has."""
    return f"p{next(_ids)}"


@dataclass(eq=False)
class PlanEntry:
    """One plan of the list. ``device_of`` is int32[n]; figures are those of the current problem.

    ``origin`` is hand, planner, file or start. ``components`` are those of the objective in order, empty where the plan
    uses devices that the current target does not have; ``standing`` is how they stand against the bounds known when the
    entry was last changed.
    """

    name: str
    device_of: Ints
    origin: str
    components: tuple[float, ...] = ()
    valid: bool = False
    standing: Standing | None = None
    planner: str = ""
    seed: int | None = None
    seconds: float | None = None
    provenance: Provenance | None = None
    id: str = field(default_factory=new_entry_id)
    broken: int = 0
    """How many rules the plan breaks under the current problem."""
    running: bool = False
    """Whether a planner is still improving this entry."""
    claims: tuple[Bound, ...] = ()
    """What the file of the plan says was proven; shown beside this plan alone, and counts nowhere."""

    @property
    def objective(self) -> float:
        """The first component, NaN where the plan does not fit."""
        return self.components[0] if self.components else float("nan")

    @property
    def gap(self) -> float | None:
        """The gap of the first component not yet proven: 0 where all are, None without a bound."""
        return None if self.standing is None else self.standing.gap

    def better_than(self, other: PlanEntry | None) -> bool:
        """Whether this is a valid plan and the other is none, or is worse by the objective's components in order."""
        if not self.valid or other is None or not other.valid:
            return self.valid
        return self.components < other.components


@dataclass(eq=False)
class Preview:
    """What moving ``ops`` to each of the k devices would do. What has a default may change afterwards.

    ``components`` float64[c, k]: what the objective's parts would be; ``changes``: the first of them that each
    destination changes, in words; ``gap`` float64[k] (NaN without a bound); ``legal`` bool[k]; ``cost`` and ``memory``
    float64[k, k] (destination first); ``target`` is the device under the pointer (-1 = none); ``along`` holds the
    further ops that would be taken along to ``target`` to keep every rule (empty if none, or if that cannot help).
    ``reachable`` (bool[k]) says where the ops could be in some valid plan, whatever else moves; None where that is not
    known.
    """

    ops: Ints
    components: Floats
    changes: tuple[Change, ...]
    gap: Floats
    legal: Bools
    cost: Floats
    memory: Floats
    reasons: Callable[[int], tuple[str, ...]]
    origins: Ints
    """The devices that the ops are on now (sorted int32)."""
    target: int = -1
    along: Ints = field(default_factory=lambda: EMPTY)
    reachable: Bools | None = None
    domains: Domains | None = None
    """Where ``reachable`` is from."""
    codes: Ints = field(default_factory=lambda: EMPTY)
    """The rules in the way of each destination (int32[k], see :mod:`planner.evaluation.kernels`)."""
    violations: Callable[[int], tuple[Violation, ...]] = lambda device: ()
    """What the move to a device would break that is not broken now; computed when asked."""

    def take_domains(self, domains: Domains) -> None:
        """It is known where the ops can be."""
        self.domains, self.reachable = domains, domains.reachable(self.ops)

    def possible(self, device: int) -> bool:
        """Whether some valid plan may have the ops on ``device``, as far as is known."""
        return self.reachable is None or bool(self.reachable[device] or self.legal[device])

    @property
    def objective(self) -> Floats:
        """The first component for each destination (float64[k])."""
        return self.components[0]


@dataclass(frozen=True, eq=False)
class Domains:
    """The chips that propagation leaves to each op of a problem: bit c of ``masks`` (uint64[n]) for chip c.

    No valid plan is outside them; a chip inside may still be impossible.
    """

    problem: Problem
    masks: np.ndarray

    def reachable(self, ops: Ints) -> Bools:
        """bool[k]: the devices that all of ``ops`` could be on in some valid plan, as far as is known."""
        common = np.bitwise_and.reduce(self.masks[ops])
        chips = np.arange(len(self.problem.devices), dtype=np.uint64)
        inside: Bools = (common >> chips & np.uint64(1)).astype(bool)
        return inside

    def sentence(self, ops: Ints, device: int) -> str:
        """Why ``ops`` cannot be on ``device``, naming the first op that cannot."""
        bit = np.uint64(1) << np.uint64(device)
        held = next(int(op) for op in ops if not self.masks[op] & bit)
        left = np.flatnonzero(self.reachable(np.array([held], np.int32)))
        name, titles = self.problem.graph.op_names[held], [d.title for d in self.problem.devices]
        first, last = titles[int(left[0])], titles[int(left[-1])]
        where = f"{len(left)} chips from {first} to {last}"
        if len(left) == int(left[-1]) - int(left[0]) + 1:
            where = f"{first} to {last}" if len(left) > 1 else f"only {first}"
        return f"{name} can never be on {titles[device]}: rules and constraints leave it {where}"
