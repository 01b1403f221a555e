"""What planners and bound methods are written against: options, stop criteria, and the channel they report through."""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np

from planner.bound import Bound, better, proven
from planner.errors import PlannerRefusal
from planner.graph import Ints
from planner.provenance import Adoption, Again
from planner.sharing import Exchange, News

if TYPE_CHECKING:
    from planner.problem_base import PlanningProblem


# ---------------------------------------------------------------------- options
@dataclass(frozen=True)
class Option:
    """One option of a planner or bound method: how it searches, never what is optimised."""

    name: str
    default: bool | int | float | str
    help: str
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()

    def parse(self, value: Any) -> bool | int | float | str:
        """``value`` (text or typed) as the option's type, within its range. Raises :class:`PlannerRefusal`."""
        try:
            parsed = self._typed(value)
        except (TypeError, ValueError):
            kind = {bool: "true or false", int: "a whole number", float: "a number"}.get(
                type(self.default), "text"
            )
            raise PlannerRefusal(f"option '{self.name}' is {value!r}; {kind} was expected") from None
        if self.choices and parsed not in self.choices:
            raise PlannerRefusal(f"option '{self.name}' is '{parsed}'; choose from {', '.join(self.choices)}")
        if isinstance(parsed, (int, float)) and not isinstance(parsed, bool):
            low = -math.inf if self.low is None else self.low
            high = math.inf if self.high is None else self.high
            if not low <= parsed <= high:
                raise PlannerRefusal(
                    f"option '{self.name}' is {parsed}; it must lie between {low:g} and {high:g}"
                )
        return parsed

    def _typed(self, value: Any) -> bool | int | float | str:
        if isinstance(self.default, bool):
            text = str(value).lower()
            if text not in {"true", "false", "yes", "no", "on", "off", "1", "0"}:
                raise ValueError(text)
            return text in {"true", "yes", "on", "1"}
        if isinstance(self.default, int):
            return int(str(value))
        if isinstance(self.default, float):
            return float(str(value))
        return str(value)


def parse_options(known: Sequence[Option], given: Mapping[str, Any], owner: str) -> dict[str, Any]:
    """Every option's value, given or default. Raises :class:`PlannerRefusal` on an unknown name."""
    names = {o.name for o in known}
    for name in given:
        if name not in names:
            has = f"it has {', '.join(sorted(names))}" if names else "it has none"
            raise PlannerRefusal(f"'{owner}' has no option '{name}'; {has}")
    return {o.name: o.parse(given[o.name]) if o.name in given else o.default for o in known}


# ---------------------------------------------------------------------- stop criteria
@dataclass
class Progress:
    """What stop criteria look at: iterations counted, objective and bound so far, seconds since the start.

    ``components`` are all components of the best plan; ``objective`` and ``bound`` speak of the first. ``gap`` is that of
    the first component not yet proven, None without a plan or a bound; where others work on the same problem, it is
    the gap of the best plan of all. ``by`` says who found the best plan, "" the search itself, :data:`GIVEN` whoever
    gave it to start from; ``warm`` whether the search has used any plan that is not its own.
    """

    iterations: int = 0
    objective: float | None = None
    bound: float | None = None
    seconds: float = 0.0
    components: tuple[float, ...] | None = None
    gap: float | None = None
    by: str = ""
    warm: bool = False


GIVEN = "start"
"""Who found a plan that a search was given to start from."""


class Stop(Protocol):
    """A stop criterion: ``reason`` is what the result says when it fires."""

    reason: str

    def __call__(self, progress: Progress) -> bool:
        """Whether to stop now."""


@dataclass
class TimeLimit:
    """Stop after so many seconds of wall time."""

    limit: float
    reason: str = "time"

    def __call__(self, progress: Progress) -> bool:
        return progress.seconds >= self.limit

    def left(self, progress: Progress) -> float:
        """Seconds until it fires."""
        return self.limit - progress.seconds


@dataclass
class GapReached:
    """Stop when the gap, (objective - bound) / objective of the first component not yet proven, is at most ``limit``."""

    limit: float
    reason: str = "gap"

    def __call__(self, progress: Progress) -> bool:
        return progress.gap is not None and progress.gap <= self.limit


