"""The exact mixed-integer program of a pipeline and its superblock relaxations (MTPP, section 3)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from planner.machines.pipeline.exact.model import StageModel
from planner.methods.mip.model import Arrays, Rows, unchecked
from planner.methods.mip.scaling import scale_for
from planner.model.graph import Ints

SHARPNESS = 1e-6
"""Solvers work with tolerances of 1e-6: bounds are lowered by that, relative, for each superblock and once more."""
MIDDLE = 100.0
"""The bottleneck is around this in the programs, whatever the unit of the problem, so that tolerances fit."""


NEVER, ALWAYS = -1, -2
"""Instead of a column of y: the constants 0 and 1."""
BOTTLENECK = 0
"""The column that is minimised."""


@dataclass(frozen=True, eq=False)
class Program:
    """Arrays whose objective is the bottleneck over ``unit``, and how to read and write their solutions.

    ``before`` int32[m, count - 1]: the column that says whether a unit is in a superblock or before it, or a constant.
    """

    model: StageModel
    problem: Arrays
    count: int
    unit: float
    before: Ints

    def proven(self, bound: float) -> float:
        """A solver's bound as one on the objective, without what its tolerances may have added.

        Where all numbers of the model are whole under some scale, so is the objective, and the bound is rounded up to it.
        """
        if not math.isfinite(bound):
            return bound
        model = self.model
        doubt = SHARPNESS * (1 + self.count) * abs(bound) * self.unit
        lowered = bound * self.unit - doubt
        if model.some_stream:
            return lowered
        scale = scale_for([model.stage_work.reshape(-1), model.time, model.send_time], bound * self.unit)
        if scale.exact and doubt * scale.factor < 0.5:
            return max(lowered, math.ceil(lowered * scale.factor) / scale.factor)
        return lowered

    def superblock_of(self, values: Mapping[str, float]) -> Ints:
        """The superblock of each unit in a solution (int32[m])."""
        x = np.array([values[name] for name in self.problem.names] + [1.0, 0.0])
        return np.asarray(np.count_nonzero(x[self.before] <= 0.5, axis=1), np.int32)

    def start(self, superblock_of: Ints) -> dict[str, float]:
        """A warm start, the value of each named variable, from the superblock of each unit (int32[m])."""
        units, blocks = np.nonzero(self.before >= 0)
        values = (superblock_of[units] <= blocks).astype(float)
        names = self.problem.names
        columns = self.before[units, blocks]
        return {names[c]: value for c, value in zip(columns.tolist(), values.tolist(), strict=True)}


def program(
    model: StageModel,
    sizes: Sequence[int],
    earliest: Ints,
    latest: Ints,
    *,
    counted: Callable[[int], bool] = lambda b: True,
    floor: tuple[int, float] | None = None,
    at_least: float = 0.0,
    stages: bool = False,
    check: Callable[[], None] = unchecked,
) -> Program:
    """Superblocks of ``sizes`` stages each; each that is ``counted`` costs on average at most the bottleneck.

    With sizes of one it is the exact program (figure 3), with three superblocks the relaxations of sections 3.2 and 3.3.
    Superblocks that are the ``stages`` themselves have the costs of each, and keep the path rule where there is one; others those of the fastest stage with the most memory.
    ``earliest`` and ``latest`` int32[m] are superblocks; ``floor`` (superblock, work) is constraint (14); ``at_least`` bounds the
    bottleneck. ``check`` is called every few milliseconds, and may raise to end the building. y says whether a unit is in
    a superblock or before it. The cut constraints are c >= |x_v - x_u| for each consumer v of u's tensor, which is at
    least as tight as (9) and (10); where receiving a tensor takes another time than sending it, it has a variable
    for each, c >= x_v - x_u and c >= x_u - x_v. Overflow is a variable per superblock.
    """
    count = len(sizes)
    rows = Rows(check)
    unit = _unit(model, at_least)
    works = model.stage_work if stages else np.broadcast_to(model.work, (count, model.count))
    budgets = model.budgets if stages else np.full(count, model.budget)
    works, time, send_time = works / unit, (model.time / unit).tolist(), (model.send_time / unit).tolist()
    rows.column("bottleneck", at_least / unit, cost=1.0)
    first, last = earliest.tolist(), latest.tolist()
    before = _placements(rows, first, last, count)

    def inside(v: int, b: int, factor: float) -> list[tuple[int, float]]:
        return [(before[v][b], factor)] + ([(before[v][b - 1], -factor)] if b else [])

    _edges(rows, model, before, count, stages)
    for b in range(count):
        check()
        if not counted(b):
            continue
        terms = [term for v in range(model.count) for term in inside(v, b, float(works[b, v]))]
        received: Terms = []
        sent: Terms = []
        for t in range(len(model.time)):
            home = int(model.producer[t])
            members = [home, *model.members(t).tolist()]
            if not any(first[v] <= b <= last[v] for v in members) or all(
                first[v] == last[v] == b for v in members
            ):
                continue
            # Who is inside while somebody else is not: a consumer, and then b receives, or the producer.
            enters = [(v, home) for v in members[1:] if first[v] <= b <= last[v]]
            leaves = [(home, v) for v in members[1:]] if first[home] <= b <= last[home] else []
            cuts = [("c", time[t], enters + leaves)]
            if time[t] != send_time[t] or not model.summed:
                cuts = [("r", time[t], enters), ("s", send_time[t], leaves)]
            for name, price, ends in cuts:
                if not price or not ends:
                    continue
                cut = rows.column(f"{name}_{t}_{b}", 0.0, 1.0)
                for v, w in ends:
                    _at_most(rows, [*inside(v, b, 1.0), *inside(w, b, -1.0), (cut, -1.0)], 0.0)
                (sent if name == "s" else received).append((cut, price))
        if model.some_stream if stages else model.streams:
            over = rows.column(f"o_{b}")
            stream = model.params / model.rate / unit
            held = [term for v in range(model.count) for term in inside(v, b, float(stream[v]))]
            _at_most(rows, [*held, (over, -1.0)], sizes[b] * float(budgets[b]) / model.rate / unit)
            terms.append((over, 1.0))
        for part in _side_by_side(model, terms, received, sent):
            _at_most(rows, [*part, (BOTTLENECK, -float(sizes[b]))], 0.0)
    if floor is not None:
        b, least = floor
        _at_most(
            rows,
            [term for v in range(model.count) for term in inside(v, b, -float(works[b, v]))],
            -least / unit,
        )
    columns = np.array(before, np.int32).reshape(model.count, count)[:, : count - 1]
    return Program(model, rows.arrays(), count, unit, columns)


def _unit(model: StageModel, at_least: float) -> float:
    """What costs are divided by: they are in units of what the objective is about, streaming included.

    Where all are zero any unit will do.
    """
    dearest = max(float(model.time.max(initial=0.0)), float(model.send_time.max(initial=0.0)))
    shares = [float(model.work.sum()) / model.k, dearest, at_least]
    if model.streams:
        shares.append(max(0.0, float(model.params.sum()) - model.k * model.budget) / model.rate / model.k)
        shares.append(max(0.0, float(model.params.max()) - model.budget) / model.rate)
    return (max(shares) or 1.0) / MIDDLE


def _placements(rows: Rows, first: Sequence[int], last: Sequence[int], count: int) -> list[list[int]]:
    """The column of y of each unit for each superblock, or a constant; rows keep y from falling."""
    before: list[list[int]] = []
    for v in range(len(first)):
        row = [
            NEVER
            if b < first[v]
            else ALWAYS
            if b >= last[v]
            else rows.column(f"y_{v}_{b}", 0.0, 1.0, integer=True)
            for b in range(count)
        ]
        before.append(row)
        for b in range(count - 1):
            _at_most(rows, [(row[b], 1.0), (row[b + 1], -1.0)], 0.0)
    return before


def _edges(rows: Rows, model: StageModel, before: list[list[int]], count: int, stages: bool) -> None:
    """The order rule, and the path rule where superblocks are the stages."""
    for u, v in zip(model.src.tolist(), model.dst.tolist(), strict=True):
        for b in range(count - 1):
            _at_most(rows, [(before[v][b], 1.0), (before[u][b], -1.0)], 0.0)
    for u, v in zip(model.near_src.tolist(), model.near_dst.tolist(), strict=True) if stages else ():
        for b in range(count - 1):
            _at_most(rows, [(before[u][b], 1.0), (before[v][b + 1], -1.0)], 0.0)


Terms = list[tuple[int, float]]
"""Columns with their factors."""


def _side_by_side(model: StageModel, busy: Terms, received: Terms, sent: Terms) -> list[Terms]:
    """The sums none of which may exceed the bottleneck: all costs of a superblock as one, or what runs at the same time apart."""
    if model.summed:
        return [[*busy, *received, *sent]]
    return [busy, received, sent] if model.duplex else [busy, [*received, *sent]]


def _at_most(rows: Rows, terms: Iterable[tuple[int, float]], side: float) -> None:
    """Add sum(factor * column) <= side; constants among the columns go to the other side."""
    summed: dict[int, float] = {}
    for column, factor in terms:
        if column == ALWAYS:
            side -= factor
        elif column != NEVER:
            summed[column] = summed.get(column, 0.0) + factor
    found = [(column, factor) for column, factor in summed.items() if factor]
    if found:
        rows.row(found, side)
    elif side < -1e-9:
        # Windows that contradict each other leave rows of constants: say so with a row no solution satisfies.
        rows.row([(BOTTLENECK, 1.0)], -1.0)
