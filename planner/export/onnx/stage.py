"""One stage of a model as an ONNX model of its own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from planner.errors import StageboardError
from planner.export.onnx.source import OnnxSource
from planner.formats.onnx.external import bring_in, tensors_of
from planner.formats.onnx.nodes import reads
from planner.printable import clean


@dataclass(frozen=True, eq=False)
class OnnxStage:
    """A stage's ``ModelProto`` and the names of its inputs and outputs, in the model's order."""

    model: Any
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]


def onnx_stage(
    source: OnnxSource, nodes: Sequence[int], name: str, constants: Iterable[str] = ()
) -> OnnxStage:
    """The model that runs ``nodes`` (main-graph nodes that are ops), in the source's own opsets and IR version.

    Its inputs are the values that enter (the model's own inputs first, then in the order in which the source makes
    them), its outputs what other stages read or the model gives, in the source's order. Stored weights and the nodes
    that compute constants are copied to each stage that needs them; the results of ``Shape`` and ``Size`` become
    stored tensors, as their inputs may be elsewhere. ``constants`` are model outputs that no op makes: the stage gives
    them too. Raises :class:`StageboardError` where a tensor at the border has no known type.
    """
    import onnx

    inside = set(nodes)
    needed = _needed(source, inside, constants)
    order = sorted(inside | needed.nodes, key=source.rank.__getitem__)
    entering = [v for v in source.inputs if v in needed.entering]
    entering += sorted(needed.entering - set(entering), key=lambda v: (source.rank[source.maker[v]], v))
    wanted = set(source.outputs)
    made = [v for i in order if i in inside for v in source.nodes[i].output if v]
    leaving = [v for v in made if v in wanted or source.readers.get(v, set()) - inside]
    if not leaving:  # ops whose results nobody reads; a model without outputs does not run
        leaving = [v for v in made if v not in source.readers]

    model = onnx.ModelProto()
    model.ir_version = source.model.ir_version
    model.opset_import.extend(source.model.opset_import)
    model.functions.extend(source.model.functions)
    model.metadata_props.extend(source.model.metadata_props)
    model.producer_name = "stageboard"
    model.doc_string = f"{name}: a stage of {clean(source.path.name)}"
    graph = model.graph
    graph.name = name
    graph.input.extend(source.info(v, "which enters a stage") for v in entering)
    graph.output.extend(source.info(v, "which leaves a stage") for v in leaving)
    for v in sorted(needed.stored):
        if v in source.stored:
            tensor = graph.initializer.add()
            tensor.CopyFrom(source.stored[v])
            bring_in(tensor, source.path)
        else:
            sparse = graph.sparse_initializer.add()
            sparse.CopyFrom(source.sparse[v])
            bring_in(sparse.values, source.path)
            bring_in(sparse.indices, source.path)
    graph.initializer.extend(_shape_constant(source, v) for v in sorted(needed.shapes))
    for i in order:
        node = graph.node.add()
        node.CopyFrom(source.nodes[i])
        for tensor in tensors_of(node):
            bring_in(tensor, source.path)
    border = {*entering, *leaving}
    for v in made:
        kind = None if v in border else source.type_of(v)
        if kind is not None:
            graph.value_info.append(onnx.ValueInfoProto(name=v, type=kind))
    outputs = [*leaving, *_give_constants(source, graph, constants)]
    return OnnxStage(model, tuple(entering), tuple(outputs))


@dataclass(frozen=True)
class _Needed:
    stored: set[str]
    """Stored tensors."""
    shapes: set[str]
    """Results of Shape and Size."""
    nodes: set[int]
    """Nodes that compute constants."""
    entering: set[str]
    """Values from outside the stage."""


def _needed(source: OnnxSource, inside: set[int], constants: Iterable[str]) -> _Needed:
    """What the nodes of a stage need besides themselves."""
    needed = _Needed(set(), set(), set(), set())
    waiting = [name for i in inside for name in reads(source.nodes[i])]
    waiting += constants
    seen: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        maker = source.maker.get(name)
        if maker in inside:
            continue
        if name in source.stored or name in source.sparse:
            needed.stored.add(name)
        elif maker is None or maker in source.kept:
            needed.entering.add(name)
        elif source.nodes[maker].op_type in ("Shape", "Size"):
            needed.shapes.add(name)
        elif maker not in needed.nodes:
            needed.nodes.add(maker)
            waiting += reads(source.nodes[maker])
    return needed


def _shape_constant(source: OnnxSource, name: str) -> Any:
    from onnx import numpy_helper

    data = source.values[name].data
    if data is None:
        raise StageboardError(
            f"{source.path.name}: the shape '{clean(name)}' is not known before the model runs; export the model again"
        )
    return numpy_helper.from_array(data, name)


def _give_constants(source: OnnxSource, graph: Any, constants: Iterable[str]) -> list[str]:
    """Make constants outputs of the graph. Stored ones go through a node: not every runtime gives out a stored tensor."""
    given = []
    for name in constants:
        stored = next((t for t in graph.initializer if t.name == name), None)
        sparse = next((t for t in graph.sparse_initializer if t.values.name == name), None)
        if stored is not None or sparse is not None:
            taken = {v for node in source.nodes for v in (*node.output, *node.input)}
            inner = f"{name}/stored"
            while inner in taken:
                inner += "_"
            if stored is not None:
                stored.name = inner
            elif sparse is not None:
                sparse.values.name = inner
            node = graph.node.add()
            node.op_type = "Identity"
            node.name = f"{name}/give"
            node.input.append(inner)
            node.output.append(name)
            graph.node.insert(0, graph.node.pop())
        graph.output.append(source.info(name, "an output of the model"))
        given.append(name)
    return given
