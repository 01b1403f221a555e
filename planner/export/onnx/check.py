"""Whether the ONNX stages of a model, run one after the other, give what the whole model gives.

Meant for a process of its own (:mod:`planner.export.stages.child`): a broken model may end the runtime, and onnxruntime is large. The
stages run through :mod:`planner.export.stages.runner`, as they do for whoever uses the export; the whole model is the source
file itself.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from planner.errors import StageboardError
from planner.export.onnx.made_up import Arrays, Shape, made_up
from planner.export.onnx.runtime import OnnxModel
from planner.export.stages.difference import difference, identical
from planner.export.stages.folder import read_manifest
from planner.export.stages.runner import StageRunner
from planner.export.stages.stages import TOLERANCE, Checked, NotComparable, VerificationFailed
from planner.formats.onnx import shapes as onnx_shapes
from planner.printable import clean

_LEAVE_OUT = "the stages cannot be compared with it, so export without the check"


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
    feeds = _feeds(whole, order)
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


def _feeds(whole: OnnxModel, order: CheckOrder) -> list[Arrays]:
    try:
        return made_up(whole, order.shapes, np.random.default_rng(order.seed), order.samples)
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
