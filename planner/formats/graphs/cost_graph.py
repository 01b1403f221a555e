"""Cost graphs: TensorFlow's CostGraphDef as protocol-buffer text, the format of the REGAL data set.

A file holds ``node`` messages: ``id``, ``name``, outputs with their ``size`` (bytes), inputs as the node and the output
that each comes from, nodes that must come before (``control_input``), and ``compute_cost``. protobuf's own parser reads it, by a
description of the messages that is built here; a field that no cost graph has is refused.

Tensors. An output that is read, or that has a size, is a tensor. Control inputs are tensors without bytes, and none
where a tensor goes the same way anyway. Which output shares an input's memory (``alias_input_port``) is not regarded.

Times. TensorFlow gives compute costs in microseconds, the REGAL set in a unit of its own, and the file does not say which: the
graph has no time unit. Nor does it say how long transfers take: a byte takes one unit (B = 1, as in MTPP) unless a target
names a bandwidth, in bytes per unit. A file whose compute costs are all 0 gives no times.

Source: tensorflow/core/framework/cost_graph.proto, with the memory fields of its versions; google-deepmind/deepmind-research, regal/README.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planner.errors import ModelError
from planner.files import MEBIBYTE, read_text
from planner.model.graph import Graph
from planner.model.ops import Op, Tensor
from planner.printable import concise, escaped, one_line

if TYPE_CHECKING:
    from google.protobuf.descriptor_pb2 import (  # type: ignore[import-untyped]
        DescriptorProto,
        FileDescriptorProto,
    )

FORMAT = "cost-graph"
LIMIT = 20 * MEBIBYTE
ENDS = ("_SOURCE", "_SINK")
"""What TensorFlow calls the two ends that it gives every graph; they do nothing and are left out."""
UNKNOWN = -1
"""The size of an output that was never measured."""

_INT32, _INT64 = 5, 3
_NODE = {
    "name": (1, 9), "device": (2, 9), "id": (3, _INT32), "temporary_memory_size": (6, _INT64), "is_final": (7, 8),
    "compute_cost": (9, _INT64), "host_temp_memory_size": (10, _INT64), "device_temp_memory_size": (11, _INT64),
    "persistent_memory_size": (12, _INT64), "host_persistent_memory_size": (13, _INT64), "compute_time": (14, _INT64),
    "memory_time": (15, _INT64), "device_persistent_memory_size": (16, _INT64), "inaccurate": (17, 8),
}  # fmt: skip
"""Plain fields of a node: number and protobuf's type (3 int64, 5 int32, 8 bool, 9 string); numbers do not matter in text."""
_TYPES = (
    "INVALID", "FLOAT", "DOUBLE", "INT32", "UINT8", "INT16", "INT8", "STRING", "COMPLEX64", "INT64", "BOOL", "QINT8", "QUINT8",
    "QINT32", "BFLOAT16", "QINT16", "QUINT16", "UINT16", "COMPLEX128", "HALF", "RESOURCE", "VARIANT", "UINT32", "UINT64", "FLOAT8_E5M2", "FLOAT8_E4M3FN",
)  # fmt: skip
"""TensorFlow's element types in the order of their numbers; references to them (``_REF``) are 100 higher."""


def read(path: str | os.PathLike[str]) -> Graph:
    """The graph in a file. Raises :class:`ModelError`."""
    file = Path(path).name
    nodes = _parsed(read_text(path, LIMIT, remedy="save it as Stageboard graph JSON or ONNX instead"), file)
    if not nodes:
        raise ModelError(f"{file}: the graph has no nodes; there is nothing to plan")
    by_id: dict[int, Any] = {}
    for node in nodes:
        if node.id in by_id:
            raise ModelError(f"{file}: two nodes have the id {node.id}; ids must be unique")
        by_id[node.id] = node
    left_out = {node.id for node in nodes if _is_end(node)}
    kept = [node for node in nodes if node.id not in left_out]
    if not kept:
        raise ModelError(f"{file}: no node does anything; there is nothing to plan")
    timed = any(node.compute_cost for node in kept)
    unmeasured = sum(output.size == UNKNOWN for node in kept for output in node.output_info)
    warnings = []
    if timed:
        warnings.append("The file gives no transfer times; a byte takes one unit unless a bandwidth is given")
    if unmeasured:
        warnings.append(f"Outputs of unknown size, which count as 0 bytes: {unmeasured:,}")
    tensors = list(_tensors(kept, by_id, left_out, timed, file))
    return Graph.build(
        Path(path).stem,
        [_op(node, timed, file) for node in kept],
        tensors,
        time_unit=None if timed else "s",
        format=FORMAT,
        warnings=warnings,
    )


