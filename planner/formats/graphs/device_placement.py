"""Device-placement JSON: the workloads published with the device-placement paper, and their split files.

A workload has ``nodes`` (``id``, ``name``, ``fpgaLatency`` and ``cpuLatency``: time on an accelerator and a CPU,
``size``: bytes it occupies, ``supportedOnFpga``, ``isBackwardNode``, ``colorClass``: colocation, ``layerId``), ``edges``
(``sourceId``, ``destId``, ``cost``: transfer time, ``size``: bytes) and the machine: ``maxFPGAs``, ``maxCPUs``,
``maxSizePerFPGA``. Times carry no unit, and none is made up (``time_unit`` None).

Tensors. Edges that leave an op with one cost carry one tensor. Where their costs differ, each edge carries its own
tensor: the same costs as the subdivision of such edges in Appendix B, without its artificial nodes.

Parameters. ``size`` is parameters and activations together. In operator graphs the weights are nodes of their own
(sources that take no time): their size is parameters, other nodes have none. In layer graphs, whose nodes hold their
weights, an op's parameters are its size less the largest tensor it sends; where an op sends nothing its whole size
counts. Backward ops have none. Counts assume four bytes per parameter. ResNet-50 gives 102.7 and 102.2 MB this way.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from msgspec import Meta, Struct, field

from planner.errors import ModelError, PlanError
from planner.files import read_json
from planner.formats.checks import INT32, Flag, Label, Name, Number, label, shown, words
from planner.guard import guarded
from planner.model.graph import Graph, Ints
from planner.model.ops import Op, Tensor
from planner.typed_json import typed

FORMAT = "device-placement"
BYTES_PER_PARAMETER = 4.0
_GRADIENT = re.compile(r"_Grad/([A-Za-z]+)")
_OPTIMISER = re.compile(r"^([A-Za-z]*Optimizer|AccumulateGrad)(?=_)")
_OPERATOR = re.compile(r"^([A-Z][A-Za-z]*)(?=_?\d|$)")
_LAYER = re.compile(r"^node_?\d+(grad)?$")


def is_device_placement(value: Any) -> bool:
    """Whether a JSON value looks like a workload in this format."""
    return isinstance(value, dict) and "nodes" in value and "edges" in value


_Identity = (
    Annotated[int, Meta(ge=-INT32, le=INT32)] | Annotated[float, Meta(ge=-INT32, le=INT32, multiple_of=1)]
)
_Devices = Annotated[int, Meta(ge=0, le=1024)] | Annotated[float, Meta(ge=0, le=1024, multiple_of=1)]


class _Node(Struct):
    given_id: _Identity = field(name="id")
    given_name: Name | None = field(name="name", default=None)
    work: Number | None = field(name="fpgaLatency", default=None)
    work_cpu: Number | None = field(name="cpuLatency", default=None)
    size: Number | None = None
    supported: Flag = field(name="supportedOnFpga", default=True)
    backward: Flag = field(name="isBackwardNode", default=False)
    colour_class: Label | None = field(name="colorClass", default=None)
    layer: Label | None = field(name="layerId", default=None)

    @property
    def identity(self) -> int:
        """Its id."""
        return int(self.given_id)

    @property
    def name(self) -> str:
        """Its name, or its id where it has none."""
        return words(self.identity if self.given_name is None or self.given_name == "" else self.given_name)


class _Edge(Struct):
    given_source: _Identity = field(name="sourceId")
    given_target: _Identity = field(name="destId")
    cost: Number
    given_size: Number | None = field(name="size", default=None)

    @property
    def source(self) -> int:
        """The id of the node that it leaves."""
        return int(self.given_source)

    @property
    def target(self) -> int:
        """The id of the node that it enters."""
        return int(self.given_target)

    @property
    def size(self) -> float:
        """Bytes; 0 where the file does not say."""
        return self.given_size or 0.0


class _Workload(Struct):
    nodes: list[_Node]
    edges: list[_Edge]
    accelerators: _Devices | None = field(name="maxFPGAs", default=None)
    cpus: _Devices | None = field(name="maxCPUs", default=None)
    memory: Number | None = field(name="maxSizePerFPGA", default=None)


def read(path: str | os.PathLike[str]) -> Graph:
    """The workload in a file. Raises :class:`ModelError`."""
    return from_json(read_json(path), Path(path).name, Path(path).stem)


def from_json(value: Any, file: str, name: str) -> Graph:
    """The workload in a parsed JSON value; ops are in the order of their ids."""
    data = typed(value, _Workload, file)
    nodes, edges = data.nodes, data.edges
    if not nodes:
        raise ModelError(f"{file}: the graph has no nodes; there is nothing to plan")
    nodes.sort(key=lambda node: node.identity)
    leaving: dict[int, list[_Edge]] = {}
    for edge in edges:
        leaving.setdefault(edge.source, []).append(edge)
    reached = {edge.target for edge in edges}
    weights = {node.identity for node in nodes if _is_weight(node, reached)}
    return Graph.build(
        name,
        [_op(node, leaving.get(node.identity, []), reached, weights) for node in nodes],
        [tensor for source in leaving for tensor in _tensors(leaving[source])],
        time_unit=None,
        format=FORMAT,
        deployment=_deployment(data),
    )


def _deployment(data: _Workload) -> dict[str, float]:
    given = {"accelerators": data.accelerators, "cpus": data.cpus, "memory": data.memory}
    return {name: float(amount) for name, amount in given.items() if amount is not None}


def _is_weight(node: _Node, reached: set[int]) -> bool:
    """A weight of an operator graph: a forward source that takes no time but occupies memory."""
    idle = not node.work and not node.work_cpu
    return node.identity not in reached and idle and not node.backward and bool(node.size)


def _op(node: _Node, leaving: list[_Edge], reached: set[int], weights: set[int]) -> Op:
    size = node.size or 0.0
    if weights:
        parameters = size if node.identity in weights else 0.0
    else:
        parameters = 0.0 if node.backward else max(0.0, size - max((e.size for e in leaving), default=0.0))
    return Op(
        id=str(node.identity),
        name=node.name,
        kind=kind_of(node.name, source=node.identity not in reached, weight=node.identity in weights),
        work=node.work,
        work_cpu=node.work_cpu,
        params=float(parameters // BYTES_PER_PARAMETER),
        param_bytes=parameters,
        memory=node.size,
        supported=bool(node.supported),
        backward=bool(node.backward),
        colour_class=label(node.colour_class),
        layer=label(node.layer),
    )


def kind_of(name: str, *, source: bool = False, weight: bool = False) -> str:
    """An op's kind as its name tells it: ``MatMul39`` is a MatMul, ``Conv5_Grad/ConvGrad_0`` a ConvGrad."""
    if weight:
        return "Parameter"
    if layer := _LAYER.match(name):
        return "LayerGradient" if layer[1] else ("Input" if source else "Layer")
    for pattern in (_GRADIENT, _OPTIMISER, _OPERATOR):
        if found := pattern.search(name):
            return found[1]
    return "op"


