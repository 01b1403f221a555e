"""Whether any plan keeps the static rules of a multi-chip module, by CP-SAT: a plan, a proof, or how many chips can be used.

The triangle rule (MCM paper, equation 4) is put in as it is needed. Where a tensor leads from u directly to v, and w lies
between them, w is on the chip of u or on that of v: else a way over the chip of w leads where the direct one does. These
demands bind ops, not chips, so their number does not grow with the package. They are weaker than the rule, which also
forbids ways that change from one op to another on a chip; where a solution takes such a way, a clause that forbids this
very combination of ops joins the model, and it is solved again. So infeasibility of the model is infeasibility of the problem,
and each clause belongs to one direct dependency, that is, to the op that feeds it.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from planner.machines.mcm.evaluator import McmEvaluator
from planner.machines.mcm.kernels import triangles
from planner.machines.mcm.rules import indirect_way
from planner.methods.feasibility.confinement import Units
from planner.methods.mip.loading import load_cp_model
from planner.model.graph import Ints
from planner.problem.problem import Problem

MOST_DEMANDS = 20_000
"""Demands on ops between a direct dependency's ends; a graph with more of them is not put into a model."""
MOST_LITERALS = 80_000
"""Units times chips beyond which no model is made."""


class _OutOfTime(Exception):
    """The time was up while a model was made."""


@dataclass(frozen=True, eq=False)
class Outcome:
    """``feasible`` with a plan (``device_of`` int32[n]), ``infeasible`` (proven), or ``unknown``."""

    status: Literal["feasible", "infeasible", "unknown"]
    device_of: Ints | None = None


def mcm_proof(problem: Problem, stopped: Callable[[], bool]) -> McmProof | None:
    """The models of a problem, None where they are too large."""
    units = Units.of(problem)
    proof = None if units is None else McmProof(problem, units, stopped)
    return proof if proof is not None and proof.fits else None


