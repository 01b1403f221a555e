"""Getting an ONNX file into memory with every shape that can be known: parsing, functions, symbolic sizes, inference.

Nothing outside the file is ever opened: tensors stored as external data are known by shape and type alone. Before the
inference of onnx runs, large weights become typed inputs without data, so that it stays quick and below protobuf's limits.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from planner.errors import ModelError
from planner.files import MEBIBYTE, read_bytes
from planner.formats.onnx.folding import INT64, SMALL, Shape, Value, constant
from planner.formats.onnx.nodes import bodies_of
from planner.printable import clean

LIMIT = 2047 * MEBIBYTE
"""protobuf's own limit; larger models keep their weights in external data."""
MOST_NODES = 1_000_000

MOST_FOLLOWED = 1_000_000
"""Elements of lists that onnx may follow one by one: some 150 MB."""
_HIDDEN = "hidden"

LENGTH, PICTURE, CHANNELS, SAMPLES = 128, 224, 3, 16_000
_BATCH = re.compile(r"batch|^(n|b|bs|bsz)$")
_BY_NAME = (
    (re.compile(r"sample|audio|wav"), SAMPLES),
    (re.compile(r"seq|len|token|time|frame|step|word|past|context|ctx|^(t|l|s)$"), LENGTH),
    (re.compile(r"height|width|^(h|w)$"), PICTURE),
    (re.compile(r"chan|^c$"), CHANNELS),
)


def load(path: str | os.PathLike[str]) -> Any:
    """The parsed ``ModelProto``, its model-local functions inlined. Raises :class:`ModelError`."""
    import onnx
    from google.protobuf.message import DecodeError  # type: ignore[import-untyped]

    file = Path(path).name
    data = read_bytes(path, LIMIT, remedy="export it again with its weights as external data")
    model = onnx.ModelProto()
    try:
        model.ParseFromString(data)
    except (DecodeError, RuntimeError, ValueError) as error:
        raise ModelError(f"{file} is not complete, valid ONNX; save or download it again") from error
    if not model.HasField("graph") or not (model.graph.node or model.graph.input):
        raise ModelError(f"{file} holds no ONNX graph; save or download it again")
    _check_texts(model, file)
    return inline_functions(model, file)


def _check_texts(model: Any, file: str) -> None:
    """protobuf hands out bytes where a name is not UTF-8; such a file is damaged."""
    graphs = [model.graph]
    texts: list[Any] = [opset.domain for opset in model.opset_import]
    nodes = [node for function in model.functions for node in function.node]
    texts += [text for f in model.functions for text in (f.name, f.domain, f.overload, *f.input, *f.output)]
    while graphs or nodes:
        if graphs:
            graph = graphs.pop()
            nodes += graph.node
            texts += [tensor.name for tensor in graph.initializer]
            texts += [sparse.values.name for sparse in graph.sparse_initializer]
            for value in (*graph.input, *graph.output, *graph.value_info):
                texts.append(value.name)
                texts += [dim.dim_param for dim in value.type.tensor_type.shape.dim]
        for node in nodes:
            texts += [node.name, node.op_type, node.domain, node.overload, *node.input, *node.output]
            for attribute in node.attribute:
                texts.append(attribute.name)
                graphs += [attribute.g] if attribute.HasField("g") else []
                graphs += attribute.graphs
        nodes = []
    if not all(isinstance(text, str) for text in texts):
        raise ModelError(f"{file} holds names that are not UTF-8 text; save or download it again")


def inline_functions(model: Any, file: str) -> Any:
    """Model-local functions put in place of their calls, after checking that this ends and stays small."""
    if not model.functions:
        return model
    import onnx.inliner

    functions = {(f.domain, f.name, f.overload): f for f in model.functions}
    sizes: dict[tuple[str, str, str], int] = {}

    def expanded(nodes: Any, calling: tuple[tuple[str, str, str], ...]) -> int:
        total = 0
        for node in _nodes(nodes):
            key = (node.domain, node.op_type, node.overload)
            if key not in functions:
                total += 1
                continue
            if key in calling or len(calling) > 100:
                raise ModelError(
                    f"{file}: its function '{clean(node.op_type)}' calls itself; export the model without functions"
                )
            if key not in sizes:
                sizes[key] = expanded(functions[key].node, (*calling, key))
            total += sizes[key]
            if total > MOST_NODES:
                raise ModelError(
                    f"{file} stands for more than {MOST_NODES:,} ops once its functions are expanded; split it"
                )
        return total

    expanded(model.graph.node, ())
    for key, function in functions.items():  # also those that only other functions' bodies name
        if key not in sizes:
            expanded(function.node, (key,))
    try:
        return onnx.inliner.inline_local_functions(model)
    except Exception:  # a call is then one op of its function's domain
        return model


