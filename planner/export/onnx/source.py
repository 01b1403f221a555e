"""An ONNX file as the source of its stages: which node each op of a plan is, and what each value comes from."""

from __future__ import annotations

import graphlib
import os
from functools import cached_property
from pathlib import Path
from typing import Any

from planner.errors import ModelError, StageboardError
from planner.formats.onnx import model as onnx_model
from planner.formats.onnx import shapes as onnx_shapes
from planner.formats.onnx.nodes import reads
from planner.model.graph import Graph
from planner.printable import clean


class OnnxSource:
    """One model file, read twice: as the planner reads it, and whole, weights and all.

    Symbolic sizes are bound to what the plan was made for (``batch`` and the reader's defaults), as the planner saw
    constants where shapes are computed. ``nodes`` are the main graph's, local functions inlined.
    """

    def __init__(self, path: str | os.PathLike[str], *, batch: int = 1) -> None:
        self.path = Path(path)
        parsed = onnx_model.parse(path, batch=batch)
        self.graph: Graph = parsed.graph
        self.values = parsed.values
        # Reading takes the large weights out of the message it parsed.
        self.model: Any = onnx_shapes.load(path)
        graph = self.model.graph
        symbols = {
            (value.name, axis): dim.dim_param
            for value in graph.input
            for axis, dim in enumerate(value.type.tensor_type.shape.dim)
            if not dim.HasField("dim_value") or dim.dim_value <= 0
        }
        onnx_shapes.bind_symbols(graph, batch)
        self.bound: dict[str, int] = {
            symbols[value.name, axis] or f"axis {axis} of {value.name}": dim.dim_value
            for value in graph.input
            for axis, dim in enumerate(value.type.tensor_type.shape.dim)
            if (value.name, axis) in symbols
        }
        """Sizes that the file leaves open, as they were bound."""
        self.nodes: list[Any] = list(graph.node)
        self.maker = {name: i for i, node in enumerate(self.nodes) for name in node.output if name}
        self.stored = {tensor.name: tensor for tensor in graph.initializer}
        self.sparse = {tensor.values.name: tensor for tensor in graph.sparse_initializer}
        self.inputs = [
            value.name
            for value in graph.input
            if value.name not in self.stored and value.name not in self.sparse
        ]
        self.outputs = [value.name for value in graph.output]
        self.node_of_op: list[int] = []
        """Node of each op of :attr:`graph`; -1 for model inputs, and for nodes that give nothing."""
        for entry in parsed.entries:
            made = next((name for name in entry.outputs if name), None)
            if entry.kind == "Input" and made in self.inputs:
                self.node_of_op.append(-1)
            else:
                self.node_of_op.append(-1 if made is None else self._maker(made))
        self.kept = frozenset(self.node_of_op) - {-1}
        """Nodes that are ops of the graph; the others compute constants."""

    def _maker(self, name: str) -> int:
        if name not in self.maker:
            raise ModelError(f"{self.path.name} changed while it was read; export again")
        return self.maker[name]

    def is_constant(self, name: str) -> bool:
        """Whether a value is known before the model runs."""
        if name in self.stored or name in self.sparse:
            return True
        return name in self.maker and self.maker[name] not in self.kept

    @property
    def shapes(self) -> dict[str, tuple[int, ...] | None]:
        """Sizes of the model's inputs by name; -1 where one is open, None where nothing is known."""
        found: dict[str, tuple[int, ...] | None] = {}
        for name in self.inputs:
            shape = self.values[name].shape
            found[name] = None if shape is None else tuple(-1 if d is None else int(d) for d in shape)
        return found

    @cached_property
    def rank(self) -> list[int]:
        """Place of each node in an order in which inputs come first: the file's own where it is one, as it should be."""
        before = [{self.maker[name] for name in reads(node) if name in self.maker} for node in self.nodes]
        if all(max(sources, default=-1) < i for i, sources in enumerate(before)):
            return list(range(len(self.nodes)))
        order = graphlib.TopologicalSorter(dict(enumerate(before))).static_order()
        rank = [0] * len(self.nodes)
        for place, node in enumerate(order):
            rank[node] = place
        return rank

    @cached_property
    def readers(self) -> dict[str, set[int]]:
        """Nodes that are ops, by the values that they read."""
        found: dict[str, set[int]] = {}
        for i in self.kept:
            for name in reads(self.nodes[i]):
                found.setdefault(name, set()).add(i)
        return found

    @cached_property
    def _declared(self) -> dict[str, Any]:
        graph = self.model.graph
        return {info.name: info.type for info in (*graph.value_info, *graph.output, *graph.input)}

    def type_of(self, name: str) -> Any:
        """The ``TypeProto`` of a value, sizes bound; None where neither the file nor inference tells its element type."""
        from onnx import helper

        value = self.values.get(name)
        if value is not None and value.dtype:
            shape = None if value.shape is None else [None if d is None else int(d) for d in value.shape]
            return helper.make_tensor_type_proto(value.dtype, shape)
        declared = self._declared.get(name)
        if declared is None or not declared.HasField("tensor_type") or not declared.tensor_type.elem_type:
            return None
        return declared

    def info(self, name: str, between: str) -> Any:
        """The ``ValueInfoProto`` of a tensor at the border of a stage. Raises :class:`StageboardError`."""
        import onnx

        kind = self.type_of(name)
        if kind is None:
            declared = self._declared.get(name)
            is_tensor = declared is None or declared.HasField("tensor_type")
            why = "has no known type" if is_tensor else "is a sequence or an optional value, not a tensor"
            raise StageboardError(
                f"{self.path.name}: '{clean(name)}', {between}, {why}; keep the op that makes it and those"
                " that read it on one stage"
            )
        return onnx.ValueInfoProto(name=name, type=kind)
