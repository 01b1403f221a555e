"""One background job: what was ordered, how far it is, what it found and what is proven about that. No Qt."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from gui.document.plan_list import PlanEntry
from gui.look.numbers import brief_seconds, seconds_text
from gui.words.objectives import components_text
from planner.model.graph import Ints
from planner.options import parse_options
from planner.problem.base import says_more
from planner.problem.bound import Bound, Standing, better
from planner.problem.problem import Problem
from planner.problem.provenance import Origin, Provenance, provenance_of
from planner.runs.messages import Incumbent, Order
from planner.search.result import Own, Result
from planner.search.stop import GIVEN

LEAST_PREPARED, SHARE_PREPARED = 0.5, 0.1
"""Seconds of preparing from which they are told, and of the search's the least share."""
MUCH_COMPILING = 0.2
"""Share of a run that compiling has to take to be a reason why it found nothing."""
USUAL = "usual work done"
MORE_EFFORT = "; more effort lets it go on"
"""What a run says that ends before any time limit, because what planners do unasked is used up, and what it adds where an option says how
much that is."""
NOT_BETTER = "no better plan"
"""How a run ends whose best plan is no better than one that it was given."""
NEARLY = 0.95
"""Share of its time limit from which a run has used it up: it ends between two steps."""
PREPARING = "preparing planners"
"""What a job says while its process compiles: whoever is new to a computer need not know what that is."""
STARTING = "starting"
"""What a job says until its search has said or found anything."""


@dataclass(eq=False)
class Job:
    """One order at work, or what became of it.

    For the convergence plot ``trace`` holds (seconds, components) of each of its plans, and ``proofs`` (seconds, bound): its
    own bounds and those that other jobs proved meanwhile, each of which says more than those before.
    """

    id: str
    title: str
    order: Order
    model_serial: int
    began: float
    edits: int
    """The document's edit count when the job began: more edits since, and its plans wait in the list."""
    state: str = "running"
    """running, stopping, done, failed or cancelled."""
    fraction: float | None = None
    text: str = STARTING
    detail: str = ""
    components: tuple[float, ...] | None = None
    """The components of its best plan's objective."""
    iterations: int = 0
    trace: list[tuple[float, tuple[float, ...]]] = field(default_factory=list)
    proofs: list[tuple[float, Bound]] = field(default_factory=list)
    entry: PlanEntry | None = None
    keeps_start: bool = False
    """Whether its best plan is one that it began with, or is as good and was made of it."""
    own: tuple[float, ...] | None = None
    """The components of the best plan that it found itself."""
    met: bool = False
    """Whether it came by itself to a plan as good as the one that it began with."""
    device_of: Ints | None = None
    provenance: Provenance | None = None
    """Where its best plan comes from: enough to run its search again."""
    ended_after: float | None = None
    stop_reason: str = ""
    """Why its search ended (:attr:`planner.search.result.Result.stop_reason`); empty before, and where it failed."""
    searched: float | None = None
    """Seconds of its search alone, as plans and certificates say; None before it has ended, and where it failed."""
    infeasible: bool = False
    """Whether it proved that no plan is valid."""
    shown: bool = False
    """Whether its best plan so far has been on the canvas."""
    compiling: bool = False
    """Whether its process compiles what it needs just now, or waits for another that does."""

    @cached_property
    def given(self) -> list[tuple[float, ...]]:
        """The components of the plans that it began with: asked for several times when it ends, and long to sum of a large model."""
        return [tuple(self.problem.evaluator.components(start)) for start in self.order.starts]

    @property
    def planner(self) -> str:
        """The planner's or bound method's name."""
        return self.order.method

    @property
    def is_bound(self) -> bool:
        """Whether it proves bounds and looks for no plan."""
        return self.order.is_bound

    @property
    def by(self) -> str:
        """Who found its best plan."""
        return self.title

    @property
    def problem(self) -> Problem:
        """The problem it works on."""
        return self.order.problem

    @property
    def seconds(self) -> float:
        """How long it has run, or ran, with what was prepared for it."""
        return time.monotonic() - self.began if self.ended_after is None else self.ended_after

    @property
    def time_words(self) -> str:
        """``12 s``: how long it runs, or how long it searched, as the list of plans has it."""
        return seconds_text(self.seconds if self.searched is None else self.searched)

    @property
    def words(self) -> str:
        """What it does just now, or how it ended; empty where nothing is to be said."""
        return PREPARING if self.state == "running" and self.compiling else self.text

    @property
    def preparing_words(self) -> str:
        """``92 s in all: 91 s of preparing, 46 ms of search`` besides, where preparing was its part; else empty."""
        prepared = 0.0 if self.searched is None else self.seconds - self.searched
        told = prepared >= max(LEAST_PREPARED, SHARE_PREPARED * (self.searched or 0.0))
        if not told:
            return ""
        return f"{seconds_text(self.seconds)} in all: {seconds_text(prepared)} of preparing, {brief_seconds(self.searched or 0.0)} of search"

    @property
    def alive(self) -> bool:
        """Whether it still runs."""
        return self.state in ("running", "stopping")

    @property
    def found_none(self) -> bool:
        """Whether it is a planner that ended by itself without any plan."""
        return self.state == "done" and self.components is None and not self.order.is_bound

    @property
    def objective(self) -> float | None:
        """The first component of its best plan's objective."""
        return None if self.components is None else self.components[0]

    @property
    def bounds(self) -> list[Bound]:
        """What it knows to be proven."""
        return [bound for _, bound in self.proofs]

    @property
    def bound(self) -> float | None:
        """The strongest bound on the first component that it knows."""
        strongest = self.problem.strongest_bound(self.bounds)
        return None if strongest is None else strongest.value

    def take(self, best: Incumbent) -> None:
        """Take over a better plan, with where it comes from."""
        from planner.machines.catalogue import planner

        order, method = self.order, planner(self.order.method)
        own = Origin(
            method.name,
            parse_options(method.options, order.options, method.name),
            order.seed,
            best.iteration,
            tuple(np.asarray(start, np.int32) for start in order.starts),
            tuple(order.bounds),
        )
        self.device_of = best.device_of
        self.provenance = provenance_of(best.origin or own, best.seconds, "running")

    def take_own(self, own: Own | None) -> Incumbent | None:
        """Take over the best plan of its own though one that it began with is better; None without one."""
        if own is None:
            return None
        self.own, self.shown = own.components, True
        best = Incumbent(
            own.decision, own.components[0], own.seconds, own.components, own.iteration, origin=own.origin
        )
        self.take(best)
        return best

    def take_ending(self, result: Result) -> None:
        """Take over how its search ended."""
        self.iterations, self.searched = result.iterations, result.seconds
        self.stop_reason, self.met = result.stop_reason, result.met

    def found(self, seconds: float, components: tuple[float, ...], given: bool = False) -> None:
        """Take note of a better plan; ``given``: it is one that it began with."""
        if self.text == STARTING:
            self.text = ""
        self.keeps_start = given
        if not given:
            self.own = components
        self.components = components
        self.trace.append((seconds, components))

    def learn(self, seconds: float, bound: Bound) -> bool:
        """Take note of a bound if it says more than what was known; returns whether it does."""
        if not says_more(bound, self.problem, self.bounds):
            return False
        self.proofs.append((seconds, bound))
        return True

    @property
    def standing(self) -> Standing | None:
        """How its best plan stands against what it knows to be proven; None without a plan."""
        return None if self.components is None else self.problem.standing(self.components, self.bounds)

    @property
    def gap(self) -> float | None:
        """How far its best plan may be from the best one, as far as it knows."""
        standing = self.standing
        return None if standing is None else standing.gap


