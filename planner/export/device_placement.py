"""A plan as a split file of the device-placement format, readable by :mod:`planner.formats.graphs.device_placement`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from planner.evaluation.estimates import times_lines
from planner.files import to_json, write_atomically
from planner.problem.problem import Plan


def split_dict(plan: Plan) -> dict[str, Any]:
    """``{"maxLoad", "fpgas": [{"load", "nodes"}], "cpus": [...]}``; devices that are not CPUs are listed as ``fpgas``.

    An accelerator that runs several subgraphs in turn is one of them, with the ops of all. Ids that are numbers in the
    workload's file are numbers here. Loads are the devices' costs in the graph's time unit; ``times`` says where these come from
    where that is not the workload's file.
    """
    graph, evaluation = plan.problem.graph, plan.evaluation
    devices = plan.problem.devices
    owner = [
        d if device.kind == "cpu" else int(plan.problem.evaluator.owner[d])
        for d, device in enumerate(devices)
    ]
    nodes: list[list[int | str]] = [[] for _ in devices]
    for v, d in enumerate(plan.decision.device_of.tolist()):
        nodes[owner[d]].append(_id(graph.op_ids[v]))
    loads = np.bincount(owner, weights=evaluation.cost, minlength=len(devices))
    split: dict[str, Any] = {"maxLoad": float(evaluation.cost.max(initial=0.0)), "fpgas": [], "cpus": []}
    for d, device in enumerate(devices):
        if owner[d] == d:
            kind = "cpus" if device.kind == "cpu" else "fpgas"
            split[kind].append({"load": float(loads[d]), "nodes": nodes[d]})
    if lines := times_lines(plan.problem):
        split["times"] = "; ".join(lines)
    return split


def _id(op: str) -> int | str:
    return int(op) if op.removeprefix("-").isdecimal() and str(int(op)) == op else op


def to_device_placement(plan: Plan, path: str | os.PathLike[str]) -> Path:
    """Write the split file, all of it or nothing."""
    return write_atomically(path, to_json(split_dict(plan)))
