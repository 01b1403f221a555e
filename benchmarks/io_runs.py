"""What the curves of the I/O paper are made of: counted orders and traced searches, each kept as a row of a CSV file at once."""

from __future__ import annotations

import csv
import time
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, fields
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from planner.generate.catalogue import generate_network
from planner.machines.catalogue import planner
from planner.machines.two_level_memory.orders.io_bounds import io_bounds
from planner.machines.two_level_memory.problem import NetworkProblem
from planner.machines.two_level_memory.target import TwoLevelMemory
from planner.model.graph import Ints
from planner.model.network import Network
from planner.search.run import run
from planner.search.search import Callbacks
from planner.search.stop import AnyOf, GapReached, Progress

FILE_ORDER, THEOREM_1 = "file", "theorem-1"
PAPER, OURS = "connection-reordering", "order-portfolio"
SEARCHES = (PAPER, OURS)
"""Methods that take as many seconds as they are given."""
FIRST = {FILE_ORDER: "as generated", THEOREM_1: "Theorem-1 order", PAPER: "the paper's reordering", OURS: "portfolio"}  # fmt: skip
"""How pictures name the methods."""

OPTIONS: dict[str, dict[str, Any]] = {PAPER: {"iterations": 10**9}, OURS: {"effort": 1e6}}
"""Options by method: searches go on until their time is up."""
SHORT: dict[str, dict[str, Any]] = {PAPER: {"iterations": 100}, OURS: {"effort": 0.001}}
"""Options of searches that go through all that is to be compiled, and end."""
OWN_ORDER = {PAPER: {"start": "given"}}
"""Further ones for Compact Growth, whose own order is what the paper's reordering begins with."""


@dataclass(frozen=True)
class Case:
    """One count: an order made by ``method`` in ``seconds`` of CPU time (0 = as long as it takes), of the network that ``kind`` and
    ``settings`` (``name=value`` with spaces between) make from ``seed``, on a memory of ``memory`` values."""

    kind: str
    settings: str
    seed: int
    memory: int
    policy: str
    method: str
    seconds: float = 0.0


@dataclass(frozen=True)
class Count:
    """What was counted: I/Os of the order, what the network cannot be run with fewer than, and the CPU seconds it took."""

    reads: int
    writes: int
    least: int
    cpu: float

    @property
    def ios(self) -> int:
        """Reads and writes."""
        return self.reads + self.writes


Steps = tuple[tuple[float, int], ...]
"""(CPU seconds, best I/Os) whenever a search found better, from the first order on."""


@lru_cache(maxsize=8)
def network_of_case(kind: str, settings: str, seed: int) -> Network:
    """The network of a case."""
    return generate_network(kind, dict(s.split("=", 1) for s in settings.split()), seed)


class CpuLimit:
    """Stop after so many seconds of this process's CPU time."""

    reason = "time"

    def __init__(self, limit: float) -> None:
        self._end = time.process_time() + limit

    def __call__(self, progress: Progress) -> bool:
        return time.process_time() >= self._end

    def left(self, progress: Progress) -> float:
        """Seconds until it fires."""
        return self._end - time.process_time()


class Steppings(Callbacks):
    """Keeps when a search found better."""

    def __init__(self) -> None:
        self._began = time.process_time()
        self.steps: list[tuple[float, int]] = []

    def on_best(self, device_of: Ints, objective: float, progress: Progress) -> None:
        self.steps.append((time.process_time() - self._began, int(objective)))


def problem_of_case(case: Case) -> NetworkProblem:
    """The problem that a case orders."""
    network = network_of_case(case.kind, case.settings, case.seed)
    return NetworkProblem(network, TwoLevelMemory(case.memory, case.policy))


def measured(case: Case) -> tuple[Count, Steps]:
    """Make the order and count its I/Os. What is compiled or loaded at first use is not counted."""
    warm(case.method, case.policy)
    problem = problem_of_case(case)
    steps = Steppings()
    began = time.process_time()
    order = ordered(problem, case, steps)
    spent = time.process_time() - began
    evaluation = problem.evaluate(order)
    if not evaluation.valid:
        raise AssertionError(f"{case}: {evaluation.violations[0].sentence}")
    least = io_bounds(problem.network).least
    return Count(evaluation.reads, evaluation.writes, least, round(spent, 3)), tuple(steps.steps)


