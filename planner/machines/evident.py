"""Conflicts that are evident: seen without a search."""

from __future__ import annotations

from planner.machines.mcm.feasibility.conflicts import chip_conflict
from planner.methods.feasibility.conflicts import (
    Conflict,
    contiguity_conflict,
    order_conflict,
    placement_conflict,
)
from planner.methods.feasibility.memory import memory_conflict
from planner.problem.problem import Problem


def conflict_of(problem: Problem) -> Conflict | None:
    """The first conflict among a problem's rules and constraints that is evident; None where none is."""
    for look in (placement_conflict, order_conflict, memory_conflict, contiguity_conflict, chip_conflict):
        found = look(problem)
        if found is not None:
            return found
    return None