def _nodes(nodes: Any) -> Iterator[Any]:
    """Nodes and those in their bodies."""
    stack = list(nodes)
    while stack:
        node = stack.pop()
        yield node
        for attribute in node.attribute:
            for graph in ([attribute.g] if attribute.HasField("g") else []) + list(attribute.graphs):
                stack.extend(graph.node)


# ------------------------------------------------------------------------------------------------- symbolic sizes
def bind_symbols(graph: Any, batch: int) -> tuple[str, ...]:
    """Give every size of the graph's inputs a number, in place; returns warnings.

    A batch (by name, or any first axis not named otherwise) becomes ``batch``; lengths 128, heights and widths 224,
    channels 3, audio samples 16,000, by name or by their place in a picture's four axes; anything else 128.
    """
    stored = {t.name for t in graph.initializer} | {t.values.name for t in graph.sparse_initializer}
    bound: dict[str, int] = {}
    guessed: dict[str, int] = {}
    batch_found = False
    for value in graph.input:
        if value.name in stored or not value.type.HasField("tensor_type"):
            continue
        dims = value.type.tensor_type.shape.dim
        for axis, dim in enumerate(dims):
            if dim.HasField("dim_value") and dim.dim_value > 0:
                continue
            name = dim.dim_param
            size, is_batch = _size(name.lower(), axis, len(dims), batch)
            size = bound.setdefault(name, size) if name else size
            batch_found |= is_batch
            if not is_batch:
                guessed[name or f"axis {axis} of {value.name}"] = size
            dim.Clear()
            dim.dim_value = size
    for value in [*graph.output, *graph.value_info]:
        for dim in value.type.tensor_type.shape.dim:
            if dim.dim_param:
                known = bound.get(dim.dim_param)
                dim.Clear()
                if known is not None:
                    dim.dim_value = known
    warnings = []
    if guessed:
        sizes = ", ".join(f"{clean(name)} = {size}" for name, size in list(guessed.items())[:6])
        more = f" and {len(guessed) - 6} more" if len(guessed) > 6 else ""
        warnings.append(f"sizes the model leaves open were set to defaults: {sizes}{more}")
    if batch != 1 and not batch_found:
        warnings.append(f"the model fixes its batch size; a batch of {batch} was not applied")
    return tuple(warnings)


def _size(name: str, axis: int, rank: int, batch: int) -> tuple[int, bool]:
    if name and _BATCH.search(name):
        return batch, True
    for pattern, size in _BY_NAME:
        if name and pattern.search(name):
            return size, False
    if axis == 0:
        return batch, True
    if rank == 4:
        return (CHANNELS if axis == 1 else PICTURE), False
    return LENGTH, False


# ------------------------------------------------------------------------------------------------------- constants
def tensor_value(tensor: Any, name: str, what: str, *, initialiser: bool = False) -> Value:
    """A stored tensor as a constant; its elements only where it is small and inside the file."""
    import numpy as np
    import onnx
    from onnx import numpy_helper

    dims = list(tensor.dims)
    if any(d < 0 for d in dims):
        raise ModelError(f"{what} has a negative size in its shape {dims}; export the model again")
    data = None
    count = 1
    for d in dims:
        count *= d
    inside = tensor.data_location != onnx.TensorProto.EXTERNAL and not tensor.external_data
    if inside and count <= SMALL and tensor.data_type != onnx.TensorProto.STRING:
        try:
            data = np.asarray(numpy_helper.to_array(tensor))
        except Exception:  # damaged elements: the shape still counts
            data = None
    return constant(dims, tensor.data_type, name, data, initialiser=initialiser)


def is_external(tensor: Any) -> bool:
    """Whether a tensor's elements lie in another file."""
    import onnx

    return bool(tensor.data_location == onnx.TensorProto.EXTERNAL or tensor.external_data)