def _tensors(edges: list[_Edge]) -> list[Tensor]:
    """The tensors of one producer: one where all edges cost the same, else one per edge (Appendix B)."""
    producer = str(edges[0].source)
    if len({edge.cost for edge in edges}) == 1:
        size = max(edge.size for edge in edges)
        return [Tensor(producer, tuple(str(e.target) for e in edges), size, edges[0].cost)]
    return [Tensor(producer, (str(e.target),), e.size, e.cost) for e in edges]


# ---------------------------------------------------------------------------------------------------- split files
class _Device(Struct):
    nodes: list[Annotated[str, Meta(min_length=1)] | _Identity] = []


class _SplitFile(Struct):
    fpgas: list[_Device] = []
    cpus: list[_Device] = []


@dataclass(frozen=True, eq=False)
class Split:
    """An expert's or a solver's split: device counts and the device of each op (int32[n]), accelerators first."""

    accelerators: int
    cpus: int
    device_of: Ints


def read_split_file(path: str | os.PathLike[str], graph: Graph) -> Split:
    """The split of ``graph`` in a file ``{"fpgas": [{"nodes": [ids]}], "cpus": [...]}``. Raises :class:`PlanError`."""
    with guarded(Path(path).name, PlanError):
        return _split_in(path, graph)


def _split_in(path: str | os.PathLike[str], graph: Graph) -> Split:
    file = Path(path).name
    data = typed(read_json(path, error=PlanError), _SplitFile, file, PlanError)
    if not data.fpgas and not data.cpus:
        raise PlanError(
            f"{file} is not a split file: it lists neither 'fpgas' nor 'cpus'; choose a split of {graph.name}"
        )
    device_of = np.full(graph.n, -1, np.int32)
    for i, (kind, number, device) in enumerate(
        (kind, number, device)
        for kind, devices in (("fpgas", data.fpgas), ("cpus", data.cpus))
        for number, device in enumerate(devices, 1)
    ):
        what = f"{file}: device {number} of '{kind}'"
        for node in device.nodes:
            op = graph.index.get(node if isinstance(node, str) else str(int(node)))
            if op is None:
                raise PlanError(
                    f"{what} holds node {shown(node)}, which {graph.name} does not have; is it its split?"
                )
            if device_of[op] >= 0:
                raise PlanError(
                    f"{what} holds node {shown(node)}, which another place of the file holds too; keep one"
                )
            device_of[op] = i
    missing = np.flatnonzero(device_of < 0)
    if len(missing):
        names = ", ".join(graph.op_ids[v] for v in missing[:4].tolist())
        raise PlanError(
            f"{file} leaves {len(missing)} of {graph.n} ops of {graph.name} without a device ({names}"
            f"{', ...' if len(missing) > 4 else ''}); is it the split of another model?"
        )
    device_of.setflags(write=False)
    return Split(len(data.fpgas), len(data.cpus), device_of)


def read_split(path: str | os.PathLike[str], graph: Graph) -> Ints:
    """The device of each op (int32[n]) in a split file: accelerators first, then CPUs. Raises :class:`PlanError`."""
    return read_split_file(path, graph).device_of
