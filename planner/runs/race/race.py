"""A race: entrants take turns on the cores there are, hear of each other's plans and bounds, and the best of all counts."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from multiprocessing.connection import wait
from typing import Any

import numpy as np

from planner.errors import StageboardError
from planner.model.graph import Ints
from planner.problem.base import PlanningProblem
from planner.problem.bound import Bound, better, proven
from planner.problem.provenance import Adoption, Entrant, Provenance
from planner.runs.messages import (
    Adopted,
    Begun,
    Compiling,
    Ended,
    Failed,
    Incumbent,
    Message,
    Order,
    Proven,
    Told,
)
from planner.runs.race import events
from planner.runs.race.field import is_quick, named
from planner.runs.race.methods import method_of, with_threads
from planner.runs.race.origin import given_plan, provenance_of
from planner.runs.race.report import ending_of, sentence_of
from planner.runs.race.runner import Runner
from planner.runs.race.standing import Best, Standing, add_point
from planner.runs.race.turns import Turn, next_turns, opening
from planner.runs.worker import CAN_HOLD
from planner.search.search import Shared
from planner.search.stop import GIVEN

GIVEN_INDEX = -1
"""Stands for "it was given" where an entrant's index says who found a plan."""


class Race:
    """Entrants on one problem. Not a Qt object: :meth:`start` it, :meth:`poll` it until :attr:`ended`, :meth:`close` it always.

    At most ``cores`` threads run at a time; entrants that wait are queued or held (:mod:`planner.runs.race.turns`). The race ends
    when the best plan of all is proven or within ``gap`` of the strongest bound of all, after ``time_limit`` seconds, or
    when every entrant has ended. ``starts`` are plans to begin with (int32[n], or int32[W]), ``bounds`` what is proven.

    Raises :class:`PlannerRefusal` where there is no entrant, a method does not exist, or one does not have an option; methods
    that do not serve the problem stay in the field and end as refused.
    """

    def __init__(
        self,
        problem: PlanningProblem,
        entrants: Sequence[Entrant],
        cores: int = 1,
        gap: float | None = None,
        time_limit: float | None = None,
        starts: Sequence[Ints] = (),
        bounds: Sequence[Bound] = (),
    ) -> None:
        self.problem: Any = problem
        self.cores = max(1, cores)
        self.gap_wanted, self.time_limit = gap, time_limit
        field = named(entrants)
        methods = [method_of(entrant) for entrant in field]
        spare = max(1, self.cores // len(field))
        standings = []
        for i, (entrant, method) in enumerate(zip(field, methods, strict=True)):
            entrant, threads = with_threads(entrant, method, spare, self.cores)
            standings.append(Standing(i, entrant, method.title, threads))
        self.standings: tuple[Standing, ...] = tuple(standings)
        self.refusals = [method.refusal(problem) for method in methods]
        """Why each entrant does not serve the problem, None where it does."""
        self._runners = [Runner(standing) for standing in self.standings]
        self._quick = frozenset(s.index for s in standings if is_quick(s.entrant))
        self.bounds: list[Bound] = []
        self.best: Best | None = None
        self.history_best: list[tuple[float, float]] = []
        self.history_bound: list[tuple[float, float]] = []
        self.gap: float | None = None
        self.proved_by = GIVEN_INDEX
        """Who proved the strongest bound: an entrant's index, -1 where it was given."""
        self.outcome = ""
        """``proven``, ``infeasible``, ``gap``, ``time``, ``finished`` or ``cancelled`` once the race is decided."""
        self.sentence = ""
        self.ended = False
        self._began: float | None = None
        self._took = 0.0
        self._events: list[events.Event] = []
        for bound in proven(bounds):
            self._learn(bound, GIVEN_INDEX, 0.0)
        self._starts: list[Ints] = []
        for start in starts:
            self._take_start(np.asarray(start, np.int32))

    # ------------------------------------------------------------------ the course of the race
    def start(self) -> None:
        """Begin. Call once."""
        self._began = time.perf_counter()
        for standing, reason in zip(self.standings, self.refusals, strict=True):
            if reason is not None:
                standing.end("refused", reason)
                self._events.append(events.Refused(standing.index, reason))
        self._judge()
        self._give_turns()

    def poll(self, timeout: float = 0.0, limit: int = 64) -> list[events.Event]:
        """What has happened since it was asked last; waits up to ``timeout`` seconds for the first. Of each process at most
        ``limit`` messages are taken in at once.
        """
        if self._began is None:
            raise StageboardError("the race was not started")
        if not self.ended:
            if timeout > 0.0 and not self._events:
                ready = [r.connection for r in self._runners if r.connection is not None]
                wait(ready, min(timeout, self._seconds_left()))
            for runner in self._runners:
                for message in runner.take(limit):
                    self._heard(runner, message)
            self._judge()
            if not self.outcome:
                self._give_turns()
                self._share()
            if not any(standing.alive for standing in self.standings):
                self._finish()
        found, self._events = self._events, []
        return found

    def cancel(self) -> None:
        """Stop all; what was found stays. Poll on until :attr:`ended`."""
        self._decide("cancelled")

    def stop(self, index: int) -> None:
        """Stop one entrant; its finds stay."""
        self._stop(self._runners[index], "cancelled")

    def _stop(self, runner: Runner, ending: str) -> None:
        """Stop an entrant; ``ending`` is how it ended where it had not begun."""
        standing = runner.standing
        if standing.state == "queued" or runner.cancel():
            standing.end(ending)
            self._events.append(events.Finished(standing.index))

    def close(self) -> None:
        """End every process now, however far it is. To be called always, also after the end."""
        for runner in self._runners:
            runner.over()
            if runner.standing.alive:
                runner.standing.end("cancelled", "closed")
        if not self.ended and self._began is not None:
            self.outcome = self.outcome or "cancelled"
            self._finish()

    # ------------------------------------------------------------------ what one may ask
    @property
    def seconds(self) -> float:
        """Since the start; once it has ended, how long it took."""
        if self.ended or self._began is None:
            return self._took
        return time.perf_counter() - self._began

    @property
    def bound(self) -> Bound | None:
        """The strongest bound on the first component, by whomever."""
        return self.problem.strongest_bound(self.bounds)

    def ranking(self) -> list[Standing]:
        """The leaderboard: best own plan first, among equals who had it first; then who has none; bound methods last."""

        def key(standing: Standing) -> tuple[Any, ...]:
            found = standing.components is not None
            return (
                standing.entrant.is_bound,
                not found,
                standing.components if found else (),
                standing.time_to_best if found else 0.0,
                standing.ending in ("refused", "failed"),
                standing.index,
            )

        return sorted(self.standings, key=key)

    def provenance(self, index: int) -> Provenance:
        """Where the best own plan of an entrant comes from: enough to find it again (:mod:`planner.runs.replay`)."""
        return provenance_of(self, self.standings[index])

    def plan(self, index: int | None = None, name: str = "") -> Any:
        """The best own plan of an entrant, evaluated from nothing; of the whole race by default. None where there is none.

        A :class:`planner.problem.problem.Plan` or :class:`planner.machines.two_level_memory.problem.OrderPlan`. The plan that the race was given has the provenance
        "given"; it is that of the race while no entrant is better.
        """
        if index is None:
            if self.best is None:
                return None
            index = self.best.by
        if index == GIVEN_INDEX:
            return given_plan(self, name)
        decision = self.standings[index].decision
        if decision is None:
            return None
        return self.problem.plan(decision, self.provenance(index), name or self.standings[index].name)

    # ------------------------------------------------------------------ news
    def _heard(self, runner: Runner, message: Message) -> None:
        standing = runner.standing
        seconds = self.seconds
        if isinstance(message, Begun):
            runner.begun()
        elif isinstance(message, Incumbent):
            components = message.components or (message.objective,)
            runner.knows(components)
            if standing.take(message, seconds, runner.searched):
                self._events.append(events.Better(standing.index, message.device_of, components, seconds))
                if self._improve(Best(message.device_of, components, standing.index, seconds)):
                    runner.improved = True
        elif isinstance(message, Adopted):
            by = self._index_of(message.adoption)
            runner.knows(self.problem.evaluator.components(message.adoption.decision))
            standing.adopt(message.adoption, by, seconds)
            self._events.append(events.Adopted(standing.index, by, message.adoption.iteration, seconds))
        elif isinstance(message, Proven):
            standing.prove(message.bound, self.problem.components[0], seconds)
            self._events.append(events.Proven(standing.index, message.bound, seconds))
            if self._learn(message.bound, standing.index, seconds):
                runner.improved = True
                for other in self._runners:
                    if other is not runner:
                        other.tell_bound(message.bound)
        elif isinstance(message, Told):
            standing.fraction, standing.text = message.fraction, message.text
            standing.iterations = message.iterations
            self._events.append(events.Progressed(standing.index))
        elif not isinstance(message, Compiling):
            self._over(runner, message)

    def _over(self, runner: Runner, message: Ended | Failed) -> None:
        standing = runner.standing
        if isinstance(message, Ended):
            standing.iterations = message.result.iterations
            standing.end(ending_of(self, message.result), message.result.message)
        elif standing.state == "stopping":
            standing.end(self.outcome if self.outcome in ("proven", "gap", "time") else "cancelled")
        else:
            standing.end("failed", message.sentence, message.detail)
        runner.over()
        self._events.append(events.Finished(standing.index))

    def _index_of(self, adoption: Adoption) -> int:
        return next((s.index for s in self.standings if s.name == adoption.by), GIVEN_INDEX)

    # ------------------------------------------------------------------ what all know
    def _take_start(self, start: Ints) -> None:
        """Take in a plan that the race is given. Raises :class:`StageboardError` where it is no decision of the problem."""
        evaluator = self.problem.evaluator
        start = evaluator.checked(start)
        self._starts.append(start)
        if not evaluator.violations(start):
            self._improve(Best(start, tuple(evaluator.components(start)), GIVEN_INDEX, 0.0))

    def _improve(self, best: Best) -> bool:
        if not better(best.components, None if self.best is None else self.best.components):
            return False
        self.best = best
        add_point(self.history_best, best.seconds, best.components[0])
        self._weigh()
        return True

    def _learn(self, bound: Bound, by: int, seconds: float) -> bool:
        """Take in a bound; returns whether it says more than what was known."""
        problem = self.problem
        if bound.component not in problem.components or any(
            known.component == bound.component
            and known.value >= bound.value
            and known.covers(dict(bound.given))
            for known in self.bounds
            if known.applies_to(problem.relaxation, problem.assumptions)
        ):
            return False
        before = self.bound
        self.bounds.append(bound)
        strongest = self.bound
        if strongest is not before and strongest is not None:
            self.proved_by = by
            add_point(self.history_bound, seconds, strongest.value)
        self._weigh()
        return True

    def _weigh(self) -> None:
        if self.best is not None:
            self.gap = self.problem.standing(self.best.components, self.bounds).gap

    def _share(self) -> None:
        """Tell everybody of the best plan who does not have it."""
        if self.best is None:
            return
        finder = GIVEN if self.best.by == GIVEN_INDEX else self.standings[self.best.by].name
        shared = Shared(self.best.decision, self.best.components, finder)
        for runner in self._runners:
            if runner.standing.state == "running" and runner.standing.index != self.best.by:
                runner.tell_plan(shared)

    # ------------------------------------------------------------------ turns
    def _give_turns(self) -> None:
        turns: Sequence[Turn] = [runner.turn() for runner in self._runners if runner.standing.alive]
        if self.best is None:
            turns = opening(turns, self._quick)
        hold, run = next_turns(turns, self.cores)
        held = [self._runners[index].hold() for index in hold]
        self._events += [events.Paused(index) for index, done in zip(hold, held, strict=True) if done]
        if not all(held):
            return  # somebody cannot be held: those who would take the place wait for another time
        for index in run:
            runner = self._runners[index]
            if runner.standing.state == "paused":
                runner.go_on()
                self._events.append(events.Resumed(index))
            else:
                self._launch(runner)

    def _launch(self, runner: Runner) -> None:
        standing = runner.standing
        entrant = standing.entrant
        if not entrant.is_bound:
            self._give_starts(standing)
        standing.given_bounds = tuple(self.bounds)
        order = Order(
            entrant.method, self.problem, entrant.is_bound, entrant.seed, entrant.options, self._limit(),
            self.gap_wanted, starts=standing.starts, bounds=standing.given_bounds,
        )  # fmt: skip
        known = self.best.components if self.best is not None and not entrant.is_bound else None
        try:
            runner.start(order, known)
        except OSError as error:
            standing.end("failed", f"no process could be started for it ({error.strerror or error})")
            self._events.append(events.Finished(standing.index))
            return
        self._events.append(events.Started(standing.index))

    def _give_starts(self, standing: Standing) -> None:
        """The best plan of all, then what the race was given."""
        starts, by = list(self._starts), [GIVEN_INDEX] * len(self._starts)
        if self.best is not None and not any(np.array_equal(self.best.decision, start) for start in starts):
            starts.insert(0, self.best.decision)
            by.insert(0, self.best.by)
        standing.starts, standing.starts_by = tuple(starts), tuple(by)

    def _limit(self) -> float | None:
        """How long an entrant may run: to the end of the race; where processes cannot be held, its share of what is left."""
        if self.time_limit is None:
            return None
        left = max(self._seconds_left(), 0.01)
        waiting = sum(standing.state == "queued" for standing in self.standings)
        if CAN_HOLD or waiting <= self.cores:
            return left
        return left * self.cores / waiting

    def _seconds_left(self) -> float:
        return math.inf if self.time_limit is None else max(0.0, self.time_limit - self.seconds)

    # ------------------------------------------------------------------ the end
    def _judge(self) -> None:
        """Decide the race where there is nothing more to win."""
        strongest = self.bound
        if self.best is None:
            if strongest is not None and strongest.value == math.inf:
                self._decide("infeasible")
        elif self.problem.standing(self.best.components, self.bounds).status == "optimal":
            self._decide("proven")
        elif self.gap_wanted is not None and self.gap is not None and self.gap <= self.gap_wanted:
            self._decide("gap")
        if self._seconds_left() <= 0.0:
            self._decide("time")

    def _decide(self, outcome: str) -> None:
        if self.outcome or self.ended:
            return
        self.outcome = outcome
        for runner in self._runners:
            self._stop(runner, outcome if outcome in ("proven", "gap", "time") else "cancelled")

    def _finish(self) -> None:
        self._took = self.seconds
        self.ended = True
        self.outcome = self.outcome or "finished"
        self.sentence = sentence_of(self)
        winner = GIVEN_INDEX if self.best is None else self.best.by
        self._events.append(events.RaceEnded(winner, self.outcome, self.sentence))
