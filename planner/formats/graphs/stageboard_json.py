"""Stageboard's own graph JSON, read and written.

One object: ``format`` ("stageboard-graph"), ``version`` (1), ``name``, ``time_unit`` ("s", or null where it is not
known), ``source`` (where the model comes from), ``ops`` and ``tensors``. An op has ``id`` and optionally ``name``,
``kind``, ``work`` and ``work_cpu`` (time on an accelerator and a CPU, in the time unit), ``params`` (count),
``param_bytes``, ``macs``, ``memory`` (bytes on its device), ``supported``, ``backward``, ``colour_class``, ``layer``
and ``attrs`` (for display). A tensor has ``from``, ``to`` (list of op ids), ``bytes`` and optionally ``shape``,
``dtype``, ``name`` and ``time`` (of its transfer). What is left out is not known. Other keys are ignored.
"""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import Any

from planner.errors import ModelError
from planner.files import read_json, to_json, write_atomically
from planner.formats.checks import (
    INT32,
    flag,
    items,
    number,
    optional_number,
    shown,
    simple_attributes,
    table,
    text,
    whole,
)
from planner.model.graph import Graph
from planner.model.ops import Op, Tensor

FORMAT = "stageboard-graph"
VERSION = 1


def is_stageboard_graph(value: Any) -> bool:
    """Whether a JSON value claims to be a graph in this format."""
    return isinstance(value, dict) and value.get("format") == FORMAT


def read(path: str | os.PathLike[str]) -> Graph:
    """The graph in a file. Raises :class:`ModelError`."""
    return from_json(read_json(path), Path(path).name, Path(path).stem)


def from_json(value: Any, file: str, name: str) -> Graph:
    """The graph in a parsed JSON value; ``file`` is what errors call it, ``name`` its name if it gives none."""
    data = table(value, f"{file}: the file")
    if data.get("format") != FORMAT:
        raise ModelError(f'{file}: its format is {shown(data.get("format"))}; a graph says "{FORMAT}"')
    if data.get("version") != VERSION:
        raise ModelError(
            f"{file}: version {shown(data.get('version'))} of the graph format is not known here, version {VERSION} is;"
            " open it with the Stageboard that wrote it"
        )
    unit = data.get("time_unit")
    if unit not in (None, "s"):
        raise ModelError(f'{file}: time_unit is {shown(unit)}; it must be "s" or null')
    ops = [
        _op(entry, f"{file}: op number {i + 1}")
        for i, entry in enumerate(items(data.get("ops"), f"{file}: ops"))
    ]
    if not ops:
        raise ModelError(f"{file}: the graph has no ops; there is nothing to plan")
    tensors = [
        _tensor(entry, f"{file}: tensor number {i + 1}")
        for i, entry in enumerate(items(data.get("tensors"), f"{file}: tensors"))
    ]
    shown_name = text(data["name"], f"{file}: name") if data.get("name") else name
    notes = [text(w, f"{file}: a warning") for w in items(data.get("warnings", []), f"{file}: warnings")]
    return Graph.build(shown_name, ops, tensors, time_unit=unit, format=FORMAT, warnings=notes)


def _op(entry: Any, what: str) -> Op:
    op = table(entry, what)
    identity = text(op.get("id"), f"{what}: id")
    what = f"{what} ('{identity}')"
    name = op.get("name")
    return Op(
        id=identity,
        name=identity if name is None or name == "" else text(name, f"{what}: name"),
        kind=text(op.get("kind") or "op", f"{what}: kind"),
        work=optional_number(op.get("work"), f"{what}: work"),
        work_cpu=optional_number(op.get("work_cpu"), f"{what}: work_cpu"),
        params=number(op.get("params", 0), f"{what}: params"),
        param_bytes=number(op.get("param_bytes", 0), f"{what}: param_bytes"),
        macs=number(op.get("macs", 0), f"{what}: macs"),
        memory=optional_number(op.get("memory"), f"{what}: memory"),
        supported=flag(op.get("supported", True), f"{what}: supported"),
        backward=flag(op.get("backward", False), f"{what}: backward"),
        colour_class=_label(op.get("colour_class"), f"{what}: colour_class"),
        layer=_label(op.get("layer"), f"{what}: layer"),
        attrs=simple_attributes(op.get("attrs")),
    )


