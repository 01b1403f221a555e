"""What a segmenting compiler and its user need of a plan for Edge TPUs: the tensors to cut at, and the memory of each segment.

Sizes are those of the plan's evaluation (INT8 unless the target's precision says otherwise), so they are the bytes of the
parameters themselves; the Edge TPU compiler pads them in its cache (docs/formats.md says by how much).
"""

from __future__ import annotations

import os
import shlex
import textwrap
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from planner.errors import StageboardError
from planner.evaluation.parameter_bytes import parameter_bytes, tensor_bytes
from planner.export.form import Form
from planner.export.sources import own_name, rule_notes, spare_strangers
from planner.export.stages.stages import INPUT_KINDS, segment_name
from planner.files import to_json, write_together
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.model.graph import Floats, Graph
from planner.model.precision import FILE, floating_ops, precision_of
from planner.problem.problem import Plan
from planner.quantity import bytes_text

FORMAT = "stageboard-edge-tpu-report"
VERSION = 1
ON_CHIP = "On-chip used"
"""The title of a column that every text has."""
_NUMBERS = ("on_chip_used", "on_chip_remaining", "off_chip", "bytes_in", "bytes_out")


@dataclass(frozen=True)
class ReportFiles:
    """The two files of a report."""

    text: Path
    data: Path


def report_files(path: str | os.PathLike[str]) -> ReportFiles:
    """The two files that a report to ``path`` is written to."""
    place = Path(path)
    stem = place.with_suffix("") if place.suffix.lower() in (".txt", ".json") else place
    return ReportFiles(stem.with_name(f"{stem.name}.txt"), stem.with_name(f"{stem.name}.json"))


def to_edge_tpu(
    plan: Plan, sources: Sequence[str | os.PathLike[str]], path: str | os.PathLike[str]
) -> ReportFiles:
    """Write ``<path>.txt`` and ``<path>.json`` (either ending may be given), both or none. ``sources`` name the models' files, for the commands.

    Raises :class:`StageboardError` for a plan of another target and for one whose stages feed earlier ones, and where one of the two files
    is there already as something else.
    """
    report, files = edge_tpu_report(plan, sources), report_files(path)
    spare_strangers(path, (files.text, files.data), (FORMAT.encode(), ON_CHIP.encode()))
    write_together({files.text: report_text(report), files.data: to_json(report)})
    return files


# --------------------------------------------------------------------------------------------------------- the data
def edge_tpu_report(plan: Plan, sources: Sequence[str | os.PathLike[str]] = ()) -> dict[str, Any]:
    """The report as JSON values: ``stages`` of the machine, and of each model its ``segments``, ``cuts`` and ``operations``.

    A *segment* is what one stage runs of one model; stages without ops of it have none, so segments are numbered as the
    files of an export of stages are. A cut lies between two segments in a row and lists every tensor that passes it.
    """
    target = plan.problem.target
    if not isinstance(target, EdgeTpuPipeline):
        raise StageboardError(
            f"the plan is for {target.spec()}, which has no Edge TPU segments; plan the model for edge-tpu:4 or the like"
        )
    backward = [v for v in plan.evaluation.violations if v.kind == "order"]
    if backward:
        raise StageboardError(f"{backward[0].sentence}; repair the plan, then export the report")
    graph, evaluation = plan.problem.graph, plan.evaluation
    details, runs = evaluation.details, _runs(graph)
    stages = [
        {
            "stage": device.name,
            "operations": int(runs[plan.decision.device_of == k].sum()),
            "on_chip_used": float(details["cache"][k]),
            "on_chip_remaining": float(target.cache - details["cache"][k]),
            "off_chip": float(details["dram"][k]),
            "bytes_in": float(details["bytes_in"][k]),
            "bytes_out": float(details["bytes_out"][k]),
        }
        for k, device in enumerate(plan.problem.devices)
    ]
    return {
        "format": FORMAT,
        "version": VERSION,
        "target": target.spec(),
        "cache": target.cache,
        "precision": target.precision,
        "objective": plan.problem.objective,
        "components": dict(evaluation.components),
        "valid": evaluation.valid,
        "stages": stages,
        "models": [_model(plan, target, m, sources) for m in range(len(graph.model_names))],
        "notes": _notes(plan, target),
    }


def _runs(graph: Graph) -> Any:
    """Ops that compute (bool[n]): model inputs do not."""
    return np.array([kind not in INPUT_KINDS for kind in graph.kinds], bool)


