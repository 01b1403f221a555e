"""What is known of an ONNX value before the model runs, and the arithmetic on those that are constant.

Constants are abstract: a shape, an element type, how many parameters they stand for. Only small ones (shapes, axes,
indices) also carry their elements, so that chains such as Shape -> Gather -> Concat -> Reshape can be followed; a weight
of any size costs a few words here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

import numpy as np

SMALL = 4096
"""Constants of at most this many elements are carried with their elements."""

Shape = tuple[int | None, ...]

# Bits of one element by TensorProto.DataType; strings count as a pointer of 8 bytes.
BITS: Mapping[int, int] = {
    1: 32, 2: 8, 3: 8, 4: 16, 5: 16, 6: 32, 7: 64, 8: 64, 9: 8, 10: 16, 11: 64, 12: 32, 13: 64, 14: 64, 15: 128, 16: 16,
    17: 8, 18: 8, 19: 8, 20: 8, 21: 4, 22: 4, 23: 4, 24: 8, 25: 2, 26: 2,
}  # fmt: skip
INT64, BOOL, STRING = 7, 9, 8

NEVER_FOLDED = frozenset(
    {
        "RandomNormal",
        "RandomUniform",
        "RandomNormalLike",
        "RandomUniformLike",
        "Multinomial",
        "Bernoulli",
        "If",
        "Loop",
    }
    | {"Scan", "SequenceMap"}
)
"""Ops that stay even when all their inputs are constant: random ones, and those with bodies."""
SAME_PARAMETERS = frozenset(
    {
        "Identity",
        "Reshape",
        "Unsqueeze",
        "Squeeze",
        "Flatten",
        "Transpose",
        "Cast",
        "CastLike",
        "DequantizeLinear",
    }
    | {"QuantizeLinear"}
)
"""Ops whose constant result stands for the parameters of their first input."""


@dataclass(frozen=True, eq=False)
class Value:
    """What is known of one value: shape (None = rank unknown, None inside = that size unknown), type, constant data.

    ``origin`` names the parameters that a constant stands for: values of one origin count once. ``stored`` is the bytes
    those parameters take in the file's own types.
    """

    shape: Shape | None = None
    dtype: int = 0
    constant: bool = False
    data: np.ndarray[Any, Any] | None = None
    origin: str = ""
    elements: int = 0
    stored: float = 0.0
    initialiser: bool = False

    @property
    def size(self) -> int | None:
        """Number of elements, None where it is not known."""
        return (
            None
            if self.shape is None or None in self.shape
            else math.prod(d for d in self.shape if d is not None)
        )

    @property
    def is_parameter(self) -> bool:
        """Whether a constant counts as parameters: not shapes, axes, indices, masks, texts or a literal number."""
        if not self.constant or self.dtype == STRING:
            return False
        if self.dtype in (INT64, BOOL):
            return self.elements > SMALL
        return self.initialiser or self.elements > 1


def bytes_of(shape: Shape | None, dtype: int) -> float:
    """Bytes of a tensor; sizes that are not known count as one, an unknown rank as no bytes at all."""
    if shape is None:
        return 0.0
    return math.prod(1 if d is None else d for d in shape) * BITS.get(dtype, 32) / 8


def more_complete(known: Value, other: Value | None) -> Value:
    """The more complete of two descriptions of one value's shape; only ``known`` may be a constant."""
    if other is None or known.size is not None or (known.shape is not None and other.size is None):
        return known
    return Value(other.shape, other.dtype or known.dtype)


def constant(
    shape: Sequence[int],
    dtype: int,
    origin: str,
    data: np.ndarray[Any, Any] | None = None,
    *,
    initialiser: bool = False,
) -> Value:
    """A constant of an ONNX ``dtype`` and ``shape`` (``data`` has them too) that stands for its own parameters."""
    fixed = tuple(shape)
    return Value(fixed, dtype, True, data, origin, math.prod(fixed), bytes_of(fixed, dtype), initialiser)


