"""Figures with their goals, printed as one table."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Figure:
    """One measured value. ``goal`` is the most it may be, None where none is set; ``note`` says what else was seen."""

    name: str
    value: float
    unit: str
    goal: float | None = None
    note: str = ""

    @property
    def met(self) -> bool | None:
        """Whether the goal is met; None where there is none."""
        return None if self.goal is None else self.value <= self.goal


@dataclass(frozen=True)
class Timing:
    """CPU and wall milliseconds of repeated work on this thread."""

    cpu: np.ndarray
    wall: np.ndarray

    @property
    def median(self) -> float:
        """Median CPU milliseconds."""
        return float(np.median(self.cpu))

    def figure(self, name: str, goal: float | None = None) -> Figure:
        """Median CPU milliseconds, with the worst and the wall time beside it."""
        note = f"worst {self.cpu.max():.1f}, wall {np.median(self.wall):.1f}"
        return Figure(name, self.median, "ms", goal, note)


def timed(work: Callable[[int], object], repeat: int, warm: int = 2) -> Timing:
    """CPU (of this thread) and wall time of ``work(i)``, the first ``warm`` calls left out."""
    for i in range(warm):
        work(i)
    cpu, wall = np.empty(repeat), np.empty(repeat)
    if repeat > 1:
        gc.collect()
    for i in range(repeat):
        c, w = time.thread_time(), time.perf_counter()
        work(warm + i)
        cpu[i], wall[i] = 1e3 * (time.thread_time() - c), 1e3 * (time.perf_counter() - w)
    return Timing(cpu, wall)


def table(title: str, figures: list[Figure]) -> str:
    """The figures under a heading, in aligned columns."""
    wide = max((len(f.name) for f in figures), default=0)
    lines = [title, "-" * len(title)]
    for f in figures:
        goal = "" if f.goal is None else f"<= {f.goal:g} {f.unit}"
        met = {None: "", True: "met", False: "NOT MET"}[f.met]
        lines.append(f"  {f.name:<{wide}}  {f.value:9.2f} {f.unit:<3}  {goal:<12} {met:<8} {f.note}".rstrip())
    return "\n".join(lines)
