"""Multiply-accumulates of an Einstein sum, which ONNX and PyTorch have alike."""

from __future__ import annotations

import math
from collections.abc import Sequence


def einsum_macs(equation: str, shapes: Sequence[Sequence[int]]) -> float:
    """The product of all index ranges, once for each operand after the first; 0 for a single one.

    Raises :class:`ValueError` where the equation does not fit the shapes.
    """
    terms = equation.replace(" ", "").split("->")[0].split(",")
    if len(terms) < 2:
        return 0.0
    ranges: dict[str, int] = {}
    for term, dims in zip(terms, shapes, strict=True):
        if "..." in term:
            before, after = term.split("...")
            extra = len(dims) - len(before) - len(after)
            term = before + "".join(f"\0{i}"[1] for i in range(extra)) + after
        for letter, size in zip(term, dims, strict=True):
            ranges[letter] = max(ranges.get(letter, 1), size)
    return math.prod(ranges.values()) * (len(terms) - 1)
