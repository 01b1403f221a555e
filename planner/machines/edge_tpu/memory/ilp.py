"""SDC + ILP for Edge TPU pipelines: one component minimised at a time, those before it held at their least values.

y_uk says that unit u is on stage k or before it, so that a dependency is a difference constraint, y_vk <= y_uk (Edge TPU paper,
equation 1), and with y_uk <= y_u,k+1 the matrix of all of them is totally unimodular. m_k follows equation 5. DRAM is
d_k >= m_k - cache and d_k >= 0, which needs no binary variables where it is minimised or bounded (equation 8). A tensor t
enters stage k when z_tk >= [c on k] - [producer of t on k] for some consumer c: as no consumer is before its producer,
this is the logical and of equations 10 to 13, counted once per tensor and stage.
"""

from __future__ import annotations

import gc
import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from planner.machines.edge_tpu.memory.chains import Step
from planner.machines.edge_tpu.memory.report import Report
from planner.machines.edge_tpu.memory.units import EdgeTpuUnits, Whole
from planner.machines.edge_tpu.target import COMMUNICATION, DRAM, MEMORY
from planner.methods.mip import mip
from planner.methods.mip.loading import load
from planner.methods.mip.model import load_pulp
from planner.methods.mip.outcome import Outcome
from planner.model.graph import Ints
from planner.search.search import Search

DOUBT = 1e-6
"""The solver's dual bounds are lowered by this share before they are rounded."""
UNITS_PER_CHECK = 64
TERMS_PER_ROW = 500
MOST_REFUSED = 100
"""Plans that are within the limits for the solver but not in truth, until the proof is given up."""
MOST_CLOSED = 4000
"""Units of which it is looked up what must come before and after each: 16 MB."""
ROWS_PER_PRODUCT = 256
MOST_ROWS = 300_000
"""Rows of a program: 1.3 kB each while it is made, and as much again in the solver. More take gigabytes and lead nowhere."""
SOLVER_BITS = 32
"""Of sums in the program's numbers: where the entries of a row differ by more, the solver may take small ones for zero."""


def solve_program(report: Report, threads: int) -> None:
    """Prove the components that are open yet, as far as the solver gets. Raises :class:`planner.search.search.Stopped`."""
    report.coarsen(SOLVER_BITS)
    with uncollected():
        for component in report.open:
            report.adopt()
            if not _minimise(report, component, threads):
                return


