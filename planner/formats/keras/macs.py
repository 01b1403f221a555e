"""Multiply-accumulates of Keras layers, from their configuration and the shapes of what they read and put out.

Convolutions: elements of the output times one filter (transposed ones: elements of the input times what one is spread over). Dense layers:
elements of the output times the length of the summed axis. Recurrent layers: every weight matrix once per step and sample.
Attention: its four matrices, scores and values. Biases, normalisations and the rest count as none: their time is that of their bytes.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

from planner.formats.checks import LARGEST
from planner.formats.keras.params import channels, heads, kernel_letters, known
from planner.formats.keras.shapes import Config, Shape, numbers, output_shape, split, whole

_RANK = re.compile(r"([123])D")
_GATES: Mapping[str, int] = {"LSTM": 4, "GRU": 3, "SimpleRNN": 1}


def macs(kind: str, config: Config, inputs: Sequence[Shape | None], output: Shape | None) -> float:
    """Multiply-accumulates of one call of a layer; 0 where they are none or what tells them is not known."""
    if output is None or not inputs or inputs[0] is None:
        return 0.0
    try:
        return float(min(_macs(kind, config, [() if s is None else s for s in inputs], output), LARGEST))
    except (KeyError, IndexError, TypeError, ValueError, ZeroDivisionError):
        return 0.0


def elements(shape: Shape) -> int:
    """The numbers of a tensor; a size that is not known counts as one."""
    return math.prod(1 if size is None else size for size in shape)


def _macs(kind: str, config: Config, inputs: list[Shape], output: Shape) -> int:
    rank = int(found[1]) if (found := _RANK.search(kind)) else 0
    if rank and "Conv" in kind:
        return _convolution(kind, config, inputs[0], output, rank)
    if kind == "Dense":
        return elements(output) * known(inputs[0][-1])
    if kind == "EinsumDense":
        sizes, kernel = kernel_letters(config, inputs[0])
        return elements(inputs[0]) * math.prod(
            known(sizes[c]) for c in kernel if c not in str(config["equation"]).split(",")[0]
        )
    if kind in _GATES:
        units = whole(config["units"])
        return elements(inputs[0][:2]) * _GATES[kind] * units * (known(inputs[0][-1]) + units)
    if kind in ("Bidirectional", "TimeDistributed"):
        return _wrapped(kind, config, inputs[0])
    if kind in ("MultiHeadAttention", "GroupQueryAttention"):
        return _heads(config, inputs)
    if kind in ("Attention", "AdditiveAttention"):
        query, value = inputs[0], inputs[1]
        return elements(query[:-1]) * (value[1] or 1) * (known(query[-1]) + known(value[-1]))
    if kind == "Dot":
        return elements(output) * known(inputs[0][numbers(config["axes"], 2)[0]])
    return 0


def _convolution(kind: str, config: Config, read: Shape, output: Shape, rank: int) -> int:
    window = math.prod(numbers(config["kernel_size"], rank))
    if kind.startswith("ConvLSTM"):
        steps, one = read[1] or 1, (read[0], *read[2:])
        inner = output if not config.get("return_sequences") else (output[0], *output[2:])
        filters = whole(config["filters"])
        return steps * 4 * elements(inner) * window * (channels(config, one) + filters)
    if kind.startswith("Depthwise"):
        return elements(output) * window
    if "Transpose" in kind:
        return elements(read) * window * whole(config["filters"])
    pixels = elements((output[0], *split(config, output)[0]))
    if kind.startswith("Separable"):
        middle = channels(config, read) * whole(config.get("depth_multiplier", 1))
        return pixels * middle * (window + whole(config["filters"]))
    return elements(output) * window * (channels(config, read) // max(1, whole(config.get("groups", 1))))


def _wrapped(kind: str, config: Config, read: Shape) -> int:
    layer = config["layer"]
    inner, settings = str(layer["class_name"]), layer["config"]
    if kind == "Bidirectional":
        one = output_shape(inner, settings, [read])
        return 2 * _macs(inner, settings, [read], () if one is None else one)
    step = (read[0], *read[2:])
    one = output_shape(inner, settings, [step])
    return (read[1] or 1) * int(macs(inner, settings, [step], one))


def _heads(config: Config, inputs: list[Shape]) -> int:
    query, value = inputs[0], inputs[1] if len(inputs) > 1 else inputs[0]
    key = inputs[2] if len(inputs) > 2 else value
    matrices, _ = heads(config, inputs)
    each = [
        elements(shape[:-1]) * count
        for shape, (count, _) in zip((query, key, value, query), matrices, strict=True)
    ]
    wide = matrices[0][1]
    mixed = matrices[3][0] // max(1, matrices[3][1])  # what goes into the last matrix: all heads' values
    return sum(each) + elements(query[:-1]) * (elements(key[1:-1])) * (wide + mixed)
