"""How many weights Keras layers have, as ``count_params()`` counts: kernels, biases, scales, and statistics that are not trained."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence

from planner.formats.keras.shapes import Config, Shape, numbers, split, whole

_RANK = re.compile(r"([123])D")
WEIGHTLESS = frozenset(
    {
        "InputLayer", "Activation", "ReLU", "LeakyReLU", "ELU", "Softmax", "ThresholdedReLU", "UnitNormalization", "Rescaling", "Flatten",
        "Reshape", "Permute", "RepeatVector", "Concatenate", "Dot", "Add", "Subtract", "Multiply", "Average", "Maximum", "Minimum", "Lambda",
        "Resizing", "CenterCrop", "RandomCrop", "Masking", "Identity", "ActivityRegularization", "StochasticDepth", "FixedDropout",
    }
)  # fmt: skip
_WEIGHTLESS_WORDS = ("Pooling", "ZeroPadding", "Cropping", "UpSampling", "Dropout", "GaussianNoise", "Random")


def weights(kind: str, config: Config, inputs: Sequence[Shape | None]) -> int | None:
    """The number of weights of a layer of a kind; None where its configuration and what it reads do not tell."""
    if kind in WEIGHTLESS or any(word in kind for word in _WEIGHTLESS_WORDS):
        return 0
    rule = _rule(kind)
    if rule is None:
        return None
    try:
        return rule(config, [() if shape is None else shape for shape in inputs])
    except (KeyError, IndexError, TypeError, ValueError, ZeroDivisionError):
        return None


def _rule(kind: str) -> Callable[[Config, list[Shape]], int] | None:
    rank = int(found[1]) if (found := _RANK.search(kind)) else 0
    if rank and kind.startswith("ConvLSTM"):
        return lambda config, inputs: _conv_lstm(config, inputs, rank)
    if rank and kind.startswith("Depthwise"):
        return lambda config, inputs: _depthwise(config, inputs, rank)
    if rank and kind.startswith("Separable"):
        return lambda config, inputs: _separable(config, inputs, rank)
    if rank and kind.startswith("Conv"):
        return lambda config, inputs: _convolution(config, inputs, rank)
    return _RULES.get(kind)


def known(size: int | None) -> int:
    """A size that must be known. Raises :class:`ValueError` where it is not."""
    if size is None:
        raise ValueError("not known")
    return size


def _biased(config: Config) -> bool:
    return bool(config.get("use_bias", True))


def channels(config: Config, shape: Shape) -> int:
    """The channels of what a layer reads."""
    return known(split(config, shape)[1])


def _convolution(config: Config, inputs: list[Shape], rank: int) -> int:
    filters = whole(config["filters"])
    read = channels(config, inputs[0]) // max(1, whole(config.get("groups", 1)))
    return math.prod(numbers(config["kernel_size"], rank)) * read * filters + filters * _biased(config)


def _depthwise(config: Config, inputs: list[Shape], rank: int) -> int:
    out = channels(config, inputs[0]) * whole(config.get("depth_multiplier", 1))
    return math.prod(numbers(config["kernel_size"], rank)) * out + out * _biased(config)


def _separable(config: Config, inputs: list[Shape], rank: int) -> int:
    middle = channels(config, inputs[0]) * whole(config.get("depth_multiplier", 1))
    filters = whole(config["filters"])
    return (
        math.prod(numbers(config["kernel_size"], rank)) * middle
        + middle * filters
        + filters * _biased(config)
    )


def _conv_lstm(config: Config, inputs: list[Shape], rank: int) -> int:
    filters = whole(config["filters"])
    read = channels(config, (inputs[0][0], *inputs[0][2:]))
    return 4 * (
        math.prod(numbers(config["kernel_size"], rank)) * (read + filters) * filters
        + filters * _biased(config)
    )


def _axes(config: Config, shape: Shape) -> int:
    """Elements along the axes that a normalisation has a scale for."""
    axis = config.get("axis", -1)
    axes = [axis] if isinstance(axis, int) else list(axis)
    return math.prod(known(shape[whole(one)]) for one in axes)


def _scales(config: Config, *names: str) -> int:
    return sum(bool(config.get(name, True)) for name in names)


def _recurrent(gates: int) -> Callable[[Config, list[Shape]], int]:
    def count(config: Config, inputs: list[Shape]) -> int:
        units = whole(config["units"])
        biases = 2 if gates == 3 and config.get("reset_after", False) else 1
        return gates * units * (known(inputs[0][-1]) + units + biases * _biased(config))

    return count


def _wrapped(config: Config, inputs: list[Shape]) -> int:
    layer = config["layer"]
    return known(weights(str(layer["class_name"]), layer["config"], inputs))


def _both_ways(config: Config, inputs: list[Shape]) -> int:
    back = config.get("backward_layer")
    return _wrapped(config, inputs) + (
        _wrapped({"layer": back}, inputs) if back else _wrapped(config, inputs)
    )


def _each_step(config: Config, inputs: list[Shape]) -> int:
    return _wrapped(config, [(inputs[0][0], *inputs[0][2:])])


def heads(config: Config, inputs: Sequence[Shape]) -> tuple[list[tuple[int, int]], int]:
    """The matrices of attention by many heads, as (elements, biases) of query, key, value and output; and the output's size.

    Inputs are query, value and, where there is one, key.
    """
    query, value = inputs[0], inputs[1] if len(inputs) > 1 else inputs[0]
    key = inputs[2] if len(inputs) > 2 else value
    if "num_query_heads" in config:
        count, shared = whole(config["num_query_heads"]), whole(config["num_key_value_heads"])
        wide = narrow = whole(config["head_dim"])
    else:
        count = shared = whole(config["num_heads"])
        wide = whole(config["key_dim"])
        narrow = wide if config.get("value_dim") is None else whole(config["value_dim"])
    told = config.get("output_shape")
    out = (
        known(query[-1])
        if told is None
        else math.prod(numbers(told, 1 if isinstance(told, int) else len(told)))
    )
    each = (
        (known(query[-1]), count * wide),
        (known(key[-1]), shared * wide),
        (known(value[-1]), shared * narrow),
        (count * narrow, out),
    )
    return [(read * given, given) for read, given in each], out


def _attention(config: Config, inputs: list[Shape]) -> int:
    matrices, _ = heads(config, inputs)
    return sum(elements + biases * _biased(config) for elements, biases in matrices)


def kernel_letters(config: Config, shape: Shape) -> tuple[dict[str, int | None], str]:
    """The sizes of an equation's letters (those of the output from what is asked for), and the letters of its kernel."""
    before, after = str(config["equation"]).split("->")
    read, kernel = (term.strip().replace("...", "") for term in before.split(","))
    sizes = dict(zip(read, shape[len(shape) - len(read) :], strict=True))
    told = config["output_shape"]
    wanted = [told] if isinstance(told, int) else list(told)
    for letter, size in zip(after.replace("...", "")[-len(wanted) :], wanted, strict=True):
        if size is not None:
            sizes[letter] = whole(size)
    return sizes, kernel


