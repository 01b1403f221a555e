"""The line above a keyframe that compares plans: what each costs, and by how much B is better or worse than A."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from gui.look.numbers import plural, signed_percent, time_column
from gui.look.theme import Theme
from gui.panels.comparison.names import columns_of
from gui.panels.comparison.words import known_here
from gui.present.captions import Run, target_words
from gui.words.machines import machines_by_letter
from gui.words.objectives import SAME, amount, change, component_words
from planner.reports.comparison import Comparison
from planner.story.comparing import SampleTimes, sample_times


def comparison_target(comparison: Comparison, own: Sequence[Sequence[int]]) -> str:
    """What the plans are for, each by itself where they are for several machines or keep other rules; and whose colours devices have,
    where these are not the ones that they have in other keyframes (``own``, the numbers of each plan's devices)."""
    problems = [plan.problem for plan in comparison.plans]
    said = machines_by_letter(problems, comparison.letters) or target_words(problems[0])
    numbers = np.array(comparison.numbers)
    same = all(
        np.array_equal(numbers[rows], its or range(len(rows)))
        for rows, its in zip(comparison.row_of, own, strict=True)
    )
    return said if same else f"colours by {comparison.letter(0)}'s devices; {said}"


def comparison_runs(comparison: Comparison, theme: Theme, how: str = "") -> list[Run]:
    """``bottleneck  A 34.4 ms  B 27.1 ms  −21.3 %``; rules that are broken are said. Of ``schedules`` (``how``) it is what samples take; of
    both it and flows (``sankey``) also what is proven, which other pictures say below."""
    taken = sample_times(comparison) if how == "schedules" else None
    if taken is not None and taken.times:
        return _sample_runs(comparison, taken, theme)
    first = comparison.plans[0].problem
    alike = all(not comparison.incomparable(i) for i in range(1, len(comparison.plans)))
    runs = [Run(component_words(first.components[0]).title + " ", theme.muted)] if alike else []
    written = columns_of(comparison)
    for i, plan in enumerate(comparison.plans):
        name, value = plan.problem.components[0], plan.evaluation.objective
        said = written[name].text(value) if name in written else amount(plan.problem, name, value)
        runs += [Run(f"{comparison.letter(i)} ", theme.muted), Run(said, theme.text, True)]
        broken = len(plan.evaluation.violations)
        if broken:
            runs.append(Run(f"\N{BALLOT X} {plural(broken, 'rule')} broken", theme.bad, True))
        elif how == "sankey" and (known := known_here(comparison, i)):
            runs.append(Run(known, theme.muted, claim=True))
        if i and not comparison.incomparable(i):
            found = change(first, comparison.plans[0].evaluation.values, plan.evaluation.values)
            same = abs(found.share) <= SAME
            valid = comparison.plans[0].evaluation.valid and not broken
            colour = theme.muted if same or not valid else theme.good if found.share < 0 else theme.bad
            words = f"as {comparison.letter(0)}" if same else signed_percent(found.share)
            of = (
                ""
                if found.component == first.components[0] or same
                else f"{component_words(found.component).short} "
            )
            runs.append(Run(of + words, colour, True))
    return runs


def _sample_runs(comparison: Comparison, taken: SampleTimes, theme: Theme) -> list[Run]:
    """What samples take in practice where that is later than charts show for any plan: by that figure one plan is faster than another."""
    timed = taken.times
    words = "a sample " if taken.kind == "latency" else "a sample every "
    runs = [Run(f"in practice {words}about " if taken.practice else words, theme.muted)]
    column = time_column(timed, comparison.graph.time_unit)
    for i, time in enumerate(timed):
        runs += [Run(f"{comparison.letter(i)} ", theme.muted), Run(column.text(time), theme.text, True)]
        plan = comparison.plans[i]
        name, broken = plan.problem.components[0], len(plan.evaluation.violations)
        if broken:
            runs.append(Run(f"\N{BALLOT X} {plural(broken, 'rule')} broken", theme.bad, True))
        elif known := known_here(comparison, i):
            # What is proven is about the objective, which may be another figure than the time of a sample.
            of = "" if math.isclose(plan.evaluation.objective, time) else f"{component_words(name).short} "
            runs.append(Run(of + known, theme.muted, claim=True))
        if i:
            share = (time - timed[0]) / timed[0]
            same = abs(share) <= SAME
            colour = theme.muted if same else theme.good if share < 0 else theme.bad
            words = f"as {comparison.letter(0)}" if same else signed_percent(share)
            runs.append(Run(words, colour, True))
    return runs
