"""What a document tells its views: that ops moved, and messages for a person."""

from __future__ import annotations

from dataclasses import dataclass

from planner.model.graph import Ints


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
