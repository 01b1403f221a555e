"""A plan as a table: one row per op."""

from __future__ import annotations

import csv
import io
import os
from pathlib import Path

import numpy as np

from planner.evaluation.estimates import op_times
from planner.files import write_atomically
from planner.problem.problem import Plan

COLUMNS = (
    "id",
    "name",
    "kind",
    "model",
    "device",
    "device_kind",
    "work",
    "work_accelerator",
    "work_cpu",
    "time_unit",
    "params",
    "param_bytes",
    "macs",
    "memory_bytes",
    "input_bytes",
    "output_bytes",
    "received_bytes",
    "sent_bytes",
    "layer",
    "backward",
    "estimated",
    "measured",
    "measured_over_estimated",
    "measured_spread",
)


def csv_text(plan: Plan) -> str:
    """The table as text, one header line, ops in the graph's order.

    ``input_bytes`` and ``output_bytes`` are the op's own tensors; of these, ``received_bytes`` come from another device
    and ``sent_bytes`` go to at least one other device. ``work`` is the op's time on its device, as the plan counts it;
    ``work_accelerator`` and ``work_cpu`` are those of the model. ``estimated`` and ``measured`` are times on the op's device
    (:func:`planner.evaluation.estimates.op_times`), empty where there is none.
    """
    graph, devices = plan.problem.graph, plan.problem.devices
    device_of = plan.decision.device_of
    in_ptr, in_tensor = graph.inputs
    reader = np.repeat(np.arange(graph.n), np.diff(in_ptr))
    size = graph.tensor_bytes[in_tensor]
    foreign = device_of[graph.tensor_producer[in_tensor]] != device_of[reader]
    received = np.bincount(reader, size * foreign, graph.n)
    crosses = np.zeros(graph.tensor_count, bool)
    crosses[in_tensor[foreign]] = True
    columns = {
        "input_bytes": np.bincount(reader, size, graph.n),
        "output_bytes": np.bincount(graph.tensor_producer, graph.tensor_bytes, graph.n),
        "received_bytes": received,
        "sent_bytes": np.bincount(graph.tensor_producer, graph.tensor_bytes * crosses, graph.n),
    }
    work, times = plan.problem.evaluator.work_on(device_of), op_times(plan.problem, device_of)
    runs = np.full(graph.n, np.nan) if graph.measured is None else graph.measured.spread
    spread = np.where(np.isnan(times.measured), np.nan, runs)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for v in range(graph.n):
        device = devices[int(device_of[v])]
        writer.writerow(
            [
                _safe(graph.op_ids[v]),
                _safe(graph.op_names[v]),
                _safe(graph.kinds[v]),
                _safe(graph.model_names[graph.model[v]]),
                device.name,
                device.kind,
                repr(float(work[v])),
                repr(float(graph.work[v])),
                repr(float(graph.work_cpu[v])),
                graph.time_unit or "",
                *(
                    _number(value)
                    for value in (graph.params[v], graph.param_bytes[v], graph.macs[v], graph.memory[v])
                ),
                *(_number(values[v]) for values in columns.values()),
                "" if graph.layer[v] < 0 else int(graph.layer[v]),
                int(graph.backward[v]),
                *(_known(values[v]) for values in (*times, spread)),
            ]
        )
    return out.getvalue()


def _known(value: float) -> str:
    """A time, nothing where it is not known."""
    return "" if np.isnan(value) else repr(float(value))


def _number(value: float) -> str:
    number = float(value)
    return str(int(number)) if number.is_integer() and abs(number) < 2**53 else repr(number)


def _safe(text: str) -> str:
    """Text that a spreadsheet does not take for a formula: names come from files of strangers."""
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text


def to_csv(plan: Plan, path: str | os.PathLike[str]) -> Path:
    """Write the table (UTF-8, commas), all of it or nothing."""
    return write_atomically(path, csv_text(plan))
