"""The max-load and GPipe integer program over units (device placement, section 5.1.3, figure 6), as plain linear rows.

Binary ``x[u, d]`` says that unit u is on device d. For each tensor and each device that pays transfers, ``any`` says whether some
unit that touches the tensor (its producer or a consumer) is there, ``all`` whether all of them are; what the device pays
for the tensor is ``any - all`` of its time: receive = any - home, send = home - all, where home is the producer's x. The paper's
CommIn and CommOut are these two differences, summed over an op's consumers; per tensor one pair serves both. ``any``
and ``all`` need not be integer.

Contiguity is exact as :class:`planner.machines.pool.target.DevicePool` has it: binary order variables per pair of devices
and part, and no edge of the part may go back in that order. Figure 6's own constraints (16) say only that each device alone
is contiguous (Definition 3.1), which admits devices that wait for each other; that would be a relaxation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from planner.evaluation import kernels
from planner.methods.mip.model import ROWS_PER_CHECK, unchecked
from planner.methods.units import Units
from planner.model.graph import Ints
from planner.problem.problem import Problem

Terms = dict[int, float]
"""Coefficients by column."""


@dataclass
class Row:
    """``sum(terms) <= side``. ``kind``: ``logic`` (whole numbers), ``cost`` or ``memory`` (measured numbers)."""

    terms: Terms
    side: float
    kind: str = "logic"


@dataclass
class Program:
    """Columns and rows. Column 0 and, for gpipe, column 1 are the maxima whose sum is minimised; the others lie in [0, 1].

    ``x`` int32[m, k] is the column of each unit on each device (-1 = not allowed), ``any_of`` and ``all_of`` the columns by
    (tensor, device), ``before`` those of the order variables by (part, device, device).
    """

    units: Units
    maxima: int
    x: Ints
    count: int
    any_of: dict[tuple[int, int], int] = field(default_factory=dict)
    all_of: dict[tuple[int, int], int] = field(default_factory=dict)
    forward_of: dict[tuple[int, int], int] = field(default_factory=dict)
    before: dict[tuple[int, int, int], int] = field(default_factory=dict)
    whole: set[int] = field(default_factory=set)
    rows: list[Row] = field(default_factory=list)
    exactly: list[list[int]] = field(default_factory=list)
    """Sets of columns of which exactly one is 1."""
    check: Callable[[], None] = unchecked
    """Called every few milliseconds while the program is made; may raise to end that."""

    @property
    def capped(self) -> bool:
        """Whether a memory cap is among the rows; one that no device can reach is not."""
        return any(row.kind == "memory" for row in self.rows)

    def column(self, *, whole: bool = False) -> int:
        """A new column in [0, 1]."""
        self.count += 1
        if whole:
            self.whole.add(self.count - 1)
        return self.count - 1

    def add(self, terms: Mapping[int, float], side: float, kind: str = "logic") -> None:
        """A row ``sum(terms) <= side``."""
        self.rows.append(Row(dict(terms), side, kind))
        if len(self.rows) % ROWS_PER_CHECK == 0:
            self.check()


def interchangeable(problem: Problem, units: Units) -> list[list[int]]:
    """Devices by kind: those of one list may be exchanged for each other in any plan."""
    e = problem.evaluator
    kinds: dict[tuple[Any, ...], list[int]] = {}
    for d in range(e.k):
        key = (int(e.class_of[d]), bool(e.pays[d]), float(e.capacity[d]), units.allowed[:, d].tobytes())
        kinds.setdefault(key, []).append(d)
    return list(kinds.values())


def canonical(problem: Problem, units: Units, place: Ints, order: Ints | None) -> Ints:
    """``place`` (int32[m]) with interchangeable devices exchanged as the program's symmetry breaking wants them.

    With ``order`` (int32[m], all units) the devices of a kind are numbered by their first unit in it; without, by
    the forward order of a contiguous plan.
    """
    if order is None:
        rank = device_order(problem, place[units.unit_of])
    else:
        rank = np.full(problem.evaluator.k, units.count, np.int64)
        for position, u in enumerate(order.tolist()):
            rank[place[u]] = min(rank[place[u]], position)
    rename = np.arange(problem.evaluator.k, dtype=np.int32)
    for kind in interchangeable(problem, units):
        for new, old in zip(kind, sorted(kind, key=lambda d: (rank[d], d)), strict=True):
            rename[old] = new
    return rename[place]


def device_order(problem: Problem, device_of: Ints, part: int = 0) -> np.ndarray:
    """Position of each device in an order that no edge of the part goes back in (int64[k]); the plan is contiguous."""
    e = problem.evaluator
    quotient = kernels.quotient_counts(device_of, e.part, e.edge_src, e.edge_dst, e.k)[part] > 0
    rank = np.zeros(e.k, np.int64)
    left = list(range(e.k))
    for position in range(e.k):
        free = [d for d in left if not quotient[left, d].any()] or left
        rank[free[0]] = position
        left.remove(free[0])
    return rank


def symmetry_order(units: Units) -> Ints:
    """Units in the order by which interchangeable devices are numbered: most work first (int32[m])."""
    return np.argsort(-units.work[0].sum(axis=1), kind="stable").astype(np.int32)


def build(problem: Problem, units: Units, check: Callable[[], None] = unchecked) -> Program:
    """The program of a problem over ``units``, which every valid plan must keep together; see :attr:`Program.check`."""
    e = problem.evaluator
    gpipe = e.objective_code != kernels.MAX_COST
    maxima = 2 if gpipe else 1
    m, k = units.count, e.k
    x = np.full((m, k), -1, np.int32)
    columns = np.argwhere(units.allowed)
    x[columns[:, 0], columns[:, 1]] = maxima + np.arange(len(columns), dtype=np.int32)
    program = Program(
        units,
        maxima,
        x,
        maxima + len(columns),
        whole=set(range(maxima, maxima + len(columns))),
        check=check,
    )
    program.exactly = [[int(c) for c in row if c >= 0] for row in x]
    _transfers(program, np.flatnonzero(e.pays).tolist(), gpipe)
    parts: tuple[int | None, ...] = (0, 1) if gpipe else (None,)
    for d in range(k):
        for part in parts:
            _load(program, problem, d, part)
    codes = {rule.code for rule in e.rules}
    if kernels.RULE_MEMORY in codes:
        for d in np.flatnonzero(np.isfinite(e.capacity)).tolist():
            terms = {
                int(x[u, d]): float(units.memory[u]) for u in range(m) if x[u, d] >= 0 and units.memory[u] > 0
            }
            if sum(terms.values()) > e.capacity[d]:
                program.add(terms, float(e.capacity[d]) * (1 + 1e-9), "memory")
    kinds = interchangeable(problem, units)
    if kernels.RULE_CONTIGUOUS in codes:
        _contiguity(program, problem, kinds)
    else:
        _number_devices(program, symmetry_order(units), kinds)
    return program


# ---------------------------------------------------------------------- transfers and loads
def touching(units: Units) -> list[list[int]]:
    """For each tensor the entries (indices into the CSR of ``units``) of the units that touch it."""
    found: list[list[int]] = [[] for _ in range(len(units.tensor_time))]
    for entry, t in enumerate(units.entry_tensor.tolist()):
        found[t].append(entry)
    return found


def _transfers(program: Program, paying: list[int], gpipe: bool) -> None:
    units, x = program.units, program.x
    unit_of_entry = np.repeat(np.arange(units.count), np.diff(units.entry_ptr)).tolist()
    for t, entries in enumerate(touching(units)):
        touched = [unit_of_entry[entry] for entry in entries]
        forward = [unit_of_entry[i] for i in entries if units.entry_forward[i] > 0]
        backward = any(units.entry_backward[i] > 0 for i in entries)
        home = int(units.tensor_producer[t])
        for d in paying:
            here = [int(x[u, d]) for u in touched if x[u, d] >= 0]
            if not here:
                continue
            some = program.column()
            program.any_of[t, d] = some
            for c in here:
                program.add({c: 1.0, some: -1.0}, 0.0)
            if len(here) == len(touched):
                every = program.column()
                program.all_of[t, d] = every
                for c in here:
                    program.add({every: 1.0, c: -1.0}, 0.0)
            if gpipe and forward and backward:
                # Which part receives must be exact: else the cheaper maximum would take the cost.
                first = program.column(whole=True)
                program.forward_of[t, d] = first
                at_home = {} if x[home, d] < 0 else {int(x[home, d]): 1.0}
                consumers = [int(x[u, d]) for u in forward if u != home and x[u, d] >= 0]
                for c in consumers:
                    program.add({c: 1.0, first: -1.0, **dict.fromkeys(at_home, -1.0)}, 0.0)
                program.add({first: 1.0, **at_home}, 1.0)
                program.add({first: 1.0, **dict.fromkeys(consumers, -1.0)}, 0.0)


def _load(program: Program, problem: Problem, d: int, part: int | None) -> None:
    """Rows that keep one device's cost (of one part) below its maximum."""
    e, units, x = problem.evaluator, program.units, program.x
    work = units.work[e.class_of[d]]
    amount = work.sum(axis=1) if part is None else work[:, part]
    busy = {int(x[u, d]): float(amount[u]) for u in range(units.count) if x[u, d] >= 0 and amount[u] > 0}
    receive: Terms = {}
    send: Terms = {}
    for t in range(len(units.tensor_time)):
        if t % ROWS_PER_CHECK == 0:
            program.check()
        if (t, d) not in program.any_of:
            continue
        time = float(units.tensor_time[t])
        some, every = program.any_of[t, d], program.all_of.get((t, d))
        home = int(x[units.tensor_producer[t], d])
        first = program.forward_of.get((t, d))
        if part is None:
            _receive(receive, time, some, home)
        elif first is not None:
            _put(receive, first, time if part == 0 else -time)
            if part == 1:
                _receive(receive, time, some, home)
        elif _received_in(units, t) == part:
            _receive(receive, time, some, home)
        if home >= 0 and (part is None or units.tensor_part[t] == part):
            _put(send, home, time)
            if every is not None:
                _put(send, every, -time)
    total = {part or 0: -1.0}
    if e.communication == kernels.SUM:
        program.add(_sum(busy, receive, send, total), 0.0, "cost")
        return
    program.add(_sum(busy, total), 0.0, "cost")
    if e.communication == kernels.OVERLAP:
        program.add(_sum(receive, send, total), 0.0, "cost")
    else:
        program.add(_sum(receive, total), 0.0, "cost")
        program.add(_sum(send, total), 0.0, "cost")


