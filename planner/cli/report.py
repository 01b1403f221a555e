"""What commands say of a plan: the fields of their JSON and the same as text."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from planner.cli.command import Console
from planner.evaluation.device_words import device_traits
from planner.evaluation.estimates import counting_words, estimates, estimates_fields, rates_words
from planner.evaluation.memory_words import held_words, limit_words
from planner.evaluation.times_scale import other_scale
from planner.evaluation.times_source import SCALED, SCALED_WORDS, estimated, times_mark, times_source
from planner.machines.two_level_memory.order import OrderEvaluation
from planner.machines.two_level_memory.orders.io_bounds import io_bounds
from planner.machines.two_level_memory.problem import NetworkProblem
from planner.methods.simulation import SimulationReport
from planner.model.graph import Graph
from planner.model.times import compute_ops, coverage, measured_words
from planner.plan_files import order_json, plan_json
from planner.problem.base import PlanningProblem
from planner.problem.bound import Bound, Standing
from planner.problem.claims import claim_words, claimed_amount
from planner.problem.decision import Evaluated, Evaluation
from planner.problem.grouping import unkept_words
from planner.problem.problem import Pin, Problem, constraint_words
from planner.problem.worst import worst_word
from planner.quantity import amount_text, bytes_text, time_text
from planner.text_table import gap_limit, seconds_text, table, times

_SHOWN_VIOLATIONS = 8
_SHOWN_CONSTRAINTS = 3
_EXTRA = {
    "bytes in": ("bytes_in", "host_in"),
    "bytes out": ("bytes_out", "host_out"),
    "off chip": ("dram",),
    "pushed out": ("pushed",),
}
"""Columns of details of an evaluation: title, and the details that add up to it."""


def plan_fields(problem: PlanningProblem, evaluation: Evaluated | None) -> dict[str, Any]:
    """The JSON fields of a plan that say what it is and costs; nulls and empty lists where there is no plan."""
    head: dict[str, Any] = {"target": problem.target.spec(), "objective_name": problem.objective}
    if told := warnings(problem):
        head["warnings"] = told
    if isinstance(problem, Problem):
        head |= {**counted_fields(problem), **times_fields(problem.graph), **estimates_fields(problem)}
    if evaluation is None:
        return {**head, "objective": None, "components": {}, "valid": False, "violations": [], "devices": []}
    # What a plan file says of an evaluation and what the command line says are one and the same.
    if isinstance(evaluation, OrderEvaluation):
        return {**head, **order_json.evaluation_dict(evaluation)}
    assert isinstance(evaluation, Evaluation) and isinstance(problem, Problem)
    return {**head, **plan_json.evaluation_dict(evaluation, problem)}


def stuck_fields(found: SimulationReport | None) -> dict[str, str]:
    """For JSON: why a valid plan does not execute; empty where that is not known of it."""
    return {} if found is None else {"does_not_run": str(found.fields["reason"])}


def counted_fields(problem: PlanningProblem) -> dict[str, str]:
    """For JSON: in which precision bytes are counted, and whether times are; empty where both are as in the model's file."""
    counted = counting_words(problem) if isinstance(problem, Problem) else ""
    return {"counted_in": counted} if counted else {}


def times_fields(graph: Graph) -> dict[str, Any]:
    """Where measured times of ops come from, for JSON: how many ops compute anything, how many of them were measured, the share of
    estimated compute time that these have, and who measured; empty where nothing was measured."""
    measured = graph.measured
    if measured is None:
        return {}
    compute = compute_ops(graph)
    return {
        "times": {
            "ops": int(compute.sum()),
            "measured": int((compute & measured.ops).sum()),
            "shared": int((compute & measured.shared).sum()),
            "scaled": int((compute & measured.scaled).sum()),
            "coverage": coverage(graph),
            "sources": list(measured.sources),
        }
    }


def warnings(problem: PlanningProblem) -> list[str]:
    """What the file demands and the problem does not keep."""
    if not isinstance(problem, Problem):
        return []
    words = unkept_words(problem, "plan with --granularity class to keep each")
    return [words] if words else []


def note_scale(console: Console, problem: PlanningProblem) -> None:
    """Say where measured times stand beside estimates of a machine of another scale, and what to do."""
    if isinstance(problem, Problem) and (found := other_scale(problem)):
        console.note(f"{found.words}; name the machine (--machine {found.machine or 'NAME'}) or measure all")


