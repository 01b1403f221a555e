"""What the reader of dense ONNX layers knows of a value: stored weights, and functions of single neurons.

A stored weight costs nothing before it is asked for. A function of one value (an activation, or part of one, as in the five ops
that exporters write for GELU) is known by its values at some points, so any way to write it is recognised, whatever the order of
its ops.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from planner.errors import NetworkError, StageboardError
from planner.formats.networks.layers import MOST_WEIGHTS
from planner.formats.onnx.external import bring_in
from planner.formats.onnx.folding import bytes_of
from planner.printable import clean

Samples = NDArray[np.float64]

POINTS: Samples = np.concatenate([np.linspace(-12.0, 12.0, 193), np.linspace(-1.0, 1.0, 64)])
"""Where functions are compared."""
SCALAR = 64
"""Constants of at most this many elements are looked into while the model is walked through."""
_NUMBERS = frozenset({1, 10, 11, 16, 2, 3, 4, 5, 6, 7, 12, 13})
"""Element types that may be weights: floats, bfloat16 and whole numbers (TensorProto.DataType)."""


# ---------------------------------------------------------------------- stored weights
@dataclass(frozen=True, eq=False)
class Constant:
    """A constant of the model: its shape, and how to get at its elements (float32)."""

    shape: tuple[int, ...]
    load: Callable[[], NDArray[np.float32]]

    @property
    def size(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)

    def transposed(self, axes: tuple[int, ...]) -> Constant:
        """With its axes in another order."""
        return Constant(tuple(self.shape[a] for a in axes), lambda: self.load().transpose(axes))

    def reshaped(self, shape: tuple[int, ...]) -> Constant:
        """With the same elements in another shape."""
        return Constant(shape, lambda: self.load().reshape(shape))

    def scalar(self) -> float | None:
        """Its value where it is one number."""
        return float(self.load().reshape(-1)[0]) if self.size == 1 else None


def stored(tensor: Any, model: Path) -> Constant | None:
    """A ``TensorProto`` as a constant, None where it holds no numbers."""
    if tensor.data_type not in _NUMBERS or any(d < 0 for d in tensor.dims):
        return None
    shape = tuple(tensor.dims)

    def load() -> NDArray[np.float32]:
        from onnx import numpy_helper

        what = f"{model.name}: the stored tensor '{clean(tensor.name)}'"
        check_size(shape, what)
        try:
            bring_in(tensor, model)
            raw = len(tensor.raw_data)
            if raw and raw != round(bytes_of(shape, tensor.data_type)):
                raise ValueError("its bytes do not fill its shape")
            array = numpy_helper.to_array(tensor).astype(np.float32)
        except StageboardError:
            raise
        except Exception as error:  # whatever a damaged tensor provokes
            reason = clean(" ".join(str(error).split()))[:160]
            raise NetworkError(f"{what} cannot be read ({reason}); export the model again") from error
        return array.reshape(shape)

    return Constant(shape, load)


def filled(shape: tuple[int, ...], value: float, file: str) -> Constant:
    """A constant of one number everywhere; it takes no memory."""

    def load() -> NDArray[np.float32]:
        check_size(shape, f"{file}: a constant")
        return np.broadcast_to(np.float32(value), shape)

    return Constant(shape, load)


def check_size(shape: tuple[int, ...], what: str) -> None:
    """Refuse tensors that are too large to be weights here. Raises :class:`NetworkError`."""
    if math.prod(shape) > MOST_WEIGHTS:
        raise NetworkError(
            f"{what} has {math.prod(shape):,} elements; at most {MOST_WEIGHTS:,} are read, so choose a smaller block"
        )


# ---------------------------------------------------------------------- functions of one value
_erf = np.vectorize(math.erf, otypes=[np.float64])


def _sigmoid(x: Samples) -> Samples:
    return 1.0 / (1.0 + np.exp(-x))


def gelu(x: Samples) -> Samples:
    """x times the normal distribution function of x (float64, the shape of x)."""
    return np.asarray(0.5 * x * (1.0 + _erf(x / math.sqrt(2.0))))


def gelu_by_tanh(x: Samples) -> Samples:
    """The approximation of :func:`gelu` by tanh (float64, the shape of x)."""
    return np.asarray(0.5 * x * (1.0 + np.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * x**3))))


KNOWN: Mapping[str, Samples] = {
    "identity": POINTS,
    "relu": np.maximum(POINTS, 0.0),
    "tanh": np.tanh(POINTS),
    "sigmoid": _sigmoid(POINTS),
    "gelu": gelu(POINTS),
}
"""The activations that a network may have, at :data:`POINTS`."""
APPROXIMATED = gelu_by_tanh(POINTS)
_TOLERANCE = 1e-4
"""Constants of half precision (the root of two) move GELU by less."""

UNARY: Mapping[str, Callable[[Samples], Samples]] = {
    "Relu": lambda x: np.maximum(x, 0.0),
    "Tanh": np.tanh,
    "Sigmoid": _sigmoid,
    "Erf": _erf,
    "Neg": np.negative,
    "Exp": np.exp,
    "Sqrt": np.sqrt,
    "Abs": np.abs,
    "Reciprocal": np.reciprocal,
}
BINARY: Mapping[str, Callable[[Any, Any], Samples]] = {
    "Add": np.add,
    "Sub": np.subtract,
    "Mul": np.multiply,
    "Div": np.divide,
    "Pow": np.power,
    "Max": np.maximum,
}


def applied(function: Callable[..., Any], *values: Any) -> Samples:
    """The function at the points (float64, their shape); what it does not give there is NaN, which no activation equals."""
    with np.errstate(all="ignore"):
        return np.asarray(function(*values), np.float64)


def activation_of(samples: Samples) -> tuple[str, bool] | None:
    """(name of the activation with these values at the points, float64[points]; whether it is only near), None without one."""
    for name, values in KNOWN.items():
        if _near(samples, values):
            return name, False
    return ("gelu", True) if _near(samples, APPROXIMATED) else None


def _near(a: Samples, b: Samples) -> bool:
    # Where a function grows, an error grows along.
    return bool((np.abs(a - b) <= _TOLERANCE * (1.0 + np.abs(b))).all())
