"""``stageboard plan``: find a plan."""

from __future__ import annotations

import argparse
import time
from typing import TYPE_CHECKING, Any

from planner.cli import inputs
from planner.cli.command import DONE, FAILED, Console
from planner.errors import PlannerRefusal

if TYPE_CHECKING:
    from planner.search import Result


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``plan``."""
    inputs.add_problem(parser)
    search = parser.add_argument_group("the search")
    search.add_argument(
        "--planner", metavar="NAME", help="see 'stageboard planners' (default: a good one for the problem)"
    )
    inputs.add_settings(search, "planner")
    search.add_argument(
        "--time-limit", type=inputs.seconds, metavar="S", help="stop searching after S seconds"
    )
    search.add_argument(
        "--gap", type=inputs.fraction, metavar="G", help="stop when the gap is at most G (0.05 or 5%%)"
    )
    search.add_argument(
        "--seed", type=inputs.seed, default=0, metavar="N", help="seed of random choices (default 0)"
    )
    inputs.add_reading(parser)
    parser.add_argument("-o", "--output", metavar="PLAN", help="write the plan to this file (JSON)")
    parser.epilog = (
        "example: stageboard plan sample_models/resnet50.json --target pipeline:4 -o resnet50.plan.json\n\n"
        "Ctrl-C stops the search and keeps the best plan so far. Exit status 1: no valid plan was found."
    )


def run(args: argparse.Namespace, console: Console) -> int:
    """Read, plan, write the plan file, report."""
    from planner.algorithms.catalogue import default_planner, planner, planners_for
    from planner.cli import explaining
    from planner.cli.searching import Watch, known_at_once, soft_interrupt, stop_when, uninterrupted
    from planner.formats.plan_json import write_plan
    from planner.problem import Problem
    from planner.run import plan_of
    from planner.warm_up import warm_planner

    chosen = planner(args.planner) if args.planner else None
    options = inputs.pairs(args.settings, "--set")
    inputs.check_output(args.output, args.models)
    inputs.import_readers(args.models)
    with soft_interrupt(console) as cancelled:
        began = time.perf_counter()
        problem = inputs.problem_of(args)
        chosen = chosen or default_planner(problem)
        reason = chosen.refusal(problem)
        if reason is not None:
            serving = ", ".join(p.name for p in planners_for(problem))
            raise PlannerRefusal(f"{reason}; the planners for this problem are {serving or 'none'}")
        spent = time.perf_counter() - began
        warm_planner(chosen, problem, options)  # compilation is not part of the time reported

        began = time.perf_counter()
        watch = Watch(console, problem, chosen.name)
        stop = stop_when(cancelled, args.time_limit, args.gap)
        result = _search(chosen, problem, stop, watch, args.seed, options, known_at_once(problem))
        with uninterrupted():  # or whoever presses Ctrl-C once too often loses the plan
            plan = plan_of(result)
            seconds = spent + time.perf_counter() - began
            if plan is not None and args.output:
                write_plan(args.output, plan, result.bounds)
        found = None
        # An order of connections always exists.
        if plan is None and result.stop_reason != "cancelled" and isinstance(problem, Problem):
            proven_by = result.planner if result.status == "infeasible" else ""
            found = explaining.explained(problem, cancelled, proven_by, args.seed)

    bound = problem.strongest_bound(result.bounds)
    evaluation = None if plan is None else plan.evaluation
    standing = None if evaluation is None else problem.standing(evaluation.values, result.bounds)
    from planner.cli.report import bound_rows, ending, plan_fields, proofs, summary

    data: dict[str, Any] = {
        "planner": chosen.name,
        **plan_fields(problem, evaluation),
        "lower_bound": None if bound is None else bound.value,
        "gap": None if standing is None else standing.gap,
        **({"bounds": proofs(standing)} if standing is not None and len(standing.components) > 1 else {}),
        "status": result.status if found is None or found.status != "infeasible" else "infeasible",
        "stop_reason": result.stop_reason,
        "seconds": seconds,
        "seed": args.seed,
        "plan_file": args.output if plan is not None and args.output else None,
        **explaining.fields(problem, found),
    }
    if found is not None and found.status == "infeasible":
        explaining.say(console, found)
    elif evaluation is None:
        console.note(_no_plan(result, exists=found is not None and found.status == "feasible"))

    def text() -> str:
        rows = [("planner", f"{chosen.name}, {ending(result.stop_reason, seconds)}")]
        if data["plan_file"]:
            rows.append(("plan", data["plan_file"]))
        return summary(problem, evaluation, rows, bound_rows(problem, bound, standing))

    console.result(data, text)
    return DONE if evaluation is not None and evaluation.valid else FAILED


def _search(
    planner: Any, problem: Any, stop: Any, watch: Any, seed: int, options: dict[str, str], bounds: Any
) -> Result:
    """Run the planner; a second Ctrl-C ends it at once, with the best plan it had reported."""
    from planner.run import run, status_of
    from planner.search import Result, parse_options

    try:
        return run(planner, problem, stop, watch, seed, options, bounds=bounds)
    except KeyboardInterrupt:
        if watch.best is None:
            raise
        known = (*bounds, *watch.bounds)
        reached = watch.progress.components
        return Result(
            planner=planner.name, problem=problem, device_of=watch.best, objective=watch.progress.objective,
            bounds=known, status=status_of(problem, reached, known),
            stop_reason="cancelled", seconds=watch.progress.seconds, seed=seed,
            options=parse_options(planner.options, options, planner.name),
            iterations=watch.progress.iterations, components=reached, best_iteration=watch.best_iteration,
            given_bounds=tuple(bounds),
        )  # fmt: skip


def _no_plan(result: Result, exists: bool) -> str:
    if result.stop_reason == "cancelled":
        return "cancelled before a valid plan was found; nothing was written"
    if exists:
        return f"'{result.planner}' found no valid plan, but there is one; give it longer or choose another planner"
    if result.stop_reason == "time":
        return "no valid plan was found in time; give it longer or choose another planner ('stageboard planners')"
    why = f" ({result.message})" if result.message else ""
    return f"'{result.planner}' found no valid plan{why}; choose another planner or loosen the target"