FEW_IDLE = 2
"""Idle devices that have a row each in the table of devices; more of them are counted."""


def idle_devices(problem: Problem, evaluation: Evaluation) -> set[int]:
    """Devices that hold no op, take no time and help no other, where there are more than :data:`FEW_IDLE`."""
    idle = {
        i
        for i in range(len(problem.devices))
        if not evaluation.ops[i] and not evaluation.cost[i] and int(evaluation.serves[i]) in (-1, i)
    }
    return idle if len(idle) > FEW_IDLE else set()


def idle_line(problem: Problem, idle: Collection[int]) -> str:
    """``29 more chips, idle``: what the table of devices has no row for; empty where it has all."""
    many = {problem.devices[i].kind.replace("cpu", "CPU") for i in idle}
    return f"  {len(idle)} more {many.pop() + 's' if len(many) == 1 else 'devices'}, idle" if idle else ""


def device_table(problem: Problem, evaluation: Evaluation) -> str:
    """One row per device but for many that are idle, which are counted below; the one that costs most is marked."""
    unit = problem.graph.time_unit
    parts = [evaluation.receive, evaluation.work, evaluation.streaming, evaluation.send, evaluation.cost]
    k = len(problem.devices)
    shown = times([float(v) for part in parts for v in part], unit)
    details = evaluation.details
    extra = {
        title: [sum(float(details[name][i]) for name in names) for i in range(k)]
        for title, names in _EXTRA.items()
        if names[0] in details and (names[0] != "pushed" or details["pushed"].any())
    }
    rows, traits, worst = [], device_traits(problem), f"  < {worst_word(problem, evaluation)}"
    idle = idle_devices(problem, evaluation)
    for i, device in enumerate(problem.devices):
        if i in idle:
            continue
        own = f" ({traits[i]})" if traits[i] else ""
        mark = worst if i == evaluation.bottleneck and evaluation.pace[i] > 0 else ""
        cells = [shown[p * k + i] for p in range(len(parts))]
        rows.append(
            [
                device.name + own + copies_text(problem, evaluation, i),
                str(int(evaluation.ops[i])),
                *cells,
                *[bytes_text(amounts[i]) for amounts in extra.values()],
                bytes_text(float(evaluation.memory[i])) + mark,
            ]
        )
    width = max((len(row[-1].removesuffix(worst)) for row in rows), default=0)
    for row in rows:
        memory = row[-1].removesuffix(worst)
        row[-1] = memory.rjust(width) + (worst if memory != row[-1] else " " * len(worst))
    found = table(
        [
            *("device", "ops", "receive", "work", "streaming", "send", "cost"),
            *extra,
            "memory".rjust(width) + " " * len(worst),
        ],
        rows,
    )
    return "\n".join(filter(None, [found, idle_line(problem, idle)]))


def host_note(evaluation: Evaluation) -> str:
    """What of the bytes in and out of devices is the model's own, which objectives do not count; empty where nothing is."""
    coming, going = (
        float(evaluation.details.get(name, np.zeros(1)).sum()) for name in ("host_in", "host_out")
    )
    if not coming + going:
        return ""
    counted = (
        f"bytes in and out count the model's inputs ({bytes_text(coming)}) and outputs ({bytes_text(going)})"
    )
    return f"{counted}, which cross the host link; max-communication leaves them out"


def transfers_note(problem: Problem, evaluation: Evaluation) -> str:
    """Which devices pay no transfers, where some that have ops do not."""
    free = ~problem.evaluator.pays & (evaluation.ops > 0)
    return problem.target.transfers_note() if free.any() else ""


def copies_text(problem: Problem, evaluation: Evaluation, device: int) -> str:
    """`` x3`` for a stage on three devices, `` > acc 0`` for a device that works on another's stage, else nothing."""
    stage = int(evaluation.serves[device])
    if stage not in (-1, device):
        return f" > {problem.devices[stage].name}"
    copies = int(evaluation.replicas[device])
    return f" x{copies}" if copies > 1 else ""


