"""One pass through an ONNX graph, bodies included: what is constant is folded, what stays becomes an entry."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any

from planner.errors import ModelError
from planner.formats.checks import LARGEST, simple_attributes
from planner.formats.onnx import shapes as onnx_shapes
from planner.formats.onnx.folding import (
    NEVER_FOLDED,
    SMALL,
    Value,
    bytes_of,
    constant,
    evaluate,
    folded,
    more_complete,
)
from planner.formats.onnx.macs import macs as count_macs
from planner.formats.onnx.modules import module_path
from planner.formats.onnx.nodes import attributes_of, bodies_of, formal_inputs, reads, results
from planner.formats.onnx.nodes import trips as trips_of
from planner.printable import clean, escaped

MOST_AXES = 64
"""Axes that numpy's arrays may have; tensors of real models have a handful."""
_STANDARD = ("", "ai.onnx", "ai.onnx.ml", "ai.onnx.preview.training", "ai.onnx.training")
_MADE_HERE = ("Constant", "Shape", "Size", "ConstantOfShape")
"""Ops whose value is put together here rather than by a rule."""


@dataclass
class ModelNotes:
    """What all scopes of one model share."""

    file: str
    versions: dict[str, int]
    keep_shapes: bool = False
    """Whether nodes that ask for a tensor's shape stay, and with them whatever is computed from what they say."""
    counted: dict[str, str] = field(default_factory=dict)
    """Origin of parameters -> name of the op that counts them."""
    unknown_sizes: int = 0
    guessed_sizes: int = 0
    external: int = 0
    bodies: dict[str, int] = field(default_factory=dict)
    unknown_trips: int = 0
    foreign: dict[str, int] = field(default_factory=dict)


@dataclass
class Entry:
    """One op that stays."""

    name: str
    kind: str
    inputs: list[str]
    outputs: list[str]
    attrs: dict[str, Any] = field(default_factory=dict)
    macs: float = 0.0
    params: float = 0.0
    param_bytes: float = 0.0
    results: list[Value] = field(default_factory=list)
    path: str = ""
    """The path of the module that the op belongs to, where the file tells it."""
    reads: dict[str, tuple[float, float]] = field(default_factory=dict)
    """Origin of parameters that the op or its bodies read -> their number and bytes, whoever counts them."""


