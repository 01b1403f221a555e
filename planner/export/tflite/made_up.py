"""Made-up inputs of TFLite models: random values of the right sizes and types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from planner.errors import StageboardError

INTEGERS_BELOW = (1000, 16, 2, 1)
"""What wide integers are tried below, in turn: they are indices more often than numbers, and beyond a table's end stop a model."""


def random_input(detail: Mapping[str, Any], name: str, below: int, rng: np.random.Generator) -> Any:
    """An input of a TFLite model, as the interpreter describes it; wide integers are from 0 to ``below`` - 1.

    Raises :class:`StageboardError` for texts, which cannot be made up.
    """
    shape: Sequence[int] = [int(d) for d in detail["shape"]]
    kind = np.dtype(detail["dtype"])
    if kind.kind == "b":
        return rng.integers(0, 2, shape).astype(bool)
    if kind.kind == "f":
        return rng.standard_normal(shape).astype(kind)
    if kind.kind == "c":
        return (rng.standard_normal(shape) + 1j * rng.standard_normal(shape)).astype(kind)
    if kind.kind not in "iu":
        raise StageboardError(f"the input '{name}' of the whole model holds texts, which cannot be made up")
    info = np.iinfo(kind)
    quantised = bool(detail["quantization"][0]) or info.bits == 8
    low, high = (int(info.min), int(info.max) + 1) if quantised else (0, min(below, int(info.max) + 1))
    return rng.integers(low, high, shape, dtype=np.int64 if info.bits < 64 else kind).astype(kind)
