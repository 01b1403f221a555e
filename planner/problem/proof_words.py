"""Of which objective a plan is proven, in words: wherever that is said beside figures that the proof is not about."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from planner.problem.worst import LATENCY


def of_objective(components: Sequence[str], called: Callable[[str], str] = str) -> str:
    """`` for least max-memory``: what is proven of a plan whose objective has these ``components``, by the first; ``called`` says its name.

    Empty where the objective is how often samples come, or what else is one number and all that plans are told by: who reads of the
    best plan thinks of that. A plan that holds the least, or is the best for a sample alone, need not be the fastest.
    """
    usual = len(components) == 1 and components[0] != LATENCY
    return "" if usual else f" for least {called(components[0])}"


def optimal_words(components: Sequence[str], called: Callable[[str], str] = str) -> str:
    """``proven optimal``, ``proven optimal for least latency``."""
    return f"proven optimal{of_objective(components, called)}"