class McmProof:
    """Asks CP-SAT about the static rules of one problem, and the parameters of each chip where memory counts.

    ``stopped`` is looked at between and during solves.
    """

    def __init__(self, problem: Problem, units: Units, stopped: Callable[[], bool] = lambda: False) -> None:
        assert isinstance(problem.evaluator, McmEvaluator)
        self.problem = problem
        self.evaluator = problem.evaluator
        self.target = problem.evaluator.target
        self.units = units
        self._stopped = stopped
        self._cuts: list[tuple[int, list[tuple[str, int, int]]]] = []
        self._between: dict[tuple[int, int], list[int]] | None = None

    @property
    def fits(self) -> bool:
        """Whether a model of this problem is small enough."""
        return self.units.count * self.evaluator.k <= MOST_LITERALS and self._demands() <= MOST_DEMANDS

    def feeders(self) -> list[int]:
        """Units whose direct dependencies the triangle rule may bind, widest first."""
        if not self.target.triangle:
            return []
        found = set(self._direct()) if self._between else set()
        found |= {u for u, _ in self._cuts}
        return sorted(found, key=lambda u: (-len(self._direct().get(u, ())), u))

    def solve(self, seconds: float, feeders: Iterable[int] | None = None) -> Outcome:
        """A plan under the static rules, or a proof that there is none.

        ``feeders``: units whose direct dependencies the triangle rule is to bind (None = all); with fewer of them a plan may break
        the rule elsewhere and is then not returned, while a proof holds all the same.
        """
        if (self.units.low > self.units.high).any():
            return Outcome("infeasible")
        until = time.perf_counter() + seconds
        bound = None if feeders is None else set(feeders)
        while True:
            left = until - time.perf_counter()
            if left <= 0 or self._stopped():
                return Outcome("unknown")
            try:
                status, chips = self._ask(left, bound)
            except _OutOfTime:
                return Outcome("unknown")
            if status == "infeasible":
                return Outcome("infeasible")
            if chips is None:
                return Outcome("unknown")
            device_of = chips[self.units.unit_of].astype(np.int32)
            added = self._cut(device_of, bound) if self.target.triangle else False
            if not added:
                broken = {v.kind for v in self.evaluator.violations(device_of)}
                return Outcome("unknown" if broken else "feasible", None if broken else device_of)

    def most_chips(self, seconds: float) -> int | None:
        """An upper bound on the chips that a plan without skipped chips can use; None where none was proven."""
        try:
            return self._most(seconds)
        except _OutOfTime:
            return None

    def direct(self, unit: int) -> list[int]:
        """Units that ``unit`` feeds directly while others lie between them."""
        return self._direct().get(unit, [])

    # ------------------------------------------------------------------------------------------------------- the model
    def _direct(self) -> dict[int, list[int]]:
        """Direct dependencies with units between their ends: the units that each feeds so."""
        if self._between is None:
            self._between = {}
            if self.target.triangle:
                total = 0
                for u, v in zip(self.units.src.tolist(), self.units.dst.tolist(), strict=True):
                    inner = self.units.between(u, v).tolist()
                    total += len(inner)
                    if inner:
                        self._between[u, v] = inner
                    if total > MOST_DEMANDS:
                        break
        found: dict[int, list[int]] = defaultdict(list)
        for u, v in self._between:
            found[u].append(v)
        return found

    def _demands(self) -> int:
        self._direct()
        return sum(len(inner) for inner in (self._between or {}).values())

    def _model(self, bound: set[int] | None) -> tuple[Any, Any, list[Any], Any]:
        cp_model = load_cp_model(self._check)
        model = cp_model.CpModel()
        units, k = self.units, self.evaluator.k
        chip = [model.new_int_var(int(units.low[u]), int(units.high[u]), "") for u in range(units.count)]
        for u, v in zip(units.src.tolist(), units.dst.tolist(), strict=True):
            model.add(chip[u] <= chip[v])
        top = model.new_int_var(0, k - 1, "top")
        model.add_max_equality(top, chip)
        filled = self.target.no_skip or self.target.every_chip
        if filled or self._memory_counts:
            on = [[model.new_bool_var("") for _ in range(k)] for _ in range(units.count)]
            for u in range(units.count):
                self._check()
                model.add_exactly_one(on[u])
                for c in range(k):
                    model.add(chip[u] == c).only_enforce_if(on[u][c])
            self._memory(model, on)
        if filled:
            used = [model.new_bool_var("") for _ in range(k)]
            for c in range(k):
                model.add_bool_or(~used[c], *(on[u][c] for u in range(units.count)))
                for u in range(units.count):
                    model.add_implication(on[u][c], used[c])
                if self.target.every_chip:
                    model.add(used[c] == 1)
                elif c:
                    model.add_implication(used[c], used[c - 1])
        lower: dict[tuple[int, int], Any] = {}
        same: dict[tuple[int, int], Any] = {}

        def less(a: int, b: int) -> Any:
            """A literal that is true wherever ``a`` comes before ``b`` on the chain."""
            if (a, b) not in lower:
                lower[a, b] = model.new_bool_var("")
                model.add(chip[b] <= chip[a]).only_enforce_if(~lower[a, b])
            return lower[a, b]

        def equal(a: int, b: int) -> Any:
            """A literal that is true wherever ``a`` and ``b`` are on one chip."""
            a, b = min(a, b), max(a, b)
            if (a, b) not in same:
                same[a, b] = model.new_bool_var("")
                first = model.new_bool_var("")
                model.add(chip[a] <= chip[b] - 1).only_enforce_if(~same[a, b], first)
                model.add(chip[b] <= chip[a] - 1).only_enforce_if(~same[a, b], ~first)
            return same[a, b]

        if self.target.triangle:
            self._direct()
            for (u, v), inner in (self._between or {}).items():
                if bound is None or u in bound:
                    self._check()
                    for w in inner:
                        model.add_bool_or(~less(u, w), ~less(w, v))
            for feeder, terms in self._cuts:
                if bound is None or feeder in bound:
                    model.add_bool_or(
                        *(~equal(a, b) if kind == "same" else ~less(a, b) for kind, a, b in terms)
                    )
        return cp_model, model, chip, top

    @property
    def _memory_counts(self) -> bool:
        return self.target.check_memory and bool(np.isfinite(self.target.sram))

    def _memory(self, model: Any, on: list[list[Any]]) -> None:
        """Parameters alone fit each chip; activations can only add to them."""
        if not self._memory_counts:
            return
        e = self.evaluator
        held = np.floor(np.bincount(self.units.unit_of, e.params, self.units.count)).astype(np.int64)
        room = int(np.ceil(self.target.sram * (1 + 1e-9)))
        if held.sum() <= room:
            return
        for c in range(e.k):
            model.add(sum(int(held[u]) * on[u][c] for u in np.flatnonzero(held).tolist()) <= room)

    def _ask(self, seconds: float, bound: set[int] | None) -> tuple[str, Ints | None]:
        cp_model, model, chip, _ = self._model(bound)
        solver, status = self._run(cp_model, model, seconds)
        if status == cp_model.INFEASIBLE:
            return "infeasible", None
        if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            return "unknown", None
        return "feasible", np.array([solver.value(x) for x in chip], np.int32)

    def _most(self, seconds: float) -> int | None:
        cp_model, model, _, top = self._model(None)
        model.maximize(top)
        solver, status = self._run(cp_model, model, seconds)
        if status == cp_model.INFEASIBLE:
            return 0
        if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            return None
        return int(np.floor(solver.best_objective_bound + 1e-6)) + 1

    def _run(self, cp_model: Any, model: Any, seconds: float) -> tuple[Any, Any]:
        import threading

        solver = cp_model.CpSolver()
        solver.parameters.num_workers = 1
        solver.parameters.random_seed = 0
        solver.parameters.catch_sigint_signal = False  # Ctrl-C stays the program's
        solver.parameters.max_time_in_seconds = max(seconds, 0.01)
        done: list[Any] = []
        thread = threading.Thread(target=lambda: done.append(solver.solve(model)), name="cp-sat", daemon=True)
        thread.start()
        while thread.is_alive():
            thread.join(0.02)
            if self._stopped():
                solver.stop_search()
        return solver, done[0] if done else None

    def _check(self) -> None:
        if self._stopped():
            raise _OutOfTime

    # ------------------------------------------------------------------------------------------------------------ cuts
    def _cut(self, device_of: Ints, bound: set[int] | None) -> bool:
        """Forbid what breaks the triangle rule in a solution; whether there was anything to forbid."""
        e, unit_of = self.evaluator, self.units.unit_of
        arcs = e.arcs(device_of)
        at: dict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
        for i in np.flatnonzero(device_of[e.edge_src] != device_of[e.edge_dst]).tolist():
            u, v = int(e.edge_src[i]), int(e.edge_dst[i])
            at[int(device_of[u]), int(device_of[v])].append((int(unit_of[u]), int(unit_of[v])))
        added = False
        for a, _, b in triangles(arcs).tolist():
            chips = indirect_way(arcs, a, b)
            way = [at[x, y][0] for x, y in pairwise(chips)]
            for feeder, reader in dict.fromkeys(at[a, b]):
                if bound is not None and feeder not in bound:
                    continue
                terms = [("less", x, y) for x, y in way]
                for (_, x), (y, _) in pairwise([(feeder, feeder), *way, (reader, reader)]):
                    if x != y:
                        terms.append(("same", x, y))
                self._cuts.append((feeder, terms))
                added = True
        return added
