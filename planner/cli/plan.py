"""``stageboard plan``: find a plan."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from planner.cli import explaining, inputs
from planner.cli.command import DONE, FAILED, Console
from planner.cli.proving import BESIDE, configure_beside, proven_beside
from planner.cli.readers import import_readers
from planner.cli.report import bound_rows, ending, note_scale, plan_fields, proofs, summary
from planner.cli.searching import Watch, soft_interrupt, stop_when, uninterrupted
from planner.errors import PlannerRefusal
from planner.options import parse_options
from planner.plan_files.plan_json import write_plan
from planner.problem.base import PlanningProblem
from planner.problem.problem import Problem
from planner.search.method import Planner
from planner.search.result import Result, precision_words
from planner.search.run import plan_of, status_of
from planner.search.run import run as run_planner


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``plan``."""
    inputs.add_problem(parser)
    search = parser.add_argument_group("the search")
    search.add_argument(
        "--planner",
        metavar="NAME",
        default="",
        help="see 'stageboard planners' (default: auto, which lets several search)",
    )
    inputs.add_settings(search, "planner")
    search.add_argument(
        "--time-limit",
        type=inputs.seconds,
        metavar="S",
        help="stop searching after S seconds (default: with auto and without --gap when its work is done, after 10 of processor time at most)",
    )
    search.add_argument(
        "--gap", type=inputs.fraction, metavar="G", help="stop when the gap is at most G (0.05 or 5%%)"
    )
    configure_beside(search, BESIDE)
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
    """Read, plan, prove, write the plan file, report."""
    from planner.machines.catalogue import DEFAULT, planner_asked
    from planner.machines.trying import tried_words
    from planner.runs.warm_up import warm_planner

    chosen = planner_asked(args.planner or DEFAULT, lambda: inputs.problem_of(args))
    auto = chosen.name == DEFAULT
    options = _options(args, auto)
    inputs.check_output(args.output, args.models)
    import_readers(args.models)
    with soft_interrupt(console) as cancelled:
        began = time.perf_counter()
        problem = inputs.problem_of(args)
        note_scale(console, problem)
        _check_serves(chosen, problem)
        spent = time.perf_counter() - began
        warm_planner(chosen, problem, options)
        began = time.perf_counter()
        result = _search(chosen, problem, args, options, cancelled, console)
        seconds = spent + time.perf_counter() - began
        found = None
        # An order of connections always exists.
        if result.device_of is None and result.stop_reason != "cancelled" and isinstance(problem, Problem):
            proven_by = _refuter(result) if result.status == "infeasible" else ""
            found = explaining.explained(problem, cancelled, proven_by, args.seed)
            result = explaining.with_plan(result, found, auto)
        began = time.perf_counter()
        result = _proven(result, args, cancelled, console)
        proving = time.perf_counter() - began
        with uninterrupted():  # or whoever presses Ctrl-C once too often loses the plan
            began = time.perf_counter()
            plan = plan_of(result)
            seconds += time.perf_counter() - began
            if plan is not None and args.output:
                write_plan(args.output, plan, result.bounds)

    bound, evaluation = problem.strongest_bound(result.bounds), None if plan is None else plan.evaluation
    standing = None if evaluation is None else problem.standing(evaluation.values, result.bounds)
    finder = _refuter(result) if plan is None else plan.provenance.planner
    data: dict[str, Any] = {
        "planner": finder,
        **plan_fields(problem, evaluation),
        "lower_bound": None if bound is None else bound.value,
        "bound_method": None if bound is None else bound.method,
        "gap": None if standing is None else standing.gap,
        **({"bounds": proofs(standing)} if standing is not None and len(standing.components) > 1 else {}),
        "status": result.status if found is None or found.status != "infeasible" else "infeasible",
        "stop_reason": result.stop_reason,
        "seconds": seconds,
        "prove_seconds": proving,
        "seed": args.seed,
        **({"precision": words} if (words := precision_words(result)) else {}),
        **({"message": result.message} if result.message else {}),
        "plan_file": args.output if plan is not None and args.output else None,
        **({"tried": [turn.to_dict() for turn in result.tries]} if auto else {}),
        **explaining.fields(problem, found),
    }
    if found is not None and found.status == "infeasible":
        explaining.say(console, found)
    elif evaluation is None:
        exists = found is not None and found.status == "feasible"
        console.note(_no_plan(result, tried_words(result.tries), exists))
    _hint(args.objective, problem, evaluation, console)

    def text() -> str:
        by = " (chosen by auto)" if auto and finder != chosen.name else ""
        rows = [("planner", f"{finder}{by}, {ending(result.stop_reason, seconds)}")]
        if data.get("precision"):
            rows.insert(0, ("", data["precision"]))
        if result.stop_reason == "time" and args.time_limit is None:
            rows.append(("stopped", "what a search takes unasked was used up; --time-limit 60 lets it go on"))
        if result.message:
            rows.append(("note", result.message))
        if data["plan_file"]:
            rows.append(("plan", data["plan_file"]))
        return summary(problem, evaluation, rows, bound_rows(problem, bound, standing))

    console.result(data, text)
    return DONE if evaluation is not None and evaluation.valid else FAILED


