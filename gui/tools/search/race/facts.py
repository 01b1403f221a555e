"""What the leaderboard shows of a race: one row per entrant, in order, in words and numbers. No Qt, no painting."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gui.look.numbers import Column, plural, seconds_text
from gui.tools.search.convergence_lines import proofs_of
from gui.words.objectives import amount, column_of, component_words, components_text
from gui.words.proofs import took_words
from planner.problem.bound import TIE

if TYPE_CHECKING:
    from gui.tools.search.race.course import Course
    from gui.tools.search.race.runner import Runner
    from planner.problem.bound import Bound

MOST_POINTS = 160
"""Of longer lines every so many steps are drawn: a row has no more pixels than that."""
Points = tuple[tuple[float, float], ...]
"""(seconds, value) from left to right."""
STATES = {"queued": "waiting", "paused": "waiting", "running": "running", "stopping": "stopping"}
ENDINGS = {
    "proven": "ended by the proof", "finished": "done", "time": "time is up", "gap": "gap reached", "iterations": "done",
    "cancelled": "stopped", "refused": "refused", "failed": "failed",
}  # fmt: skip


@dataclass(frozen=True)
class RowFacts:
    """One entrant. ``rank`` is 0 without a plan; ``points`` are its plans, or its bounds where it looks for none.

    ``number`` is the value of the component that is shown (``value``, NaN without one), ``state`` a word or two, ``notes``
    what else there is to say in a line, ``described`` everything.
    """

    index: int
    rank: int
    title: str
    is_bound: bool
    number: str
    value: float
    points: Points
    when: str
    state: str
    running: bool
    bad: bool
    winner: bool
    leads: bool
    notes: str
    described: str


@dataclass(frozen=True)
class BoardFacts:
    """All rows from the best to the last, and what they share: the component shown, its unit, the bound and the scales.

    ``alone``: the objective has no other component, so that who reaches the bound is optimal.
    """

    rows: tuple[RowFacts, ...]
    column: Column
    heading: str
    bound: Points
    end: float
    low: float
    high: float
    alone: bool


def shown_component(course: Course) -> int:
    """The first component in which the runners' plans differ; where all agree, the first that is not proven."""
    names = course.problem.components
    found = [runner.components for runner in course.runners if runner.components is not None]
    for place in range(len(names)):
        values = [one[place] for one in found]
        if values and max(values) - min(values) > TIE * abs(max(values)):
            return place
    standing = course.standing
    first = None if standing is None else standing.first_open
    return 0 if first is None else names.index(first.name)


def ranking(course: Course) -> list[Runner]:
    """Best plan first, of equal ones the earlier; then those without a plan; then who proves bounds; refused ones last."""

    def place(runner: Runner) -> tuple[object, ...]:
        gone = runner.standing.ending in ("refused", "failed") and runner.components is None
        if runner.components is not None:
            return (0, runner.components, runner.trace[-1][0], runner.index)
        return (3 if gone else 2 if runner.is_bound else 1, (), 0.0, runner.index)

    return sorted(course.runners, key=place)


def board_facts(course: Course) -> BoardFacts:
    """Read a race anew."""
    place = shown_component(course)
    name = course.problem.components[place]
    best = course.components
    reached = dict(zip(course.problem.components, best, strict=True)) if best is not None else {}
    bounds = proofs_of(course.proofs, name, reached)
    steps = tuple((seconds, bound.value) for seconds, bound in bounds if math.isfinite(bound.value))
    order = ranking(course)
    points = {runner.index: _points(runner, place, name) for runner in order}
    finals = final_values(course, place)
    numbers = [*finals, *(value for _, value in steps[-1:])]
    # In the unit that suits the best plan, as the headline has it: the leaders are what one tells apart.
    plans = [value for value in (reached.get(name, math.nan), *numbers) if value > 0.0]
    column = column_of(course.problem, name, plans[:1] or [0.0])
    if column.digits:  # places are told by what is written; I/Os are whole
        column = column.telling_apart(finals)
    low, high = scale_of(course, place)
    rows, rank = [], 0
    for runner in order:
        rank += runner.components is not None
        rows.append(
            _row(course, runner, rank if runner.components is not None else 0, points[runner.index], column)
        )
    alone = len(course.problem.components) == 1
    short = "objective" if alone else component_words(name).short
    heading = f"{short}, {column.suffix}" if column.suffix else short
    return BoardFacts(tuple(rows), column, heading, steps, max(course.seconds, 0.1), low, high, alone)