def _model(
    plan: Plan, target: EdgeTpuPipeline, model: int, sources: Sequence[str | os.PathLike[str]]
) -> dict[str, Any]:
    graph, devices = plan.problem.graph, plan.problem.devices
    name = graph.model_names[model]
    ops = np.flatnonzero((graph.model == model) & _runs(graph))
    stage_of = plan.decision.device_of
    used = np.unique(stage_of[ops])
    parameters = parameter_bytes(graph, target.precision, target.fold_batch_norm)
    segments = []
    for i, k in enumerate(used.tolist()):
        inside = ops[stage_of[ops] == k]
        segments.append(
            {
                "segment": segment_name(name, i, len(used)),
                "stage": devices[k].name,
                "operations": len(inside),
                "edge_tpu_operations": int(graph.supported[inside].sum()),
                "parameter_bytes": float(parameters[inside].sum()),
            }
        )
    file = Path(sources[model]).name if model < len(sources) else f"{name}.tflite"
    compiled = Path(file).with_suffix(".tflite").name  # the compiler takes no other format
    return {
        "model": name,
        "source": file,
        "segments": segments,
        "cuts": _cuts(plan, target, model, used.tolist(), compiled),
        "operations": _operations(graph, ops),
    }


def _operations(graph: Graph, ops: Any) -> list[dict[str, Any]]:
    """Ops by kind and by where they run, the most frequent first."""
    counted = Counter((graph.kinds[v], bool(graph.supported[v])) for v in ops.tolist())
    return [
        {"kind": kind, "count": count, "runs_on": "Edge TPU" if supported else "host"}
        for (kind, supported), count in sorted(counted.items(), key=lambda item: (-item[1], item[0]))
    ]


def _cuts(
    plan: Plan, target: EdgeTpuPipeline, model: int, used: list[int], file: str
) -> list[dict[str, Any]]:
    """The tensors that pass between each two segments in a row, in the graph's order.

    Without any, as between two networks in one model, ``argument`` and ``command`` are empty.
    """
    graph, stage_of = plan.problem.graph, plan.decision.device_of
    size: Floats = tensor_bytes(graph, target.precision)
    segment = {k: i for i, k in enumerate(used)}
    passing: list[list[dict[str, Any]]] = [[] for _ in used[1:]]
    for t in np.flatnonzero(graph.model[graph.tensor_producer] == model).tolist():
        producer = int(graph.tensor_producer[t])
        if graph.kinds[producer] in INPUT_KINDS:
            continue  # comes from the host, whichever stage reads it
        home = segment[int(stage_of[producer])]
        readers = graph.consumer_idx[graph.consumer_ptr[t] : graph.consumer_ptr[t + 1]]
        to = sorted({segment[int(k)] for k in stage_of[readers]} - {home})
        if not to:
            continue
        shape = graph.tensor_shapes[t]
        entry = {
            "tensor": graph.tensor_names[t] or own_name(graph, producer),
            "shape": None if shape is None else list(shape),
            "dtype": graph.tensor_dtypes[t] or None,
            "bytes": float(size[t]),
            "producer": own_name(graph, producer),
            "from": home,
            "to": to,
        }
        for cut in range(home, to[-1]):
            passing[cut].append(entry)
    cuts = []
    for i, tensors in enumerate(passing):
        names = shlex.quote(",".join(entry["tensor"] for entry in tensors))
        argument = f"--intermediate_tensors {names}" if tensors else ""  # the compiler cannot stop at nothing
        cuts.append(
            {
                "after": segment_name(graph.model_names[model], i, len(used)),
                "bytes": sum(entry["bytes"] for entry in tensors),
                "tensors": tensors,
                "argument": argument,
                "command": f"edgetpu_compiler {argument} {shlex.quote(file)}" if tensors else "",
            }
        )
    return cuts


def _notes(plan: Plan, target: EdgeTpuPipeline) -> list[str]:
    graph, notes = plan.problem.graph, []
    if target.precision == "int8" and (floating_ops(graph).any() or precision_of(graph) != FILE):
        notes.append(
            "the model is in floating point: sizes are those it has once quantised to INT8, which the compiler needs"
        )
    own = [float(plan.evaluation.details[name].sum()) for name in ("host_in", "host_out")]
    if any(own):
        notes.append(
            f"In and Out are what stages exchange; the model's own inputs ({bytes_text(own[0])}) and outputs ({bytes_text(own[1])}) cross the host link, too"
        )
    pushed = plan.evaluation.details["pushed"]
    if pushed.any():
        told = ", ".join(
            f"{plan.problem.devices[k].name} {bytes_text(pushed[k])}" for k in np.flatnonzero(pushed)
        )
        notes.append(
            f"activations push parameters out of caches, which are streamed like those off-chip: {told}"
        )
    counted = int(_runs(graph).sum())
    if others := graph.n - counted:
        told = "the other is a model input" if others == 1 else f"the other {others:,} are model inputs"
        notes.append(f"operations are the ops that compute, {counted:,} of {graph.n:,}: {told}")
    notes += rule_notes(plan)
    if len(graph.model_names) > 1:
        notes.append("the models share each stage's cache: its memory is that of all of them")
    return notes


