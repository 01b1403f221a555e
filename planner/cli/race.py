"""``stageboard race``: several planners on one problem, sharing what they find."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING, Any

from planner.cli import inputs
from planner.cli.command import DONE, FAILED, Console, UsageError
from planner.cli.report import bound_rows, note_scale, stuck_fields, summary
from planner.cli.searching import soft_interrupt, uninterrupted
from planner.errors import StageboardError
from planner.plan_files.plan_json import write_plan
from planner.problem.base import decision_of
from planner.processes.start import start_server

if TYPE_CHECKING:
    from planner.runs.race import Entrant, Race


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``race``."""
    inputs.add_problem(parser)
    race = parser.add_argument_group("the race")
    race.add_argument(
        "--planners",
        metavar="A,B,C",
        help="who takes part; 'all' for everybody who can (default: a good field)",
    )
    race.add_argument(
        "--bounds", metavar="X,Y", help="bound methods that take part; 'none' for none (default: a good one)"
    )
    race.add_argument(
        "--set", action="append", default=[], dest="settings", metavar="PLANNER.KEY=VALUE",
        help="an option of one of them; may be repeated",
    )  # fmt: skip
    race.add_argument(
        "--cores", type=_cores, metavar="N",
        help="threads that run at a time (default: all but one of this machine's)",
    )  # fmt: skip
    race.add_argument("--start", metavar="PLAN", help="a plan file to begin with")
    race.add_argument("--time-limit", type=inputs.seconds, metavar="S", help="stop after S seconds")
    race.add_argument(
        "--gap",
        type=inputs.fraction,
        metavar="G",
        help="stop when the gap of the best plan is at most G (0.05 or 5%%)",
    )
    race.add_argument(
        "--seed", type=inputs.seed, default=0, metavar="N", help="seed of random choices (default 0)"
    )
    inputs.add_reading(parser)
    parser.add_argument("-o", "--output", metavar="PLAN", help="write the best plan to this file (JSON)")
    parser.epilog = (
        "example: stageboard race sample_models/resnet50.json --target pipeline:4 --gap 5% --time-limit 30 -o best.plan.json\n\n"
        "What one finds is passed on to the others, and so is what one proves. Ctrl-C stops the race and keeps the best plan.\n"
        "'stageboard replay MODEL PLAN' finds the plan again. Exit status 1: no valid plan was found."
    )


def _cores(text: str) -> int:
    value = inputs.whole(text)
    if not 1 <= value <= 1024:
        raise argparse.ArgumentTypeError(f"{value} is not from 1 to 1024")
    return value


def run(args: argparse.Namespace, console: Console) -> int:
    """Read, race, write the plan file, report."""
    from planner.cli.racing import Board, fields, leaderboard
    from planner.machines.stuck import stuck_plan
    from planner.runs.proving import known_at_once
    from planner.runs.race import Race
    from planner.runs.race.whole import run_race

    inputs.check_output(args.output, [*args.models, *([args.start] if args.start else [])])
    start_server()  # its imports take as long as reading and compiling
    with soft_interrupt(console) as cancelled:
        problem = inputs.problem_of(args)
        note_scale(console, problem)
        cores = args.cores or max(1, (os.cpu_count() or 2) - 1)
        race = Race(
            problem,
            entrants_of(args, problem, cores),
            cores=cores,
            gap=args.gap,
            time_limit=args.time_limit,
            starts=_starts(args, problem),
            bounds=known_at_once(problem),
        )
        board = Board(console, race)
        run_race(race, cancelled, board.show)
        with uninterrupted():  # or whoever presses Ctrl-C once too often loses the plan
            plan = race.plan()
            if plan is not None and args.output:
                write_plan(args.output, plan, race.bounds)
    board.end()
    evaluation = None if plan is None else plan.evaluation
    standing = None if evaluation is None else problem.standing(evaluation.values, race.bounds)
    unrunnable = None if plan is None else stuck_plan(plan)
    written = args.output if plan is not None and args.output else None
    if plan is None and race.outcome != "infeasible":
        console.note(_no_plan(race))

    def text() -> str:
        rows = [("race", race.sentence)]
        if written:
            rows.append(("plan", written))
        figures = summary(problem, evaluation, rows, bound_rows(problem, race.bound, standing), unrunnable)
        return f"{figures}\n\n{leaderboard(race)}"

    console.result({**fields(race, plan, args.seed, written), **stuck_fields(unrunnable)}, text)
    return DONE if evaluation is not None and evaluation.valid else FAILED


def entrants_of(args: argparse.Namespace, problem: Any, cores: int = 1) -> tuple[Entrant, ...]:
    """The field that ``args`` ask for. Raises :class:`StageboardError` for names and options that do not exist."""
    from planner.runs.race.whole import entrants, with_options

    planners, bounds = args.planners, args.bounds
    field = entrants(
        problem,
        _names(planners, "--planners") if planners and planners != "all" else None,
        [] if bounds == "none" else _names(bounds, "--bounds") if bounds else None,
        everybody=planners == "all", seed=args.seed, cores=cores, time_limit=args.time_limit,
    )  # fmt: skip
    return with_options(field, _options(args.settings, {entrant.method for entrant in field}))


def _names(text: str, option: str) -> list[str]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise UsageError(f"{option} '{text}' names nobody; write {option} a,b")
    return names


def _options(texts: list[str], methods: set[str]) -> dict[str, dict[str, str]]:
    """``PLANNER.KEY=VALUE`` texts by planner. Raises :class:`UsageError`."""
    out: dict[str, dict[str, str]] = {}
    for key, value in inputs.pairs(texts, "--set").items():
        method, dot, name = key.partition(".")
        if not dot or not name:
            raise UsageError(
                f"--set '{key}={value}' does not say whose option it is; write PLANNER.KEY=VALUE"
            )
        if method not in methods:
            raise UsageError(
                f"--set '{key}={value}': '{method}' does not take part; {', '.join(sorted(methods))} do"
            )
        out.setdefault(method, {})[name] = value
    return out


def _starts(args: argparse.Namespace, problem: Any) -> list[Any]:
    """The plan of ``--start``, opened on the same models."""
    if not args.start:
        return []
    plan = inputs.open_with_plan(argparse.Namespace(**{**vars(args), "plan": args.start})).plan
    if len(plan.problem.devices) != len(problem.devices):
        raise StageboardError(
            f"{args.start} is a plan of {len(plan.problem.devices)} devices and {args.target} has {len(problem.devices)};"
            " begin with a plan of as many"
        )
    return [decision_of(plan)]


def _no_plan(race: Race) -> str:
    when = {
        "time": "before time was up; give a longer --time-limit",
        "cancelled": "before the race was stopped",
    }.get(race.outcome, "by anybody; add planners with --planners all")
    return f"no valid plan was found {when}"