def _einsum_dense(config: Config, inputs: list[Shape]) -> int:
    sizes, kernel = kernel_letters(config, inputs[0])
    biases = config.get("bias_axes") or ""
    return math.prod(known(sizes[letter]) for letter in kernel) + (
        math.prod(known(sizes[c]) for c in biases) if biases else 0
    )


def _prelu(config: Config, inputs: list[Shape]) -> int:
    shared = {whole(axis) for axis in config.get("shared_axes") or ()}
    return math.prod(known(size) for axis, size in enumerate(inputs[0]) if axis and axis not in shared)


def _normalization(config: Config, inputs: list[Shape]) -> int:
    if config.get("mean") is not None:
        return 0
    axis = config.get("axis", -1)
    return 2 * (1 if axis is None else _axes(config, inputs[0])) + 1


_RULES: dict[str, Callable[[Config, list[Shape]], int]] = {
    "Dense": lambda config, inputs: whole(config["units"]) * (known(inputs[0][-1]) + _biased(config)),
    "EinsumDense": _einsum_dense,
    "Embedding": lambda config, inputs: whole(config["input_dim"]) * whole(config["output_dim"]),
    "BatchNormalization": lambda config, inputs: _axes(config, inputs[0]) * (2 + _scales(config, "scale", "center")),
    "SyncBatchNormalization": lambda config, inputs: _axes(config, inputs[0]) * (2 + _scales(config, "scale", "center")),
    "LayerNormalization": lambda config, inputs: _axes(config, inputs[0]) * _scales(config, "scale", "center"),
    "GroupNormalization": lambda config, inputs: _axes(config, inputs[0]) * _scales(config, "scale", "center"),
    "RMSNormalization": lambda config, inputs: _axes(config, inputs[0]),
    "Normalization": _normalization,
    "LayerScale": lambda config, inputs: whole(config["projection_dim"]),
    "PReLU": _prelu,
    "LSTM": _recurrent(4),
    "GRU": _recurrent(3),
    "SimpleRNN": _recurrent(1),
    "Bidirectional": _both_ways,
    "TimeDistributed": _each_step,
    "MultiHeadAttention": _attention,
    "GroupQueryAttention": _attention,
    "Attention": lambda config, inputs: int(bool(config.get("use_scale"))) + int(config.get("score_mode") == "concat"),
    "AdditiveAttention": lambda config, inputs: known(inputs[0][-1]) * bool(config.get("use_scale", True)),
}  # fmt: skip
