"""How many stages, chips or accelerators? The same problem planned for one count of them after the other, in a process of its own.

Every count gets the plan of an exact planner where the objective has one, else of those that are tried where none is named, for some
seconds, which begin with the best plan for fewer, and beside it that of the parameter-balancing segmentation that the Edge TPU compiler makes, where that serves the problem.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from multiprocessing.reduction import ForkingPickler
from typing import TYPE_CHECKING

import numpy as np

from planner.errors import StageboardError
from planner.machines.catalogue import planners
from planner.machines.evident import conflict_at_once, conflict_of
from planner.machines.trying import find_plan
from planner.model.graph import Ints
from planner.problem.bound import Bound, Standing, better
from planner.problem.decision import Evaluation
from planner.problem.problem import Problem
from planner.runs.proving import known_at_once
from planner.search.run import run
from planner.search.stop import TimeLimit, WallBudget

if TYPE_CHECKING:
    from planner.search.method import Planner

BASELINE = "edge-tpu-balanced"
"""The planner that every count is compared with."""
PREFERRED = ("edge-tpu-ilp", "edge-tpu-fastest", "auto")
"""Planners in the order in which they are asked; the first that serves the problem plans it."""
MOST = 64
"""The largest count that is offered."""
EACH = 8
"""So many counts are compared from the least that is possible; beyond, the doubled ones and those around the machine's own."""
SAME_SPEED = 5e-4
"""Of two speeds that differ by a smaller share the one on fewer counts as the best: no more is read off their figures."""
SECONDS_PER_COUNT = 60.0
"""Time limit of the preferred planner on one count."""
SECONDS_SEVERAL = 4.0
"""The same of ``auto``, which goes on as long as it may where nothing is proven."""
SECONDS_IN_NEED = 10.0
"""How long those planners are tried that are tried where none is named, if the preferred one does not serve or found nothing."""
NICE = 10


def has_stages(problem: Problem) -> bool:
    """Whether the target is a row of stages whose count can be chosen."""
    return problem.target.count_stages


def has_count(problem: Problem) -> bool:
    """Whether the target has a number of stages, chips or accelerators that can be chosen."""
    return problem.target.counted is not None


def count_of(problem: Problem) -> int:
    """How many stages, chips or accelerators the target has; 0 where nothing of it is counted so."""
    counted = problem.target.counted
    return 0 if counted is None else int(getattr(problem.target, counted.field))


def counts_around(count: int, least: int = 1) -> tuple[int, ...]:
    """The counts that are compared where a machine has ``count`` and fewer than ``least`` are impossible.

    They are :data:`EACH` from the least, those doubled up to ``count``, it with one more and one fewer, and the largest that is impossible.
    """
    most = max(MOST, count)
    doubled = (EACH * 2**i for i in range(most.bit_length()))
    beside = (max(count - 1, least), count, count + 1)
    wanted = {*range(max(least - 1, 1), least + EACH), *(c for c in doubled if least < c < count), *beside}
    return tuple(sorted(c for c in wanted if c <= most))


@dataclass(frozen=True)
class Possible:
    """Which counts of a problem may have a plan: those from ``least`` on, 0 where none may; ``refused`` says why of the others that were asked."""

    least: int
    refused: Mapping[int, str]

    def counts(self, own: int) -> tuple[int, ...]:
        """The counts that are compared where the machine has ``own``."""
        return counts_around(own, self.least) if self.least else (own,)


def possible_counts(problem: Problem) -> Possible:
    """The counts that are not evidently impossible: more devices hold no less and allow ops no less, so the least of them is sought."""
    return next(filter(None, narrowed(problem)))


def narrowed(problem: Problem) -> Iterator[Possible | None]:
    """:func:`possible_counts` in steps, each the look at one count (linear in the ops): None after each but the last, which is the answer."""
    own = count_of(problem)
    refused: dict[int, str] = {}

    def hint(count: int) -> int | None:
        """None where ``count`` may have a plan, else how many there must be at least as far as its conflict says."""
        try:
            conflict = conflict_at_once(problem if count == own else with_count(problem, count))
        except StageboardError as error:
            refused[count] = str(error)
            return 0
        if conflict is None:
            return None
        refused[count] = conflict.sentence
        return conflict.devices

    low, high = 0, own
    needed = hint(own)
    yield None
    if needed is not None:
        low, high = own, max(MOST, own + 1)
        if hint(high) is not None:
            yield Possible(0, {own: refused[own]})
            return
        yield None
    guess = needed or low + 1
    while high - low > 1:
        count = guess if low < guess < high else (low + high) // 2
        needed = hint(count)
        if needed is None:
            high, guess = count, count - 1
        else:
            low, guess = count, needed
        yield None
    yield Possible(high, refused)


def nearest_first(counts: Iterable[int], own: int) -> list[int]:
    """Counts in the order in which they are planned: those around the machine's own first, of two as near the smaller."""
    return sorted(counts, key=lambda count: (abs(count - own), count))


