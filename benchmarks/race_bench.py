"""Races: time and processor time until a gap of 5 % is proven, against each planner alone; and good fields in turns against other ways to use the same time.

Every figure includes the start of the processes. A heuristic alone proves nothing: for it, the time counts until its plan was
within 5 % of the strongest bound of the race, which it cannot know.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.models import ROOT
from planner.formats import read_models
from planner.formats.networks.read import read_network
from planner.machines.spec import parse_target
from planner.machines.two_level_memory.problem import NetworkProblem, check_memory
from planner.problem.bound import Bound, gap
from planner.problem.problem import Problem
from planner.processes.forking import server_id
from planner.processes.start import end_server
from planner.runs.proving import known_at_once
from planner.runs.race import Entrant, Race, Standing, good_field
from planner.runs.warm_up import warm_bound, warm_planner

CORES = 2
GAP = 0.05
LIMIT = 15.0
BUDGETS = (10.0, 25.0)
"""Seconds of the races of good fields."""

CASES: tuple[tuple[str, str, str, tuple[str, ...]], ...] = (
    ("densenet201.json", "pipeline:8", "", ("anneal", "brkga", "mtpp-cp-sat", "two-superblock*")),
    ("bert_3.json", "pool:3+1,contiguous=false", "", ("local-search", "dpl", "max-load-ip", "simple*")),
    (
        "inception_resnet_v2.json",
        "edge-tpu:6",
        "stage-time",
        ("anneal", "local-search", "mtpp-cp-sat", "exact*"),
    ),
    ("densenet121.json", "mcm:16", "", ("chip-anneal", "chip-local-search", "chip-cp-sat", "simple*")),
    ("mlp_100.npz", "memory:60", "", ("locality", "connection-reordering", "order-portfolio", "theorem-1*")),
)
"""Model, target, objective and the four who race; an asterisk marks a bound method."""


class Run(NamedTuple):
    """A race that is over: seconds until it was decided, processor seconds of its processes, and itself."""

    seconds: float
    cpu: float
    race: Race


def problem_of(model: str, spec: str, objective: str) -> Any:
    """The problem of a case."""
    path = ROOT / "sample_models" / model
    if model.endswith(".npz"):
        network = read_network(path)
        return NetworkProblem(network, check_memory(network, parse_target(spec)), objective)
    graph = read_models([path])
    return Problem(graph, parse_target(spec, graph), objective)


def entrants_of(names: Sequence[str]) -> list[Entrant]:
    """Entrants by name, bound methods with an asterisk."""
    return [Entrant(name.rstrip("*"), is_bound=name.endswith("*"), seed=1) for name in names]


def raced(
    problem: Any, entrants: Sequence[Entrant], known: Sequence[Bound], gap: float, limit: float, cores: int
) -> Run:
    """Run a race to its end."""
    # Its processes are the server's, which knows their time once they have ended: each race has one of its own.
    end_server()
    race = Race(problem, entrants, cores, gap, limit, bounds=known)
    race.start()
    try:
        while not race.ended:
            race.poll(0.05)
    finally:
        race.close()
        time.sleep(0.3)  # so long it may take the server to see that its processes have ended
        cpu = server_seconds()
        end_server()
    return Run(race.seconds, cpu, race)


def server_seconds() -> float:
    """Processor time of the server and of all its processes that have ended; NaN where the system does not tell."""
    try:
        stat = Path(f"/proc/{server_id()}/stat").read_text()
    except OSError:
        return math.nan
    # The name, in parentheses, may hold anything; own and children's user and system times are fields 14 to 17.
    return sum(int(ticks) for ticks in stat.rpartition(")")[2].split()[11:15]) / os.sysconf("SC_CLK_TCK")


def within(standing: Standing, bound: Bound | None) -> float | None:
    """When an entrant's own plan was within :data:`GAP` of a bound."""
    if bound is None:
        return None
    return next((t for t, value in standing.history if (gap(value, bound.value) or 0.0) <= GAP), None)


def to_gap(run: Run) -> str:
    """Seconds until the gap was proven; "never" where all ended without."""
    if run.race.outcome in ("gap", "proven"):
        return f"{run.seconds:.1f} s"
    return f"> {LIMIT:.0f} s" if run.race.outcome == "time" else "never"


