"""Options of TFLite operators: strides, padding, activation and the like, by name, and the subgraphs they run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from inspect import signature
from typing import Any

Charge = Callable[[int, int], int]

_LONGEST = 32
"""Longer lists are not shown, so they are not read."""
_ENUMS = {
    "fused_activation_function": "ActivationFunctionType",
    "padding": "Padding",
    "weights_format": "FullyConnectedOptionsWeightsFormat",
    "mode": "MirrorPadMode",
    "combiner": "CombinerType",
    "in_data_type": "TensorType",
    "out_data_type": "TensorType",
    "output_type": "TensorType",
    "out_type": "TensorType",
    "idx_out_type": "TensorType",
    "quantized_bias_type": "TensorType",
}
_RAW = ("CompositeAttributes", "CustomAttributes")  # bytes in a format of their own
# Pairs that are one thing in two numbers, shown as [height, width].
_PAIRS = {
    "strides": ("stride_h", "stride_w"),
    "dilations": ("dilation_h_factor", "dilation_w_factor"),
    "filter": ("filter_height", "filter_width"),
}
_BODIES = (
    "cond_subgraph_index",
    "body_subgraph_index",
    "then_subgraph_index",
    "else_subgraph_index",
    "init_subgraph_index",
    "subgraph",
    "decomposition_subgraph_index",
    "comparator_subgraph_index",
    "update_computation_subgraph_index",
)


def options_of(operator: Any, charge: Charge) -> dict[str, Any]:
    """An operator's options by the names of the TFLite schema, in snake case. False and absent ones are left out.

    ``operator`` is the parser's; ``charge(count, bytes each)`` pays for lists. Damaged options raise what the parser raises.
    """
    values: dict[str, Any] = {}
    for kind, table, union in (
        (operator.BuiltinOptionsType(), operator.BuiltinOptions(), "BuiltinOptions"),
        (operator.BuiltinOptions2Type(), operator.BuiltinOptions2(), "BuiltinOptions2"),
    ):
        name = names_of(union).get(kind, "NONE")
        if table is None or name == "NONE":
            continue
        scalars, lists = _accessors(name)
        options = _class(name)()
        options.Init(table.Bytes, table.Pos)
        for key, accessor in scalars:
            value = getattr(options, accessor)()
            if isinstance(value, bytes):
                charge(len(value), 1)
                value = value[:1000].decode("utf-8", "replace")
            if isinstance(value, (bool, int, float, str)) and value is not False and value != "":
                values[key] = value
        for key, accessor in lists:
            length = getattr(options, f"{accessor}Length")()
            if 0 < length <= _LONGEST:
                charge(length, 4)
                values[key] = getattr(options, f"{accessor}AsNumpy")().tolist()
    return _readable(values)


def bodies_of(options: Mapping[str, Any]) -> tuple[int, ...]:
    """Subgraphs that an operator with these options runs, in the schema's order, each once."""
    return tuple(dict.fromkeys(options[key] for key in _BODIES if key in options))


def _readable(values: dict[str, Any]) -> dict[str, Any]:
    for key, enum in _ENUMS.items():
        if isinstance(values.get(key), int):
            values[key] = names_of(enum).get(values[key], values[key])
    for key in ("fused_activation_function", "weights_format", "quantized_bias_type"):
        if values.get(key) in ("NONE", "DEFAULT", "FLOAT32"):
            del values[key]  # says nothing
    for name, (high, wide) in _PAIRS.items():
        if high in values and wide in values:
            values[name] = [values.pop(high), values.pop(wide)]
    if values.get("dilations") == [1, 1]:
        del values["dilations"]
    if "fused_activation_function" in values:
        values["activation"] = values.pop("fused_activation_function")
    return values


def _class(name: str) -> Any:
    from ai_edge_litert import schema_py_generated as schema

    return getattr(schema, name)


@cache
def names_of(enum: str) -> dict[int, str]:
    """The names of an enumeration of the schema by their numbers."""
    return {value: name for name, value in vars(_class(enum)).items() if isinstance(value, int)}


@cache
def _accessors(name: str) -> tuple[tuple[tuple[str, str], ...], tuple[tuple[str, str], ...]]:
    """Scalars and lists of numbers of an options table as ``(name, accessor)``; the parser offers no list of them."""
    methods = {key: value for key, value in vars(_class(name)).items() if callable(value) and key != "Init"}
    lists = tuple(key.removesuffix("AsNumpy") for key in methods if key.endswith("AsNumpy"))
    helpers = tuple(f"{key}{end}" for key in lists for end in ("", "AsNumpy", "Length", "IsNone"))
    lists = tuple(key for key in lists if key not in _RAW)
    scalars = tuple(
        key
        for key, method in methods.items()
        if key not in helpers and list(signature(method).parameters) == ["self"]
    )
    return tuple((_snake(key), key) for key in scalars), tuple((_snake(key), key) for key in lists)


def _snake(name: str) -> str:
    """``StrideW`` -> ``stride_w``, ``KeepNumDims`` -> ``keep_num_dims``."""
    return "".join(f"_{c.lower()}" if c.isupper() and i else c.lower() for i, c in enumerate(name))
