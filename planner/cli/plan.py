"""``stageboard plan``: find a plan."""

from __future__ import annotations

import argparse
import time
from typing import Any

from planner.cli import explaining, inputs
from planner.cli.command import DONE, FAILED, Console
from planner.cli.proving import BESIDE, configure_beside
from planner.cli.readers import import_readers
from planner.cli.report import bound_rows, ending, note_scale, plan_fields, proofs, stuck_fields, summary
from planner.cli.searching import NONE_YET, Watch, soft_interrupt, uninterrupted
from planner.plan_files.plan_json import write_plan
from planner.problem.base import PlanningProblem
from planner.search.result import Result, precision_words
from planner.search.run import plan_of
from planner.text_table import seconds_text


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
    from planner.machines.stuck import stuck_plan
    from planner.machines.trying import tried_words
    from planner.runs.planning import Wanted, plan_problem, refuter

    chosen = planner_asked(args.planner or DEFAULT, lambda: inputs.problem_of(args))
    auto = chosen.name == DEFAULT
    wanted = Wanted(
        dict(inputs.pairs(args.settings, "--set")), args.seed, args.time_limit, args.gap, args.prove
    )
    inputs.check_output(args.output, args.models)
    import_readers(args.models)
    best: Watch | None = None
    with soft_interrupt(console, lambda: NONE_YET if best is None else best.stopping) as cancelled:
        began = time.perf_counter()
        problem = inputs.problem_of(args)
        note_scale(console, problem)
        seconds = time.perf_counter() - began
        best = Watch(console, problem, chosen.name)
        planned = plan_problem(chosen, problem, wanted, best, cancelled)
        result, found, seconds = planned.result, planned.explanation, seconds + planned.seconds
        with uninterrupted():  # or whoever presses Ctrl-C once too often loses the plan
            began = time.perf_counter()
            plan = plan_of(result)
            seconds += time.perf_counter() - began
            if plan is not None and args.output:
                write_plan(args.output, plan, result.bounds)

    bound, evaluation = problem.strongest_bound(result.bounds), None if plan is None else plan.evaluation
    standing = None if evaluation is None else problem.standing(evaluation.values, result.bounds)
    unrunnable = None if plan is None else stuck_plan(plan)
    finder = refuter(result) if plan is None else plan.provenance.planner
    data: dict[str, Any] = {
        "planner": finder,
        **plan_fields(problem, evaluation),
        **stuck_fields(unrunnable),
        "lower_bound": None if bound is None else bound.value,
        "bound_method": None if bound is None else bound.method,
        "gap": None if standing is None else standing.gap,
        **({"bounds": proofs(standing)} if standing is not None and len(standing.components) > 1 else {}),
        "status": planned.status,
        "stop_reason": result.stop_reason,
        "seconds": seconds,
        "prove_seconds": planned.prove_seconds,
        "seed": args.seed,
        **({"precision": words} if (words := precision_words(result)) else {}),
        **({"message": result.message} if result.message else {}),
        "plan_file": args.output if plan is not None and args.output else None,
        **({"tried": [turn.to_dict() for turn in result.tries]} if auto else {}),
        **explaining.fields(problem, found),
    }
    if found is not None and found.status == "infeasible":
        explaining.say(console, found, "" if best.conflict is None else best.conflict.sentence)
    elif evaluation is None:
        exists = found is not None and found.status == "feasible"
        console.note(_no_plan(result, tried_words(result.tries), exists))
    _hint(args.objective, problem, evaluation, console)

    def text() -> str:
        by = " (chosen by auto)" if auto and finder != chosen.name else ""
        search = ending(result.stop_reason, result.seconds, args.time_limit)
        compiling = f", {seconds_text(spent)} of that compiling" if (spent := console.compiling) else ""
        took = f"{search} of search, {seconds_text(console.seconds)} in all{compiling}"
        rows = [("planner", f"{finder}{by}, {took}")]
        if data.get("precision"):
            rows.insert(0, ("", data["precision"]))
        if result.stop_reason == "time" and args.time_limit is None:
            rows.append(("stopped", "what a search takes unasked was used up; --time-limit 60 lets it go on"))
        if result.message:
            rows.append(("note", result.message))
        if data["plan_file"]:
            rows.append(("plan", data["plan_file"]))
        return summary(problem, evaluation, rows, bound_rows(problem, bound, standing), unrunnable)

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
