"""Ids of ops that come from TFLite files: from an id an exporter finds the operator or input in the file again.

TFLite gives operators no names, so an id is made of the operator's place in the file: ``0:17:CONV_2D`` is operator 17 of
subgraph 0, ``input:0`` the first input of subgraph 0. Where several models are merged, ``model/`` may stand before an id.

An operator that follows from constants alone (``DEQUANTIZE`` of float16 weights, ``DENSIFY``) is not an op of the graph,
and so has no id: it belongs to the operators that read its outputs
(:attr:`planner.formats.tflite.records.Subgraph.constant_operators`).
"""

from __future__ import annotations

import re

_OPERATOR = re.compile(r"(?:.*/)?(\d{1,9}):(\d{1,9}):[^/:]+", re.DOTALL)
_INPUT = re.compile(r"(?:.*/)?input:(\d{1,9})", re.DOTALL)
_UNFIT = re.compile(r"[^0-9A-Za-z_.+-]+")


def operator_id(subgraph: int, operator: int, opcode: str) -> str:
    """Id of an operator by its place; ``opcode`` is its builtin name or custom code, shown in letters fit for an id."""
    return f"{subgraph}:{operator}:{_UNFIT.sub('_', opcode)[:80] or 'op'}"


def operator_of(op_id: str) -> tuple[int, int] | None:
    """``(subgraph, operator)`` of an id, or None where it names no operator of a TFLite file."""
    match = _OPERATOR.fullmatch(op_id)
    return (int(match[1]), int(match[2])) if match else None


def input_id(position: int) -> str:
    """Id of the op that stands for an input of subgraph 0, by the input's place in the list of inputs."""
    return f"input:{position}"


def input_of(op_id: str) -> int | None:
    """The input's place in the list of inputs, or None where the id names no input."""
    match = _INPUT.fullmatch(op_id)
    return int(match[1]) if match else None