def with_count(problem: Problem, count: int) -> Problem:
    """The same problem on ``count`` stages, chips or accelerators.

    Raises :class:`StageboardError` where the target counts none, does not come in so many, or a pin names a device beyond them.
    """
    counted = problem.target.counted
    if counted is None:
        raise StageboardError(f"{problem.target.in_words} has no count of devices that can be chosen")
    return replace(problem, target=problem.target.resized(counted.field, count))


def moved_to(problem: Problem, other: Problem, device_of: Ints) -> Ints | None:
    """A plan (int32[n]) for ``problem`` on the devices of the same names of ``other``; None where one that it uses is not there."""
    place = {device.name: i for i, device in enumerate(other.devices)}
    at = np.array([place.get(device.name, -1) for device in problem.devices], np.int32)[device_of]
    return None if (at < 0).any() else at


@dataclass(frozen=True, eq=False)
class Found:
    """What the search found for one count. ``sentence`` says why there is no plan."""

    count: int
    planner: str
    device_of: Ints | None
    bounds: tuple[Bound, ...]
    baseline: Ints | None
    seconds: float
    sentence: str = ""


@dataclass(frozen=True, eq=False)
class StageCount:
    """One count with its plan evaluated. ``evaluation`` and ``standing`` are None where there is no valid plan."""

    count: int
    problem: Problem | None
    found: Found
    evaluation: Evaluation | None
    standing: Standing | None
    baseline: Evaluation | None

    @property
    def proven(self) -> bool:
        """Whether every component of the objective is proven to be the best there is."""
        return self.standing is not None and self.standing.status == "optimal"

    @property
    def off_chip(self) -> float:
        """Bytes of parameters that do not fit into the caches."""
        return off_chip(self.evaluation) if self.evaluation is not None else float("nan")

    @property
    def throughput(self) -> float:
        """Inferences per second while samples follow one another."""
        return float("nan") if self.evaluation is None else throughput(self.evaluation)

    @property
    def latency(self) -> float:
        """Time from the first stage to the last for one sample."""
        return float("nan") if self.evaluation is None else latency(self.evaluation)


def throughput(evaluation: Evaluation) -> float:
    """Samples per unit of time: what the target says, else one per cost of the dearest stage."""
    slowest = float(evaluation.cost.max(initial=0.0))
    return evaluation.figures.get("throughput", 1.0 / slowest if slowest > 0 else float("nan"))


def latency(evaluation: Evaluation) -> float:
    """Time for one sample: what the target says, else the sum of all stages."""
    return evaluation.figures.get("latency", float(evaluation.cost.sum()))


def off_chip(evaluation: Evaluation) -> float:
    """Bytes of parameters beyond the caches, all stages together."""
    return float(evaluation.details["dram"].sum()) if "dram" in evaluation.details else 0.0


def one_on_chip(problem: Problem) -> Evaluation | None:
    """All ops on one stage whose cache holds all their parameters; None where it does not, where the problem has one stage or no caches."""
    if not has_stages(problem) or count_of(problem) < 2:
        return None
    one = with_count(problem.with_constraints(()), 1)
    evaluation = one.evaluate(np.zeros(one.graph.n, np.int32))
    fits = evaluation.valid and "dram" in evaluation.details and not off_chip(evaluation)
    return evaluation if fits else None


def evaluated(problem: Problem, found: Found) -> StageCount:
    """What was found for a count of ``problem``, evaluated by the target."""
    try:
        at = with_count(problem, found.count)
    except StageboardError:
        return StageCount(found.count, None, found, None, None, None)
    evaluation = None if found.device_of is None else at.evaluate(found.device_of)
    standing = None if evaluation is None else at.standing(evaluation.values, found.bounds)
    baseline = None if found.baseline is None else at.evaluate(found.baseline)
    return StageCount(found.count, at, found, evaluation, standing, baseline)


def find(problem: Problem, count: int, fewer: Found | None = None) -> Found:
    """Plan ``problem`` on ``count`` stages, chips or accelerators: a good planner's plan, or that of ``fewer`` of them where that is no worse;
    what is proven; and the baseline's plan."""
    began = time.perf_counter()
    try:
        at = with_count(problem, count)
        if (conflict := conflict_of(at)) is not None:
            return Found(
                count, "", None, known_at_once(at), None, time.perf_counter() - began, conflict.sentence
            )
        planner = _planner(at)
        limit = (
            SECONDS_SEVERAL if planner is not None and planner.name == PREFERRED[-1] else SECONDS_PER_COUNT
        )
        result = None if planner is None else run(planner, at, TimeLimit(limit))
        if result is None or (result.device_of is None and result.status != "infeasible"):
            result = find_plan(at, WallBudget(SECONDS_IN_NEED)).result
        planned_by, device_of = kept(problem, at, result.planner, result.device_of, fewer)
    except StageboardError as error:
        return Found(count, "", None, (), None, time.perf_counter() - began, str(error))
    sentence = ""
    if device_of is None:
        sentence = "no valid plan exists" if result.status == "infeasible" else "no valid plan was found"
    seconds = time.perf_counter() - began
    bounds = (*result.bounds, *known_at_once(at))
    return Found(count, planned_by, device_of, bounds, balanced(at), seconds, sentence)


