"""A multi-chip module as a constraint program for CP-SAT, rules and cost; see ``docs/mcm-exact.md`` for what it proves."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from planner.machines.mcm.exact.model import McmModel, Memory
from planner.machines.pipeline.exact.stage_literals import Literal, StageLiterals, negated, never
from planner.methods.mip import loading
from planner.methods.mip.scaling import Scale, scale_for
from planner.model.graph import Ints

MEMORY_RESOLUTION = 10**9


@dataclass(frozen=True, eq=False)
class Part:
    """A program with fewer plans, whose bounds say nothing, or that counts less.

    ``chips``: those whose cost and memory count; with ``around`` (int32[m], a plan) only units on these chips move, and
    among these chips. ``span``: each dependency leads to the next chip at most, which implies the triangle rule. ``free``:
    tensors cost nothing.
    """

    chips: range
    around: Ints | None = None
    span: bool = False
    free: bool = False


class McmProgram:
    """Plans of ``model`` that cost at most ``at_most``, in whole numbers that are never above the true ones.

    ``windows`` (int32[m] each) are the chips that such plans leave to each unit, ``at_least`` a bound. ``forbidden``: sets of
    units (bool[m]) that overfill a chip when it holds just these. ``check`` may raise to end the making of it.
    """

    def __init__(
        self,
        model: McmModel,
        scale: Scale,
        windows: tuple[Ints, Ints],
        *,
        at_least: float,
        at_most: float,
        part: Part | None,
        forbidden: Sequence[np.ndarray],
        check: Callable[[], None],
    ) -> None:
        cp_model: Any = loading.load_cp_model(check)
        self.cp = cp_model.CpModel()
        self._sum = cp_model.LinearExpr.weighted_sum
        self._model = model
        self._check = check
        self._windows = windows
        self.literals = StageLiterals(self.cp, model.stages, *windows, check)
        self._arcs: dict[tuple[int, int], Any] = {}
        self._chips = range(model.stages.k) if part is None else part.chips
        self._free = part is not None and part.free
        span = part is not None and part.span
        if span:
            self._span()
        if model.single_sample or ("triangle" in model.rules and not span):
            self._find_arcs()
        if "triangle" in model.rules and not span:
            self._triangles()
            self._chords()
        self._occupancy()
        if model.memory is not None:
            self._fill(model.memory)
            for units in forbidden:
                self._forbid(units)
        self._objective(scale, at_least, at_most)

    # ------------------------------------------------------------------ rules
    def _span(self) -> None:
        """No dependency leads beyond the next chip."""
        upto = self.literals.upto
        for u, v in zip(self._model.src.tolist(), self._model.dst.tolist(), strict=True):
            self._check()
            for c in range(self._model.stages.k - 1):
                self.literals.implies(upto[u][c], upto[v][c + 1])

    def _find_arcs(self) -> None:
        """A literal per pair of chips a < b that is true where a dependency leads from a to b."""
        at = self.literals.at
        earliest, latest = self._windows
        readers: dict[int, list[int]] = {}
        for u, v in zip(self._model.src.tolist(), self._model.dst.tolist(), strict=True):
            readers.setdefault(u, []).append(v)
        for u, vs in readers.items():
            self._check()
            needed = self._needed(vs)
            for a in range(int(earliest[u]), int(latest[u]) + 1):
                if not isinstance(at[u][a], int) or at[u][a]:
                    for b in range(a + 1, self._model.stages.k):
                        if not isinstance(needed[b], int) or needed[b]:
                            self.literals.clause([negated(at[u][a]), negated(needed[b]), self._arc(a, b)])

    def _needed(self, units: Sequence[int]) -> list[Literal]:
        """By chip a literal that is true where one of ``units`` is on it."""
        at = self.literals.at
        if len(units) == 1:
            return at[units[0]]
        found: list[Literal] = []
        for c in range(self._model.stages.k):
            here = [at[v][c] for v in units if not isinstance(at[v][c], int) or at[v][c]]
            if len(here) <= 1:
                found.append(here[0] if here else 0)
                continue
            literal = self.cp.new_bool_var("")
            for p in here:
                self.literals.implies(p, literal)
            found.append(literal)
        return found

    def _arc(self, a: int, b: int) -> Any:
        if (a, b) not in self._arcs:
            self._arcs[a, b] = self.cp.new_bool_var(f"e{a},{b}")
        return self._arcs[a, b]

    def _triangles(self) -> None:
        """Where an arc leads from a to b, no arc from a leads to a chip from which there is a way to b (equation 4)."""
        k = self._model.stages.k
        way: dict[tuple[int, int], Any] = {}
        for a in range(k - 1, -1, -1):
            for b in range(a + 1, k):
                self._check()
                over = [c for c in range(a + 1, b) if (a, c) in self._arcs and (c, b) in way]
                direct = self._arcs.get((a, b))
                if direct is not None and not over:
                    way[a, b] = direct
                elif over:
                    way[a, b] = self.cp.new_bool_var(f"w{a},{b}")
                    if direct is not None:
                        self.cp.add_implication(direct, way[a, b])
                for c in over:
                    first, rest = self._arcs[a, c], way[c, b]
                    self.cp.add_bool_or([first.Not(), rest.Not(), way[a, b]])
                    if direct is not None:
                        self.cp.add_bool_or([first.Not(), rest.Not(), direct.Not()])

    def _chords(self) -> None:
        """Units beside a direct dependency are on one of its two chips, which the triangle rule implies."""
        at = self.literals.at
        for chord in self._model.chords:
            first, last = at[chord.u], at[chord.w]
            for x in chord.inside.tolist():
                self._check()
                for p, a, b in zip(at[x], first, last, strict=True):
                    if not never(p, 0):
                        self.literals.clause([negated(p), a, b])

    def _occupancy(self) -> None:
        """No chip below the highest used one is empty; with ``every_chip`` none is."""
        rules, k = self._model.rules, self._model.stages.k
        if not rules & {"no_skip", "every_chip"}:
            return
        columns = [[row[c] for row in self.literals.at] for c in range(k)]
        if "every_chip" in rules:
            for column in columns:
                self._check()
                self.literals.clause(column)
            return
        used = [self.cp.new_bool_var(f"o{c}") for c in range(k)]
        for c, column in enumerate(columns):
            self._check()
            self.literals.clause([used[c].Not(), *column])
            for p in column:
                self.literals.implies(p, used[c])
            if c:
                self.cp.add_implication(used[c], used[c - 1])

    # ------------------------------------------------------------------ memory
    def _fill(self, memory: Memory) -> None:
        """Parameters and what must be there at once: while an op runs, at the start, or at the end."""
        stages, at = self._model.stages, self.literals.at
        sizes = np.array([f.size for f in memory.flows])
        copies = np.array([f.params or 0.0 for f in memory.flows])
        scale = scale_for(
            [stages.params, memory.working, memory.unread, sizes, copies], memory.capacity, MEMORY_RESOLUTION
        )
        params, working, unread = (
            scale.down(b).tolist() for b in (stages.params, memory.working, memory.unread)
        )
        size, copied = scale.down(sizes).tolist(), scale.down(copies).tolist()
        # All that fills the chip is rounded down, so this may be too.
        capacity = math.floor(memory.capacity * scale.factor * (1 + 1e-12))
        for c in self._chips:
            self._check()
            column = [row[c] for row in at]
            held, bytes_held = list(column), list(params)
            arriving: tuple[list[Literal], list[int]] = ([], [])
            leaving: tuple[list[Literal], list[int]] = (list(column), list(unread))
            for f, flow in enumerate(memory.flows):
                self._check()
                home, ends = at[flow.home][c], [at[v][c] for v in flow.readers]
                enters = self.literals.cut(f"i{f},{c}", [(end, home) for end in ends])
                arriving[0].append(enters)
                arriving[1].append(size[f])
                if flow.params is None:
                    leaving[0].append(self.literals.cut(f"l{f},{c}", [(home, end) for end in ends]))
                    leaving[1].append(size[f])
                else:
                    held.append(enters)
                    bytes_held.append(copied[f])
            live = self.cp.new_int_var(0, max(0, capacity), f"m{c}")
            for literals, weights in (arriving, leaving):
                self.cp.add(self._sum(literals, weights) <= live)
            for p, least in zip(column, working, strict=True):
                if least:
                    self.cp.add(live >= least * p)
            self.cp.add(self._sum(held, bytes_held) + live <= capacity)

    def _forbid(self, units: np.ndarray) -> None:
        """No chip holds just these units."""
        for c in range(self._model.stages.k):
            self._check()
            column = [row[c] for row in self.literals.at]
            self.literals.clause(
                negated(p) if inside else p for p, inside in zip(column, units.tolist(), strict=True)
            )

    # ------------------------------------------------------------------ cost
    def _objective(self, scale: Scale, at_least: float, at_most: float) -> None:
        """The dearest chip, or when the last chip has finished one sample."""
        cp, model, stages = self.cp, self._model, self._model.stages
        work, time, send_time = (scale.down(costs) for costs in (stages.work, stages.time, stages.send_time))
        # Every chip pays a tensor once, as reader or as producer.
        every = int(work.sum()) + stages.k * int(np.maximum(time, send_time).sum(initial=0)) + 1
        hop = scale.down(model.hops)
        if model.single_sample:
            every += int(hop.sum())
        # A plan's costs are rounded down one by one, so their sum may be that much below its true cost.
        rounding = 1 + stages.count + (stages.k if model.single_sample else 1) * (len(time) + 1)
        least = 0 if not math.isfinite(at_least) else max(0, int(scale.down(at_least)) - rounding)
        most = every if not math.isfinite(at_most) else min(every, int(scale.down(at_most * (1 + 1e-9))))
        if least > most:
            least = most
        z = cp.new_int_var(least, most, "z")
        finish: list[Any] = []
        for c in self._chips:
            literals, costs = [row[c] for row in self.literals.at], work.tolist()
            for t in range(0 if self._free else len(time)):
                self._check()
                for cut, price in self.literals.cuts(t, c, int(time[t]), int(send_time[t])):
                    literals.append(cut)
                    costs.append(price)
            load = self._sum(literals, costs)
            if not model.single_sample:
                cp.add(load <= z)
                continue
            start = cp.new_int_var(0, most, f"s{c}")
            finish.append(cp.new_int_var(0, most, f"f{c}"))
            cp.add(start + load <= finish[c])
            cp.add(finish[c] <= z)
            for a in range(c):
                if (a, c) in self._arcs:
                    cp.add(start >= finish[a] + int(hop[c - a])).only_enforce_if(self._arcs[a, c])
        cp.minimize(z)
