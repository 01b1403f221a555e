"""The two-superblock relaxation of a pipeline, solved a slice at a time. ``docs/bounds.md`` has the proof."""

from __future__ import annotations

import math

import numpy as np

from planner.machines.pipeline.exact.model import StageModel
from planner.machines.pipeline.superblocks.flow import CutNetwork
from planner.machines.pipeline.superblocks.tree import ACTIVE, EXPANDED, FREE, IN, OPEN, OUT, SPARE, explore
from planner.model.graph import Bools

ARCS_PER_CALL = 60_000
"""Arcs in all the minimum cuts between two looks at the stop criteria: some ten milliseconds."""
MOST_BYTES = 1 << 27
"""Memory for open nodes."""
MOST_SLOTS = 1 << 18
RESOLUTION = float(1 << 44)
"""What all costs together are in the whole numbers of the flows; tensors, units and both ends stay below 2**60."""
TRIES, ROUNDS, TOLERANCE = 20, 4, 1e-4


class Split:
    """The least z at which stages 0..a-1 and the k - a others could each pay for an ideal and for the rest.

    ``streaming`` adds what the parameters exceed all budgets of a side by. ``cutoff``: bounds need not go beyond it (the
    objective of a plan). :attr:`bound` holds at any time, :attr:`done` says that it will not rise any more.
    """

    def __init__(
        self,
        model: StageModel,
        network: CutNetwork,
        first: int,
        *,
        streaming: bool = False,
        cutoff: float = math.inf,
        bound: float = 0.0,
    ) -> None:
        m = model.count
        self._model, self._network = model, network
        self._a, self._b = float(first), float(model.k - first)
        self._cost = model.work + model.params / model.rate if streaming else model.work
        room = model.budget / model.rate if streaming else 0.0
        self._in_base, self._out_base = -self._a * room, -self._b * room
        total = float(self._cost.sum() + np.maximum(model.time, model.send_time).sum())
        self._scale = RESOLUTION / (2.0 * total) if total > 0 else 1.0
        # Sums of floats in the kernels may be off by some units in the last place of their largest parts.
        self._slack = 1e-12 * (total + abs(self._in_base) + abs(self._out_base))
        self._cutoff = cutoff
        slots = max(64, min(MOST_SLOTS, MOST_BYTES // max(m, 1)))
        self._heap_bound = np.empty(slots)
        self._heap_slot = np.empty(slots, np.int32)
        self._fixes = np.empty((slots, m), np.int8)
        self._weights = np.empty(slots)
        self._spare = np.arange(slots, dtype=np.int32)
        self._state = np.array([1, slots - 1, 0, 0, 0, 0, -1], np.int64)
        self._active = np.zeros(2)
        self._chosen = np.zeros(TRIES, np.int64)
        self._fix = np.zeros(m, np.int8)
        self._child = np.zeros((2, m), np.int8)
        self._gains, self._gain_weights = np.zeros(2), np.zeros(2)
        self._picked = np.zeros((2, m), np.int8)
        self._picked_gains, self._picked_weights = np.zeros(2), np.zeros(2)
        self._best = np.zeros(m, bool)
        self._best_value = np.array([math.inf])
        self._heap_bound[0], self._heap_slot[0] = bound, slots - 1
        self._weights[slots - 1] = self._a / model.k
        fix = np.full(m, FREE, np.int8)
        fix[model.latest < first] = IN
        fix[model.earliest >= first] = OUT
        self._fixes[slots - 1] = fix
        self.bound = bound

    @property
    def done(self) -> bool:
        """Whether the relaxation is solved, the cutoff reached, or no memory left for more nodes."""
        state = self._state
        return bool(state[ACTIVE] == 0 and (state[OPEN] == 0 or state[SPARE] < 2))

    @property
    def value(self) -> float:
        """What the best ideal found would pay: the bound will not rise beyond it."""
        return float(self._best_value[0])

    @property
    def ideal(self) -> Bools:
        """The best ideal found, as units (bool[m])."""
        return self._best.copy()

    @property
    def expanded(self) -> int:
        """Nodes looked at so far."""
        return int(self._state[EXPANDED])

    def run(self) -> float:
        """Go on for some ten milliseconds; returns the bound."""
        m, n = self._model, self._network
        proven = explore(
            max(1, ARCS_PER_CALL // max(1, len(n.head))), self._cutoff, self._a, self._b, self._cost, self._cost, self._in_base, self._out_base,
            self._scale, self._slack, ROUNDS, TOLERANCE, m.time, m.send_time, m.producer, m.ptr, m.idx, m.before,
            n.head, n.ptr, n.arcs, n.fixed, n.tensor_arc, n.source_arc, n.sink_arc,
            self._heap_bound, self._heap_slot, self._fixes, self._weights, self._spare, self._state,
            self._active, self._chosen, self._fix, self._child, self._gains, self._gain_weights,
            self._picked, self._picked_gains, self._picked_weights,
            self._best, self._best_value,
        )  # fmt: skip
        self.bound = max(self.bound, float(proven))
        return self.bound