def kept(
    problem: Problem, at: Problem, planner: str, device_of: Ints | None, fewer: Found | None
) -> tuple[str, Ints | None]:
    """The planner and the plan (int32[n]) of a count (``at``): what was found for it, or for ``fewer`` where that is valid here and no worse."""
    if fewer is None or fewer.device_of is None:
        return planner, device_of
    other = moved_to(with_count(problem, fewer.count), at, fewer.device_of)
    evaluation = None if other is None else at.evaluate(other)
    if evaluation is None or not evaluation.valid:
        return planner, device_of
    if device_of is not None and better(at.evaluate(device_of).values, evaluation.values):
        return planner, device_of
    return fewer.planner, other


def _planner(problem: Problem) -> Planner | None:
    """The exact planner of the memory objectives or of the time per inference, else several; None where none serves."""
    serving = (planners()[name] for name in PREFERRED if planners()[name].refusal(problem) is None)
    return next(serving, None)


def balanced(problem: Problem) -> Ints | None:
    """The plan of :data:`BASELINE` (int32[n]); None where it does not serve the problem or its plan is not valid."""
    planner = planners()[BASELINE]
    return None if planner.refusal(problem) is not None else run(planner, problem).device_of


def _serve(pipe: Connection) -> None:
    """The process's main: one problem after the other, a message per count, until the other end is closed."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(os, "nice"):
        os.nice(NICE)
    with contextlib.suppress(EOFError, OSError):
        while True:
            problem, counts = pipe.recv()
            known: dict[int, Found] = {}
            for count in counts:
                try:
                    fewer = max((c for c in known if c < count), default=None)
                    found = find(problem, count, None if fewer is None else known[fewer])
                    # A plan for as many is one for more, and those were planned before.
                    for better_one in improved(problem, found, known):
                        known[better_one.count] = better_one
                        pipe.send(better_one)
                except (
                    Exception
                ) as error:  # the last line of defence: whoever waits must hear of every failure
                    sentence = f"planning failed unexpectedly ({type(error).__name__}: {error})"
                    found = Found(count, "", None, (), None, 0.0, sentence)
                known[count] = found
                pipe.send(found)


def improved(problem: Problem, found: Found, known: Mapping[int, Found]) -> Iterator[Found]:
    """Those of ``known`` for more than was just ``found`` for, for which its plan is better than theirs."""
    for count in sorted(c for c in known if c > found.count):
        try:
            at, one = with_count(problem, count), known[count]
        except StageboardError:
            continue
        planner, device_of = kept(problem, at, one.planner, one.device_of, found)
        if device_of is None or device_of is one.device_of:
            continue
        if one.device_of is None or better(at.evaluate(device_of).values, at.evaluate(one.device_of).values):
            yield replace(one, planner=planner, device_of=device_of, sentence="")


class CountsWorker:
    """A spawned process that plans counts, one after the other. Not a Qt object: poll it from a timer."""

    def __init__(self, problem: Problem, counts: Sequence[int]) -> None:
        context = multiprocessing.get_context("spawn")
        self._connection, far = context.Pipe()
        self._process = context.Process(target=_serve, args=(far,), daemon=True)
        self._process.start()
        far.close()
        self.waiting = list(counts)
        """The counts that nothing was heard of yet, in the order in which they are planned."""

        # Made here, since pickling imports, and two threads that import beside a window may wait for each other.
        data = ForkingPickler.dumps((problem, tuple(counts)))

        # A few hundred kilobytes at most: they fit into the pipe of a process that is still starting only in part, so a
        # thread writes them.
        def send() -> None:
            with contextlib.suppress(OSError):
                self._connection.send_bytes(data)

        self._sender = threading.Thread(target=send, name="problem to a worker", daemon=True)
        self._sender.start()

    @property
    def finished(self) -> bool:
        """Whether nothing more will come."""
        return not self.waiting

    def poll(self) -> list[Found]:
        """What was found since; where the process is gone, a sentence for each count that is left."""
        news: list[Found] = []
        try:
            while self.waiting and self._connection.poll():
                found = self._connection.recv()
                if found.count in self.waiting:
                    self.waiting.remove(found.count)
                news.append(found)
        except (EOFError, OSError):
            news += [
                Found(count, "", None, (), None, 0.0, "the planner's process ended unexpectedly")
                for count in self.waiting
            ]
            self.waiting.clear()
        return news

    def close(self) -> None:
        """End the process now and free everything."""
        self.waiting.clear()
        if self._process.is_alive():
            self._process.terminate()
            self._process.join(1.0)
            if self._process.is_alive():
                self._process.kill()
        self._process.join()
        self._sender.join()
        self._connection.close()
        with contextlib.suppress(ValueError):  # somebody else saw it end
            self._process.close()
