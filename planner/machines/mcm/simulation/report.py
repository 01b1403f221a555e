"""What a simulation says: lines for a person, fields for JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

import numpy as np

from planner.errors import PlanError, PlannerRefusal
from planner.machines.mcm.evaluator import McmEvaluator
from planner.machines.mcm.simulation.simulator import (
    OPTIONS,
    Simulated,
    SimulationSettings,
    Simulator,
    Unplaced,
)
from planner.machines.mcm.target import McmPackage
from planner.methods.simulation import SimulationReport
from planner.model.graph import Ints
from planner.options import parse_options
from planner.problem.decision import Evaluation
from planner.problem.problem import Problem
from planner.quantity import bytes_text, exact_bytes_text, parse_quantity, time_text
from planner.text_table import percent

ALTHOUGH = "although valid"
"""The line on why a valid plan does not run."""
LATENCY = "simulated latency"
"""The one line of which the value alone says too little."""


def simulate(problem: Problem, device_of: Ints, given: Mapping[str, Any]) -> SimulationReport:
    """Simulate an assignment (int32[n]); ``given`` are options of the simulation. Raises :class:`PlannerRefusal` for one that is wrong.

    A plan that does not run, for want of memory or because a dependency leads back, is said to.
    """
    options = parse_options(OPTIONS, given, "simulation")
    sram = str(options.pop("sram"))
    settings = SimulationSettings(**options)
    problem = _with_memory(problem, sram) if sram else problem
    evaluator = cast(McmEvaluator, problem.evaluator)
    simulator = Simulator(evaluator, settings)
    try:
        found = simulator.run(device_of)
    except PlanError as error:
        nothing = np.zeros(evaluator.k)
        stuck = Simulated(math.inf, math.inf, nothing, nothing, nothing, None)
        return SimulationReport(
            [("simulated", f"does not run: {error}")],
            fields(problem, stuck, settings, str(error)),
            runs=False,
        )
    evaluation = evaluator.evaluate(device_of)
    if found.unplaced is not None:
        return _unplaced(problem, simulator, device_of, found, evaluation)
    analytical = float(evaluation.cost.max(initial=0.0))
    return SimulationReport(rows(problem, found, analytical), fields(problem, found, settings, None))


def stuck(problem: Problem, device_of: Ints) -> SimulationReport | None:
    """What a simulation says of an assignment (int32[n]) that keeps the memory rule and for which its allocator finds no place; else None.

    Memory alone is looked at, in a fraction of the time that a simulation takes. Without the rule nobody was told that the plan fits.
    """
    evaluator = cast(McmEvaluator, problem.evaluator)
    if not evaluator.target.check_memory:
        return None
    simulator = Simulator(evaluator)
    high, unplaced = simulator.allocated(device_of)
    if unplaced is None:
        return None
    nothing = np.zeros(evaluator.k)
    found = Simulated(math.inf, math.inf, nothing, nothing, high, unplaced)
    return _unplaced(problem, simulator, device_of, found, evaluator.evaluate(device_of))


def in_short(report: SimulationReport) -> str:
    """What was simulated, on one line; what :data:`ALTHOUGH` says is left out."""
    rows = [row for row in report.rows if row[0] != ALTHOUGH]
    return "; ".join(words if name != LATENCY else f"latency {words}" for name, words in rows)


def _with_memory(problem: Problem, sram: str) -> Problem:
    """The same problem with so much memory of a chip. Raises :class:`PlannerRefusal`."""
    try:
        limit = parse_quantity(sram)
    except ValueError as error:
        raise PlannerRefusal(f"option 'sram': {error}") from None
    if not limit >= 0:
        raise PlannerRefusal(f"option 'sram' is {sram}; it must be at least 0")
    return replace(problem, target=replace(cast(McmPackage, problem.target), sram=limit))


def _unplaced(
    problem: Problem, simulator: Simulator, device_of: Ints, found: Simulated, evaluation: Evaluation
) -> SimulationReport:
    """The report on a plan (int32[n]) for which the allocator found no place."""
    assert found.unplaced is not None
    reason = unplaced_words(problem, found.unplaced)
    advice = ""
    if evaluation.valid:
        evaluator, needed = cast(McmEvaluator, problem.evaluator), simulator.needed(device_of)
        beyond = (needed - evaluation.memory)[needed > evaluator.target.sram]
        advice = valid_words(evaluator, float(needed.max()), float(beyond.max(initial=0.0)))
    told = [("simulated", f"does not run: {reason}"), *([(ALTHOUGH, advice)] if advice else [])]
    return SimulationReport(
        told, fields(problem, found, simulator.settings, reason), runs=False, advice=advice
    )


JUDGED = (
    "plan with chip-anneal or chip-random and its option cost=simulated, which takes plans alone that run"
)
"""What finds plans that the simulation can run."""


def unplaced_words(problem: Problem, unplaced: Unplaced) -> str:
    """Where the allocator failed, as a sentence without its end."""
    chip = problem.devices[unplaced.chip].name
    what = "parameters and buffers" if unplaced.op < 0 else f"'{problem.graph.op_names[unplaced.op]}'"
    free = f"{bytes_text(unplaced.free)} are free"
    if unplaced.free >= unplaced.wanted:
        free += f", {bytes_text(unplaced.largest)} in one piece"
    return f"{chip} has no place for {bytes_text(unplaced.wanted)} of {what}: {free}"


def valid_words(evaluator: McmEvaluator, needed: float, beyond: float) -> str:
    """Why a plan for which the allocator finds no place is valid all the same, and what to do, in sentences. ``needed``: bytes of a chip's memory
    with which the plan runs; ``beyond``: by how much that is more than the rule counts, of the chips that are too full on the one where it is most."""
    if not evaluator.target.check_memory:
        return f"The memory rule is off, so a valid plan need not fit. Switch it on, or {JUDGED}."
    sram = evaluator.target.sram
    less = f"{JUDGED[:1].upper()}{JUDGED[1:]}"
    if sram > beyond:
        less = (
            f"Plan with sram={typed(sram - beyond)}, which leaves free what running takes beyond the rule here, and simulate that plan"
            f" with {typed(sram)} (evaluate --simulate --set sram={typed(sram)}), or {JUDGED}"
        )
    return (
        "The memory rule counts what passes between chips once, while it is in use; running keeps two buffers of it"
        f" for good, and each block in one piece: it takes {typed(needed, up=True)} of a chip. {less}."
    )


def typed(size: float, up: bool = False) -> str:
    """Bytes as one may type them, ``31.4375MiB``: to whole steps of 64 KiB, or below a MiB of 1 KiB, down or ``up``."""
    step = 2.0**16 if size >= 2**20 else 2.0**10
    steps = math.ceil(size / step) if up else math.floor(size / step)
    number, unit = exact_bytes_text(steps * step).replace(",", "").split()
    return f"{number.rstrip('0').rstrip('.') if '.' in number else number}{unit}"


def rows(problem: Problem, found: Simulated, analytical: float) -> list[tuple[str, str]]:
    """Lines of a label and a value; ``analytical`` is the largest chip latency of the cost model."""
    unit = problem.graph.time_unit
    pace = f"{time_text(found.interval, unit)} per inference"
    if analytical and found.interval:
        more = found.interval / analytical - 1.0
        pace += f", {percent(abs(more))} {'more' if more > 0 else 'less'} than the analytical {time_text(analytical, unit)}"
    busiest, hottest = int(np.argmax(found.busy)), int(np.argmax(found.links))
    use = f"{problem.devices[busiest].name} computes {percent(float(found.busy[busiest]))} of the time"
    if found.links[hottest] > 0:
        use += f"; the link behind {problem.devices[hottest].name} carries {percent(float(found.links[hottest]))}"
    fullest = int(np.argmax(found.high))
    held = f"{problem.devices[fullest].name} is used up to {bytes_text(float(found.high[fullest]))}"
    return [
        ("simulated", pace),
        (LATENCY, time_text(found.latency, unit)),
        ("simulated use", use),
        ("simulated memory", held),
    ]


def fields(
    problem: Problem, found: Simulated, settings: SimulationSettings, reason: str | None
) -> dict[str, Any]:
    """The same for JSON: times in the graph's unit, shares between 0 and 1, bytes. ``reason``: why the plan does not run; nulls then."""
    runs = reason is None
    where = None
    if found.unplaced is not None:
        op = found.unplaced.op
        where = {
            **found.unplaced._asdict(),
            "chip": problem.devices[found.unplaced.chip].name,
            "op": None if op < 0 else problem.graph.op_ids[op],
        }
    return {
        "inferences": settings.inferences,
        "jitter": settings.jitter,
        "seed": settings.seed,
        "interval": found.interval if runs else None,
        "throughput": found.throughput if runs and found.interval else None,
        "latency": found.latency if runs else None,
        "reason": reason,
        "unplaced": where,
        "devices": [
            {
                "name": device.name,
                "busy": float(found.busy[c]) if runs else None,
                "link": float(found.links[c]) if runs else None,
                "memory": float(found.high[c]),
            }
            for c, device in enumerate(problem.devices)
        ],
    }
