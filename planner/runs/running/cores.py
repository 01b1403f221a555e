"""Which cores of the processor a stage runs on."""

from __future__ import annotations

import os
from collections.abc import Sequence

from planner.errors import StageboardError

MOST_CORES = 4096
CAN_PIN = hasattr(os, "sched_setaffinity")
"""Whether the system lets a process choose its cores; elsewhere it moves them about itself."""


def here() -> tuple[int, ...]:
    """The cores that this process may use, by number; where the system does not say, as many as there are."""
    if CAN_PIN:
        return tuple(sorted(os.sched_getaffinity(0)))
    return tuple(range(os.cpu_count() or 1))


def parse_cores(text: str) -> tuple[int, ...]:
    """``0,2,4-7`` as numbers of cores, in that order. Raises :class:`StageboardError`."""
    cores: list[int] = []
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        ends = (first, last) if dash else (first, first)
        if not all(end.isascii() and end.isdigit() and len(end) <= 4 for end in ends):
            raise StageboardError(f"'{text}' is no list of cores; write numbers and ranges such as 0,2,4-7")
        low, high = (int(end) for end in ends)
        if low > high or high >= MOST_CORES:
            raise StageboardError(
                f"'{part.strip()}' is no range of cores; write the smaller number first, below {MOST_CORES}"
            )
        cores += range(low, high + 1)
    if len(set(cores)) < len(cores):
        raise StageboardError(f"'{text}' names a core twice; name each once")
    return tuple(cores)


def check_cores(cores: Sequence[int]) -> None:
    """Raise :class:`StageboardError` for a core that this process may not use."""
    usable = here()
    foreign = [core for core in cores if core not in usable]
    if foreign:
        raise StageboardError(
            f"core {foreign[0]} is not among those that may be used here ({cores_text(usable)}); choose from these"
        )


def share_out(cores: Sequence[int], processes: int, threads: int) -> list[tuple[int, ...]]:
    """Cores of each of so many processes with so many threads each, in turn; where cores are too few they are shared."""
    return [
        tuple(dict.fromkeys(cores[(i * threads + j) % len(cores)] for j in range(threads)))
        for i in range(processes)
    ]


def pin(cores: Sequence[int]) -> None:
    """Keep this process on these cores, where the system lets it."""
    if CAN_PIN and cores:
        os.sched_setaffinity(0, cores)


def cores_text(cores: Sequence[int]) -> str:
    """Cores as :func:`parse_cores` reads them: ``0-3,6``."""
    runs: list[list[int]] = []
    for core in cores:
        if runs and core == runs[-1][1] + 1:
            runs[-1][1] = core
        else:
            runs.append([core, core])
    return ",".join(f"{a}" if a == b else f"{a}-{b}" for a, b in runs)