def _hint(chosen: str, problem: PlanningProblem, evaluation: Any, console: Console) -> None:
    """Say where another objective suits the plan better than one that nobody chose."""
    if chosen or evaluation is None:
        return
    name, why = problem.target.suggested_objective(problem.objective, evaluation)
    if name:
        console.note(
            f"{why}; --objective {name} makes the plan that is fastest instead of the one that holds least"
        )


def _refuter(result: Result) -> str:
    """Who proved that there is no plan; where nobody did, who searched."""
    proven = (turn.planner for turn in result.tries if turn.status == "infeasible")
    return next(proven, result.planner)


def _check_serves(chosen: Planner, problem: PlanningProblem) -> None:
    """Raises :class:`PlannerRefusal`, with the planners that do, where the chosen one does not serve the problem."""
    from planner.machines.catalogue import planners_for

    reason = chosen.refusal(problem)
    if reason is not None:
        serving = ", ".join(p.name for p in planners_for(problem))
        raise PlannerRefusal(f"{reason}; the planners for this problem are {serving or 'none'}")


def _options(args: argparse.Namespace, auto: bool) -> dict[str, str]:
    """The options given; where ``auto`` plans, those of the planner that suits the problem may be among them."""
    from planner.machines.several.planners.auto import packed

    options = dict(inputs.pairs(args.settings, "--set"))
    if not auto:
        return options
    if args.gap is not None or args.time_limit is not None:
        options.setdefault("effort", "0")  # who sets a limit wants all of it
    return packed(options)


def _proven(
    result: Result, args: argparse.Namespace, cancelled: Callable[[], bool], console: Console
) -> Result:
    """The result with what is proven unasked beside its plan."""
    if result.device_of is None or result.components is None:
        return result
    bounds = proven_beside(
        result.problem, result.device_of, result.components, result.bounds, args.prove, console, cancelled
    )
    return replace(result, bounds=bounds, status=status_of(result.problem, result.components, bounds))


def _search(
    planner: Planner, problem: Any, args: argparse.Namespace, options: Mapping[str, Any], cancelled: Callable[[], bool],
    console: Console,
) -> Result:  # fmt: skip
    """Run the planner; a second Ctrl-C ends it at once, with the best plan it had reported."""
    from planner.runs.proving import known_at_once

    bounds, watch = known_at_once(problem), Watch(console, problem, planner.name)
    stop, seed = stop_when(cancelled, args.time_limit, args.gap), args.seed
    try:
        return run_planner(planner, problem, stop, watch, seed, options, bounds=bounds)
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


def _no_plan(result: Result, words: str, exists: bool) -> str:
    if result.stop_reason == "cancelled":
        return "cancelled before a valid plan was found; nothing was written"
    if exists:
        return f"'{result.planner}' found no valid plan, but there is one; give it longer or choose another planner"
    if words:
        return (
            f"no valid plan was found, nor a proof that there is none; tried were {words};"
            " give it longer (--time-limit 60), name a planner ('stageboard planners') or loosen the target"
        )
    if result.stop_reason == "time":
        return "no valid plan was found in time; give it longer or choose another planner ('stageboard planners')"
    return f"'{result.planner}' found no valid plan; choose another planner or loosen the target"
