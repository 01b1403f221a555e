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
from typing import Any, NamedTuple

import numpy as np

from planner.errors import ModelError, PlanError, StageboardError
from planner.files import read_json
from planner.formats.checks import INT32, flag, items, number, optional_number, shown, table, text, whole
from planner.guard import guarded
from planner.model.graph import Graph, Ints
from planner.model.ops import Op, Tensor

FORMAT = "device-placement"
BYTES_PER_PARAMETER = 4.0
_GRADIENT = re.compile(r"_Grad/([A-Za-z]+)")
_OPTIMISER = re.compile(r"^([A-Za-z]*Optimizer|AccumulateGrad)(?=_)")
_OPERATOR = re.compile(r"^([A-Z][A-Za-z]*)(?=_?\d|$)")
_LAYER = re.compile(r"^node_?\d+(grad)?$")


def is_device_placement(value: Any) -> bool:
    """Whether a JSON value looks like a workload in this format."""
    return isinstance(value, dict) and "nodes" in value and "edges" in value


class _Node(NamedTuple):
    identity: int
    name: str
    work: float | None
    work_cpu: float | None
    size: float | None
    supported: bool
    backward: bool
    colour_class: int | None
    layer: int | None


class _Edge(NamedTuple):
    source: int
    target: int
    cost: float
    size: float


def read(path: str | os.PathLike[str]) -> Graph:
    """The workload in a file. Raises :class:`ModelError`."""
    return from_json(read_json(path), Path(path).name, Path(path).stem)


def from_json(value: Any, file: str, name: str) -> Graph:
    """The workload in a parsed JSON value; ops are in the order of their ids."""
    data = table(value, f"{file}: the file")
    nodes = [
        _node(entry, f"{file}: node number {i + 1}")
        for i, entry in enumerate(items(data.get("nodes"), f"{file}: nodes"))
    ]
    if not nodes:
        raise ModelError(f"{file}: the graph has no nodes; there is nothing to plan")
    nodes.sort(key=lambda node: node.identity)
    edges = [
        _edge(entry, f"{file}: edge number {i + 1}")
        for i, entry in enumerate(items(data.get("edges"), f"{file}: edges"))
    ]
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
        deployment=_deployment(data, file),
    )


def _node(entry: Any, what: str) -> _Node:
    node = table(entry, what)
    identity = _identity(node.get("id"), f"{what}: id")
    what = f"{what} (id {identity})"
    return _Node(
        identity=identity,
        name=str(identity) if node.get("name") in (None, "") else text(node["name"], f"{what}: name"),
        work=optional_number(node.get("fpgaLatency"), f"{what}: fpgaLatency"),
        work_cpu=optional_number(node.get("cpuLatency"), f"{what}: cpuLatency"),
        size=optional_number(node.get("size"), f"{what}: size"),
        supported=flag(node.get("supportedOnFpga", True), f"{what}: supportedOnFpga"),
        backward=flag(node.get("isBackwardNode", False), f"{what}: isBackwardNode"),
        colour_class=_label(node.get("colorClass"), f"{what}: colorClass"),
        layer=_label(node.get("layerId"), f"{what}: layerId"),
    )


def _edge(entry: Any, what: str) -> _Edge:
    edge = table(entry, what)
    return _Edge(
        source=_identity(edge.get("sourceId"), f"{what}: sourceId"),
        target=_identity(edge.get("destId"), f"{what}: destId"),
        cost=number(edge.get("cost"), f"{what}: cost"),
        size=number(edge.get("size") or 0, f"{what}: size"),
    )


def _identity(value: Any, what: str, error: type[StageboardError] = ModelError) -> int:
    return whole(value, what, -INT32, INT32, error)


def _label(value: Any, what: str) -> int | None:
    return None if value is None or value == -1 else whole(value, what)


def _deployment(data: dict[str, Any], file: str) -> dict[str, float]:
    found: dict[str, float] = {}
    for key, name in (("maxFPGAs", "accelerators"), ("maxCPUs", "cpus")):
        if data.get(key) is not None:
            found[name] = float(whole(data[key], f"{file}: {key}", 0, 1024))
    if data.get("maxSizePerFPGA") is not None:
        found["memory"] = number(data["maxSizePerFPGA"], f"{file}: maxSizePerFPGA")
    return found


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
        supported=node.supported,
        backward=node.backward,
        colour_class=node.colour_class,
        layer=node.layer,
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
    data = table(read_json(path, error=PlanError), f"{file}: the file", PlanError)
    if "fpgas" not in data and "cpus" not in data:
        raise PlanError(
            f"{file} is not a split file: it has neither 'fpgas' nor 'cpus'; choose a split of {graph.name}"
        )
    counts: list[int] = []
    device_of = np.full(graph.n, -1, np.int32)
    for kind in ("fpgas", "cpus"):
        devices = items(data.get(kind, []), f"{file}: {kind}", PlanError)
        first = sum(counts)
        counts.append(len(devices))
        for i, entry in enumerate(devices):
            what = f"{file}: device {i + 1} of '{kind}'"
            for node in items(table(entry, what, PlanError).get("nodes", []), f"{what}: nodes", PlanError):
                op = graph.index.get(_node_name(node, what))
                if op is None:
                    raise PlanError(
                        f"{what} holds node {shown(node)}, which {graph.name} does not have; is it its split?"
                    )
                if device_of[op] >= 0:
                    raise PlanError(
                        f"{what} holds node {shown(node)}, which another place of the file holds too; keep one"
                    )
                device_of[op] = first + i
    missing = np.flatnonzero(device_of < 0)
    if len(missing):
        names = ", ".join(graph.op_ids[v] for v in missing[:4].tolist())
        raise PlanError(
            f"{file} leaves {len(missing)} of {graph.n} ops of {graph.name} without a device ({names}"
            f"{', ...' if len(missing) > 4 else ''}); is it the split of another model?"
        )
    device_of.setflags(write=False)
    return Split(counts[0], counts[1], device_of)


def _node_name(node: Any, what: str) -> str:
    if isinstance(node, str) and node:
        return node
    return str(_identity(node, f"{what}: a node", PlanError))


def read_split(path: str | os.PathLike[str], graph: Graph) -> Ints:
    """The device of each op (int32[n]) in a split file: accelerators first, then CPUs. Raises :class:`PlanError`."""
    return read_split_file(path, graph).device_of
