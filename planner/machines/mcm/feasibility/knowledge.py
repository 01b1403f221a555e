"""Knowledge of multi-chip modules on the feasibility of their problems."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import ClassVar, cast

import numpy as np

from planner.machines.mcm.evaluator import McmEvaluator
from planner.machines.mcm.feasibility.causes import mcm_cause, poor_cause
from planner.machines.mcm.feasibility.conflicts import mcm_conflict
from planner.machines.mcm.feasibility.proof import mcm_proof
from planner.machines.mcm.feasibility.witness import slices, spread
from planner.machines.mcm.solver.solver import McmSolver
from planner.machines.mcm.target import McmPackage
from planner.methods.feasibility.cause import Cause
from planner.methods.feasibility.clock import Clock
from planner.methods.feasibility.conflicts import Conflict
from planner.methods.feasibility.knowledge import Knowledge
from planner.methods.feasibility.requirements import Requirement
from planner.methods.feasibility.verdict import Change, Verdict
from planner.methods.units import forced_units
from planner.model.graph import Ints
from planner.problem.problem import Problem

MOMENT = 0.1
"""Seconds for plans that the chip solver makes of likely assignments, even where no more time is given."""
SAMPLES = 3
"""Plans asked of the chip solver before CP-SAT is."""
MOST_SOURCES = 4
"""Sources of one explanation that are offered one by one."""


class McmKnowledge(Knowledge):
    """The chip solver, CP-SAT where it has to be proven, and what the triangle rule binds."""

    provers: ClassVar[tuple[str, ...]] = ("chip-cp-sat",)

    def conflict(self, problem: Problem) -> Conflict | None:
        """Too few chips, or a direct dependency that confines too much."""
        return mcm_conflict(problem)

    def plans(self, problem: Problem) -> Iterator[Ints]:
        """Most ops on one chip, then chips filled in the order of the graph."""
        around = spread(problem)
        if around is not None:
            yield around
        yield from slices(problem)

    def decide(self, problem: Problem, clock: Clock, seed: int) -> Verdict:
        """Plans of the chip solver that are near likely ones, samples of it, and CP-SAT on the static rules."""
        e = problem.evaluator
        # What is to be seen at once needs a moment, too.
        solver = McmSolver(problem, clock.at_least(MOMENT).over)
        if not solver.feasible:
            return Verdict("infeasible", how="rules")
        proof = mcm_proof(problem, clock.over)
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

    def static_proof(self, problem: Problem, clock: Clock) -> Verdict:
        """By propagation, else by CP-SAT."""
        if not McmSolver(problem, clock.at_least(MOMENT).over).feasible:
            return Verdict("infeasible", how="rules")
        proof = mcm_proof(problem, clock.over)
        outcome = None if proof is None else proof.solve(clock.left)
        if outcome is None or outcome.status != "infeasible":
            return Verdict("unknown")
        return Verdict("infeasible", how="rules")

    def cause(self, problem: Problem, kept: Sequence[Requirement], clock: Clock) -> Cause:
        """The direct dependencies that the triangle rule has to bind."""
        return mcm_cause(problem, kept, clock)

    def poor_cause(self, problem: Problem) -> Cause | None:
        """A direct dependency that keeps much of the work on two chips."""
        return poor_cause(problem)

    def fewer_devices(self, problem: Problem, cause: Cause) -> Iterator[Change]:
        """The largest packages that may be filled."""
        if "every_chip" not in cause.rules:
            return
        k = len(problem.devices)
        most = min(cause.most_chips or k - 1, k - 1, max(int(forced_units(problem).max(initial=-1)) + 1, 1))
        for count in range(most, 0, -1):
            yield Change(
                f"Use {count} chip{'s' if count > 1 else ''}",
                f"with {count} chip{'s' if count > 1 else ''} instead of {k} each can hold an op",
                target=replace(problem.target, count=count),  # type: ignore[call-arg,type-var]
            )

    def changes(self, problem: Problem, cause: Cause) -> Iterator[Change]:
        """Copy a source that many ops read to every chip that reads it."""
        target, graph = cast(McmPackage, problem.target), problem.graph
        if "triangle" not in cause.rules:
            return
        readers = np.bincount(graph.tensor_producer, np.diff(graph.consumer_ptr), graph.n).astype(int)
        for v in sorted(dict.fromkeys([*cause.feeders, *cause.ops]), key=lambda v: -readers[v])[
            :MOST_SOURCES
        ]:
            more_than = int(readers[v]) - 1
            if more_than < 1:
                continue
            changed = replace(target, copy_sources=more_than)
            copied = changed.copied(graph)
            if not copied[v] or cast(McmEvaluator, problem.evaluator).copied[v]:
                continue
            others = int(copied.sum()) - 1
            also = f", like {others} other source{'s' if others > 1 else ''} read as often" if others else ""
            yield Change(
                f"Copy {graph.op_names[v]} to every chip that reads it",
                f"each chip that reads {graph.op_names[v]} then makes it for itself{also}, and no edge leaves it between chips",
                target=changed,
            )
