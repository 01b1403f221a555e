"""Fewest devices under a bound: the dynamic program over ideals for ``max-load`` with summed communication.

``fewest[I, s]`` is the least number of free accelerators that, together with the devices of state s, holds the ideal I
with every load below the bound (device placement, section 5.1.1, with the load as a bound and the count as the value).
Ideals are settled from small to large; from each one that can still lead to a whole plan, what a further device may
hold is walked through, adding units in increasing order so that every larger ideal is met once.

Two shortcuts replace most of the walking, and neither loses a plan (``docs/ideals-dp.md`` has the proofs):

* far ends: once an ideal has closed every tensor that the start cuts, the cost separates, and so it does for every
  larger ideal. Instead of walking on, the start's part is handed along the lattice as a prefix minimum.
* starts that leave too much: the devices that are left must take the work that is left.
"""

from __future__ import annotations

import math

import numpy as np

from planner.machines.pool.ideals.cover import Channels, Found, Hubs, Steps, cover
from planner.machines.pool.ideals.states import (
    ACCELERATOR,
    Chain,
    States,
    fits_type,
    taken_off,
    type_capacity,
)
from planner.methods.ideals.lattice import Lattice
from planner.methods.ideals.potentials import IDEALS_PER_CALL, Potentials, ideal_sums
from planner.methods.ideals.telling import ideals_below
from planner.model.graph import Bools, Floats
from planner.search.search import Search

PAIRS_PER_CALL = 1_000_000
"""Pairs of ideals looked at between two looks at the stop criteria: some twenty milliseconds."""
MOST_GATHER_BYTES = 200_000_000
"""What prefix minima may take; without room for them every pair is walked."""
MOST_HUBS = 3
HUB_SHARE = 0.2
"""Tensors that more than this share of the ideals cut (a mask for every layer) are not waited for to close."""
SECOND_BITS = 0b101010
NOBODY = np.int16(30000)
"""More accelerators than there are: not reached."""


