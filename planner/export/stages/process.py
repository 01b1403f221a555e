"""An export of stages as an order to a process of its own (:mod:`planner.export.stages.serving`)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from planner.export.stages.serving import Progress
from planner.export.stages.stages import StageExport
from planner.loading import load
from planner.model.graph import Ints
from planner.problem.problem import Problem
from planner.problem.provenance import Provenance

WRITERS = {
    "onnx-stages": "planner.export.onnx.stages:to_onnx_stages",
    "tflite-stages": "planner.export.tflite.stages:to_tflite_stages",
}


@dataclass(frozen=True, eq=False)
class StagesOrder:
    """Stages to be written: ``onnx-stages`` or ``tflite-stages``, the plan, the model files in its order, the folder to make, and
    whether to run them against the whole models."""

    format: str
    problem: Problem
    device_of: Ints
    provenance: Provenance
    sources: tuple[Path, ...]
    folder: Path
    check: bool = True


def write_stages(order: StagesOrder, _progress: Progress, stopped: Callable[[], bool]) -> StageExport:
    """Write them; how far it is nobody can say. Raises :class:`planner.errors.StageboardError`."""
    # Whoever orders them needs neither format.
    write = load(WRITERS[order.format])
    plan = order.problem.plan(order.device_of, order.provenance)
    written: StageExport = write(plan, order.sources, order.folder, check=order.check, stopped=stopped)
    return written
