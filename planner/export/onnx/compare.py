"""Whether an ONNX stage, as written, is a part of its source: the same ops, attributes and weights, byte for byte.

Runs on random inputs do not see everything, least of all in models whose weights are constants or whose outputs saturate. Here
the bytes that were written are read again and compared with the source.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from planner.export.onnx.source import OnnxSource
from planner.export.onnx.stage import OnnxStage
from planner.export.stages.stages import VerificationFailed
from planner.formats.onnx.external import bring_in, tensors_of
from planner.printable import clean


def check_part(
    source: OnnxSource, content: bytes, nodes: Collection[int], stage: OnnxStage, title: str
) -> None:
    """Raise :class:`VerificationFailed` with the first thing in which a file's ``content`` is not the stage of ``nodes``."""
    import onnx

    try:
        part = onnx.ModelProto.FromString(content)
    except Exception as error:  # protobuf raises kinds of its own
        raise VerificationFailed(f"{title} cannot be read back; nothing was written") from error
    graph = part.graph
    for what, wanted, given in (
        ("inputs", stage.inputs, [value.name for value in graph.input]),
        ("outputs", stage.outputs, [value.name for value in graph.output]),
    ):
        if list(wanted) != given:
            raise _failed(title, f"has other {what} than the stage")
    for field in ("opset_import", "functions"):
        if [*map(_bytes, getattr(part, field))] != [*map(_bytes, getattr(source.model, field))]:
            raise _failed(title, f"has another {field} than the source")
    ran: set[int] = set()
    renamed: dict[str, str] = {}
    for node in graph.node:
        made = next((name for name in node.output if name), "")
        number = source.maker.get(made)
        if node.op_type == "Identity" and _is_stored(source, made):
            renamed[node.input[0]] = made  # an output of the model that no op makes
        elif number is None or number in ran or _bytes(node) != _bytes(_with_weights(source, number)):
            raise _failed(title, f"runs '{clean(node.name or made)}' otherwise than the source")
        else:
            ran.add(number)
    if ran & source.kept != set(nodes):
        raise _failed(title, f"runs {len(ran & source.kept)} of {len(nodes)} ops")
    for tensor in graph.initializer:
        _check_tensor(source, tensor, renamed.get(tensor.name, tensor.name), title)
    for sparse in graph.sparse_initializer:
        name = renamed.get(sparse.values.name, sparse.values.name)
        _check_sparse(source, sparse, name, title)


def _is_stored(source: OnnxSource, name: str) -> bool:
    """Whether stages hold a value as a tensor: it is stored in the source, or the result of Shape or Size."""
    if name in source.stored or name in source.sparse:
        return True
    return name in source.maker and source.nodes[source.maker[name]].op_type in ("Shape", "Size")


def _with_weights(source: OnnxSource, number: int) -> Any:
    """A copy of a source's node with the weights that lie in other files."""
    node = _copy(source.nodes[number])
    for tensor in tensors_of(node):
        bring_in(tensor, source.path)
    return node


def _check_tensor(source: OnnxSource, tensor: Any, name: str, title: str) -> None:
    from onnx import numpy_helper

    if name in source.stored:
        original = _copy(source.stored[name])
        bring_in(original, source.path)
        original.name = tensor.name
        same = _bytes(original) == _bytes(tensor)
    else:  # the result of Shape or Size, which the reader worked out
        value = source.values.get(name)
        known = None if value is None else value.data
        same = known is not None and np.array_equal(numpy_helper.to_array(tensor), known)
    if not same:
        raise _failed(title, f"holds '{clean(name)}' with other values")


def _check_sparse(source: OnnxSource, sparse: Any, name: str, title: str) -> None:
    if name in source.sparse:
        original = _copy(source.sparse[name])
        for tensor in (original.values, original.indices):
            bring_in(tensor, source.path)
        original.values.name = sparse.values.name
        if _bytes(original) == _bytes(sparse):
            return
    raise _failed(title, f"holds '{clean(name)}' with other values")


def _copy(message: Any) -> Any:
    out = type(message)()
    out.CopyFrom(message)
    return out


def _bytes(message: Any) -> bytes:
    # Messages that hold a NaN are not equal to themselves; their bytes are.
    return bytes(message.SerializeToString(deterministic=True))


def _failed(title: str, said: str) -> VerificationFailed:
    return VerificationFailed(f"{title} {said}; nothing was written")
