"""Whose rates the times of a problem are estimated with: named machines, or numbers that somebody typed in."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from planner.evaluation.memory_words import assumed_precision
from planner.evaluation.times_source import (
    COST_MODEL,
    FILE,
    MEASURED,
    RATES,
    SCALED,
    SCALED_WORDS,
    any_measured,
    side_of,
    times_mark,
    times_source,
)
from planner.model.cost_model import CostModel, RatesSource
from planner.model.named_machines import machines, named_rates
from planner.model.precision import FILE as STORED
from planner.model.precision import TIMES_AS_STORED, precision_of
from planner.model.times import compute_ops, measured_on, measured_words

if TYPE_CHECKING:
    from planner.model.graph import Floats, Ints
    from planner.problem.problem import Problem
    from planner.problem.target import Target

OWN = RatesSource("", "rates of your own", "")
"""Rates that no machine is named for."""
USUAL = RatesSource("", "the rates that are usual where none are given", "")
"""Those of a target of which nobody said any."""
ESTIMATED_AS_STORED = "op times as estimated for the bytes in the file"
"""What is said of times beside bytes that a target alone counts in another precision, where the model's file gives no times."""


class Estimate(NamedTuple):
    """Whose rates estimate the times on a kind of device, and what that kind is called."""

    device: str
    rates: RatesSource


def estimates(problem: Problem) -> tuple[Estimate, ...]:
    """Whose rates estimate times, for each kind of device of a problem; empty where nothing that counts is estimated."""
    source, target, model = times_source(problem), problem.target, problem.graph.cost_model
    if source == RATES:
        named = _of_target(target.to_dict(), target.kind)
        return (Estimate(target.words.counted[0], named or (OWN if _own_rates(target) else USUAL)),)
    if source != COST_MODEL or model is None:
        return ()
    found: dict[str, Estimate] = {}
    for device in problem.devices:
        side = side_of(device)
        found.setdefault(
            side, Estimate("CPU" if side == "cpu" else device.kind, named_rates(side, model) or OWN)
        )
    return tuple(found.values())


def _of_target(parameters: dict[str, Any], kind: str) -> RatesSource | None:
    """The machine of which all that it says of a kind of target is so."""
    for one in machines():
        said = one.parameters.get(kind)
        if said and all(parameters.get(key) == value for key, value in said.items()):
            return one.rates_source
    return None


def _own_rates(target: Target) -> bool:
    """Whether any of a target's rates (parameters per second) is not what it is by default."""
    return any(
        getattr(target, field.name) != field.default
        for field in fields(target)  # type: ignore[arg-type]
        if str(field.metadata.get("unit", "")).endswith("/s")
    )


def rates_words(rates: RatesSource) -> str:
    """Whose rates these are, in words: "t4 (NVIDIA T4 data sheet: ..., 2019-03)"."""
    if not rates.machine:
        return rates.source
    return f"{rates.machine} ({', '.join(part for part in (rates.source, rates.date) if part)})"


def estimates_words(problem: Problem) -> str:
    """Whose rates estimate times, in words, each kind of device with its own; empty where nothing is estimated."""
    found = estimates(problem)
    if len(found) == 1:
        return rates_words(found[0].rates)
    return "; ".join(f"{one.device} as {rates_words(one.rates)}" for one in found)


def counting_words(problem: Problem) -> str:
    """What is counted in which precision, where it is not that of the model's file: bytes and times, or bytes alone; else empty."""
    read, assumed = precision_of(problem.graph), assumed_precision(problem)
    estimated = times_source(problem) not in (FILE, MEASURED)
    if assumed and not estimated:
        return f"{assumed} bytes, {TIMES_AS_STORED}"
    if assumed and problem.target.times_as_read:
        times = ESTIMATED_AS_STORED if read == STORED else f"op times of {read}"
        return f"{assumed} bytes, {times}"
    if assumed:
        return f"{assumed} bytes and times"
    if read == STORED:
        return ""
    return f"{read} bytes and times" if estimated else f"{read} bytes, {TIMES_AS_STORED}"


def others_words(problem: Problem) -> str:
    """What is estimated where some ops were measured: the others, or only the ratio by which other devices follow."""
    measured = problem.graph.measured
    known = measured is not None and bool(measured.ops[compute_ops(problem.graph)].all())
    return "the ratio" if known and not problem.measured_times else "the others"


def times_lines(problem: Problem) -> tuple[str, ...]:
    """Where op times come from, a line each: how many are measured, by whom, and with whose rates others are estimated.

    Empty where all are those of the model's file.
    """
    measured, source = problem.graph.measured, times_source(problem)
    lines: list[str] = []
    if any_measured(problem) and source != RATES:
        who = () if measured is None else measured.sources
        lines += [measured_words(problem.graph), *(f"measured by {one}" for one in who)]
        if times_mark(problem).endswith(SCALED):
            lines.append(SCALED_WORDS)
    if words := estimates_words(problem):
        lines.append(f"{f'{others_words(problem)} ' if lines else ''}estimated by {source}: {words}")
    return tuple(lines)


def estimates_fields(problem: Problem) -> dict[str, Any]:
    """For JSON: whether times are measured, partly measured, estimated or given by the model's file, where they come from, and whose rates
    estimate them."""
    source = times_source(problem)
    said = {FILE: "file", MEASURED: "measurements", COST_MODEL: "cost model", RATES: "target"}[source]
    return {
        "op_times": {
            "are": times_mark(problem) or ("given" if source == FILE else "estimated"),
            "from": said,
            "rates": [{"device": one.device, **one.rates._asdict()} for one in estimates(problem)],
        }
    }


class OpTimes(NamedTuple):
    """The time of each op on the device it is on (float64[n] each): estimated, measured (NaN where it was not), and measured over estimated."""

    estimated: Floats
    measured: Floats
    ratio: Floats


def op_times(problem: Problem, device_of: Ints) -> OpTimes:
    """What is estimated of each op and what was measured, on the devices (int32[n]) that ops are on.

    The estimate is what the problem's cost model says (the default one where every time is given), measured or not; of a target with
    rates of its own it is what these say, and NaN where the target takes the measured time.
    """
    graph, e = problem.graph, problem.evaluator
    cpu = np.array([side_of(device) == "cpu" for device in problem.devices])[device_of]
    work = e.work_on(device_of)
    measured = np.full(graph.n, np.nan)
    for side, on, times in zip((~cpu, cpu), measured_on(graph), graph.given_times, strict=True):
        measured = np.where(side & on, times, measured)
    for device, own in problem.measured_times.items():
        measured = np.where((device_of == device) & ~np.isnan(own), own, measured)
    if problem.target.uses_cost_model:
        estimated, estimated_cpu = (graph.cost_model or CostModel()).estimate(graph)
        estimated = np.where(cpu, estimated_cpu, estimated)
    else:
        estimated = np.where(work == measured, np.nan, work)
    ratio = np.full(graph.n, np.nan)
    np.divide(measured, estimated, out=ratio, where=~np.isnan(measured) & (estimated > 0) & (measured > 0))
    return OpTimes(estimated, measured, ratio)