@dataclass
class IterationLimit:
    """Stop after so many iterations of the planner's own kind (orders, restarts, generations)."""

    limit: int
    reason: str = "iterations"

    def __call__(self, progress: Progress) -> bool:
        return progress.iterations >= self.limit


@dataclass
class Cancel:
    """Stop when ``flag()`` turns true."""

    flag: Callable[[], bool]
    reason: str = "cancelled"

    def __call__(self, progress: Progress) -> bool:
        return self.flag()


class FirstPlan:
    """Stop as soon as there is a valid plan."""

    reason = "found"

    def __call__(self, progress: Progress) -> bool:
        return progress.components is not None


@dataclass
class AnyOf:
    """Stop as soon as one of ``criteria`` does."""

    criteria: Sequence[Stop]
    reason: str = ""

    def __call__(self, progress: Progress) -> bool:
        for criterion in self.criteria:
            if criterion(progress):
                self.reason = criterion.reason
                return True
        return False

    def left(self, progress: Progress) -> float:
        """Seconds until the first of the time limits among them fires, infinity without one."""
        return min((_left(criterion, progress) for criterion in self.criteria), default=math.inf)


def _left(stop: Stop, progress: Progress) -> float:
    """Seconds until ``stop`` fires where it is a time limit, otherwise infinity."""
    left = getattr(stop, "left", None)
    return math.inf if left is None else left(progress)


class Never:
    """Never stop early."""

    reason = "finished"

    def __call__(self, progress: Progress) -> bool:
        return False


# ---------------------------------------------------------------------- callbacks
class Callbacks:
    """What a caller may listen to; every method may be overridden, none must."""

    def on_start(self, problem: PlanningProblem) -> None:
        """The search begins."""

    def on_progress(self, fraction: float | None, text: str, progress: Progress) -> None:
        """Progress between 0 and 1 (None = unknown) with a few words."""

    def on_best(self, device_of: Ints, objective: float, progress: Progress) -> None:
        """A better valid plan was found, or is one to start from (``progress.by`` says so); the target computed ``objective``."""

    def on_adopt(self, adoption: Adoption, progress: Progress) -> None:
        """The search took over a better plan that was found elsewhere."""

    def on_bound(self, bound: Bound, progress: Progress) -> None:
        """A stronger bound was proven."""

    def on_end(self, progress: Progress) -> None:
        """The search is over."""


class Stopped(Exception):
    """Raised inside a planner by :meth:`Search.check` to unwind after a stop criterion fired."""


