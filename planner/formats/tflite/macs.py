"""Multiply-accumulates of TFLite operators, from the shapes of their inputs and outputs.

Convolutions: elements of the output times one filter (transposed ones: elements of the input). Fully connected layers and
batched matrix products: elements of the output times the length of the summed axis. Recurrent layers: every weight matrix
once per step and sample. Everything else counts as none: its time is that of its bytes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from planner.formats.checks import LARGEST

Shape = tuple[int, ...]

# Places of the weight matrices among the inputs of a recurrent layer, by the schema's order of inputs.
_MATRICES = {
    "UNIDIRECTIONAL_SEQUENCE_LSTM": (*range(1, 9), 16),
    "BIDIRECTIONAL_SEQUENCE_LSTM": (*range(1, 9), 16, *range(18, 26), 33),
    "UNIDIRECTIONAL_SEQUENCE_RNN": (1, 2),
    "BIDIRECTIONAL_SEQUENCE_RNN": (1, 2, 5, 6),
    "RNN": (1, 2),
}
WEIGHTED = frozenset(
    {
        "CONV_2D",
        "DEPTHWISE_CONV_2D",
        "TRANSPOSE_CONV",
        "CONV_3D",
        "CONV_3D_TRANSPOSE",
        "FULLY_CONNECTED",
        "LSTM",
        "SVDF",
    }
    | {"BATCH_MATMUL", *_MATRICES}
)
"""Operators that multiply by weights: integers among their constants are biases."""


def macs(
    kind: str, options: Mapping[str, Any], inputs: Sequence[Shape | None], outputs: Sequence[Shape]
) -> float:
    """Multiply-accumulates of one operator; None among the inputs is an optional one that is left out.

    0 where they are none or the shapes do not fit the operator. ``kind`` is the builtin name or the custom code.
    """
    try:
        return float(min(_macs(kind, options, inputs, outputs), LARGEST))
    except (IndexError, TypeError, KeyError, ZeroDivisionError):
        return 0.0  # an input or an axis that the count needs is missing


def _macs(kind: str, options: Mapping[str, Any], inputs: Sequence[Any], outputs: Sequence[Shape]) -> int:
    if kind == "CONV_2D":  # filter: out, high, wide, in
        return math.prod(outputs[0]) * math.prod(inputs[1][1:])
    if kind == "DEPTHWISE_CONV_2D":  # filter: 1, high, wide, out
        return math.prod(outputs[0]) * math.prod(inputs[1][1:3])
    if kind == "CONV_3D":  # filter: deep, high, wide, in, out
        return math.prod(outputs[0]) * math.prod(inputs[1][:4])
    if kind == "TRANSPOSE_CONV":  # inputs: shape, filter (out, high, wide, in), data
        return math.prod(inputs[2]) * math.prod(inputs[1][:3])
    if kind == "CONV_3D_TRANSPOSE":  # inputs: shape, filter (deep, high, wide, out, in), data
        return math.prod(inputs[2]) * math.prod(inputs[1][:4])
    if kind == "Convolution2DTransposeBias":  # MediaPipe's; inputs: data, filter (out, high, wide, in), bias
        return math.prod(inputs[0]) * math.prod(inputs[1][:3])
    if kind == "FULLY_CONNECTED":  # weights: out, in
        return math.prod(outputs[0]) * inputs[1][-1]
    if kind == "BATCH_MATMUL":
        return math.prod(outputs[0]) * inputs[0][-2 if options.get("adj_x") else -1]
    if kind == "SVDF":  # inputs: data, features (filters, in), times (filters, memory)
        return inputs[0][0] * (math.prod(inputs[1]) + math.prod(inputs[2]))
    if kind == "LSTM":  # one step; full: as the sequence; basic kernel: data, activation, weights
        matrices = (2,) if len(inputs) == 5 else _MATRICES["UNIDIRECTIONAL_SEQUENCE_LSTM"]
        return inputs[0][0] * _weights(inputs, matrices)
    if kind == "RNN":
        return inputs[0][0] * _weights(inputs, _MATRICES[kind])
    if kind in _MATRICES:  # data: steps and samples in either order, width
        return inputs[0][0] * inputs[0][1] * _weights(inputs, _MATRICES[kind])
    return 0


def _weights(inputs: Sequence[Any], places: Sequence[int]) -> int:
    """Elements of the weight matrices that are there."""
    return sum(math.prod(inputs[i]) for i in places if i < len(inputs) and inputs[i] is not None)
