"""Multiply-accumulates of ATen operators, from the shapes of their arguments and results.

Convolutions: elements of the output times one filter (transposed ones: elements of the input). Matrix products: elements of the
output times the length of the summed axis. Attention: both products, scores and values. Recurrent layers: every weight matrix once per
step and sample. ``einsum`` of two operands: the product of all its index ranges. Everything else counts as none.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from planner.formats.checks import LARGEST
from planner.formats.einsum import einsum_macs

Shape = tuple[int, ...]
_CONVOLUTIONS = ("conv1d", "conv2d", "conv3d", "convolution", "_convolution", "mkldnn_convolution")
_FIRST = {
    "mm": "self", "bmm": "self", "matmul": "self", "mv": "self", "dot": "self", "linear": "input", "addmm": "mat1", "baddbmm": "batch1",
    "addmv": "mat", "_int_mm": "self", "_scaled_mm": "self",
}  # fmt: skip
"""The first factor of a product; its last axis is summed."""
_RECURRENT = ("lstm", "gru", "rnn_tanh", "rnn_relu")


def macs(
    op: str, shapes: Mapping[str, Sequence[Shape]], outputs: Sequence[Shape], equation: str, transposed: bool
) -> float:
    """Multiply-accumulates of an operator (``conv2d``); ``shapes`` has those of the tensors of each argument by its name.

    0 where they are none or an argument that the count needs is missing.
    """
    try:
        return float(min(_macs(op, shapes, outputs, equation, transposed), LARGEST))
    except (IndexError, KeyError, ValueError):
        return 0.0


def _macs(
    op: str, shapes: Mapping[str, Sequence[Shape]], outputs: Sequence[Shape], equation: str, transposed: bool
) -> float:
    if op.startswith("conv_transpose") or (op in _CONVOLUTIONS and transposed):
        return math.prod(shapes["input"][0]) * math.prod(shapes["weight"][0][1:])
    if op in _CONVOLUTIONS:
        return math.prod(outputs[0]) * math.prod(shapes["weight"][0][1:])
    if op in _FIRST:
        return math.prod(outputs[0]) * shapes[_FIRST[op]][0][-1]
    if "scaled_dot_product" in op or op == "_flash_attention_forward":
        query, key, value = (shapes[name][0] for name in ("query", "key", "value"))
        return math.prod(query[:-1]) * key[-2] * (query[-1] + value[-1])
    if op in _RECURRENT:
        matrices = sum(math.prod(shape) for shape in shapes["params"] if len(shape) == 2)
        return math.prod(shapes["input"][0][:-1]) * matrices
    if op == "einsum":
        return einsum_macs(equation, shapes["tensors"])
    return 0.0
