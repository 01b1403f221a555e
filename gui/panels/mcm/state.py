"""What the package view shows, as plain values: one state per chip, the links between them, the rule that is pointed at."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np

from gui.canvas.graph.consequence import Consequence, consequences, refusals
from gui.look.numbers import Column, time_column
from planner.model.graph import Bools, Floats, Ints
from planner.quantity import bytes_text

if TYPE_CHECKING:
    from gui.document.plan.preview import Preview
    from planner.machines.mcm.evaluator import McmEvaluator
    from planner.problem.decision import Evaluation, Violation
    from planner.problem.problem import Problem

TRIANGLE = "triangle"
"""The kind of the violations that have a direct and an indirect path."""

MOST_OVER = 1.3
"""How much of a memory bar is drawn at most, in memories of a chip: one chip too full must not hide the others."""


@dataclass(frozen=True)
class ChipState:
    """One chip: what it pays (times), holds and sends on (bytes).

    ``link`` goes over the link to the next chip; ``through`` enters over one link and leaves over the other untouched.
    """

    title: str
    ops: int
    receive: float
    work: float
    send: float
    cost: float
    parameters: float
    activations: float
    link: float
    through: float
    bottleneck: bool = False
    broken: bool = False
    selected: bool = False
    preview: Consequence | None = None
    """What a drop here would give, while ops are dragged."""
    target: bool = False
    """Whether they are over this chip."""

    @property
    def memory(self) -> float:
        """Parameters and the peak of activations, in bytes."""
        return self.parameters + self.activations


@dataclass(frozen=True)
class RulePath:
    """A broken triangle: the chips of the ``direct`` dependency, and those of the ``indirect`` path between the two."""

    direct: tuple[int, int]
    indirect: tuple[int, ...]


class Scale(NamedTuple):
    """What packages that are compared have in common: the ``time`` of a whole load bar, the ``memory`` of a whole memory bar and
    what the thickest ``link`` carries (bytes). Zeros ask for nothing."""

    time: float = 0.0
    memory: float = 0.0
    link: float = 0.0


OWN = Scale()
"""Every package on its own."""


@dataclass(frozen=True)
class Package:
    """All chips in the order of the chain; ``sram`` bytes each has; ``limited``: whether a rule keeps to that."""

    chips: tuple[ChipState, ...] = ()
    sram: float = math.inf
    limited: bool = True
    unit: str | None = None
    path: RulePath | None = None
    scale: Scale = OWN

    @property
    def full(self) -> float:
        """The bytes that the whole width of a memory bar stands for: bars that are much too long are cut."""
        most = max((chip.memory for chip in self.chips), default=0.0)
        if not math.isfinite(self.sram) or self.sram <= 0:
            return max(most, self.scale.memory) or 1.0
        return max(min(most, MOST_OVER * self.sram), self.sram, self.scale.memory)

    @property
    def slowest(self) -> float:
        """The time of the slowest chips."""
        return max((chip.cost for chip in self.chips), default=0.0)

    @property
    def longest(self) -> float:
        """The time that the whole width of a load bar stands for."""
        return max(self.slowest, self.scale.time)

    @property
    def hottest(self) -> float:
        """The most bytes on one link, which the thickest link stands for."""
        return max([chip.link for chip in self.chips] + [self.scale.link])

    # ------------------------------------------------------------------ in words, bytes as on the canvas
    @cached_property
    def _times(self) -> Column:
        """How times are written."""
        return time_column([self.longest], self.unit)

    def time_text(self, value: float) -> str:
        """A time, in the unit and with the digits of the slowest chip's, of all packages that are compared: as lists of devices have it."""
        column = self._times
        return column.level(value) if value or not column.suffix else f"0 {column.suffix}"

    def held_text(self, value: float) -> str:
        """What a chip holds, as plates and cards have it."""
        return bytes_text(value)

    def link_text(self, value: float) -> str:
        """What a link carries, as lanes and ribbons have it."""
        return bytes_text(value)

    def overfull(self, chip: int) -> bool:
        """Whether a chip holds more than it has room for; a rounding error of 1e-9 is not more."""
        return self.chips[chip].memory > self.sram * (1 + 1e-9)

    def cut(self, chip: int) -> bool:
        """Whether the memory bar of a chip is drawn shorter than what it stands for."""
        return self.chips[chip].memory > self.full * (1 + 1e-9)

    @property
    def used(self) -> int:
        """How many chips there are up to the last that has an op."""
        return max((chip + 1 for chip, state in enumerate(self.chips) if state.ops), default=0)


