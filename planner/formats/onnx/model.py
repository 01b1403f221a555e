"""ONNX models as graphs of ops.

* Each graph input is an op of kind ``Input``; each node an op of its type, except those folded away: constants, and
  whatever is computed from constants and known shapes alone (Shape -> Gather -> Concat chains, weights made by
  ``ConstantOfShape``).
* Stored and folded constants are parameters of the first op that uses them; other users note it (attribute ``shared``), and the graph
  says who shares what (:attr:`planner.model.graph.Graph.shared`).
  Integer and boolean tables of up to 4,096 elements (shapes, axes, indices) and single numbers that are not stored do
  not count.
* Control flow (``If``, ``Loop``, ``Scan``) is one op: what its bodies read from outside are its inputs, their weights
  its parameters, their multiply-accumulates its own (the larger branch; every iteration where their number is known).
* The path of modules that PyTorch's exporter leaves in a node's metadata is its op's scope (:mod:`planner.formats.onnx.modules`).
* Several outputs are several tensors. Custom ops are ops like any other; sizes behind them may stay unknown.
* External data is never opened. Everything that was assumed is a warning on the graph.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from planner.errors import ModelError
from planner.formats.checks import LARGEST
from planner.formats.onnx import shapes as onnx_shapes
from planner.formats.onnx.folding import Value, bytes_of
from planner.formats.onnx.nodes import versions
from planner.formats.onnx.scope import Entry, ModelNotes, Scope
from planner.model.graph import Graph
from planner.model.ops import Op, Tensor, shared_by
from planner.printable import clean, escaped

FORMAT = "onnx"


@dataclass(frozen=True, eq=False)
class Parsed:
    """A model file as this reader understands it: its graph of ops, and what each op is in the file."""

    graph: Graph
    entries: tuple[Entry, ...]
    """What each op of the graph stands for, in the ops' order; kind ``Input`` for the model's inputs."""
    values: dict[str, Value]
    """Every value of the file's main graph by its name in the file, sizes bound."""


def read(path: str | os.PathLike[str], *, batch: int = 1) -> Graph:
    """The model in a file, symbolic batch sizes bound to ``batch``. Raises :class:`ModelError`."""
    return parse(path, batch=batch).graph


def parse(path: str | os.PathLike[str], *, batch: int = 1, keep_shapes: bool = False) -> Parsed:
    """As :func:`read`, with what the graph's ops are called in the file. Raises :class:`ModelError`.

    ``keep_shapes`` keeps what is computed from known shapes as ops, as a compiler sees a graph that nobody has simplified.
    """
    file = Path(path)
    model = onnx_shapes.load(file)
    notes = list(onnx_shapes.bind_symbols(model.graph, batch))
    scope = Scope(ModelNotes(file.name, versions(model), keep_shapes), None)
    scope.store_initialisers(model.graph)
    inferred, more = onnx_shapes.infer(model)
    notes += more
    if keep_shapes:  # folding knows more sizes than inference, which cannot follow every chain
        folded = parse(path, batch=batch).values
        inferred = {name: Value(value.shape, value.dtype) for name, value in folded.items()}
    scope.known = inferred
    for value in model.graph.input:
        scope.values.setdefault(value.name, inferred.get(value.name, Value()))
    scope.run(model.graph)
    entries = _entries(file.name, scope, model.graph)
    return Parsed(_graph(file.stem, scope, entries, model.graph, batch, notes), tuple(entries), scope.values)


# ---------------------------------------------------------------------------------------------------------- the graph
def _entries(file: str, scope: Scope, graph: Any) -> list[Entry]:
    """Inputs that are used, then the nodes that stay."""
    if not scope.entries:
        raise ModelError(
            f"{file}: every op computes a constant, so nothing is left to plan; is it the whole model?"
        )
    used = {value for entry in scope.entries for value in entry.inputs}
    entries = [
        Entry(escaped(value.name), "Input", [], [value.name])
        for value in graph.input
        if value.name in used and not scope.values[value.name].constant
    ]
    return entries + scope.entries


