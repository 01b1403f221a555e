"""Stageboard's own graph JSON, read and written.

One object: ``format`` ("stageboard-graph"), ``version`` (1), ``name``, ``time_unit`` ("s", or null where it is not
known), ``source`` (where the model comes from), ``ops`` and ``tensors``. An op has ``id`` and optionally ``name``,
``kind``, ``work`` and ``work_cpu`` (time on an accelerator and a CPU, in the time unit), ``work_on`` (times that were measured on single
devices, by the device's name), ``params`` (count),
``param_bytes``, ``macs``, ``memory`` (bytes on its device), ``supported``, ``backward``, ``colour_class``, ``layer``
and ``attrs`` (for display). A tensor has ``from``, ``to`` (list of op ids), ``bytes`` and optionally ``shape``,
``dtype``, ``name`` and ``time`` (of its transfer). ``shared`` is a list of parameters that several ops read: ``ops`` (their ids; the
first counts them), ``params`` and ``param_bytes``. What is left out is not known. Other keys are ignored.
"""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import Any, Literal

import numpy as np
from msgspec import Struct, field

from planner.errors import ModelError
from planner.files import read_json, to_json, write_atomically
from planner.formats.checks import (
    Flag,
    Label,
    Name,
    Number,
    Text,
    label,
    shown,
    simple_attributes,
    table,
    words,
)
from planner.model.graph import Floats, Graph
from planner.model.ops import Op, Shared, Tensor
from planner.typed_json import typed

FORMAT = "stageboard-graph"
VERSION = 1


class _Op(Struct):
    id: Text
    name: Name | None = None
    kind: Name | None = None
    work: Number | None = None
    work_cpu: Number | None = None
    work_on: dict[Text, Number] | None = None
    params: Number = 0.0
    param_bytes: Number = 0.0
    macs: Number = 0.0
    memory: Number | None = None
    supported: Flag = True
    backward: Flag = False
    colour_class: Label | None = None
    layer: Label | None = None
    attrs: Any = None
    scope: Name | None = None

    def op(self) -> Op:
        """The op of a graph."""
        identity = words(self.id)
        return Op(
            id=identity,
            name=identity if self.name is None or self.name == "" else words(self.name),
            kind=words(self.kind or "op"),
            work=self.work,
            work_cpu=self.work_cpu,
            params=self.params,
            param_bytes=self.param_bytes,
            macs=self.macs,
            memory=self.memory,
            supported=bool(self.supported),
            backward=bool(self.backward),
            colour_class=label(self.colour_class),
            layer=label(self.layer),
            attrs=simple_attributes(self.attrs),
            scope=words("" if self.scope is None else self.scope).strip("/"),
        )


class _Tensor(Struct):
    producer: Text = field(name="from")
    consumers: list[Text] = field(name="to", default_factory=list)
    bytes: Number = 0.0
    time: Number | None = None
    shape: list[Label] | None = None
    dtype: Name | None = None
    name: Name | None = None

    def tensor(self) -> Tensor:
        """The tensor of a graph."""
        return Tensor(
            producer=words(self.producer),
            consumers=tuple(map(words, self.consumers)),
            bytes=self.bytes,
            time=self.time,
            shape=None if self.shape is None else tuple(map(int, self.shape)),
            dtype=words(self.dtype or ""),
            name=words(self.name or ""),
        )


class _Shared(Struct):
    ops: list[Text]
    params: Number = 0.0
    param_bytes: Number = 0.0

    def shared(self) -> Shared:
        """What ops of a graph share."""
        return Shared(tuple(map(words, self.ops)), self.params, self.param_bytes)


class _Graph(Struct):
    ops: list[_Op]
    tensors: list[_Tensor]
    time_unit: Literal["s", None] = None
    name: Name | None = None
    warnings: list[Text] = []
    shared: list[_Shared] = []


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
    given = typed(data, _Graph, file)
    if not given.ops:
        raise ModelError(f"{file}: the graph has no ops; there is nothing to plan")
    graph = Graph.build(
        words(given.name) if given.name else name,
        [entry.op() for entry in given.ops],
        [entry.tensor() for entry in given.tensors],
        time_unit=given.time_unit,
        format=FORMAT,
        warnings=list(map(words, given.warnings)),
        shared=[entry.shared() for entry in given.shared],
    )
    own: dict[str, Floats] = {}
    for v, entry in enumerate(given.ops):
        for device, time in (entry.work_on or {}).items():
            own.setdefault(words(device), np.full(graph.n, np.nan))[v] = time
    return graph.with_device_times(own) if own else graph


def to_dict(graph: Graph, source: str = "") -> dict[str, Any]:
    """The JSON object of a graph as its file gave it: times that a cost model estimated are left out."""
    given, given_cpu = graph.given_times
    names = graph.file_names
    ops = []
    for v in range(graph.n):
        op: dict[str, Any] = {"id": graph.op_ids[v], "name": names[v], "kind": graph.kinds[v]}
        if graph.scopes and graph.scopes[v]:
            op["scope"] = graph.scopes[v]
        for key, value in (("work", given[v]), ("work_cpu", given_cpu[v])):
            if not math.isnan(value):
                op[key] = float(value)
        own = {name: float(times[v]) for name, times in graph.device_times if not math.isnan(times[v])}
        if own:
            op["work_on"] = own
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
        for key, number in (("colour_class", graph.colour_class[v]), ("layer", graph.layer[v])):
            if number >= 0:
                op[key] = int(number)
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
    if graph.shared:
        out["shared"] = [
            {"ops": list(one.ops), "params": plain(one.params), "param_bytes": plain(one.param_bytes)}
            for one in graph.shared
        ]
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
