"""Optimal slicing of a linear order of units into consecutive segments, one per device.

SliceGraph (MTPP, algorithm 1) and DPL (device placement, section 5.1.2) are this dynamic program on one order. The cost
of a segment is the target's own: every tensor once per border, streaming, communication mode, memory cap, supported
devices and pins included. Segments are grown one unit at a time, which makes their costs incremental, and a search for
costs below a cutoff ends a segment where its work alone reaches it: with cutoffs near the optimum only segments of
about the right length are ever looked at.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product

import numpy as np

from planner.compiling.kernel import njit
from planner.errors import PlannerRefusal
from planner.evaluation import kernels
from planner.evaluation.kernels import MAX_COST, combine, streaming_time
from planner.evaluation.simple_bounds import fractional_share
from planner.methods.units import Units
from planner.model.graph import Ints
from planner.search.search import Search

PAIRS_PER_CALL = 200_000
"""Segments looked at between two looks at the stop criteria: some ten milliseconds."""
MOST_CELLS = 4_000_000
CUTOFFS = (1.02, 1.1, 1.3, 1.8, 4.0, math.inf)
"""Cutoffs tried in turn, as multiples of a lower bound; the first that leaves a slicing leaves the best one."""


@njit(cache=True, nogil=True)
def grow(
    order, first, most_pairs, cutoff, forward_cap, objective, communication, rate,
    entry_ptr, entry_tensor, entry_forward, entry_backward, entry_produces,
    tensor_time, send_time, tensor_part, tensor_total, work, memory, params, fits_type,
    type_class, pays, budget, capacity,
    edge_from, edge_type, edge_to, skip_from, skip_to,
    values, parent_place, parent_edge, stamp, inside, seen,
):  # fmt: skip
    """Extend the dynamic program over all segments that start at ``first`` or later; returns where to go on.

    ``values`` float64[m+1, s]: least objective of a prefix in a state (which devices are used); an edge of the state
    graph is one more segment on a device type. Only objectives below ``cutoff`` are kept, and under ``gpipe`` only
    segments whose forward cost is below ``forward_cap``; the value is then the largest backward cost.
    """
    m = len(order)
    types = len(type_class)
    classes = work.shape[0]
    active = np.empty(len(edge_from), np.int32)
    is_open = np.empty(types, np.bool_)
    alive = np.empty(classes, np.bool_)
    cost = np.empty(classes)
    busy = np.zeros((classes, 2))
    pairs = 0
    for i in range(first, m):
        if pairs >= most_pairs:
            return i
        for s in range(len(skip_from)):
            if values[i, skip_from[s]] < values[i, skip_to[s]]:
                values[i, skip_to[s]] = values[i, skip_from[s]]
                parent_place[i, skip_to[s]] = i
                parent_edge[i, skip_to[s]] = -2 - s
        count = 0
        is_open[:] = False
        for e in range(len(edge_from)):
            if values[i, edge_from[e]] < cutoff:
                active[count] = e
                count += 1
                is_open[edge_type[e]] = True
        if count == 0:
            continue
        receive0, receive1, send0, send1 = 0.0, 0.0, 0.0, 0.0
        used, held = 0.0, 0.0
        busy[:] = 0.0
        for j in range(i, m):
            u = order[j]
            pairs += 1
            used += memory[u]
            held += params[u]
            for c in range(classes):
                alive[c] = False
                busy[c, 0] += work[c, u, 0]
                busy[c, 1] += work[c, u, 1]
            any_open = False
            for y in range(types):
                if is_open[y]:
                    c = type_class[y]
                    if not fits_type[u, y] or used > capacity[c]:
                        is_open[y] = False
                        continue
                    stream = streaming_time(held, budget[c], rate)
                    if objective == MAX_COST:
                        is_open[y] = busy[c, 0] + busy[c, 1] + stream < cutoff
                    else:
                        is_open[y] = busy[c, 0] + stream < forward_cap and busy[c, 1] < cutoff
                    if is_open[y]:
                        alive[c] = True
                        any_open = True
            if not any_open:
                break
            for x in range(entry_ptr[u], entry_ptr[u + 1]):
                t = entry_tensor[x]
                time, leaving = tensor_time[t], send_time[t]
                if stamp[t] != i:
                    stamp[t] = i
                    inside[t] = False
                    seen[t, 0] = 0
                    seen[t, 1] = 0
                produced = inside[t]
                total = tensor_total[t]
                if produced:
                    if seen[t, 0] + seen[t, 1] < total:
                        if tensor_part[t] == 0:
                            send0 -= leaving
                        else:
                            send1 -= leaving
                elif seen[t, 0] > 0:
                    receive0 -= time
                elif seen[t, 1] > 0:
                    receive1 -= time
                seen[t, 0] += entry_forward[x]
                seen[t, 1] += entry_backward[x]
                if produced or entry_produces[x]:
                    inside[t] = True
                    if seen[t, 0] + seen[t, 1] < total:
                        if tensor_part[t] == 0:
                            send0 += leaving
                        else:
                            send1 += leaving
                elif seen[t, 0] > 0:
                    receive0 += time
                elif seen[t, 1] > 0:
                    receive1 += time
            for c in range(classes):
                if not alive[c]:
                    continue
                stream = streaming_time(held, budget[c], rate)
                r0, r1, s0, s1 = receive0, receive1, send0, send1
                if not pays[c]:
                    r0, r1, s0, s1 = 0.0, 0.0, 0.0, 0.0
                if objective == MAX_COST:
                    cost[c] = combine(r0 + r1, busy[c, 0] + busy[c, 1], s0 + s1, stream, communication)
                else:
                    cost[c] = combine(r1, busy[c, 1], s1, 0.0, communication)
                    if combine(r0, busy[c, 0], s0, stream, communication) >= forward_cap:
                        cost[c] = np.inf
            for a in range(count):
                e = active[a]
                if not is_open[edge_type[e]]:
                    continue
                value = max(values[i, edge_from[e]], cost[type_class[edge_type[e]]])
                to = edge_to[e]
                if value < cutoff and value < values[j + 1, to]:
                    values[j + 1, to] = value
                    parent_place[j + 1, to] = i
                    parent_edge[j + 1, to] = e
    return m


def even_cut(units: Units, order: Ints, devices: Ints) -> Ints:
    """The device of each unit (int32[m]) where ``order`` (int32[m]) is cut into shares of the work that take ``devices`` (int[d]) equally long."""
    class_of = units.problem.evaluator.class_of[devices]
    work = units.work[class_of[0]].sum(axis=1)[order]
    ends = np.cumsum(work)
    total = float(ends[-1]) if len(ends) else 0.0
    share = (ends - work / 2) / total if total > 0 else np.zeros(len(order))
    if (class_of == class_of[0]).all():
        place = (share * len(devices)).astype(np.int64)
    else:
        pace = 1.0 / np.maximum(units.work[class_of].sum(axis=(1, 2)), np.finfo(float).tiny)
        place = np.searchsorted(np.cumsum(pace / pace.max()) / (pace / pace.max()).sum(), share, side="right")
    device_of = np.zeros(units.count, np.int32)
    device_of[order] = devices[np.minimum(place, len(devices) - 1)]
    return device_of


class Slicer:
    """Slices orders of ``units`` over the devices of their problem; ``segment_bound`` is a lower bound for all orders.

    Raises :class:`PlannerRefusal` when more devices carry pins than the dynamic program can tell apart.
    """

    def __init__(self, units: Units) -> None:
        problem = units.problem
        e = problem.evaluator
        self.units = units
        self.gpipe = e.objective_code != MAX_COST
        self._classes = len(units.work)
        first = [
            int(np.flatnonzero(e.class_of == c)[0]) if (e.class_of == c).any() else -1
            for c in range(self._classes)
        ]
        # Devices of a class are alike in everything but pins, so the class has one budget, capacity and so on.
        self._pays = np.array([bool(d >= 0 and e.pays[d]) for d in first])
        self._budget = np.array([e.budget[d] if d >= 0 else np.inf for d in first])
        capped = any(rule.code == kernels.RULE_MEMORY for rule in e.rules)
        self._capacity = np.array(
            [e.capacity[d] * (1 + 1e-9) if capped and d >= 0 else np.inf for d in first]
        )
        ordered = any(rule.code == kernels.RULE_ORDER for rule in e.rules)
        if ordered:
            self._chain_states(e.k)
        else:
            self._pool_states(e.class_of)
        if self._states * (units.count + 1) > MOST_CELLS:
            if e.alike:
                what = f"pins on {len(np.unique(e.pinned[e.pinned >= 0]))} devices of a pool are"
            else:
                what = f"{len(self._type_devices)} kinds of devices in a pool, pinned ones among them, are"
            raise PlannerRefusal(
                f"{what} too many to slice a linear order with; remove some pins, or let local-search start from a plan of your own"
            )
        self._scratch()
        self.segment_bound = self._work_bound()

    # ------------------------------------------------------------------ states
    def _chain_states(self, k: int) -> None:
        """Devices in a fixed order, any of them empty: the state is how many have been passed."""
        units = self.units
        class_of = units.problem.evaluator.class_of
        told_apart = bool((~units.allowed).any()) or bool((class_of != class_of[:1]).any())
        self._states = k + 1
        self._from = np.arange(k, dtype=np.int32)
        self._to = self._from + np.int32(1)
        if told_apart:
            self._type_devices = [[d] for d in range(k)]
            self._type_class = class_of.astype(np.int32)
            self._edge_type = np.arange(k, dtype=np.int32)
            self._skip_from, self._skip_to = self._from, self._to
        else:
            # Devices that are alike need not stay empty in the middle: as many segments as there are devices suffice.
            self._type_devices = [list(range(k))]
            self._type_class = np.zeros(1, np.int32)
            self._edge_type = np.zeros(k, np.int32)
            self._skip_from = self._skip_to = np.empty(0, np.int32)

    def _pool_states(self, class_of: Ints) -> None:
        """Devices in any order: the state counts the unpinned devices used per class and marks each pinned one."""
        e = self.units.problem.evaluator
        special = np.unique(e.pinned[e.pinned >= 0]).tolist()
        self._type_devices = []
        type_class = []
        for c in range(self._classes):
            free = [d for d in range(e.k) if class_of[d] == c and d not in special]
            if free:
                self._type_devices.append(free)
                type_class.append(c)
        for d in special:
            self._type_devices.append([d])
            type_class.append(int(class_of[d]))
        self._type_class = np.array(type_class, np.int32)
        sizes = [len(devices) + 1 for devices in self._type_devices]
        self._states = math.prod(sizes)
        if self._states * (self.units.count + 1) > MOST_CELLS:
            return
        number = {state: s for s, state in enumerate(product(*(range(size) for size in sizes)))}
        edges = []
        for state, s in number.items():
            for y, used in enumerate(state):
                if used + 1 < sizes[y]:
                    edges.append((s, y, number[(*state[:y], used + 1, *state[y + 1 :])]))
        table = np.array(edges, np.int32).reshape(-1, 3)
        self._from, self._edge_type, self._to = (np.ascontiguousarray(table[:, i]) for i in range(3))
        self._skip_from = self._skip_to = np.empty(0, np.int32)

    def _scratch(self) -> None:
        t = len(self.units.tensor_time)
        shape = (self.units.count + 1, self._states)
        self._values = np.empty(shape)
        self._parent_place = np.empty(shape, np.int32)
        self._parent_edge = np.empty(shape, np.int32)
        self._stamp = np.empty(t, np.int32)
        self._inside = np.zeros(t, bool)
        self._seen = np.zeros((t, 2), np.int32)
        self._fits = np.stack([self.units.allowed[:, devices[0]] for devices in self._type_devices], axis=1)

    def _work_bound(self) -> float:
        """No slicing of any order is better: the largest unit, and equal shares of the work."""
        units, e = self.units, self.units.problem.evaluator
        if units.count == 0:
            return 0.0
        part_sum = 0.0
        for work in (units.work[..., 0], units.work[..., 1]) if self.gpipe else (units.work.sum(axis=2),):
            table = np.where(units.allowed.T, work[e.class_of], np.inf)
            largest = float(table.min(axis=0).max())
            part_sum += largest if math.isinf(largest) else max(largest, fractional_share(table, e.class_of))
        return part_sum

    # ------------------------------------------------------------------ solving
    def solve(
        self, order: Ints, search: Search, cutoff: float = math.inf, forward_cap: float = math.inf
    ) -> tuple[float, Ints] | None:
        """The best slicing of ``order`` (int32[m]) with a value below ``cutoff``, or None: (value, device of each unit).

        Raises :class:`planner.search.search.Stopped` when a stop criterion fires.
        """
        units, e = self.units, self.units.problem.evaluator
        self._values.fill(np.inf)
        self._values[0, 0] = 0.0
        self._stamp.fill(-1)
        place = 0
        while place < units.count:
            place = grow(
                order, place, PAIRS_PER_CALL, cutoff, forward_cap, e.objective_code, e.communication, e.streaming_rate,
                units.entry_ptr, units.entry_tensor, units.entry_forward, units.entry_backward, units.entry_produces,
                units.tensor_time, units.send_time, units.tensor_part, units.tensor_total, units.work, units.memory,
                units.params, self._fits, self._type_class, self._pays, self._budget, self._capacity,
                self._from, self._edge_type, self._to, self._skip_from, self._skip_to,
                self._values, self._parent_place, self._parent_edge, self._stamp, self._inside, self._seen,
            )  # fmt: skip
            search.check()
        last = int(np.argmin(self._values[units.count]))
        value = float(self._values[units.count, last])
        if not value < cutoff and units.count:
            return None
        return value, self._walk_back(order, last)

    def _walk_back(self, order: Ints, state: int) -> Ints:
        segments: list[tuple[int, int, int, int]] = []
        place = self.units.count
        while place > 0:
            edge = int(self._parent_edge[place, state])
            if edge <= -2:
                state = int(self._skip_from[-2 - edge])
                continue
            begin = int(self._parent_place[place, state])
            state = int(self._from[edge])
            segments.append((begin, place, int(self._edge_type[edge]), state))
            place = begin
        device_of = np.zeros(self.units.count, np.int32)
        taken = [0] * len(self._type_devices)
        for begin, end, y, _ in reversed(segments):
            device_of[order[begin:end]] = self._type_devices[y][taken[y]]
            taken[y] += 1
        return device_of

    def even(self, order: Ints) -> Ints:
        """The device of each unit (int32[m]) where ``order`` (int32[m]) is cut into equal shares of the work: a first plan, valid or not."""
        e = self.units.problem.evaluator
        devices = np.flatnonzero(e.pays == self._pays[self._type_class[0]]).astype(np.int32)
        return even_cut(self.units, order, devices)

    def best(self, order: Ints, search: Search, below: float = math.inf) -> tuple[float, Ints] | None:
        """The best slicing of ``order`` (int32[m]) for ``bottleneck`` or ``max-load``, if it is below ``below``: its objective and
        the device of each unit (int32[m]).
        """
        if self.units.blocked >= 0 or self.segment_bound >= below:
            return None
        base = self.segment_bound if self.segment_bound > 0 else math.inf
        for factor in CUTOFFS:
            found = self.solve(order, search, min(base * factor, below))
            if found is not None:
                return found
            if base * factor >= below:
                break
        return None

    def slicings(self, order: Ints, search: Search, below: float = math.inf) -> Iterator[Ints]:
        """Ever better slicings of ``order`` (int32[m]) below ``below``, as devices of the units (int32[m]); the last one is the best.

        ``gpipe`` adds two maxima. Its best slicing is found on the front of both: the least backward maximum is
        found below one cap on the forward maximum, then the cap is lowered to the forward maximum found, until the
        sum cannot improve any more.
        """
        if not self.gpipe:
            found = self.best(order, search, below)
            if found is not None:
                yield found[1]
            return
        units = self.units
        if units.blocked >= 0 or self.segment_bound >= below:
            return
        evaluator = units.problem.evaluator
        least_forward = self._least_forward()
        cap, cutoff = math.inf, below
        while True:
            found = self.solve(order, search, cutoff - least_forward, cap)
            if found is None:
                return
            device_of = found[1]
            backward = found[0]
            total = evaluator.objective(device_of[units.unit_of])
            forward = total - backward
            if total < cutoff:
                cutoff = total
                yield device_of
            # Below the cap the backward maximum only grows, so a better sum needs a forward maximum below both.
            cap = min(cap, forward, cutoff - backward) * (1 - 1e-9)
            if cap <= least_forward:
                return

    def _least_forward(self) -> float:
        units, e = self.units, self.units.problem.evaluator
        if units.count == 0:
            return 0.0
        table = np.where(units.allowed.T, units.work[..., 0][e.class_of], np.inf)
        return float(table.min(axis=0).max())
