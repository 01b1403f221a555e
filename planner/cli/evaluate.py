"""``stageboard evaluate``: evaluate a plan file again from nothing."""

from __future__ import annotations

import argparse

from planner.cli import inputs
from planner.cli.command import DONE, FAILED, Console


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``evaluate``."""
    inputs.add_models_and_plan(parser)
    parser.epilog = (
        "example: stageboard evaluate sample_models/resnet50.json resnet50.plan.json\n\n"
        "Exit status 1: the plan breaks a rule, or its file claims figures that it does not have."
    )


def run(args: argparse.Namespace, console: Console) -> int:
    """Read model and plan, evaluate, compare with what the file says."""
    from planner.cli.report import plan_fields, summary

    opened = inputs.open_with_plan(args)
    plan = opened.plan
    problem = plan.problem
    evaluation = plan.evaluation
    for note in opened.notes:
        console.note(f"{args.plan}: {note}; it was edited or written by another version, make it again")
    data = {"planner": plan.provenance.planner, **plan_fields(problem, evaluation), "plan_file": args.plan}
    rows = [("planner", plan.provenance.planner), ("plan", args.plan)]
    console.result(data, lambda: summary(problem, evaluation, rows))
    return DONE if evaluation.valid and not opened.notes else FAILED