# --------------------------------------------------------------------------------------------------------- as text
def report_text(report: dict[str, Any]) -> str:
    """The report for a person, sizes as everywhere."""
    components = ", ".join(f"{name} {_amount(name, value)}" for name, value in report["components"].items())
    names = " + ".join(model["model"] for model in report["models"])
    # An objective of one number is its component: said once.
    objective = "" if report["objective"] in report["components"] else f"{report['objective']}: "
    lines = [f"{names} on {report['target']}", f"{objective}{components}", ""]
    if any(report["notes"]):
        lines += [*(f"Note: {note}." for note in report["notes"]), ""]
    lines += _table(
        ["Stage", "Operations", ON_CHIP, "On-chip remaining", "Off-chip", "In", "Out"],
        [
            [stage["stage"], str(stage["operations"]), *(bytes_text(stage[key]) for key in _NUMBERS)]
            for stage in report["stages"]
        ],
    )
    for model in report["models"]:
        lines += ["", f"Segments of {model['model']}", ""]
        lines += _table(
            ["Segment", "Stage", "Operations", "on the Edge TPU", "on the host", "Parameters"],
            [
                [
                    s["segment"], s["stage"], str(s["operations"]), str(s["edge_tpu_operations"]),
                    str(s["operations"] - s["edge_tpu_operations"]), bytes_text(s["parameter_bytes"]),
                ]
                for s in model["segments"]
            ],
            left=(0, 1),
        )  # fmt: skip
        for cut in model["cuts"]:
            lines += ["", *_cut_text(cut, report["precision"])]
        lines += ["", f"Operators of {model['model']}", ""]
        lines += _table(
            ["Operator", "Count", "Runs on"],
            [[op["kind"], str(op["count"]), op["runs_on"]] for op in model["operations"]],
        )
    lines += ["", *_advice(report)]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _advice(report: dict[str, Any]) -> list[str]:
    """How to go on: TFLite files are cut as they are, others have to become TFLite files first."""
    other = next((m["source"] for m in report["models"] if not m["source"].lower().endswith(".tflite")), None)
    if other is None:
        first = "To compile: export the plan as tflite-stages"
    else:
        first = (
            f"To compile: convert {other} to an INT8 .tflite file (its tensors may have other names than these), plan that,"
            " export it as tflite-stages"
        )
    return textwrap.wrap(
        f"{first} and compile each segment's file by itself; compiled together they would share one cache. The argument"
        " below a cut lets the compiler take the model up to there; --num_segments alone cuts where the compiler likes.",
        116,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _cut_text(cut: dict[str, Any], precision: str) -> list[str]:
    count = len(cut["tensors"])
    lines = [
        f"Cut after {cut['after']}: {count} tensor{'' if count == 1 else 's'}, {bytes_text(cut['bytes'])}"
    ]
    if not count:
        return lines
    rows = []
    for entry in cut["tensors"]:
        shape = "?" if entry["shape"] is None else "x".join(str(d) for d in entry["shape"]) or "scalar"
        to = ", ".join(str(i) for i in entry["to"])
        rows.append(
            [
                f"{entry['from']} to {to}",
                shape,
                entry["dtype"] or "?",
                f"{entry['bytes']:.0f}",
                entry["tensor"],
            ]
        )
    quantised = precision == "int8" and any(
        (entry["dtype"] or "").startswith(("float", "bfloat", "double")) for entry in cut["tensors"]
    )
    size = "INT8 bytes" if quantised else "Bytes"
    lines += _table(["Segments", "Shape", "Type", size, "Tensor"], rows, left=(0, 1, 2, 4))
    return [*lines, f"  {cut['argument']}"]


def _table(head: list[str], rows: list[list[str]], left: Sequence[int] = (0,)) -> list[str]:
    """Columns two spaces apart; text to the left, numbers to the right."""
    widths = [max(len(row[c]) for row in (head, *rows)) for c in range(len(head))]
    return [
        "  "
        + "  ".join(
            cell.ljust(width) if c in left else cell.rjust(width)
            for c, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in (head, *rows)
    ]


def _amount(component: str, value: float) -> str:
    return f"{value * 1e3:.3f} ms" if component in {"stage-time", "inference-time"} else bytes_text(value)


def _write(plan: Plan, sources: Sequence[str | os.PathLike[str]], path: Path) -> tuple[Path, ...]:
    files = to_edge_tpu(plan, sources, path)
    return files.text, files.data


def _files(path: Path) -> tuple[Path, ...]:
    files = report_files(path)
    return files.text, files.data


FORM = Form(_files, _write)
