"""Bounds in files: as JSON, and read without belief."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from msgspec import Struct

from planner.formats.checks import Figure, Name, Text, words
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
            **({"proven_for": bound.proven_for} if bound.proven_for else {}),
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


class StoredBound(Struct):
    """A bound as a file holds it."""

    component: Text
    value: Figure
    method: Text
    relaxation: Text
    assumes: list[str] = []
    seconds: Figure | None = None
    given: list[tuple[Text, Figure]] = []
    claimed_by: Name | None = None
    proven_for: Text | None = None


def bound_of(stored: StoredBound, claimed_by: str) -> Bound:
    """A bound that a file holds.

    ``claimed_by`` names the file: anybody can write a number into it. Empty for Stageboard's own record of what it proved, which says
    itself which bounds were claimed.
    """
    return Bound(
        component=words(stored.component),
        value=stored.value,
        method=words(stored.method),
        relaxation=words(stored.relaxation),
        assumes=frozenset(stored.assumes),
        seconds=stored.seconds or 0.0,
        given=tuple((words(component), most) for component, most in stored.given),
        claimed_by=claimed_by or words(stored.claimed_by or ""),
        proven_for=words(stored.proven_for or ""),
    )
