"""A race as a whole in words: the best plan and its gap, how far that is from the goal, how it ended. No Qt, no painting."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from gui.look.numbers import Column, gap_text, plural, seconds_text
from gui.tools.search.race.facts import deciding_bound
from gui.words.methods import method_words
from gui.words.objectives import amount, component_words, components_text
from gui.words.proofs import took_words

if TYPE_CHECKING:
    from gui.tools.search.race.course import Course


def headline(course: Course) -> tuple[str, str]:
    """The best plan, and what is proven about it: ``21.91 ms`` and ``gap 3.9 %, bound 21.05 ms``."""
    standing = course.standing
    problem = course.problem
    if standing is None:
        known = problem.strongest_bound(course.bounds)
        least = (
            ""
            if known is None or math.isinf(known.value)
            else f"bound {amount(problem, known.component, known.value)}"
        )
        return "no plan yet", least
    assert course.components is not None
    first = standing.first_open
    value = amount(problem, problem.components[0], course.components[0])
    if first is None:
        return value, "optimal: proven"
    if len(problem.components) > 1:
        value = f"{component_words(first.name).title} {amount(problem, first.name, first.value)}"
    if first.bound is None or math.isinf(first.bound.value):
        return value, "no bound yet"
    least, best = (amount(problem, first.name, one) for one in (first.bound.value, first.value))
    # Where both read alike the gap alone says what differs.
    return value, f"gap {gap_text(first.gap, digits_to_goal(course))}" + (
        "" if least == best else f", bound {least}"
    )


def gap_digits(gaps: Sequence[float]) -> int:
    """How many decimals tell gaps apart in per cent."""
    return Column(0.01, "", 1).telling_apart(gaps).digits


def digits_to_goal(course: Course) -> int:
    """How many decimals tell the gap from the one that is asked for: who is not there yet does not read as if."""
    first = None if course.standing is None else course.standing.first_open
    if first is None or first.gap is None or not course.goal.gap:
        return 1
    return gap_digits((first.gap, course.goal.gap))


def goal_text(course: Course) -> str:
    """``to 5 %``, ``to 0.10 %`` beside a gap of 0.12 %, or ``to the proof``."""
    if not course.goal.gap:
        return "to the proof"
    digits = digits_to_goal(course)
    share = 100.0 * course.goal.gap
    return f"to {share:g} %" if digits < 2 else f"to {share:.{digits}f} %"


def towards(gap: float | None, goal: float | None) -> float:
    """How far a race is on its way to the gap that was asked for, 0..1: in factors, as gaps close.

    From 50 % to 5 % is as far as from 5 % to 0.5 %. Without a goal it is the proof that counts, 0.1 % being almost there.
    """
    if gap is None:
        return 0.0
    if gap <= (goal or 0.0):
        return 1.0
    least = max(goal or 0.0, 1e-3)
    if gap <= least:
        return 0.97
    return min(0.97, max(0.0, math.log(gap) / math.log(least))) if least < 1 else 0.0


def goal_words(course: Course) -> str:
    """``to 5 %, 60 s, 1 core``."""
    goal = course.goal
    parts = [goal_text(course) if goal.gap else "until proven optimal"]
    if goal.time_limit:
        parts.append(f"{goal.time_limit:g} s at most")
    parts.append(plural(goal.cores, "core"))
    return ", ".join(parts)


def who_proved(course: Course) -> str:
    """Who proved the bound that counts; empty without one."""
    bound = deciding_bound(course)
    if bound is None:
        return ""
    prover, infeasible = course.prover_of(bound), math.isinf(bound.value)
    least = "" if infeasible else amount(course.problem, bound.component, bound.value)
    if prover is None:
        who = method_words(bound.method)
        return "" if infeasible else f"The bound {least} was known before ({who})."
    return f"{prover.title} proved {'it' if infeasible else f'the bound {least}'}{took_words(bound)}."


ENDS = {
    "proven": "Proven optimal", "infeasible": "There is no valid plan, as is proven", "gap": "The gap asked for was reached",
    "time": "Time was up", "finished": "All had ended", "cancelled": "Stopped",
}  # fmt: skip


def over_at_once(course: Course) -> bool:
    """Whether the plan that a race began with was all that was asked for: nobody had a turn."""
    return (
        course.outcome in ("gap", "proven")
        and course.leader is None
        and not any(r.standing.active for r in course.runners)
    )


def sentences(course: Course) -> str:
    """How the race ended, who won, and who proved what; while it runs, who leads."""
    parts = []
    if course.outcome:
        parts.append(f"{ENDS[course.outcome]} after {seconds_text(course.seconds)}.")
    leader, best = course.leader, course.components
    if over_at_once(course):
        if course.outcome == "proven":
            return "The plan it began with is proven optimal: there is nothing to race for, unless you race from nothing."
        return "The plan it began with is as near to the bound as was asked for. Ask for a smaller gap in the set-up, or race from nothing."
    if leader is not None and best is not None:
        verb = "leads with" if course.alive else "won with"
        parts.append(
            f"{leader.title} {verb} {components_text(course.problem, best)}, found after {seconds_text(leader.trace[-1][0])}."
        )
    elif best is not None:
        parts.append(
            "Nobody is better than the plan it began with."
            if course.alive
            else "Nobody was better than the plan it began with."
        )
    elif course.outcome and course.outcome != "infeasible":
        parts.append("Nobody found a valid plan.")
    parts.append(who_proved(course))
    return " ".join(part for part in parts if part)
