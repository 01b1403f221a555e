"""Words for lists of names, rules and constraints."""

from __future__ import annotations

from collections.abc import Sequence

from planner.methods.feasibility.requirements import Requirement, name_of
from planner.problem.problem import Problem

RULES = {
    "triangle": "the triangle rule",
    "no_skip": "the rule that no chip is skipped",
    "every_chip": "the rule that every chip holds an op",
    "path": "the rule that stages form a path",
    "memory": "the memory rule",
    "contiguous": "contiguity",
    "shared_children": "the rule that consumers of an op share a stage",
}


def listed(names: Sequence[str], most: int = 4) -> str:
    """``a, b and c``; beyond ``most`` names ``a, b, c and 5 more``."""
    if len(names) > most:
        return f"{', '.join(names[: most - 1])} and {len(names) - most + 1} more"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def needs_text(problem: Problem, needed: Sequence[Requirement]) -> str:
    """What a set of requirements is called in a sentence."""
    parts = [RULES.get(r.rule, f"the rule '{r.rule}'") for r in needed if r.rule]
    parts += [name_of(problem, r.constraint) for r in needed if r.constraint is not None]
    return listed(parts, 6) if parts else "the rules"
