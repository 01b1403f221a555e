"""Clusters of accelerators with fast connections inside: the exact search over pairs of ideals (device placement, C.3).

What an accelerator pays depends on which units it reaches fast: those of its cluster, or of all accelerators where they
are one cluster. Once that set is fixed, every tensor has one time to receive and one to send, and a chain of ideals tells
which accelerator holds what. So sets are guessed one by one, and the fewest accelerators under a bound are found inside:

* several clusters: contiguous plans put clusters and CPUs in an order, so a cluster holds the difference of two ideals.
  An outer chain goes over clusters and CPUs. From each ideal that it reaches, one run with the set open at the end says
  which ends the cluster may have (a smaller set only makes transfers slower), then each end is decided exactly.
* one cluster: accelerators and CPUs alternate, and the set is what the CPUs leave, so the units of the CPUs are guessed,
  one CPU after the other along the chain. With the CPUs guessed so far costs are too low if anything, which prunes.
"""

from __future__ import annotations

from itertools import product

import numpy as np

from planner.evaluation import kernels
from planner.machines.pool.ideals.clusters_kernels import NOBODY, cluster_times, cpu_ends, link
from planner.machines.pool.ideals.groups import MOST_SPECIALS, Group, Proximity, TooManyPairs, kinds_of
from planner.machines.pool.ideals.states import ACCELERATOR, CPU, Chain, absorbed
from planner.methods.ideals.lattice import Lattice
from planner.methods.ideals.potentials import Potentials
from planner.methods.ideals.telling import ideals_below
from planner.model.graph import Bools, Ints
from planner.search.search import Search

PAIRS_PER_CALL = 500_000
"""Pairs of ideals looked at between two looks at the stop criteria: some twenty milliseconds."""
FEW_PAIRS = 20_000_000
"""Pairs of ideals that a search may look at, over all guesses, before simpler ones have their turn: about two seconds."""
MOST_PAIRS = 1_000_000_000
"""Pairs of ideals that a search may look at in the end: about a minute."""
MOST_IDEALS = 5_000
"""Pairs of ideals that a cluster may hold are not worth counting beyond."""

Segment = tuple[int, Bools]
"""A device and the units on it (bool[m])."""


