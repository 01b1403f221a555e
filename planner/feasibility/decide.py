"""Whether a problem has a valid plan: proofs and plans from cheap to dear, in a limited time."""

from __future__ import annotations

from itertools import chain

from planner.feasibility.witness import first_plan, lowest, valid
from planner.machines.evident import conflict_of, knowledge_of
from planner.methods.feasibility.clock import Clock
from planner.methods.feasibility.verdict import Verdict
from planner.problem.problem import Problem


def decide(problem: Problem, clock: Clock, seed: int = 0) -> Verdict:
    """Look for a valid plan and for a proof that there is none until ``clock`` is over."""
    conflict = conflict_of(problem)
    if conflict is not None:
        return Verdict("infeasible", how="conflict", conflict=conflict)
    knowledge = knowledge_of(problem)
    for plan in chain([lowest(problem)], knowledge.plans(problem)):
        if clock.cancelled:
            return Verdict("unknown")
        if plan is not None and (found := valid(problem, plan)) is not None:
            return Verdict("feasible", found)
    own = knowledge.decide(problem, clock, seed)
    if own.status != "unknown":
        return own
    tried = list(own.tried)
    if clock.over():
        return Verdict("unknown", tried=tuple(tried))
    for name in ("", *knowledge.provers):
        status, plan, planner = first_plan(problem, clock, seed, name)
        if plan is not None:
            return Verdict("feasible", plan, how=planner)
        if status == "infeasible":
            return Verdict("infeasible", how=planner)
        tried += [f"'{planner}'"] if planner else []
        if clock.over():
            break
    return Verdict("unknown", tried=tuple(tried))


def static_proof(problem: Problem, clock: Clock) -> Verdict:
    """Whether the rules that need no evaluation leave no plan: proofs only, no plan is looked for."""
    conflict = conflict_of(problem)
    if conflict is not None:
        return Verdict("infeasible", how="conflict", conflict=conflict)
    return knowledge_of(problem).static_proof(problem, clock)