def folded(op: str, inputs: Sequence[Value | None], shape: Shape | None, dtype: int, name: str) -> Value:
    """The abstract constant that an op makes of constants."""
    fixed = None if shape is None else tuple(1 if d is None else d for d in shape)
    first = inputs[0] if inputs else None
    if op in SAME_PARAMETERS and first is not None and first.constant:
        return replace(
            first, shape=fixed if fixed is not None else first.shape, dtype=dtype or first.dtype, data=None
        )
    return constant(fixed or (), dtype, name)


def evaluate(
    op: str, attributes: Mapping[str, Any], inputs: Sequence[Value | None]
) -> np.ndarray[Any, Any] | None:
    """The small constant that ``op`` computes (of the dtype and shape that ONNX defines), or None where it is too large or the op is not a shape computation."""
    rule = _RULES.get(op)
    if rule is None:
        return None
    arrays = [None if v is None else v.data for v in inputs]
    if any(v is not None and a is None for v, a in zip(inputs, arrays, strict=True)):
        return None
    try:
        with np.errstate(all="ignore"):
            result = rule(attributes, arrays)
    except (ValueError, IndexError, TypeError, KeyError, ZeroDivisionError, OverflowError, AttributeError):
        return None
    if result is None or result.size > SMALL or result.dtype.kind == "O":
        return None
    return result


Arrays = Sequence[Any]
Rule = Callable[[Mapping[str, Any], Arrays], "np.ndarray[Any, Any] | None"]


def _axes(attributes: Mapping[str, Any], arrays: Arrays) -> list[int] | None:
    """Axes: an attribute in older opsets, the second input in newer ones."""
    if len(arrays) > 1 and arrays[1] is not None:
        return [int(a) for a in np.atleast_1d(arrays[1])]
    return None if "axes" not in attributes else list(attributes["axes"])


def _unsqueeze(attributes: Mapping[str, Any], arrays: Arrays) -> np.ndarray[Any, Any]:
    axes = _axes(attributes, arrays) or []
    return np.expand_dims(arrays[0], tuple(axes))


def _squeeze(attributes: Mapping[str, Any], arrays: Arrays) -> np.ndarray[Any, Any]:
    axes = _axes(attributes, arrays)
    return np.squeeze(arrays[0], None if axes is None else tuple(axes))


def _reshape(attributes: Mapping[str, Any], arrays: Arrays) -> np.ndarray[Any, Any]:
    wanted = [int(d) for d in arrays[1]]
    if not attributes.get("allowzero"):
        wanted = [arrays[0].shape[i] if d == 0 else d for i, d in enumerate(wanted)]
    return arrays[0].reshape(wanted)


def _slice(attributes: Mapping[str, Any], arrays: Arrays) -> np.ndarray[Any, Any]:
    if len(arrays) > 1:
        starts, ends = arrays[1].tolist(), arrays[2].tolist()
        axes = arrays[3].tolist() if len(arrays) > 3 and arrays[3] is not None else list(range(len(starts)))
        steps = arrays[4].tolist() if len(arrays) > 4 and arrays[4] is not None else [1] * len(starts)
    else:
        starts, ends = attributes["starts"], attributes["ends"]
        axes, steps = attributes.get("axes", list(range(len(starts)))), [1] * len(starts)
    cut = [slice(None)] * arrays[0].ndim
    for start, end, axis, step in zip(starts, ends, axes, steps, strict=True):
        length = arrays[0].shape[axis]
        if step < 0 and end < -length:
            end = None  # "to the very first" counted backwards
        cut[axis] = slice(start, end, step)
    return arrays[0][tuple(cut)]