def ordered(problem: NetworkProblem, case: Case, callbacks: Callbacks | None = None) -> Ints:
    """The order of a case. A search begins with the order of the file: what compact growth wrote down, for one, is a good one."""
    file_order = np.arange(problem.network.connection_count, dtype=np.int32)
    if case.method == FILE_ORDER:
        return file_order
    stop = AnyOf([GapReached(0.0), CpuLimit(case.seconds)]) if case.seconds else None
    # The bound is known beforehand: a search ends once it is met.
    bounds = [problem.bound("ios", float(io_bounds(problem.network).least), "theorem-1", frozenset())]
    starts = [] if problem.evaluator.violations(file_order) else [file_order]
    options = OPTIONS.get(case.method, {}) | (
        OWN_ORDER.get(case.method, {}) if case.kind == "compact-growth" else {}
    )
    found = run(planner(case.method), problem, stop, callbacks, case.seed, options, starts, bounds).order
    assert found is not None
    return found


@cache
def warm(method: str, policy: str) -> None:
    """Compile and load what a method needs."""
    if method != FILE_ORDER:
        network = network_of_case("mlp", "width=20 depth=2 density=0.2", 0)
        problem = NetworkProblem(network, TwoLevelMemory(10, policy))
        run(planner(method), problem, options=SHORT.get(method))


class Rows:
    """Counts by case. What is not in the files is run and appended at once, unless nothing may be run."""

    def __init__(self, folder: Path, only_print: bool = False) -> None:
        self._folder, self._only_print = folder, only_print
        self._counts: dict[Case, Count] = {}
        self._steps: dict[Case, Steps] = {}
        for row in _lines(folder / "counts.csv"):
            self._counts[_case(row)] = Count(*map(int, row[7:10]), float(row[10]))
        for row in _lines(folder / "searches.csv"):
            seconds, ios = map(float, row[7].split()), map(int, row[8].split())
            self._steps[_case(row)] = tuple(zip(seconds, ios, strict=True))

    def count(self, case: Case) -> Count | None:
        """The count of a case; None where it is missing and nothing may be run."""
        if case not in self._counts and not self._only_print:
            self._run(case)
        return self._counts.get(case)

    def steps(self, case: Case) -> Steps | None:
        """How the search of a case went; None where it is missing and nothing may be run."""
        if case not in self._steps and not self._only_print:
            self._run(case)
        return self._steps.get(case)

    def _run(self, case: Case) -> None:
        count, steps = measured(case)
        self._counts[case], self._steps[case] = count, steps
        keys = [f.name for f in fields(Case)]
        cells = list(map(str, astuple(case)))
        numbers = [count.reads, count.writes, count.least, count.cpu]
        head = [*keys, "reads", "writes", "lower_bound", "cpu_seconds"]
        self._append("counts.csv", head, [*cells, *map(str, numbers)])
        if case.method in SEARCHES:
            texts = [" ".join(f"{s:.3f}" for s, _ in steps), " ".join(str(ios) for _, ios in steps)]
            self._append("searches.csv", [*keys, "at", "ios"], [*cells, *texts])

    def _append(self, name: str, head: Sequence[str], cells: Sequence[str]) -> None:
        path = self._folder / name
        new = not path.exists()
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            if new:
                writer.writerow(head)
            writer.writerow(cells)


def _case(row: Sequence[str]) -> Case:
    kind, settings, seed, memory, policy, method, seconds = row[:7]
    return Case(kind, settings, int(seed), int(memory), policy, method, float(seconds))


def _lines(path: Path) -> Iterator[list[str]]:
    """The rows of a CSV file but for its head; none where there is no file."""
    if path.exists():
        csv.field_size_limit(2**30)
        with path.open(newline="", encoding="utf-8") as file:
            yield from list(csv.reader(file))[1:]
