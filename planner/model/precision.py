"""How many bytes a number takes: what a model in floating point comes to once its parameters and tensors are kept in fewer bytes."""

from __future__ import annotations

from dataclasses import replace
from typing import TypedDict

import numpy as np

from planner.errors import ModelError, StageboardError
from planner.model.graph import Bools, Floats, Graph
from planner.model.ops import LARGEST_COST
from planner.printable import shown

FILE = "file"
"""As the model's file has them."""
TIMES_AS_STORED = "op times as in the file"
"""What is said beside another precision of times that the model's file gives."""
FLOAT_WIDTH = {"float64": 8, "double": 8, "float32": 4, "float": 4, "float16": 2, "half": 2, "bfloat16": 2}
"""Bytes of a value by the name of a floating-point type."""
WIDTHS = {"int8": 1, "float16": 2}
"""Bytes of a value in each precision that a model can be read with."""
PRECISIONS = (FILE, *WIDTHS)


class ReadOptions(TypedDict):
    """How a model file is read: what symbolic batch dimensions are bound to, and how many bytes numbers take."""

    batch: int
    precision: str


def checked(precision: object, kind: type[StageboardError] = ModelError) -> str:
    """A precision that a model can be read with. Raises ``kind``."""
    if not isinstance(precision, str) or precision not in PRECISIONS:
        raise kind(f"the precision of a model is {shown(precision)}; choose from {', '.join(PRECISIONS)}")
    return precision


def precision_of(graph: Graph) -> str:
    """The precision that a graph was read with."""
    return str(dict(graph.read_options).get("precision", FILE))


def counted_in(graph: Graph, precision: str) -> Graph:
    """The graph with parameters and tensors in floating point counted in ``precision``; what takes no more bytes than that stays as it is.

    Times that the file gives stay, too, and so does the memory of ops where the file says it. An op whose file tells bytes but no
    number of parameters keeps these bytes. Raises :class:`ModelError` for an unknown precision.
    """
    if checked(precision) == FILE:
        return graph
    width = WIDTHS[precision]
    kept = np.array([FLOAT_WIDTH.get(dtype.lower(), 0) for dtype in graph.tensor_dtypes], np.float64).reshape(
        graph.tensor_count
    )
    shrinks = kept > width
    size = graph.tensor_bytes.copy()
    size[shrinks] *= width / kept[shrinks]
    params = graph.param_bytes.copy()
    counted = floating_ops(graph) & (graph.params > 0)
    params[counted] = np.minimum(params[counted], graph.params[counted] * width)
    memory = graph.memory.copy()
    derived = memory == _held(graph, graph.param_bytes, graph.tensor_bytes)
    memory[derived] = _held(graph, params, size)[derived]
    floating = dict(zip(graph.op_ids, counted.tolist(), strict=True))
    shared = tuple(
        replace(one, param_bytes=min(one.param_bytes, one.params * width))
        if one.params and any(floating[op] for op in one.ops)
        else one
        for one in graph.shared
    )
    for figures in (size, params, memory):
        figures.setflags(write=False)
    same = not shrinks.any() and np.array_equal(params, graph.param_bytes)
    note = (
        f"nothing in the file is said to be in floating point, so the precision {precision} changes nothing"
    )
    return replace(
        graph,
        tensor_bytes=size,
        param_bytes=params,
        memory=memory,
        shared=shared,
        tensor_dtypes=tuple(
            precision if less else dtype
            for dtype, less in zip(graph.tensor_dtypes, shrinks.tolist(), strict=True)
        ),
        warnings=(*graph.warnings, *([note] if same else [])),
        read_options=tuple(sorted({**dict(graph.read_options), "precision": precision}.items())),
    )


def _held(graph: Graph, param_bytes: Floats, tensor_bytes: Floats) -> Floats:
    """What ops occupy where their file does not say (float64[n]): parameters and outputs."""
    produced = np.bincount(graph.tensor_producer, weights=tensor_bytes, minlength=graph.n)
    return np.minimum(param_bytes + produced, LARGEST_COST)


def floating_ops(graph: Graph) -> Bools:
    """Ops that compute in floating point: a tensor they produce (without any: one they read) has such a type (bool[n])."""
    floats = np.array([dtype.lower() in FLOAT_WIDTH for dtype in graph.tensor_dtypes], bool)
    produces = np.zeros(graph.n, bool)
    produces[graph.tensor_producer[floats]] = True
    silent = np.ones(graph.n, bool)
    silent[graph.tensor_producer] = False
    reads = np.zeros(graph.n, bool)
    consumed = np.repeat(floats, np.diff(graph.consumer_ptr))
    reads[graph.consumer_idx[consumed]] = True
    found: Bools = produces | (silent & reads)
    return found
