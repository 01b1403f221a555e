"""Types that are compiled as one: a kernel has a form per kind of argument, not one per word length or per right to write.

Numba compiles a kernel anew for an ``int32`` beside an ``int64``, for a constant beside a variable, and for an array that must not be
written beside one that may. It computes with 64 bits whatever a number came in, and machine code for both arrays is the same, so
each of these has one form here. What is lost: numba refuses to compile a kernel that writes to an array that is read-only.
Python still refuses it, wherever kernels are interpreted, and tests run all of them so (``CONTRIBUTING.md``).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from numba.core import types as numba_types

types: Any = numba_types  # its stubs leave out what is needed here
WORD_BITS = 64


def as_called(arguments: Iterable[Any]) -> tuple[Any, ...]:
    """The types of arguments that Python calls a kernel with, as it is compiled for them."""
    return tuple(_writable(_number(one)) for one in arguments)


def as_written(arguments: Iterable[Any]) -> tuple[Any, ...]:
    """The types of arguments that another kernel calls it with: constants are arrays that stay read-only there."""
    return tuple(_number(one) for one in arguments)


def _number(one: Any) -> Any:
    """Numbers with a sign as words, constants as variables."""
    if isinstance(one, types.Literal) and isinstance(one.literal_type, (types.Integer, types.Boolean)):
        one = one.literal_type
    if isinstance(one, types.Integer) and one.signed and one.bitwidth < WORD_BITS:
        return types.int64
    return one


def _writable(one: Any) -> Any:
    """Arrays, also those in tuples, as what may be written."""
    if isinstance(one, types.Array) and not one.mutable:
        return one.copy(readonly=False)
    if isinstance(one, types.BaseTuple):
        parts = [_writable(part) for part in one]
        if parts != list(one):
            return types.BaseTuple.from_types(parts, getattr(one, "instance_class", None))
    return one
