"""Orders of units that are worth cutting into chips: by rules that follow how a graph is built, and changes of one."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from planner.machines.mcm.search.units import McmUnits, levels
from planner.methods.orders import depth_first_order, kahn_order
from planner.model.graph import Floats, Ints, csr


class McmOrders:
    """Topological orders of ``units``, in which pinned units stand about where their chips will be."""

    def __init__(self, units: McmUnits) -> None:
        m = units.count
        self.units = units
        self._succs = units.follow_ptr, units.follow_idx
        source = np.repeat(np.arange(m, dtype=np.int32), np.diff(units.follow_ptr))
        self._preds = csr(units.follow_idx, source, m)
        self._low, self._high = self._windows()
        self._free = bool((self._low == 0.0).all() and (self._high == m).all())

    def by_rule(self) -> Iterator[Ints]:
        """The file's order of the units, depth-first ones from either end, and some by depth (int32[m] each).

        Most have their sources as late as may be. A source far in front of its readers keeps them all on its chip or the next one.
        """
        m = self.units.count
        depth_first = depth_first_order(*self._succs)
        backwards: Ints = depth_first_order(*self._preds)
        from_sinks: Ints = np.flip(backwards)
        ones = np.ones(m)
        from_end = -levels(*self._preds, backwards, ones)
        from_start = levels(*self._succs, depth_first, ones)
        keys = np.arange(m, dtype=np.float64)
        yield self.order(self._sources_late(keys))
        yield self.order(from_end)
        yield self.order(places(from_sinks))
        yield self.order(self._sources_late(places(depth_first)))
        yield self.order(from_start + from_end)
        yield self.order(self._sources_late(levels(*self._succs, depth_first, self.units.work)))
        yield self.order(keys)

    def order(self, keys: Floats) -> Ints:
        """The topological order that takes the least of ``keys`` (float64[m]) among what is ready (int32[m])."""
        if not self._free:
            ranked: Ints = np.argsort(keys, kind="stable").astype(np.int32)
            keys = np.clip(places(ranked), self._low, self._high)
        found: Ints = kahn_order(*self._succs, keys)
        return found

    def depth_first(self, rng: np.random.Generator) -> Ints:
        """A depth-first order of the units (int32[m]) that takes roots and neighbours at random, from the front or from the end."""
        m = self.units.count
        front = rng.random() < 0.5
        ptr, idx = self._succs if front else self._preds
        label = rng.permutation(m).astype(np.int32)
        owner = np.repeat(np.arange(m, dtype=np.int32), np.diff(ptr))
        order = depth_first_order(*csr(label[owner], label[idx], m))
        back = np.empty(m, np.int32)
        back[label] = np.arange(m, dtype=np.int32)
        found = back[order] if front else back[order][::-1]
        return self.order(places(np.ascontiguousarray(found)))

    def changed(self, order: Ints, place: Ints, rng: np.random.Generator) -> Ints:
        """``order`` with some noise, or the units shuffled on each chip of ``place`` (int32[m])."""
        m = self.units.count
        if rng.random() < 0.5:
            inside = places(order) / m if rng.random() < 0.5 else rng.random(m)
            return self.order(place + (inside + rng.random() * rng.random(m)) * 0.49)
        noise = rng.standard_normal(m) * m * 0.2 * rng.random() ** 3
        if rng.random() < 0.5:
            # A change in one place leaves what is good elsewhere.
            centre, width = rng.random() * m, 1.0 + m * 0.25 * rng.random()
            noise[np.abs(places(order) - centre) > width] = 0.0
        return self.order(places(order) + noise)

    def _sources_late(self, keys: Floats) -> Floats:
        ptr, idx = self._succs
        late = places(self.order(keys))
        counts = np.diff(ptr)
        first = np.minimum.reduceat(np.append(late[idx], np.inf), ptr[:-1]) if len(counts) else late
        source = (np.diff(self._preds[0]) == 0) & (counts > 0)
        late[source] = first[source] - 0.5
        return late

    def _windows(self) -> tuple[Floats, Floats]:
        """Between which places each unit may stand, from the chips that pins leave it (float64[m] each)."""
        m, k = self.units.count, self.units.problem.evaluator.k
        allowed = (self.units.allowed[:, None] >> np.arange(k, dtype=np.uint64)) & np.uint64(1) == 1
        first, last = allowed.argmax(axis=1), k - 1 - allowed[:, ::-1].argmax(axis=1)
        return first * m / k, (last + 1) * m / k


def places(order: Ints) -> Floats:
    """The place of each unit in an order (float64[m])."""
    found = np.empty(len(order))
    found[order] = np.arange(len(order))
    return found
