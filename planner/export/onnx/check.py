"""Whether the ONNX stages of a model, run one after the other, give what the whole model gives.

Meant for a process of its own (:mod:`planner.export.stages.child`): a broken model may end the runtime, and onnxruntime is large. The
stages run through :mod:`planner.export.stages.runner`, as they do for whoever uses the export; the whole model is the source
file itself.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from planner.errors import StageboardError
from planner.export.onnx.runtime import OnnxModel
from planner.export.stages.difference import difference, identical
from planner.export.stages.folder import read_manifest
from planner.export.stages.runner import StageRunner
from planner.export.stages.stages import TOLERANCE, Checked, NotComparable, VerificationFailed
from planner.formats.onnx import shapes as onnx_shapes
from planner.printable import clean

_HIGH, _LOW = 1000, 2
_TYPES = {"float": "float32", "double": "float64"}
_LEAVE_OUT = "the stages cannot be compared with it, so export without the check"

Arrays = dict[str, Any]
Shape = tuple[int, ...] | None


@dataclass(frozen=True)
class CheckOrder:
    """What to check: a model in a folder of stages against its source file.

    ``shapes`` are the sizes that the plan was made for, by input of the model (-1 where unknown).
    """

    source: str
    folder: str
    model: str
    shapes: Mapping[str, Shape]
    samples: int
    seed: int


def check_stages(order: CheckOrder) -> Checked:
    """Run the whole model and its stages on random inputs, and compare the outputs; for the first, all that leaves a stage, unless
    the model's weights lie in other files.

    Raises :class:`VerificationFailed` where they differ, :class:`NotComparable` where the whole model itself cannot be run or gives
    other outputs each time.
    """
    whole = _whole(order)
    rng = np.random.default_rng(order.seed)
    ranges = _ranges(whole, order.shapes, rng)
    feeds = [_random(whole, order.shapes, rng, ranges) for _ in range(order.samples)]
    wanted = [_run(whole, feed) for feed in feeds]
    manifest = read_manifest(order.folder).model(order.model)
    inner = _inner(order.source, [name for stage in manifest.stages for name in stage.outputs], feeds[0])
    del whole
    try:
        largest, exact = _compare_all(StageRunner(order.folder, order.model), feeds, wanted, inner)
    except StageboardError as error:
        if _varies(order, feeds[0]):
            raise NotComparable(
                f"the whole model gives other outputs each time it runs (random ops); {_LEAVE_OUT}"
            ) from error
        if isinstance(error, VerificationFailed):
            raise
        raise VerificationFailed(f"{error}; nothing was written") from error
    same = tuple(
        name
        for name, value in wanted[0].items()
        if len(wanted) > 1 and all(identical(value, other[name]) for other in wanted[1:])
    )
    return Checked(len(feeds), largest, exact, same)


def _compare_all(
    runner: StageRunner, feeds: Sequence[Arrays], wanted: Sequence[Arrays], inner: Arrays | None
) -> tuple[float, bool]:
    """The largest difference, and whether there is none. Raises :class:`VerificationFailed` with the first that is too large."""
    largest, exact = 0.0, True
    for i, (feed, expected) in enumerate(zip(feeds, wanted, strict=True)):
        known = dict(feed)
        for stage, made in runner.steps(known):
            if inner is None or i > 0:
                continue
            for name, value in made.items():
                _compare(inner[name], value, f"'{clean(name)}' of {stage.file}")
        for name, value in expected.items():
            if name not in known:
                raise VerificationFailed(f"no stage gives the output '{clean(name)}'; nothing was written")
            far = _compare(value, known[name], f"the output '{clean(name)}'")
            largest, exact = max(largest, far), exact and far == 0.0
    return largest, exact


def _compare(whole: Any, stages: Any, what: str) -> float:
    far = difference(whole, stages)
    if not far <= TOLERANCE:
        amount = "entirely" if math.isinf(far) else f"by {far:.1e} of its largest value"
        raise VerificationFailed(f"{what} differs {amount} from the whole model's; nothing was written")
    return far


# ---------------------------------------------------------------------------------------------------- the whole model
def _whole(order: CheckOrder) -> OnnxModel:
    try:
        return OnnxModel(order.source, "the whole model")
    except StageboardError as error:
        raise NotComparable(f"{error}; {_LEAVE_OUT}") from error


def _run(whole: OnnxModel, feed: Arrays) -> Arrays:
    try:
        return dict(zip(whole.outputs, whole.run([feed[name] for name in whole.inputs]), strict=True))
    except StageboardError as error:
        raise NotComparable(f"{error}; {_LEAVE_OUT}") from error


def _varies(order: CheckOrder, feed: Arrays) -> bool:
    """Whether the whole model itself gives something else for the same input."""
    whole = _whole(order)
    first, second = _run(whole, feed), _run(whole, feed)
    return not all(identical(value, second[name]) for name, value in first.items())


def _inner(source: str, names: Sequence[str], feed: Arrays) -> Arrays | None:
    """What the whole model computes on the way, by name, and its outputs; None where it does not give that out."""
    import onnx

    model = onnx_shapes.load(source)
    known = {value.name for value in model.graph.output}
    model.graph.output.extend(onnx.ValueInfoProto(name=name) for name in names if name not in known)
    try:
        data = model.SerializeToString()
    except Exception:  # above protobuf's limit
        return None
    del model
    try:
        return _run(OnnxModel(data, "the whole model"), feed)
    except StageboardError:  # weights in other files, which a model in memory does not find
        return None


# ------------------------------------------------------------------------------------------------------- made-up inputs
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
        _run(whole, feed)
        return True
    return False


def _random(
    whole: OnnxModel, shapes: Mapping[str, Shape], rng: np.random.Generator, ranges: Mapping[str, int]
) -> Arrays:
    feed: Arrays = {}
    for name, kind in whole.inputs.items():
        shape = shapes.get(name)
        if shape is None or any(d < 0 for d in shape) or not kind.startswith("tensor("):
            raise NotComparable(
                f"the model's input '{clean(name)}' is not a tensor of known size; {_LEAVE_OUT}"
            )
        feed[name] = _array(kind[7:-1], shape, rng, ranges.get(name, _LOW), name)
    return feed


def _array(dtype: str, shape: tuple[int, ...], rng: np.random.Generator, high: int, name: str) -> Any:
    if dtype == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype == "string":
        return np.array([f"text {i}" for i in range(math.prod(shape))], object).reshape(shape)
    try:
        kind = np.dtype(_TYPES.get(dtype, dtype))
    except TypeError:
        raise NotComparable(
            f"the model's input '{clean(name)}' has values of type {clean(dtype)}, which are not made up here; {_LEAVE_OUT}"
        ) from None
    if kind.kind == "f":
        return rng.standard_normal(shape).astype(kind)
    limits = np.iinfo(kind)
    if limits.bits == 8:  # quantised values: all of them
        return rng.integers(limits.min, int(limits.max) + 1, shape).astype(kind)
    return rng.integers(0, high, shape).astype(kind)