class Clusters:
    """Finds chains of ideals of ``lattice`` whose devices all cost less than a bound, with transfers of two speeds.

    ``lattice`` has the times outside clusters, ``proximity`` says what is faster; ``pairs`` is the most pairs of ideals to look at. Raises
    :class:`TooManyPairs` where there is too much to look at, at once or later.
    """

    def __init__(
        self, lattice: Lattice, costs: Potentials, proximity: Proximity, pairs: int, search: Search
    ) -> None:
        self.lattice, self.costs, self._most_pairs, self._search = lattice, costs, pairs, search
        units = lattice.units
        e = units.problem.evaluator
        self._kinds = kinds_of(units, proximity)
        self._several = len(proximity.inside) > 1
        groups = [group for kind in self._kinds for group in kind.clusters]
        if lattice.count > MOST_IDEALS:
            raise TooManyPairs(f"{lattice.count} ideals are too many for pairs of them")
        if max((len(group.specials) for group in groups), default=0) > MOST_SPECIALS:
            raise TooManyPairs("too many accelerators of one cluster carry pins")
        capped = any(rule.code == kernels.RULE_MEMORY for rule in e.rules)
        self._capacity = float(e.capacity[e.pays].min(initial=np.inf)) * (1 + 1e-9) if capped else np.inf
        self._work = np.ascontiguousarray(units.work[ACCELERATOR].sum(axis=1))
        self._total = float(costs.work[-1, ACCELERATOR])
        # More than any device can cost, to have finite numbers where no plan is known yet.
        self._most = 2 * float(units.work.max(axis=0).sum() + units.tensor_time.sum()) + 1
        self._fits = {id(group): self._fits_of(group) for group in groups}
        self._entries = (units.entry_ptr, units.entry_tensor, units.entry_forward, units.entry_backward)
        t = len(units.tensor_time)
        self._receive, self._send = np.empty(t), np.empty(t)
        self._inside, self._seen = np.zeros(t, bool), np.zeros(t, np.int32)
        self._tables = {masks: self._table(masks) for masks in {1 << len(group.specials) for group in groups}}
        self._ends = np.empty(lattice.count, np.int32)
        self._counted = np.zeros(1, np.int64)
        self._states = np.array(list(product(*(range(kind.count + 1) for kind in self._kinds))), np.int32)
        self._number = {tuple(row): s for s, row in enumerate(self._states.tolist())}

    def _table(self, masks: int) -> tuple[np.ndarray, ...]:
        shape = (self.lattice.count, masks)
        return np.empty(shape, np.int16), np.empty(shape), np.empty(shape, np.int32), np.empty(shape, np.int8)

    def _fits_of(self, group: Group) -> Ints:
        """int64[m]: bits of the types of accelerators that may hold a unit."""
        allowed = self.lattice.units.allowed
        types = [*group.free[:1], *group.specials]
        shift = 0 if group.free else 1
        bits = [allowed[:, d].astype(np.int64) << (y + shift) for y, d in enumerate(types)]
        fits: Ints = np.bitwise_or.reduce(bits)
        return fits

    def solve(self, bound: float, search: Search) -> Chain | None:
        """A chain with every load below ``bound``, or None where there is none.

        Raises :class:`planner.search.search.Stopped` when a stop criterion fires, else :class:`TooManyPairs`.
        """
        self._search = search
        bound = min(bound, self._most)
        self._alone = absorbed(self.lattice.units, bound)
        segments = self._outer(bound) if self._several else self._around(bound)
        return None if segments is None else self._chain(*segments)

    def _chain(self, segments: list[Segment], value: float) -> Chain:
        units = self.lattice.units
        device_of = np.zeros(units.count, np.int32)
        place = np.full(units.problem.evaluator.k, len(segments), np.int32)
        for number, (device, inside) in enumerate(segments):
            device_of[inside] = device
            place[device] = number
        return Chain(device_of, place, value)

    def _between(self, low: int, high: int) -> Bools:
        inside: Bools = self.lattice.members(high) & ~self.lattice.members(low)
        return inside

    # ------------------------------------------------------------------ inside one cluster
    def _times(self, group: Group, member: Bools) -> None:
        units = self.lattice.units
        cluster_times(
            member, group.speed, *self._entries, units.tensor_producer, units.tensor_time,
            self._receive, self._send,
        )  # fmt: skip

    def _link(self, group: Group, low: int, high: int, bound: float, beyond: float) -> None:
        """Fill the group's table from ideal ``low``, which is set, to ``high``."""
        fewest, load, from_ideal, from_type = self._tables[1 << len(group.specials)]
        fewest[low + 1 : high + 1] = NOBODY
        load[low + 1 : high + 1] = np.inf
        from_ideal[low] = -1
        lattice, costs, units = self.lattice, self.costs, self.lattice.units
        at = low
        while at < high:
            at = link(
                at, high, PAIRS_PER_CALL, bound, units.problem.evaluator.communication, len(group.free),
                len(group.specials), beyond, lattice.ptr, lattice.upper, lattice.unit, lattice.bits, costs.work,
                costs.memory, self._capacity, self._work, self._fits[id(group)], *self._entries,
                units.entry_produces, units.tensor_total, self._receive, self._send,
                fewest, load, from_ideal, from_type, self._inside, self._seen, self._counted,
            )  # fmt: skip
            self._look()

    def _look(self) -> None:
        self._search.check()
        if self._counted[0] > self._most_pairs:
            raise TooManyPairs(f"more than {self._most_pairs} pairs of ideals inside clusters")

    def _set_start(self, group: Group, low: int) -> None:
        fewest, load, _, _ = self._tables[1 << len(group.specials)]
        fewest[low] = NOBODY
        load[low] = np.inf
        fewest[low, 0], load[low, 0] = 0, 0.0

    def _inner(self, group: Group, ideal: int, mask: int) -> tuple[list[tuple[int, Bools]], int, int]:
        """The segments (type of accelerator, units) up to ``ideal``, last first, and the ideal and mask they start from."""
        _, _, from_ideal, from_type = self._tables[1 << len(group.specials)]
        segments = []
        while from_ideal[ideal, mask] >= 0:
            y, before = int(from_type[ideal, mask]), int(from_ideal[ideal, mask])
            segments.append((y, self._between(before, ideal)))
            mask = mask & ~(1 << (y - 1)) if y > 0 else mask
            ideal = before
        return segments, ideal, mask

    def _cpu_ends(self, cpu: int, start: int, bound: float) -> list[int]:
        lattice = self.lattice
        found = cpu_ends(
            start, bound, lattice.ptr, lattice.upper, lattice.unit, self.costs.work,
            np.ascontiguousarray(lattice.units.allowed[:, cpu]), self._ends, self._counted,
        )  # fmt: skip
        self._look()
        return sorted(self._ends[:found].tolist())

    # ------------------------------------------------------------------ several clusters
    def _rooms(self, bound: float) -> np.ndarray:
        """float64[s]: accelerator work that the clusters and CPUs left in a state can still take."""
        room = np.zeros(len(self._states))
        for column, kind in enumerate(self._kinds):
            each = kind.clusters[0].size * bound if kind.clusters else self._alone
            left = kind.count - self._states[:, column]
            room += np.where(left > 0, left * each, 0.0)
        return room * (1 + 1e-9)

    def _outer(self, bound: float) -> tuple[list[Segment], float] | None:
        """The chain over clusters and CPUs."""
        count, states = self.lattice.count, len(self._states)
        reached = np.zeros((count, states), bool)
        reached[0, 0] = True
        came_ideal = np.full((count, states), -1, np.int32)
        came_kind = np.full((count, states), -1, np.int16)
        came_state = np.full((count, states), -1, np.int32)
        room = self._rooms(bound)
        fits_in = (self._total - self.costs.work[:, ACCELERATOR])[:, None] <= room[None, :]
        # A state that has used no more of anything is as good.
        fewer = [np.flatnonzero((self._states <= row).all(axis=1)) for row in self._states]

        def keep(start: int, end: int, column: int, moves: list[tuple[int, int]]) -> None:
            for s, to in moves:
                if fits_in[end, to] and not reached[end, fewer[to]].any():
                    reached[end, to] = True
                    came_ideal[end, to], came_kind[end, to] = start, column
                    came_state[end, to] = s

        for i in range(count - 1):
            here = np.flatnonzero(reached[i]).tolist()
            for column, kind in enumerate(self._kinds):
                moves = [(s, self._next(s, column)) for s in here if self._states[s, column] < kind.count]
                if not moves:
                    continue
                if kind.cpus:
                    for j in self._cpu_ends(kind.cpus[0], i, bound):
                        keep(i, j, column, moves)
                    continue
                targets = [to for _, to in moves]
                for j in self._open_ends(kind.clusters[0], i, bound):
                    if any(fits_in[j, to] and not reached[j, fewer[to]].any() for to in targets) and (
                        self._closes(kind.clusters[0], i, j, bound)
                    ):
                        keep(i, j, column, moves)
            self._search.progress(i / count, f"clusters from {ideals_below(i, self.lattice, bound)}")
        ends = np.flatnonzero(reached[-1])
        if not len(ends):
            return None
        ideal, state = count - 1, int(ends[0])
        parts: list[list[Segment]] = []
        value = 0.0
        while ideal > 0:
            start, column = int(came_ideal[ideal, state]), int(came_kind[ideal, state])
            state = int(came_state[ideal, state])
            kind, number = self._kinds[column], int(self._states[state, column])
            if kind.cpus:
                parts.append([(kind.cpus[number], self._between(start, ideal))])
                value = max(value, float(self.costs.work[ideal, CPU] - self.costs.work[start, CPU]))
            else:
                found, load = self._segments(kind.clusters[0], kind.clusters[number], start, ideal, bound)
                parts.append(found)
                value = max(value, load)
            ideal = start
        return [segment for part in reversed(parts) for segment in part], value

    def _next(self, state: int, column: int) -> int:
        row = self._states[state].tolist()
        row[column] += 1
        return self._number[tuple(row)]

    def _open_ends(self, group: Group, start: int, bound: float) -> list[int]:
        """Ideals at which a cluster that starts at ``start`` might end: the set is open, so transfers are fast if in doubt."""
        last = self.lattice.count - 1
        self._times(group, ~self.lattice.members(start))
        self._set_start(group, start)
        self._link(group, start, last, bound, np.inf)
        fewest = self._tables[1 << len(group.specials)][0]
        ends: list[int] = (np.flatnonzero((fewest[start + 1 :] < NOBODY).any(axis=1)) + start + 1).tolist()
        return ends

    def _closes(self, group: Group, start: int, end: int, bound: float) -> bool:
        """Whether one cluster can hold what lies between two ideals."""
        self._times(group, self._between(start, end))
        self._set_start(group, start)
        self._link(group, start, end, bound, 0.0)
        return bool((self._tables[1 << len(group.specials)][0][end] < NOBODY).any())

    def _segments(
        self, alike: Group, group: Group, start: int, end: int, bound: float
    ) -> tuple[list[Segment], float]:
        """The accelerators of ``group`` in order, and their largest load; ``alike`` is the group to search for."""
        self._closes(alike, start, end, bound)
        _, load, _, _ = self._tables[1 << len(alike.specials)]
        mask = int(np.argmin(load[end]))
        value = float(load[end, mask])
        return self._named(group, self._inner(alike, end, mask)[0][::-1]), value

    @staticmethod
    def _named(group: Group, inner: list[tuple[int, Bools]]) -> list[Segment]:
        """Segments with types of accelerators as segments with devices."""
        free = iter(group.free)
        return [(next(free) if y == 0 else group.specials[y - 1], inside) for y, inside in inner]

    # ------------------------------------------------------------------ one cluster
    def _around(self, bound: float) -> tuple[list[Segment], float] | None:
        """Guess what CPUs hold, in the order of the chain."""
        group = next((kind.clusters[0] for kind in self._kinds if kind.clusters), Group((), ()))
        if not group.size:
            raise TooManyPairs("there are no accelerators to connect")
        self._cpu_kinds = [kind for kind in self._kinds if kind.cpus]
        return self._guess(group, bound, [], [0] * len(self._cpu_kinds))

    def _guess(
        self, group: Group, bound: float, guessed: list[tuple[int, int, int]], used: list[int]
    ) -> tuple[list[Segment], float] | None:
        """Go on from CPUs ``guessed`` (device, first ideal, last ideal); ``used`` counts them by kind."""
        lattice, work = self.lattice, self.costs.work
        fewest, load, _, _ = self._tables[1 << len(group.specials)]
        last = lattice.count - 1
        left = sum(kind.count for kind in self._cpu_kinds) - sum(used)
        member = np.ones(lattice.units.count, bool)
        for _, low, high in guessed:
            member &= ~self._between(low, high)
        self._times(group, member)
        self._set_start(group, 0)
        at = 0
        for _, low, high in guessed:
            self._link(group, at, low, bound, 0.0)
            if not (fewest[low] < NOBODY).any():
                return None
            fewest[high] = fewest[low]
            load[high] = np.maximum(load[low], work[high, CPU] - work[low, CPU])
            at = high
        self._link(group, at, last, bound, left * self._alone if left else 0.0)
        if (fewest[last] < NOBODY).any():
            return self._whole(group, guessed)
        if not left:
            return None
        starts = [
            (i, int(fewest[i].min()))
            for i in (np.flatnonzero((fewest[at:last] < NOBODY).any(axis=1)) + at).tolist()
        ]
        for step, (i, taken) in enumerate(starts):
            if not guessed:
                self._search.progress(
                    step / len(starts), f"CPUs from {ideals_below(step, self.lattice, bound, len(starts))}"
                )
            room = (group.size - taken) * bound + (left - 1) * (self._alone if left > 1 else 0.0)
            for column, kind in enumerate(self._cpu_kinds):
                if used[column] == kind.count:
                    continue
                for j in self._cpu_ends(kind.cpus[0], i, bound):
                    if self._total - work[j, ACCELERATOR] > room * (1 + 1e-9):
                        continue
                    used[column] += 1
                    cpu = kind.cpus[used[column] - 1]
                    found = self._guess(group, bound, [*guessed, (cpu, i, j)], used)
                    used[column] -= 1
                    if found is not None:
                        return found
        return None

    def _whole(self, group: Group, guessed: list[tuple[int, int, int]]) -> tuple[list[Segment], float]:
        """Walk back from the ideal of all units through the guessed CPUs."""
        _, load, _, _ = self._tables[1 << len(group.specials)]
        ideal = self.lattice.count - 1
        mask = int(np.argmin(load[ideal]))
        value = float(load[ideal, mask])
        backwards: list[tuple[int, Bools]] = []
        for cpu, low, high in [*reversed(guessed), (-1, -1, -1)]:
            found, ideal, mask = self._inner(group, ideal, mask)
            backwards += found
            if cpu >= 0:
                backwards.append((-1 - cpu, self._between(low, high)))
                ideal = low
        named = iter(self._named(group, [(y, inside) for y, inside in reversed(backwards) if y >= 0]))
        return [next(named) if y >= 0 else (-1 - y, inside) for y, inside in reversed(backwards)], value
