"""Keras models (``.keras``, ``.h5``) as graphs of ops, without Keras.

* Each input and each call of a layer is an op of the layer's class; its id is the layer's name, with ``#2`` for the second call. Layers of a model
  inside another have its name before theirs: ``encoder/dense``.
* A layer's weights, those that are not trained included, are parameters of its first call; further calls note it (attribute ``shared``). They
  follow from the configuration; of layers that are not known here (:mod:`planner.formats.keras.params`) the file's weights tell their sizes.
* Shapes follow from the layers' configurations (:mod:`planner.formats.keras.shapes`) and from what Keras 3 writes beside every tensor that is
  read. The first size of an input is the batch where it is open; other open sizes count as 1.
* ``Lambda`` layers hold code, which is never run: they are ops without work.
"""

from __future__ import annotations

import heapq
import os
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from planner.errors import ModelError
from planner.formats.checks import LARGEST, simple_attributes
from planner.formats.keras.config import DEEPEST, Layer, Model, Ref, model_of
from planner.formats.keras.file import read_config, weight_sizes
from planner.formats.keras.macs import elements
from planner.formats.keras.macs import macs as count_macs
from planner.formats.keras.params import weights
from planner.formats.keras.places import places_of
from planner.formats.keras.shapes import Shape, output_shape
from planner.formats.keras.types import bytes_of, types_of
from planner.model.graph import Graph
from planner.model.ops import Op, Shared, Tensor
from planner.printable import clean, escaped

FORMAT = "keras"
MOST_CALLS = 200_000
"""A model that calls others that call others stands for many calls; this bounds what a short file may stand for."""
_SHOWN = ("kernel_size", "pool_size", "strides", "padding", "filters", "units", "groups", "dilation_rate", "activation", "axis", "num_heads", "key_dim", "rate", "size")  # fmt: skip


def read(path: str | os.PathLike[str], *, batch: int = 1) -> Graph:
    """The model in a file, an open first size of its inputs bound to ``batch``. Raises :class:`ModelError`."""
    file = Path(path).name
    model = model_of(read_config(path), file)
    if (calls := _calls(model)) > MOST_CALLS:
        many = f"{calls:,}" if calls < 10**12 else "a million million or more"
        raise ModelError(
            f"{file} stands for {many} calls of layers; at most {MOST_CALLS:,} are read, so save a smaller model"
        )
    return _Builder(path, file, batch).graph(model, Path(path).stem)


@dataclass
class _Value:
    """A tensor: the op that gives it and which of its outputs it is, its shape (None where not known) and type."""

    op: str
    output: int
    shape: Shape | None
    dtype: str


