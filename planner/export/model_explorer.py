"""A plan for Google's Model Explorer: a graph collection, each op in its device's colour and folded under its device.

The format is that of the program's own adapters (``{"label", "graphs": [{"id", "nodes": [...]}]}``), so the file opens as a
model by itself. A second file beside it colours the same ops by device in the model as Model Explorer reads it itself (custom node
data: results by node or tensor name), where its names are those of the model's file.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from planner.export.dot import FILLS
from planner.export.sources import own_name, spare_strangers
from planner.files import to_json, write_together
from planner.problem.problem import Plan
from planner.quantity import bytes_text, time_text

_INK = "#1c2530"


def explorer_files(path: str | os.PathLike[str]) -> tuple[Path, Path]:
    """The two files that an export to ``path`` is written to: graphs and node data."""
    place = Path(path)
    stem = place.with_suffix("") if place.suffix.lower() == ".json" else place
    return stem.with_name(f"{stem.name}.json"), stem.with_name(f"{stem.name}.node-data.json")


def to_model_explorer(plan: Plan, path: str | os.PathLike[str]) -> tuple[Path, Path]:
    """Write ``<path>.json`` (the ending may be given) and ``<path>.node-data.json``, both or none.

    Raises :class:`StageboardError` where a file that was not named is there already as something else.
    """
    graphs, data = explorer_files(path)
    spare_strangers(path, (graphs, data), (b'"graphs"', b'"results"'))
    write_together({graphs: to_json(collection(plan)), data: to_json(node_data(plan))})
    return graphs, data


def collection(plan: Plan) -> dict[str, Any]:
    """One graph per model; the devices that run ops of it are its outermost layers."""
    names = plan.problem.graph.model_names
    return {"label": plan.problem.graph.name, "graphs": [_graph(plan, m) for m in range(len(names))]}


def node_data(plan: Plan) -> dict[str, Any]:
    """Devices as node data, by tensor name and by the ids of :func:`collection`; the value is the device's number.

    Of a single model it is the data of whichever graph is shown; of several it is listed by the graphs' ids.
    """
    names = plan.problem.graph.model_names
    data = [_model_data(plan, m) for m in range(len(names))]
    return data[0] if len(data) == 1 else dict(zip(names, data, strict=True))


def _model_data(plan: Plan, model: int) -> dict[str, Any]:
    graph = plan.problem.graph
    results: dict[str, Any] = {}
    ptr, tensors = graph.outputs
    for v in np.flatnonzero(graph.model == model).tolist():
        d = int(plan.decision.device_of[v])
        names = [graph.tensor_names[t] for t in tensors[ptr[v] : ptr[v + 1]].tolist()]
        for name in (_id(v), *filter(None, names)):
            results[name] = {"value": d, "bgColor": FILLS[d % len(FILLS)], "textColor": _INK}
    return {"results": results, "hideInAggregatedStatsTable": True}


def _id(v: int) -> str:
    """A node's id. Not a bare number, which Model Explorer's own readers use for other ops."""
    return f"op {v}"


def _graph(plan: Plan, model: int) -> dict[str, Any]:
    graph, devices, evaluation = plan.problem.graph, plan.problem.devices, plan.evaluation
    unit = graph.time_unit
    mine = [v for v in range(graph.n) if graph.model[v] == model]
    work = plan.problem.evaluator.work_on(plan.decision.device_of)
    used = sorted({int(plan.decision.device_of[v]) for v in mine})
    about = {
        "": {"target": plan.problem.target.spec(), **{n: f"{x:g}" for n, x in evaluation.components.items()}}
    }
    for d in used:
        about[_layer(devices[d].title)] = {
            "cost": time_text(float(evaluation.cost[d]), unit),
            "memory": bytes_text(float(evaluation.memory[d])),
        }
    return {
        "id": graph.model_names[model],
        "nodes": [_node(plan, v, float(work[v])) for v in mine],
        "groupNodeAttributes": about,
    }


def _layer(title: str) -> str:
    """A device's title as one level of a namespace."""
    return title.replace("/", "_")


def _node(plan: Plan, v: int, work: float) -> dict[str, Any]:
    graph = plan.problem.graph
    d = int(plan.decision.device_of[v])
    device = plan.problem.devices[d]
    scope = own_name(graph, v).strip("/").split("/")[:-1]
    attributes = {
        "name": own_name(graph, v),
        "device": device.title,
        "parameters": f"{graph.params[v]:.0f}",
        "parameter bytes": bytes_text(float(plan.problem.evaluator.params[v])),
        "multiply-accumulates": f"{graph.macs[v]:.0f}",
        "work": time_text(work, graph.time_unit),
    }
    in_ptr, in_tensor = graph.inputs
    out_ptr, out_tensor = graph.outputs
    edges = []
    for i, t in enumerate(in_tensor[in_ptr[v] : in_ptr[v + 1]].tolist()):
        producer = int(graph.tensor_producer[t])
        made = out_tensor[out_ptr[producer] : out_ptr[producer + 1]].tolist()
        edges.append(
            {
                "sourceNodeId": _id(producer),
                "sourceNodeOutputId": str(made.index(t)),
                "targetNodeInputId": str(i),
            }
        )
    outputs = []
    for i, t in enumerate(out_tensor[out_ptr[v] : out_ptr[v + 1]].tolist()):
        shape = graph.tensor_shapes[t]
        tensor = {
            "tensor_name": graph.tensor_names[t],
            "tensor_shape": f"{graph.tensor_dtypes[t]}[{'?' if shape is None else ','.join(map(str, shape))}]",
            "bytes": bytes_text(float(plan.problem.evaluator.size[t])),
        }
        outputs.append({"id": str(i), "attrs": _pairs(tensor)})
    return {
        "id": _id(v),
        "label": graph.kinds[v],
        "namespace": "/".join([_layer(device.title), *scope]),
        "attrs": _pairs(attributes),
        "incomingEdges": edges,
        "outputsMetadata": outputs,
        "style": {"backgroundColor": FILLS[d % len(FILLS)]},
    }


def _pairs(values: dict[str, str]) -> list[dict[str, str]]:
    return [{"key": key, "value": value} for key, value in values.items() if value]
