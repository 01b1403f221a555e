"""Running a plan's search again from its provenance, and saying whether the same came out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

import numpy as np

from planner import __version__
from planner.errors import StageboardError
from planner.machines.catalogue import planners
from planner.machines.two_level_memory.problem import OrderPlan
from planner.model.graph import Ints
from planner.problem.base import PlanningProblem, decision_of, says_more
from planner.problem.bound import Bound, better, proven
from planner.problem.claims import as_claims, claimed
from planner.problem.problem import Plan
from planner.problem.provenance import Adoption, Again, Provenance
from planner.reports.comparison.renumbering import renumbered
from planner.runs.proving import known_at_once
from planner.search.method import Planner
from planner.search.result import Result
from planner.search.run import run, status_of
from planner.search.search import Callbacks
from planner.search.stop import AnyOf, Progress, Stop, TimeLimit

Outcome = Literal["identical", "equal", "differs"]

PATIENCE = (60.0, 20.0)
"""A replay that does not reach its plan ends after so many seconds and so many times as long as the search took."""

CLOCKED = {
    "mtpp-mip": "it proves a first bound for some seconds, and its program depends on that bound",
    "mtpp-cp-sat": "it proves a first bound for some seconds, and its program depends on that bound",
    "chip-cp-sat": "it works on relaxations for some seconds, and its program depends on what they prove",
    "latency-ip": "how long its bounds are sharpened depends on the clock, and its exact model depends on them",
    "order-portfolio": "on dense networks it refines for as long as its time limit lets it",
}
"""Planners whose course depends on the clock, and why."""
SOLVERS = {"max-load-ip": "workers", "mtpp-cp-sat": "workers", "chip-cp-sat": "workers"}
"""Planners with a solver whose course several threads make a matter of chance, and the option that says how many."""


class Found(NamedTuple):
    """A plan on the way: iterations and seconds of the search, the decision (int32[n] or int32[W]), all components, and who found it.

    ``by`` is "" for the planner's own finds, "start" for what it was given, else the name of an entrant of the race.
    """

    iteration: int
    seconds: float
    decision: Ints
    components: tuple[float, ...]
    by: str = ""


@dataclass(frozen=True, eq=False)
class Replayed:
    """What came out of a search that was run again.

    ``outcome``: ``identical`` (the same decision, up to the numbers of interchangeable devices), ``equal`` (another one that is as good) or ``differs``; ``sentence`` says it to a
    person, and why where it is known. ``found`` are the plans on the way, the best last.
    """

    result: Result
    outcome: Outcome
    sentence: str
    found: tuple[Found, ...]

    @property
    def same(self) -> bool:
        """Whether the plan was found again, or one as good."""
        return self.outcome != "differs"


def replay(
    plan: Plan | OrderPlan, callbacks: Callbacks | None = None, stop: Stop | None = None, limit: bool = True
) -> Replayed:
    """Run the search that found ``plan`` again: the same planner, options, seed and starts, the same plans taken over at the
    same places of its course, until it has found the plan, or has gone on past where it did.

    ``stop`` may end it earlier; ``limit`` says whether it ends by itself when it takes much longer than it did.
    The search is given the bounds that it was given then. Where these are claims of a file that are not proven at once, whatever it proves
    from them is a claim as well, and the status of the result rests on none of it.
    Raises :class:`StageboardError` where the provenance does not tell enough, and what the planner raises.
    """
    provenance = plan.provenance
    planner = planner_of(provenance)
    criteria: list[Stop] = [_Beyond(provenance.iteration)]
    if not (apart := _kept_a_better_start(plan)):
        criteria.append(_Reached(plan.evaluation.values))
    if stop is not None:
        criteria.append(stop)
    if limit:
        criteria.append(TimeLimit(max(PATIENCE[0], PATIENCE[1] * provenance.seconds)))
    watch = _Watch(callbacks or Callbacks())
    given = _applying(provenance, plan.problem)
    result = run(
        planner, plan.problem, AnyOf(criteria), watch, provenance.seed or 0, dict(provenance.options),
        starts=provenance.starts, bounds=_believed(given), again=Again(provenance.adopted, provenance.iteration),
    )  # fmt: skip
    if apart and (own := result.own) is not None:
        result = replace(
            result, device_of=own.decision, objective=own.components[0], components=own.components,
            best_iteration=own.iteration, status=status_of(plan.problem, own.components, result.bounds),
        )  # fmt: skip
    result = _without_belief(result, given)
    outcome = _outcome(plan, result)
    sentence = "; ".join(filter(None, (_sentence(plan, result, outcome), result.message)))
    return Replayed(result, outcome, sentence, tuple(watch.found))


def _kept_a_better_start(plan: Plan | OrderPlan) -> bool:
    """Whether the search that found ``plan`` had begun with a better one, so that this is its best plan of its own."""
    evaluator = plan.problem.evaluator
    fitting = [start for start in plan.provenance.starts if start.shape == decision_of(plan).shape]
    given = [start for start in fitting if not evaluator.violations(evaluator.checked(start))]
    return any(better(tuple(evaluator.components(start)), plan.evaluation.values) for start in given)


def incumbents_of(replayed: Replayed) -> tuple[Found, ...]:
    """Every plan on the way, in the order in which they came, the plans that were taken over among them."""
    return replayed.found


def planner_of(provenance: Provenance) -> Planner:
    """The planner to run again. Raises :class:`StageboardError` where the provenance does not tell enough."""
    found = planners().get(provenance.planner)
    if found is None:
        raise StageboardError(
            f"the plan was made by '{provenance.planner[:60]}', which is no planner; only what a planner found can be run again"
        )
    if provenance.seed is None:
        raise StageboardError(
            "the plan does not say which seed it was found with; plan it again to repeat it"
        )
    return found


def why_uncertain(provenance: Provenance) -> str:
    """Why a replay may come out otherwise, as a sentence without its end; empty where nothing is known to stand against it."""
    if provenance.version and provenance.version != __version__:
        return f"it was found by version {provenance.version}, this is {__version__}"
    if provenance.iteration is None:
        return "it does not say at which iteration it was found, nor what else the search was given"
    threads = provenance.options.get(SOLVERS.get(provenance.planner, ""), 1)
    if isinstance(threads, (int, float)) and threads > 1:
        return f"'{provenance.planner}' ran its solver with {threads:g} threads, whose order is a matter of chance"
    if provenance.planner in CLOCKED:
        return f"the course of '{provenance.planner}' depends on the clock: {CLOCKED[provenance.planner]}"
    return ""


# ------------------------------------------------------------------------------------------------------------ the run
class _Reached:
    """Stops as soon as there is a plan as good as the one looked for; a planner with a score of its own is left to go on."""

    reason = "found"

    def __init__(self, components: Sequence[float]) -> None:
        self._components = tuple(components)

    def __call__(self, progress: Progress) -> bool:
        if progress.score is not None or progress.components is None:
            return False
        return not better(self._components, progress.components)


class _Beyond:
    """Stops once more iterations are counted than when the plan was found."""

    reason = "iterations"

    def __init__(self, iteration: int | None) -> None:
        self._iteration = iteration

    def __call__(self, progress: Progress) -> bool:
        return self._iteration is not None and progress.iterations > self._iteration


class _Watch(Callbacks):
    """Keeps every plan, and passes everything on."""

    def __init__(self, then: Callbacks) -> None:
        self._then = then
        self.found: list[Found] = []

    def on_start(self, problem: PlanningProblem) -> None:
        self._then.on_start(problem)

    def on_progress(self, fraction: float | None, text: str, progress: Progress) -> None:
        self._then.on_progress(fraction, text, progress)

    def on_best(self, device_of: Ints, objective: float, progress: Progress) -> None:
        self._keep(device_of, progress)
        self._then.on_best(device_of, objective, progress)

    def on_adopt(self, adoption: Adoption, progress: Progress) -> None:
        self._keep(adoption.decision, progress)
        self._then.on_adopt(adoption, progress)

    def on_bound(self, bound: Any, progress: Progress) -> None:
        self._then.on_bound(bound, progress)

    def on_end(self, progress: Progress) -> None:
        self._then.on_end(progress)

    def _keep(self, decision: Ints, progress: Progress) -> None:
        components = progress.components or ()
        self.found.append(Found(progress.iterations, progress.seconds, decision, components, progress.by))


def _applying(provenance: Provenance, problem: PlanningProblem) -> list[Bound]:
    """The bounds that the search was given, where they are about this problem. A file may claim what it likes."""
    return [b for b in provenance.bounds if b.applies_to(problem.relaxation, problem.assumptions)]


def _believed(bounds: Sequence[Bound]) -> list[Bound]:
    """The bounds as the search took them then: it behaved by them, whether or not they are proven here."""
    return [replace(bound, claimed_by="") for bound in bounds]


def _without_belief(result: Result, given: Sequence[Bound]) -> Result:
    """The result with what rests on claims marked as a claim; the same where all that it was given is proven here at once."""
    claims = claimed(given)
    if not claims:
        return result
    problem = result.problem
    known = (*proven(given), *known_at_once(problem))
    open_claims = [claim for claim in claims if says_more(replace(claim, claimed_by=""), problem, known)]
    if not open_claims:
        return result
    bounds = (*known, *as_claims(result.bounds, open_claims[0].claimed_by))
    status = status_of(problem, result.components, proven(bounds))
    return replace(result, bounds=bounds, status=status, given_bounds=tuple(given))


# ------------------------------------------------------------------------------------------------------------ what came out
def _outcome(plan: Plan | OrderPlan, result: Result) -> Outcome:
    if result.device_of is None or result.components is None:
        return "differs"
    if np.array_equal(_as_numbered(plan, result.device_of), decision_of(plan)):
        return "identical"
    wanted = plan.evaluation.values
    same = not better(wanted, result.components) and not better(result.components, wanted)
    return "equal" if same else "differs"


def _as_numbered(plan: Plan | OrderPlan, decision: Ints) -> Ints:
    """What came out, with interchangeable devices numbered as the plan has them: a window numbers them as those of its canvas."""
    return renumbered(plan.problem, decision, plan.decision.device_of) if isinstance(plan, Plan) else decision


def _sentence(plan: Plan | OrderPlan, result: Result, outcome: Outcome) -> str:
    name, at = result.planner, result.best_iteration
    where = "" if at is None else f" at iteration {at:,}"
    if outcome == "identical":
        same = result.device_of is None or np.array_equal(result.device_of, decision_of(plan))
        numbers = "" if same else ", its interchangeable devices by other numbers"
        return f"identical: {name} found the same plan again{where}{numbers}"
    why = why_uncertain(plan.provenance)
    because = f"; {why}" if why else ""
    if outcome == "equal":
        return f"equal: {name} found another plan of the same value{where}{because}"
    if result.stop_reason == "cancelled":
        return f"differs: {name} was stopped before it had found the plan"
    if result.stop_reason == "time":
        return f"differs: {name} had not found the plan when time was up{because}"
    if result.components is not None and better(result.components, plan.evaluation.values):
        return f"differs: {name} found a better plan than this one{where}{because}"
    if not because:
        because = "; the plan may have been changed since, or the times of its model"
    return f"differs: {name} did not find the plan again{because}"
