"""The formats in which plans are written for other programs, and the one door through which they are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planner import export
from planner.errors import StageboardError
from planner.export.model_explorer import explorer_files, to_model_explorer
from planner.machines.catalogue import machine_form, machine_formats
from planner.machines.two_level_memory.export import to_order
from planner.machines.two_level_memory.problem import OrderPlan
from planner.problem.problem import Plan

if TYPE_CHECKING:
    from planner.export.stages.stages import StageExport

_SHARED = {
    "onnx-stages": "a folder with one ONNX model per stage, verified to reproduce the whole model",
    "tflite-stages": "a folder with one TFLite model per stage, verified to reproduce the whole model",
    "json": "the model as Stageboard's own graph JSON, with the times that it was given (no plan is needed)",
    "device-placement": "split file of the device-placement format (JSON)",
    "model-explorer": "graph for Google's Model Explorer in the devices' colours, and node data (JSON)",
    "dot": "Graphviz graph, one cluster per device, or with .svg, .pdf or .png what Graphviz draws of it; a plan is not needed",
    "csv": "table, one row per op",
    "order": "of a network: its connections in the order of their use, with all that is needed to run them (.npz)",
    "certificate": "what the plan costs, how good it provably is, and all that it takes to check both (.json, .txt)",
}
MODEL = "json"
"""The format that holds a model; a plan may come with it."""
PLANLESS = (MODEL, "dot")
"""Formats of models, which need no plan."""
ORDER = "order"
CERTIFICATE = "certificate"
FOLDERS = ("onnx-stages", "tflite-stages")


def formats() -> dict[str, str]:
    """Every format by name with what it holds: those that all plans share, and those of single machines."""
    own = machine_formats()
    names = list(_SHARED)
    return {**{n: _SHARED[n] for n in names[:2]}, **own, **{n: _SHARED[n] for n in names[2:]}}


def places(form: str, path: Path) -> tuple[Path, ...]:
    """The files that an export to ``path`` writes."""
    own = machine_form(form)
    if own is not None:
        return own.files(path)
    if form == "model-explorer":
        return explorer_files(path)
    return (path,)


def write_plan_as(
    plan: Plan | OrderPlan, form: str, path: str | Path, models: Sequence[str] = (), name: str = ""
) -> tuple[Path, ...]:
    """Write a plan in a format that is a file and proves nothing; ``models`` are the plan's files, and ``name`` is what sentences call it.

    Raises :class:`StageboardError` where the format is not for such plans, or does not exist.
    """
    called = name or plan.name or "the plan"
    if isinstance(plan, OrderPlan):
        if form != ORDER:
            raise StageboardError(
                f"{called} is an order of a network's connections; export it with --to order or certificate"
            )
        return (to_order(plan, path),)
    if form == ORDER:
        raise StageboardError(
            f"{called} assigns ops to devices; an order is exported from the plan of a sparse network"
        )
    return _writer(form)(plan, Path(path), list(models))


def write_stages(
    plan: Plan, form: str, models: Sequence[str], folder: str | Path, *, check: bool = True, samples: int | None = None,
    seed: int | None = None,
) -> StageExport:  # fmt: skip
    """Write a folder of stages in one of :data:`FOLDERS`, run against the whole model where ``check`` says so.

    Raises :class:`planner.export.stages.stages.VerificationFailed` where they do not reproduce it, :class:`StageboardError`.
    """
    from planner.export.onnx.stages import to_onnx_stages
    from planner.export.tflite.stages import to_tflite_stages

    write = to_onnx_stages if form == "onnx-stages" else to_tflite_stages
    given: dict[str, Any] = {"samples": samples, "seed": seed}
    options = {key: value for key, value in given.items() if value is not None}
    return write(plan, list(models), folder, check=check, **options)


def _writer(form: str) -> Callable[[Plan, Path, list[str]], tuple[Path, ...]]:
    own = machine_form(form)
    if own is not None:
        return lambda plan, path, models: own.write(plan, models, path)
    writers: dict[str, Callable[[Plan, Path, list[str]], tuple[Path, ...]]] = {
        "model-explorer": lambda plan, path, models: to_model_explorer(plan, path),
        "device-placement": lambda plan, path, models: (export.to_device_placement(plan, path),),
        "dot": lambda plan, path, models: (export.to_dot(plan.problem.graph, plan, path),),
        "csv": lambda plan, path, models: (export.to_csv(plan, path),),
    }
    if form not in writers:
        raise StageboardError(f"there is no format '{form}'; choose from {', '.join(formats())}")
    return writers[form]
