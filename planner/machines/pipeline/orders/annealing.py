"""Simulated annealing on the blocks of a pipeline's units, compiled and incremental.

A move takes one unit to another block that its predecessors and successors allow. Only the two blocks change their
costs, in O(degree of the unit). The energy is a power mean of the blocks' costs: unlike their maximum it says of most
moves whether they help, and with a high power its minima are those of the maximum, nearly.

Where activations count, the two blocks of a move are run anew, but only if the move is not refused for its other costs already and
the blocks may stream at all. Under the path rule a unit stays within one block of all that it is joined to by an edge.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from planner.compiling.kernel import njit
from planner.evaluation import kernels
from planner.evaluation.activation_kernels import least_peak
from planner.machines.pipeline.activations import ActivationEvaluator
from planner.machines.pipeline.orders.layout import Network
from planner.machines.pipeline.orders.placement import (
    block_cost,
    io_changes,
    move,
    placement_of,
    send_changes,
    sum_up,
)
from planner.machines.pipeline.orders.running import running_of
from planner.methods.random_streams import uniform
from planner.methods.units import Units, unit_edges
from planner.model.graph import Floats, Ints, csr


class Rules(NamedTuple):
    """What moves have to keep and to pay beyond sums.

    ``path``: whether no edge may lead past a block; then ``pred_ptr``, ``pred_idx``, ``succ_ptr``, ``succ_idx`` int32 are the edges between units,
    those left out that pins ask for. ``device_of`` int32[n] is the block of each op; ``left``, ``waits`` int32 (zeros),
    ``order`` int32[n], ``live`` float64[n] and ``members`` int32[2, n] are scratch for running blocks.
    """

    path: bool
    pred_ptr: Ints
    pred_idx: Ints
    succ_ptr: Ints
    succ_idx: Ints
    device_of: Ints
    left: Ints
    waits: Ints
    order: Ints
    live: Floats
    members: Ints


@njit(cache=True, nogil=True)
def peak_of(d, held, network, rules, running, flows, row):
    """The peak of the activations of block ``d``, which holds ``held`` bytes of parameters; 0 where it streams nothing at any peak."""
    count = 0
    touches = 0.0
    for v in range(len(rules.device_of)):
        if rules.device_of[v] == d:
            rules.members[row, count] = v
            count += 1
            touches += running.touches[v]
    if held + touches <= network.block_budget[d]:
        return 0.0
    return least_peak(
        d, rules.members[row, :count], rules.device_of, *flows, running.choice, rules.left, rules.waits, rules.order, rules.live
    )  # fmt: skip


@njit(cache=True, nogil=True)
def place_ops(rules, running, u, b):
    """Put the ops of unit ``u`` on block ``b``."""
    for x in range(running.ptr[u], running.ptr[u + 1]):
        rules.device_of[running.ops[x]] = b


@njit(cache=True, nogil=True)
def window(network, pred_ptr, pred_idx, block_of, u):
    """Lowest and highest block that the units before and after ``u`` leave to it."""
    low, high = 0, network.blocks - 1
    for x in range(pred_ptr[u], pred_ptr[u + 1]):
        low = max(low, block_of[pred_idx[x]])
    for x in range(network.succ_ptr[u], network.succ_ptr[u + 1]):
        high = min(high, block_of[network.succ_idx[x]])
    return low, high


@njit(cache=True, nogil=True)
def path_window(rules, block_of, u, low, high):
    """What the path rule leaves of the blocks from ``low`` to ``high``."""
    for x in range(rules.pred_ptr[u], rules.pred_ptr[u + 1]):
        high = min(high, block_of[rules.pred_idx[x]] + 1)
    for x in range(rules.succ_ptr[u], rules.succ_ptr[u + 1]):
        low = max(low, block_of[rules.succ_idx[x]] - 1)
    return low, high


@njit(cache=True, nogil=True)
def anneal(
    network,
    pred_ptr,
    pred_idx,
    movable,
    placement,
    rules,
    running,
    flows,
    best_block_of,
    state,
    proposals,
    hot,
    cold,
    power,
    scale,
    best,
):
    """Propose moves while the temperature falls from ``hot`` to ``cold`` geometrically; returns the best maximum.

    The energy is (sum of (cost / scale) ** power) ** (1 / power), temperatures are shares of ``scale``. A new best
    goes to ``best_block_of``.
    """
    k = network.blocks
    n = len(movable)
    total = 0.0
    powers = np.empty(k)
    for d in range(k):
        powers[d] = (placement.cost[d] / scale) ** power
        total += powers[d]
    energy = total ** (1.0 / power)
    cool = (cold / hot) ** (1.0 / max(proposals, 1))
    temperature = hot
    for _ in range(proposals):
        temperature *= cool
        u = movable[int(uniform(state) * n)]
        low, high = window(network, pred_ptr, pred_idx, placement.block_of, u)
        if rules.path:  # asked here, as below: to call with so many arrays costs more than what is asked
            low, high = path_window(rules, placement.block_of, u, low, high)
        if low == high:
            continue
        a = placement.block_of[u]
        b = low + int(uniform(state) * (high - low))
        if b >= a:
            b += 1
        leave, enter = io_changes(network, placement, u, b)
        send_leave, send_enter = 0.0, 0.0
        if network.communication == kernels.DUPLEX:
            send_leave, send_enter = send_changes(network, placement, u, b)
        work_a = placement.work[a] - network.class_work[u, network.class_of[a]]
        work_b = placement.work[b] + network.class_work[u, network.class_of[b]]
        held_a, held_b = placement.held[a] - network.params[u], placement.held[b] + network.params[u]
        io_a, io_b = placement.io[a] + leave, placement.io[b] + enter
        send_a, send_b = placement.send[a] + send_leave, placement.send[b] + send_enter
        cost_a = block_cost(network, a, work_a, held_a, io_a, send_a)
        cost_b = block_cost(network, b, work_b, held_b, io_b, send_b)
        power_a = max(cost_a / scale, 0.0) ** power
        power_b = max(cost_b / scale, 0.0) ** power
        new_total = total - powers[a] - powers[b] + power_a + power_b
        new_energy = max(new_total, 0.0) ** (1.0 / power)
        rise = new_energy - energy
        drawn = 0.0 if rise <= 0.0 else uniform(state)
        taken = rise <= 0.0 or drawn < math.exp(-rise / temperature)
        if taken and running.choice >= 0:
            # So far as if nothing were active: where that is refused, so is what it costs with activations.
            place_ops(rules, running, u, b)
            peak_a = peak_of(a, held_a, network, rules, running, flows, 0)
            peak_b = peak_of(b, held_b, network, rules, running, flows, 1)
            cost_a = block_cost(network, a, work_a, held_a + peak_a, io_a, send_a)
            cost_b = block_cost(network, b, work_b, held_b + peak_b, io_b, send_b)
            power_a = max(cost_a / scale, 0.0) ** power
            power_b = max(cost_b / scale, 0.0) ** power
            new_total = total - powers[a] - powers[b] + power_a + power_b
            new_energy = max(new_total, 0.0) ** (1.0 / power)
            if rise <= 0.0 < new_energy - energy:
                drawn = uniform(state)
            rise = new_energy - energy
            taken = rise <= 0.0 or drawn < math.exp(-rise / temperature)
            if taken:
                placement.peak[a], placement.peak[b] = peak_a, peak_b
            else:
                place_ops(rules, running, u, a)
        if taken:
            move(network, placement, u, b, leave, enter, send_leave, send_enter)
            powers[a], powers[b] = power_a, power_b
            total, energy = new_total, new_energy
            worst = 0.0
            for d in range(k):
                worst = max(worst, placement.cost[d])
            if worst < best * (1.0 - 1e-9):
                best = worst
                best_block_of[:] = placement.block_of
    return best


PROPOSALS_PER_CALL = 60_000
"""Proposals between two looks at the stop criteria: some ten milliseconds."""


OPS_RUN_PER_CALL = 25_000
"""Ops that are run in the blocks of so many proposals at most, where activations count."""


class Annealing:
    """Annealing of placements of ``units``; ``block_of`` (int32[m]) and ``best`` are the best placement of the last run."""

    def __init__(self, units: Units, network: Network, rng: np.random.Generator, power: float) -> None:
        e = units.problem.evaluator
        self.block_of: Ints = np.zeros(units.count, np.int32)
        self.best = math.inf
        self._units = units
        self._network = network
        self._power = power
        self._movable = np.flatnonzero(network.fixed < 0).astype(np.int32)
        self._state = rng.integers(1, 2**63, 1).astype(np.uint64)
        self._placement = placement_of(units, network)
        self._running, self._flows = running_of(units)
        self._rules = _rules(units)
        counted = self._running.choice >= 0
        self._per_call = max(1, OPS_RUN_PER_CALL * e.k // max(e.n, 1)) if counted else PROPOSALS_PER_CALL

    def run(self, start: Ints, scale: float, moves: float, hot: float, cold: float) -> Iterator[None]:
        """Anneal from ``start`` (a valid placement, int32[m]) in steps of some ten milliseconds, cooling from ``hot`` to ``cold``.

        ``moves`` are proposed; temperatures are shares of ``scale``, the value that costs are measured in.
        """
        network, placement = self._network, self._placement
        placement.block_of[:] = start
        self.block_of[:] = start
        self.sum_up()
        self.best = float(placement.cost.max())
        if not len(self._movable) or not 0.0 < scale < math.inf or network.blocks < 2:
            return
        done = 0
        while done < moves:
            count = int(min(self._per_call, moves - done)) or 1
            begin = hot * (cold / hot) ** (done / moves)
            done += count
            end = hot * (cold / hot) ** (done / moves)
            self.best = anneal(
                network, *self._units.preds, self._movable, placement, self._rules, self._running, self._flows, self.block_of,
                self._state, count, begin, end, self._power, scale, self.best,
            )  # fmt: skip
            self.sum_up()  # afresh, so that rounding errors do not add up
            yield

    def sum_up(self) -> None:
        """Count everything from the blocks of the units anew."""
        e = self._units.problem.evaluator
        if isinstance(e, ActivationEvaluator):
            self._rules.device_of[:] = self._placement.block_of[self._units.unit_of]
            self._placement.peak[:] = e.peaks(self._rules.device_of)
        sum_up(self._network, self._placement)


def _rules(units: Units) -> Rules:
    """Path, edges and scratch of the problem of ``units``."""
    e = units.problem.evaluator
    path = any(rule.code == kernels.RULE_PATH for rule in e.rules)
    # Edges of the units that pins ask for are none that tensors take.
    src, dst = unit_edges(units.unit_of, e.edge_src, e.edge_dst)
    return Rules(
        path, *csr(dst, src, units.count), *csr(src, dst, units.count), np.zeros(e.n, np.int32), np.zeros(len(e.size), np.int32),
        np.zeros(e.n, np.int32), np.empty(e.n, np.int32), np.empty(e.n), np.empty((2, e.n), np.int32),
    )  # fmt: skip
