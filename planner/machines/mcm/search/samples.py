"""Searches on multi-chip modules that propose partitions and let the constraint solver correct them (MCM paper, sections 4 and 5)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, cast

import numpy as np

from planner.evaluation.rules import overfull
from planner.machines.mcm.search.policy import Policy, Proposal
from planner.machines.mcm.simulation.simulator import Simulator
from planner.machines.mcm.solver.solver import McmSolver
from planner.methods.orders import kahn_order
from planner.model.graph import Ints
from planner.options import Option
from planner.problem.problem import Problem
from planner.quantity import time_text
from planner.search.search import Search

if TYPE_CHECKING:
    from planner.machines.mcm.evaluator import McmEvaluator
    from planner.machines.mcm.solver.solver import McmSolver

MOST_BARREN = 50
"""Proposals in a row that the solver could not correct before a search gives up."""
MOST_FIXES = 20
"""Corrections of one candidate that are tried until one fits the chips' memory."""


COST = Option(
    "cost", "analytical",
    "what partitions are judged by: the objective, or their execution, simulated: its interval, or its latency for the objective latency",
    choices=("analytical", "simulated"),
)  # fmt: skip
"""An option of searches that score whole partitions."""


class Samples:
    """Scores partitions: each whose cost is computed is one sample, and one iteration of the search.

    With the option :data:`COST` at ``simulated`` the cost is what a simulation says, and the best partition is the best by that.
    """

    def __init__(self, problem: Problem, search: Search) -> None:
        self.evaluator = cast("McmEvaluator", problem.evaluator)
        self.count = 0
        self._search = search
        self.simulated = search.options.get(COST.name) == "simulated"
        self._simulator = Simulator(self.evaluator) if self.simulated else None

    def score(self, device_of: Ints) -> float:
        """The cost of a partition (int32[n]) that keeps the static rules; infinite where it does not fit the memory."""
        self.spend(1)
        if not self.fits(device_of):
            return math.inf
        if self._simulator is not None:
            return self._simulate(self._simulator, device_of)
        value = self.evaluator.objective(device_of)
        if value < self._search.own_objective:
            self._search.incumbent(device_of)
        return value

    def _simulate(self, simulator: Simulator, device_of: Ints) -> float:
        search, e = self._search, self.evaluator
        found = simulator.run(device_of)
        value = found.latency if e.single_sample else found.interval
        if value < math.inf and search.incumbent(device_of, score=value):
            words = time_text(value, e.problem.graph.time_unit)
            search.message = (
                f"simulated: {words} {'for one inference' if e.single_sample else 'per inference'}"
            )
        return value

    def spend(self, count: int) -> None:
        """Count samples that were evaluated elsewhere."""
        self.count += count
        self._search.iteration(count)

    def fits(self, device_of: Ints) -> bool:
        """Whether parameters and peak activations of a partition (int32[n]) fit each chip, if that is a rule."""
        e = self.evaluator
        if not e.target.check_memory:
            return True
        held = e.parameter_bytes(device_of)
        if overfull(held, e.capacity).any():
            return False
        return not overfull(held + e.peaks(device_of), e.capacity).any()


def solver_of(problem: Problem, search: Search, method: str) -> McmSolver | None:
    """The constraint solver; None when it proves that there is no valid plan, which is reported."""
    solver = McmSolver(problem, search.stopped)
    if solver.feasible:
        return solver
    assumed = problem.assumptions - {"rule:memory"}
    search.prove(problem.bound(problem.components[0], math.inf, method, assumed, search.seconds))
    return None


def score_starts(problem: Problem, search: Search, samples: Samples) -> None:
    """Score the valid ones of the plans that are given to start from."""
    for start in search.starts:
        if not problem.evaluator.violations(problem.evaluator.checked(start)):
            samples.score(start)


