"""Times of several ways to do the same work, taken in turn, so that what else the machine does strikes all of them alike."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Timing:
    """Seconds of one call: ``wall`` and ``cpu`` (of all threads) are medians, ``least`` the least wall time; over ``calls``."""

    wall: float
    cpu: float
    least: float
    calls: int


PAUSE = 0.25
"""Seconds after which the threads of a library, which spin for a while in case of another call, are asleep: OpenMP's for 0.2 s."""


def in_turn(
    work: Mapping[str, Callable[[], object]], seconds: float, rounds: int = 7, pause: float = 0.0
) -> dict[str, Timing]:
    """Time each callable about ``seconds`` in all, in ``rounds`` rounds; within one, each is called again and again.

    Before each turn there is a ``pause`` (seconds), so that idle threads of another do not take the processor away.
    A round gives the least wall time and the mean CPU time of its calls, so that a call that was interrupted does not
    count; ``least`` is that of all rounds.
    """
    wall: dict[str, list[float]] = {name: [] for name in work}
    cpu: dict[str, list[float]] = {name: [] for name in work}
    calls = dict.fromkeys(work, 0)
    for call in work.values():
        call()
    for _ in range(rounds):
        for name, call in work.items():
            time.sleep(pause)
            call()  # what another left in the caches is not ours
            began, spent = time.perf_counter(), time.process_time()
            best, done = float("inf"), 0
            while done < 2 or time.perf_counter() - began < seconds / rounds:
                start = time.perf_counter()
                call()
                best = min(best, time.perf_counter() - start)
                done += 1
            wall[name].append(best)
            cpu[name].append((time.process_time() - spent) / done)
            calls[name] += done
    return {
        name: Timing(
            statistics.median(wall[name]), statistics.median(cpu[name]), min(wall[name]), calls[name]
        )
        for name in work
    }
