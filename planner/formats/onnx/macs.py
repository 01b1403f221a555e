"""Multiply-accumulates of ONNX ops, from the shapes of their inputs and outputs.

Convolutions: elements of the output times one filter (``ConvTranspose``: elements of the input). Matrix products: elements
of the output times the length of the summed axis. ``Einsum`` of two operands: the product of all its index ranges.
Recurrent layers: steps x batch x directions x gates x hidden x (input + hidden). Attention: both products, scores and
values. Everything else counts as none: its time is that of its bytes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from planner.formats.einsum import einsum_macs
from planner.formats.onnx.folding import Value

_FILTER = {"Conv": 1, "FusedConv": 1, "ConvInteger": 1, "QLinearConv": 3, "DeformConv": 1, "NhwcConv": 1}
_PRODUCT = {
    "MatMul",
    "FusedMatMul",
    "MatMulInteger",
    "MatMulIntegerToFloat",
    "DynamicQuantizeMatMul",
    "QLinearMatMul",
}
_GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}


def macs(
    op: str, attributes: Mapping[str, Any], inputs: Sequence[Value | None], outputs: Sequence[Value]
) -> float:
    """Multiply-accumulates of one op; 0 where they are none or the shapes that tell are not known."""
    try:
        return float(_macs(op, attributes, inputs, outputs))
    except (IndexError, TypeError, ValueError, KeyError, AttributeError, OverflowError):
        return 0.0  # an input or a size that the count needs is missing


def _dims(value: Value | None) -> list[int]:
    if value is None or value.shape is None:
        raise ValueError("shape not known")
    return [1 if d is None else d for d in value.shape]


def _macs(
    op: str, attributes: Mapping[str, Any], inputs: Sequence[Value | None], outputs: Sequence[Value]
) -> float:
    if op in _FILTER:
        return math.prod(_dims(outputs[0])) * math.prod(_dims(inputs[_FILTER[op]])[1:])
    if op == "ConvTranspose":
        return math.prod(_dims(inputs[0])) * math.prod(_dims(inputs[1])[1:])
    if op in _PRODUCT:
        left = _dims(inputs[0])
        summed = left[-2] if attributes.get("transA") and len(left) > 1 else left[-1]
        return math.prod(_dims(outputs[0])) * summed
    if op in ("Gemm", "FusedGemm"):
        left = _dims(inputs[0])
        return math.prod(_dims(outputs[0])) * left[0 if attributes.get("transA") else 1]
    if op == "MatMulNBits":
        return math.prod(_dims(outputs[0])) * attributes["K"]
    if op in _GATES:
        return _recurrent(_GATES[op], inputs)
    if op == "Einsum":
        return einsum_macs(attributes["equation"], [_dims(value) for value in inputs])
    if op in ("Attention", "MultiHeadAttention"):
        return _attention(attributes, inputs)
    return 0.0


def _recurrent(gates: int, inputs: Sequence[Value | None]) -> float:
    """X is [steps, batch, input] (or batch first: the product is the same), R is [directions, gates * hidden, hidden]."""
    steps, batch, width = _dims(inputs[0])
    directions, _, hidden = _dims(inputs[2])
    return steps * batch * directions * gates * hidden * (width + hidden)


def _attention(attributes: Mapping[str, Any], inputs: Sequence[Value | None]) -> float:
    """Scores (queries by keys) and values: batch x heads x queries x keys x (key width + value width)."""
    query, key, value = (_dims(v) for v in inputs[:3])
    if len(query) == 4:  # [batch, heads, length, width]
        return query[0] * query[1] * query[2] * key[2] * (query[3] + value[3])
    # [batch, length, heads * width]: the heads' widths add up to the whole
    heads, key_heads = attributes.get("q_num_heads", 1), attributes.get("kv_num_heads", 1)
    return query[0] * query[1] * key[1] * (query[2] + value[2] * heads / key_heads)
