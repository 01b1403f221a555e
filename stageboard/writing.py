"""Plans for other programs."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from planner.errors import StageboardError
from planner.export.sources import spare
from planner.export.stages.stages import VerificationFailed
from planner.formats.graphs import stageboard_json
from planner.machines.two_level_memory.problem import OrderPlan
from planner.reports.certificate.write import to_certificate
from planner.runs.exporting import (
    CERTIFICATE,
    FOLDERS,
    MODEL,
    formats,
    places,
    write_plan_as,
    write_stages,
)
from planner.runs.planning import stop_when
from planner.runs.proving import prove_again
from stageboard.models import Graph, Network, StrPath
from stageboard.plans import Plan

PROVING = 10.0
"""Seconds for which a certificate proves what is claimed."""


def export(
    plan: Plan | Graph, form: str, path: StrPath, *, check: bool = True, samples: int | None = None
) -> tuple[Path, ...]:
    """Write a plan for another program, and say which files: ``onnx-stages``, ``tflite-stages``, ``csv``, ``dot``, ``certificate``, ...

    Stages are cut from the model's files, run against the whole model where ``check`` says so, on ``samples`` random inputs. ``json`` writes the
    model, of a graph or a plan. Raises :class:`StageboardError`; a folder of stages that do not reproduce the model is not written.
    """
    if form not in formats():
        raise StageboardError(f"there is no format '{form}'; choose from {', '.join(formats())}")
    if isinstance(plan, Network) or (not isinstance(plan, Plan) and form != MODEL):
        raise StageboardError(
            f"{plan.name} is a model without a plan; of a graph the format '{MODEL}' alone can be written"
        )
    model = plan.model if isinstance(plan, Plan) else plan
    files = [os.fspath(one) for one in model.paths]
    if form not in FOLDERS:
        spare(places(form, Path(path)), files)
    if form == MODEL:
        return (_model(plan, path),)
    assert isinstance(plan, Plan)
    held = plan._held()
    if form == CERTIFICATE:
        again = prove_again(held, plan.bounds, stop_when(lambda: False, PROVING))  # type: ignore[arg-type]
        return (to_certificate(held, again.bounds, path, again.new, again.notes),)  # type: ignore[arg-type]
    if form in FOLDERS and not isinstance(held, OrderPlan):
        if not files:
            raise StageboardError(
                f"{model.name} was not read from a file, and stages are cut from one; read an ONNX or a TFLite model"
            )
        try:
            done = write_stages(held, form, files, path, check=check, samples=samples)  # type: ignore[arg-type]
        except VerificationFailed as error:
            raise StageboardError(str(error)) from error
        return tuple(stage.path for stage in done.stages)
    return write_plan_as(held, form, path, files)  # type: ignore[arg-type]


def _model(plan: Plan | Graph, path: StrPath) -> Path:
    """Write the graph with the times that it was given; of a plan, each op's device as an attribute."""
    model = plan.model if isinstance(plan, Plan) else plan
    if not isinstance(model, Graph):
        raise StageboardError(
            f"{model.name} is a sparse network; write its plan with '{CERTIFICATE}' or 'order'"
        )
    graph = model.planned
    if isinstance(plan, Plan) and plan.found is not None:
        devices = [plan.problem.devices[d].name for d in plan.found.decision.device_of.tolist()]
        graph = replace(
            graph, attrs=tuple({**a, "device": d} for a, d in zip(graph.attrs, devices, strict=True))
        )
    return stageboard_json.write(graph, path, "; ".join(one.name for one in model.paths))
