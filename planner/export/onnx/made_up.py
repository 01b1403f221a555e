"""Made-up inputs of ONNX models: random numbers of the right sizes and types, on which the model runs."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from planner.errors import StageboardError
from planner.export.onnx.runtime import OnnxModel
from planner.printable import clean

_HIGH, _LOW = 1000, 2
NUMPY_NAMES = {"float": "float32", "double": "float64"}
"""What numpy calls types that ONNX names otherwise."""

Arrays = dict[str, Any]
Shape = tuple[int, ...] | None


def made_up(
    whole: OnnxModel, shapes: Mapping[str, Shape], rng: np.random.Generator, samples: int
) -> list[Arrays]:
    """``samples`` inputs of a model, by name. ``shapes`` are their sizes (-1 where unknown).

    Whole numbers are indices more often than not, so smaller ones are tried where the model stops at larger ones. Raises
    :class:`StageboardError` for an input that cannot be made up.
    """
    ranges = _ranges(whole, shapes, rng)
    return [_random(whole, shapes, rng, ranges) for _ in range(samples)]


def _ranges(whole: OnnxModel, shapes: Mapping[str, Shape], rng: np.random.Generator) -> dict[str, int]:
    """How large whole-number inputs may be: an index beyond a table's end stops a model."""
    integers = [name for name, kind in whole.inputs.items() if "int" in kind]
    ranges = dict.fromkeys(integers, _HIGH)
    if not integers or _runs(whole, shapes, rng, ranges):
        return ranges
    ranges = dict.fromkeys(integers, _LOW)
    if not _runs(whole, shapes, rng, ranges):
        ranges = dict.fromkeys(integers, 1)
    for name in integers:
        for limit in (_HIGH, 100, 16):
            if _runs(whole, shapes, rng, {**ranges, name: limit}):
                ranges[name] = limit
                break
    return ranges


def _runs(
    whole: OnnxModel, shapes: Mapping[str, Shape], rng: np.random.Generator, ranges: Mapping[str, int]
) -> bool:
    feed = _random(whole, shapes, rng, ranges)
    with contextlib.suppress(StageboardError):
        whole.run([feed[name] for name in whole.inputs])
        return True
    return False


def _random(
    whole: OnnxModel, shapes: Mapping[str, Shape], rng: np.random.Generator, ranges: Mapping[str, int]
) -> Arrays:
    feed: Arrays = {}
    for name, kind in whole.inputs.items():
        shape = shapes.get(name)
        if shape is None or any(d < 0 for d in shape) or not kind.startswith("tensor("):
            raise StageboardError(f"the model's input '{clean(name)}' is not a tensor of known size")
        feed[name] = _array(kind[7:-1], shape, rng, ranges.get(name, _LOW), name)
    return feed


def _array(dtype: str, shape: tuple[int, ...], rng: np.random.Generator, high: int, name: str) -> Any:
    if dtype == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype == "string":
        return np.array([f"text {i}" for i in range(math.prod(shape))], object).reshape(shape)
    try:
        kind = np.dtype(NUMPY_NAMES.get(dtype, dtype))
    except TypeError:
        raise StageboardError(
            f"the model's input '{clean(name)}' has values of type {clean(dtype)}, which are not made up here"
        ) from None
    if kind.kind == "f":
        return rng.standard_normal(shape).astype(kind)
    limits = np.iinfo(kind)
    if limits.bits == 8:  # quantised values: all of them
        return rng.integers(limits.min, int(limits.max) + 1, shape).astype(kind)
    return rng.integers(0, high, shape).astype(kind)
