"""Colour classes of a file that nothing keeps together on a machine without a rule for them."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from planner.model.groups import colour_classes

if TYPE_CHECKING:
    from planner.problem.problem import Problem


@lru_cache(maxsize=4)
def unkept_classes(problem: Problem) -> tuple[tuple[int, ...], ...]:
    """Colocation classes that nothing holds together here: neither a rule of the target nor the `Together` constraints.

    A window asks whenever it looks which of its commands make sense, so the last answers are kept.
    """
    classes = [ops for ops in colour_classes(problem.graph) if len(ops) > 1]
    if not classes or "colocation" in problem.target.rules(problem.graph):
        return ()
    group_of = problem.colocated.group_of
    return tuple(tuple(ops) for ops in classes if len(np.unique(group_of[ops])) > 1)


def unkept_words(problem: Problem, remedy: str) -> str:
    """A warning that colocation classes do not hold, which names the first, and ``remedy``; empty where all do."""
    classes = unkept_classes(problem)
    if not classes:
        return ""
    names = problem.graph.op_names
    first, second = classes[0][:2]
    count = "one colour class is" if len(classes) == 1 else f"{len(classes):,} colour classes are"
    return (
        f"{count} not kept on one device: {problem.target.in_words} has no such rule, so {names[first]} and"
        f" {names[second]}{' and others' if len(classes) > 1 or len(classes[0]) > 2 else ''} may be parted; {remedy}"
    )
