"""The exact mixed-integer program of a pipeline and its superblock relaxations (MTPP, section 3)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from planner.graph import Ints
from planner.partition.mtpp_model import StageModel
from planner.solving.model import load_pulp
from planner.solving.scaling import scale_for

SHARPNESS = 1e-6
"""Solvers work with tolerances of 1e-6: bounds are lowered by that, relative, for each superblock and once more."""
MIDDLE = 100.0
"""The bottleneck is around this in the programs, whatever the unit of the problem, so that tolerances fit."""


@dataclass(frozen=True, eq=False)
class Program:
    """A ``pulp.LpProblem`` whose objective is the bottleneck over ``unit``, and how to read and write its solutions."""

    model: StageModel
    problem: Any
    count: int
    unit: float
    before: list[list[Any]]

    def proven(self, bound: float) -> float:
        """A solver's bound as one on the objective, without what its tolerances may have added.

        Where all numbers of the model are whole under some scale, so is the objective, and the bound is rounded up to it.
        """
        if not math.isfinite(bound):
            return bound
        model = self.model
        doubt = SHARPNESS * (1 + self.count) * abs(bound) * self.unit
        lowered = bound * self.unit - doubt
        if model.streams:
            return lowered
        scale = scale_for([model.work, model.time], bound * self.unit)
        if scale.exact and doubt * scale.factor < 0.5:
            return max(lowered, math.ceil(lowered * scale.factor) / scale.factor)
        return lowered

    def superblock_of(self, values: Mapping[str, float]) -> Ints:
        """The superblock of each unit in a solution (int32[m])."""
        place = np.full(self.model.count, self.count - 1, np.int32)
        for v, row in enumerate(self.before):
            for b in range(self.count - 2, -1, -1):
                y = row[b]
                if (y if isinstance(y, int) else values[y.name]) > 0.5:
                    place[v] = b
        return place

    def start(self, superblock_of: Ints) -> dict[str, float]:
        """A warm start from a superblock for each unit."""
        return {
            y.name: float(superblock_of[v] <= b)
            for v, row in enumerate(self.before)
            for b, y in enumerate(row)
            if not isinstance(y, int)
        }


def program(
    model: StageModel,
    sizes: Sequence[int],
    earliest: Ints,
    latest: Ints,
    *,
    counted: Callable[[int], bool] = lambda b: True,
    floor: tuple[int, float] | None = None,
    at_least: float = 0.0,
    check: Callable[[], None] = lambda: None,
) -> Program:
    """Superblocks of ``sizes`` stages each; each that is ``counted`` costs on average at most the bottleneck.

    With sizes of one it is the exact program (figure 3), with three superblocks the relaxations of sections 3.2 and 3.3.
    ``earliest`` and ``latest`` int32[m] are superblocks; ``floor`` (superblock, work) is constraint (14); ``at_least`` bounds the
    bottleneck. ``check`` is called now and then, and may raise to end the building. y says whether a unit is in a superblock or before it. The cut constraints are c >= |x_v - x_u| for each
    consumer v of u's tensor, which is at least as tight as (9) and (10). Overflow is a variable per superblock.
    """
    pulp = load_pulp()
    count = len(sizes)
    lp = pulp.LpProblem("mtpp", pulp.LpMinimize)
    # Costs in units of what the objective is about, streaming included; where all are zero any unit will do.
    shares = [float(model.work.sum()) / model.k, float(model.time.max(initial=0.0)), at_least]
    if model.streams:
        shares.append(max(0.0, float(model.params.sum()) - model.k * model.budget) / model.rate / model.k)
        shares.append(max(0.0, float(model.params.max()) - model.budget) / model.rate)
    unit = (max(shares) or 1.0) / MIDDLE
    work, time = model.work / unit, model.time / unit
    bottleneck = lp.add_variable("bottleneck", at_least / unit)
    lp += bottleneck
    before: list[list[Any]] = []
    for v in range(model.count):
        row: list[Any] = []
        for b in range(count):
            if b < earliest[v]:
                row.append(0)
            elif b >= latest[v]:
                row.append(1)
            else:
                row.append(lp.add_variable(f"y_{v}_{b}", 0, 1, pulp.LpBinary))
        before.append(row)
        for b in range(count - 1):
            _at_most(lp, [(row[b], 1.0), (row[b + 1], -1.0)], 0.0)

    def inside(v: int, b: int, factor: float) -> list[tuple[Any, float]]:
        return [(before[v][b], factor)] + ([(before[v][b - 1], -factor)] if b else [])

    for u, v in zip(model.src.tolist(), model.dst.tolist(), strict=True):
        check()
        for b in range(count - 1):
            _at_most(lp, [(before[v][b], 1.0), (before[u][b], -1.0)], 0.0)
    for b in range(count):
        if not counted(b):
            continue
        terms = [term for v in range(model.count) for term in inside(v, b, float(work[v]))]
        for t in range(len(model.time)):
            check()
            home = int(model.producer[t])
            members = [home, *model.members(t).tolist()]
            here = [v for v in members if earliest[v] <= b <= latest[v]]
            if not here or all(earliest[v] == latest[v] == b for v in members):
                continue
            cut = lp.add_variable(f"c_{t}_{b}", 0.0, 1.0)
            for v in members[1:]:
                _at_most(lp, [*inside(v, b, 1.0), *inside(home, b, -1.0), (cut, -1.0)], 0.0)
                _at_most(lp, [*inside(home, b, 1.0), *inside(v, b, -1.0), (cut, -1.0)], 0.0)
            terms.append((cut, float(time[t])))
        if model.streams:
            over = lp.add_variable(f"o_{b}", 0.0)
            stream = model.params / model.rate / unit
            held = [term for v in range(model.count) for term in inside(v, b, float(stream[v]))]
            _at_most(lp, [*held, (over, -1.0)], sizes[b] * model.budget / model.rate / unit)
            terms.append((over, 1.0))
        _at_most(lp, [*terms, (bottleneck, -float(sizes[b]))], 0.0)
    if floor is not None:
        b, least = floor
        _at_most(
            lp, [term for v in range(model.count) for term in inside(v, b, -float(work[v]))], -least / unit
        )
    return Program(model, lp, count, unit, before)


def _at_most(lp: Any, terms: Sequence[tuple[Any, float]], side: float) -> None:
    """Add sum(factor * variable) <= side; constants among the variables go to the other side."""
    summed: dict[Any, float] = {}
    for x, factor in terms:
        if isinstance(x, int):
            side -= x * factor
        else:
            summed[x] = summed.get(x, 0.0) + factor
    summed = {x: factor for x, factor in summed.items() if factor}
    if not summed:
        # Windows that contradict each other leave rows of constants: say so with a row no solution satisfies.
        if side < -1e-9:
            lp.addConstraint(_expression([(x, 0.0) for x in lp.variables()[:1]]) <= -1.0)
        return
    lp.addConstraint(_expression(list(summed.items())) <= side)


def _expression(items: list[tuple[Any, float]]) -> Any:
    return load_pulp().LpAffineExpression(items)
