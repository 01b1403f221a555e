"""``stageboard replay``: find a plan again from its provenance."""

from __future__ import annotations

import argparse
from typing import Any

from planner.cli import inputs
from planner.cli.command import DONE, FAILED, Console
from planner.cli.report import plan_fields, summary
from planner.cli.searching import Watch, soft_interrupt
from planner.runs.planning import stop_when
from planner.text_table import seconds_text


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``replay``."""
    inputs.add_models_and_plan(parser)
    parser.add_argument(
        "--time-limit", type=inputs.seconds, metavar="S",
        help="stop after S seconds (default: a minute, or 20 times as long as the search took)",
    )  # fmt: skip
    parser.epilog = (
        "example: stageboard replay sample_models/resnet50.json best.plan.json\n\n"
        "The planner runs again with the same options and seed, takes over the same plans of others at the same places, and ends\n"
        "where it found the plan. Exit status 0: the same plan came out, or one as good. Exit status 1: not."
    )


def run(args: argparse.Namespace, console: Console) -> int:
    """Read, run again, compare."""
    from planner.runs.replay import planner_of, replay
    from planner.runs.warm_up import warm_planner

    with soft_interrupt(console) as cancelled:
        plan = inputs.open_with_plan(args).plan
        planner = planner_of(plan.provenance)
        reason = planner.refusal(plan.problem)
        if reason is None:
            warm_planner(planner, plan.problem, dict(plan.provenance.options))
        watch = Watch(console, plan.problem, planner.name)
        stop = stop_when(cancelled, args.time_limit)
        replayed = replay(plan, watch, stop, limit=args.time_limit is None)
    result = replayed.result
    again = None if result.device_of is None else plan.problem.plan(result.device_of, plan.provenance, "")
    evaluation = None if again is None else again.evaluation
    data: dict[str, Any] = {
        "planner": planner.name,
        "outcome": replayed.outcome,
        "sentence": replayed.sentence,
        **plan_fields(plan.problem, evaluation),
        "expected": plan.objective,
        "stop_reason": result.stop_reason,
        "iterations": result.iterations,
        "seconds": result.seconds,
        "seed": result.seed,
        "adopted": len(result.adopted),
        "incumbents": [
            {
                "iteration": found.iteration,
                "seconds": found.seconds,
                "components": list(found.components),
                "by": found.by,
            }
            for found in replayed.found
        ],
    }

    def text() -> str:
        rows = [
            ("replay", replayed.sentence),
            ("took", f"{seconds_text(result.seconds)}, {len(replayed.found)} plans on the way"),
        ]
        return summary(plan.problem, evaluation, rows)

    console.result(data, text)
    return DONE if replayed.same else FAILED
