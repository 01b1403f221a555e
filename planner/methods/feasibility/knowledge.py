"""Knowledge of a machine on the feasibility of its problems: plans made without a search, proofs, causes and changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from planner.methods.feasibility.cause import Cause
from planner.methods.feasibility.clock import Clock
from planner.methods.feasibility.conflicts import Conflict
from planner.methods.feasibility.requirements import Requirement
from planner.methods.feasibility.verdict import Change, Verdict
from planner.methods.feasibility.wording import needs_text
from planner.model.graph import Ints
from planner.problem.problem import Problem
from planner.quantity import bytes_text


@dataclass(frozen=True)
class Fullest:
    """The ``device`` that is the fullest, how many ``bytes``, and in words what they consist of."""

    device: int
    bytes: float
    parts: str


class Knowledge:
    """What every machine knows: nothing of its own. Machines override what they know more of."""

    provers: ClassVar[tuple[str, ...]] = ()
    """Planners that can prove that there is no valid plan where the problem's own proves next to nothing."""

    def conflict(self, problem: Problem) -> Conflict | None:
        """The first conflict with a rule of the machine's own that is seen without a search."""
        return None

    def plans(self, problem: Problem) -> Iterator[Ints]:
        """Assignments (int32[n]) that are made without a search; they need not be valid."""
        yield from ()

    def decide(self, problem: Problem, clock: Clock, seed: int) -> Verdict:
        """A verdict by a search of the machine's own."""
        return Verdict("unknown")

    def static_proof(self, problem: Problem, clock: Clock) -> Verdict:
        """Whether the rules that need no evaluation leave no plan: proofs only, no plan is looked for."""
        return Verdict("unknown")

    def cause(self, problem: Problem, kept: Sequence[Requirement], clock: Clock) -> Cause:
        """The cause of an infeasible problem that demands no more than ``kept``, after :meth:`static_proof` proved it."""
        sentence = (
            f"no plan keeps {needs_text(problem, kept)}" if kept else "no plan keeps the rules of the machine"
        )
        return Cause((), tuple(r.name for r in kept), sentence)

    def poor_cause(self, problem: Problem) -> Cause | None:
        """Why all plans of a feasible problem are poor, None where they are not."""
        return None

    def fewer_devices(self, problem: Problem, cause: Cause) -> Iterator[Change]:
        """Smaller machines, the largest first: the first that works is enough."""
        yield from ()

    def fullest(self, problem: Problem, device_of: Ints) -> Fullest | None:
        """Of all devices whose memory is limited the one that holds most of what fits under a plan (int32[n]); None where none is."""
        e = problem.evaluator
        if not np.isfinite(e.capacity).any():
            return None
        held = problem.evaluate(device_of).memory
        d = int(np.argmax(held / e.capacity))
        return Fullest(d, float(held[d]), f"{bytes_text(float(held[d]))} of {problem.target.memory_holds}")

    def finer(self, problem: Problem, cause: Cause) -> Iterator[Change]:
        """Fewer bytes for each number, where memory is what is missing: smaller changes first, the first that works is enough."""
        yield from ()

    def changes(self, problem: Problem, cause: Cause) -> Iterator[Change]:
        """Changes that only this machine allows, each tried for itself."""
        yield from ()