def _label(value: Any, what: str) -> int | None:
    return None if value is None or value == -1 else whole(value, what)


def _tensor(entry: Any, what: str) -> Tensor:
    tensor = table(entry, what)
    consumers = tensor.get("to", [])
    shape = tensor.get("shape")
    return Tensor(
        producer=text(tensor.get("from"), f"{what}: from"),
        consumers=tuple(text(c, f"{what}: a consumer in 'to'") for c in items(consumers, f"{what}: to")),
        bytes=number(tensor.get("bytes", 0), f"{what}: bytes"),
        time=optional_number(tensor.get("time"), f"{what}: time"),
        shape=None
        if shape is None
        else tuple(whole(d, f"{what}: a dimension", -1, INT32) for d in items(shape, f"{what}: shape")),
        dtype=text(tensor["dtype"], f"{what}: dtype") if tensor.get("dtype") else "",
        name=text(tensor["name"], f"{what}: name") if tensor.get("name") else "",
    )


def to_dict(graph: Graph, source: str = "") -> dict[str, Any]:
    """The JSON object of a graph as its file gave it: times that a cost model estimated are left out."""
    given, given_cpu = graph.given_times
    ops = []
    for v in range(graph.n):
        op: dict[str, Any] = {"id": graph.op_ids[v], "name": graph.op_names[v], "kind": graph.kinds[v]}
        for key, value in (("work", given[v]), ("work_cpu", given_cpu[v])):
            if not math.isnan(value):
                op[key] = float(value)
        for key, value in (
            ("params", graph.params[v]),
            ("param_bytes", graph.param_bytes[v]),
            ("macs", graph.macs[v]),
        ):
            if value:
                op[key] = plain(value)
        op["memory"] = plain(graph.memory[v])
        if not graph.supported[v]:
            op["supported"] = False
        if graph.backward[v]:
            op["backward"] = True
        for key, label in (("colour_class", graph.colour_class[v]), ("layer", graph.layer[v])):
            if label >= 0:
                op[key] = int(label)
        if attributes := simple_attributes(dict(graph.attrs[v])):
            op["attrs"] = attributes
        ops.append(op)
    tensors = []
    for t in range(graph.tensor_count):
        row = graph.consumer_idx[graph.consumer_ptr[t] : graph.consumer_ptr[t + 1]]
        tensor: dict[str, Any] = {
            "from": graph.op_ids[graph.tensor_producer[t]],
            "to": [graph.op_ids[c] for c in row.tolist()],
            "bytes": plain(graph.tensor_bytes[t]),
        }
        if not math.isnan(graph.tensor_time[t]):
            tensor["time"] = float(graph.tensor_time[t])
        shape = graph.tensor_shapes[t]
        if shape is not None:
            tensor["shape"] = list(shape)
        if graph.tensor_dtypes[t]:
            tensor["dtype"] = graph.tensor_dtypes[t]
        if graph.tensor_names[t]:
            tensor["name"] = graph.tensor_names[t]
        tensors.append(tensor)
    known_unit = graph.time_unit if not (_unknown(given) and _unknown(given_cpu)) else None
    out: dict[str, Any] = {"format": FORMAT, "version": VERSION, "name": graph.name, "time_unit": known_unit}
    if source:
        out["source"] = source
    if graph.warnings:
        out["warnings"] = list(graph.warnings)
    return {**out, "ops": ops, "tensors": tensors}


def _unknown(times: Any) -> bool:
    return all(math.isnan(t) for t in times.tolist())


def plain(value: float) -> float | int:
    """A number as JSON shows it best: whole ones without a decimal point."""
    number = float(value)
    return int(number) if number.is_integer() and abs(number) < 2**53 else number


def write(graph: Graph, path: str | os.PathLike[str], source: str = "") -> Path:
    """Write the graph; reading it back gives the same fingerprint, except for attributes kept for display only."""
    return write_atomically(path, to_json(to_dict(graph, source)))