class Scope:
    """One graph or body: its values, the ops that stay, and what it reads from the scope around it."""

    def __init__(self, model: ModelNotes, parent: Scope | None) -> None:
        self.model = model
        self.parent = parent
        self.values: dict[str, Value] = {}
        self.known: Mapping[str, Value] = {}
        self.entries: list[Entry] = []
        self.captured: dict[str, None] = {}

    # ------------------------------------------------------------------ values
    def store_initialisers(self, graph: Any) -> None:
        """Stored tensors become constants."""
        for tensor in graph.initializer:
            self.model.external += onnx_shapes.is_external(tensor)
            self._store(tensor, tensor.name, tensor.name, True)
        for sparse in graph.sparse_initializer:
            self._store(sparse.values, sparse.values.name, sparse.values.name, True, list(sparse.dims))

    def _store(
        self, tensor: Any, name: str, origin: str, initialiser: bool, dims: list[int] | None = None
    ) -> None:
        what = f"{self.model.file}: the stored tensor '{clean(name)}'"
        value = onnx_shapes.tensor_value(tensor, self._origin(origin), what, initialiser=initialiser)
        if value.stored > LARGEST:
            raise ModelError(f"{what} claims {value.stored:.0e} bytes; export the model again")
        if dims is not None:  # sparse: the shape of the whole, the parameters of what is stored
            value = Value(
                tuple(dims), value.dtype, True, None, value.origin, value.elements, value.stored, initialiser
            )
        self.values[name] = value

    def _origin(self, name: str) -> str:
        """Names may repeat in bodies; an origin is one place in the file."""
        return name if self.parent is None else f"{id(self)}:{name}"

    def find(self, name: str) -> Value | None:
        """A value of this scope or one around it; noted as captured when it comes from outside and is not constant."""
        if name in self.values:
            return self.values[name]
        if self.parent is None:
            return None
        value = self.parent.find(name)
        if value is not None and not value.constant:
            self.captured[name] = None
        return value

    # ------------------------------------------------------------------ nodes
    def run(self, graph: Any) -> None:
        """Go through the nodes in an order in which inputs come first."""
        for node in self._ordered(graph.node):
            self._visit(node)

    def _ordered(self, nodes: Any) -> Iterable[Any]:
        """File order where it is topological, as the standard asks; else sorted; a cycle's nodes come last."""
        made: dict[str, int] = {}
        for i, node in enumerate(nodes):
            for name in node.output:
                if not name:
                    continue
                if name in made or name in self.values:
                    raise ModelError(
                        f"{self.model.file}: two places produce the value '{clean(name)}'; names must be unique, export it again"
                    )
                made[name] = i
        waiting = [0] * len(nodes)
        readers: list[list[int]] = [[] for _ in nodes]
        for i, node in enumerate(nodes):
            for source in {made[name] for name in reads(node) if name in made}:
                waiting[i] += 1
                readers[source].append(i)
        import heapq

        ready = [i for i, count in enumerate(waiting) if count == 0]
        order: list[int] = []
        while ready:
            i = heapq.heappop(ready)
            order.append(i)
            for reader in readers[i]:
                waiting[reader] -= 1
                if waiting[reader] == 0:
                    heapq.heappush(ready, reader)
        if len(order) < len(nodes):
            stuck = next(i for i, count in enumerate(waiting) if count > 0)
            name = clean(nodes[stuck].name or nodes[stuck].op_type)
            raise ModelError(
                f"{self.model.file}: the graph has a cycle through '{name}'; only acyclic graphs can be split"
            )
        return [nodes[i] for i in order]

    def _visit(self, node: Any) -> None:
        op, domain = node.op_type, node.domain
        attributes = attributes_of(node)
        inputs: list[Value | None] = []
        for name in node.input:
            value = self.find(name) if name else None
            if name and value is None:
                raise ModelError(
                    f"{self.model.file}: op '{clean(node.name or op)}' reads '{clean(name)}', which nothing produces;"
                    " the file is incomplete, export it again"
                )
            inputs.append(value)
        standard = domain in ("", "ai.onnx")
        if standard and self._fold(node, op, attributes, inputs):
            return
        bodies = bodies_of(node)
        summary = self._bodies(node, bodies, inputs) if bodies else None
        outputs = self._output_values(node, inputs, bool(bodies))
        if summary is not None:
            outputs = [more_complete(v, r) for v, r in zip_longest(outputs, summary.results[: len(outputs)])]
        for name, value in zip(node.output, outputs, strict=True):
            if name:
                self.values[name] = value
        if domain not in _STANDARD:
            self.model.foreign[domain] = self.model.foreign.get(domain, 0) + 1
        self._keep(node, attributes, inputs, outputs, summary)

    # ------------------------------------------------------------------ folding
    def _fold(self, node: Any, op: str, attributes: dict[str, Any], inputs: list[Value | None]) -> bool:
        """Whether the node is a constant; then its outputs are values and it needs no op."""
        if op in _MADE_HERE and not node.output:
            raise ModelError(
                f"{self.model.file}: op '{clean(node.name or op)}' ({op}) has no output; export the model again"
            )
        if op == "Constant":
            self._constant(node, attributes)
            return True
        if op in ("Shape", "Size") and inputs and inputs[0] is not None and inputs[0].size is not None:
            if self.model.keep_shapes and not inputs[0].constant:
                return False
            self._shape(node, op, attributes, inputs[0])
            return True
        if op in NEVER_FOLDED or not any(inputs) or not all(v is None or v.constant for v in inputs):
            return False
        if op == "ConstantOfShape":
            return self._constant_of_shape(node, inputs[0])
        data = evaluate(op, attributes, inputs) if len(node.output) == 1 else None
        if data is not None:
            self._put(node.output[0], data, inputs, op)
            return True
        for name, value in zip(node.output, self._output_values(node, inputs, False), strict=True):
            if name:
                self.values[name] = folded(op, inputs, value.shape, value.dtype, self._origin(name))
        return True

    def _constant(self, node: Any, attributes: dict[str, Any]) -> None:
        import numpy as np

        name = node.output[0]
        for attribute in node.attribute:
            if attribute.name == "value" and attribute.HasField("t"):
                self.model.external += onnx_shapes.is_external(attribute.t)
                self._store(attribute.t, name, name, False)
                return
            if attribute.name == "sparse_value":
                stored = attribute.sparse_tensor
                self._store(stored.values, name, name, False, list(stored.dims))
                return
        for key, dtype in (
            ("value_int", np.int64),
            ("value_ints", np.int64),
            ("value_float", np.float32),
            ("value_floats", np.float32),
        ):
            if key in attributes:
                if not _numbers(attributes[key]):
                    raise ModelError(
                        f"{self.model.file}: the constant '{clean(name)}' has {key} that is no number; export the model again"
                    )
                self._put(name, np.array(attributes[key], dtype), [], "Constant")
                return
        self.values[name] = constant((), 8, self._origin(name))

    def _shape(self, node: Any, op: str, attributes: dict[str, Any], value: Value) -> None:
        import numpy as np

        if op == "Size":
            self._put(node.output[0], np.array(value.size, np.int64), [], op)
            return
        start, end = attributes.get("start", 0), attributes.get("end")
        if not isinstance(start, int) or not isinstance(end, int | None):
            raise ModelError(
                f"{self.model.file}: op '{clean(node.name or op)}' has a start or end that is no whole number; export it again"
            )
        cut = slice(start, end)
        self._put(node.output[0], np.array((value.shape or ())[cut], np.int64), [], op)

    def _constant_of_shape(self, node: Any, shape: Value | None) -> bool:
        import numpy as np

        if shape is None or shape.data is None:
            return False
        name = node.output[0]
        if shape.data.ndim > 1 or shape.data.dtype.kind not in "iu" or shape.data.size > MOST_AXES:
            raise ModelError(
                f"{self.model.file}: '{clean(name)}' has a shape that is no list of at most {MOST_AXES} sizes;"
                " export the model again"
            )
        dims = [int(d) for d in shape.data.reshape(-1)]
        dtype, fill = 1, None
        for attribute in node.attribute:
            if attribute.name == "value":
                dtype = attribute.t.data_type
                fill = onnx_shapes.tensor_value(attribute.t, "", self.model.file).data
        if any(d < 0 for d in dims) or bytes_of(tuple(dims), dtype) > LARGEST:
            raise ModelError(
                f"{self.model.file}: '{clean(name)}' has the impossible shape {dims[:8]}; export the model again"
            )
        value = constant(dims, dtype, self._origin(name))
        if value.elements <= SMALL:
            filled = np.zeros(dims, np.float32)
            if fill is not None and fill.size:
                filled = np.full(dims, fill.reshape(-1)[0], fill.dtype)
            value = constant(dims, dtype, self._origin(name), filled)
        self.values[name] = value
        return True

    def _put(self, name: str, data: Any, inputs: list[Value | None], op: str) -> None:
        """A computed small constant; it stands for its source's parameters where it only shows them differently."""
        from onnx import helper

        dtype = helper.np_dtype_to_tensor_dtype(data.dtype)
        made = folded(op, inputs, data.shape, dtype, self._origin(name))
        self.values[name] = Value(
            tuple(data.shape), dtype, True, data, made.origin, made.elements, made.stored, made.initialiser
        )

    def _output_values(self, node: Any, inputs: list[Value | None], has_bodies: bool) -> list[Value]:
        values = [self.known.get(name, Value()) for name in node.output]
        complete = all(v.size is not None or not name for name, v in zip(node.output, values, strict=True))
        if not complete and not has_bodies and node.domain in _STANDARD:
            given = {name: v for name, v in zip(node.input, inputs, strict=True) if v is not None}
            found = onnx_shapes.infer_op(node, given, self.model.versions)
            values = [more_complete(v, found.get(name)) for name, v in zip(node.output, values, strict=True)]
        return values

    # ------------------------------------------------------------------ bodies
    def _bodies(self, node: Any, bodies: list[Any], inputs: list[Value | None]) -> Entry:
        """One entry that stands for all of a node's bodies."""
        self.model.bodies[node.op_type] = self.model.bodies.get(node.op_type, 0) + 1
        total = Entry("", node.op_type, [], [])
        works = []
        for body in bodies:
            scope = Scope(self.model, self)
            scope.known = {
                info.name: onnx_shapes.type_value(info.type) for info in [*body.value_info, *body.output]
            }
            scope.store_initialisers(body)
            for value, given in zip(body.input, formal_inputs(node, inputs, len(body.input)), strict=False):
                scope.values[value.name] = more_complete(onnx_shapes.type_value(value.type), given)
            for value in body.input:
                scope.values.setdefault(value.name, onnx_shapes.type_value(value.type))
            scope.run(body)
            given_back = [scope.find(value.name) or Value() for value in body.output]
            if body is bodies[0]:
                total.results = results(node, inputs, given_back)
            total.inputs += list(scope.captured)
            total.params += sum(entry.params for entry in scope.entries)
            total.param_bytes += sum(entry.param_bytes for entry in scope.entries)
            for entry in scope.entries:
                total.reads.update(entry.reads)
            works.append(sum(entry.macs for entry in scope.entries))
        total.macs = max(works, default=0.0) if node.op_type == "If" else sum(works)
        if node.op_type in ("Loop", "Scan") and total.macs:
            trips = trips_of(node, inputs)
            if trips is None:
                self.model.unknown_trips += 1
            total.macs = min(total.macs * (1 if trips is None else trips), LARGEST)
        total.attrs["body_ops"] = sum(len(body.node) for body in bodies)
        return total

    def _keep(
        self,
        node: Any,
        attributes: dict[str, Any],
        inputs: list[Value | None],
        outputs: list[Value],
        body: Entry | None,
    ) -> None:
        name = escaped(node.name or next((o for o in node.output if o), node.op_type))
        entry = Entry(name, clean(node.op_type) or "op", [], list(node.output))
        entry.path = module_path(node)
        entry.attrs = simple_attributes(attributes)
        if node.domain not in ("", "ai.onnx"):
            entry.attrs["domain"] = clean(node.domain)
        entry.macs = min(count_macs(node.op_type, attributes, inputs, outputs), LARGEST)
        shared = []
        for value_name, value in zip(node.input, inputs, strict=True):
            if value is None:
                continue
            if not value.constant:
                entry.inputs.append(value_name)
            elif value.is_parameter:
                entry.reads[value.origin] = (value.elements, value.stored)
                owner = self.model.counted.get(value.origin)
                if owner is None:
                    self.model.counted[value.origin] = name
                    entry.params += value.elements
                    entry.param_bytes += value.stored
                elif owner != name:
                    shared.append(f"{clean(value_name)} (counted at {owner})")
        if shared:
            entry.attrs["shared"] = shared[:32]
        if body is not None:
            entry.inputs += [n for n in body.inputs if n not in entry.inputs]
            entry.macs, entry.params, entry.param_bytes = (
                body.macs,
                entry.params + body.params,
                entry.param_bytes + body.param_bytes,
            )
            entry.attrs.update(body.attrs)
            entry.reads.update(body.reads)
        self.entries.append(entry)


def _numbers(value: Any) -> bool:
    """Whether an attribute is a number or a list of them."""
    return all(isinstance(v, (int, float)) for v in (value if isinstance(value, (list, tuple)) else [value]))
