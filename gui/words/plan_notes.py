"""What is said of plan files that claim what is not so here."""

from __future__ import annotations

from collections.abc import Iterable

USE_TIMES = "Use Measured Times…"
"""The button of what is said of a plan that was made with other times of ops."""


def noted(file: str, notes: Iterable[str], other_costs: bool) -> str:
    """The notes on one plan ``file``, and what to do; ``other_costs`` as in :class:`planner.plan_files.plan_json.OpenedPlan`."""
    advice = (
        "choose its times to see it as it was planned"
        if other_costs
        else "it was edited or written by another version, make it again"
    )
    return f"{file}: {'; '.join(notes)}. {advice[:1].upper()}{advice[1:]}."
