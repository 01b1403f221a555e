"""``--prove``: proving beside a plan, and proving again what a plan file claims, from the command line."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from planner.cli import inputs
from planner.cli.command import Console

if TYPE_CHECKING:
    from planner.machines.two_level_memory.problem import OrderPlan
    from planner.problem.bound import Bound
    from planner.problem.problem import Plan
    from planner.runs.proving import Again

SECONDS = 10.0
"""Seconds of processor time for which a certificate in words proves what is claimed where nobody says how long."""
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
        help="prove bounds beside the plan, and what its file claims by the method that it names, for at most so many seconds of processor"
        f" time; 'off': what is not proven at once is named as the file's claim (default {usual})",
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


def configure_claimed(parser: argparse._ActionsContainer) -> None:
    """The option of commands that read plan files, None where it is not given: :func:`seconds_for` says what is done then."""
    configure(parser, f"{BESIDE:g}; {SECONDS:g} where it claims more than is proven at once, as in talks")


def seconds_for(plan: Plan | OrderPlan, bounds: Sequence[Bound], asked: float | None) -> float:
    """For how many seconds of processor time bounds are proven beside a plan: those ``asked`` for, else longer where its file claims more
    than ``bounds`` and what is known at once prove, so that pictures, tables and talks of one plan say the same."""
    from planner.problem.claims import claim_of
    from planner.runs.proving import with_known

    if asked is not None:
        return asked
    return BESIDE if claim_of(plan, with_known(plan.problem, bounds)) is None else SECONDS


def longer(asked: float | None) -> str:
    """What is said below a claim that stays one: what to type for a proof that has longer than what was ``asked`` for."""
    seconds = SECONDS if asked is None else asked
    if seconds <= OFF:
        return f"to prove it here: --prove {BESIDE:g}"
    return f"{seconds:g} s of proving did not do: --prove {MORE * seconds:g} takes longer"


def _seconds(text: str) -> float:
    off = text.strip().lower() == "off" or _number(text) == 0.0
    return OFF if off else inputs.seconds(text)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def again(plan: Plan | OrderPlan, bounds: Sequence[Bound], asked: float | None, console: Console) -> Again:
    """What is proven beside a plan, of what its file claims in particular, within so many seconds of processor time
    (:func:`seconds_for`); Ctrl-C ends it, and what was proven by then counts."""
    from planner.cli.searching import PROVEN, Watch, soft_interrupt
    from planner.runs.proving import prove_within
    from planner.search.stop import Cancel

    seconds = seconds_for(plan, bounds, asked)
    with soft_interrupt(console, PROVEN) as cancelled:
        return prove_within(plan, bounds, seconds, Cancel(cancelled), Watch(console, plan.problem, "proving"))


def proven_of(
    plan: Plan | OrderPlan, bounds: tuple[Bound, ...], asked: float | None, console: Console
) -> tuple[Bound, ...]:
    """``bounds``, and what is proven beyond them of a valid plan, as its certificate does: what is said of a plan is the same everywhere."""
    if not plan.evaluation.valid or (asked is not None and asked <= OFF):
        return bounds
    return again(plan, bounds, asked, console).bounds


def note_claim(
    plan: Plan | OrderPlan, bounds: Sequence[Bound], asked: float | None, console: Console
) -> None:
    """Say which claim of a plan's file the time did not do to prove, and what to type."""
    from planner.problem.claims import claim_of, claim_words

    proves = plan.evaluation.valid and (asked is None or asked > OFF)
    if proves and (claim := claim_of(plan, bounds)) is not None:
        console.note(f"{claim_words(plan.problem, claim)}; {longer(asked)}")
