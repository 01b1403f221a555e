"""What is responsible for a problem having no valid plan."""

from __future__ import annotations

from dataclasses import dataclass

from planner.methods.feasibility.conflicts import Conflict


@dataclass(frozen=True)
class Cause:
    """What is responsible. ``feeders``: ops whose direct dependencies the triangle rule binds too much.

    ``memory`` and ``devices`` as in :class:`Conflict`; ``most_chips``: how many chips a plan can use at most, 0 = not known.
    """

    ops: tuple[int, ...]
    rules: tuple[str, ...]
    sentence: str
    feeders: tuple[int, ...] = ()
    memory: float = 0.0
    devices: int = 0
    most_chips: int = 0

    @staticmethod
    def of(conflict: Conflict) -> Cause:
        """A conflict as a cause."""
        feeders = conflict.ops if conflict.most_chips else ()
        return Cause(
            conflict.ops,
            conflict.rules,
            conflict.sentence,
            memory=conflict.memory,
            devices=conflict.devices,
            feeders=feeders,
            most_chips=conflict.most_chips,
        )
