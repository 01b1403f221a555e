"""TensorRT's profile of layers: what ``trtexec --exportProfile`` writes.

A list of objects, one for each layer of the engine, with ``name`` and ``medianMs`` or ``averageMs`` (milliseconds of a run). A layer that
computes several nodes of the model has their names joined by `` + ``; each has an equal share of its time.
"""

from __future__ import annotations

import re
from typing import Any

from planner.errors import ModelError
from planner.formats.times.samples import checked
from planner.model.times import OpTime, OpTimes
from planner.printable import escaped

MILLISECONDS = 1e-3
KEYS = ("medianMs", "averageMs")
_WRAPPED = re.compile(r"(?:PWN|ForeignNode)\W+(.*?)[\])]*")


def is_layers(value: Any) -> bool:
    """Whether a JSON value is such a profile."""
    return isinstance(value, list) and any(
        isinstance(e, dict) and "name" in e and any(key in e for key in KEYS) for e in value[:50]
    )


def of_tensorrt(value: list[Any], file: str) -> OpTimes:
    """The profile in a parsed JSON value. Raises :class:`ModelError`."""
    ops: dict[str, OpTime] = {}
    for layer in value:
        if not isinstance(layer, dict) or not isinstance(layer.get("name"), str):
            continue
        given = next((layer[key] for key in KEYS if key in layer), None)
        if given is None:
            continue
        seconds = checked(given, f"{file}: the time of '{escaped(layer['name'])}'") * MILLISECONDS
        parts = [part for part in (_unwrapped(p) for p in layer["name"].split(" + ")) if part]
        for part in parts:
            before = ops.get(part)
            share = seconds / len(parts)
            ops[part] = OpTime(share + (before.seconds if before else 0.0), shared=len(parts) > 1)
    if not ops:
        raise ModelError(
            f"{file} has no layer with a name and a time; export it with trtexec --exportProfile"
        )
    return OpTimes(ops, file, f"TensorRT ({file})", "accelerator", complete=True)


def _unwrapped(name: str) -> str:
    """The node that a part of a layer's name stands for."""
    wrapped = _WRAPPED.fullmatch(name.strip())
    return escaped((wrapped[1] if wrapped else name).strip())
