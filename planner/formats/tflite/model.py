"""TFLite models as graphs of ops.

* Each input of the model that is read is an op of kind ``Input``; each operator of subgraph 0 an op of its builtin name or
  custom code, except those that follow from constants alone (``DEQUANTIZE`` of float16 weights), which are folded away.
  Ids say where an operator is in the file (:mod:`planner.formats.tflite.names`).
* Constants are parameters of every op that reads them: each stage that runs such an op needs its own copy, and the
  Edge TPU compiler lays out the parameters of each op for itself. Integers of 32 and 64 bits count as biases of ops that
  multiply by weights, and as tables of more than 4,096 numbers; shapes, axes, paddings and indices do not count.
* ``WHILE``, ``IF``, ``CALL_ONCE`` and other ops that run subgraphs are one op each: the constants and multiply-accumulates of
  their bodies are its own (the larger branch of an ``IF``, one round of a ``WHILE``).
* Subgraph 0 is the model; other entry points are named in a warning and not read.
* Tensors that keep their content from run to run (an LSTM's state) are no edges. Ops that touch resource variables or tables,
  whichever, have one colour class: they must share a device.
* Where the file leaves the first size of its inputs open, it is the batch, there and in every tensor whose first size is
  open; other open sizes are as stored.
"""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from planner.errors import ModelError
from planner.formats.checks import LARGEST, simple_attributes
from planner.formats.tflite.file import load
from planner.formats.tflite.macs import WEIGHTED
from planner.formats.tflite.macs import macs as count_macs
from planner.formats.tflite.names import input_id, operator_id
from planner.formats.tflite.records import OperatorRecord, Subgraph, TensorRecord, TfliteFile, called
from planner.model.graph import Graph
from planner.model.ops import Op, Tensor
from planner.quantity import bytes_text

FORMAT = "tflite"

_TABLE = 4096
_INDEX_TYPES = frozenset({"int32", "int64", "uint32", "uint64", "bool"})
_SHAPE_FIRST = ("TRANSPOSE_CONV", "CONV_3D_TRANSPOSE")
_STATE_OPS = ("VAR_HANDLE", "READ_VARIABLE", "ASSIGN_VARIABLE", "CALL_ONCE", "HASHTABLE")
_NESTING = 100


def read(path: str | os.PathLike[str], *, batch: int = 1) -> Graph:
    """The model in a file, an open first size of its inputs bound to ``batch``. Raises :class:`ModelError`."""
    file = load(path)
    return _Builder(file, batch).graph(Path(path).stem)


@dataclass
class _Sum:
    """What an operator, or all operators of a body, cost."""

    params: float = 0.0
    param_bytes: float = 0.0
    macs: float = 0.0

    def add(self, other: _Sum) -> None:
        self.params += other.params
        self.param_bytes += other.param_bytes
        self.macs = min(self.macs + other.macs, LARGEST)


@dataclass
class _Notes:
    """What warnings are made of."""

    bodies: Counter[str] = field(default_factory=Counter)
    custom: Counter[str] = field(default_factory=Counter)
    readers: dict[int, dict[int, int]] = field(default_factory=dict)
    """Buffer of a constant -> reading operator -> bytes it counts there."""
    unknown: int = 0
    external: int = 0