def _received_in(units: Units, t: int) -> int:
    """The part that receives a tensor whose consumers are all of one part."""
    here = units.entry_tensor == t
    return 0 if bool((units.entry_forward[here] > 0).any()) else 1


def _receive(terms: Terms, time: float, some: int, home: int) -> None:
    _put(terms, some, time)
    if home >= 0:
        _put(terms, home, -time)


def _put(terms: Terms, column: int, value: float) -> None:
    terms[column] = terms.get(column, 0.0) + value


def _sum(*parts: Mapping[int, float]) -> Terms:
    out: Terms = {}
    for terms in parts:
        for column, value in terms.items():
            _put(out, column, value)
    return {column: value for column, value in out.items() if value != 0.0}


# ---------------------------------------------------------------------- symmetry and order
def _number_devices(program: Program, order: Ints, kinds: Iterable[list[int]]) -> None:
    """The first units of ``order`` choose among the first devices of a kind only: any plan can be renamed so."""
    for kind in kinds:
        for position, u in enumerate(order[: len(kind) - 1].tolist()):
            for d in kind[position + 1 :]:
                if program.x[u, d] >= 0:
                    program.add({int(program.x[u, d]): 1.0}, 0.0)


def _contiguity(program: Program, problem: Problem, kinds: list[list[int]]) -> None:
    e, units, x = problem.evaluator, program.units, program.x
    k = e.k
    src, dst = units.unit_of[e.edge_src], units.unit_of[e.edge_dst]
    for part in (0, 1):
        chosen = (e.part[e.edge_src] == part) & (e.part[e.edge_dst] == part) & (src != dst)
        pairs = sorted(set(zip(src[chosen].tolist(), dst[chosen].tolist(), strict=True)))
        if not pairs:
            continue
        for a in range(k):
            for b in range(a + 1, k):
                program.before[part, a, b] = program.column(whole=True)
        if part == 0 or not bool((e.part == 0).any()):
            # Devices of a kind stand in the order of their numbers: any plan can be renamed so.
            for kind in kinds:
                for a, b in pairwise(kind):
                    program.add({program.before[part, a, b]: -1.0}, -1.0)
        for a in range(k):
            for b in range(k):
                for c in range(k):
                    if a < b and a < c and b != c:
                        # Not a before b before c before a.
                        _at_most(
                            program, [_before(program, part, p, q) for p, q in ((a, b), (b, c), (c, a))], 2.0
                        )
        for u, v in pairs:
            for a in range(k):
                for b in range(k):
                    if a != b and x[u, a] >= 0 and x[v, b] >= 0:
                        column, sign = _before(program, part, a, b)
                        # x[u, a] + x[v, b] - 1 <= before(a, b)
                        terms = {int(x[u, a]): 1.0, int(x[v, b]): 1.0, column: -1.0 if sign else 1.0}
                        program.add(terms, 1.0 if sign else 2.0)


