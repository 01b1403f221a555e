"""Element types of Keras models: what a layer's policy says, and how large a number is."""

from __future__ import annotations

import re
from typing import Any

_BITS = re.compile(r"(?:float|int|uint)(\d+)\Z")


def types_of(policy: Any) -> tuple[str, str]:
    """The types that a layer keeps its weights in and computes with, by its policy: ``mixed_float16``, ``float32``."""
    name = policy
    if isinstance(policy, dict):
        inner = policy.get("config")
        name = inner.get("name") if isinstance(inner, dict) else None
    if not isinstance(name, str):
        return "float32", "float32"
    if name.startswith("mixed_"):
        return "float32", name.removeprefix("mixed_")
    stored, _, computed = name.partition("_from_")
    return stored, computed.removeprefix("mixed_") or stored


def bytes_of(dtype: str) -> float:
    """Bytes of a number of a type; 4 for types that are not known."""
    if dtype == "bool":
        return 1
    found = _BITS.search(dtype)
    return int(found[1]) / 8 if found and found[1] in ("4", "8", "16", "32", "64") else 4