class _Builder:
    """Goes through subgraph 0 once."""

    def __init__(self, file: TfliteFile, batch: int) -> None:
        self.file = file
        self.main = file.subgraphs[0]
        self.binds_batch = any(0 in self.main.tensors[t].open_axes for t in self.main.inputs)
        self.batch = batch
        self.notes = _Notes()
        self.body_sums: dict[int, _Sum] = {}

    # ------------------------------------------------------------------ the graph
    def graph(self, name: str) -> Graph:
        main = self.main
        kept = [i for i in range(len(main.operators)) if i not in main.constant_operators]
        if not kept:
            raise ModelError(
                f"{self.file.name}: no op is left that does not follow from constants, so there is nothing to plan;"
                " is it the whole model?"
            )
        ids = {i: operator_id(0, i, main.operators[i].kind) for i in kept}
        readers: dict[int, dict[str, None]] = {}
        for i in kept:
            for t in main.operators[i].inputs:
                if t >= 0 and t not in main.constant_sources:
                    readers.setdefault(t, {})[ids[i]] = None
        # An input that is listed twice is one op; a variable's content does not come from outside.
        inputs = {t: position for position, t in reversed(list(enumerate(main.inputs))) if t in readers}
        ops = [
            Op(input_id(p), _name(main, t, f"input {p}"), "Input")
            for t, p in sorted(inputs.items(), key=_second)
        ]
        tensors = [self._tensor(input_id(p), t, readers) for t, p in sorted(inputs.items(), key=_second)]
        state = self._state_ops(kept)
        results = set(main.outputs)
        for i in kept:
            ops.append(self._op(ids[i], i, 0 if i in state else None))
            for t in dict.fromkeys(main.operators[i].outputs):
                if (t in readers or t in results) and not main.tensors[t].variable:
                    tensors.append(self._tensor(ids[i], t, readers))
        return Graph.build(
            name, ops, tensors, format=FORMAT, warnings=self._warnings(), read_options={"batch": self.batch}
        )

    def _tensor(self, producer: str, index: int, readers: dict[int, dict[str, None]]) -> Tensor:
        record = self.main.tensors[index]
        shape = self._shape(record)
        size = record.bits / 8
        for length in shape:
            size *= length
        if size > LARGEST:
            raise ModelError(
                f"{self.file.name}: tensor {called(record.name, index)} would have {size:.0e} bytes; choose a smaller batch"
            )
        consumers = tuple(readers.get(index, ()))
        return Tensor(
            producer, consumers, float(-(-size // 1)), shape=shape, dtype=record.dtype, name=record.name
        )

    def _shape(self, record: TensorRecord) -> tuple[int, ...]:
        if self.binds_batch and 0 in record.open_axes:
            return (self.batch, *record.shape[1:])
        return record.shape

    # ------------------------------------------------------------------ one operator
    def _op(self, identity: str, index: int, colour_class: int | None) -> Op:
        main, operator = self.main, self.main.operators[index]
        name = next((_name(main, t, "") for t in operator.outputs), "") or f"{operator.kind} {index}"
        cost = self._cost(main, index, ())
        attrs = simple_attributes(operator.options)
        attrs["operator"] = index
        if operator.outputs and main.tensors[operator.outputs[0]].quantisation:
            attrs["output"] = main.tensors[operator.outputs[0]].quantisation
        weights = [main.tensors[s] for s in self._parameters(main, operator)]
        if weights:
            attrs["weights"] = weights[0].quantisation or weights[0].dtype
        state = [main.tensors[t] for t in operator.inputs if t >= 0 and main.tensors[t].variable]
        if state:
            attrs["state_bytes"] = sum(-(-r.elements * r.bits // 8) for r in state)
        for record in weights:
            self.notes.external += record.external
            if record.stored:
                self.notes.readers.setdefault(record.buffer, {})[index] = record.stored
        if operator.bodies:
            self.notes.bodies[operator.kind] += 1
            attrs["body_ops"] = sum(len(self.file.subgraphs[b].operators) for b in operator.bodies)
        if operator.custom:
            self.notes.custom[operator.kind] += 1
            self.notes.unknown += sum(not main.tensors[t].shape for t in operator.outputs)
        return Op(
            identity,
            name,
            operator.kind,
            params=cost.params,
            param_bytes=cost.param_bytes,
            macs=cost.macs,
            colour_class=colour_class,
            attrs=attrs,
        )

    def _parameters(self, graph: Subgraph, operator: OperatorRecord) -> list[int]:
        """The stored tensors that count as an operator's parameters, each once."""
        weighted = operator.custom or operator.kind in WEIGHTED
        found: dict[int, None] = {}
        for position, t in enumerate(operator.inputs):
            if t < 0 or (position == 0 and operator.kind in _SHAPE_FIRST):
                continue
            for source in graph.constant_sources.get(t, ()):
                record = graph.tensors[source]
                if record.dtype in ("string", "resource", "variant"):
                    continue
                # A bias is read as it is stored; integers that were folded away were shapes or axes.
                bias = weighted and source == t
                if record.dtype not in _INDEX_TYPES or bias or record.values > _TABLE:
                    found[source] = None
        return list(found)

    def _cost(self, graph: Subgraph, index: int, callers: tuple[int, ...]) -> _Sum:
        operator = graph.operators[index]
        records = [graph.tensors[s] for s in self._parameters(graph, operator)]
        shapes = [None if t < 0 else self._shape(graph.tensors[t]) for t in operator.inputs]
        cost = _Sum(
            float(sum(r.values for r in records)),
            float(sum(r.stored or 0 for r in records)),
            count_macs(
                operator.kind,
                operator.options,
                shapes,
                [self._shape(graph.tensors[t]) for t in operator.outputs],
            ),
        )
        bodies = [self._body(b, (*callers, b), operator.kind) for b in operator.bodies]
        for body in bodies:
            cost.add(body)
        if operator.kind == "IF":
            cost.macs = max((body.macs for body in bodies), default=0.0)
        return cost

    def _body(self, number: int, callers: tuple[int, ...], kind: str) -> _Sum:
        """What all operators of a subgraph cost together."""
        if number == 0 or number in callers[:-1] or len(callers) > _NESTING:
            raise ModelError(
                f"{self.file.name}: subgraph {number}, which {kind[:60]} runs, runs itself or too many others; convert the"
                " model again"
            )
        if number not in self.body_sums:
            graph, total = self.file.subgraphs[number], _Sum()
            for i in range(len(graph.operators)):
                if i not in graph.constant_operators:
                    total.add(self._cost(graph, i, callers))
            self.body_sums[number] = total
        return self.body_sums[number]

    def _state_ops(self, kept: list[int]) -> set[int]:
        """Operators that touch variables or tables which live beside the tensors."""
        found = set()
        for i in kept:
            operator = self.main.operators[i]
            touched = (self.main.tensors[t].dtype for t in (*operator.inputs, *operator.outputs) if t >= 0)
            if operator.kind.startswith(_STATE_OPS) or "resource" in touched:
                found.add(i)
        return found

    # ------------------------------------------------------------------ warnings
    def _warnings(self) -> list[str]:
        notes, main = self.notes, self.main
        found = []
        others = [(name, s) for name, s in self.file.signatures if s != 0]
        if others:
            names = ", ".join(f"'{name[:60]}'" for name, _ in others[:4]) + (
                " and others" if len(others) > 4 else ""
            )
            found.append(f"only the first entry point is planned; not read: {names}")
        if notes.bodies:
            found.append(f"control flow is planned as single ops, bodies included ({_counts(notes.bodies)})")
        loops = sum(count for kind, count in notes.bodies.items() if kind.endswith("WHILE"))
        if loops:
            runs = "loop runs" if loops == 1 else "loops run"
            found.append(f"{loops} {runs} an unknown number of times; one round is counted")
        if notes.custom:
            found.append(
                f"custom ops are kept as they are; their work may be underestimated ({_counts(notes.custom)})"
            )
        if notes.unknown:
            found.append(
                f"{_several(notes.unknown, 'output of a custom op has', 'outputs of custom ops have')} no known shape"
            )
        found += self._open_sizes()
        states = [r for r in main.tensors if r.variable]
        if states:
            size = bytes_text(sum(r.elements * r.bits / 8 for r in states))
            found.append(
                f"{_several(len(states), 'tensor keeps its', 'tensors keep their')} content from run to run ({size})"
            )
        again = sum(sum(sizes.values()) - max(sizes.values()) for sizes in notes.readers.values())
        if again:
            found.append(
                f"{bytes_text(again)} of parameters are read by several ops and count once more at each further one"
            )
        if notes.external:
            tensors = _several(notes.external, "stored tensor lies", "stored tensors lie")
            found.append(
                f"{tensors} in external data files, which are never opened; shapes and types tell the sizes"
            )
        return found

    def _open_sizes(self) -> list[str]:
        main = self.main
        found = []
        sizes = {
            f"axis {axis} of {record.name[:60] or 'an input'} = {record.shape[axis]}": None
            for record in (main.tensors[t] for t in main.inputs)
            for axis in record.open_axes
            if axis != 0
        }
        if sizes:
            more = f" and {len(sizes) - 6} more" if len(sizes) > 6 else ""
            found.append(f"sizes the model leaves open are as stored: {', '.join(list(sizes)[:6])}{more}")
        if self.batch != 1 and not self.binds_batch:
            found.append(f"the model fixes its batch size; a batch of {self.batch} was not applied")
        return found


def _second(item: tuple[Any, Any]) -> Any:
    return item[1]


def _name(graph: Subgraph, tensor: int, otherwise: str) -> str:
    """What the file calls a tensor. The converter joins the names of all ops fused into one with ';', the last one first."""
    return graph.tensors[tensor].name.split(";")[0].strip() or otherwise


def _counts(counted: Counter[str]) -> str:
    return ", ".join(f"{count} {kind[:60]}" for kind, count in sorted(counted.items())[:8])


def _several(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"
