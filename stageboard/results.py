"""What verbs hand back beside models and plans: progress of a search, a bound, what a plan took when it was run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from planner.quantity import amount_text
from planner.runs.planning import Best
from planner.search import stop
from planner.text_table import percent, table


class Progress(NamedTuple):
    """How far a search is: seconds since it began, the objective of the best plan and the strongest bound so far (None without one), the gap
    between them, the share that is done where somebody knows, and what the planner says of itself."""

    seconds: float
    objective: float | None
    bound: float | None
    gap: float | None
    fraction: float | None = None
    text: str = ""


OnProgress = Callable[[Progress], object]
"""Told at every better plan and bound, and some ten times a second between."""


class Watch(Best):
    """Keeps what a search finds, and passes on how far it is."""

    def __init__(self, on_progress: OnProgress | None = None) -> None:
        super().__init__()
        self._on_progress = on_progress

    def told(self, text: str, progress: stop.Progress, fraction: float | None = None) -> None:
        """As the base class."""
        super().told(text, progress)
        if self._on_progress is not None:
            said = (progress.seconds, progress.objective, progress.bound, progress.gap)
            self._on_progress(Progress(*said, fraction, text))


@dataclass(frozen=True)
class Bound:
    """What is proven of every valid plan: the objective is at least ``value`` (None: nothing was proven, infinite: there is no valid plan).

    ``status``: ``proven``, ``infeasible`` or ``no_bound``. ``assumes``: the rules and constraints that the proof used.
    """

    component: str
    value: float | None
    unit: str | None
    method: str
    status: str
    stop_reason: str
    seconds: float
    assumes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """One line."""
        return f"<Bound: {self}>"

    def __str__(self) -> str:
        """One line."""
        if self.status == "infeasible":
            return f"no valid plan exists, proven by {self.method}"
        if self.value is None:
            return f"{self.component}: nothing was proven by {self.method}"
        return f"{self.component} at least {amount_text(self.value, self.unit)}, proven by {self.method}"


class StageRun(NamedTuple):
    """A stage that was run: seconds per sample that it was busy, copied tensors and waited, and those that were predicted."""

    name: str
    busy: float
    transfer: float
    wait: float
    predicted: float


@dataclass(frozen=True, eq=False)
class Run:
    """A plan, run for real. Throughputs are samples per second; those of a network's order are of all its samples together.

    ``outputs_equal``: whether what comes out is what the whole model gives.
    """

    samples: int
    throughput: float
    throughput_unsplit: float
    predicted_throughput: float | None
    outputs_equal: bool
    largest_difference: float
    stages: tuple[StageRun, ...] = ()
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """One line."""
        same = "outputs equal" if self.outputs_equal else "OUTPUTS DIFFER"
        return f"<Run: {self.throughput:,.4g} samples per second, {self.throughput_unsplit:,.4g} unsplit, {same}>"

    def __str__(self) -> str:
        """The figures, and a table of the stages."""
        lines = [
            f"throughput {self.throughput:,.4g} samples per second over {self.samples} samples",
            f"unsplit    {self.throughput_unsplit:,.4g} samples per second",
        ]
        if self.predicted_throughput is not None:
            off = percent(abs(self.throughput / self.predicted_throughput - 1))
            lines.append(f"predicted  {self.predicted_throughput:,.4g} samples per second, {off} off")
        lines.append(
            f"outputs    {'equal the whole model' if self.outputs_equal else 'DIFFER from the whole model'}"
        )
        if self.stages:
            rows = [[one.name, *(amount_text(value, "s") for value in one[1:])] for one in self.stages]
            lines += ["", table(["stage", "busy", "transfer", "wait", "predicted"], rows)]
        return "\n".join(lines)
