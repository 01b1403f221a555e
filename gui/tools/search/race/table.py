"""The leaderboard as text: columns separated by tabs, for a spreadsheet or a mail."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gui.tools.search.race.facts import ranking, state_words
from gui.tools.search.race.words import sentences
from gui.words.objectives import amount, component_words

if TYPE_CHECKING:
    from gui.tools.search.race.course import Course


def race_table(course: Course) -> str:
    """A heading, one line per entrant from the best to the last, and how the race ended."""
    problem = course.problem
    names = problem.components
    lines = [
        [
            "rank",
            "entrant",
            *(component_words(name).title for name in names),
            "seconds to best",
            "seconds at work",
            "proved",
            "state",
        ]
    ]
    rank = 0
    for runner in ranking(course):
        found = runner.components
        rank += found is not None
        values = (
            ["" for _ in names]
            if found is None
            else [amount(problem, n, v) for n, v in zip(names, found, strict=True)]
        )
        bound = runner.standing.bound
        lines.append([
            str(rank) if found is not None else "", runner.title, *values,
            f"{runner.trace[-1][0]:.2f}" if runner.trace else "", f"{runner.standing.active:.2f}",
            "" if bound is None else amount(problem, bound.component, bound.value), state_words(course, runner),
        ])  # fmt: skip
    text = "\n".join("\t".join(line) for line in lines)
    return f"{text}\n{sentences(course)}\n"
