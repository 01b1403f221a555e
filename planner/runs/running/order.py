"""What is to be run: a plan, the files of its models, and how."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from planner.errors import StageboardError
from planner.model.cost_model import fill
from planner.model.graph import Ints
from planner.problem.problem import Plan, Problem
from planner.problem.provenance import Provenance
from planner.runs.measuring.timed import MOST_THREADS, RUNNABLE, WARM_UP
from planner.runs.running.cores import check_cores

BY_HAND = Provenance("")
MOST_SAMPLES = 1_000_000
MOST_WARM_UP = 10_000

Progress = Callable[[int, int], None]
"""Told how many samples are done, and of how many."""


class RunFailed(StageboardError):
    """A run ended before it was done: a stage's process is gone, or a stage cannot be run."""


@dataclass(frozen=True, eq=False)
class Split:
    """A plan to be run: an assignment (int32[n]) of a problem."""

    problem: Problem
    device_of: Ints
    name: str = ""
    """What tables call it."""
    provenance: Provenance = BY_HAND
    notes: tuple[str, ...] = ()
    """What of the plan's machine the cores that it runs on do not have."""

    @property
    def plan(self) -> Plan:
        """The same, evaluated."""
        return self.problem.plan(self.device_of, self.provenance)


def split_of(plan: Plan, name: str) -> Split:
    """A plan to be run on cores that are all alike (:func:`on_equal_cores`), which is noted where its devices are not."""
    problem, notes = plan.problem, []
    speed = getattr(problem.target, "speed", 1.0)
    if speed != 1.0:
        said = "/".join(f"{one:g}" for one in speed) if isinstance(speed, tuple) else f"{speed:g}"
        notes.append(
            f"speed{'s' if isinstance(speed, tuple) else ''} {said} {'are those' if isinstance(speed, tuple) else 'is that'} of the plan's machine,"
            " not of these cores; predicted is what devices of speed 1 take"
        )
    if problem.graph.device_times:
        devices = ", ".join(device for device, _ in problem.graph.device_times)
        notes.append(
            f"times of single devices ({devices}) are those of the plan's machine, not of these cores; predicted is without them"
        )
    return Split(on_equal_cores(problem), plan.decision.device_of, name, plan.provenance, tuple(notes))


def on_equal_cores(problem: Problem) -> Problem:
    """The problem where all devices are as fast as one another: of speed 1, and without times of single devices."""
    target, graph = problem.target, problem.graph
    if getattr(target, "speed", 1.0) != 1.0:
        target = replace(target, speed=1.0)  # type: ignore[type-var,call-arg]
    if graph.device_times:
        graph = fill(graph.with_device_times({}), graph.cost_model)
    return (
        problem
        if target is problem.target and graph is problem.graph
        else replace(problem, target=target, graph=graph)
    )


@dataclass(frozen=True, eq=False)
class RunOrder:
    """What to run: a plan of the models in ``sources`` (files, in the plan's order), on which cores, how often.

    ``samples`` 0: as many as some seconds allow. ``cores`` empty: all that may be used. ``inputs``: a file of arrays (.npz) in place
    of made-up ones. ``provider``: what onnxruntime runs ops on where it can. ``against``: further plans of the same models that run in turn with it;
    ``copies``: whether as many whole models as there are cores do so, too. Raises :class:`StageboardError`.
    """

    split: Split
    sources: tuple[Path, ...]
    samples: int = 0
    warm_up: int = WARM_UP
    cores: tuple[int, ...] = ()
    threads: int = 1
    seed: int = 0
    inputs: str = ""
    provider: str = ""
    against: tuple[Split, ...] = ()
    copies: bool = False

    def __post_init__(self) -> None:
        for number, least, most, what in (
            (self.samples, 0, MOST_SAMPLES, "samples"),
            (self.warm_up, 1, MOST_WARM_UP, "samples to warm up"),
            (self.threads, 1, MOST_THREADS, "threads for a stage"),
        ):
            if not least <= number <= most:
                raise StageboardError(f"{number:,} {what} cannot be had; from {least} to {most:,} will do")
        if self.samples == 1:
            raise StageboardError("a single sample says nothing of a pipeline; run at least 2")
        check_cores(self.cores)
        kinds = {source.suffix.lower() for source in self.sources}
        foreign = sorted(kinds - set(RUNNABLE))
        if foreign:
            named = next(source.name for source in self.sources if source.suffix.lower() == foreign[0])
            raise StageboardError(
                f"{named} cannot be run here; plan an ONNX or a TFLite model and run that plan"
            )
        if len(kinds) > 1:
            raise StageboardError(
                "models of several formats do not run together; plan and run each by itself"
            )
        if self.inputs and len(self.sources) > 1:
            raise StageboardError(
                "arrays from a file are for one model; run a plan of one, or leave them out"
            )
        if self.provider and ".onnx" not in kinds:
            raise StageboardError(
                "execution providers are onnxruntime's; a TFLite model runs on the CPU, leave the provider out"
            )