def _points(runner: Runner, place: int, name: str) -> Points:
    """A runner's line: its plans, or the bounds on all plans that it proved."""
    if not runner.is_bound:
        every = -(-len(runner.trace) // MOST_POINTS) or 1
        # Counted from the last, which is the best.
        kept = runner.trace[::-1][::every][::-1]
        return tuple((seconds, components[place]) for seconds, components in kept)
    rising: list[tuple[float, float]] = []
    for seconds, bound in runner.proofs:
        if (
            bound.component == name
            and math.isfinite(bound.value)
            and (not rising or bound.value > rising[-1][1])
        ):
            rising.append((seconds, bound.value))
    return tuple(rising)


def final_values(course: Course, place: int) -> list[float]:
    """Component ``place`` of each runner's best plan, of those that have one."""
    return [runner.components[place] for runner in course.runners if runner.components is not None]


def scale_of(course: Course, place: int) -> tuple[float, float]:
    """The values of component ``place`` at the bottom and at the top of all lines of a race.

    A first plan may be many times worse than what follows: the top is such that the difference between the best and the worst
    final plan, or else the gap, takes a good part of the height. What is above it is drawn along the edge.
    """
    name, finals = course.problem.components[place], final_values(course, place)
    bounds = [b.value for _, b in course.proofs if b.component == name and math.isfinite(b.value)]
    if not finals:
        return (min(bounds), max(*bounds, min(bounds) + 1e-12)) if bounds else (0.0, 1.0)
    best, worst = min(finals), max(finals)
    low = best if not bounds else max(bounds[-1], best - 2 * (worst - best) - 0.25 * abs(best))
    low = min(low, best)
    first = max(components[place] for runner in course.runners for _, components in runner.trace)
    high = min(first, worst + max(worst - low, 0.02 * abs(best)))
    return low, high if high > low else low + (abs(low) * 0.05 or 1.0)


def deciding_bound(course: Course) -> Bound | None:
    """The bound that counts: on the first component that is not proven, else on the last."""
    standing = course.standing
    if standing is None:
        return course.problem.strongest_bound(course.bounds)
    return (standing.first_open or standing.components[-1]).bound


def prover_of(course: Course) -> Runner | None:
    """Who proved the bound that counts, during the race."""
    return course.prover_of(deciding_bound(course))


# ---------------------------------------------------------------------- rows
def _row(course: Course, runner: Runner, rank: int, points: Points, column: Column) -> RowFacts:
    standing = runner.standing
    value = points[-1][1] if points else math.nan
    number = "" if math.isnan(value) else column.number(value)
    if runner.is_bound and number:
        number = f"≥ {number}"
    when = seconds_text(points[-1][0]) if points else ""
    leads = runner is course.leader
    state = state_words(course, runner)
    notes = [
        part
        for part in (state + had_words(runner), _warmed(course, runner), _proved(course, runner, column))
        if part
    ]
    return RowFacts(
        runner.index, rank, runner.title, runner.is_bound, number, value, points, when, state,
        standing.state in ("running", "stopping"), standing.ending in ("refused", "failed"), runner is course.winner,
        leads, " · ".join(notes), describe(course, runner, rank),
    )  # fmt: skip


def state_words(course: Course, runner: Runner) -> str:
    """How it is doing, in few words."""
    standing = runner.standing
    if standing.state == "ended":
        idle = not standing.active and not runner.trace and not runner.proofs
        if idle and standing.ending not in ("refused", "failed"):
            return "had no turn"
        ending = ENDINGS.get(standing.ending, "done")
        if standing.ending == "proven" and runner in (course.leader, prover_of(course)):
            return "proven optimal"
        if runner.is_bound and ending == "done":
            return "bound proven" if runner.proofs else "no stronger bound than was known"
        if ending == "done" and runner.components is None:
            return "found no plan of its own"
        return ending
    return STATES.get(standing.state, standing.state)


def had_words(runner: Runner) -> str:
    """For how long it had a processor, which the clock of the race does not say: others take turns with it."""
    return f", {seconds_text(runner.standing.active)} at work" if runner.standing.active else ""


def _names(course: Course, indices: Sequence[int]) -> list[str]:
    """Whose plans: the entrants' titles, each once; the plan that the race began with is ``the start``."""
    return list(dict.fromkeys("the start" if i < 0 else course.runners[i].title for i in indices))


def _warmed(course: Course, runner: Runner) -> str:
    """``warmed by Anneal``, or by how many."""
    names = _names(course, runner.standing.warmed_by)
    if not names:
        return ""
    return f"warmed by {names[-1]}" if len(names) == 1 else f"warmed by {names[-1]} and {len(names) - 1} more"


def _proved(course: Course, runner: Runner, column: Column) -> str:
    """What a planner proved besides finding plans."""
    bound = runner.standing.bound
    if runner.is_bound or bound is None or not math.isfinite(bound.value):
        return ""
    return f"proved ≥ {amount(course.problem, bound.component, bound.value)}"


def describe(course: Course, runner: Runner, rank: int = 0) -> str:
    """Everything about an entrant in lines, for a tool tip and for those who cannot see the row."""
    standing, problem = runner.standing, course.problem
    head = f"{rank}. {runner.title}" if rank else runner.title
    lines = [
        f"{head}, the winner"
        if runner is course.winner
        else f"{head}, leads"
        if runner is course.leader
        else head
    ]
    if runner.components is not None:
        lines.append(
            f"{components_text(problem, runner.components)} after {seconds_text(runner.trace[-1][0])}"
        )
        if len(runner.trace) > 1:
            lines.append(f"{plural(len(runner.trace), 'plan')}, each better than the one before")
    if standing.bound is not None:
        value = "there is no valid plan" if math.isinf(standing.bound.value) else ""
        least = value or f"≥ {amount(problem, standing.bound.component, standing.bound.value)}"
        lines.append(f"proved {least}{took_words(standing.bound)}")
    names = _names(course, standing.warmed_by)
    if names:
        lines.append(f"went on from plans of {', '.join(names)}")
    words = state_words(course, runner)
    if standing.iterations:
        words += f", {plural(standing.iterations, 'iteration')}"
    lines.append(words + had_words(runner))
    if standing.reason:
        lines.append(standing.reason)
    elif standing.text and runner.alive:
        lines.append(standing.text)
    return "\n".join(lines)
