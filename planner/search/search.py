"""The search: what a running planner or bound method holds, and the channel that it reports through.

Through :class:`Exchange` it hears from others that work on the same problem.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from planner.model.graph import Ints
from planner.problem.bound import Bound, better, proven
from planner.problem.provenance import Adoption, Again, Origin
from planner.search.result import Own, Try
from planner.search.stop import GIVEN, Progress, Stop, searching_clock, seconds_left

if TYPE_CHECKING:
    from planner.problem.base import PlanningProblem


class Callbacks:
    """What a caller may listen to; every method may be overridden, none must."""

    def on_start(self, problem: PlanningProblem) -> None:
        """The search begins."""

    def on_progress(self, fraction: float | None, text: str, progress: Progress) -> None:
        """Progress between 0 and 1 (None = unknown) with a few words."""

    def on_best(self, device_of: Ints, objective: float, progress: Progress) -> None:
        """A better valid plan (int32[n]; an order: int32[W]) was found, or is one to start from (``progress.by`` says so).

        The target computed ``objective``.
        """

    def on_adopt(self, adoption: Adoption, progress: Progress) -> None:
        """The search took over a better plan that was found elsewhere."""

    def on_bound(self, bound: Bound, progress: Progress) -> None:
        """A stronger bound was proven."""

    def on_end(self, progress: Progress) -> None:
        """The search is over."""


class Stopped(Exception):
    """Raised inside a planner by :meth:`Search.check` to unwind after a stop criterion fired."""


class Search:
    """What a running planner holds: its options, random numbers, and the channel it reports through.

    ``starts`` are plans to begin with (int32[n], or orders int32[W]). Of the bounds that it is given it keeps those that are
    proven: what a file claims changes nothing.

    Everything a planner reports is re-evaluated by the target here before anyone else sees it; an invalid or worse
    proposal is ignored. ``message`` is what a planner has to say of the run as a whole, ``tries`` whom it let search
    (:class:`planner.search.result.Result`).
    """

    def __init__(
        self,
        problem: Any,
        stop: Stop,
        callbacks: Callbacks,
        seed: int,
        options: Mapping[str, Any],
        starts: Sequence[Ints] = (),
        bounds: Sequence[Bound] = (),
        news: News | None = None,
        again: Again | None = None,
    ) -> None:
        self.problem = problem
        self.options = options
        self.seed = seed
        self.rng = np.random.default_rng(seed)
        self.bounds = list(proven(bounds))
        self.best: Ints | None = None
        self.best_iteration: int | None = None
        self.own: Own | None = None
        """The best plan of its own as long as one that it began with is better."""
        self.met = False
        """Whether it came by itself to a plan as good as the one that it began with and keeps, or excluded all that are better."""
        self.state = Progress()
        self.exchange = Exchange(news, again)
        self.history: list[tuple[float, str, float]] = []
        self.rejected = 0
        self._stop = stop
        left = seconds_left(stop, self.state)
        self.time_limit = left if math.isfinite(left) else None
        """Seconds that whoever asked gives it; None without a limit."""
        self._starts = [np.asarray(s, np.int32) for s in starts]
        self._due = None if again is None else again.iteration
        self._given: list[tuple[float, ...]] | None = None
        self._callbacks = callbacks
        self._began = searching_clock()
        self._told = 0.0
        self.stop_reason = "finished"
        self.completed = False
        self.message = ""
        self.tries: list[Try] = []
        self._weigh()

    @property
    def starts(self) -> list[Ints]:
        """Warm starts: assignments (int32[n]) or orders (int32[W]). Whoever looks at them counts as warmed by them."""
        self.state.warm = self.state.warm or bool(self._starts)
        return self._starts

    @property
    def seconds(self) -> float:
        """Wall time since the search began, but for what was compiled meanwhile."""
        return searching_clock() - self._began

    @property
    def remaining(self) -> float:
        """Seconds until the time limit, infinity where there is none."""
        self.state.seconds = self.seconds
        return max(0.0, seconds_left(self._stop, self.state))

    @property
    def objective(self) -> float:
        """The best objective so far, infinity before the first plan."""
        return math.inf if self.state.objective is None else self.state.objective

    @property
    def own_objective(self) -> float:
        """The best objective of a plan that it need not have been given, infinity before the first one: what is better is worth reporting."""
        if self.state.by != GIVEN or self.met:
            return self.objective
        return math.inf if self.own is None else self.own.components[0]

    def stopped(self) -> bool:
        """Whether a stop criterion has fired. Cheap: call it often (at least every 0.1 s).

        Also takes in what others have found and proven meanwhile: :attr:`bounds` and the progress's bound and gap may
        change here, the best plan may not (see :meth:`adopt`).
        """
        if self.stop_reason != "finished":
            return True
        self._listen()
        self.state.seconds = self.seconds
        if self._stop(self.state):
            self.stop_reason = self._stop.reason
            return True
        return False

    def check(self) -> None:
        """Raise :class:`Stopped` when a stop criterion has fired."""
        if self.stopped():
            raise Stopped

    def iteration(self, count: int = 1) -> None:
        """Count iterations of the planner's own kind."""
        self.state.iterations += count

    def incumbent(self, device_of: Ints, origin: Origin | None = None, score: float | None = None) -> bool:
        """Propose a plan: devices of ops (int32[n]), or an order of connections (int32[W]).

        ``origin`` is the run of another planner that found it. The plan is evaluated by the target and kept if valid and better;
        returns whether it was kept. With a ``score``, which a planner that judges plans by something else gives for all of them,
        the better plan is the one whose score is lower; what it costs is the objective nevertheless.
        """
        evaluator = self.problem.evaluator
        device_of = evaluator.checked(np.asarray(device_of))
        components = evaluator.components(device_of)
        if score is None:
            improves = better(components, self.state.components)
        else:
            improves = self.state.score is None or score < self.state.score
        if not improves:
            if self.state.by == GIVEN:
                self._note(device_of, components, origin)
            return False
        if evaluator.violations(device_of):
            self.rejected += 1
            return False
        device_of, components = self._tidied(device_of, components)
        by = GIVEN if self._is_given(device_of, components) else ""
        self._part(by)
        self._keep(device_of, components, by, origin)
        self.state.score = score
        self.history.append((self.state.seconds, "objective", components[0]))
        assert self.best is not None
        self._callbacks.on_best(self.best, components[0], self.state)
        return True

    def _tidied(self, device_of: Ints, components: tuple[float, ...]) -> tuple[Ints, tuple[float, ...]]:
        """A valid plan as its machine tidies it, with what it costs then; as it is where pins or times of single devices speak against that."""
        evaluator, tidy = self.problem.evaluator, self.problem.target.tidied(device_of)
        if np.array_equal(tidy, device_of):
            return device_of, components
        after = evaluator.components(tidy)
        as_good = not better(components, after) and not evaluator.violations(tidy)
        return (tidy, after) if as_good else (device_of, components)

    def _note(self, decision: Ints, components: tuple[float, ...], origin: Origin | None) -> None:
        """Remember a plan of its own that is worse than what it began with, if it is valid and the best so far."""
        known = None if self.own is None else self.own.components
        if self.met or not better(components, known) or self._is_given(decision, components):
            return
        if not self.problem.evaluator.violations(decision):
            state, seconds = self.state, self.seconds
            self.own = Own(decision.copy(), components, state.iterations, seconds, origin)

    def _part(self, by: str) -> None:
        """Before the best plan changes: its own one is remembered beside one that it was given."""
        state = self.state
        self.met = False
        if by != GIVEN:
            self.own = None
        elif not state.by and self.best is not None and state.components is not None:
            at = self.best_iteration or 0
            self.own = Own(self.best, state.components, at, state.seconds, state.origin)

    def _is_given(self, decision: Ints, components: tuple[float, ...]) -> bool:
        """Whether a plan is one that the search began with, or was made of one and is just as good: then nothing was found.

        Who has not looked at the starts yet has found it alone.
        """
        if not self.state.warm:
            return False
        if any(np.array_equal(decision, start) for start in self._starts):
            return True
        if self._given is None:
            evaluator = self.problem.evaluator
            fitting = [start for start in self._starts if start.shape == decision.shape]
            self._given = [tuple(evaluator.components(evaluator.checked(start))) for start in fitting]
        return any(not better(components, given) and not better(given, components) for given in self._given)

    def meet(self) -> None:
        """Say that the search has come by itself, whatever it was given, to a plan as good as the best, or excluded all that are better: plans of
        its own that are worse say nothing any more."""
        if self.state.by == GIVEN:
            self.met, self.own = True, None

    def complete(self) -> None:
        """Say that the search has excluded every plan better than the best by more than its solver's precision."""
        self.completed = True

    @property
    def due(self) -> bool:
        """Whether an earlier run is repeated that reported its plan after as many iterations as are counted now.

        Planners that do not report every better plan must report it then.
        """
        return self._due is not None and self.state.iterations == self._due

    def adopt(self) -> Ints | None:
        """Take over the best plan that was found elsewhere, if it is better than the best here: it is the best here from now on.

        Returns it (int32[n], or int32[W]) once, else None. To be called at places of a planner's course that its seed and options decide, not the
        clock: a run is repeated by taking over the same plans at the same calls.
        """
        self._listen()
        offered = self.exchange.offer()
        if offered is None:
            return None
        look, decision, by = offered
        evaluator = self.problem.evaluator
        decision = evaluator.checked(np.asarray(decision))
        components = evaluator.components(decision)
        if not better(components, self.state.components) or evaluator.violations(decision):
            return None
        self.state.warm = True
        self._keep(decision, components, by)
        assert self.best is not None
        adoption = Adoption(look, self.state.iterations, self.best, by)
        self.exchange.adopted.append(adoption)
        self._callbacks.on_adopt(adoption, self.state)
        return self.best

    def _keep(
        self, decision: Ints, components: tuple[float, ...], by: str, origin: Origin | None = None
    ) -> None:
        self.best = decision.copy()
        self.state.origin = origin
        self.best_iteration = self.state.iterations
        self.state.objective = components[0]
        self.state.components = components
        self.state.by = by
        self.state.seconds = self.seconds
        self._weigh()

    def prove(self, bound: Bound) -> None:
        """Report a proven bound; only one that says more than each before is passed on."""
        known = any(
            b.component == bound.component and b.value >= bound.value and b.covers(dict(bound.given))
            for b in self.bounds
            if b.applies_to(self.problem.relaxation, self.problem.assumptions)
        )
        self.bounds.append(bound)
        if known or bound.component not in self.problem.components:
            return
        self._weigh()
        self.state.seconds = self.seconds
        if bound.component == self.problem.components[0]:
            self.history.append((self.state.seconds, "bound", bound.value))
        self._callbacks.on_bound(bound, self.state)

    def _weigh(self) -> None:
        """Bring the bound and the gap of the progress up to date."""
        strongest = self.problem.strongest_bound(self.bounds)
        self.state.bound = None if strongest is None else strongest.value
        reached, shared = self.state.components, self.exchange.best
        if shared is not None and better(shared.components, reached):
            reached = shared.components
        if reached is not None:
            self.state.gap = self.problem.standing(reached, self.bounds).gap

    def _listen(self) -> None:
        """Take in what others found and proved; nobody needs to be told."""
        before = self.exchange.best
        bounds = self.exchange.arrived()
        self.bounds += bounds
        if bounds or self.exchange.best is not before:
            self._weigh()

    def progress(self, fraction: float | None, text: str = "") -> None:
        """Say how far the search is; passed on at most ten times a second."""
        now = time.perf_counter()
        if now - self._told >= 0.1:
            self._told = now
            self.state.seconds = self.seconds
            self._callbacks.on_progress(fraction, text, self.state)


