"""Whether a problem has a valid plan: proofs and plans from cheap to dear, in a limited time."""

from __future__ import annotations

from dataclasses import dataclass

from planner.feasibility.explanation import Status
from planner.feasibility.witness import first_plan, gathered, lowest, sliced, slices, spread
from planner.machines.evident import conflict_of
from planner.machines.mcm.feasibility.proof import chip_proof
from planner.methods.feasibility.clock import Clock
from planner.methods.feasibility.conflicts import Conflict
from planner.model.graph import Ints
from planner.problem.problem import Problem

MOMENT = 0.1
"""Seconds for plans that the chip solver makes of likely assignments, even where no more time is given."""
SAMPLES = 3
"""Plans asked of the chip solver before CP-SAT is."""


@dataclass(frozen=True, eq=False)
class Verdict:
    """``infeasible`` (proven) by ``how``: ``conflict`` with the conflict, ``rules`` of the chips, or a planner's name.

    ``feasible`` comes with a valid plan (int32[n]).
    """

    status: Status
    device_of: Ints | None = None
    how: str = ""
    conflict: Conflict | None = None
    tried: tuple[str, ...] = ()


def decide(problem: Problem, clock: Clock, seed: int = 0) -> Verdict:
    """Look for a valid plan and for a proof that there is none until ``clock`` is over."""
    conflict = conflict_of(problem)
    if conflict is not None:
        return Verdict("infeasible", how="conflict", conflict=conflict)
    for make in (lowest, gathered, spread, sliced):
        if clock.cancelled:
            return Verdict("unknown")
        plan = make(problem)
        if plan is not None:
            return Verdict("feasible", plan)
    tried: list[str] = []
    if problem.target.kind == "mcm":
        found = _chips(problem, clock, seed)
        if found.status != "unknown":
            return found
        tried += found.tried
    if clock.over():
        return Verdict("unknown", tried=tuple(tried))
    # On a multi-chip module the default planner proves next to nothing.
    for name in ("", "chip-cp-sat") if problem.target.kind == "mcm" else ("",):
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
    """Whether the static rules of a multi-chip module leave no plan: proofs only, no plan is looked for."""
    conflict = conflict_of(problem)
    if conflict is not None:
        return Verdict("infeasible", how="conflict", conflict=conflict)
    if problem.target.kind != "mcm":
        return Verdict("unknown")
    from planner.machines.mcm.solver.solver import ChipSolver

    if not ChipSolver(problem, clock.at_least(MOMENT).over).feasible:
        return Verdict("infeasible", how="rules")
    proof = chip_proof(problem, clock.over)
    outcome = None if proof is None else proof.solve(clock.left)
    if outcome is None or outcome.status != "infeasible":
        return Verdict("unknown")
    return Verdict("infeasible", how="rules")


def _chips(problem: Problem, clock: Clock, seed: int) -> Verdict:
    from planner.machines.mcm.solver.solver import ChipSolver

    e = problem.evaluator
    # What is to be seen at once needs a moment, too.
    solver = ChipSolver(problem, clock.at_least(MOMENT).over)
    if not solver.feasible:
        return Verdict("infeasible", how="rules")
    proof = chip_proof(problem, clock.over)
    if proof is None:
        return Verdict("unknown")
    for chips in slices(problem):
        plan = solver.fix(chips, seed, nearest=True, attempts=1)
        if plan is not None and not e.violations(plan):
            return Verdict("feasible", plan)
    for i in range(SAMPLES):
        if clock.over():
            return Verdict("unknown", tried=("samples",))
        plan = solver.sample(None, seed + i)
        if plan is None:
            break
        if not e.violations(plan):
            return Verdict("feasible", plan)
    outcome = proof.solve(clock.left / 2)
    tried = ("samples", "CP-SAT")
    if outcome.status == "unknown":
        return Verdict("unknown", tried=tried)
    return Verdict(outcome.status, outcome.device_of, how="rules", tried=tried)