class Coverer:
    """Finds chains of ideals of ``lattice`` whose devices all cost less than a bound."""

    def __init__(self, lattice: Lattice, costs: Potentials, states: States, search: Search) -> None:
        self.lattice, self.costs, self.states = lattice, costs, states
        units = lattice.units
        fits = fits_type(units, states)
        self._hubs = self._find_hubs(search)
        self._steps = Steps(
            (fits << np.arange(fits.shape[1], dtype=np.int64)).sum(axis=1).astype(np.int64),
            type_capacity(units, states),
            states.type_class,
            states.type_pays,
            states.move_type,
            states.move_from,
            states.move_to,
        )
        self._misfits = ideal_sums(lattice, ~fits[:, :1].astype(bool) * 1.0, search)[:, 0]
        self._channels = self._find_channels(fits)
        i, s = lattice.count, states.count
        self._found = Found(
            np.empty((i, s), np.int16),
            np.empty((i, s)),
            np.empty((i, s), np.int32),
            np.empty((i, s), np.int8),
        )
        h = len(costs.touches.time)
        self._scratch = (np.empty(h, np.int32), np.empty(h, np.int32), np.empty(h, np.int32))

    def _find_channels(self, fits: Bools) -> Channels:
        """The (type, state) pairs whose costs separate: accelerators far off, free CPUs that may hold everything, and have room for it."""
        states = self.states
        chosen = []
        if states.accelerators and fits[:, 0].any():
            kinds = np.unique(self._hubs.kept).tolist()
            chosen += [(0, s, s, kind) for s in range(states.count) for kind in kinds]
        for y, a, b in zip(
            states.move_type.tolist(), states.move_from.tolist(), states.move_to.tolist(), strict=True
        ):
            # Prefix minima do not know what a segment occupies.
            holds_all = self._steps.capacity[y] >= float(self.lattice.units.memory.sum())
            if not states.type_pays[y] and holds_all and fits[:, y].all():
                chosen.append((y, a, b, 0))
        if len(chosen) * (states.accelerators + 1) * 12 * self.lattice.count > MOST_GATHER_BYTES:
            chosen = []
        table = np.array(chosen, np.int32).reshape(-1, 4)
        kind, before, behind, hubs = (np.ascontiguousarray(table[:, x]) for x in range(4))
        sums = self._hubs.sums
        of = np.full((len(states.devices), states.count, len(sums)), -1, np.int32)
        of[kind, before, hubs] = np.arange(len(table), dtype=np.int32)
        shape = (self.lattice.count, len(table), states.accelerators + 1)
        return Channels(
            kind,
            before,
            behind,
            hubs,
            sums[hubs & SECOND_BITS],
            of,
            np.empty(shape),
            np.empty(shape, np.int32),
        )

    def _find_hubs(self, search: Search) -> Hubs:
        """The tensors that the most ideals cut, if that is a good part of them, and what each ideal does to them.

        Two bits per hub. An end that cuts it has both; a start that cuts it has the first, and the second too where one
        unit of the hub is left outside: as long as that one stays outside, nothing touches the hub.
        """
        costs, lattice = self.costs, self.lattice
        touch = costs.touches
        cutting = np.bincount(costs.border, minlength=len(touch.time))
        least = lattice.count * HUB_SHARE
        chosen = [int(t) for t in np.argsort(-cutting, kind="stable")[:MOST_HUBS] if cutting[t] > least]
        hubs = Hubs(
            np.zeros(len(cutting), bool),
            np.zeros(lattice.count, np.int64),
            np.zeros(lattice.count, np.int64),
            np.zeros(1 << 2 * len(chosen)),
        )
        hubs.chosen[chosen] = True
        search.check()
        owner = np.repeat(np.arange(lattice.count, dtype=np.int32), np.diff(costs.border_ptr))
        for number, t in enumerate(chosen):
            search.check()
            first, second = 1 << 2 * number, 2 << 2 * number
            cut_by = owner[costs.border == t]
            members = touch.tensor_unit[touch.tensor_ptr[t] : touch.tensor_ptr[t + 1]]
            inside = sum(
                ((lattice.bits[cut_by, v >> 6] >> np.uint64(v & 63)) & np.uint64(1)).astype(np.int64)
                for v in members.tolist()
            )
            hubs.cut[cut_by] |= first | second
            hubs.kept[cut_by] |= np.where(inside == len(members) - 1, first | second, first)
            subsets = np.arange(len(hubs.sums))
            hubs.sums[:] += touch.time[t] * (((subsets & first) > 0) + ((subsets & second) > 0).astype(float))
        return hubs

    def _far_ok(self, bound: float) -> Bools:
        """bool[i]: nothing that a far segment from i could hold breaks support or the memory cap of an accelerator."""
        units, costs = self.lattice.units, self.costs
        fine = self._misfits == self._misfits[-1]
        cap = float(self._steps.capacity[0])
        if float(units.memory.sum()) > cap:
            # No segment below the bound ends where more work lies behind than the start's and the bound together.
            order = np.argsort(costs.work[:, ACCELERATOR], kind="stable")
            most = np.maximum.accumulate(costs.memory[order])
            ends = np.searchsorted(
                costs.work[order, ACCELERATOR], costs.work[:, ACCELERATOR] + bound, side="right"
            )
            fine &= most[ends - 1] - costs.memory <= cap
        return fine

    def _room(self, bound: float) -> Floats:
        """float64[s, a]: accelerator work that the devices left in state s after a free accelerators can still take."""
        states = self.states
        free = states.accelerators - np.arange(states.accelerators + 1)
        room = np.tile(taken_off(self.lattice.units, states.left, bound)[:, None], (1, len(free)))
        room[:, free > 0] += free[free > 0] * bound
        return room * (1 + 1e-9)

    def solve(self, bound: float, search: Search) -> Chain | None:
        """A chain with every load below ``bound``, or None where there is none.

        Raises :class:`planner.search.search.Stopped` when a stop criterion fires.
        """
        lattice, costs, states = self.lattice, self.costs, self.states
        found, gather = self._found, self._channels.gather
        for first in range(0, lattice.count, IDEALS_PER_CALL):
            search.check()
            some = slice(first, first + IDEALS_PER_CALL)
            gather[some], found.fewest[some], found.load[some] = np.inf, NOBODY, np.inf
        found.fewest[0, 0] = 0
        found.load[0, 0] = 0.0
        self._scratch[0].fill(-1)
        room, far_ok = self._room(bound), self._far_ok(bound)
        ideals = (lattice.ptr, lattice.upper, lattice.unit, lattice.bits)
        place = 0
        while place < lattice.count:
            place = cover(
                place, PAIRS_PER_CALL, bound, states.accelerators, ideals, costs, self._steps, room, states.counts_cut,
                far_ok, self._channels, self._hubs, found, self._scratch,
            )  # fmt: skip
            search.progress(place / lattice.count, ideals_below(place, lattice, bound))
            search.check()
        ends = self._found.load[-1]
        if not math.isfinite(float(ends.min())):
            return None
        return self._chain(int(np.argmin(ends)))

    def _chain(self, state: int) -> Chain:
        """Walk back from the ideal of all units."""
        lattice, states = self.lattice, self.states
        segments = []
        ideal = lattice.count - 1
        value = float(self._found.load[ideal, state])
        while ideal > 0:
            y, before = int(self._found.from_type[ideal, state]), int(self._found.from_ideal[ideal, state])
            segments.append((y, lattice.members(ideal) & ~lattice.members(before)))
            if y > 0:
                state = int(states.before[state, y])
            ideal = before
        return Chain.of(states, lattice.units, segments[::-1], value)
