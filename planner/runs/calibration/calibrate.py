"""A machine of one's own from measured models, and how far its estimates are from what was measured."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from planner.errors import StageboardError
from planner.model.cost_model import CostModel, Groups, Rates
from planner.model.graph import Floats, Graph
from planner.model.named_machines import NamedMachine, check_name
from planner.runs.calibration.fit import fitted, measured_on, samples_of


class Errors(NamedTuple):
    """How far estimates are from measured times: the median and the 90th percentile of the larger over the smaller of the two, op by op, and the
    sum of estimates over the sum of measured times."""

    ops: int
    median: float
    worst_tenth: float
    total: float


@dataclass(frozen=True)
class ModelErrors:
    """Errors on one model: of the default cost model, of the calibration, and of one on all other models (None where there are none)."""

    model: str
    before: Errors
    after: Errors
    left_out: Errors | None


@dataclass(frozen=True)
class Calibration:
    """A machine, and its errors on all ops of the models that it was made of and on each model."""

    machine: NamedMachine
    before: Errors
    after: Errors
    left_out: Errors | None
    models: tuple[ModelErrors, ...]


def errors_of(estimated: Floats, measured: Floats) -> Errors:
    """Errors of estimates (float64[n]) of what was measured (float64[n], NaN where an op was not; such ops do not count)."""
    known = ~np.isnan(measured) & (estimated > 0)
    if not known.any():
        raise StageboardError("no op has both an estimate and a measured time")
    ratio = np.exp(np.abs(np.log(estimated[known] / measured[known])))
    return Errors(
        int(known.sum()), float(np.median(ratio)), float(np.quantile(ratio, 0.9)),
        float(estimated[known].sum() / measured[known].sum()),
    )  # fmt: skip


def calibrated(graphs: Sequence[Graph], device: str, name: str, title: str = "") -> Calibration:
    """The machine ``name`` that fits the measured times of models on a kind of device ("accelerator" or "cpu").

    Raises :class:`StageboardError` where the name will not do, too little was measured, or times are scaled from a run.
    """
    check_name(name)
    models = list(graphs)
    for graph in models:
        if graph.measured is not None and graph.measured.scaled.any():
            raise StageboardError(
                f"times of {graph.name} are scaled from a run of a plan, which says nothing of single ops; measure them with stageboard profile"
            )
    rates, groups = fitted(samples_of(models, device), device)
    measured = [measured_on(graph, device) for graph in models]
    default, model = CostModel(), _cost_model(device, rates, groups)
    before = [_on(default, graph, device) for graph in models]
    after = [_on(model, graph, device) for graph in models]
    left_out: list[Floats] = []
    if len(models) > 1:
        for m, graph in enumerate(models):
            others = samples_of([*models[:m], *models[m + 1 :]], device)
            left_out.append(_on(_cost_model(device, *fitted(others, device)), graph, device))
    whole = [np.concatenate(parts) if parts else None for parts in (measured, before, after, left_out)]
    assert whole[0] is not None and whole[1] is not None and whole[2] is not None, "there is a model"
    all_before, all_after = errors_of(whole[1], whole[0]), errors_of(whole[2], whole[0])
    all_left = None if whole[3] is None else errors_of(whole[3], whole[0])
    each = tuple(
        ModelErrors(
            graph.name, errors_of(before[m], measured[m]), errors_of(after[m], measured[m]),
            errors_of(left_out[m], measured[m]) if left_out else None,
        )
        for m, graph in enumerate(models)
    )  # fmt: skip
    sources = dict.fromkeys(
        source for graph in models if graph.measured is not None for source in graph.measured.sources
    )
    names = ", ".join(dict.fromkeys(graph.name for graph in models))
    machine = NamedMachine(
        name, title or name, device, f"calibrated on {names}: {'; '.join(sources)}", datetime.date.today().isoformat(),
        rates, groups, fit=_fit_words(names, all_before, all_after, all_left), own=True,
    )  # fmt: skip
    return Calibration(machine, all_before, all_after, all_left, each)


def _cost_model(device: str, rates: Rates, groups: Groups) -> CostModel:
    return CostModel().with_rates(device, rates, groups, None)


def _on(model: CostModel, graph: Graph, device: str) -> Floats:
    """What a cost model estimates of a graph's ops on a kind of device (float64[n])."""
    return model.estimate(graph)[0 if device == "accelerator" else 1]


def _fit_words(
    models: str, before: Errors, after: Errors, left_out: Errors | None
) -> dict[str, float | int | str]:
    fit: dict[str, float | int | str] = {"models": models, "ops": after.ops}
    for name, errors in (("before", before), ("after", after), ("left_out", left_out)):
        if errors is not None:
            fit |= {
                f"median_{name}": errors.median,
                f"worst_tenth_{name}": errors.worst_tenth,
                f"total_{name}": errors.total,
            }
    return fit
