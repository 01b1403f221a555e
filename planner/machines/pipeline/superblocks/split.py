"""The two-superblock relaxation of a pipeline, solved a slice at a time. ``docs/bounds.md`` has the proof."""

from __future__ import annotations

import math

import numpy as np

from planner.machines.pipeline.exact.model import StageModel
from planner.machines.pipeline.superblocks.dual import FREE, IN, OUT, Sides
from planner.machines.pipeline.superblocks.flow import CutNetwork
from planner.machines.pipeline.superblocks.tree import ACTIVE, EXPANDED, OPEN, SPARE, Tree, explore
from planner.model.graph import Bools, Floats

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

    ``streaming`` adds what the parameters exceed all budgets of a side by. ``dearness`` (float64[k], all ones by default): what a stage's costs count
    in the mean of its side, for stages that are not alike. ``cutoff``: bounds need not go beyond it (the
    objective of a plan). :attr:`bound` holds at any time, :attr:`done` says that it will not rise any more.
    """

    def __init__(
        self,
        model: StageModel,
        network: CutNetwork,
        first: int,
        *,
        streaming: bool = False,
        dearness: Floats | None = None,
        cutoff: float = math.inf,
        bound: float = 0.0,
    ) -> None:
        m = model.count
        self._model, self._network = model, network
        dear = np.ones(model.k) if dearness is None else dearness
        in_cost, in_base, a = _side(model, 0, first, dear, streaming)
        out_cost, out_base, b = _side(model, first, model.k, dear, streaming)
        total = float(np.maximum(in_cost, out_cost).sum() + np.maximum(model.time, model.send_time).sum())
        scale = RESOLUTION / (2.0 * total) if total > 0 else 1.0
        # Sums of floats in the kernels may be off by some units in the last place of their largest parts.
        slack = 1e-12 * (total + abs(in_base) + abs(out_base))
        self._sides = Sides(
            a,
            b,
            in_cost,
            out_cost,
            in_base,
            out_base,
            model.time,
            model.send_time,
            model.producer,
            model.ptr,
            model.idx,
            scale,
            slack,
        )
        self._cutoff = cutoff
        slots = max(64, min(MOST_SLOTS, MOST_BYTES // max(m, 1)))
        tree = self._tree = Tree(
            heap_bound=np.empty(slots),
            heap_slot=np.empty(slots, np.int32),
            fixes=np.empty((slots, m), np.int8),
            weights=np.empty(slots),
            spare=np.arange(slots, dtype=np.int32),
            state=np.array([1, slots - 1, 0, 0, 0, 0, -1], np.int64),
            active=np.zeros(2),
            chosen=np.zeros(TRIES, np.int64),
            fix=np.zeros(m, np.int8),
            child=np.zeros((2, m), np.int8),
            gains=np.zeros(2),
            gain_weights=np.zeros(2),
            picked=np.zeros((2, m), np.int8),
            picked_gains=np.zeros(2),
            picked_weights=np.zeros(2),
            best=np.zeros(m, bool),
            best_value=np.array([math.inf]),
        )
        tree.heap_bound[0], tree.heap_slot[0] = bound, slots - 1
        tree.weights[slots - 1] = a / (a + b)
        fix = tree.fixes[slots - 1]
        fix[:] = FREE
        fix[model.latest < first] = IN
        fix[model.earliest >= first] = OUT
        self.bound = bound

    @property
    def done(self) -> bool:
        """Whether the relaxation is solved, the cutoff reached, or no memory left for more nodes."""
        state = self._tree.state
        return bool(state[ACTIVE] == 0 and (state[OPEN] == 0 or state[SPARE] < 2))

    @property
    def value(self) -> float:
        """What the best ideal found would pay: the bound will not rise beyond it."""
        return float(self._tree.best_value[0])

    @property
    def ideal(self) -> Bools:
        """The best ideal found, as units (bool[m])."""
        return self._tree.best.copy()

    @property
    def expanded(self) -> int:
        """Nodes looked at so far."""
        return int(self._tree.state[EXPANDED])

    def run(self) -> float:
        """Go on for some ten milliseconds; returns the bound."""
        cuts = max(1, ARCS_PER_CALL // max(1, len(self._network.head)))
        proven = explore(
            cuts, self._cutoff, ROUNDS, TOLERANCE, self._sides, self._model.before, self._network, self._tree
        )
        self.bound = max(self.bound, float(proven))
        return self.bound


def dearnesses(model: StageModel) -> list[Floats]:
    """What the costs of stages may count in the mean of their side (float64[k] each, the least of them 1): any numbers bound.

    Where stages are not alike, as much as they are fast is best for work, and the same for all of them is best for tensors; the third lies between.
    """
    equal = np.ones(model.k)
    total = model.stage_work.sum(axis=1)
    if model.alike or not (total > 0).all():
        return [equal]
    fast: Floats = total.max() / total
    return [fast, np.sqrt(fast), equal]


def _side(
    model: StageModel, first: int, end: int, dearness: Floats, streaming: bool
) -> tuple[Floats, float, float]:
    """What stages ``first`` to ``end`` - 1 pay together, each cost times its ``dearness`` (float64[k], at least 1).

    Returns what each unit adds at least (float64[m]), what is paid without any, and the sum of dearness, by which all is divided for the mean. A tensor at the
    side's border is paid by a stage, so it counts once at least.
    """
    cost = np.full(model.count, np.inf)
    base = 0.0
    stages = range(first, end)
    for d in stages:
        own = model.stage_work[d]
        if streaming and float(model.params.sum()) > model.budgets[d]:
            own = own + model.params / model.rate
            base -= dearness[d] * model.budgets[d] / model.rate
        here = (model.earliest <= d) & (d <= model.latest)
        cost = np.where(here, np.minimum(cost, dearness[d] * own), cost)
    # A unit that no stage of the side may hold is fixed on the other one.
    return np.where(np.isinf(cost), 0.0, cost), float(base), float(dearness[first:end].sum())