def corrected(solver: McmSolver, proposal: Proposal, seed: int) -> Ints | None:
    """The valid partition (int32[n]) that the solver makes of a proposal; None when it finds none."""
    if proposal.candidate is not None:
        return solver.fix(proposal.candidate, seed)
    return solver.sample(proposal.probabilities, seed)


def run_policy(problem: Problem, search: Search, policy: Policy, samples: int, method: str) -> None:
    """Let ``policy`` propose until ``samples`` partitions are scored. Raises :class:`planner.search.search.Stopped`."""
    solver = solver_of(problem, search, method)
    if solver is not None:
        run_corrected(problem, search, policy, samples, solver)


def run_corrected(problem: Problem, search: Search, policy: Policy, samples: int, solver: McmSolver) -> None:
    """As :func:`run_policy`, with a ``solver`` that is there already."""
    scorer = Samples(problem, search)
    score_starts(problem, search, scorer)
    barren = 0
    while scorer.count < samples and barren < MOST_BARREN:
        search.check()
        # What others found is better by the objective, which says little where partitions are judged by something else.
        adopted = None if scorer.simulated else search.adopt()
        if adopted is not None:
            policy.adopt(adopted, search.objective)
        proposal = policy.propose(search.rng)
        device_of = corrected(solver, proposal, int(search.rng.integers(2**31)))
        if device_of is None:
            barren += 1
            continue
        barren = 0
        value = scorer.score(device_of)
        policy.learn(proposal, device_of, value if value < math.inf else None)
        search.progress(scorer.count / samples, f"sample {scorer.count:,} of {samples:,}")


def file_order(problem: Problem) -> Ints:
    """The ops in the topological order in which the smallest id among those that are ready goes first (int32[n])."""
    e = problem.evaluator
    order: Ints = kahn_order(e.succ_ptr, e.succ_idx, np.arange(e.n, dtype=np.float64))
    return order


def filled_greedily(problem: Problem, order: Ints) -> Ints:
    """Fill one chip after another along ``order`` up to an equal share of the work, and its memory with parameters (int32[n])."""
    e = cast("McmEvaluator", problem.evaluator)
    share = float(e.work[0].sum()) / e.k
    candidate = np.zeros(e.n, np.int32)
    chip, busy, held = 0, 0.0, 0.0
    for v in order.tolist():
        work, params = float(e.work[0, v]), float(e.params[v])
        full = busy + work > share * (1 + 1e-9) or held + params > e.capacity[chip]
        if full and busy > 0 and chip < e.k - 1:
            chip, busy, held = chip + 1, 0.0, 0.0
        candidate[v] = chip
        busy += work
        held += params
    return candidate


def cut_at_random(problem: Problem, order: Ints, rng: np.random.Generator) -> Ints:
    """Cut ``order`` at random places into one piece per chip (int32[n])."""
    e = problem.evaluator
    candidate = np.empty(e.n, np.int32)
    cuts = np.sort(rng.integers(0, e.n + 1, e.k - 1))
    candidate[order] = np.searchsorted(cuts, np.arange(e.n), side="right")
    return candidate


def fix_candidate(
    problem: Problem, search: Search, candidate: Ints, order: Ints, method: str, seeded: bool
) -> None:
    """Score what FIX makes of a candidate (int32[n]); where that does not fit the memory, other corrections of it.

    FIX decides the ops in ``order`` (int32[n]), and those that cannot have their chip take the nearest one, the lower of two: nothing
    is drawn. Further corrections are drawn, ``seeded`` by the search, or the same whatever its seed: what others are measured
    against must not depend on one.
    """
    rng = search.rng if seeded else np.random.default_rng(0)
    solver = solver_of(problem, search, method)
    if solver is None:
        return
    scorer = Samples(problem, search)
    score_starts(problem, search, scorer)
    for i in range(MOST_FIXES):
        search.check()
        seed = 0 if i == 0 else int(rng.integers(2**31))
        device_of = solver.fix(candidate, seed, order, nearest=i == 0)
        if device_of is not None and scorer.score(device_of) < math.inf:
            return
