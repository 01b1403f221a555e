"""One pass through an ONNX model that finds its dense layers, what they read, and what is applied to them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from planner.formats.networks.onnx_values import (
    BINARY,
    POINTS,
    SCALAR,
    UNARY,
    Constant,
    Samples,
    activation_of,
    applied,
    filled,
    gelu,
    gelu_by_tanh,
    stored,
)

_PASSING = frozenset({"Identity", "Cast", "Dropout", "Flatten", "Reshape"})
_FLOATS = (1, 10, 11, 16)
"""TensorProto.DataType of floating-point numbers."""


@dataclass(eq=False)
class Neurons:
    """A group of neurons: the result of a dense layer, or values that come from outside (``activation`` stays None)."""

    size: int
    fed: bool = False
    biases: list[Callable[[], NDArray[np.float32]]] = field(default_factory=list)
    activation: str | None = None
    output: bool = False
    near: bool = False


@dataclass(frozen=True, eq=False)
class Value:
    """A function of each of some groups, one after the other; ``settled``: nothing more may be applied to them."""

    groups: tuple[int, ...]
    samples: Samples
    settled: bool = False

    @property
    def plain(self) -> bool:
        """Whether it is the groups themselves."""
        return self.samples is POINTS


@dataclass(frozen=True, eq=False)
class Dense:
    """A stored matrix between groups."""

    name: str
    sources: tuple[int, ...]
    target: int
    weights: Constant
    transposed: bool
    scale: float


class Walk:
    """One pass over a model's nodes, in their order: dense layers (``dense``) between groups (``neurons``)."""

    def __init__(self, graph: Any, file: Path) -> None:
        from planner.formats.onnx.nodes import reads

        self._file = file
        self._constants: dict[str, Constant] = {}
        self._values: dict[str, Value] = {}
        self.neurons: list[Neurons] = []
        self.dense: list[Dense] = []
        self.merged: dict[int, int] = {}
        self._left: list[Value] = []  # what others read than the layers found here
        for tensor in graph.initializer:
            if (constant := stored(tensor, file)) is not None:
                self._constants[tensor.name] = constant
        self._readers: dict[str, int] = {}
        for name in [n for node in graph.node for n in reads(node)] + [v.name for v in graph.output]:
            self._readers[name] = self._readers.get(name, 0) + 1
        for node in graph.node:
            self._visit(node, reads)
        for name, value in self._values.items():
            if name not in self._readers:
                self._left.append(value)
        self._left += [self._values[v.name] for v in graph.output if v.name in self._values]
        self._settle()

    # ------------------------------------------------------------------ nodes
    def _visit(self, node: Any, reads: Callable[[Any], list[str]]) -> None:
        if not node.output:
            return
        name = node.output[0]
        attributes = {a.name: a for a in node.attribute}
        if node.domain in ("", "ai.onnx", "com.microsoft"):
            constant = self._constant(node, attributes)
            if constant is not None:
                self._constants[name] = constant
                return
            value = self._value(node, attributes)
            if value is not None:
                self._values[name] = value
                return
        self._left += [self._values[n] for n in reads(node) if n in self._values]

    def _constant(self, node: Any, attributes: dict[str, Any]) -> Constant | None:
        """The constant that a node makes, None where it makes none that weights are stored with."""
        if node.op_type == "Constant":
            if "value" in attributes:
                return stored(attributes["value"].t, self._file)
            if "value_float" in attributes:
                return filled((), attributes["value_float"].f, self._file.name)
            return None
        first = self._constants.get(node.input[0]) if node.input else None
        if first is None:
            return None
        if node.op_type in ("Identity", "Cast"):
            return first
        if node.op_type == "Transpose":
            axes = (
                tuple(attributes["perm"].ints)
                if "perm" in attributes
                else tuple(range(len(first.shape)))[::-1]
            )
            return first.transposed(axes) if sorted(axes) == list(range(len(first.shape))) else None
        if node.op_type == "ConstantOfShape":
            sizes = self._whole(node.input[0])
            value = (
                stored(attributes["value"].t, self._file) if "value" in attributes else filled((), 0.0, "")
            )
            number = None if value is None else value.scalar()
            if sizes is None or number is None or min(sizes, default=0) < 0:
                return None
            return filled(sizes, number, self._file.name)
        if node.op_type == "Reshape" and len(node.input) > 1:
            sizes = self._whole(node.input[1])
            if (
                sizes is not None
                and min(sizes, default=1) > 0
                and int(np.prod(sizes, dtype=object)) == first.size
            ):
                return first.reshaped(sizes)
        return None

    def _whole(self, name: str) -> tuple[int, ...] | None:
        """The numbers of a small constant."""
        constant = self._constants.get(name)
        if constant is None or constant.size > SCALAR or len(constant.shape) > 1:
            return None
        numbers = constant.load().reshape(-1)
        return tuple(int(v) for v in numbers) if np.isfinite(numbers).all() else None

    def _value(self, node: Any, attributes: dict[str, Any]) -> Value | None:
        """What a node gives as a function of groups; None where it is none, or ends a block."""
        kind, inputs = node.op_type, list(node.input)
        if kind == "Gemm" or kind == "MatMul":
            return self._layer(node, attributes)
        if kind == "Concat":
            return self._concatenated(inputs, attributes)
        if not inputs:
            return None
        if kind in _PASSING and inputs[0] in self._values:
            return self._passed(kind, inputs, attributes)
        if kind in BINARY and len(inputs) == 2:
            return self._combined(kind, inputs)
        value = self._values.get(inputs[0])
        if value is None or value.settled or len(inputs) != 1:
            return None
        if kind == "Gelu":
            near = "approximate" in attributes and attributes["approximate"].s == b"tanh"
            return Value(value.groups, applied(gelu_by_tanh if near else gelu, value.samples))
        function = UNARY.get(kind)
        return None if function is None else Value(value.groups, applied(function, value.samples))

    def _passed(self, kind: str, inputs: list[str], attributes: dict[str, Any]) -> Value | None:
        value = self._values[inputs[0]]
        if kind == "Reshape":
            sizes = self._whole(inputs[1]) if len(inputs) > 1 else None
            size = sum(self.neurons[g].size for g in value.groups)
            return value if sizes and sizes[-1] in (size, -1, 0) else None
        if kind == "Cast":
            return value if "to" in attributes and attributes["to"].i in _FLOATS else None
        return value

    def _concatenated(self, inputs: list[str], attributes: dict[str, Any]) -> Value | None:
        """Groups side by side, where all are known and it is their last axis."""
        parts = [self._values.get(name) for name in inputs]
        axis = attributes["axis"].i if "axis" in attributes else 0
        if axis not in (-1, 1, 2) or any(p is None or not self._fits(p) for p in parts):
            return None
        known = [p for p in parts if p is not None]
        if len(known) > SCALAR or not all(self._decide(p) for p in known):
            return None
        return Value(tuple(g for p in known for g in p.groups), POINTS, True)

    def _combined(self, kind: str, inputs: list[str]) -> Value | None:
        """An op on two values of one group, on a value and a number, or what adds a bias or two sums."""
        left, right = (self._values.get(name) for name in inputs)
        if left is not None and right is not None:
            if left.settled or right.settled:
                return None
            if left.groups == right.groups:
                return Value(left.groups, applied(BINARY[kind], left.samples, right.samples))
            return self._summed(left, right, inputs) if kind == "Add" else None
        value, name = (left, inputs[1]) if left is not None else (right, inputs[0])
        constant = self._constants.get(name)
        if value is None or constant is None or value.settled:
            return None
        if (
            kind in ("Add", "Sub")
            and self._adds_bias(value, inputs, constant)
            and (kind == "Add" or value is left)
        ):
            sign = 1.0 if kind == "Add" else -1.0
            self._add_bias(value.groups[0], constant, sign)
            return value
        number = constant.scalar()
        if number is None:
            return None
        pair = (value.samples, number) if left is not None else (number, value.samples)
        return Value(value.groups, applied(BINARY[kind], *pair))

    def _adds_bias(self, value: Value, inputs: list[str], constant: Constant) -> bool:
        """Whether a constant can be added to the sums themselves: nothing else reads them yet."""
        name = inputs[0] if inputs[0] in self._values else inputs[1]
        return (
            value.plain
            and len(value.groups) == 1
            and not self.neurons[value.groups[0]].fed
            and self._readers.get(name) == 1
            and constant.size in (1, self.neurons[value.groups[0]].size)
            and (constant.size == 1 or constant.shape[-1] == constant.size)
        )

    def _add_bias(self, group: int, constant: Constant, factor: float) -> None:
        size = self.neurons[group].size
        self.neurons[group].biases.append(
            lambda: np.broadcast_to(np.float32(factor) * constant.load().reshape(-1), (size,))
        )

    def _summed(self, left: Value, right: Value, inputs: list[str]) -> Value | None:
        """Two dense layers into the same neurons."""
        for value, name in ((left, inputs[0]), (right, inputs[1])):
            if not value.plain or len(value.groups) != 1 or self._readers.get(name) != 1:
                return None
            if self.neurons[value.groups[0]].fed:
                return None
        one, other = sorted((left.groups[0], right.groups[0]))
        if self.neurons[one].size != self.neurons[other].size:
            return None
        # The later one stays: all that leads into either lies before it.
        self.merged[one] = other
        self.neurons[other].biases += self.neurons[one].biases
        return Value((other,), POINTS)

    def _layer(self, node: Any, attributes: dict[str, Any]) -> Value | None:
        """A dense layer; its input becomes a group that is fed where it is not known."""
        weights = self._constants.get(node.input[1]) if len(node.input) > 1 else None
        if weights is None or len(weights.shape) != 2 or not weights.size or node.input[0] in self._constants:
            return None
        number = {n: a.i for n, a in attributes.items() if n in ("transA", "transB")}
        factor = {n: a.f for n, a in attributes.items() if n in ("alpha", "beta")}
        if number.get("transA"):
            return None
        transposed = bool(number.get("transB"))
        rows, size = weights.shape[::-1] if transposed else weights.shape
        bias = None
        if node.op_type == "Gemm" and len(node.input) > 2 and node.input[2]:
            bias = self._constants.get(node.input[2])
            if bias is None or bias.size not in (1, size) or (bias.size > 1 and bias.shape[-1] != size):
                return None
        sources = self._read_by_layer(node.input[0], rows)
        group = len(self.neurons)
        self.neurons.append(Neurons(size))
        if bias is not None:
            self._add_bias(group, bias, factor.get("beta", 1.0))
        name = " ".join(part for part in (node.name or node.output[0], node.input[1]) if part)
        self.dense.append(Dense(name, sources, group, weights, transposed, factor.get("alpha", 1.0)))
        return Value((group,), POINTS)

    def _read_by_layer(self, name: str, size: int) -> tuple[int, ...]:
        """The groups that a layer of ``size`` inputs reads: those that the value consists of, else new ones."""
        value = self._values.get(name)
        if value is not None:
            if sum(self.neurons[g].size for g in value.groups) == size and self._decide(value):
                return value.groups
            self._left.append(value)
        self.neurons.append(Neurons(size, fed=True))
        self._values[name] = Value((len(self.neurons) - 1,), POINTS, True)
        return self._values[name].groups

    # ------------------------------------------------------------------ activations
    def _fits(self, value: Value) -> bool:
        """Whether the groups can have the activation that the value shows."""
        found = activation_of(value.samples)
        if found is None:
            return False
        if value.settled:
            return True
        return all(self.neurons[g].activation in (None, found[0]) for g in value.groups)

    def _decide(self, value: Value) -> bool:
        """Give the groups the activation that the value shows; False where they cannot have it."""
        found = activation_of(value.samples)
        if found is None or not self._fits(value):
            return False
        if not value.settled:
            for g in value.groups:
                self.neurons[g].activation = found[0]
                self.neurons[g].near |= found[1]
        return True

    def _settle(self) -> None:
        """What is read elsewhere is an output, with its activation where that is known and nothing else has been decided."""
        for value in self._left:
            self._decide(value)
            for g in value.groups:
                self.neurons[g].output = not self.neurons[g].fed

    def group(self, group: int) -> int:
        """The group that a group is part of, after sums."""
        while group in self.merged:
            group = self.merged[group]
        return group
