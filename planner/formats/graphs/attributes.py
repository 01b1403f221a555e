"""Graphs from attributed node and edge lists: what the GraphML and DOT readers share.

Node attributes (all optional; case does not matter): ``name`` or ``label``; ``kind``, ``op_type``, ``op`` or ``type``;
``work`` (seconds on an accelerator), ``work_cpu`` or ``cpu`` (seconds on a CPU); ``params``; ``param_bytes``; ``macs``;
``memory`` (bytes on its device); ``bytes`` (size of the op's output where its edges give none); ``layer``;
``colour_class``; ``supported``; ``backward``. Edge attributes: ``bytes``, ``size`` or ``weight`` (bytes of the tensor);
``time`` (seconds of its transfer); ``tensor`` (its name: edges of one op with one name carry one tensor).
Edges of one op without such a name carry one tensor where their sizes and times are equal, else one tensor each size.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from planner.errors import ModelError
from planner.formats.checks import flag, number, shown, whole
from planner.model.graph import Graph
from planner.model.ops import Op, Tensor
from planner.printable import clean, escaped

Attributes = Mapping[str, Any]

_NODE = {
    "name": ("name", "label"),
    "kind": ("kind", "op_type", "op", "type"),
    "work": ("work",),
    "work_cpu": ("work_cpu", "cpu"),
    "params": ("params",),
    "param_bytes": ("param_bytes",),
    "macs": ("macs",),
    "memory": ("memory",),
    "bytes": ("bytes",),
    "layer": ("layer",),
    "colour_class": ("colour_class", "color_class"),
    "supported": ("supported",),
    "backward": ("backward",),
}
_EDGE = {"bytes": ("bytes", "size", "weight"), "time": ("time",), "tensor": ("tensor",)}


def build(
    file: str,
    name: str,
    format: str,
    nodes: Sequence[tuple[str, Attributes]],
    edges: Sequence[tuple[str, str, Attributes]],
) -> Graph:
    """A graph of nodes ``(id, attributes)`` and edges ``(producer, consumer, attributes)``. Raises :class:`ModelError`."""
    if not nodes:
        raise ModelError(f"{file}: the graph has no nodes; there is nothing to plan")
    ops, output_bytes = [], {}
    for identity, attributes in nodes:
        op, size = _op(escaped(identity), attributes, f"{file}: node '{clean(identity)}'")
        ops.append(op)
        output_bytes[op.id] = size
    grouped: dict[tuple[str, object], tuple[list[str], float, float | None, str]] = {}
    for source, target, attributes in edges:
        source, target = escaped(source), escaped(target)
        values = _named(attributes, _EDGE)
        what = f"{file}: edge '{source}' -> '{target}'"
        given = _number(values.get("bytes"), f"{what}: bytes")
        size = output_bytes.get(source, 0.0) if given is None else given
        time = _number(values.get("time"), f"{what}: time")
        tensor = escaped(str(values.get("tensor") or ""))
        key = (source, tensor or (size, time))
        consumers, known, known_time, _ = grouped.setdefault(key, ([], size, time, tensor))
        if (known, known_time) != (size, time):
            raise ModelError(
                f"{what} gives tensor '{tensor}' another size or time than an edge before it; make them equal"
            )
        consumers.append(target)
    tensors = [
        Tensor(source, tuple(consumers), size, time, name=tensor)
        for (source, _), (consumers, size, time, tensor) in grouped.items()
    ]
    sending = {source for source, _ in grouped}
    tensors += [
        Tensor(op.id, (), output_bytes[op.id]) for op in ops if op.id not in sending and output_bytes[op.id]
    ]
    return Graph.build(name, ops, tensors, time_unit="s", format=format)


def _named(attributes: Attributes, wanted: Mapping[str, tuple[str, ...]]) -> dict[str, Any]:
    lowered = {str(key).lower(): value for key, value in attributes.items()}
    return {
        key: next(lowered[alias] for alias in aliases if alias in lowered)
        for key, aliases in wanted.items()
        if any(alias in lowered for alias in aliases)
    }


def _op(identity: str, attributes: Attributes, what: str) -> tuple[Op, float]:
    values = _named(attributes, _NODE)
    name = escaped(str(values.get("name") or identity))
    op = Op(
        id=identity,
        name=name,
        kind=clean(str(values.get("kind") or "op")),
        work=_number(values.get("work"), f"{what}: work"),
        work_cpu=_number(values.get("work_cpu"), f"{what}: work_cpu"),
        params=_number(values.get("params"), f"{what}: params") or 0.0,
        param_bytes=_number(values.get("param_bytes"), f"{what}: param_bytes") or 0.0,
        macs=_number(values.get("macs"), f"{what}: macs") or 0.0,
        memory=_number(values.get("memory"), f"{what}: memory"),
        supported=_flag(values.get("supported"), f"{what}: supported", True),
        backward=_flag(values.get("backward"), f"{what}: backward", False),
        colour_class=_label(values.get("colour_class"), f"{what}: colour_class"),
        layer=_label(values.get("layer"), f"{what}: layer"),
    )
    return op, _number(values.get("bytes"), f"{what}: bytes") or 0.0


def _number(value: Any, what: str) -> float | None:
    """A number, also one written as text."""
    if value is None or value == "":
        return None
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            raise ModelError(f"{what} is {shown(value)}; it must be a number") from None
    return number(value, what)


def _label(value: Any, what: str) -> int | None:
    known = _number(None if value in (-1, "-1") else value, what)
    return None if known is None or math.isnan(known) else whole(known, what)


def _flag(value: Any, what: str, default: bool) -> bool:
    if value is None or value == "":
        return default
    if isinstance(value, str):
        words = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}
        if value.lower() in words:
            return words[value.lower()]
    return flag(value, what)
