"""``stageboard evaluate``: evaluate a plan file again from nothing."""

from __future__ import annotations

import argparse
import math
from typing import Any

from planner.cli import inputs
from planner.cli.command import DONE, FAILED, Console, UsageError
from planner.cli.proving import configure_claimed, longer, proven_of
from planner.cli.report import (
    bound_rows,
    claim_fields,
    claim_rows,
    estimate_rows,
    note_scale,
    plan_fields,
    proofs,
    stuck_fields,
    summary,
)
from planner.machines.catalogue import machine_of, machines
from planner.machines.stuck import stuck_plan
from planner.methods.simulation import SimulationReport
from planner.problem.base import AnyPlan, decision_of
from planner.problem.claims import claim_of
from planner.problem.problem import Plan
from planner.reports.schedule.common import speed


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``evaluate``."""
    inputs.add_models_and_plan(parser)
    configure_claimed(parser)
    group = parser.add_argument_group("simulating")
    group.add_argument(
        "--simulate",
        action="store_true",
        help="also simulate how the plan executes, where the machine can (multi-chip modules)",
    )
    inputs.add_settings(group, "simulation")
    parser.epilog = (
        "example: stageboard evaluate sample_models/resnet50.json resnet50.plan.json\n\n"
        "A bound is what is proven at once and, where a gap is left, within --prove; what the file says was proven beyond that is named\n"
        "as its claim.\n"
        "Exit status 1: the plan breaks a rule, or its file claims figures that it does not have, or with --simulate does not run."
    )


def run(args: argparse.Namespace, console: Console) -> int:
    """Read model and plan, evaluate, compare with what the file says."""
    from planner.runs.proving import with_known

    opened = inputs.open_with_plan(args)
    plan = opened.plan
    problem = plan.problem
    simulated = _simulated(args, plan)
    note_scale(console, problem)
    evaluation = plan.evaluation
    for note in opened.notes:
        why = "" if opened.other_costs else "; it was edited or written by another version, make it again"
        console.note(f"{args.plan}: {note}{why}")
    unrunnable = stuck_plan(plan)
    bounds = proven_of(plan, with_known(problem, opened.bounds), args.prove, console)
    bound, standing = problem.strongest_bound(bounds), problem.standing(evaluation.values, bounds)
    claim = claim_of(plan, bounds)
    data = {
        "planner": plan.provenance.planner,
        **plan_fields(problem, evaluation),
        **stuck_fields(unrunnable),
        "lower_bound": None if bound is None else bound.value,
        "bound_method": None if bound is None else bound.method,
        "gap": standing.gap if evaluation.valid else None,
        **({"bounds": proofs(standing)} if len(standing.components) > 1 else {}),
        **claim_fields(claim),
        **({"simulated": simulated.fields} if simulated is not None else {}),
        "plan_file": args.plan,
    }
    # What a bound says of valid plans says nothing of a plan that breaks rules.
    proven = [
        *(bound_rows(problem, bound, standing) if evaluation.valid else ()),
        *claim_rows(problem, claim),
        *([("", longer(args.prove))] if claim is not None and evaluation.valid else ()),
    ]
    rows = [
        *_speed_rows(plan),
        *(simulated.rows if simulated is not None and simulated.runs else ()),
        ("planner", plan.provenance.planner),
        ("plan", args.plan),
    ]
    stopped = unrunnable if simulated is None else None if simulated.runs else simulated
    console.result(data, lambda: summary(problem, evaluation, rows, proven, stopped))
    differs = bool(opened.notes) and not opened.other_costs
    runs = simulated is None or simulated.runs
    return DONE if evaluation.valid and not differs and runs else FAILED


def _speed_rows(plan: AnyPlan) -> list[tuple[str, str]]:
    """Throughput and latency as ``compare`` has them of every plan, where they are not among the figures of its target."""
    if not isinstance(plan, Plan) or not plan.evaluation.valid:
        return []
    told, found = {**plan.evaluation.components, **plan.evaluation.figures}, speed(plan)
    known = {"throughput": 1.0 / found.interval, "latency": found.latency}
    more = {name: value for name, value in known.items() if name not in told and not math.isnan(value)}
    return list(estimate_rows(plan.problem, more).values())


def _simulated(args: argparse.Namespace, plan: Any) -> SimulationReport | None:
    """What ``--simulate`` asks for; None where it is not there. Raises :class:`UsageError` where the machine simulates nothing."""
    settings = inputs.pairs(args.settings, "--set")
    if not args.simulate:
        if settings:
            raise UsageError("--set is for the options of a simulation; add --simulate")
        return None
    simulate = machine_of(plan.problem).part("simulate")
    if simulate is None:
        able = " or ".join(machine.target.in_words for machine in machines().values() if machine.simulate)
        raise UsageError(
            f"--simulate: how {plan.problem.target.in_words} executes is not simulated; evaluate a plan of {able}"
        )
    found: SimulationReport = simulate(plan.problem, decision_of(plan), settings)
    return found
