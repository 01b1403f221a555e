"""Values from a file: the types that fields of structs have (:mod:`planner.typed_json`), and checks of single ones.

A check returns the value in the type wanted or raises with one sentence.
"""

from __future__ import annotations

import math
import sys
from typing import Annotated, Any, Literal

from msgspec import Meta

from planner.errors import ModelError, StageboardError
from planner.model.ops import LARGEST_COST
from planner.printable import LONGEST_ID, clean, escaped, shown

LARGEST = LARGEST_COST
"""No cost or size in a file may be larger."""
INT32 = 2**31 - 1

Number = Annotated[float, Meta(ge=0, le=LARGEST)]
Figure = Annotated[float, Meta(ge=0, le=sys.float_info.max)]
"""What was computed from a model's numbers, which may be larger than each of them."""
Count = Annotated[int, Meta(ge=0, le=INT32)] | Annotated[float, Meta(ge=0, le=INT32, multiple_of=1)]
"""A whole number; ``3.0`` counts as 3, which ``int`` makes of it."""
Label = Annotated[int, Meta(ge=-1, le=INT32)] | Annotated[float, Meta(ge=-1, le=INT32, multiple_of=1)]
"""A :data:`Count`; -1 is none (:func:`label`)."""
Long = Annotated[
    Annotated[int, Meta(ge=0, le=2**63 - 1)] | Annotated[float, Meta(ge=0, lt=2**63, multiple_of=1)],
    Meta(description=f"a whole number from 0 to {2**63 - 1}"),
]
Flag = Annotated[bool | Literal[0, 1], Meta(description="true or false")]
Text = Annotated[
    Annotated[str, Meta(min_length=1, max_length=LONGEST_ID)] | Annotated[int, Meta(gt=-(10**18), lt=10**18)],
    Meta(description="text that is not empty"),
]
"""An id or a name; a number is taken as its digits. :func:`words` makes of it what can be shown."""

__all__ = [
    "INT32", "LARGEST", "Count", "Figure", "Flag", "Label", "Long", "Name", "Number", "Text", "clean", "escaped", "figure", "flag", "items", "label",
    "number", "shown", "simple_attributes", "table", "text", "whole", "words",
]  # fmt: skip

Name = Annotated[
    Annotated[str, Meta(max_length=LONGEST_ID)] | Annotated[int, Meta(gt=-(10**18), lt=10**18)],
    Meta(description="text"),
]
"""A :data:`Text` that may be empty, which says nothing."""


def words(value: str | int) -> str:
    """A :data:`Text`, with what cannot be shown escaped."""
    return escaped(value if isinstance(value, str) else str(value))


def label(value: float | None) -> int | None:
    """A :data:`Label`; None where there is none."""
    return None if value is None or value == -1 else int(value)


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
