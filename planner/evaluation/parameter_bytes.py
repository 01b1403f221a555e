"""Bytes on an Edge TPU: what parameters and tensors take once a network is quantised to INT8.

An Edge TPU runs INT8 networks only (Edge TPU paper, section IV-C), and most graphs come in floating point. With the
precision ``int8`` an op or tensor in floating point counts one byte per value, and what a file holds as integers
(a quantised TFLite model) counts as stored. ``file`` takes everything as the file has it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from planner.lifetime import while_it_lives
from planner.model.graph import Bools, Floats, Graph
from planner.model.ops import Shared
from planner.model.precision import FLOAT_WIDTH, floating_ops

PRECISIONS = ("int8", "file")
BATCH_NORM = frozenset({"BatchNormalization", "BatchNorm", "FusedBatchNorm", "FusedBatchNormV3"})
"""Kinds that a converter folds into the convolution before them."""
WEIGHTED = frozenset(
    {"Conv", "Conv1D", "Conv2D", "Conv3D", "DepthwiseConv2D", "SeparableConv2D", "Conv2DTranspose"}
    | {"ConvTranspose", "Dense", "Gemm"}
)
"""Kinds that take a batch normalisation in."""


def parameter_bytes(graph: Graph, precision: str = "int8", fold_batch_norm: bool = False) -> Floats:
    """Bytes of each op's own parameters (float64[n], whole numbers).

    An op in floating point whose file tells bytes but no number of parameters counts these bytes with any precision.
    With ``fold_batch_norm`` a batch normalisation that is the only consumer of a convolution or dense layer counts
    nothing: its scale goes into the weights there. The bias that its shift becomes is not added, which understates a
    layer without one by a byte per channel.
    """
    size = graph.param_bytes.copy()
    if precision == "int8":
        floating = floating_ops(graph) & (graph.params > 0)
        size[floating] = graph.params[floating]
    if fold_batch_norm:
        size[folded(graph)] = 0.0
    return size


def shared_bytes(graph: Graph, precision: str = "int8") -> Callable[[Shared], float]:
    """What parameters that several ops read take, by the rule of :func:`parameter_bytes`."""
    floating = floating_ops(graph) & (graph.params > 0)

    def size(one: Shared) -> float:
        return one.params if precision == "int8" and floating[graph.index[one.ops[0]]] else one.param_bytes

    return size


@while_it_lives
def counted_in_int8(graph: Graph, precision: str) -> bool:
    """Whether parameters that the file has in floating point are counted with a byte per value."""
    return precision == "int8" and bool((floating_ops(graph) & (graph.params > 0)).any())


def tensor_bytes(graph: Graph, precision: str = "int8") -> Floats:
    """Bytes of each tensor (float64[t], whole numbers where the file's are)."""
    if precision != "int8":
        return graph.tensor_bytes.copy()
    width = np.array([FLOAT_WIDTH.get(dtype.lower(), 1) for dtype in graph.tensor_dtypes], np.float64)
    return graph.tensor_bytes / width.reshape(graph.tensor_count)


def folded(graph: Graph) -> Bools:
    """Batch normalisations that a converter folds away (bool[n])."""
    ptr, idx = graph.preds
    fan_out = np.diff(graph.succs[0])
    found = np.zeros(graph.n, bool)
    for v, kind in enumerate(graph.kinds):
        if kind in BATCH_NORM and ptr[v + 1] - ptr[v] == 1:
            u = int(idx[ptr[v]])
            # An activation of the layer itself would stand between the two.
            plain = str(graph.attrs[u].get("activation", "linear")) in {"linear", "none", "None", ""}
            found[v] = graph.kinds[u] in WEIGHTED and fan_out[u] == 1 and plain
    return found