def is_cost_graph(start: bytes) -> bool:
    """Whether a file that begins with these bytes looks like protocol-buffer text of nodes."""
    lines = (line.strip() for line in start.splitlines())
    first = next((line for line in lines if line and not line.startswith(b"#")), b"").replace(b" ", b"")
    return first in (b"node", b"node:") or first.startswith((b"node{", b"node:{", b"node<", b"node:<"))


# ---------------------------------------------------------------------- nodes
def _is_end(node: Any) -> bool:
    return node.name in ENDS and not (node.compute_cost or node.output_info or node.input_info)


def _said(node: Any) -> str:
    return escaped(node.name) or str(node.id)


def _op(node: Any, timed: bool, file: str) -> Op:
    what = f"{file}: node '{_said(node)}'"
    held = _amount(node, ("persistent_memory_size", "device_persistent_memory_size"), what)
    extra = _amount(node, ("temporary_memory_size", "device_temp_memory_size"), what)
    made = sum(max(output.size, 0) for output in node.output_info)
    attrs = {"device": escaped(node.device)} if node.device else {}
    return Op(
        str(node.id),
        _said(node),
        work=float(_amount(node, ("compute_cost",), what)) if timed else None,
        param_bytes=float(held),
        memory=float(held + extra + made),
        attrs={**attrs, "final": True} if node.is_final else attrs,
    )


def _amount(node: Any, fields: Iterable[str], what: str) -> int:
    """The sum of fields, none of which may be negative."""
    total = 0
    for field in fields:
        value = getattr(node, field)
        if value < 0:
            raise ModelError(f"{what} has {field} {value}; it must not be negative")
        total += value
    return total


# ---------------------------------------------------------------------- tensors
def _tensors(
    nodes: list[Any], by_id: dict[int, Any], left_out: set[int], timed: bool, file: str
) -> Iterator[Tensor]:
    readers: dict[tuple[int, int], dict[str, None]] = {}
    waiting: dict[int, dict[str, None]] = {}
    joined: set[tuple[int, int]] = set()
    for node in nodes:
        what = f"{file}: node '{_said(node)}'"
        for given in node.input_info:
            source, port = given.preceding_node, given.preceding_port
            if source not in by_id:
                raise ModelError(f"{what} reads from node {source}, which the file does not have")
            if not 0 <= port < len(by_id[source].output_info):
                raise ModelError(
                    f"{what} reads output {port} of node '{_said(by_id[source])}', which has"
                    f" {len(by_id[source].output_info)}; outputs are counted from 0"
                )
            readers.setdefault((source, port), {})[str(node.id)] = None
            joined.add((source, node.id))
    for node in nodes:
        for source in node.control_input:
            if source not in by_id:
                raise ModelError(
                    f"{file}: node '{_said(node)}' waits for node {source}, which the file does not have"
                )
            if source not in left_out and (source, node.id) not in joined:
                waiting.setdefault(source, {})[str(node.id)] = None
    for node in nodes:
        for port, output in enumerate(node.output_info):
            if output.size < UNKNOWN:
                raise ModelError(
                    f"{file}: output {port} of node '{_said(node)}' has size {output.size}; it must not be negative"
                )
            size = float(max(output.size, 0))
            consumers = tuple(readers.get((node.id, port), ()))
            if size or consumers:
                yield Tensor(
                    str(node.id), consumers, size, size if timed else None, _shape(output), _dtype(output)
                )
        if node.id in waiting:
            yield Tensor(str(node.id), tuple(waiting[node.id]), 0.0, 0.0 if timed else None, name="control")  # fmt: skip


def _shape(output: Any) -> tuple[int, ...] | None:
    """The shape where it is known in full."""
    sizes = tuple(dim.size for dim in output.shape.dim)
    if not output.HasField("shape") or output.shape.unknown_rank or min(sizes, default=0) < 0:
        return None
    return sizes


def _dtype(output: Any) -> str:
    name = _TYPES[output.dtype % 100] if output.dtype % 100 < len(_TYPES) else ""
    return "" if name == "INVALID" else name.lower()