# ---------------------------------------------------------------------- the channel
class Search:
    """What a running planner holds: its options, random numbers, and the channel it reports through.

    Of the bounds that it is given it keeps those that are proven: what a file claims changes nothing.

    Everything a planner reports is re-evaluated by the target here before anyone else sees it; an invalid or worse
    proposal is ignored.
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
        self.state = Progress()
        self.exchange = Exchange(news, again)
        self.history: list[tuple[float, str, float]] = []
        self.rejected = 0
        self._stop = stop
        self._starts = [np.asarray(s, np.int32) for s in starts]
        self._due = None if again is None else again.iteration
        self._given: list[tuple[float, ...]] | None = None
        self._callbacks = callbacks
        self._began = time.perf_counter()
        self._told = 0.0
        self.stop_reason = "finished"
        self.completed = False
        self._weigh()

    @property
    def starts(self) -> list[Ints]:
        """Warm starts: assignments (int32[n]) or orders (int32[W]). Whoever looks at them counts as warmed by them."""
        self.state.warm = self.state.warm or bool(self._starts)
        return self._starts

    @property
    def seconds(self) -> float:
        """Wall time since the search began."""
        return time.perf_counter() - self._began

    @property
    def remaining(self) -> float:
        """Seconds until the time limit, infinity where there is none."""
        self.state.seconds = self.seconds
        return max(0.0, _left(self._stop, self.state))

    @property
    def objective(self) -> float:
        """The best objective so far, infinity before the first plan."""
        return math.inf if self.state.objective is None else self.state.objective

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

    def incumbent(self, device_of: Ints) -> bool:
        """Propose a plan: devices of ops, or an order of connections. It is evaluated by the target and kept if valid and better; returns whether it was kept."""
        evaluator = self.problem.evaluator
        device_of = evaluator.checked(np.asarray(device_of))
        components = evaluator.components(device_of)
        if not better(components, self.state.components):
            return False
        if evaluator.violations(device_of):
            self.rejected += 1
            return False
        self._keep(device_of, components, GIVEN if self._is_given(device_of, components) else "")
        self.history.append((self.state.seconds, "objective", components[0]))
        assert self.best is not None
        self._callbacks.on_best(self.best, components[0], self.state)
        return True

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

        Returns it once, else None. To be called at places of a planner's course that its seed and options decide, not the
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

    def _keep(self, decision: Ints, components: tuple[float, ...], by: str) -> None:
        self.best = decision.copy()
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


# ---------------------------------------------------------------------- planners and bound methods
@dataclass(frozen=True)
class Source:
    """Where a method is described."""

    paper: str
    section: str = ""

    def __str__(self) -> str:
        return f"{self.paper}, {self.section}" if self.section else self.paper


class Method(ABC):
    """What planners and bound methods share. Subclasses are stateless; all state lives in :class:`Search`."""

    name: ClassVar[str]
    title: ClassVar[str]
    summary: ClassVar[str]
    source: ClassVar[Source]
    targets: ClassVar[frozenset[str]]
    objectives: ClassVar[frozenset[str]]
    options: ClassVar[tuple[Option, ...]] = ()

    def refusal(self, problem: Any) -> str | None:
        """Why this method cannot serve the problem, as a sentence, or None."""
        if problem.target.kind not in self.targets:
            return f"'{self.name}' does not plan for {problem.target.in_words}"
        if problem.objective not in self.objectives:
            return f"'{self.name}' does not minimise {problem.objective}"
        return None


class Planner(Method):
    """An algorithm: problem in, plans (and perhaps bounds) out."""

    exact: ClassVar[bool] = False
    gives_bounds: ClassVar[bool] = False
    honours: ClassVar[frozenset[str]] = frozenset({"pin", "together"})

    def refusal(self, problem: Any) -> str | None:
        """Also refuses constraints it does not honour."""
        from planner.problem import Pin

        reason = super().refusal(problem)
        if reason is not None:
            return reason
        kinds = {"pin" if isinstance(c, Pin) else "together" for c in problem.constraints}
        missing = kinds - self.honours
        if missing:
            return f"'{self.name}' does not honour {' or '.join(sorted(missing))} constraints; remove them or choose another"
        return None

    @abstractmethod
    def search(self, problem: Any, search: Search) -> None:
        """Search (a planner says which kind of problem it takes), reporting through ``search``; return when done or when ``search.stopped()``."""


class BoundMethod(Method):
    """A method that proves lower bounds."""

    @abstractmethod
    def prove(self, problem: Any, search: Search) -> None:
        """Prove bounds, reporting each through ``search.prove``."""


@dataclass(frozen=True, eq=False)
class Result:
    """How a run ended. ``status``: optimal (a bound proves it), feasible, infeasible (proven), or no_plan.

    ``device_of`` is the best plan's decision, None without one: the device of each op (int32[n]), or where a network was
    planned the order of its connections (int32[W]). ``best_iteration`` is how many iterations had been counted when it was found,
    ``found_by`` who found it: "" the planner itself, "start" whoever gave it, else the name of who did. ``starts`` and ``given_bounds``
    are what the run was given, ``adopted`` the plans that it took over on its way. ``complete``: every better plan was excluded,
    up to a solver's precision (:mod:`planner.precision`).
    """

    planner: str
    problem: Any
    device_of: Ints | None
    objective: float | None
    bounds: tuple[Bound, ...]
    status: str
    stop_reason: str
    seconds: float
    seed: int
    options: Mapping[str, Any]
    iterations: int
    history: tuple[tuple[float, str, float], ...] = field(default=())
    message: str = ""
    components: tuple[float, ...] | None = None
    best_iteration: int | None = None
    found_by: str = ""
    starts: tuple[Ints, ...] = ()
    adopted: tuple[Adoption, ...] = ()
    given_bounds: tuple[Bound, ...] = ()
    complete: bool = False

    @property
    def order(self) -> Ints | None:
        """The best order of a network's connections (int32[W]); None without one, or where a graph was planned."""
        return self.device_of if self.problem.target.plans_networks else None