class _Builder:
    """Goes through the calls of a model, and of those inside it, once."""

    def __init__(self, path: str | os.PathLike[str], file: str, batch: int) -> None:
        self.path, self.file, self.batch = path, file, batch
        self.binds_batch = False
        self.ops: dict[str, Op] = {}
        self.values: dict[tuple[str, int], _Value] = {}
        self.readers: dict[tuple[str, int], dict[str, None]] = {}
        self.counted: dict[str, str] = {}
        """Path of a layer with weights -> the op that counts them."""
        self.sharing: dict[str, list[str]] = {}
        """That op -> all that read them, itself first."""
        self.unsized: dict[str, tuple[str, ...]] = {}
        """Op whose layer's weights the configuration does not tell -> the groups of the file that they may be in."""
        self.other: Counter[str] = Counter()
        self.lambdas = 0
        self.unknown = self.guessed = 0

    # ------------------------------------------------------------------ the graph
    def graph(self, model: Model, name: str) -> Graph:
        results = {(value.op, value.output) for value in self._run(model, "", "", [], 0)}
        if all(op.kind == "InputLayer" for op in self.ops.values()):
            raise ModelError(
                f"{self.file}: the model has no layers that do anything; there is nothing to plan"
            )
        self._weigh()
        tensors = [
            self._tensor(key, value)
            for key, value in self.values.items()
            if key in self.readers or key in results
        ]
        return Graph.build(
            name,
            list(self.ops.values()),
            tensors,
            format=FORMAT,
            warnings=self._warnings(),
            read_options={"batch": self.batch},
            shared=[
                Shared(tuple(ops), self.ops[owner].params, self.ops[owner].param_bytes)
                for owner, ops in self.sharing.items()
            ],
        )

    def _run(self, model: Model, path: str, place: str, given: list[_Value], depth: int) -> list[_Value]:
        """The calls of a model that lies at ``path`` of ops and at ``place`` of the file, given tensors; what it gives back."""
        if depth > DEEPEST:
            raise ModelError(
                f"{self.file}: models lie more than {DEEPEST} deep in one another; save a flatter model"
            )
        places = places_of(model, place)
        if model.chain:
            return self._chain(model, path, places, given, depth)
        if given and len(given) != len(model.inputs):
            raise ModelError(
                f"{self.file}: the model '{clean(path or model.name)}' has {len(model.inputs)} inputs and is called with {len(given)};"
                " save it again"
            )
        made: dict[tuple[str, int], list[_Value]] = {}
        handed = {(ref.layer, 0): value for ref, value in zip(model.inputs, given, strict=False)}
        told = {
            (ref.layer, ref.call, ref.output): ref
            for layer in model.layers
            for call in layer.calls
            for ref in call
        }
        skipped = _skipped(model)
        for layer, number in self._ordered(model, skipped):
            if layer.kind == "InputLayer" or not layer.calls:
                value = handed.get((layer.name, 0))
                made[layer.name, 0] = [value or self._input(layer, path)]
                continue
            read = []
            for ref in layer.calls[number]:
                outputs = made[ref.layer, ref.call - skipped.get(ref.layer, 0)]
                read.append(self._output(outputs, ref))
            call = number + skipped.get(layer.name, 0)
            made[layer.name, number] = self._call(
                layer, number, path, places[layer.name], read, told.get((layer.name, call, 0)), depth
            )
        found = []
        for ref in model.outputs:
            given_back = made.get((ref.layer, ref.call - skipped.get(ref.layer, 0)))
            if given_back is None:
                raise ModelError(
                    f"{self.file}: the model gives back what call {ref.call} of '{clean(ref.layer)}' makes, which there is not; save it again"
                )
            found.append(self._output(given_back, ref))
        return found

    def _chain(
        self, model: Model, path: str, places: dict[str, tuple[str, ...]], given: list[_Value], depth: int
    ) -> list[_Value]:
        """The calls of a chain of layers."""
        layers = model.layers
        if layers and layers[0].kind == "InputLayer":
            given = given or [self._input(layers[0], path)]
            layers = layers[1:]
        elif layers and not given:
            told = layers[0].config.get("batch_input_shape")
            shape = model.built or layers[0].built
            start = Layer(
                "input",
                "InputLayer",
                {"batch_shape": told if told is not None else None if shape is None else list(shape)},
            )
            given = [self._input(start, path)]
        for layer in layers:
            given = self._call(layer, 0, path, places[layer.name], given, None, depth)
        return given

    def _ordered(self, model: Model, skipped: dict[str, int]) -> list[tuple[Layer, int]]:
        """The calls in an order in which what one reads comes before it; as the file has the layers where that does."""
        calls = [(layer, number) for layer in model.layers for number in range(max(1, len(layer.calls)))]
        index = {(layer.name, number): i for i, (layer, number) in enumerate(calls)}
        waiting, readers = [0] * len(calls), [[] for _ in calls]  # type: list[int], list[list[int]]
        for i, (layer, number) in enumerate(calls):
            for ref in {(r.layer, r.call) for r in (layer.calls[number] if layer.calls else [])}:
                source = index.get((ref[0], ref[1] - skipped.get(ref[0], 0)))
                if source is None:
                    raise ModelError(
                        f"{self.file}: layer '{clean(layer.name)}' reads what call {ref[1]} of '{clean(ref[0])}' makes, which there is not; save the"
                        " model again"
                    )
                waiting[i] += 1
                readers[source].append(i)
        ready = [i for i, count in enumerate(waiting) if not count]
        order: list[tuple[Layer, int]] = []
        while ready:
            i = heapq.heappop(ready)
            order.append(calls[i])
            for reader in readers[i]:
                waiting[reader] -= 1
                if not waiting[reader]:
                    heapq.heappush(ready, reader)
        if len(order) < len(calls):
            stuck = next(layer for i, (layer, _) in enumerate(calls) if waiting[i])
            raise ModelError(
                f"{self.file}: the graph has a cycle through '{clean(stuck.name)}'; only acyclic graphs can be split"
            )
        return order

    # ------------------------------------------------------------------ one call
    def _input(self, layer: Layer, path: str) -> _Value:
        config = layer.config
        told = config.get("batch_shape", config.get("batch_input_shape"))
        if isinstance(told, list) and len(told) == 1 and isinstance(told[0], list):
            told = told[0]
        shape = None
        if isinstance(told, list) and all(size is None or (type(size) is int and size >= 0) for size in told):
            self.binds_batch |= bool(told) and told[0] is None
            shape = self._bound(tuple(told))
        dtype = config.get("dtype")
        value = _Value(
            self._identity(layer.name, path), 0, shape, dtype if isinstance(dtype, str) else "float32"
        )
        self._add(Op(value.op, value.op, "InputLayer"), [value])
        return value

    def _identity(self, name: str, path: str, number: int = 0) -> str:
        identity = f"{path}/{escaped(name)}" if path else escaped(name)
        return identity if number == 0 else f"{identity}#{number + 1}"

    def _add(self, op: Op, values: list[_Value]) -> None:
        if op.id in self.ops:
            raise ModelError(
                f"{self.file}: two layers are called '{clean(op.id)}'; names must be unique, so save the model again"
            )
        self.ops[op.id] = op
        for value in values:
            self.values[value.op, value.output] = value

    def _output(self, outputs: list[_Value], ref: Ref) -> _Value:
        """The output of a call that a reference names; the file says of later ones what they are like."""
        first = outputs[0]
        if ref.output < len(outputs):
            value = outputs[ref.output]
        else:
            key = (first.op, first.output + ref.output)
            value = self.values.setdefault(key, _Value(*key, None, first.dtype))
        value.shape = _merged(value.shape, self._bound(ref.shape))
        value.dtype = ref.dtype or value.dtype
        return value

    def _call(
        self,
        layer: Layer,
        number: int,
        path: str,
        places: tuple[str, ...],
        read: list[_Value],
        told: Ref | None,
        depth: int,
    ) -> list[_Value]:
        identity = self._identity(layer.name, path, number)
        if layer.inner is not None:
            return self._run(layer.inner, identity, places[0], read, depth + 1)
        for value in read:
            self.readers.setdefault((value.op, value.output), {})[identity] = None
        kind, config = layer.kind, layer.config
        inputs = [value.shape for value in read]
        shape = _merged(output_shape(kind, config, inputs), None if told is None else self._bound(told.shape))
        stored, computed = types_of(config.get("dtype"))
        count = weights(kind, config, inputs)
        where = re.sub(r"#\d+", "", identity)
        attrs: dict[str, Any] = simple_attributes(
            {key: config[key] for key in _SHOWN if config.get(key) is not None}
        )
        params = param_bytes = 0.0
        if kind == "Lambda":
            self.lambdas += 1
        elif count is None:
            self.other[kind] += 1
        if count is None or count:
            owner = self.counted.setdefault(where, identity)
            self.sharing.setdefault(owner, []).append(identity)
            if owner != identity:
                attrs["shared"] = [f"weights (counted at {owner})"]
            elif count is None:
                self.unsized[identity] = places
            else:
                params, param_bytes = (
                    float(min(count, LARGEST)),
                    min(float(min(count, LARGEST)) * bytes_of(stored), LARGEST),
                )
        macs = count_macs(kind, config, inputs, shape)
        dtype = computed if told is None or not told.dtype else told.dtype
        value = _Value(identity, 0, shape, dtype)
        self._add(
            Op(
                identity,
                identity,
                clean(kind),
                params=params,
                param_bytes=param_bytes,
                macs=macs,
                attrs=attrs,
            ),
            [value],
        )
        return [value]

    def _bound(self, shape: Shape | None) -> Shape | None:
        """A shape with the batch in place of an open first size."""
        return (self.batch, *shape[1:]) if shape and shape[0] is None else shape

    def _weigh(self) -> None:
        """Ask the file for the weights that configurations do not tell."""
        if not self.unsized:
            return
        for identity, (count, size) in weight_sizes(self.path, self.unsized).items():
            op = self.ops[identity]
            self.ops[identity] = Op(
                op.id,
                op.name,
                op.kind,
                params=float(count),
                param_bytes=float(size),
                macs=op.macs,
                attrs=op.attrs,
            )

    # ------------------------------------------------------------------ tensors
    def _tensor(self, key: tuple[str, int], value: _Value) -> Tensor:
        consumers = tuple(self.readers.get(key, ()))
        if value.shape is None:
            self.unknown += 1
            return Tensor(value.op, consumers, 0.0, dtype=clean(value.dtype))
        self.guessed += None in value.shape
        total = min(elements(value.shape), 10**40) * bytes_of(value.dtype)
        if total > LARGEST:
            raise ModelError(
                f"{self.file}: the output of '{clean(value.op)}' would have {total:.0e} bytes; choose a smaller batch"
            )
        shape = tuple(-1 if size is None else size for size in value.shape)
        return Tensor(value.op, consumers, float(total), shape=shape, dtype=clean(value.dtype))

    # ------------------------------------------------------------------ warnings
    def _warnings(self) -> list[str]:
        found = []
        if self.lambdas:
            found.append(
                f"{_several(self.lambdas, 'Lambda layer holds', 'Lambda layers hold')} code, which is never run; no work is counted"
            )
        if self.other:
            kinds = ", ".join(f"{count} {clean(kind)[:60]}" for kind, count in sorted(self.other.items())[:8])
            found.append(
                f"layers of other classes are kept as they are; their work may be underestimated ({kinds})"
            )
        if self.unknown:
            found.append(
                f"{_several(self.unknown, 'tensor has', 'tensors have')} no known shape; 0 bytes are counted"
            )
        if self.guessed:
            found.append(
                f"{_several(self.guessed, 'tensor has', 'tensors have')} a size that is known only when the model runs; it counts as 1"
            )
        if self.batch != 1 and not self.binds_batch:
            found.append(f"the model fixes its batch size; a batch of {self.batch} was not applied")
        return found


def _calls(model: Model) -> int:
    """How many calls of layers a model stands for, with those of the models inside it."""
    return sum(
        max(1, len(layer.calls)) * (1 if layer.inner is None else _calls(layer.inner))
        for layer in model.layers
    )


def _skipped(model: Model) -> dict[str, int]:
    """How many calls of a layer the file counts but does not list: the one that a model inside was made with."""
    last: dict[str, int] = {}
    for ref in (*model.outputs, *(ref for layer in model.layers for call in layer.calls for ref in call)):
        last[ref.layer] = max(last.get(ref.layer, 0), ref.call)
    return {
        layer.name: 1
        for layer in model.layers
        if layer.inner is not None and layer.calls and last.get(layer.name, 0) == len(layer.calls)
    }


def _merged(shape: Shape | None, told: Shape | None) -> Shape | None:
    """What is known of a shape from two sides."""
    if shape is None or told is None or len(shape) != len(told):
        return told if shape is None else shape
    return tuple(b if a is None else a for a, b in zip(shape, told, strict=True))


def _several(count: int, one: str, many: str) -> str:
    return f"{count:,} {one if count == 1 else many}"