# ---------------------------------------------------------------------- protocol-buffer text
def _parsed(text: str, file: str) -> list[Any]:
    """The nodes in a text, as protobuf's messages."""
    from google.protobuf import (  # type: ignore[import-untyped]
        descriptor_pool,
        message_factory,
        text_format,
    )

    pool = descriptor_pool.DescriptorPool()
    pool.Add(_description())
    kind = message_factory.GetMessageClass(pool.FindMessageTypeByName("tensorflow.CostGraphDef"))
    graph: Any = kind()
    try:
        text_format.Parse(text, graph)
    except (text_format.ParseError, ValueError, OverflowError) as problem:
        raise ModelError(
            f"{file} is not a cost graph that can be read ({_reason(problem)}); save or download it again"
        ) from problem
    return list(graph.node)


def _reason(problem: Exception) -> str:
    """protobuf's words, with its ``line:column :`` in ours; of a foreign field, that this is another kind of file."""
    line = getattr(problem, "GetLine", lambda: None)()
    words = one_line(str(problem))
    if line is not None:
        words = words.partition(" : ")[2] or words
        if "has no field named" in words:
            field = words.rpartition("named ")[2].strip('".')
            words = f"no cost graph has a field '{field[:40]}' there; it may be another kind of text"
        words = f"line {line}: {words}"
    return concise(words)[:160]


def _description() -> FileDescriptorProto:
    """The messages of a cost graph, as protobuf describes them."""
    from google.protobuf.descriptor_pb2 import FieldDescriptorProto as Field
    from google.protobuf.descriptor_pb2 import FileDescriptorProto

    described = FileDescriptorProto(name="cost_graph.proto", package="tensorflow", syntax="proto3")
    types = described.enum_type.add(name="DataType")
    for i, name in enumerate(_TYPES):
        types.value.add(name=f"DT_{name}", number=i)
        if i:
            types.value.add(name=f"DT_{name}_REF", number=100 + i)

    def add(
        message: DescriptorProto, name: str, number: int, type: int, of: str = "", many: bool = False
    ) -> None:
        label = Field.LABEL_REPEATED if many else Field.LABEL_OPTIONAL
        message.field.add(name=name, number=number, type=type, label=label, type_name=of or None)

    shape = described.message_type.add(name="TensorShapeProto")
    dim = shape.nested_type.add(name="Dim")
    add(dim, "size", 1, Field.TYPE_INT64)
    add(dim, "name", 2, Field.TYPE_STRING)
    add(shape, "dim", 2, Field.TYPE_MESSAGE, ".tensorflow.TensorShapeProto.Dim", many=True)
    add(shape, "unknown_rank", 3, Field.TYPE_BOOL)
    graph = described.message_type.add(name="CostGraphDef")
    node = graph.nested_type.add(name="Node")
    for name, (number, type) in _NODE.items():
        add(node, name, number, type)
    given = node.nested_type.add(name="InputInfo")
    add(given, "preceding_node", 1, Field.TYPE_INT32)
    add(given, "preceding_port", 2, Field.TYPE_INT32)
    made = node.nested_type.add(name="OutputInfo")
    add(made, "size", 1, Field.TYPE_INT64)
    add(made, "alias_input_port", 2, Field.TYPE_INT64)
    add(made, "shape", 3, Field.TYPE_MESSAGE, ".tensorflow.TensorShapeProto")
    add(made, "dtype", 4, Field.TYPE_ENUM, ".tensorflow.DataType")
    add(node, "input_info", 4, Field.TYPE_MESSAGE, ".tensorflow.CostGraphDef.Node.InputInfo", many=True)
    add(node, "output_info", 5, Field.TYPE_MESSAGE, ".tensorflow.CostGraphDef.Node.OutputInfo", many=True)
    add(node, "control_input", 8, Field.TYPE_INT32, many=True)
    total = graph.nested_type.add(name="AggregatedCost")
    add(total, "cost", 1, Field.TYPE_FLOAT)
    add(total, "dimension", 2, Field.TYPE_STRING)
    add(graph, "node", 1, Field.TYPE_MESSAGE, ".tensorflow.CostGraphDef.Node", many=True)
    add(graph, "cost", 2, Field.TYPE_MESSAGE, ".tensorflow.CostGraphDef.AggregatedCost", many=True)
    return described
