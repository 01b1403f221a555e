"""The least largest cost of each ideal in each state: the dynamic program over ideals for every kind of cost.

For communication that overlaps with work or goes both ways at once (device placement, appendix C.1), ``gpipe``
(section 5.3) and replicated stages (C.2) costs do not separate, so every pair of ideals whose work stays below the bound
is walked: units are added in increasing order, each larger ideal is met once, and what a segment receives and sends is
kept up to date from one unit to the next.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from planner.compiling.kernel import njit
from planner.evaluation.kernels import MAX_COST, SUM, combine
from planner.evaluation.replication import replicated
from planner.machines.pool.ideals.states import (
    ACCELERATOR,
    CPU,
    MOST_TYPES,
    Chain,
    States,
    fits_type,
    taken_off,
    type_capacity,
)
from planner.methods.ideals.lattice import Lattice
from planner.methods.ideals.potentials import Potentials, ideal_sums
from planner.methods.ideals.telling import ideals_below
from planner.model.graph import Floats, Ints
from planner.search.search import Search

PAIRS_PER_CALL = 500_000
"""Pairs of ideals looked at between two looks at the stop criteria: some twenty milliseconds."""


@njit(cache=True, nogil=True)
def settle(
    first, most_pairs, bound, forward_cap, objective, communication, sync_rate,
    ptr, upper, unit, work, memory, params, unit_work,
    entry_ptr, entry_tensor, entry_forward, entry_backward, entry_produces, tensor_time, tensor_part, tensor_total,
    fits, kind_class, kind_pays, kind_copies, kind_capacity, edge_from, edge_kind, edge_to, room,
    values, forward, from_ideal, from_edge, inside, seen,
):  # fmt: skip
    """Settle the ideals from ``first`` on and extend each; returns where to go on.

    A kind of step is a type of device with a number of copies; ``fits`` int64[m] has the kinds that may hold a unit as
    bits. ``room`` float64[s]: accelerator work that the devices left in a state can take. ``values`` float64[i, s]:
    the least largest cost, of the backward part under ``gpipe``, where forward costs must stay below ``forward_cap``;
    ``forward`` float64[i, s] is the largest forward cost of the same chain.
    ``inside`` bool[t] and ``seen`` int32[t, 2] are scratch without any mark; they are left so.
    """
    last = len(memory) - 1
    m = len(fits)
    kinds = len(kind_class)
    total = work[last, ACCELERATOR]
    active = np.empty(len(edge_from), np.int32)
    cost = np.empty(kinds)
    ahead = np.zeros(kinds)
    ideal = np.empty(m + 1, np.int32)
    edge = np.empty(m + 1, np.int64)
    added = np.empty(m + 1, np.int32)
    open_kinds = np.empty(m + 1, np.int64)
    moved = np.zeros((m + 1, 4))
    busy = np.zeros((m + 1, work.shape[1], 2))
    one = np.int64(1)
    pairs = 0
    for i in range(first, last):
        if pairs >= most_pairs:
            return i
        pairs += 1
        count = 0
        walked = np.int64(0)
        for x in range(len(edge_from)):
            if values[i, edge_from[x]] < bound:
                active[count] = x
                count += 1
                walked |= one << edge_kind[x]
        if count == 0:
            continue
        depth = 0
        ideal[0], edge[0], added[0], open_kinds[0] = i, ptr[i], -1, walked
        while depth >= 0:
            here = ideal[depth]
            if edge[depth] == ptr[here + 1]:
                u = added[depth]
                if u >= 0:
                    for x in range(entry_ptr[u], entry_ptr[u + 1]):
                        t = entry_tensor[x]
                        seen[t, 0] -= entry_forward[x]
                        seen[t, 1] -= entry_backward[x]
                        if entry_produces[x]:
                            inside[t] = False
                depth -= 1
                continue
            u = unit[edge[depth]]
            j = upper[edge[depth]]
            edge[depth] += 1
            if u < added[depth]:
                continue
            pairs += 1
            deeper = depth + 1
            for c in range(work.shape[1]):
                for part in range(2):
                    busy[deeper, c, part] = busy[depth, c, part] + unit_work[c, u, part]
            held = memory[j] - memory[i]
            left_open = open_kinds[depth] & fits[u]
            for y in range(kinds):
                if (left_open >> y) & 1 == 0:
                    continue
                c, copies = kind_class[y], kind_copies[y]
                if held > kind_capacity[y]:
                    fine = False
                elif objective == MAX_COST:
                    fine = (busy[deeper, c, 0] + busy[deeper, c, 1]) / copies < bound
                else:
                    fine = busy[deeper, c, 0] < forward_cap and busy[deeper, c, 1] < bound
                if not fine:
                    left_open &= ~(one << y)
            if left_open == 0:
                continue
            receive0, receive1 = moved[depth, 0], moved[depth, 1]
            send0, send1 = moved[depth, 2], moved[depth, 3]
            for x in range(entry_ptr[u], entry_ptr[u + 1]):
                t = entry_tensor[x]
                time = tensor_time[t]
                consumed = seen[t, 0] + seen[t, 1]
                if inside[t]:
                    if consumed < tensor_total[t]:
                        if tensor_part[t] == 0:
                            send0 -= time
                        else:
                            send1 -= time
                elif seen[t, 0] > 0:
                    receive0 -= time
                elif seen[t, 1] > 0:
                    receive1 -= time
                seen[t, 0] += entry_forward[x]
                seen[t, 1] += entry_backward[x]
                if entry_produces[x]:
                    inside[t] = True
                consumed = seen[t, 0] + seen[t, 1]
                if inside[t]:
                    if consumed < tensor_total[t]:
                        if tensor_part[t] == 0:
                            send0 += time
                        else:
                            send1 += time
                elif seen[t, 0] > 0:
                    receive0 += time
                elif seen[t, 1] > 0:
                    receive1 += time
            for y in range(kinds):
                if (left_open >> y) & 1 == 0:
                    continue
                c, copies = kind_class[y], kind_copies[y]
                r0, r1, s0, s1 = receive0, receive1, send0, send1
                if not kind_pays[y]:
                    r0, r1, s0, s1 = 0.0, 0.0, 0.0, 0.0
                if objective == MAX_COST:
                    cost[y] = combine(
                        r0 + r1, busy[deeper, c, 0] + busy[deeper, c, 1], s0 + s1, 0.0, communication
                    )
                    if copies > 1:
                        rate = sync_rate if kind_pays[y] else np.inf
                        weights = params[j] - params[i]
                        cost[y] = replicated(cost[y], weights, copies, rate, communication == SUM)
                else:
                    cost[y] = combine(r1, busy[deeper, c, 1], s1, 0.0, communication)
                    ahead[y] = combine(r0, busy[deeper, c, 0], s0, 0.0, communication)
                    if ahead[y] >= forward_cap:
                        cost[y] = np.inf
            need = total - work[j, ACCELERATOR]
            for a in range(count):
                x = active[a]
                y = edge_kind[x]
                if (left_open >> y) & 1 == 0:
                    continue
                value = max(values[i, edge_from[x]], cost[y])
                to = edge_to[x]
                if value < bound and value < values[j, to] and need <= room[to]:
                    values[j, to] = value
                    forward[j, to] = max(forward[i, edge_from[x]], ahead[y])
                    from_ideal[j, to] = i
                    from_edge[j, to] = x
            depth = deeper
            ideal[depth], edge[depth], added[depth], open_kinds[depth] = j, ptr[j], u, left_open
            moved[depth, 0], moved[depth, 1] = receive0, receive1
            moved[depth, 2], moved[depth, 3] = send0, send1
    return last


@dataclass(frozen=True, eq=False)
class Steps:
    """Steps between states that count every device: kinds (type and copies) and edges (from, kind, to)."""

    kind_type: Ints
    kind_copies: Ints
    edge_from: Ints
    edge_kind: Ints
    edge_to: Ints
    used: Ints

    @staticmethod
    def of(states: States, most_copies: int) -> Steps:
        """All steps of a pool whose stages may have up to ``most_copies`` devices."""
        free_cpus = next(
            (y for y, c in enumerate(states.type_class.tolist()) if c == CPU and not states.pinned[y]), -1
        )
        sizes = [len(d) for d in states.devices]
        full = [(a, *row[1:]) for row in states.used.tolist() for a in range(states.accelerators + 1)]
        number = {row: s for s, row in enumerate(full)}
        kinds: list[tuple[int, int]] = []
        steps: list[tuple[int, int, int]] = []
        for y, size in enumerate(sizes):
            helper = 0 if states.type_class[y] == ACCELERATOR else free_cpus
            for copies in range(1, most_copies + 1):
                taken = [0] * len(sizes)
                taken[y] += 1
                if copies > 1:
                    if helper < 0:
                        break
                    taken[helper] += copies - 1
                if any(t > s for t, s in zip(taken, sizes, strict=True)) or not size:
                    break
                kinds.append((y, copies))
                for row, s in number.items():
                    to = number.get(tuple(a + b for a, b in zip(row, taken, strict=True)))
                    if to is not None:
                        steps.append((s, len(kinds) - 1, to))
        kind = np.array(kinds, np.int32).reshape(-1, 2)
        step = np.array(steps, np.int32).reshape(-1, 3)
        return Steps(
            kind_type=np.ascontiguousarray(kind[:, 0]),
            kind_copies=np.ascontiguousarray(kind[:, 1]),
            edge_from=np.ascontiguousarray(step[:, 0]),
            edge_kind=np.ascontiguousarray(step[:, 1]),
            edge_to=np.ascontiguousarray(step[:, 2]),
            used=np.array(full, np.int32).reshape(len(full), len(sizes)),
        )


class Table:
    """Finds the chain of ideals of ``lattice`` with the least largest cost."""

    def __init__(self, lattice: Lattice, costs: Potentials, states: States, search: Search) -> None:
        self.lattice, self.costs, self.states = lattice, costs, states
        units = lattice.units
        e = units.problem.evaluator
        self.gpipe = e.objective_code != MAX_COST
        self._sync_rate = e.sync_rate
        self.steps = Steps.of(states, e.k if e.sync_rate > 0 else 1)
        kind_type = self.steps.kind_type
        fits = fits_type(units, states)[:, kind_type]
        self._fits = (fits << np.arange(len(kind_type), dtype=np.int64)).sum(axis=1).astype(np.int64)
        self._kind_class = states.type_class[kind_type]
        self._kind_pays = states.type_pays[kind_type]
        self._capacity = type_capacity(units, states)[kind_type]
        self._params = ideal_sums(lattice, units.params[:, None], search)[:, 0]
        shape = (lattice.count, len(self.steps.used))
        self._values, self._forward = np.empty(shape), np.zeros(shape)
        self._from_ideal, self._from_edge = np.empty(shape, np.int32), np.empty(shape, np.int32)
        t = len(units.tensor_time)
        self._inside, self._seen = np.zeros(t, bool), np.zeros((t, 2), np.int32)

    @staticmethod
    def size(lattice_count: int, states: States) -> int:
        """How many cells a table has."""
        return lattice_count * states.count * (states.accelerators + 1)

    @property
    def too_many_kinds(self) -> bool:
        """Whether there are more kinds of steps than bits."""
        return len(self.steps.kind_type) > MOST_TYPES

    def _room(self, bound: float, forward_cap: float) -> Floats:
        """float64[s]: accelerator work that the devices left in a state can still take."""
        each = bound + forward_cap if self.gpipe else bound
        sizes = np.array([len(d) for d in self.states.devices])
        left = sizes[None, :] - self.steps.used
        classes = np.arange(int(self.states.type_class.max()) + 1)
        of_class = (self.states.type_class[:, None] == classes).astype(np.int32)
        return taken_off(self.lattice.units, left @ of_class, each) * (1 + 1e-9)

    def solve(self, bound: float, search: Search, forward_cap: float = math.inf) -> Chain | None:
        """The best chain among those with a value below ``bound``, or None where there is none.

        Under ``gpipe`` the value is the largest backward cost, and forward costs stay below ``forward_cap``. Raises
        :class:`planner.search.search.Stopped` when a stop criterion fires.
        """
        lattice, costs, steps = self.lattice, self.costs, self.steps
        units, e = lattice.units, lattice.units.problem.evaluator
        self._values.fill(np.inf)
        self._values[0, 0] = self._forward[0, 0] = 0.0
        room = self._room(bound, forward_cap)
        place = 0
        while place < lattice.count - 1:
            place = settle(
                place, PAIRS_PER_CALL, bound, forward_cap, e.objective_code, e.communication, self._sync_rate,
                lattice.ptr, lattice.upper, lattice.unit, costs.work, costs.memory, self._params, units.work,
                units.entry_ptr, units.entry_tensor, units.entry_forward, units.entry_backward, units.entry_produces,
                units.tensor_time, units.tensor_part, units.tensor_total,
                self._fits, self._kind_class, self._kind_pays, steps.kind_copies, self._capacity,
                steps.edge_from, steps.edge_kind, steps.edge_to, room,
                self._values, self._forward, self._from_ideal, self._from_edge, self._inside, self._seen,
            )  # fmt: skip
            search.progress(place / lattice.count, ideals_below(place, lattice, bound))
            search.check()
        state = int(np.argmin(self._values[-1]))
        value = float(self._values[-1, state])
        return None if not math.isfinite(value) else self._chain(state, value)

    def _chain(self, state: int, value: float) -> Chain:
        """Walk back from the ideal of all units."""
        lattice, steps = self.lattice, self.steps
        segments = []
        ideal = lattice.count - 1
        forward = float(self._forward[ideal, state])
        while ideal > 0:
            x, before = int(self._from_edge[ideal, state]), int(self._from_ideal[ideal, state])
            y = int(steps.kind_type[steps.edge_kind[x]])
            segments.append((y, lattice.members(ideal) & ~lattice.members(before)))
            state, ideal = int(steps.edge_from[x]), before
        return Chain.of(self.states, lattice.units, segments[::-1], value, forward)
