"""What a document tells its views: what changed, and messages for a person."""

from __future__ import annotations

from dataclasses import dataclass

from planner.model.graph import Ints


@dataclass(frozen=True, eq=False)
class DecisionChange:
    """Which places of the decision may have changed (int32 array, None = any), ops for one, and why: edit, undo, redo, apply, follow or load."""

    ops: Ints | None
    reason: str


@dataclass(frozen=True)
class Message:
    """Something a person should know. ``level`` is info, warning or error; ``detail`` is for those who ask."""

    level: str
    text: str
    detail: str = ""
