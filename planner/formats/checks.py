"""Checks of single values from a file: each returns the value in the type wanted or raises with one sentence."""

from __future__ import annotations

import math
import sys
from typing import Any

from planner.errors import ModelError, StageboardError
from planner.model.ops import LARGEST_COST
from planner.printable import LONGEST_ID, clean, escaped

LARGEST = LARGEST_COST
"""No cost or size in a file may be larger."""
INT32 = 2**31 - 1

__all__ = [
    "INT32", "LARGEST", "clean", "escaped", "figure", "flag", "items", "number", "optional_number",
    "shown", "simple_attributes", "table", "text", "whole",
]  # fmt: skip


def shown(value: Any) -> str:
    """A value as a sentence shows it: short, on one line."""
    words = clean(repr(value)) if not isinstance(value, int) or isinstance(value, bool) else _short_int(value)
    return words if len(words) <= 40 else words[:37] + "..."


def _short_int(value: int) -> str:
    return str(value) if -(10**18) < value < 10**18 else "an integer of more than 18 digits"


def number(value: Any, what: str, error: type[StageboardError] = ModelError) -> float:
    """A finite number from 0 to :data:`LARGEST`."""
    if type(value) is float and 0.0 <= value <= LARGEST:
        return value  # nearly all are; large files hold many
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise error(f"{what} is {shown(value)}; it must be a number")
    if isinstance(value, float) and not math.isfinite(value):
        raise error(f"{what} is {value:g}; it must be finite and not negative")
    if not 0 <= value <= LARGEST:
        raise error(f"{what} is {shown(value)}; it must be between 0 and {LARGEST:g}")
    return float(value)


def figure(value: Any, what: str, error: type[StageboardError] = ModelError) -> float:
    """A finite number of at least 0: what was computed from a model's numbers may be larger than each of them."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise error(f"{what} is {shown(value)}; it must be a number")
    if not 0.0 <= value <= sys.float_info.max:
        raise error(f"{what} is {shown(value)}; it must be finite and not negative")
    return float(value)


def optional_number(value: Any, what: str, error: type[StageboardError] = ModelError) -> float | None:
    """A number, or None where the file has none or null."""
    return None if value is None else number(value, what, error)


def whole(
    value: Any, what: str, low: int = 0, high: int = INT32, error: type[StageboardError] = ModelError
) -> int:
    """A whole number in a range; ``3.0`` counts as 3."""
    if type(value) is int and low <= value <= high:
        return value
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise error(f"{what} is {shown(value)}; it must be a whole number from {low} to {high}")
    return value


def flag(value: Any, what: str, error: type[StageboardError] = ModelError) -> bool:
    """True or false; 1 and 0 count as such."""
    if isinstance(value, bool) or (isinstance(value, int) and value in (0, 1)):
        return bool(value)
    raise error(f"{what} is {shown(value)}; it must be true or false")


def text(value: Any, what: str, error: type[StageboardError] = ModelError) -> str:
    """Text that is not empty, whole, with what cannot be shown escaped. Numbers are taken as their digits."""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**18:
        value = str(value)
    if not isinstance(value, str) or not value:
        raise error(f"{what} is {shown(value)}; it must be text that is not empty")
    if len(value) > LONGEST_ID:
        raise error(
            f"{what} has {len(value):,} characters; at most {LONGEST_ID:,} are read of an id or a name, so shorten it"
        )
    return escaped(value)


def items(value: Any, what: str, error: type[StageboardError] = ModelError) -> list[Any]:
    """A list."""
    if not isinstance(value, list):
        raise error(f"{what} must be a list, not {shown(value)}")
    return value


def table(value: Any, what: str, error: type[StageboardError] = ModelError) -> dict[str, Any]:
    """A JSON object."""
    if not isinstance(value, dict):
        raise error(f"{what} must be an object, not {shown(value)}")
    return value


def simple_attributes(value: Any) -> dict[str, Any]:
    """What of an op's attributes is kept for display: scalars and short lists of them; the rest is dropped."""
    kept: dict[str, Any] = {}
    if not isinstance(value, dict):
        return kept
    for key, entry in list(value.items())[:64]:
        if _scalar(entry):
            kept[clean(str(key))] = clean(entry) if isinstance(entry, str) else entry
        elif isinstance(entry, (list, tuple)) and len(entry) <= 32 and all(_scalar(e) for e in entry):
            kept[clean(str(key))] = [clean(e) if isinstance(e, str) else e for e in entry]
    return kept


def _scalar(value: Any) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return abs(value) < 2**63
    return isinstance(value, (str, bool))