def summary(
    problem: PlanningProblem,
    evaluation: Evaluated | None,
    rows: Sequence[tuple[str, str]] = (),
    proven: Sequence[tuple[str, str]] = (),
    simulated: SimulationReport | None = None,
) -> str:
    """A title, the figures as ``label value`` lines (``proven`` beside the objective), the devices, what is broken.

    ``simulated``: what is to be said beside the rules of how the plan executes.
    """
    title = f"{problem.name} on {problem.target.spec_for_people()}"
    lines: list[tuple[str, str]] = []
    if evaluation is not None:
        if len(evaluation.components) > 1:
            lines.append(("objective", problem.objective))
        lines.extend(
            (name, amount_text(value, problem.unit(name))) for name, value in evaluation.components.items()
        )
    lines.extend(proven)
    if evaluation is not None:
        lines.append(("rules", rules_text(evaluation)))
        lines.extend(simulated.rows if simulated is not None else ())
        if isinstance(problem, Problem) and problem.constraints:
            lines.append(("constraints", constraints_text(problem)))
    if isinstance(evaluation, OrderEvaluation):
        lines[1:1] = io_rows(problem, evaluation)
    elif isinstance(evaluation, Evaluation) and isinstance(problem, Problem):
        lines.extend(figure_rows(problem, evaluation))
        if limit := limit_words(problem, evaluation):
            lines.append(("memory", f"{held_words(problem, evaluation)}: {limit}"))
    if isinstance(problem, Problem):
        lines.extend(times_rows(problem))
    lines.extend(rows)
    width = max((len(label) for label, _ in lines), default=0)
    out = [title, *(f"  {label.ljust(width)}  {value}" for label, value in lines)]
    if isinstance(evaluation, Evaluation) and isinstance(problem, Problem):
        out += ["", device_table(problem, evaluation)]
        out += [f"  {note}" for note in (host_note(evaluation), transfers_note(problem, evaluation)) if note]
    out += [f"  ! {warning}" for warning in warnings(problem)]
    if evaluation is not None:
        for v in evaluation.violations[:_SHOWN_VIOLATIONS]:
            out.append(f"  ! {v.sentence}")
        if len(evaluation.violations) > _SHOWN_VIOLATIONS:
            out.append(f"  ! and {len(evaluation.violations) - _SHOWN_VIOLATIONS} more")
    return "\n".join(out)


def times_rows(problem: Problem) -> list[tuple[str, str]]:
    """The lines on where op times come from: how many were measured, by whom; what estimates the others, with whose rates; and what is counted in which precision."""
    rows = []
    if counted := counting_words(problem):
        rows.append(("precision", counted))
    if measured := measured_words(problem.graph):
        mark = times_mark(problem)
        rows.append(("times", f"{measured}; {SCALED_WORDS}" if mark.endswith(SCALED) else measured))
        rows += [
            ("measured by", source)
            for source in (problem.graph.measured.sources if problem.graph.measured else ())
        ]
    elif estimated(problem):
        rows.append(("times", f"estimated by {times_source(problem)}"))
    if times_mark(problem):
        rows += [("rates", f"{one.device} as {rates_words(one.rates)}") for one in estimates(problem)]
    return rows


def io_rows(problem: PlanningProblem, evaluation: OrderEvaluation) -> list[tuple[str, str]]:
    """The lines on reads and writes of an order, each beside the fewest that any order has (Theorem 1)."""
    assert isinstance(problem, NetworkProblem)
    bounds = io_bounds(problem.network)
    return [
        ("reads", f"{evaluation.reads:,}, at least {bounds.least_reads:,}"),
        ("writes", f"{evaluation.writes:,}, at least {bounds.least_writes:,}"),
    ]


def rules_text(evaluation: Evaluated) -> str:
    """How many violations there are, for a person."""
    count = len(evaluation.violations)
    return "valid" if not count else "1 violation" if count == 1 else f"{count} violations"


def constraints_text(problem: Problem) -> str:
    """The pins and groups kept together that a plan was checked for, for a person: the first few by name."""
    titles = {device.name: device.title for device in problem.devices}
    names = dict(zip(problem.graph.op_ids, problem.graph.op_names, strict=True))
    told = [
        f"{names[one.op]} on {titles[one.device]}"
        if isinstance(one, Pin)
        else f"{' with '.join(names[op] for op in one.ops[:_SHOWN_CONSTRAINTS])}"
        for one in problem.constraints[:_SHOWN_CONSTRAINTS]
    ]
    more = len(problem.constraints) - len(told)
    return f"{constraint_words(problem)}: {', '.join(told)}{f' and {more} more' if more else ''}"


