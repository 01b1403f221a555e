"""What runs in the process of a replay: no Qt there, and only what a person is told comes back."""

from __future__ import annotations

from typing import Any


def replayed(plan: Any) -> tuple[str, str]:
    """Replay a plan (:func:`planner.runs.replay.replay`); returns the outcome and a sentence on it.

    Raises :class:`planner.errors.StageboardError`.
    """
    from planner.runs.replay import replay

    found = replay(plan)
    return found.outcome, found.sentence
