"""What a device's memory holds in words: one writing of one figure, on the canvas and in panels."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gui.look.numbers import Column, amount_column, byte_column, cache_column, pushed_text
from planner.model.graph import Floats
from planner.problem.decision import Evaluation
from planner.problem.problem import Problem
from planner.quantity import bytes_text


class Held(NamedTuple):
    """Bytes that the devices of a plan hold, can hold without streaming, and can hold at all (float64[k] each), and how the figure that
    the objective is about is written beside them."""

    memory: Floats
    budget: Floats
    capacity: Floats
    beside: Column | None = None

    def column(self, device: int) -> Column:
        """As what is on chip and off is written where there is a cache; in its own unit beside a limit, else in that of all devices."""
        used, budget = float(self.memory[device]), float(self.budget[device])
        if np.isfinite(budget) and budget > 0:
            return cache_column(used, budget, self.beside)
        return byte_column([used] if np.isfinite(self.capacity[device]) else self.memory.tolist())

    def text(self, device: int) -> str:
        """``11.66 MiB``."""
        return self.column(device).text(float(self.memory[device]))

    def limit(self, device: int) -> str:
        """What a device can hold: of a cache what is not streamed; empty where nothing limits it."""
        most = min(float(self.budget[device]), float(self.capacity[device]))
        return bytes_text(most) if np.isfinite(most) and most > 0 else ""

    def share(self, device: int) -> str:
        """``11.66 MiB of 8.00 MiB``, the amount alone where nothing limits it."""
        limit = self.limit(device)
        return f"{self.text(device)} of {limit}" if limit else self.text(device)

    def need(self, device: int, needs: float) -> str:
        """What activations need of a device's cache, in the unit of the cache, as :func:`~gui.look.numbers.cache_text` has it."""
        return byte_column([float(self.memory[device]), float(self.budget[device])]).text(needs)

    def around(self, device: int, pushed: float, needs: float) -> list[tuple[str, str]]:
        """What is where around a device's cache (name, amount) beside what activations have ``pushed`` out of it and what they need:
        what stays on chip and what is off chip in one unit, so that they can be compared."""
        used, cache, text = float(self.memory[device]), float(self.budget[device]), self.column(device).text
        return [
            ("On chip", text(max(0.0, min(used, cache) - pushed))),
            ("Off chip", text(max(0.0, used - cache))),
            *([("Pushed out by activations", text(pushed))] if pushed > 0 else []),
            *([("Activations need", self.need(device, needs))] if needs > 0 else []),
        ]


def held_of(problem: Problem, evaluation: Evaluation) -> Held:
    """What the devices of a plan hold."""
    e, in_bytes = problem.evaluator, problem.unit(problem.components[0]) == "B"
    beside = amount_column(evaluation.pace.tolist(), "B") if in_bytes else None
    return Held(evaluation.memory, e.budget, e.capacity, beside)


def cache_used(problem: Problem, evaluation: Evaluation) -> Floats:
    """Bytes that the devices of a plan want of their memory (float64[k]), by which one of them is the fullest: what activations need of a
    cache counts, too, unless the objective counts bytes of parameters alone."""
    needs = None if problem.unit(problem.components[0]) == "B" else evaluation.details.get("scratch")
    return evaluation.memory if needs is None else evaluation.memory + needs


def off_chip(evaluation: Evaluation) -> tuple[float, float]:
    """Bytes of parameters of all devices that fit no cache, and those that activations push out; 0 where a target has or counts none."""
    off, pushed = (float(evaluation.details.get(name, np.zeros(1)).sum()) for name in ("dram", "pushed"))
    return off, pushed


def pushed_beside(evaluation: Evaluation, component: str) -> str:
    """What stands beside the figure of a ``component``: beside the parameters that fit no cache those that activations push out of one,
    ``2.97 MiB pushed out``; empty where that is nothing."""
    return pushed_text(off_chip(evaluation)[1]) if component == "dram" else ""
