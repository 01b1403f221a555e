"""Conflicts that are evident: seen without a search."""

from __future__ import annotations

from planner.machines.catalogue import machine_of
from planner.methods.feasibility.conflicts import (
    Conflict,
    contiguity_conflict,
    order_conflict,
    placement_conflict,
)
from planner.methods.feasibility.knowledge import Knowledge
from planner.methods.feasibility.memory import memory_conflict
from planner.problem.problem import Problem


def knowledge_of(problem: Problem) -> Knowledge:
    """What the problem's machine knows of the feasibility of its problems."""
    own = machine_of(problem).part("knowledge")
    return Knowledge() if own is None else own()


def conflict_at_once(problem: Problem) -> Conflict | None:
    """A conflict that can be seen on every repaint, in time linear in the ops: one fits nowhere, or memory is not enough."""
    return placement_conflict(problem) or memory_conflict(problem)


def conflict_of(problem: Problem) -> Conflict | None:
    """The first conflict among a problem's rules and constraints that is evident; None where none is."""
    for look in (
        placement_conflict,
        order_conflict,
        memory_conflict,
        contiguity_conflict,
        knowledge_of(problem).conflict,
    ):
        found = look(problem)
        if found is not None:
            return found
    return None
