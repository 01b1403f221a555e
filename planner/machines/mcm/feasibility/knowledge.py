"""Knowledge of multi-chip modules on the feasibility of their problems."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import ClassVar, cast

import numpy as np

from planner.evaluation.parameter_bytes import parameter_bytes
from planner.machines.mcm.evaluator import McmEvaluator
from planner.machines.mcm.feasibility.causes import mcm_cause, poor_cause
from planner.machines.mcm.feasibility.conflicts import mcm_conflict
from planner.machines.mcm.feasibility.proof import mcm_proof
from planner.machines.mcm.feasibility.witness import slices, spread
from planner.machines.mcm.solver.solver import McmSolver
from planner.machines.mcm.target import MOST_CHIPS, McmPackage
from planner.methods.feasibility.cause import Cause
from planner.methods.feasibility.clock import Clock
from planner.methods.feasibility.conflicts import Conflict
from planner.methods.feasibility.knowledge import Fullest, Knowledge
from planner.methods.feasibility.memory import fit_nowhere, unit_bytes
from planner.methods.feasibility.requirements import Requirement
from planner.methods.feasibility.verdict import Change, Verdict
from planner.methods.units import forced_units
from planner.model.graph import Ints
from planner.problem.problem import Problem
from planner.quantity import bytes_shown, bytes_text

MOMENT = 0.1
"""Seconds for plans that the chip solver makes of likely assignments, even where no more time is given."""
SAMPLES = 3
"""Plans asked of the chip solver before CP-SAT is."""
CHIP_STEPS = (1.0, 1.25, 1.5, 2.0, 3.0)
"""How many times as many chips as surely needed are tried in int8."""
MOST_SOURCES = 4
"""Sources of one explanation that are offered one by one."""


QUANTIZED = "; the network has to be quantized for it, and op times are estimated as before"
"""What a byte for each number asks for, and what it leaves: whoever wants int8 times, too, reads the model with that precision."""


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

    def fullest(self, problem: Problem, device_of: Ints) -> Fullest | None:
        """Parameters, and activations at their peak."""
        e = cast(McmEvaluator, problem.evaluator)
        held, peaks = e.parameter_bytes(device_of), e.peaks(device_of)
        d = int(np.argmax(held + peaks))
        total, shown = float(held[d] + peaks[d]), bytes_shown(float(held[d])) + bytes_shown(float(peaks[d]))
        parts = (
            f"{bytes_text(float(held[d]))} of parameters and at most {bytes_text(float(peaks[d]))} of activations at a time,"
            f" {bytes_text(shown)} in all"
        )
        return Fullest(d, max(total, shown), parts)

    def finer(self, problem: Problem, cause: Cause) -> Iterator[Change]:
        """Count in int8, where that makes parameters smaller; where all chips together still hold too little, with more of them."""
        target, graph = cast(McmPackage, problem.target), problem.graph
        if "memory" not in cause.rules or target.precision == "int8":
            return
        now, then = (float(parameter_bytes(graph, p).sum()) for p in (target.precision, "int8"))
        if then >= now:
            return
        few = max(target.count, math.ceil(then / target.sram))
        smaller = f"a byte for each number makes {bytes_text(then)} of {bytes_text(now)} of parameters"
        large = fit_nowhere(problem)
        if not cause.feeders and large and cause.ops[0] in large[0]:
            before = unit_bytes(problem, cause.ops[0])
            # What does not fit is the ops of one chip, and perhaps all of them together as well.
            less = unit_bytes(replace(problem, target=replace(target, precision="int8")), cause.ops[0])
            who = graph.op_names[cause.ops[0]] if len(large[0]) == 1 else "these ops"
            needs = f"{who} need{'s' if len(large[0]) == 1 else ''} {bytes_text(less)} instead of {bytes_text(before)}"
            smaller = f"{smaller} ({needs})" if few > target.count else f"with a byte for each number {needs}"
        for count in sorted({min(MOST_CHIPS, max(few, math.ceil(few * step))) for step in CHIP_STEPS}):
            more = count > target.count
            title = "Count bytes in int8" + (f" on {count} chips" if more else "")
            held = f", and {count} chips instead of {target.count} hold all ops" if more else ""
            finer = replace(problem, target=replace(target, precision="int8", count=count))
            yield Change(title, f"{smaller}{held}{QUANTIZED}", target=finer.target)
            # What the triangle rule keeps on two chips may be too much even so: a copy of what feeds it sets it free.
            conflict = mcm_conflict(finer)
            if conflict is not None:
                for copied in self.changes(finer, Cause.of(conflict)):
                    yield Change(
                        f"{title}, and {copied.title[:1].lower()}{copied.title[1:]}",
                        f"{smaller}{held}, and {copied.sentence}{QUANTIZED}",
                        target=copied.target,
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
