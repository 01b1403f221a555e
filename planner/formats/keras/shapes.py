"""Shapes of what Keras layers put out, from their configuration and the shapes of what they read.

Sizes are whole numbers, or None where a file leaves them open. Layers whose configuration does not tell keep None as their shape; what reads
them may know (:mod:`planner.formats.keras.config`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

Shape = tuple[int | None, ...]
Config = Mapping[str, Any]
_RANK = re.compile(r"([123])D")
ELEMENTWISE = frozenset(
    {"Add", "Subtract", "Multiply", "Average", "Maximum", "Minimum", "Divide", "TrueDivide", "Power"}
)
"""Layers that join tensors of one shape, the smaller ones spread over the larger."""
_SAME = frozenset(
    {
        "Activation", "ReLU", "LeakyReLU", "PReLU", "ELU", "Softmax", "ThresholdedReLU", "Dropout", "SpatialDropout1D", "SpatialDropout2D",
        "SpatialDropout3D", "GaussianDropout", "GaussianNoise", "AlphaDropout", "BatchNormalization", "SyncBatchNormalization",
        "LayerNormalization", "RMSNormalization", "GroupNormalization", "UnitNormalization", "SpectralNormalization", "Normalization", "Rescaling",
        "ActivityRegularization", "Masking", "Identity", "LayerScale", "StochasticDepth", "RandomFlip", "RandomRotation", "RandomZoom",
        "RandomTranslation", "RandomContrast", "RandomBrightness", "FixedDropout",
    }
)  # fmt: skip
"""Layers that put out the shape that they read."""


def output_shape(kind: str, config: Config, inputs: Sequence[Shape | None]) -> Shape | None:
    """The shape that a layer of a kind puts out; None where it is not known."""
    rule = _rule(kind)
    if rule is None or not inputs or any(shape is None for shape in inputs):
        return None
    known = [shape for shape in inputs if shape is not None]
    try:
        found = rule(config, known)
    except (KeyError, IndexError, TypeError, ValueError, ZeroDivisionError, OverflowError):
        return None
    return None if found is None or any(size is not None and size < 0 for size in found) else found


def _rule(kind: str) -> Callable[[Config, list[Shape]], Shape | None] | None:
    if kind in _SAME:
        return lambda config, inputs: inputs[0]
    if kind in ELEMENTWISE:
        return lambda config, inputs: spread(inputs)
    rank = int(found[1]) if (found := _RANK.search(kind)) else 0
    if rank and kind.startswith("ConvLSTM"):
        return lambda config, inputs: _conv_lstm(config, inputs[0], rank)
    if rank and "Conv" in kind:
        transposed, separable = "Transpose" in kind, kind.startswith("Depthwise")
        return lambda config, inputs: _convolution(config, inputs[0], rank, transposed, separable)
    if rank and kind.startswith("Global"):
        return lambda config, inputs: _global_pool(config, inputs[0])
    if rank:
        for word, made in (
            ("Pooling", _pool),
            ("ZeroPadding", _padded),
            ("Cropping", _cropped),
            ("UpSampling", _upsampled),
        ):
            if word in kind:
                return lambda config, inputs, made=made: made(config, inputs[0], rank)  # type: ignore[misc]
    return _RULES.get(kind)


# ---------------------------------------------------------------------- reading configurations
def numbers(value: Any, count: int) -> list[int]:
    """A setting that is a number or one for each axis."""
    given = list(value) if isinstance(value, (list, tuple)) else [value] * count
    if len(given) != count or not all(type(v) is int for v in given):
        raise ValueError("no numbers")
    return given


def whole(value: Any) -> int:
    """A setting that is a number. Raises :class:`ValueError` for anything else."""
    if type(value) is not int or not -(2**31) < value < 2**31:
        raise ValueError("no number")
    return value


def channels_first(config: Config) -> bool:
    """Whether a layer has its channels before the axes of space."""
    return config.get("data_format") == "channels_first"


def split(config: Config, shape: Shape) -> tuple[list[int | None], int | None]:
    """The sizes in space and the channels of what a layer reads."""
    inner = list(shape[1:])
    return (inner[1:], inner[0]) if channels_first(config) else (inner[:-1], inner[-1])


def joined(config: Config, shape: Shape, space: Sequence[int | None], channels: int | None) -> Shape:
    """The shape of so many channels at such sizes in space."""
    return (shape[0], channels, *space) if channels_first(config) else (shape[0], *space, channels)


def spread(shapes: Sequence[Shape]) -> Shape | None:
    """The shape of tensors spread over one another."""
    rank = max(len(shape) for shape in shapes)
    sizes: list[int | None] = [1] * rank
    for shape in shapes:
        for axis, size in enumerate(shape, rank - len(shape)):
            if size is None:
                sizes[axis] = None if sizes[axis] in (1, None) else sizes[axis]
            elif sizes[axis] in (1, None):
                sizes[axis] = size if size != 1 or sizes[axis] == 1 else None
            elif size not in (1, sizes[axis]):
                return None
    return tuple(sizes)


# ---------------------------------------------------------------------- rules
def _convolution(config: Config, shape: Shape, rank: int, transposed: bool, depthwise: bool) -> Shape:
    space, channels = split(config, shape)
    kernel, strides = numbers(config["kernel_size"], rank), numbers(config.get("strides", 1), rank)
    dilation = numbers(config.get("dilation_rate", 1), rank)
    padding = config.get("padding", "valid")
    if transposed:
        extra = config.get("output_padding")
        extras = [None] * rank if extra is None else numbers(extra, rank)
        out = [
            _widened(s, k, t, d, padding, e)
            for s, k, t, d, e in zip(space, kernel, strides, dilation, extras, strict=True)
        ]
    else:
        out = [
            _windows(s, (k - 1) * d + 1, t, padding)
            for s, k, t, d in zip(space, kernel, strides, dilation, strict=True)
        ]
    if depthwise:
        return joined(
            config,
            shape,
            out,
            None if channels is None else channels * whole(config.get("depth_multiplier", 1)),
        )
    return joined(config, shape, out, whole(config["filters"]))


def _windows(size: int | None, window: int, stride: int, padding: str) -> int | None:
    if size is None:
        return None
    if padding in ("same", "causal"):
        return -(-size // stride)
    return (size - window) // stride + 1


def _widened(
    size: int | None, kernel: int, stride: int, dilation: int, padding: str, extra: int | None
) -> int | None:
    if size is None:
        return None
    window = (kernel - 1) * dilation + 1
    if extra is None:
        return size * stride if padding == "same" else size * stride + max(window - stride, 0)
    return (size - 1) * stride + window - (2 * (window // 2) if padding == "same" else 0) + extra


def _conv_lstm(config: Config, shape: Shape, rank: int) -> Shape:
    inner = _convolution(config, (shape[0], *shape[2:]), rank, False, False)
    return (shape[0], shape[1], *inner[1:]) if config.get("return_sequences") else inner


def _pool(config: Config, shape: Shape, rank: int) -> Shape:
    space, channels = split(config, shape)
    window = numbers(config.get("pool_size", 2), rank)
    given = config.get("strides")
    strides = window if given is None else numbers(given, rank)
    padding = config.get("padding", "valid")
    out = [_windows(s, w, t, padding) for s, w, t in zip(space, window, strides, strict=True)]
    return joined(config, shape, out, channels)


def _global_pool(config: Config, shape: Shape) -> Shape:
    space, channels = split(config, shape)
    return (
        joined(config, shape, [1] * len(space), channels) if config.get("keepdims") else (shape[0], channels)
    )


def _sides(value: Any, rank: int) -> list[int]:
    """How much two sides add to each axis: ``2``, ``[2, 3]`` or ``[[2, 2], [3, 3]]``; of one axis ``[2, 3]`` are its sides."""
    if rank == 1 and isinstance(value, (list, tuple)):
        return [sum(numbers(value, 2)) if len(value) == 2 else 2 * numbers(value, 1)[0]]
    given = list(value) if isinstance(value, (list, tuple)) else [value] * rank
    if len(given) != rank:
        raise ValueError("no sides")
    return [sum(numbers(one, 2)) for one in given]


def _padded(config: Config, shape: Shape, rank: int) -> Shape:
    space, channels = split(config, shape)
    added = _sides(config.get("padding", 1), rank)
    return joined(
        config, shape, [None if s is None else s + a for s, a in zip(space, added, strict=True)], channels
    )


def _cropped(config: Config, shape: Shape, rank: int) -> Shape:
    space, channels = split(config, shape)
    cut = _sides(config.get("cropping", 0), rank)
    return joined(
        config, shape, [None if s is None else s - c for s, c in zip(space, cut, strict=True)], channels
    )


def _upsampled(config: Config, shape: Shape, rank: int) -> Shape:
    space, channels = split(config, shape)
    times = numbers(config.get("size", 2), rank)
    return joined(
        config, shape, [None if s is None else s * t for s, t in zip(space, times, strict=True)], channels
    )


def _recurrent(config: Config, inputs: list[Shape]) -> Shape:
    shape, units = inputs[0], whole(config["units"])
    return (shape[0], shape[1], units) if config.get("return_sequences") else (shape[0], units)


def _wrapped(config: Config) -> tuple[str, Config]:
    layer = config["layer"]
    return str(layer["class_name"]), layer["config"]


def _both_ways(config: Config, inputs: list[Shape]) -> Shape | None:
    one = output_shape(*_wrapped(config), inputs[:1])
    if one is None:
        return None
    return (
        (*one[:-1], None if one[-1] is None else 2 * one[-1]) if config.get("merge_mode") == "concat" else one
    )


def _each_step(config: Config, inputs: list[Shape]) -> Shape | None:
    shape = inputs[0]
    one = output_shape(*_wrapped(config), [(shape[0], *shape[2:])])
    return None if one is None else (one[0], shape[1], *one[1:])


def _flattened(config: Config, inputs: list[Shape]) -> Shape:
    inner = inputs[0][1:]
    return (inputs[0][0], None if None in inner else math.prod(size for size in inner if size is not None))


def _reshaped(config: Config, inputs: list[Shape]) -> Shape:
    target = [None if size is None else whole(size) for size in config["target_shape"]]
    inner = inputs[0][1:]
    if -1 in target:
        rest = math.prod(size for size in target if size is not None and size != -1)
        whole_size = None if None in inner else math.prod(size for size in inner if size is not None)
        target[target.index(-1)] = None if whole_size is None else whole_size // rest
    return (inputs[0][0], *target)


def _joined_along(config: Config, inputs: list[Shape]) -> Shape:
    axis = whole(config.get("axis", -1))
    sizes = [shape[axis] for shape in inputs]
    total = None if None in sizes else sum(size for size in sizes if size is not None)
    made = list(inputs[0])
    made[axis] = total
    return tuple(made)


def _dot(config: Config, inputs: list[Shape]) -> Shape:
    axes = config["axes"]
    first, second = numbers(axes, 2)
    left, right = list(inputs[0]), list(inputs[1])
    left.pop(first)
    right.pop(second)
    out = (*left, *right[1:])
    return out if len(out) > 1 else (*out, 1)


def _attended(config: Config, inputs: list[Shape]) -> Shape:
    """Of many heads: what the query is like, unless another size is asked for."""
    wanted = config.get("output_shape")
    if wanted is None:
        return inputs[0]
    return (*inputs[0][:-1], *([whole(wanted)] if isinstance(wanted, int) else map(whole, wanted)))


def _declared(config: Config, inputs: list[Shape]) -> Shape | None:
    """What a layer of code says that it puts out."""
    told = config.get("output_shape")
    if not isinstance(told, (list, tuple)) or not all(size is None or type(size) is int for size in told):
        return None
    return (inputs[0][0], *told)


def _einsum_dense(config: Config, inputs: list[Shape]) -> Shape:
    told = config["output_shape"]
    wanted = [told] if isinstance(told, int) else list(told)
    before, after = str(config["equation"]).split("->")
    read = before.split(",")[0].replace("...", "")
    sizes = dict(zip(read, inputs[0][len(inputs[0]) - len(read) :], strict=True))
    letters = after.replace("...", "")
    tail = [
        sizes.get(letter) if size is None else whole(size)
        for letter, size in zip(letters[-len(wanted) :], wanted, strict=True)
    ]
    return (
        *inputs[0][: len(inputs[0]) - len(read)],
        *(sizes.get(letter) for letter in letters[: -len(wanted)]),
        *tail,
    )


_RULES: dict[str, Callable[[Config, list[Shape]], Shape | None]] = {
    "Dense": lambda config, inputs: (*inputs[0][:-1], whole(config["units"])),
    "EinsumDense": _einsum_dense,
    "Embedding": lambda config, inputs: (*inputs[0], whole(config["output_dim"])),
    "LSTM": _recurrent,
    "GRU": _recurrent,
    "SimpleRNN": _recurrent,
    "CuDNNLSTM": _recurrent,
    "CuDNNGRU": _recurrent,
    "Bidirectional": _both_ways,
    "TimeDistributed": _each_step,
    "Flatten": _flattened,
    "Reshape": _reshaped,
    "Permute": lambda config, inputs: (inputs[0][0], *(inputs[0][whole(axis)] for axis in config["dims"])),
    "RepeatVector": lambda config, inputs: (inputs[0][0], whole(config["n"]), *inputs[0][1:]),
    "Concatenate": _joined_along,
    "Dot": _dot,
    "MultiHeadAttention": _attended,
    "GroupQueryAttention": _attended,
    "Attention": lambda config, inputs: (*inputs[0][:-1], inputs[1][-1]),
    "AdditiveAttention": lambda config, inputs: (*inputs[0][:-1], inputs[1][-1]),
    "Resizing": lambda config, inputs: joined(config, inputs[0], [whole(config["height"]), whole(config["width"])], split(config, inputs[0])[1]),
    "CenterCrop": lambda config, inputs: joined(config, inputs[0], [whole(config["height"]), whole(config["width"])], split(config, inputs[0])[1]),
    "RandomCrop": lambda config, inputs: joined(config, inputs[0], [whole(config["height"]), whole(config["width"])], split(config, inputs[0])[1]),
    "Lambda": _declared,
}  # fmt: skip