# ------------------------------------------------------------------------------------------------------- inference
def infer(model: Any) -> tuple[dict[str, Value], tuple[str, ...]]:
    """Shapes and types of the main graph's values as onnx infers them; changes ``model`` (large weights lose their data)."""
    from onnx import shape_inference

    graph = model.graph
    listed = {value.name for value in graph.input}
    large = [i for i, t in enumerate(graph.initializer) if is_external(t) or _elements(t) > SMALL]
    for i in reversed(large):
        tensor = graph.initializer[i]
        if tensor.name not in listed:
            info = graph.input.add()
            info.name = tensor.name
            info.type.tensor_type.elem_type = tensor.data_type
            for d in tensor.dims:
                info.type.tensor_type.shape.dim.add().dim_value = d
        del graph.initializer[i]
    warnings: tuple[str, ...] = ()
    try:
        known = shape_inference.infer_shapes(model, check_type=False, strict_mode=False, data_prop=False)
        # Where sizes depend on the data, a list of sizes is constant in part, which only onnx follows.
        _hide_lists(known)
        inferred = shape_inference.infer_shapes(
            known, check_type=False, strict_mode=False, data_prop=True
        ).graph
    except Exception as error:
        reason = clean(" ".join(str(error).split()))[:100]
        warnings = (
            f"onnx could not infer the shapes of the whole model ({reason}); they were inferred op by op",
        )
        inferred = graph
    values = {}
    for info in [*inferred.value_info, *inferred.output, *inferred.input]:
        values[info.name] = type_value(info.type)
    return values, warnings


def _hide_lists(model: Any) -> None:
    """Give nodes that may touch long lists a domain that onnx does not know, in place.

    With data propagation onnx makes an object of each element of what such nodes read and write, so that a file of a few
    bytes (a long ``Range`` and a ``Mul``) could take all memory. What is inferred for their results so far stays known.
    """
    graph = model.graph
    lengths: dict[str, float] = {}
    for name, value in [
        *((info.name, type_value(info.type)) for info in [*graph.value_info, *graph.output, *graph.input]),
        *((tensor.name, Value(tuple(tensor.dims))) for tensor in graph.initializer),
    ]:
        # A file may describe a value twice, and not truly.
        lengths[name] = max(_length(value), lengths.get(name, 0))
    model.opset_import.add(domain=_HIDDEN, version=1)
    del model.functions[:]  # their bodies could hold any list
    left: float = MOST_FOLLOWED
    for node in graph.node:
        touched = [lengths.get(name, math.inf) for name in (*node.input, *node.output) if name]
        if bodies_of(node) or max(touched, default=0) > SMALL or sum(touched) > left:
            node.domain = _HIDDEN
        else:
            left -= sum(touched)


def _length(value: Value) -> float:
    """Elements of a list or a single number, infinite where it may be one of any length; 0 for what has more axes."""
    if value.shape is not None and len(value.shape) > 1:
        return 0
    return math.inf if value.size is None else value.size


def _elements(tensor: Any) -> int:
    count = 1
    for d in tensor.dims:
        count *= d
    return count


def type_value(kind: Any) -> Value:
    """What a ``TypeProto`` says of a value."""
    if not kind.HasField("tensor_type"):
        return Value()
    tensor = kind.tensor_type
    shape: Shape | None = None
    if tensor.HasField("shape"):
        shape = tuple(
            d.dim_value if d.HasField("dim_value") and d.dim_value >= 0 else None for d in tensor.shape.dim
        )
    return Value(shape, tensor.elem_type)


def infer_op(node: Any, inputs: dict[str, Value], versions: dict[str, int]) -> dict[str, Value]:
    """Shapes of one op's outputs, from its inputs' shapes and small constants. Empty where onnx cannot tell."""
    from onnx import defs, helper, numpy_helper, shape_inference

    domain = "" if node.domain == "ai.onnx" else node.domain
    try:
        schema = defs.get_schema(node.op_type, versions.get(domain, defs.onnx_opset_version()), domain)
        types, data = {}, {}
        for name, value in inputs.items():
            types[name] = helper.make_tensor_type_proto(value.dtype or 1, value.shape)
            if value.data is not None and value.dtype in (6, INT64, 1):
                data[name] = numpy_helper.from_array(value.data, name)
        imports = [helper.make_opsetid(d, v) for d, v in versions.items()]
        found = shape_inference.infer_node_outputs(schema, node, types, data, opset_imports=imports)
    except Exception:  # unknown op, or inputs that do not fit it: nothing is learnt
        return {}
    return {name: type_value(kind) for name, kind in found.items()}