def common_scale(packages: Iterable[Package]) -> Scale:
    """The scale on which all bars and links of some packages can be compared."""
    found = OWN
    for package in packages:
        time = package.longest if math.isfinite(package.longest) else 0.0
        found = Scale(
            max(found.time, time), max(found.memory, package.full), max(found.link, package.hottest)
        )
    return found


def is_package(problem: Problem | None) -> bool:
    """Whether the target is a multi-chip module."""
    return problem is not None and problem.target.kind == "mcm"


def mcm_evaluator(problem: Problem) -> McmEvaluator:
    """The evaluator of a problem whose target is a multi-chip module."""
    return cast("McmEvaluator", problem.evaluator)


def through_bytes(evaluator: McmEvaluator, device_of: Ints) -> Floats:
    """Bytes that pass through each chip on their way to a later one (float64[k]), each tensor once.

    A tensor for several chips travels once, to the farthest; on a chip of those it passes that reads it, it
    goes through as well.
    """
    home = device_of[evaluator.tensor_producer].astype(np.int64)
    far = home.copy()
    tensor = np.repeat(np.arange(len(home)), np.diff(evaluator.consumer_ptr))
    np.maximum.at(far, tensor, device_of[evaluator.consumer_idx])
    far = np.where(evaluator.copied[evaluator.tensor_producer], home, far)
    change = np.zeros(evaluator.k + 1)
    goes = far > home + 1
    np.add.at(change, home[goes] + 1, evaluator.size[goes])
    np.add.at(change, far[goes], -evaluator.size[goes])
    return np.maximum(np.cumsum(change)[:-1], 0.0)


def rule_path(violation: Violation | None) -> RulePath | None:
    """The paths of a broken triangle; None for any other violation."""
    if violation is None or violation.kind != TRIANGLE or len(violation.devices) < 3:
        return None
    chips = violation.devices
    return RulePath((chips[0], chips[-1]), chips)


def slowest_of(costs: Floats) -> Bools:
    """Which chips are slowest (bool[k]) of those with these ``costs`` (float64[k]): all that take as long but for rounding errors."""
    slowest: Bools = costs >= costs.max(initial=0.0) * (1.0 - 1e-9)
    return slowest


def package_of(
    problem: Problem,
    device_of: Ints,
    evaluation: Evaluation,
    *,
    selection: Ints | None = None,
    preview: Preview | None = None,
    pointed: Violation | None = None,
) -> Package:
    """Everything from the evaluation of a plan for a multi-chip module; ``pointed``: the violation that is looked at."""
    details, evaluator = evaluation.details, mcm_evaluator(problem)
    parameters, activations, link = details["parameters"], details["activations"], details["link"]
    through = through_bytes(evaluator, device_of)
    broken = {d for violation in evaluation.violations for d in violation.devices}
    chosen = set() if selection is None else set(np.unique(device_of[selection]).tolist())
    paced = float(evaluation.cost.max(initial=0.0)) > 0
    worst = slowest_of(evaluation.cost) if paced else np.zeros(len(evaluation.cost), bool)
    said = None
    if preview is not None:
        said = consequences(preview, refusals(preview))
    chips = tuple(
        ChipState(
            title=device.title, ops=int(evaluation.ops[d]), receive=float(evaluation.receive[d]),
            work=float(evaluation.work[d]), send=float(evaluation.send[d]), cost=float(evaluation.cost[d]),
            parameters=float(parameters[d]), activations=float(activations[d]), link=float(link[d]),
            through=float(through[d]), bottleneck=bool(worst[d]), broken=d in broken, selected=d in chosen,
            preview=None if said is None else said[d],
            target=preview is not None and d == preview.target,
        )
        for d, device in enumerate(problem.devices)
    )  # fmt: skip
    target = evaluator.target
    return Package(chips, target.sram, target.check_memory, problem.graph.time_unit, rule_path(pointed))
