"""Bounds in files: as JSON, and read without belief."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from planner.errors import PlanError
from planner.formats.checks import figure, items, table, text
from planner.model.samples import ships
from planner.printable import clean
from planner.problem.bound import Bound


def finite(value: float) -> float | None:
    """A number for JSON; None where it is infinite or not a number."""
    return float(value) if math.isfinite(value) else None


def bounds_list(bounds: Iterable[Bound]) -> list[dict[str, Any]]:
    """Bounds as JSON: those that are finite and, since costs are, not negative. The others say nothing of a plan."""
    return [
        {
            "component": bound.component,
            "value": bound.value,
            "method": bound.method,
            "assumes": sorted(bound.assumes),
            "relaxation": bound.relaxation,
            "seconds": finite(bound.seconds),
            **({"given": [list(pair) for pair in bound.given]} if bound.given else {}),
            **({"claimed_by": bound.claimed_by} if bound.claimed_by else {}),
        }
        for bound in bounds
        if 0.0 <= bound.value < math.inf
    ]


def claimant(path: str | os.PathLike[str], own_record: bool = False) -> str:
    """Who claims the bounds in a file: its name; empty for a file that is part of Stageboard, and for its own record.

    ``own_record`` says that Stageboard wrote the file for itself, in a folder that is its own.
    """
    return "" if own_record or ships(Path(path)) else clean(Path(path).name)


def bound_of(entry: Any, what: str, claimed_by: str) -> Bound:
    """A bound that a file holds; ``what`` names it in sentences. Raises :class:`PlanError`.

    ``claimed_by`` names the file: anybody can write a number into it. Empty for Stageboard's own record of what it proved, which says
    itself which bounds were claimed.
    """
    data = table(entry, what, PlanError)
    if not claimed_by and data.get("claimed_by"):
        claimed_by = text(data["claimed_by"], f"{what}: claimed_by", PlanError)
    assumes = items(data.get("assumes", []), f"{what}: assumes", PlanError)
    if not all(isinstance(token, str) for token in assumes):
        raise PlanError(f"{what}: assumes must list texts; remove the bound or save the plan again")
    return Bound(
        component=text(data.get("component"), f"{what}: component", PlanError),
        value=figure(data.get("value"), f"{what}: value", PlanError),
        method=text(data.get("method"), f"{what}: method", PlanError),
        relaxation=text(data.get("relaxation"), f"{what}: relaxation", PlanError),
        assumes=frozenset(assumes),
        seconds=figure(data.get("seconds") or 0, f"{what}: seconds", PlanError),
        given=_given(data.get("given", []), what),
        claimed_by=claimed_by,
    )


def _given(value: Any, what: str) -> tuple[tuple[str, float], ...]:
    """What a bound is restricted to: (component, at most) pairs."""
    pairs = []
    for entry in items(value, f"{what}: given", PlanError):
        pair = items(entry, f"{what}: given", PlanError)
        if len(pair) != 2:
            raise PlanError(f"{what}: given must list pairs of a component and a value; save the plan again")
        pairs.append(
            (text(pair[0], f"{what}: given", PlanError), figure(pair[1], f"{what}: given", PlanError))
        )
    return tuple(pairs)
