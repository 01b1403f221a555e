"""Why a problem has no valid plan: the smallest set of rules, constraints and ops found, and what would help."""

from __future__ import annotations

from collections.abc import Callable

from planner.feasibility.decide import decide, static_proof
from planner.feasibility.explanation import Explanation
from planner.feasibility.remedies import poor_remedies, relaxations, remedies
from planner.machines.evident import conflict_of, knowledge_of
from planner.methods.feasibility.cause import Cause
from planner.methods.feasibility.clock import Clock
from planner.methods.feasibility.minimise import smallest
from planner.methods.feasibility.requirements import Requirement, relaxed, requirements
from planner.methods.feasibility.verdict import Verdict
from planner.methods.feasibility.wording import listed, needs_text
from planner.problem.problem import Problem

DECIDING, MINIMISING, CAUSE = 0.5, 0.4, 0.4
"""Shares of the time that is left at most: for the verdict, then for fewer rules, then for fewer ops; remedies have the rest."""


def explain(
    problem: Problem, seconds: float = 5.0, stopped: Callable[[], bool] | None = None, seed: int = 0
) -> Explanation:
    """Whether ``problem`` has a valid plan, in about ``seconds`` of wall time; ``stopped`` ends it early.

    ``infeasible`` is proven and comes with what is responsible and with remedies; ``feasible`` with a plan,
    and what stays open with the nearest changes for which a plan was found.
    """
    clock = Clock(seconds, stopped)
    verdict = decide(problem, clock.at_most(clock.left * DECIDING), seed)
    if verdict.status == "feasible":
        return _feasible(problem, verdict, clock, seed)
    if verdict.status == "unknown":
        tried = f" ({listed(list(verdict.tried))} tried)" if verdict.tried else ""
        sentence = f"neither a valid plan nor a proof that there is none was found in time{tried}"
        return Explanation("unknown", sentence, remedies=relaxations(problem, clock, seed))
    cause = _cause(problem, verdict, clock)
    found = remedies(problem, cause, clock, seed)
    return Explanation("infeasible", cause.sentence, cause.ops, cause.rules, found)


def _feasible(problem: Problem, verdict: Verdict, clock: Clock, seed: int) -> Explanation:
    """There is a plan; where all are poor because of one direct dependency, why and what would help."""
    sentence = "the problem has a valid plan"
    cause = knowledge_of(problem).poor_cause(problem)
    if cause is None:
        return Explanation("feasible", sentence, device_of=verdict.device_of)
    found = poor_remedies(problem, cause, clock, seed)
    return Explanation(
        "feasible", f"{sentence}, but {cause.sentence}", cause.ops, cause.rules, found, verdict.device_of
    )


def _cause(problem: Problem, verdict: Verdict, clock: Clock) -> Cause:
    """What is responsible, as small as time allows."""
    if verdict.conflict is not None and not verdict.conflict.loose:
        return Cause.of(verdict.conflict)
    needed = requirements(problem)
    by_planner = verdict.how not in ("conflict", "rules")
    if by_planner:
        names = [r.name for r in needed]
        sentence = f"no plan keeps {needs_text(problem, needed)}: '{verdict.how}' proved it"
        return Cause((), (*_always(problem), *names), sentence)

    span = clock.at_most(clock.left * MINIMISING)

    def proves(kept: list[Requirement]) -> bool:
        smaller = relaxed(problem, kept)
        if smaller is None:
            return False
        if verdict.how == "conflict":
            return conflict_of(smaller) is not None
        return static_proof(smaller, span.at_most(span.left / 3)).status == "infeasible"

    kept = smallest(needed, proves, span.over)
    left = relaxed(problem, kept)
    assert left is not None, "what was proven can be made"
    conflict = conflict_of(left)
    if conflict is not None:
        return Cause.of(conflict)
    return knowledge_of(left).cause(left, kept, clock.at_most(clock.left * CAUSE))


def _always(problem: Problem) -> list[str]:
    rules = problem.target.rules(problem.graph)
    return [rule for rule in ("order", "support", "colocation") if rule in rules]
