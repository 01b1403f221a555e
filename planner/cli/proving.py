"""``--prove``: proving beside a plan, and proving again what a plan file claims, from the command line."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from planner.cli import inputs
from planner.cli.command import Console

if TYPE_CHECKING:
    from planner.machines.two_level_memory.problem import OrderPlan
    from planner.model.graph import Ints
    from planner.problem.base import PlanningProblem
    from planner.problem.bound import Bound
    from planner.problem.problem import Plan
    from planner.runs.proving import Again

SECONDS = 10.0
"""How long a certificate may take to prove what is claimed where nobody says how long."""
BESIDE = 2.0
"""Seconds of processor time for which bounds are proven beside a plan where nobody says how long."""
OFF = 0.0
"""What ``--prove off`` is as a number of seconds."""
MORE = 10
"""How many times longer a proof is proposed to take that did not reach what a file claims."""


def configure(parser: argparse._ActionsContainer, usual: str) -> None:
    """The option, None where it is not given; ``usual`` are words on what is done then."""
    parser.add_argument(
        "--prove",
        type=_seconds,
        metavar="SECONDS",
        help="prove what a plan file claims, by the method that it names, for at most so many seconds; 'off': what is not proven at"
        f" once is named as the file's claim (default {usual})",
    )


def configure_beside(parser: argparse._ActionsContainer, usual: float) -> None:
    """The option of commands that prove beside a plan; ``usual`` is its default in seconds, :data:`OFF` for none."""
    parser.add_argument(
        "--prove",
        type=_seconds,
        default=usual,
        metavar="SECONDS",
        help="prove bounds beside the plan for at most so many seconds of processor time, or 'off' (default"
        f" {f'{usual:g}' if usual else 'off'})",
    )


def longer(seconds: float) -> str:
    """What is said below a claim that stays one: what to type for a proof that has longer than these ``seconds``."""
    if seconds <= OFF:
        return f"to prove it here: --prove {BESIDE:g}"
    return f"{seconds:g} s of proving did not do: --prove {MORE * seconds:g} takes longer"


def _seconds(text: str) -> float:
    return OFF if text.strip().lower() == "off" else inputs.seconds(text)


def again(plan: Plan | OrderPlan, bounds: Sequence[Bound], seconds: float, console: Console) -> Again:
    """Prove what is claimed of a plan for at most so many seconds; Ctrl-C ends it, and what was proven by then counts."""
    from planner.cli.searching import PROVEN, Watch, soft_interrupt
    from planner.runs.planning import stop_when
    from planner.runs.proving import prove_again

    with soft_interrupt(console, PROVEN) as cancelled:
        watch = Watch(console, plan.problem, "proving")
        return prove_again(plan, bounds, stop_when(cancelled, seconds), watch)


def proven_beside(
    problem: PlanningProblem,
    decision: Ints,
    components: Sequence[float],
    bounds: tuple[Bound, ...],
    seconds: float,
    console: Console,
    cancelled: Callable[[], bool],
) -> tuple[Bound, ...]:
    """``bounds``, and what the bound method ``auto`` proves beyond them until a valid plan is proven to be the best.

    ``decision`` is the plan (int32[n], or int32[W]), ``components`` are those of its objective.
    """
    from planner.cli.searching import Watch
    from planner.runs import proving
    from planner.search.search import Shared
    from planner.search.stop import Cancel

    if cancelled():
        return bounds
    best, watch = Shared(decision, tuple(components)), Watch(console, problem, "proving")
    return proving.proven_beside(problem, best, bounds, seconds, Cancel(cancelled), watch)


def proven_of(
    plan: Plan | OrderPlan, bounds: tuple[Bound, ...], seconds: float, console: Console
) -> tuple[Bound, ...]:
    """``bounds``, and what is proven beyond them of a valid plan: what is said of it is not to be less than is known in a moment."""
    from planner.cli.searching import soft_interrupt
    from planner.problem.base import decision_of

    if not plan.evaluation.valid or seconds <= OFF:
        return bounds
    with soft_interrupt(console, "") as cancelled:
        return proven_beside(
            plan.problem, decision_of(plan), plan.evaluation.values, bounds, seconds, console, cancelled
        )
