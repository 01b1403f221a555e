"""``stageboard plan``: find a plan."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from planner.cli import explaining, inputs
from planner.cli.command import DONE, FAILED, Console
from planner.cli.report import bound_rows, ending, plan_fields, proofs, summary
from planner.cli.searching import Watch, soft_interrupt, stop_when, uninterrupted
from planner.errors import PlannerRefusal
from planner.options import parse_options
from planner.plan_files.plan_json import write_plan
from planner.problem.problem import Problem
from planner.search.method import Planner
from planner.search.result import Result, precision_words
from planner.search.run import plan_of
from planner.search.stop import Budget, WallBudget, WorkBudget

if TYPE_CHECKING:
    from planner.machines.trying import Tried


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``plan``."""
    inputs.add_problem(parser)
    search = parser.add_argument_group("the search")
    search.add_argument(
        "--planner",
        metavar="NAME",
        help="see 'stageboard planners' (default: several are tried, and a good one has most of the time)",
    )
    inputs.add_settings(search, "planner")
    search.add_argument(
        "--time-limit",
        type=inputs.seconds,
        metavar="S",
        help="stop searching after S seconds (default: without --planner and --gap after 10 of processor time)",
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
    from planner.machines.catalogue import default_planner, planner, planners_for
    from planner.machines.trying import tried_words
    from planner.runs.proving import known_at_once

    chosen = planner(args.planner) if args.planner else None
    options = inputs.pairs(args.settings, "--set")
    inputs.check_output(args.output, args.models)
    inputs.import_readers(args.models)
    with soft_interrupt(console) as cancelled:
        began = time.perf_counter()
        problem = inputs.problem_of(args)
        reason = None if chosen is None else chosen.refusal(problem)
        if reason is not None:
            serving = ", ".join(p.name for p in planners_for(problem))
            raise PlannerRefusal(f"{reason}; the planners for this problem are {serving or 'none'}")
        spent = time.perf_counter() - began
        runs = _Runs(console, problem, args.seed)
        if chosen is not None:
            runs.prepare(chosen, options)
        began = time.perf_counter()
        runs.bounds = known_at_once(problem)
        tried = _tried(args, chosen, options, runs, cancelled)
        result = tried.result
        seconds = spent + time.perf_counter() - began - runs.preparing
        found = None
        # An order of connections always exists.
        if result.device_of is None and tried.stop_reason != "cancelled" and isinstance(problem, Problem):
            proven_by = result.planner if result.status == "infeasible" else ""
            found = explaining.explained(problem, cancelled, proven_by, args.seed)
            result = explaining.with_plan(result, found, chosen is None)
        with uninterrupted():  # or whoever presses Ctrl-C once too often loses the plan
            began = time.perf_counter()
            plan = plan_of(result)
            seconds += time.perf_counter() - began
            if plan is not None and args.output:
                write_plan(args.output, plan, result.bounds)

    bound = problem.strongest_bound(result.bounds)
    evaluation = None if plan is None else plan.evaluation
    standing = None if evaluation is None else problem.standing(evaluation.values, result.bounds)
    finder = result.planner if chosen is not None or plan is not None else default_planner(problem).name
    data: dict[str, Any] = {
        "planner": finder,
        **plan_fields(problem, evaluation),
        "lower_bound": None if bound is None else bound.value,
        "gap": None if standing is None else standing.gap,
        **({"bounds": proofs(standing)} if standing is not None and len(standing.components) > 1 else {}),
        "status": result.status if found is None or found.status != "infeasible" else "infeasible",
        "stop_reason": tried.stop_reason,
        "seconds": seconds,
        "seed": args.seed,
        **({"precision": words} if (words := precision_words(result)) else {}),
        **({"message": result.message} if result.message else {}),
        "plan_file": args.output if plan is not None and args.output else None,
        **({} if chosen is not None else {"tried": [turn.to_dict() for turn in tried.tries]}),
        **explaining.fields(problem, found),
    }
    if found is not None and found.status == "infeasible":
        explaining.say(console, found)
    elif evaluation is None:
        named = tried_words(tried.tries)
        console.note(_no_plan(tried, named, exists=found is not None and found.status == "feasible"))

    def text() -> str:
        rows = [("planner", f"{finder}, {ending(tried.stop_reason, seconds)}")]
        if data.get("precision"):
            rows.insert(0, ("", data["precision"]))
        if tried.stop_reason == "time" and args.time_limit is None:
            rows.append(("stopped", "what a search takes unasked was used up; --time-limit 60 lets it go on"))
        if result.message:
            rows.append(("note", result.message))
        if data["plan_file"]:
            rows.append(("plan", data["plan_file"]))
        return summary(problem, evaluation, rows, bound_rows(problem, bound, standing))

    console.result(data, text)
    return DONE if evaluation is not None and evaluation.valid else FAILED


def _budget(args: argparse.Namespace) -> Budget:
    """What a search may take for which no planner is named: the limit that is given, else one of our own unless a gap is asked for."""
    if args.time_limit is not None:
        return WallBudget(args.time_limit)
    return WorkBudget() if args.gap is None else Budget()


class _Runs:
    """Runs planners on one problem, each shown on the terminal as it goes."""

    def __init__(self, console: Console, problem: Any, seed: int) -> None:
        self.problem = problem
        self._console, self._seed = console, seed
        self.bounds: Any = ()
        self.preparing = 0.0
        """Seconds spent on compilation since the clock began, which are not part of the time reported."""

    def prepare(self, planner: Any, options: Mapping[str, Any]) -> None:
        """Compile what the planner needs."""
        from planner.runs.warm_up import warm_planner

        warm_planner(planner, self.problem, options)

    def prepared(self, planner: Any, stop: Any, options: Mapping[str, Any]) -> Result:
        """Compile what the planner needs, then run it."""
        began = time.perf_counter()
        self.prepare(planner, options)
        self.preparing += time.perf_counter() - began
        return self.run(planner, stop, options)

    def run(self, planner: Any, stop: Any, options: Mapping[str, Any]) -> Result:
        """Run it; a second Ctrl-C ends it at once, with the best plan it had reported."""
        watch = Watch(self._console, self.problem, planner.name)
        return _search(planner, self.problem, stop, watch, self._seed, options, self.bounds)


def _tried(
    args: argparse.Namespace,
    chosen: Planner | None,
    options: Mapping[str, Any],
    runs: _Runs,
    cancelled: Callable[[], bool],
) -> Tried:
    """What the planner that was named finds, else the best of several that are tried."""
    from planner.machines.trying import Tried, find_plan

    if chosen is None:
        limits = stop_when(cancelled, None, args.gap)
        return find_plan(runs.problem, _budget(args), stop=limits, options=options, runner=runs.prepared)
    result = runs.run(chosen, stop_when(cancelled, args.time_limit, args.gap), options)
    return Tried(result, (), result.stop_reason)


def _search(
    planner: Any, problem: Any, stop: Any, watch: Any, seed: int, options: Mapping[str, Any], bounds: Any
) -> Result:
    """Run the planner; a second Ctrl-C ends it at once, with the best plan it had reported."""
    from planner.search.run import run, status_of

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


def _no_plan(tried: Tried, words: str, exists: bool) -> str:
    result = tried.result
    if tried.stop_reason == "cancelled":
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
