"""A first slicing of a pool at once, however many ops there are: equal shares of the work, as far as memory and support allow."""

from __future__ import annotations

import math

import numpy as np

from planner.methods.units import Units
from planner.model.graph import Floats, Ints

HALVINGS = 24
"""Steps of the search for the smallest share; each looks at every device once."""


def balanced_slicing(units: Units, order: Ints) -> Ints | None:
    """``order`` cut into consecutive segments, accelerators first and CPUs where none is left or an op needs one: device of each unit (int32[m]).

    The largest work of a device is as small as such a cut allows; transfers are not looked at. None where the devices do not
    suffice, and where units are pinned. Takes O(m + k log m) for m units and k devices.
    """
    cut = _Cut(units, order)
    if (units.problem.evaluator.pinned >= 0).any() or cut.segments(math.inf) is None:
        return None
    low, high = 0.0, cut.most
    best = cut.segments(math.inf)
    for _ in range(HALVINGS):
        share = (low + high) / 2
        found = cut.segments(share)
        if found is None:
            low = share
        else:
            best, high = found, share
    assert best is not None
    device_of = np.zeros(units.count, np.int32)
    for begin, end, device in best:
        device_of[order[begin:end]] = device
    return device_of


class _Cut:
    """Sums along the order, from which the end of a segment is read off."""

    def __init__(self, units: Units, order: Ints) -> None:
        e = units.problem.evaluator
        self._accelerators = np.flatnonzero(e.pays).tolist()
        self._cpus = np.flatnonzero(~e.pays).tolist()
        self._count = len(order)
        self._memory = _sums(units.memory[order])
        self._work = {
            d: _sums(units.work[e.class_of[d]].sum(axis=1)[order])
            for d in (*self._accelerators[:1], *self._cpus[:1])
        }
        self._room = float(e.capacity[self._accelerators[0]]) * (1 + 1e-9) if self._accelerators else 0.0
        first = self._accelerators[:1]
        fits = units.allowed[order][:, first[0]] if first else np.zeros(self._count, bool)
        fits = fits & (units.memory[order] <= self._room)
        self._fits = fits.tolist()
        self._change = _next(~fits), _next(fits)
        self.most = max(float(sums[-1]) for sums in self._work.values())

    def segments(self, share: float) -> list[tuple[int, int, int]] | None:
        """``(begin, end, device)`` with at most ``share`` of work on each device, None where there are too few devices."""
        accelerators, cpus = list(self._accelerators), list(self._cpus)
        found = []
        place = 0
        while place < self._count:
            if accelerators and self._fits[place]:
                device = accelerators.pop(0)
                end = min(
                    self._end(self._work[self._accelerators[0]], place, share),
                    self._end(self._memory, place, self._room),
                    int(self._change[0][place]),
                )
            elif cpus:
                device = cpus.pop(0)
                end = self._end(self._work[self._cpus[0]], place, share)
                if accelerators:
                    end = min(end, int(self._change[1][place]))
            else:
                return None
            if end == place:
                return None
            found.append((place, end, device))
            place = end
        return found

    def _end(self, sums: Floats, place: int, most: float) -> int:
        return int(np.searchsorted(sums, sums[place] + most, side="right")) - 1


def _sums(values: Floats) -> Floats:
    """Sums of the values before each place, and of all (float64[m+1])."""
    return np.concatenate([[0.0], np.cumsum(values)])


def _next(wanted: np.ndarray) -> Ints:
    """The first place from each on that is ``wanted``, m without one (int64[m])."""
    places = np.where(wanted, np.arange(len(wanted)), len(wanted))
    return np.minimum.accumulate(places[::-1])[::-1]
