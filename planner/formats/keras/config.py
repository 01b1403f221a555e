"""Configurations of Keras models: the layers, and which call of a layer reads what, in the words of Keras 2 and of Keras 3.

Keras 3 writes each tensor that a call reads as an object with the layer that it comes from and its shape; Keras 2 as a list
``["conv1", 0, 0, {...}]`` (layer, call, output). A model inside another is a layer with layers of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from planner.errors import ModelError
from planner.formats.checks import items, shown, table, text
from planner.formats.keras.shapes import Shape

DEEPEST = 30
_SEQUENTIAL = "Sequential"


class Ref(NamedTuple):
    """One output of one call of a layer, as another call reads it; its shape and type where the file tells."""

    layer: str
    call: int
    output: int
    shape: Shape | None = None
    dtype: str = ""


@dataclass
class Layer:
    """One layer: what it is, and what each of its calls reads."""

    name: str
    kind: str
    config: dict[str, Any]
    calls: list[list[Ref]] = field(default_factory=list)
    inner: Model | None = None
    built: Shape | None = None
    """The shape that it was built for, where the file tells."""


@dataclass
class Model:
    """A model: layers in the order of the file, what is given to it and what it gives back; the two are empty for a chain of layers."""

    name: str
    layers: list[Layer]
    chain: bool
    inputs: list[Ref]
    outputs: list[Ref]
    built: Shape | None = None


def model_of(value: Any, file: str, depth: int = 0) -> Model:
    """The model of a configuration. Raises :class:`ModelError`."""
    what = f"{file}: its configuration"
    if depth > DEEPEST:
        raise ModelError(f"{file}: models lie more than {DEEPEST} deep in one another; save a flatter model")
    outer = table(value, what)
    given = outer.get("config")
    kind = _kind(outer, what)
    if isinstance(given, list) and kind == _SEQUENTIAL:  # as Keras wrote it before 2.2.3
        given = {"layers": given}
    config = table(given, f"{what} of {kind}")
    if "layers" not in config:
        raise ModelError(
            f"{file} holds a model of the class {shown(kind)}, whose graph is code and in no file; save it as a functional or sequential"
            " model, or as ONNX"
        )
    entries = items(config["layers"], f"{what}: layers")
    layers = [_layer(entry, file, depth) for entry in entries]
    names = {layer.name for layer in layers}
    if len(names) < len(layers):
        twice = next(a.name for i, a in enumerate(layers) if a.name in {b.name for b in layers[:i]})
        raise ModelError(
            f"{file}: two layers are called '{twice}'; names must be unique, so save the model again"
        )
    chain = kind == _SEQUENTIAL or "output_layers" not in config
    if not chain:
        for layer, entry in zip(layers, entries, strict=True):
            for call in items(
                entry.get("inbound_nodes") or [], f"{file}: layer '{layer.name}': inbound_nodes"
            ):
                layer.calls.append(list(_refs(call, names)))
    built = shape_of(config.get("build_input_shape") or config.get("batch_input_shape"))
    return Model(
        str(config.get("name") or ""), layers, chain, list(_refs(config.get("input_layers"), names)),
        list(_refs(config.get("output_layers"), names)), built,
    )  # fmt: skip


def shape_of(value: Any) -> Shape | None:
    """A shape as a configuration has it; None for anything else."""
    if not isinstance(value, list) or len(value) > 64:
        return None
    if not all(size is None or (type(size) is int and 0 <= size < 2**63) for size in value):
        return None
    return tuple(value)


def _kind(entry: dict[str, Any], what: str) -> str:
    return text(entry.get("class_name"), f"{what}: class_name").rpartition(">")[2] or "layer"


def _layer(value: Any, file: str, depth: int) -> Layer:
    entry = table(value, f"{file}: a layer")
    kind = _kind(entry, f"{file}: a layer")
    given = entry.get("config")
    if isinstance(given, list) or (isinstance(given, dict) and "layers" in given):
        inner = model_of(entry, file, depth + 1)
        name = text(entry.get("name") or inner.name, f"{file}: a model in the model: its name")
        return Layer(name, kind, {}, inner=inner, built=_built(entry))
    config = table({} if given is None else given, f"{file}: the configuration of a {kind}")
    name = text(entry.get("name") or config.get("name"), f"{file}: a layer of the class {kind}: its name")
    if kind in ("TFOpLambda", "SlicingOpLambda", "TensorFlowOpLayer"):
        kind = _function(config) or kind
    return Layer(name, kind, config, built=_built(entry))


def _function(config: dict[str, Any]) -> str:
    """The kind of a function of TensorFlow: ``Add`` for ``__operators__.add`` and ``math.add``."""
    told = config.get("function")
    word = told.rpartition(".")[2] if isinstance(told, str) else ""
    return "".join(part[:1].upper() + part[1:] for part in word.split("_"))[:80]


def _built(entry: dict[str, Any]) -> Shape | None:
    built = entry.get("build_config")
    return shape_of(built.get("input_shape")) if isinstance(built, dict) else None


def _refs(value: Any, names: set[str]) -> Iterator[Ref]:
    """Every tensor in what a call is given, in order."""
    if isinstance(value, dict):
        if value.get("class_name") == "__keras_tensor__" and isinstance(config := value.get("config"), dict):
            history = config.get("keras_history")
            if ref := _ref(history, names):
                dtype = config.get("dtype")
                yield ref._replace(
                    shape=shape_of(config.get("shape")), dtype=dtype if isinstance(dtype, str) else ""
                )
            return
        for entry in value.values():
            yield from _refs(entry, names)
    elif isinstance(value, list):
        if ref := _ref(value, names):
            yield ref
            value = value[3:]
        for entry in value:
            if isinstance(entry, (list, dict)):
                yield from _refs(entry, names)


def _ref(value: Any, names: set[str]) -> Ref | None:
    if (
        not isinstance(value, list)
        or len(value) < 3
        or not isinstance(value[0], str)
        or value[0] not in names
    ):
        return None
    call, output = value[1], value[2]
    if type(call) is not int or type(output) is not int or not 0 <= call < 2**31 or not 0 <= output < 2**31:
        return None
    return Ref(value[0], call, output)
