"""Groups of kinds of ops that computers run alike: for calibrated rates (:mod:`planner.model.cost_model`).

Exporters name kinds in their own ways (`Conv`, `CONV_2D`, `Conv2D`); a group is told by the words in a name.
"""

from __future__ import annotations

import functools
import re

NO_WORK = frozenset({"Input", "InputLayer", "Placeholder", "Parameter", "Constant", "Const", "Output"})
"""Kinds that take no time."""
RELABELLING = frozenset(
    {"Reshape", "Flatten", "Squeeze", "Unsqueeze", "Identity", "Dropout", "ExpandDims", "Shape", "Size"}
    | {"SpatialDropout2D", "ActivityRegularization", "StopGradient", "Optional", "OptionalGetElement"}
    | {"View", "Unflatten", "Detach", "Alias"}
)
"""Kinds that move no data."""
LOOKUP = frozenset({"Gather", "GatherND", "GatherElements", "Embedding", "EmbeddingLookup"})
"""Kinds that read only the rows they return."""

CONVOLUTION, MATRIX, NORMALISATION, POOLING = "convolution", "matrix product", "normalisation", "pooling"
ACTIVATION, ARITHMETIC, MOVEMENT, RELABEL, OTHER = (
    "activation",
    "arithmetic",
    "movement",
    "relabelling",
    "other",
)
GROUPS: tuple[str, ...] = (
    CONVOLUTION, MATRIX, NORMALISATION, POOLING, ACTIVATION, ARITHMETIC, MOVEMENT, RELABEL, OTHER,
)  # fmt: skip
"""Every group, in the order in which they are told."""
NOTHING = ""
"""The group of kinds that take no time."""

_WORDS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (CONVOLUTION, ("conv",)),
    (MATRIX, ("matmul", "gemm", "dense", "linear", "fullyconnected", "einsum", "lstm", "gru", "rnn", "attention")),
    (NORMALISATION, ("softmax", "norm", "lrn")),
    (POOLING, ("pool", "reduce", "mean", "argmax", "argmin", "topk", "cumsum")),
    (ACTIVATION, ("relu", "sigmoid", "tanh", "erf", "elu", "exp", "log", "pow", "sqrt", "swish", "silu", "softplus", "mish", "sin", "cos", "activation")),
    (MOVEMENT, ("transpose", "permute", "concat", "split", "slice", "gather", "embedding", "pad", "resize", "upsampl", "depthtospace", "spacetodepth",
                "tile", "scatter", "pack", "reverse", "copy")),
    (ARITHMETIC, ("add", "sub", "mul", "div", "min", "max", "neg", "abs", "cast", "quantize", "where", "select", "equal", "greater", "less", "not",
                  "and", "or", "clip", "round", "floor", "ceil", "reciprocal", "square", "sum")),
)  # fmt: skip
"""The first group of which a word is in a kind's name has it: "ReduceSum" is pooling, "LogSoftmax" a normalisation."""
_EXACTLY = {
    "Mm": MATRIX,
    "Bmm": MATRIX,
    "Addmm": MATRIX,
    "Baddbmm": MATRIX,
    "Mv": MATRIX,
    "ScaledMm": MATRIX,
    "Cat": MOVEMENT,
    "Stack": MOVEMENT,
}
"""Kinds of PyTorch whose names are too short to look for in others."""
_OTHERWISE = {"expand": MOVEMENT, "convert": ARITHMETIC, "logical": ARITHMETIC}
"""Words that hold a word of a group which they do not belong to."""


@functools.lru_cache(maxsize=4096)
def group_of(kind: str) -> str:
    """The group of a kind of op (one of :data:`GROUPS`), :data:`NOTHING` where it takes no time."""
    if kind in NO_WORK:
        return NOTHING
    if kind in RELABELLING:
        return RELABEL
    if kind in _EXACTLY:
        return _EXACTLY[kind]
    name = re.sub("[^a-z]", "", kind.lower())
    for word, group in _OTHERWISE.items():
        if word in name:
            return group
    return next((group for group, words in _WORDS if any(word in name for word in words)), OTHER)