def nothing_better_words(job: Job) -> str:
    """``found nothing better than 2.41 ms in 4.8 s``, of a planner that ended by itself with no better plan than one that it began with; else empty.

    With nothing said to be proven the best: that is told where the plan is. Where what it does unasked was used up, what lets it go on is said, too.
    """
    if job.state != "done" or job.is_bound or not job.order.starts or job.gap == 0.0:
        return ""
    if job.components is not None and not found_nothing_better(job):
        return ""
    more = MORE_EFFORT if MORE_EFFORT in job.text else ""
    return (
        f"found nothing better than {components_text(job.problem, min(job.given))} in {job.time_words}{more}"
    )


def is_start(job: Job, best: Incumbent) -> bool:
    """Whether a plan is one that a job began with, or is as good and was made of it: then the job has found nothing."""
    return best.by == GIVEN or any(np.array_equal(best.device_of, start) for start in job.order.starts)


def found_nothing_better(job: Job) -> bool:
    """Whether a planner's best plan is no better than one it was given."""
    found = job.components
    return found is not None and any(not better(found, components, 1e-9) for components in job.given)


def hardly_words(text: str, share: str) -> str:
    """How a planner ended (``text``) whose plan is better than the canvas's by a ``share`` that no figure shows: it is in the list alone."""
    if not share:
        return text
    more = f"{share} better than the plan on the canvas: in Plans"
    return more if text == "finished" else f"{text}, {more}"


def nothing_words(job: Job, searched: float, compiling: float) -> str:
    """What a planner says that ended without any plan: ``nothing better found in 87 s`` of search, with a reason if it was not let search."""
    what = "nothing better" if job.order.starts else "no valid plan"
    prepared = compiling >= MUCH_COMPILING * job.seconds
    return f"{what} found in {seconds_text(searched)}{'; planners were still being prepared' if prepared else ''}"


def at_its_limit(job: Job, searched: float) -> bool:
    """Whether a run that ends after ``searched`` seconds has used up the time limit that it was given, rather than its usual work."""
    limit = job.order.time_limit
    return limit is not None and searched >= NEARLY * limit


def ending_words(status: str, reason: str, message: str, limited: bool = True) -> str:
    """How a run ended, in a few words for the job's row. ``limited``: by its time limit (:func:`at_its_limit`)."""
    if message:
        return message
    if status == "infeasible":
        return "there is no valid plan: proven"
    if status == "optimal":
        return "optimal: proven"
    why = {
        "time": "time limit reached" if limited else USUAL,
        "gap": "gap reached",
        "cancelled": "cancelled",
        "iterations": "iterations done",
    }
    return why.get(reason, "finished") + (", no valid plan found" if status == "no_plan" else "")