def _before(program: Program, part: int, a: int, b: int) -> tuple[int, bool]:
    """The column that says that a is before b, and False where it says the opposite."""
    return (program.before[part, a, b], True) if a < b else (program.before[part, b, a], False)


def _at_most(program: Program, literals: list[tuple[int, bool]], side: float) -> None:
    terms: Terms = {}
    for column, sign in literals:
        _put(terms, column, 1.0 if sign else -1.0)
        side -= 0.0 if sign else 1.0
    program.add(terms, side)


# ---------------------------------------------------------------------- values of a placement
def values_of(program: Program, problem: Problem, place: Ints) -> np.ndarray:
    """All columns at a placement of the units (float64[count]), the maxima rounded up a little; for warm starts."""
    units, x = program.units, program.x
    values = np.zeros(program.count)
    values[x[np.arange(units.count), place]] = 1.0
    unit_of_entry = np.repeat(np.arange(units.count), np.diff(units.entry_ptr))
    entries = touching(units)
    for i, ((t, d), column) in enumerate(program.any_of.items()):
        if i % ROWS_PER_CHECK == 0:
            program.check()
        there = place[unit_of_entry[entries[t]]] == d
        values[column] = float(there.any())
        if (t, d) in program.all_of:
            values[program.all_of[t, d]] = float(there.all())
        if (t, d) in program.forward_of:
            takes = units.entry_forward[entries[t]] > 0
            away = place[units.tensor_producer[t]] != d
            values[program.forward_of[t, d]] = float(away and bool((there & takes).any()))
    if program.before:
        for part in (0, 1):
            rank = device_order(problem, place[units.unit_of], part)
            for (p, a, b), column in program.before.items():
                if p == part:
                    values[column] = float(rank[a] < rank[b])
    for column in range(program.maxima):
        loads = [
            sum(c * values[i] for i, c in row.terms.items() if i >= program.maxima)
            for row in program.rows
            if row.kind == "cost" and column in row.terms
        ]
        values[column] = max(loads, default=0.0)
    return values
