"""Which devices of a story's plans are matched: the same ones in all its keyframes."""

from __future__ import annotations

from collections.abc import Sequence

from planner.problem.problem import Plan
from planner.reports.comparison.rows import Rows, rows_among
from planner.story.story import Resolved


def story_rows(resolved: Resolved, numbers: Sequence[int]) -> Rows | None:
    """The rows of the plans with these numbers as all plans of their model that the story compares are matched; None where it does
    not compare these."""
    if not set(numbers) <= resolved.device_numbers.keys():
        return None
    graphs = {i: plan for i in sorted(resolved.device_numbers) if isinstance(plan := resolved.plans[i], Plan)}
    model = graphs[numbers[0]].problem.graph.fingerprint
    told = [i for i, plan in graphs.items() if plan.problem.graph.fingerprint == model]
    return rows_among([graphs[i] for i in told], [told.index(i) for i in numbers if i in told])
