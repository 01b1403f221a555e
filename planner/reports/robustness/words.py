"""What is said of how sure a plan is: on the command line and in the window alike."""

from __future__ import annotations

import math
from collections.abc import Callable

from planner.quantity import time_text
from planner.reports.robustness.report import MARGIN, OpTolerance, Robustness
from planner.reports.robustness.spread import Dependence
from planner.reports.robustness.tolerance import FREE
from planner.text_table import gap_percent, percent

LARGE = 100.0


def at_most(factor: float) -> str:
    """A factor that is not to be rounded up: ``1.58x``."""
    return f"{math.floor(factor * LARGE + 1e-6) / LARGE:.2f}x"


def at_least(factor: float) -> str:
    """A factor that is not to be rounded down: ``0.42x``."""
    return f"{math.ceil(factor * LARGE - 1e-6) / LARGE:.2f}x"


def optimal_while(each: OpTolerance) -> str:
    """Between which factors on an op's time the plan is proven optimal: ``0.42x to 1.58x``, empty where nothing is proven beyond 1."""
    low = each.down.proven if each.down.method else 1.0
    high = each.up.proven if each.up.method else 1.0
    shown = at_least(low), at_most(high)
    return "" if shown[0] == shown[1] else f"{shown[0]} to {shown[1]}"


def proven_by(each: OpTolerance) -> str:
    """What proves that, the stronger method first: ``chain-dp``, ``growing for free``; empty where nothing is proven."""
    methods = [side.method for side in (each.up, each.down) if side.method and side.proven != 1.0]
    return next((method for method in methods if method != FREE), methods[0] if methods else "")


def another_from(each: OpTolerance) -> str:
    """From which factor on the op's time a known plan is better by more than :data:`MARGIN`: ``1.58x``; empty where none is."""
    if each.turns is None:
        return ""
    return at_most(each.turns) if each.turns < 1.0 else at_least(each.turns)


def tolerance_sentence(found: Robustness, each: OpTolerance) -> str:
    """All that is known of one op, in a sentence or two."""
    name = found.problem.graph.op_names[each.op]
    said = []
    if not found.optimal:
        said.append("The plan is not proven optimal, so no factor is proven up to which it would be.")
        if found.gap is not None and each.slack > 1.0:
            within = f"No plan is more than {gap_percent(found.gap)} better while {name} takes less than {at_most(each.slack)}"
            said.append(f"{within}: proven ({FREE}).")
    elif each.up.settled:
        said.append(
            f"The plan stays optimal while {name} takes less than {at_most(each.up.proven)}: proven, and exact ({each.up.method})."
        )
    elif each.up.proven >= found.settings.most:
        said.append(
            f"The plan stays optimal while {name} takes up to {at_most(each.up.proven)}: proven ({each.up.method})."
        )
    elif at_most(each.up.proven) != at_most(1.0):
        said.append(
            f"The plan stays optimal at least while {name} takes less than {at_most(each.up.proven)}: proven ({each.up.method})."
        )
    else:
        said.append(f"Nothing is proven for {name} taking longer.")
    if found.optimal and each.down.method and each.down.proven < 1.0:
        said.append(f"It may take as little as {at_least(each.down.proven)}: proven ({each.down.method}).")
    if each.slack > 1.0:
        said.append(f"The objective stays what it is up to {at_most(each.slack)}.")
    if each.turns is not None and each.turns_to is not None:
        better = found.candidates[each.turns_to].name
        way = "from" if each.turns >= 1.0 else "below"
        said.append(
            f"{way.capitalize()} {another_from(each)}, {better} is better by more than {percent(MARGIN)}."
        )
    return " ".join(said)


def standing_words(found: Robustness, called: Callable[[str], str] = str) -> str:
    """How good the plan is under the times of the model: ``optimal, proven by chain-dp``, ``could be at most 2.3 % better (simple)``;
    methods by their names, or as they are ``called``."""
    if found.optimal:
        return f"optimal, proven by {called(found.proven_by)}"
    if found.gap is None:
        return "nothing proven"
    return f"could be at most {gap_percent(found.gap)} better ({called(found.proven_by)})"


def regret_sentence(found: Robustness, dependence: Dependence) -> str:
    """Which of the plans compared regrets least: never more than that."""
    compared, best = found.compared, found.least_regret(dependence)
    if len(compared) == 1:
        return f"{_planned_words(found)}{_rivals_words(found)}."
    sampled = found.outlooks[dependence]
    regret, most = float(sampled.expected_regret[best]), float(sampled.most_regret[best])
    who = f"This plan, '{compared[0].name}'," if best == 0 else f"'{compared[best].name}'"
    said = f"{who} regrets least of the {len(compared)} plans compared: {percent(regret)} on average, {percent(most)} at most"
    if best:
        said += f"; this plan, '{compared[0].name}', {percent(float(sampled.expected_regret[0]))}"
    return f"{said}."


def _planned_words(found: Robustness) -> str:
    """That there is nothing to compare with, and whether other plans were looked for."""
    if not found.runs:
        return "No other plan was looked for to compare with"
    return "Planning under drawn op times found no other plan"


def _rivals_words(found: Robustness) -> str:
    """Which plans are better where one op is off: ``; better where one op is off: rival 1, rival 2``; empty where none is known."""
    names = [each.name for each in found.rivals]
    if not names:
        return ""
    shown = names if len(names) < 4 else [f"{names[0]} to {names[-1]}"]
    return f"; better where one op is off: {', '.join(shown)}"


def changing_words(found: Robustness) -> str:
    """How many ops have errors that would change the plan: ``39 of 176 ops would change the plan if off by up to 4x, 2 within their spread``.

    Where time ran out, of how many looked at, and how many were not.
    """
    if not found.ops_looked_at:
        return "no op was looked at in the time given: whether errors would change the plan is not known"
    unseen = found.ops_asked - found.ops_looked_at
    looked = f"{found.ops_looked_at:,} ops looked at" if unseen else f"{found.ops_asked:,} ops"
    said = f"{found.changing:,} of {looked} would change the plan if off by up to {found.settings.most:g}x, {found.within:,} within their spread"
    return f"{said}; {unseen:,} not looked at in the time given" if unseen else said


def worst_words(found: Robustness, value: float) -> str:
    """An objective, and how much more that is than under the times of the model: ``1.72 ms (+86.3 %)``."""
    nominal = found.candidates[0].nominal
    shown = time_text(value, found.problem.graph.time_unit)
    if not nominal > 0:
        return shown
    change = value / nominal - 1.0
    sign = "+" if change >= 0 else "\N{MINUS SIGN}"
    return f"{shown} ({sign}{percent(abs(change))})"
