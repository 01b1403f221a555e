"""The small values that the document hands to its views: changes, messages, plan entries, previews."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from planner.graph import Bools, Floats, Ints

if TYPE_CHECKING:
    from planner.plan import Provenance

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

    ``origin`` is hand, planner, file or start. ``objective`` is NaN where the plan uses devices that the current
    target does not have; ``bound`` is the best bound known when the entry was last changed.
    """

    name: str
    device_of: Ints
    origin: str
    objective: float = float("nan")
    valid: bool = False
    bound: float | None = None
    gap: float | None = None
    planner: str = ""
    seed: int | None = None
    seconds: float | None = None
    provenance: Provenance | None = None
    id: str = field(default_factory=new_entry_id)
    broken: int = 0
    """How many rules the plan breaks under the current problem."""
    running: bool = False
    """Whether a planner is still improving this entry."""


@dataclass(eq=False)
class Preview:
    """What moving ``ops`` to each of the k devices would do. Only ``target`` and ``along`` change afterwards.

    ``objective`` float64[k]; ``gap`` float64[k] (NaN without a bound); ``legal`` bool[k]; ``cost`` and ``memory``
    float64[k, k] (destination first); ``target`` is the device under the pointer (-1 = none); ``along`` holds the
    further ops that would be taken along to ``target`` to keep every rule (empty if none, or if that cannot help).
    """

    ops: Ints
    objective: Floats
    gap: Floats
    legal: Bools
    cost: Floats
    memory: Floats
    reasons: Callable[[int], tuple[str, ...]]
    origins: Ints
    """The devices that the ops are on now (sorted int32)."""
    target: int = -1
    along: Ints = field(default_factory=lambda: EMPTY)
