"""How a race and its entrants ended, in words."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from planner.quantity import amount_text
from planner.search.result import Result
from planner.text_table import gap_limit

if TYPE_CHECKING:
    from planner.runs.race.standing import Reached


def ending_of(race: Reached, result: Result) -> str:
    """How an entrant ended, from its result and what the race knows."""
    reason = result.stop_reason
    known = () if race.best is None else race.best.components
    soon = reason in ("finished", "gap", "cancelled")
    if known and soon and race.problem.standing(known, race.bounds).status == "optimal":
        return "proven"
    if reason == "cancelled" and race.outcome in ("gap", "time"):
        return race.outcome
    return reason


def sentence_of(race: Reached) -> str:
    """How the race ended, who found the best plan and who proved the strongest bound: one or two sentences."""
    took = f"{race.seconds:.1f} s"
    how = {
        "proven": f"Proven after {took}",
        "infeasible": f"No valid plan exists, proven after {took}",
        "gap": f"The gap asked for was reached after {took}",
        "time": f"Time was up after {took}",
        "finished": f"All had ended after {took}",
        "cancelled": f"Stopped after {took}",
    }[race.outcome]
    return f"{how}: {_who(race)}." if race.best is not None or race.bound is not None else f"{how}."


def _who(race: Reached) -> str:
    words = []
    name = race.problem.components[0]
    if race.best is not None:
        value = amount_text(race.best.components[0], race.problem.unit(name))
        best = race.best
        words.append(
            f"nobody was better than the plan given, {name} {value}"
            if best.by < 0
            else f"{race.standings[best.by].name} found {name} {value} after {best.seconds:.1f} s"
        )
    bound = race.bound
    if bound is not None and math.isfinite(bound.value):
        value = amount_text(bound.value, race.problem.unit(name))
        by = bound.method if race.proved_by < 0 else race.standings[race.proved_by].name
        gap = "" if race.gap is None else f" (gap {gap_limit(race.gap)})"
        words.append(f"{by} proved at least {value}{gap}")
    elif bound is not None and race.proved_by >= 0:
        words.append(f"{race.standings[race.proved_by].name} proved it")
    return ", ".join(words) or "no plan was found"
