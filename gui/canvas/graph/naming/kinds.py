"""Kinds of ops in words: whether a name says its op's kind already, and the short forms that people know."""

from __future__ import annotations

import re
from functools import lru_cache

SHORT = {
    "layernormalization": ("LayerNorm", "LN"),
    "batchnormalization": ("BatchNorm", "BN"),
    "groupnormalization": ("GroupNorm", "GN"),
    "instancenormalization": ("InstNorm",),
    "convolution": ("Conv",),
    "conv2d": ("Conv",),
    "convtranspose": ("ConvT",),
    "conv2dtranspose": ("ConvT",),
    "transposeconv": ("ConvT",),
    "depthwiseconv2d": ("DWConv", "DW"),
    "separableconv2d": ("SepConv", "Sep"),
    "maxpooling2d": ("MaxPool",),
    "maxpool2d": ("MaxPool",),
    "averagepooling2d": ("AvgPool",),
    "averagepool2d": ("AvgPool",),
    "globalaveragepooling2d": ("AvgPool", "GAP"),
    "globalaveragepool": ("AvgPool", "GAP"),
    "zeropadding2d": ("ZeroPad", "Pad"),
    "fullyconnected": ("FC",),
    "dense": ("FC",),
    "concatenation": ("Concat",),
    "concatenate": ("Concat",),
    "reducemean": ("Mean",),
    "matmul": ("MM",),
    "batchmatmul": ("BMM",),
    "identity": ("Id",),
    "multiply": ("Mul",),
    "activation": ("Act",),
    "quantizelinear": ("Quant",),
    "dequantizelinear": ("Dequant",),
    "resizenearestneighbor": ("Resize",),
    "resizebilinear": ("Resize",),
    "stridedslice": ("Slice",),
    "constantofshape": ("Fill",),
    "scatternd": ("Scatter",),
    "inputlayer": ("Input", "In"),
    "input": ("In",),
}
"""Short forms by the kind in small letters without signs, the longest first: words and letters that frameworks and papers use themselves.
What has none is written whole, in smaller letters or cut."""
ACTIVATIONS = ("act", "relu", "relu6", "gelu", "elu", "selu", "silu", "swish", "sigmoid", "tanh", "softmax")
"""What a framework calls an activation: its name says more than its kind."""
INPUTS = ("input", "inputlayer", "placeholder", "constant", "const", "parameter")
"""Kinds of ops that are known by what they are called, not by what they do."""
LEAST_WORD = 2


@lru_cache(maxsize=4096)
def plain(text: str) -> str:
    """Small letters and digits alone."""
    return re.sub(r"[^a-z0-9]", "", text.lower())


@lru_cache(maxsize=4096)
def short_kinds(kind: str) -> tuple[str, ...]:
    """Shorter words for a kind, the longest first; none where people know none."""
    return SHORT.get(plain(kind), ())


@lru_cache(maxsize=60_000)
def says_kind(tail: str, kind: str) -> bool:
    """Whether the end of a name tells what an op does: ``block1_2_bn`` of a BatchNormalization, not ``fold`` of a CONV_2D."""
    whole = plain(kind)
    if not whole or whole in INPUTS:
        return True
    words = [word for word in re.split(r"[^A-Za-z0-9]+", tail) if word and not word.isdecimal()]
    if not words:
        return False
    if plain(tail).startswith(whole):
        return True
    last = words[-1].lower()
    bare = last.rstrip("0123456789")
    if whole == "activation" and last in ACTIVATIONS:
        return True
    if len(bare) < LEAST_WORD:
        return False
    first_letters = "".join(re.findall(r"[A-Z]", kind)).lower() if not kind.isupper() else ""
    known = (plain(short) for short in short_kinds(kind))
    letters = whole.rstrip("0123456789d") if re.search(r"\dd$", whole) else whole
    return (
        (len(bare) > LEAST_WORD and bare in whole)
        or letters in last
        or bare == first_letters
        or any(short in (bare, last) for short in known)
    )
