"""What is left of a gap where a search is complete: a solver's precision, which is no proof and says a lot."""

from __future__ import annotations

from planner.search.result import Result

MOST = 1e-4
"""Larger gaps are not put down to precision, whatever a solver says."""


def precision_words(result: Result) -> str:
    """``search complete: optimal within the solver's precision (gap 2e-06)``, empty where there is no such thing to say.

    For plans that no bound proves to be the best though the search has excluded every better one: ``status`` stays
    ``feasible``, as the solver's word is not exact.
    """
    if not result.complete or result.status != "feasible" or result.components is None:
        return ""
    gap = result.problem.standing(result.components, result.bounds).gap
    if gap is None or gap > MOST:
        return ""
    return f"search complete: optimal within the solver's precision (gap {gap:.1g})"