def _graph(name: str, scope: Scope, entries: list[Entry], graph: Any, batch: int, notes: list[str]) -> Graph:
    model = scope.model
    ids = _ids(entries)
    readers: dict[str, list[str]] = {}
    for identity, entry in zip(ids, entries, strict=True):
        for value in dict.fromkeys(entry.inputs):
            readers.setdefault(value, []).append(identity)
    results = {value.name for value in graph.output}
    ops, tensors = [], []
    for identity, entry in zip(ids, entries, strict=True):
        ops.append(
            Op(
                identity,
                entry.name,
                entry.kind,
                params=entry.params,
                param_bytes=entry.param_bytes,
                macs=entry.macs,
                attrs=entry.attrs,
                scope=entry.path,
            )
        )
        for value_name in entry.outputs:
            if value_name and (value_name in readers or value_name in results):
                tensors.append(_tensor(identity, value_name, scope.values[value_name], readers, model))
    reads = {identity: entry.reads for identity, entry in zip(ids, entries, strict=True)}
    return Graph.build(
        name,
        ops,
        tensors,
        format=FORMAT,
        warnings=[*notes, *_warnings(model)],
        read_options={"batch": batch},
        shared=shared_by(reads),
    )


def _ids(entries: list[Entry]) -> list[str]:
    """Unique ids: the name, else the first output, else either with a number."""
    count: dict[str, int] = {}
    for entry in entries:
        count[entry.name] = count.get(entry.name, 0) + 1
    taken: set[str] = {name for name, times in count.items() if times == 1}
    ids = []
    for entry in entries:
        identity = entry.name
        if count[identity] > 1:
            output = escaped(next((o for o in entry.outputs if o), ""))
            identity = output if output and output not in taken else identity
            base, number = identity, 1
            while identity in taken:
                number += 1
                identity = f"{base}#{number}"
            taken.add(identity)
        ids.append(identity)
    return ids


def _tensor(
    producer: str, name: str, value: Value, readers: dict[str, list[str]], model: ModelNotes
) -> Tensor:
    size = bytes_of(value.shape, value.dtype)
    if size > LARGEST:
        raise ModelError(
            f"{model.file}: the tensor '{clean(name)}' would have {size:.0e} bytes; export the model again"
        )
    if value.shape is None:
        model.unknown_sizes += 1
    elif value.size is None:
        model.guessed_sizes += 1
    shape = None if value.shape is None else tuple(-1 if d is None else d for d in value.shape)
    return Tensor(
        producer,
        tuple(readers.get(name, ())),
        size,
        shape=shape,
        dtype=dtype_name(value.dtype),
        name=clean(name),
    )


def dtype_name(dtype: int) -> str:
    """``float``, ``int64``, ...: the format's own name of an element type, empty where it is unknown."""
    from onnx import TensorProto

    return (
        TensorProto.DataType.Name(dtype).lower() if dtype in TensorProto.DataType.values() and dtype else ""
    )


def _warnings(model: ModelNotes) -> list[str]:
    notes = []
    if model.bodies:
        kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(model.bodies.items()))
        notes.append(f"control flow is planned as single ops, bodies included ({kinds})")
    if model.unknown_trips:
        loops = _several(model.unknown_trips, "loop runs", "loops run")
        notes.append(f"{loops} an unknown number of times; one round is counted")
    if model.foreign:
        domains = ", ".join(
            f"{clean(d)[:60]}, {_several(n, 'op', 'ops')}" for d, n in sorted(model.foreign.items())
        )
        notes.append(
            f"ops of other domains are kept as they are; their work may be underestimated ({domains})"
        )
    if model.unknown_sizes:
        tensors = _several(model.unknown_sizes, "tensor has", "tensors have")
        notes.append(f"{tensors} no known shape; 0 bytes are counted")
    if model.guessed_sizes:
        tensors = _several(model.guessed_sizes, "tensor has", "tensors have")
        notes.append(f"{tensors} a size that is known only when the model runs; it counts as 1")
    if model.external:
        tensors = _several(model.external, "stored tensor lies", "stored tensors lie")
        notes.append(
            f"{tensors} in external data files, which are never opened; shapes and types tell the sizes"
        )
    return notes


def _several(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"