@dataclass(frozen=True, eq=False)
class Shared:
    """A valid plan that somebody else found: its decision (int32[n], or int32[W]), all its components, and the finder's name."""

    decision: Ints
    components: tuple[float, ...]
    by: str = ""


News = Callable[[], "Sequence[Bound | Shared]"]
"""Asked now and then for what others found or proved since it was last asked."""


class Exchange:
    """What arrived from elsewhere, and at which of its looks a search took it over.

    With ``again``, an earlier run, nothing is taken over but what that run took over, each at the look it was: that is how a
    run is repeated.
    """

    def __init__(self, news: News | None = None, again: Again | None = None) -> None:
        self._news = news
        self._again = None if again is None else {adoption.look: adoption for adoption in again.adopted}
        self.looks = 0
        self.adopted: list[Adoption] = []
        self.best: Shared | None = None
        """The best plan that arrived, taken over or not."""
        self._offered: Shared | None = None

    def arrived(self) -> list[Bound]:
        """Take in what is new; returns the bounds."""
        bounds: list[Bound] = []
        for item in () if self._news is None else self._news():
            if isinstance(item, Bound):
                bounds += proven([item])
            elif better(item.components, None if self.best is None else self.best.components):
                self.best = self._offered = item
        return bounds

    def offer(self) -> tuple[int, Ints, str] | None:
        """Look for a plan to take over: (number of the look, decision int32[n] or int32[W], who found it), each plan at most once.

        None without one.
        """
        look = self.looks
        self.looks += 1
        if self._again is not None:
            before = self._again.get(look)
            return None if before is None else (look, before.decision, before.by)
        offered, self._offered = self._offered, None
        return None if offered is None else (look, offered.decision, offered.by)
