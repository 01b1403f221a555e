"""``stageboard bound``: prove a lower bound."""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from planner.cli import explaining, inputs
from planner.cli.command import DONE, FAILED, Console
from planner.cli.readers import import_readers
from planner.cli.report import ending, note_scale, summary, warnings
from planner.cli.searching import PROVEN, Watch, soft_interrupt
from planner.errors import PlannerRefusal
from planner.machines.catalogue import bound_method, default_bounds
from planner.problem.problem import Problem
from planner.quantity import amount_text
from planner.runs.planning import explained, stop_when
from planner.search.run import run_bound

if TYPE_CHECKING:
    from planner.problem.base import PlanningProblem
    from planner.problem.bound import Bound


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``bound``."""
    inputs.add_problem(parser)
    search = parser.add_argument_group("the proof")
    search.add_argument(
        "--method",
        metavar="NAME",
        help="see the end of 'stageboard planners' (default: a good one for the problem)",
    )
    inputs.add_settings(search, "method")
    search.add_argument("--time-limit", type=inputs.seconds, metavar="S", help="stop after S seconds")
    inputs.add_reading(parser)
    parser.epilog = (
        "example: stageboard bound sample_models/resnet50.json --target pipeline:4 --method two-superblock\n\n"
        "status: proven; infeasible (no valid plan exists); no_bound (stopped before anything was proven)."
    )


def run(args: argparse.Namespace, console: Console) -> int:
    """Prove and report."""
    from planner.runs.proving import known_at_once
    from planner.runs.warm_up import warm_bound

    chosen = bound_method(args.method) if args.method else None
    options = inputs.pairs(args.settings, "--set")
    import_readers(args.models)
    with soft_interrupt(console, PROVEN) as cancelled:
        began = time.perf_counter()
        problem = inputs.problem_of(args)
        note_scale(console, problem)
        methods = default_bounds(problem) if chosen is None else [chosen]
        seconds = time.perf_counter() - began
        # Whoever names no method wants a bound, and the one chosen may need longer than it is given.
        known = known_at_once(problem) if chosen is None else ()
        for method in methods:
            warm_bound(method, problem)  # compilation is not part of the time reported
            began = time.perf_counter()
            watch, stop = Watch(console, problem, method.name), stop_when(cancelled, args.time_limit)
            try:
                result = run_bound(method, problem, stop, watch, options=options, bounds=known)
            except PlannerRefusal:
                if method is methods[-1]:
                    raise
            else:
                break
            finally:
                seconds += time.perf_counter() - began
        bound = problem.strongest_bound(result.bounds)
        found = None
        if bound is not None and math.isinf(bound.value) and isinstance(problem, Problem):
            found = explained(problem, cancelled, bound.method)

    others = further_bounds(problem, result.bounds)
    proven_by = method.name if chosen is not None or bound is None else bound.method
    status = "no_bound" if bound is None else "infeasible" if math.isinf(bound.value) else "proven"
    if found is not None:
        explaining.say(console, found)
    elif bound is None:
        console.note(f"'{method.name}' proved nothing before it was stopped; give it longer")
    data: dict[str, Any] = {
        "method": proven_by,
        "target": problem.target.spec(),
        "objective_name": problem.objective,
        "lower_bound": None if bound is None else bound.value,
        "status": status,
        "stop_reason": result.stop_reason,
        "seconds": seconds,
        "assumes": [] if bound is None else sorted(bound.assumes),
        **({"message": result.message} if result.message else {}),
        **({"warnings": told} if (told := warnings(problem)) else {}),
        **explaining.fields(problem, found),
    }
    if others:
        data["further"] = [
            {"component": b.component, "lower_bound": b.value, "given": dict(b.given)} for b in others
        ]

    def text() -> str:
        shown = [] if bound is None else [bound, *others]
        rows = [
            (f"{b.component} at least", amount_text(b.value, problem.unit(b.component)) + _among(problem, b))
            for b in shown
        ] or [(f"{problem.components[0]} at least", "none")]
        rows += [
            ("proven by", proven_by),
            ("ended", ending(result.stop_reason, seconds, args.time_limit)),
        ]
        if result.message:
            rows.append(("note", result.message))
        return summary(problem, None, rows)

    console.result(data, text)
    return DONE if status == "proven" else FAILED


def further_bounds(problem: PlanningProblem, bounds: Sequence[Bound]) -> list[Bound]:
    """The strongest bound on each later component of the objective, among the plans best in the components before it."""
    found = []
    for name in problem.components[1:]:
        usable = [
            b for b in bounds if b.component == name and b.applies_to(problem.relaxation, problem.assumptions)
        ]
        # The tightest restriction is the one that the proof of the component before it left.
        tightest = max(usable, key=lambda b: [-most for _, most in b.given], default=None)
        if tightest is not None:
            # What holds for more plans holds for those, too, and may say more.
            plans = dict(tightest.given)
            found.append(max((b for b in usable if b.covers(plans)), key=lambda b: (b.value, len(b.given))))
    return found


def _among(problem: PlanningProblem, bound: Bound) -> str:
    limits = [f"{name} at most {amount_text(most, problem.unit(name))}" for name, most in bound.given]
    return f" where {' and '.join(limits)}" if limits else ""
