"""A race on the command line: the leaderboard as it changes, the final one, and its JSON."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Sequence
from typing import Any

from planner.cli.command import Console
from planner.cli.report import plan_fields, proofs
from planner.printable import escaped
from planner.quantity import amount_text
from planner.runs.race import Better, Event, Finished, Proven, Race, Standing
from planner.text_table import gap_limit, seconds_text, table

REDRAWN = 0.2
"""Seconds between two drawings of the leaderboard."""
SPARKS = "▁▂▃▄▅▆▇█"
SPARK_WIDTH = 12


class Board:
    """Shows a race on stderr: on a terminal a leaderboard that is redrawn, else a line for every step ahead."""

    def __init__(self, console: Console, race: Race) -> None:
        self._console = console
        self._race = race
        self._live = sys.stderr.isatty()
        self._lines = 0
        self._drawn = 0.0
        self._best: tuple[float, ...] | None = None
        self._bound: float | None = None

    def show(self, events: Sequence[Event]) -> None:
        """Take note of what happened."""
        if self._live:
            if time.monotonic() - self._drawn >= REDRAWN:
                self._drawn = time.monotonic()
                self._draw()
            return
        for event in events:
            line = self._line(event)
            if line:
                self._console.note(line)

    def end(self) -> None:
        """Take the live leaderboard away; the final one comes with the result."""
        if self._live and self._lines:
            self._console.draw(f"\x1b[{self._lines}F\x1b[J")
            self._lines = 0

    def _draw(self) -> None:
        width = shutil.get_terminal_size().columns - 1
        lines = [headline(self._race), *leaderboard(self._race).splitlines()]
        up = f"\x1b[{self._lines}F" if self._lines else ""
        shown = [escaped(line)[:width] for line in lines]
        self._console.draw(up + "".join(f"{line}\x1b[K\n" for line in shown) + "\x1b[J")
        self._lines = len(lines)

    def _line(self, event: Event) -> str:
        """A line for what brings the race forward; nothing for the rest."""
        race = self._race
        if isinstance(event, Better):
            if race.best is None or race.best.by != event.index or race.best.components == self._best:
                return ""
            self._best = race.best.components
            what = _amount(race, event.components[0])
        elif isinstance(event, Proven):
            if race.bound is None or race.proved_by != event.index or race.bound.value == self._bound:
                return ""
            self._bound = race.bound.value
            what = f"at least {_amount(race, race.bound.value)}"
        elif isinstance(event, Finished):
            standing = race.standings[event.index]
            if _idle(standing):
                return ""
            what = _ending(race, standing)
        else:
            return ""
        gap = "" if race.gap is None else f"  (gap {gap_limit(race.gap)})"
        return f"{race.seconds:7.1f} s  {race.standings[event.index].name}: {what}{gap}"


def headline(race: Race) -> str:
    """The best of all, the strongest bound, the gap, and the time."""
    parts = [seconds_text(race.seconds)]
    if race.best is not None:
        parts.append(f"best {_amount(race, race.best.components[0])}")
    if race.bound is not None:
        parts.append(f"bound {_amount(race, race.bound.value)}")
    if race.gap is not None:
        parts.append(f"gap {gap_limit(race.gap)}")
    return "  ".join(parts)


def leaderboard(race: Race) -> str:
    """The standings, the best first."""
    ranking = race.ranking()
    name = race.problem.components[0]
    histories = [s.history for s in ranking]
    values = [value for history in histories for _, value in history]
    span = (min(values), max(values)) if values else (0.0, 0.0)
    rows = []
    for place, standing in enumerate(ranking, 1):
        found = standing.objective is not None
        rows.append(
            (
                str(place) if found else "",
                standing.name,
                sparkline(standing.history, race.seconds, span),
                _amount(race, standing.objective) if standing.objective is not None else "",
                f"{standing.time_to_best:.1f} s" if standing.time_to_best is not None else "",
                _amount(race, standing.bound.value) if standing.bound is not None else "",
                f"{standing.active:.1f} s",
                f"  {_state(race, standing)}{_warmth(race, standing)}",
            )
        )
    width = max(len(row[-1]) for row in rows)
    rows = [(*row[:-1], row[-1].ljust(width)) for row in rows]
    head = ("", "planner", "", name, "found at", "proved", "active", "  state".ljust(width))
    return table(head, rows, left=3)


def sparkline(
    history: Sequence[tuple[float, float]],
    seconds: float,
    span: tuple[float, float],
    width: int = SPARK_WIDTH,
) -> str:
    """The best value over time as small bars, the lower the better; blank before the first plan."""
    low, high = span
    out = []
    for i in range(width):
        until = seconds * (i + 1) / width
        value = next((v for t, v in reversed(history) if t <= until), None)
        if value is None:
            out.append(" ")
        else:
            share = (value - low) / (high - low) if high > low else 0.0
            out.append(SPARKS[round(share * (len(SPARKS) - 1))])
    return "".join(out)


def fields(race: Race, plan: Any, seed: int, plan_file: str | None) -> dict[str, Any]:
    """The JSON of the command: the fields of ``plan``, and the race."""
    problem = race.problem
    evaluation = None if plan is None else plan.evaluation
    standing = None if evaluation is None else problem.standing(evaluation.values, race.bounds)
    status = (
        "infeasible" if race.outcome == "infeasible" else "no_plan" if standing is None else standing.status
    )
    bound = race.bound
    reason = "finished" if race.outcome in ("proven", "infeasible") else race.outcome
    return {
        "planner": None if plan is None else plan.provenance.planner,
        **plan_fields(problem, evaluation),
        "lower_bound": None if bound is None else bound.value,
        "gap": None if standing is None else standing.gap,
        **({"bounds": proofs(standing)} if standing is not None and len(standing.components) > 1 else {}),
        "status": status,
        "stop_reason": reason,
        "seconds": race.seconds,
        "seed": seed,
        "plan_file": plan_file,
        "sentence": race.sentence,
        "found_by": None if race.best is None or race.best.by < 0 else race.standings[race.best.by].name,
        "proved_by": None if race.proved_by < 0 else race.standings[race.proved_by].name,
        "leaderboard": [standing_fields(race, standing) for standing in race.ranking()],
    }


def standing_fields(race: Race, standing: Standing) -> dict[str, Any]:
    """One line of the leaderboard as JSON."""
    names = race.problem.components
    return {
        "name": standing.name,
        "method": standing.entrant.method,
        "is_bound": standing.entrant.is_bound,
        "options": dict(standing.entrant.options),
        "seed": standing.entrant.seed,
        "objective": standing.objective,
        "components": {}
        if standing.components is None
        else dict(zip(names, standing.components, strict=True)),
        "time_to_best": standing.time_to_best,
        "lower_bound": None if standing.bound is None else standing.bound.value,
        "iterations": standing.iterations,
        "active": standing.active,
        "ending": standing.ending,
        "reason": standing.reason,
        "warmed_by": [_name(race, by) for by in standing.warmed_by],
        "adopted": [
            {"seconds": taken.seconds, "iteration": taken.iteration, "by": _name(race, taken.by)}
            for taken in standing.adopted
        ],
        "history": [list(point) for point in standing.history],
    }


def _name(race: Race, index: int) -> str:
    return "start" if index < 0 else race.standings[index].name


def _amount(race: Race, value: float) -> str:
    return amount_text(value, race.problem.unit(race.problem.components[0]))


def _state(race: Race, standing: Standing) -> str:
    return standing.state if standing.alive else _ending(race, standing)


def _idle(standing: Standing) -> bool:
    """Whether the race ended before it had a turn."""
    had_none = not standing.active and not standing.history and standing.bound is None
    return had_none and standing.ending not in ("refused", "failed")


def _ending(race: Race, standing: Standing) -> str:
    """How it ended. A proof ends the race for everybody; it is told of whose plan it is, and of who proved it."""
    words = {"gap": "gap reached", "time": "time was up", "iterations": "finished"}.get(
        standing.ending, standing.ending
    )
    if _idle(standing):
        words = "had no turn"
    elif standing.ending == "proven":
        theirs = (race.proved_by, -1 if race.best is None else race.best.by)
        words = "proven optimal" if standing.index in theirs else "ended by the proof"
    return f"{words}: {standing.reason}" if standing.reason else words


def _warmth(race: Race, standing: Standing) -> str:
    names = [_name(race, by) for by in standing.warmed_by]
    return f", warmed by {', '.join(names)}" if names else ""
