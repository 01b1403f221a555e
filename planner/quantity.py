"""Numbers with units, as people write and read them."""

from __future__ import annotations

import math

_BYTES = {"": 1, "B": 1, "KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12,
          "KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40}  # fmt: skip
_LETTERS = "BKMGTibkmgt "
"""What units are written in."""
_TIMES = (("s", 1.0), ("ms", 1e-3), ("us", 1e-6))
"""Units of time and their seconds; what is less is written in ns."""


def parse_quantity(text: str) -> float:
    """``8MiB``, ``25GB/s``, ``1e9`` or ``inf`` as a float in bytes (per second). Raises ValueError."""
    cleaned = text.strip().removesuffix("/s").strip()
    number = cleaned.rstrip(_LETTERS)
    unit = cleaned[len(number) :].strip().upper()
    if cleaned.lower() in {"inf", "infinity", "unlimited"}:
        return math.inf
    if unit not in _BYTES:
        raise ValueError(f"'{text}' has an unknown unit; use B, KB, MB, GB, KiB, MiB or GiB")
    try:
        value = float(number)
    except ValueError:
        raise ValueError(f"'{text}' is not a number with a unit such as 8MiB, 25GB/s or 1e9") from None
    if math.isnan(value):
        raise ValueError(f"'{text}' is not a number")
    return value * _BYTES[unit]


def parse_quantities(text: str) -> tuple[float, ...]:
    """``32/64/128MiB`` one after the other, as :func:`parse_quantity` reads each: the unit of the last counts for those that have none.

    Raises ValueError.
    """
    parts = [part.strip() for part in text.split("/")]
    unit = parts[-1][len(parts[-1].rstrip(_LETTERS)) :]
    return tuple(parse_quantity(f"{part}{unit}" if part[-1:].isdecimal() else part) for part in parts)


def bytes_text(value: float) -> str:
    """Bytes for a person: ``0 B``, ``588.0 KiB``, ``1,020.9 KiB``, ``7.20 MiB`` (binary units, two decimals from MiB up)."""
    if math.isinf(value):
        return "unlimited"
    unit, scale, digits = _unit_for(value)
    return f"{value / scale:,.{digits}f} {unit}"


def exact_bytes_text(value: float) -> str:
    """What :func:`bytes_text` says of an amount, with up to four decimals where these say it exactly: ``110.125 MiB`` can be typed again."""
    if math.isinf(value) or bytes_shown(value) == value:
        return bytes_text(value)
    unit, scale, _ = _unit_for(value)
    exact = next((n for n in (3, 4) if round(value / scale, n) * scale == value), None)
    return bytes_text(value) if exact is None else f"{value / scale:,.{exact}f} {unit}"


def bytes_shown(value: float) -> float:
    """The bytes that :func:`bytes_text` says of a finite amount, rounded: sums of these are the sums of what is read."""
    _, scale, digits = _unit_for(value)
    return round(value / scale, digits) * scale


def _unit_for(value: float) -> tuple[str, int, int]:
    """The unit that an amount is written in, its bytes, and how many decimals."""
    for unit, scale, digits in (("TiB", 2**40, 2), ("GiB", 2**30, 2), ("MiB", 2**20, 2), ("KiB", 2**10, 1)):
        if abs(value) >= scale:
            return unit, scale, digits
    return "B", 1, 0


def amount_text(value: float, unit: str | None) -> str:
    """An amount for a person: bytes where ``unit`` is ``B``, a count of I/Os, else a time as :func:`time_text` writes it."""
    if unit == "I/Os":
        return f"{value:,.0f} I/Os"
    return bytes_text(value) if unit == "B" else time_text(value, unit)


def amount_beside(value: float, unit: str | None, beside: float) -> str:
    """An amount in the unit that :func:`amount_text` writes the larger one in which stands ``beside`` it, so that the two can be compared:
    ``0.39 ms`` beside 1.85 ms; in its own where hardly a digit would be left of it."""
    written = _unit_beside(unit, beside)
    if written is None or not math.isfinite(value):
        return amount_text(value, unit)
    name, scale, digits = written
    if value and abs(value) < LEAST * scale:
        return amount_text(value, unit)
    return f"{value / scale:,.{digits}f} {name}".replace(" us", " \u00b5s")


LEAST = 0.01
"""Of a unit: what is less is written in a smaller one, for hardly a digit would be left of it."""


def _unit_beside(unit: str | None, amount: float) -> tuple[str, float, int] | None:
    """The unit that :func:`amount_text` writes an amount of bytes or a time in, its size, and how many decimals; None where it has none."""
    if unit in (None, "I/Os") or not math.isfinite(amount):
        return None
    if unit == "B":
        return _unit_for(amount)
    name, scale = next(((n, s) for n, s in _TIMES if abs(amount) >= s), ("ns", 1e-9))
    return name, scale, 2


_NOISE = 1e-12
"""Changes of a smaller share are what sums of floating-point numbers leave."""


def shown_change(before: float, after: float, unit: str | None, beside: float = 0.0) -> float:
    """The change between two amounts as whoever reads them subtracts: of what both are rounded to in the unit of the largest, also of what
    is ``beside`` them; where they are rounded alike, the change itself."""
    change = after - before
    largest = max(abs(before), abs(after), abs(beside))
    if abs(change) <= _NOISE * largest < math.inf:
        return 0.0
    if not math.isfinite(largest) or (unit is None and largest < 0.1):
        return change
    if unit == "I/Os":
        return change
    _, scale, digits = _unit_beside(unit, largest) or ("", 1.0, 2)
    first, second = (round(value / scale, digits) for value in (before, after))
    return change if first == second else round(second - first, digits) * scale


def time_text(value: float, unit: str | None) -> str:
    """A time for a person: seconds become s, ms or us; a graph without a unit shows the bare number."""
    if math.isinf(value):
        return "unlimited"
    if unit is None:
        return f"{value:,.2f}" if abs(value) >= 0.01 or value == 0 else f"{value:.3g}"
    size = abs(value)
    for name, scale in _TIMES:
        if size >= scale:
            return f"{value / scale:,.2f} {name}".replace(" us", " \u00b5s")
    return "0 s" if value == 0 else f"{value * 1e9:.2f} ns"