@contextmanager
def uncollected() -> Iterator[None]:
    """No garbage is collected meanwhile: to go through a large program's objects takes tenths of a second in one go."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            # As old objects they are not gone through as soon as collecting is on again.
            gc.freeze()
            gc.unfreeze()
            gc.enable()


def _minimise(report: Report, component: str, threads: int) -> bool:
    """Ask for a plan with less of ``component`` again and again; that there is none is the proof. Whether it was found."""
    tpus = report.tpus
    place = tpus.components.index(component)
    low = tpus.simple_bound(component)
    refused: list[Ints] = []
    if rows_of(tpus, {*report.least, component}) > MOST_ROWS:
        return False
    while len(refused) <= MOST_REFUSED:
        assert report.plan is not None
        known = report.key(report.plan)
        high = known[place] - tpus.step(component)
        if high < low:
            report.take(Step(component, known[place], report.plan, final=True))
            return True
        program = Program(tpus, component, low, high, report.least, refused, report.search)
        outcome, last = _ask(report, program, threads)
        if outcome.status == "infeasible":
            low = high + 1
        elif outcome.status == "optimal":
            low = max(low, program.proven(outcome.bound))
            if report.key(report.plan) >= known:
                if last is None:
                    break
                # Its variables were whole up to a tolerance only: once they are, the plan is not good enough.
                refused.append(last)
        else:
            break
    return False


def rows_of(tpus: EdgeTpuUnits, components: Collection[str]) -> int:
    """About how many rows a program has that speaks of these components."""
    arcs = tpus.count + len(tpus.units.src)
    return tpus.stages * (arcs + (len(tpus.consumer_idx) if COMMUNICATION in components else 0))


def _ask(report: Report, program: Program, threads: int) -> tuple[Outcome, Ints | None]:
    """Run the solver, reporting what it finds; how it ended, and the last plan that it spoke of (int32[m])."""
    search, tpus = report.search, report.tpus
    place = tpus.components.index(program.component)
    last: Ints | None = None

    def on_solution(values: Mapping[str, float]) -> None:
        nonlocal last
        search.iteration()
        last = program.stage_of(values)
        if tpus.keeps(last):
            report.offer(last)

    def on_bound(value: float) -> None:
        if math.isfinite(value) and report.plan is not None:
            bound = min(program.proven(value), report.key(report.plan)[place])
            report.take(Step(program.component, bound))

    search.progress(None, f"{program.component}: solving the program")
    outcome = mip.solve(
        program.problem, search, solver="highs", on_solution=on_solution, on_bound=on_bound, threads=threads
    )
    search.check()
    return outcome, last


class Program:
    """The program for plans whose ``component`` is from ``low`` to ``high``, with at most ``least`` of others.

    None is one of those ``refused`` (int32[m] each).

    ``problem`` is a ``pulp.LpProblem`` over multiples of :meth:`EdgeTpuUnits.unit`. Raises :class:`planner.search.search.Stopped` while it is made.
    """

    def __init__(
        self,
        tpus: EdgeTpuUnits,
        component: str,
        low: int,
        high: int,
        least: Mapping[str, int],
        refused: Iterable[Ints],
        search: Search,
    ) -> None:
        self.component = component
        self._tpus, self._search, self._low = tpus, search, low
        self._pulp: Any = load(load_pulp, search.check)
        self.problem = self._pulp.LpProblem(component.replace("-", "_"), self._pulp.LpMinimize)
        most = {**least, component: high}
        # Half a step more lets no other plan in, and no plan has to meet a limit exactly.
        half = tpus.step(component) / 2
        self._goal = self._column(
            "goal", (low - half) / tpus.unit(component), (high + half) / tpus.unit(component)
        )
        self._most: dict[str, Any] = {
            name: (value + tpus.step(name) / 2) / tpus.unit(name) for name, value in least.items()
        }
        self._most[component] = self._goal
        self.problem += self._pulp.LpAffineExpression(self._goal)
        self._placing(*narrowed(tpus, most.get(MEMORY), search))
        held = self._parameters()
        if DRAM in most:
            self._overflow(held)
        if COMMUNICATION in most:
            self._entering()
        for stage_of in refused:
            self._refuse(stage_of)

    def proven(self, bound: float) -> int:
        """A dual bound of the program as one on the component, without what the solver's tolerances may have added."""
        lowered = bound - DOUBT * max(1.0, abs(bound))
        unit = self._tpus.unit(self.component)
        # DRAM need not be a multiple of its unit: the cache is none.
        whole = math.floor(lowered * unit) if self.component == DRAM else math.ceil(lowered) * unit
        return max(whole, self._low)

    def stage_of(self, values: Mapping[str, float]) -> Ints:
        """The stage of each unit (int32[m]) in a solution; what is in no row may be anywhere."""
        stage = np.zeros(self._tpus.count, np.int32)
        for u, row in enumerate(self._before):
            for y in row:
                stage[u] += (y if isinstance(y, int) else values.get(y.name, 1.0)) <= 0.5
        return stage

    # ------------------------------------------------------------------ rows
    def _column(self, name: str, low: float | None, high: float | None, *, whole: bool = False) -> Any:
        kind = self._pulp.LpInteger if whole else self._pulp.LpContinuous
        return self.problem.add_variable(name, low, high, kind)

    def _at_most(self, terms: Iterable[tuple[Any, float]], side: Any) -> None:
        """A row sum(factor * column) <= side; numbers among the columns and a column as the side are allowed."""
        summed: dict[Any, float] = {}
        right = 0.0
        for column, factor in [*terms, (side, -1.0)]:
            if isinstance(column, (int, float)):
                right -= column * factor
            else:
                summed[column] = summed.get(column, 0.0) + factor
        rows = [(column, factor) for column, factor in summed.items() if factor]
        if not rows and right >= 0:
            return
        # A row of numbers alone that does not hold: no solution does.
        expression = self._pulp.LpAffineExpression(rows or [(self._goal, 0.0)])
        self.problem += self._pulp.LpConstraint(expression, self._pulp.LpConstraintLE, rhs=right)

    def _summed(
        self, name: str, terms: list[tuple[Any, float]], *, exactly: bool = False
    ) -> list[tuple[Any, float]]:
        """A long sum as one of partial sums (at least these, or exactly), as long rows take long to make."""
        while len(terms) > TERMS_PER_ROW:
            parts: list[tuple[Any, float]] = []
            for i in range(0, len(terms), TERMS_PER_ROW):
                some = terms[i : i + TERMS_PER_ROW]
                part = self._column(f"{name}_{len(terms)}_{i}", None, None)
                self._at_most(some, part)
                if exactly:
                    self._at_most([(column, -factor) for column, factor in some] + [(part, 1.0)], 0)
                parts.append((part, 1.0))
                self._search.check()
            terms = parts
        return terms

    def _placing(self, first: Ints, last: Ints) -> None:
        """y and the difference constraints; where windows say so, y is a number."""
        tpus = self._tpus
        self._before: list[list[Any]] = []
        for u in range(tpus.count):
            self._before.append(
                [
                    0 if k < first[u] else 1 if k >= last[u] else self._column(f"y_{u}_{k}", 0, 1, whole=True)
                    for k in range(tpus.stages - 1)
                ]
            )
            for k in range(tpus.stages - 2):
                self._at_most([(self._before[u][k], 1.0)], self._before[u][k + 1])
            if u % UNITS_PER_CHECK == 0:
                self._search.check()
        for i, (u, v) in enumerate(zip(tpus.units.src.tolist(), tpus.units.dst.tolist(), strict=True)):
            for k in range(tpus.stages - 1):
                self._at_most([(self._before[v][k], 1.0)], self._before[u][k])
            if i % UNITS_PER_CHECK == 0:
                self._search.check()

    def _on(self, u: int, k: int, factor: float) -> list[tuple[Any, float]]:
        """factor * [u is on stage k]."""
        row = self._before[u]
        terms: list[tuple[Any, float]] = [(row[k] if k < len(row) else 1, factor)]
        return terms + ([(row[k - 1], -factor)] if k else [])

    def _parameters(self) -> list[list[tuple[Any, float]]]:
        """m_k as differences of p_k, the parameters on stage k or before; their limit, if there is one."""
        tpus = self._tpus
        upto: list[Any] = []
        for k in range(tpus.stages - 1):
            total = self._column(f"p_{k}", 0, tpus.total // tpus.weight_step)
            weights = (tpus.weight // tpus.weight_step).tolist()
            terms = [(self._before[u][k], float(w)) for u, w in enumerate(weights) if w]
            terms = self._summed(f"q_{k}", terms, exactly=True)
            self._at_most(terms, total)
            self._at_most([(y, -w) for y, w in terms] + [(total, 1.0)], 0)
            upto.append(total)
        upto.append(tpus.total // tpus.weight_step)
        held = [[(upto[k], 1.0)] + ([(upto[k - 1], -1.0)] if k else []) for k in range(tpus.stages)]
        if MEMORY in self._most:
            for terms in held:
                self._at_most(terms, self._most[MEMORY])
        return held

    def _overflow(self, held: list[list[tuple[Any, float]]]) -> None:
        columns = [self._column(f"d_{k}", 0, None) for k in range(self._tpus.stages)]
        for d, terms in zip(columns, held, strict=True):
            self._at_most([*terms, (d, -1.0)], self._tpus.cache / self._tpus.weight_step)
        self._at_most([(d, 1.0) for d in columns], self._most[DRAM])

    def _entering(self) -> None:
        tpus = self._tpus
        ptr, idx = tpus.consumer_ptr.tolist(), tpus.consumer_idx.tolist()
        producer, size = tpus.producer.tolist(), (tpus.size // tpus.size_step).tolist()
        for k in range(1, tpus.stages):
            terms: list[tuple[Any, float]] = []
            for t in range(len(size)):
                z = self._column(f"z_{t}_{k}", 0, 1)
                for c in idx[ptr[t] : ptr[t + 1]]:
                    self._at_most([*self._on(c, k, 1.0), *self._on(producer[t], k, -1.0)], z)
                terms.append((z, float(size[t])))
                if t % UNITS_PER_CHECK == 0:
                    self._search.check()
            self._at_most(self._summed(f"c_{k}", terms), self._most[COMMUNICATION])

    def _refuse(self, stage_of: Ints) -> None:
        """Some y is another than in this plan."""
        terms: list[tuple[Any, float]] = []
        ones = 0
        for u, row in enumerate(self._before):
            for k, y in enumerate(row):
                one = bool(stage_of[u] <= k)
                ones += one
                terms.append((y, 1.0 if one else -1.0))
        self._at_most(self._summed(f"r_{len(self.problem.constraints())}", terms), ones - 1)


def narrowed(tpus: EdgeTpuUnits, memory: int | None, search: Search) -> tuple[Ints, Ints]:
    """First and last stage of each unit (int32[m] each) where no stage holds more than ``memory``, besides what pins say.

    All that a unit depends on is on its stage or before, which takes a number of stages of that size; likewise after it.
    """
    if not memory or tpus.count > MOST_CLOSED:
        return tpus.earliest, tpus.latest
    m = tpus.count
    least = -(-_closed(tpus, range(m), *tpus.units.preds, search) // memory) - 1
    most = tpus.stages + _closed(tpus, range(m - 1, -1, -1), *tpus.units.succs, search) // -memory
    return (
        np.maximum(tpus.earliest, least).astype(np.int32),
        np.minimum(tpus.latest, most).astype(np.int32),
    )


def _closed(tpus: EdgeTpuUnits, order: range, ptr: Ints, idx: Ints, search: Search) -> Whole:
    """The weight of each unit with all that the CSR leads to from it (int64[m]), which is earlier in ``order``."""
    m = tpus.count
    reach = np.zeros((m, m), bool)
    reach[np.arange(m), np.arange(m)] = True
    for u in order:
        for v in idx[ptr[u] : ptr[u + 1]].tolist():
            reach[u] |= reach[v]
        if u % UNITS_PER_CHECK == 0:
            search.check()
    found = np.empty(m, np.int64)
    for u in range(0, m, ROWS_PER_PRODUCT):
        found[u : u + ROWS_PER_PRODUCT] = reach[u : u + ROWS_PER_PRODUCT] @ tpus.weight
        search.check()
    return found
