"""Which files on a command line are models, and which are plans of these: told by what is in them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from planner.cli.command import UsageError
from planner.errors import StageboardError
from planner.plan_files.plan_parts import is_plan


def models_and_plans(arguments: Sequence[str]) -> tuple[list[Path], list[Path]]:
    """(models, plans) among files, told apart by content. Raises :class:`StageboardError` where one is missing or no model is among them."""
    for argument in arguments:
        if not Path(argument).exists():
            raise StageboardError(f"{argument} does not exist; check the path")
    plans = [Path(argument) for argument in arguments if is_plan(argument)]
    models = [Path(argument) for argument in arguments if Path(argument) not in plans]
    if not models:
        raise UsageError(f"{plans[0]} is a plan; name its model before it")
    return models, plans
