"""Quantities in fields of forms: numbers with units, as text that reads back exactly."""

from __future__ import annotations

import math
import re
from decimal import Decimal

from planner.errors import StageboardError
from planner.problem.per_device import PerDevice
from planner.quantity import parse_quantity

LEAST = 1024.0
"""Bytes below which a memory is none."""
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?", re.IGNORECASE)
_PREFIXES = (("T", 12), ("G", 9), ("M", 6), ("k", 3), ("", 0), ("m", -3), ("µ", -6), ("n", -9))
_BINARY = (("TiB", 2.0**40), ("GiB", 2.0**30), ("MiB", 2.0**20), ("KiB", 2.0**10), ("B", 1.0))


def quantity_text(value: float, unit: str) -> str:
    """A value with its unit so that :func:`quantity_value` reads it back exactly: ``8 MiB``, ``1 GB/s``, ``5 µs``."""
    if math.isinf(value):
        return "unlimited"
    if unit == "B":
        for name, scale in _BINARY:
            if value >= scale and float(f"{value / scale:.8g}") * scale == value:
                return f"{value / scale:.8g} {name}"
        return f"{_shortest(value)} B"
    if not unit:
        return _shortest(value)
    for prefix, exponent in _PREFIXES:
        if unit == "B/s" and exponent < 0:
            break  # there are no parts of a byte: mB/s would be read as MB/s
        shown = f"{value / 10.0**exponent:.6g}"
        # Bytes are read as a product, everything else as a decimal number: 1.001 times 1000 is not 1001.
        read = float(shown) * 10.0**exponent if unit == "B/s" else _scaled(shown, exponent)
        if abs(value) >= 10.0**exponent and "e" not in shown and read == value:
            return f"{shown} {prefix}{unit}"
    if unit == "B/s" and value >= 2.0**10 and (shown := quantity_text(value, "B")).split()[1] != "B":
        return f"{shown}/s"
    return f"{_shortest(value)} {unit}" if value else f"0 {unit}"


def _shortest(value: float) -> str:
    """The shortest digits that read back exactly."""
    return repr(float(value)).removesuffix(".0")


def quantity_value(text: str, unit: str, what: str) -> float:
    """The inverse of :func:`quantity_text`, tolerant of spaces and of a missing unit. Raises :class:`StageboardError`."""
    cleaned = text.strip().replace("\N{GREEK SMALL LETTER MU}", "µ")
    try:
        if unit in ("B", "B/s"):
            return parse_quantity(cleaned.replace("kB", "KB"))
        if cleaned.lower() in {"inf", "infinity", "unlimited"}:
            return math.inf
        number = cleaned.removesuffix(unit).rstrip() if unit else cleaned
        scale = 0
        for prefix, exponent in _PREFIXES:
            if unit and prefix and number.endswith(prefix):
                number, scale = number[: -len(prefix)].rstrip(), exponent
                break
        return _scaled(number, scale)
    except (ValueError, ArithmeticError):
        example = f" with a unit such as 25 G{unit}" if unit else ""
        raise StageboardError(f"{what}: '{text}' is not a number{example}") from None


def per_device_text(value: PerDevice, unit: str) -> str:
    """One number or one per device so that :func:`per_device_value` reads it back exactly: ``8 MiB / 16 MiB``."""
    numbers = value if isinstance(value, tuple) else (value,)
    return " / ".join(quantity_text(number, unit) for number in numbers)


def per_device_value(text: str, unit: str, what: str) -> PerDevice:
    """The inverse of :func:`per_device_text`. Raises :class:`StageboardError`."""
    numbers = tuple(quantity_value(part, unit, what) for part in text.split("/"))
    return numbers if len(numbers) > 1 else numbers[0]


def _scaled(number: str, exponent: int) -> float:
    """``number`` times a power of ten, rounded once: 5 µs is the float that is written 5e-6."""
    return float(Decimal(number).scaleb(exponent))


def with_unit(text: str, shown: str, plain: str = "") -> str:
    """``text`` with the unit of ``shown`` where it is a bare number: ``40`` in a field that showed ``8 MiB`` is ``40 MiB``.

    Where nothing is shown that has a unit, it is in ``plain``.
    """
    number = _NUMBER.match(shown.strip())
    unit = (shown.strip()[number.end() :].strip() if number else "") or plain
    return f"{text.strip()} {unit}" if unit and _NUMBER.fullmatch(text.strip()) else text


def with_units(text: str, shown: str, plain: str = "") -> str:
    """:func:`with_unit` for each of several numbers; where there are more than were shown, the last one's unit goes on.

    A unit behind the last of them is that of all that have none, whatever was shown: ``32/64/128 MiB``.
    """
    units, parts = shown.split("/"), text.split("/")
    told = [with_unit(part, parts[-1]) for part in parts]
    whole = [with_unit(part, units[min(i, len(units) - 1)], plain) for i, part in enumerate(told)]
    return text if whole == parts else " / ".join(part.strip() for part in whole)


def too_little(value: PerDevice) -> float:
    """The least of these bytes, where that is less than any memory has: a unit was left out; 0 where none is."""
    numbers = value if isinstance(value, tuple) else (value,)
    return min((number for number in numbers if 0 < number < LEAST), default=0.0)