def figure_rows(problem: Problem, evaluation: Evaluation) -> list[tuple[str, str]]:
    """The lines on figures of the whole plan, which a target that has some only estimates, with what limits or adds to them."""
    notes = {
        "throughput": problem.target.throughput_note(evaluation),
        "latency": problem.target.latency_note(evaluation),
    }
    return [
        (label, f"{text} ({notes[name]})" if notes.get(name) else text)
        for name, (label, text) in estimate_rows(problem, evaluation.figures).items()
    ]


def estimate_rows(problem: Problem, figures: Mapping[str, float]) -> dict[str, tuple[str, str]]:
    """Label and text of each of some ``figures`` of a whole plan, by its name.

    They are in seconds but where the target's times may be a file's own and have no unit.
    """
    unit = "s" if problem.target.figures_in_seconds else problem.graph.time_unit
    texts = {
        "throughput": lambda value: f"{value:.1f} per second" if unit else f"{value:.4g} per unit of time",
        "latency": lambda value: time_text(value, unit),
        "energy": lambda value: f"{value * 1e3:.1f} mJ per inference",
    }
    return {name: (f"{name}, estimated", texts[name](value)) for name, value in figures.items()}


def bound_rows(
    problem: PlanningProblem, bound: Bound | None, standing: Standing | None
) -> list[tuple[str, str]]:
    """The lines on the lower bounds and the gap; ``standing`` is the plan's, None where there is no plan."""
    if standing is not None and len(standing.components) > 1:
        rows = [
            (
                f"{c.name} at least",
                _proven(c.bound, problem.unit(c.name), c.proven) + (", proven" if c.proven else ""),
            )
            for c in standing.components
        ]
    elif bound is None:
        return [("lower bound", "none proven")]
    else:
        rows = [("lower bound", _proven(bound, problem.unit(bound.component)))]
    if standing is not None and standing.gap is not None:
        first = standing.first_open
        where = f" of {first.name}" if first is not None and len(standing.components) > 1 else ""
        rows.append(("gap", "0, optimal" if first is None else gap_limit(standing.gap) + where))
    return rows


def claim_rows(problem: PlanningProblem, claim: Bound | None) -> list[tuple[str, str]]:
    """The line on what a plan's file claims beyond what is proven; none where it claims nothing."""
    return [] if claim is None else [("claimed", claim_words(problem, claim))]


def claim_text(problem: PlanningProblem, claim: Bound) -> str:
    """A claim as the column of its plan shows it: ``923.43 us (exact), not proven``."""
    return f"{claimed_amount(problem, claim)} ({claim.method}), not proven"


def claim_fields(claim: Bound | None) -> dict[str, Any]:
    """What a plan's file claims beyond what is proven, for JSON."""
    return {
        "claimed_bound": None if claim is None else claim.value,
        "claimed_component": None if claim is None else claim.component,
        "claimed_method": None if claim is None else claim.method,
        "claimed_by": None if claim is None else claim.claimed_by,
    }


def _proven(bound: Bound | None, unit: str | None, reached: bool = False) -> str:
    """A bound with its method; of 0, which every plan keeps, only where a plan has ``reached`` it, and of infinity what it means."""
    if bound is None or (bound.value <= 0 and not reached):
        return "nothing proven"
    told = "none, as no plan is valid" if math.isinf(bound.value) else amount_text(bound.value, unit)
    return f"{told} ({bound.method})"


def proofs(standing: Standing) -> dict[str, Any]:
    """What is proven of each component, for JSON."""
    return {
        c.name: {
            "lower_bound": None if c.bound is None else c.bound.value,
            "method": None if c.bound is None else c.bound.method,
            "given": {} if c.bound is None else dict(c.bound.given),
            "proven": c.proven,
        }
        for c in standing.components
    }


def ending(stop_reason: str, seconds: float, time_limit: float | None) -> str:
    """How a search ended, in words: by a ``time_limit`` that somebody set, or because what it does unasked was used up."""
    limited = "usual work done" if time_limit is None else f"time limit of {time_limit:g} s"
    how = {"finished": "finished", "time": limited, "gap": "gap reached", "cancelled": "cancelled"}
    return f"{how.get(stop_reason, stop_reason)}, {seconds_text(seconds)}"