def compare(problem: Any, names: Sequence[str]) -> None:
    """Print one race against each of its entrants alone."""
    known = known_at_once(problem)
    together = raced(problem, entrants_of(names), known, GAP, LIMIT, CORES)
    race = together.race
    left = "" if race.gap is None else f", gap {100 * race.gap:.1f} %"
    print(f"  race                     {to_gap(together):>8}   {together.cpu:6.1f} s   {race.outcome}{left}")
    for entrant in entrants_of(names):
        alone = raced(problem, [entrant], known, GAP, LIMIT, 1)
        near = within(alone.race.standings[0], race.bound)
        reached = "" if near is None else f"within 5 % of the race's bound after {near:.1f} s"
        print(f"  {entrant.method:22} {to_gap(alone):>10}   {alone.cpu:6.1f} s   {reached}", flush=True)


def share(problem: Any) -> None:
    """Print what a good field finds in turns, against its best one alone and all of them one after the other.

    A race of ``limit`` seconds has ``CORES`` processors. The best one alone has one of them for as long; one after the other,
    all share the processors' time and nothing else. (Of a run alone, what it had found by then counts.)
    """
    known = known_at_once(problem)
    for limit in BUDGETS:
        race = raced(problem, good_field(problem, 1, CORES, limit), known, 0.0, limit, CORES).race
        first = race.history_best[0][0] if race.history_best else math.nan
        _say(
            f"race of {limit:.0f} s",
            None if race.best is None else race.best.components[0],
            race.gap,
            race.seconds,
        )
        print(f"    {len(race.standings)} entrants, a first plan after {first:.1f} s", flush=True)
    runs = alone(problem, good_field(problem, 1), known)
    for limit in BUDGETS:
        best = min(runs, key=lambda run: (_value(run, limit) or math.inf, -(_bound(run, limit) or 0.0)))
        _say(
            f"{best.name} alone, {limit:.0f} s", *_at(problem, [best], known, limit), min(limit, best.active)
        )
        each = limit * CORES / len(runs)
        _say(f"all in a row, {each:.1f} s each", *_at(problem, runs, known, each), limit)


def alone(problem: Any, field: Sequence[Entrant], known: Sequence[Bound]) -> list[Standing]:
    """Every entrant by itself on one core for the longest of :data:`BUDGETS`, as many at a time as there are cores."""
    waiting, running, ended = list(field), list[Race](), list[Standing]()
    while waiting or running:
        while waiting and len(running) < CORES:
            running.append(Race(problem, [waiting.pop(0)], 1, 0.0, max(BUDGETS), bounds=known))
            running[-1].start()
        for race in list(running):
            race.poll(0.02)
            if race.ended:
                race.close()
                running.remove(race)
                ended += race.standings
    return ended


def _value(standing: Standing, seconds: float) -> float | None:
    return next((value for t, value in reversed(standing.history) if t <= seconds), None)


def _bound(standing: Standing, seconds: float) -> float | None:
    return next((value for t, value in reversed(standing.bound_history) if t <= seconds), None)


def _at(
    problem: Any, standings: Sequence[Standing], known: Sequence[Bound], seconds: float
) -> tuple[float | None, float | None]:
    """The best value of some runs after so many seconds each, and its gap to the strongest of their bounds."""
    values = [value for s in standings if (value := _value(s, seconds)) is not None]
    strongest = problem.strongest_bound(tuple(known))
    bounds = [strongest.value] if strongest is not None else []
    bounds += [bound for s in standings if (bound := _bound(s, seconds)) is not None]
    return min(values, default=None), gap(min(values), max(bounds)) if values and bounds else None


def _say(name: str, value: float | None, left: float | None, seconds: float) -> None:
    value_text = "no plan" if value is None else f"{value:.6g}"
    gap_text = "" if left is None else f"gap {100 * left:.2f} %"
    print(f"  {name:34} {value_text:>12}   {gap_text:14} {seconds:5.1f} s", flush=True)


def main(argv: Sequence[str] = ()) -> int:
    """Print both tables. Returns 0."""
    from planner.machines.catalogue import bound_method, planner

    problems = []
    for model, spec, objective, names in CASES:
        problem = problem_of(model, spec, objective)
        problems.append((f"{model} on {spec} {objective}".rstrip(), problem, names))
        for entrant in (*entrants_of(names), *good_field(problem)):
            if entrant.is_bound:
                warm_bound(bound_method(entrant.method), problem)
            else:
                warm_planner(planner(entrant.method), problem)
    print(f"To a gap of 5 %, {CORES} cores: wall time, processor time")
    for title, problem, names in problems:
        print(title, flush=True)
        compare(problem, names)
    print(f"\nA good field on {CORES} cores")
    for title, problem, _ in problems:
        print(title, flush=True)
        share(problem)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
