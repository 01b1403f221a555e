"""The latency problem as a CP-SAT model (device placement, figures 3 and 4), exact for subgraphs and CPU ops in order.

Two things differ from the paper's integer program. Its contiguity constraints hold device by device and allow two
subgraphs to wait for each other at no cost; here every subgraph and CPU op has a place in one order. And a tensor is
sent and received once for each subgraph even where an op makes several tensors. Times are rounded down to whole numbers, so
that what the solver proves holds for the true times.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

from planner.errors import PlannerRefusal
from planner.machines.pool.latency.state import Arrays
from planner.methods.mip import loading
from planner.methods.mip.model import unchecked
from planner.methods.mip.scaling import RESOLUTION, Scale, scale_for
from planner.model.graph import Ints
from planner.problem.problem import Problem

MOST_PLACES = 40_000
"""Ops times subgraphs beyond which a model would take too long to build."""


class LatencyModel:
    """``model`` (a ``cp_model.CpModel``) with the latency as its objective, in units of ``scale``.

    Contiguous splits only. ``best`` is the latency of a valid plan (infinity without), ``bound`` a proven one. ``check`` is
    called every few milliseconds while the model is made; it may raise to end that. Costs are resolved to one part of the
    horizon in ``resolution``.
    """

    def __init__(
        self,
        problem: Problem,
        arrays: Arrays,
        best: float,
        bound: float,
        check: Callable[[], None] = unchecked,
        resolution: int = RESOLUTION,
    ) -> None:
        self._arrays, self._evaluator = arrays, problem.evaluator
        e = self._evaluator
        slots = len(arrays.accelerators)
        if e.n * slots > MOST_PLACES:
            raise PlannerRefusal(
                f"{e.n} ops on {slots} subgraphs are too many for an exact model; leave solver at none"
            )
        cp_model: Any = loading.load_cp_model(check)
        self.model = cp_model.CpModel()
        self._check = check
        on_any = np.maximum(arrays.work[arrays.class_of].max(axis=0), 0.0)
        horizon = best if math.isfinite(best) else float(on_any.sum() + self._all_transfers())
        self.scale: Scale = scale_for([arrays.work.reshape(-1), arrays.tensor_time], horizon, resolution)
        self._horizon = int(self.scale.down(horizon)) + 1
        self._work = self.scale.down(arrays.work)
        self._time = self.scale.down(arrays.tensor_time)
        self._where = self._places()
        self._one_owner_per_unit()
        self._memory()
        self._interchangeable()
        self.latency = self.model.new_int_var(0, self._horizon, "latency")
        if math.isfinite(bound) and bound > 0:
            # Rounding costs down takes less than a unit off each of the numbers that a latency adds up.
            terms = 3 * (e.n + len(arrays.tensor_time))
            slack = 1 if self.scale.exact else terms
            self.model.add(self.latency >= min(int(self.scale.down(bound)), self._horizon) - slack)
        self._schedule()
        self.model.minimize(self.latency)

    def _all_transfers(self) -> float:
        a = self._arrays
        return float((a.tensor_time * (1 + np.diff(a.consumer_ptr))).sum())

    def _places(self) -> list[dict[int, Any]]:
        """A literal per op and slot or CPU that may hold it; ops of a unit share them where slots are accelerators."""
        a, e = self._arrays, self._evaluator
        shared = len(np.unique(e.owner[a.accelerators])) == len(a.accelerators)
        where: list[dict[int, Any]] = []
        of_unit: dict[int, dict[int, Any]] = {}
        for v in range(e.n):
            self._check()
            u = int(a.unit_of[v])
            if shared and u in of_unit:
                where.append(of_unit[u])
                continue
            if shared:
                fits = np.flatnonzero(a.allowed[u]).tolist()
            else:
                fits = [d for d in np.flatnonzero(e.allowed[v]).tolist() if a.pays[d]]
                if a.cpu >= 0 and a.allowed[u, a.cpu]:
                    fits.append(a.cpu)
            literals = {d: self.model.new_bool_var(f"x_{v}_{d}") for d in fits}
            self.model.add_exactly_one(literals.values())
            of_unit[u] = literals
            where.append(literals)
        return where

    def _one_owner_per_unit(self) -> None:
        a, e = self._arrays, self._evaluator
        for u in range(len(a.allowed)):
            self._check()
            ops = a.member_idx[a.member_ptr[u] : a.member_ptr[u + 1]].tolist()
            for v, w in pairwise(ops):
                if self._where[v] is self._where[w]:
                    continue
                for owner in np.unique(e.owner).tolist():
                    self.model.add(self._on_owner(v, owner) == self._on_owner(w, owner))

    def _on_owner(self, v: int, owner: int) -> Any:
        return sum(x for d, x in self._where[v].items() if self._evaluator.owner[d] == owner)

    def _memory(self) -> None:
        """The ops on an accelerator fit; bytes are counted in units small enough that only rounding is forgiven."""
        a, e = self._arrays, self._evaluator
        for owner in np.unique(e.owner[a.accelerators]).tolist():
            capacity = float(a.capacity[owner])
            if not math.isfinite(capacity):
                continue
            self._check()
            unit = 1e-9 * capacity / max(e.n, 1)
            terms = [
                int(min(a.memory[v], 2 * capacity) / unit) * x
                for v in range(e.n)
                for d, x in self._where[v].items()
                if e.owner[d] == owner and a.memory[v] > 0
            ]
            self.model.add(sum(terms) <= math.ceil(capacity * (1 + 1e-9) / unit))

    def _interchangeable(self) -> None:
        """Where all accelerators are alike, those of lower index hold earlier ops first."""
        a, e = self._arrays, self._evaluator
        first = a.accelerators
        if (
            len(np.unique(e.owner[first])) < len(first)
            or (a.allowed[:, first] != a.allowed[:, first[:1]]).any()
            or (a.class_of[first] != a.class_of[first[:1]]).any()
        ):
            return
        for d, previous in zip(first[1:].tolist(), first.tolist(), strict=False):
            for u in range(len(a.allowed)):
                self._check()
                x = self._where[int(a.member_idx[a.member_ptr[u]])].get(d)
                if x is None:
                    continue
                earlier = [self._where[int(a.member_idx[a.member_ptr[t]])].get(previous) for t in range(u)]
                self.model.add_bool_or([x.negated(), *[y for y in earlier if y is not None]])

    def _schedule(self) -> None:
        """Start and end of every subgraph, when each op's outputs are in memory, and one order of everything."""
        a, e, model = self._arrays, self._evaluator, self.model
        parts = sorted(set(a.part.tolist()))
        groups = [
            (d, p) for p in parts for d in (a.accelerators if p == 0 else a.accelerators[::-1]).tolist()
        ]
        most = e.n + len(groups)
        start = {g: model.new_int_var(0, self._horizon, f"start_{g}") for g in groups}
        end = {g: model.new_int_var(0, self._horizon, f"end_{g}") for g in groups}
        turn = {g: model.new_int_var(0, most, f"turn_{g}") for g in groups}
        spent: dict[tuple[int, int], list[Any]] = {g: [] for g in groups}
        ready = [model.new_int_var(0, self._horizon, f"ready_{v}") for v in range(e.n)]
        place = [model.new_int_var(0, most, f"place_{v}") for v in range(e.n)]
        for v in range(e.n):
            self._check()
            model.add(self.latency >= ready[v])
            for d, x in self._where[v].items():
                if d == a.cpu:
                    model.add(ready[v] >= int(self._work[a.class_of[d], v])).only_enforce_if(x)
                    continue
                g = (d, int(a.part[v]))
                spent[g].append(int(self._work[a.class_of[d], v]) * x)
                model.add(ready[v] >= end[g]).only_enforce_if(x)
                model.add(place[v] == turn[g]).only_enforce_if(x)
        for u, v in zip(e.edge_src.tolist(), e.edge_dst.tolist(), strict=True):
            self._check()
            model.add(place[v] >= place[u])
            for d, x in self._where[v].items():
                if d == a.cpu:
                    took = int(self._work[a.class_of[d], v])
                    model.add(ready[v] >= ready[u] + took).only_enforce_if(x)
                    model.add(place[v] >= place[u] + 1).only_enforce_if(x)
                    continue
                y = self._where[u].get(d) if a.part[u] == a.part[v] else None
                if y is x:
                    continue
                g = (d, int(a.part[v]))
                apart = [x] if y is None else [x, y.negated()]
                model.add(start[g] >= ready[u]).only_enforce_if(apart)
                model.add(place[v] >= place[u] + 1).only_enforce_if(apart)
        self._transfers(spent)
        last: dict[int, tuple[int, int]] = {}
        for g in groups:
            model.add(end[g] >= start[g] + sum(spent[g]))
            owner = int(e.owner[g[0]])
            if owner in last:
                model.add(start[g] >= end[last[owner]])
                model.add(turn[g] >= turn[last[owner]] + 1)
            last[owner] = g

    def _transfers(self, spent: dict[tuple[int, int], list[Any]]) -> None:
        """Literals that a subgraph receives or sends a tensor, once each (constraints 4 and 5)."""
        a, model = self._arrays, self.model
        for t in range(len(a.tensor_home)):
            self._check()
            time = int(self._time[t])
            if time == 0:
                continue
            h = int(a.tensor_home[t])
            consumers = a.consumer_idx[a.consumer_ptr[t] : a.consumer_ptr[t + 1]].tolist()
            for (d, part), costs in spent.items():
                home: Any = self._where[h].get(d) if a.part[h] == part else None
                inside = [w for w in consumers if a.part[w] == part and d in self._where[w]]
                received: list[Any] = [self._where[w][d] for w in inside if self._where[w][d] is not home]
                if received:
                    receives = model.new_bool_var(f"receive_{t}_{d}_{part}")
                    kept = [home] if home is not None else []
                    for x in received:
                        model.add_bool_or([receives, x.negated(), *kept])
                    costs.append(time * receives)
                if home is None:
                    continue
                sends = model.new_bool_var(f"send_{t}_{d}_{part}")
                sent = False
                for w in consumers:
                    there = [self._where[w][d]] if w in inside else []
                    if there and there[0] is home:
                        continue
                    model.add_bool_or([sends, home.negated(), *there])
                    sent = True
                if sent:
                    costs.append(time * sends)

    def hint(self, device_of: Ints) -> None:
        """Start from a plan (int32[n])."""
        a = self._arrays
        hinted: set[int] = set()
        for v, literals in enumerate(self._where):
            self._check()
            d = int(device_of[v]) if a.pays[device_of[v]] else a.cpu
            for other, x in literals.items():
                if x.index not in hinted:
                    hinted.add(x.index)
                    self.model.add_hint(x, other == d)

    def device_of(self, value: Any) -> Ints:
        """The assignment (int32[n]) of a solution."""
        a = self._arrays
        found = np.empty(self._evaluator.n, np.int32)
        for v, literals in enumerate(self._where):
            d = next(d for d, x in literals.items() if value(x))
            found[v] = a.op_cpu[v] if d == a.cpu else d
        return found


def bound_of(model: LatencyModel, value: float) -> float:
    """A lower bound on the latency from one on the model's objective."""
    found = model.scale.bound(value)
    # A whole number that stands for itself may be off by rounding; a rounded one is below the true cost anyway.
    return found if not model.scale.exact else found * (1 - 1e-12)