def _divide(attributes: Mapping[str, Any], arrays: Arrays) -> np.ndarray[Any, Any]:
    a, b = arrays[0], arrays[1]
    if np.issubdtype(a.dtype, np.integer):  # ONNX truncates towards zero
        return (np.sign(a) * np.sign(b) * (np.abs(a) // np.abs(b))).astype(a.dtype)
    return a / b


def _cast(attributes: Mapping[str, Any], arrays: Arrays) -> np.ndarray[Any, Any] | None:
    from onnx import helper

    wanted = helper.tensor_dtype_to_np_dtype(attributes["to"])
    return None if wanted.kind == "O" else arrays[0].astype(wanted)


def _range(attributes: Mapping[str, Any], arrays: Arrays) -> np.ndarray[Any, Any] | None:
    start, limit, delta = (a.reshape(()).item() for a in arrays)
    count = max(0, math.ceil((limit - start) / delta))
    return None if count > SMALL else np.arange(count).astype(arrays[0].dtype) * arrays[2] + arrays[0]


def _concat(attributes: Mapping[str, Any], arrays: Arrays) -> np.ndarray[Any, Any] | None:
    if sum(a.size for a in arrays) > SMALL:  # one array may be listed any number of times
        return None
    return np.concatenate([np.atleast_1d(a) for a in arrays], axis=attributes["axis"])


def _expand(attributes: Mapping[str, Any], arrays: Arrays) -> np.ndarray[Any, Any] | None:
    shape = np.broadcast_shapes(arrays[0].shape, tuple(int(d) for d in arrays[1]))
    return None if math.prod(shape) > SMALL else np.broadcast_to(arrays[0], shape)


def _reduce(function: Callable[..., Any]) -> Rule:
    def rule(attributes: Mapping[str, Any], arrays: Arrays) -> np.ndarray[Any, Any]:
        axes = _axes(attributes, arrays)
        keep = bool(attributes.get("keepdims", 1))
        return np.asarray(function(arrays[0], axis=None if axes is None else tuple(axes), keepdims=keep))

    return rule


def _elementwise(function: Callable[..., Any]) -> Rule:
    def rule(attributes: Mapping[str, Any], arrays: Arrays) -> np.ndarray[Any, Any] | None:
        size = math.prod(np.broadcast_shapes(*(a.shape for a in arrays)))
        return None if size > SMALL else np.asarray(function(*arrays))

    return rule


_RULES: Mapping[str, Rule] = {
    "Identity": lambda _, a: a[0],
    "Cast": _cast,
    "Unsqueeze": _unsqueeze,
    "Squeeze": _squeeze,
    "Reshape": _reshape,
    "Slice": _slice,
    "Range": _range,
    "Expand": _expand,
    "Div": _divide,
    "Gather": lambda at, a: np.take(a[0], a[1], axis=at.get("axis", 0)) if a[1].size <= SMALL else None,
    "Concat": _concat,
    "Transpose": lambda at, a: np.transpose(a[0], at.get("perm")),
    "ReduceProd": _reduce(np.prod),
    "ReduceSum": _reduce(np.sum),
    "ReduceMax": _reduce(np.max),
    "ReduceMin": _reduce(np.min),
    "Add": _elementwise(np.add),
    "Sub": _elementwise(np.subtract),
    "Mul": _elementwise(np.multiply),
    "Mod": _elementwise(np.mod),
    "Neg": _elementwise(np.negative),
    "Abs": _elementwise(np.abs),
    "Floor": _elementwise(np.floor),
    "Ceil": _elementwise(np.ceil),
    "Sqrt": _elementwise(np.sqrt),
    "Min": _elementwise(lambda *a: reduce(np.minimum, a)),
    "Max": _elementwise(lambda *a: reduce(np.maximum, a)),
    "Equal": _elementwise(np.equal),
    "Less": _elementwise(np.less),
    "Greater": _elementwise(np.greater),
    "Not": _elementwise(np.logical_not),
    "And": _elementwise(np.logical_and),
    "Or": _elementwise(np.logical_or),
    "Where": _elementwise(np.where),
}
