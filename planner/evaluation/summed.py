"""Loads that were just summed for an assignment: who evaluates it in the same breath does not sum them again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import numpy as np

from planner.model.graph import Floats, Ints
from planner.problem.evaluator import Evaluator

Sums = tuple[Floats, Floats, Floats, Floats, Floats]
"""``receive``, ``busy``, ``send``, ``used`` and ``held`` of :meth:`planner.problem.evaluator.Evaluator.raw`."""

_known: ContextVar[tuple[Evaluator, Ints, Sums] | None] = ContextVar("sums", default=None)


@contextmanager
def knowing(evaluator: Evaluator, device_of: Ints, sums: Sums | None) -> Iterator[None]:
    """Within it :func:`sums_of` an assignment (int32[n]) are those that the evaluator has just made; None: nobody has them."""
    before = _known.set(None if sums is None else (evaluator, device_of, sums))
    try:
        yield
    finally:
        _known.reset(before)


def sums_of(evaluator: Evaluator, device_of: Ints) -> Sums:
    """What the kernels add up for a checked assignment (int32[n]), or what is known of it. Nobody writes to it."""
    known = _known.get()
    if known is not None and known[0] is evaluator and np.array_equal(known[1], device_of):
        return known[2]
    _, receive, busy, send, used, held = evaluator.raw(device_of)
    return receive, busy, send, used, held
