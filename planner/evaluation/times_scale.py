"""Whether measured op times and the estimates beside them are of machines of one scale."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from planner.evaluation.times_source import side_of
from planner.model.cost_model import CostModel, bytes_moved
from planner.model.named_machines import machines, named_rates
from planner.model.times import compute_ops, measured_on
from planner.printable import plural

if TYPE_CHECKING:
    from planner.model.graph import Bools, Floats
    from planner.problem.problem import Problem

FAR = 3.0
"""Median of measured over estimated times, or its inverse, beyond which the two are of different machines."""


class OtherScale(NamedTuple):
    """Whose rates the estimated ops have and how far these are off what was measured, in words; the named machine that is near, or empty."""

    words: str
    machine: str


def other_scale(problem: Problem) -> OtherScale | None:
    """What is wrong where estimated ops stand beside measured ones of another scale; None where nothing is.

    Estimates and measurements of the same ops on one kind of device are compared, by the median of their ratio (:data:`FAR`).
    """
    graph = problem.graph
    if graph.measured is None or not problem.target.uses_cost_model:
        return None
    model, compute = graph.cost_model or CostModel(), compute_ops(graph)
    unknown = compute & np.isnan(graph.given_times[0]) & np.isnan(graph.given_times[1])
    if not unknown.any():
        return None
    sides = {side_of(device) for device in problem.devices}
    kinds = zip(
        ("accelerator", "cpu"), measured_on(graph), graph.given_times, model.estimate(graph), strict=True
    )
    for side, on, measured, estimated in kinds:
        known = on & compute & (measured > 0) & (estimated > 0)
        if side not in sides or not known.any():
            continue
        factor = float(np.median(measured[known] / estimated[known]))
        if 1 / FAR <= factor <= FAR:
            continue
        rates = named_rates(side, model)
        far, way = (factor, "faster") if factor > 1 else (1 / factor, "slower")
        return OtherScale(
            f"{_estimated(int(unknown.sum()))} of {rates.machine if rates and rates.machine else 'rates of your own'}, which is"
            f" {far:,.0f} times {way} than what was measured here",
            _near(problem, side, known, measured),
        )
    return None


def _estimated(count: int) -> str:
    return f"the {plural(count, 'estimated op', 'estimated ops')} {'is' if count == 1 else 'are'}"


def _near(problem: Problem, side: str, known: Bools, measured: Floats) -> str:
    """The named machine whose estimates of the ops that are ``known`` are nearest to what was measured; empty where none is near."""
    graph = problem.graph
    flops, moved = 2.0 * graph.macs[known], bytes_moved(graph)[known]
    best, name = float(np.log(FAR)), ""
    for one in machines():
        # A CPU stands for every kind of device, an accelerator for accelerators.
        if one.rates is None or one.device not in (side, "cpu"):
            continue
        off = abs(float(np.median(np.log(measured[known] / one.rates.seconds(flops, moved)))))
        if off < best:
            best, name = off, one.name
    return name
