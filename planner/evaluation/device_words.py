"""What tells a device of a machine from others of its kind, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planner.quantity import bytes_text

if TYPE_CHECKING:
    from planner.problem.problem import Problem


def device_traits(problem: Problem, memory: bool = True) -> tuple[str, ...]:
    """Speed, memory and whether its op times are measured, of each device ("0.5x · 16.0 MiB · measured"); empty where devices do not differ in it.

    Without ``memory`` where that stands beside anyway.
    """
    speeds, memories = problem.target.own_speeds(problem.graph), problem.target.own_memories(problem.graph)
    found = []
    for d in range(len(problem.devices)):
        words = [f"{speeds[d]:g}x"] if speeds else []
        words += (
            [bytes_text(memories[d]) if memories[d] < float("inf") else "no limit"]
            if memories and memory
            else []
        )
        words += ["measured"] if d in problem.measured_times else []
        found.append(" · ".join(words))
    return tuple(found)
