"""What the learned policy sees of a problem on a multi-chip module: its ops, its chips, and a placement to go on from.

Every number is a share, or the logarithm of a ratio, so that neither the unit of times nor the count of chips matters. Times are
compared with ``ideal``: an equal share of the work, or the longest op if that takes longer.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from planner.machines.mcm.learned.starts import Ranking, direct_pieces, rankings
from planner.machines.mcm.search.units import levels
from planner.machines.mcm.solver.solver import McmSolver
from planner.methods.orders import kahn_order
from planner.model.graph import Floats, Ints
from planner.problem.problem import Problem

if TYPE_CHECKING:
    from planner.machines.mcm.evaluator import McmEvaluator

Singles = NDArray[np.float32]

OP_FEATURES = 42
"""Numbers about each op."""
STATE_FEATURES = 10
"""Numbers about each op in a placement."""
PAIR_FEATURES = 12
"""Numbers about each op and chip in a placement."""
FORBIDDEN = np.float32(-1e9)
"""What is added to the score of a chip that an op may not be on."""


@dataclass(frozen=True, eq=False)
class State:
    """What a placement adds: ``ops`` float32[n, 10] and ``pairs`` float32[n, k, 12]."""

    ops: Singles
    pairs: Singles


class Features:
    """The features of a problem; ``solver`` is its constraint solver.

    ``ops`` float32[n, 42]; ``before`` and ``after``: float32[n, n] sparse matrices that average over what an op reads from and
    what reads from it; ``last`` int32[n]: the last chip that each op may be on; ``barred`` float32[n, k]: 0, or :data:`FORBIDDEN` where the rules, pins and groups leave no way.
    """

    def __init__(self, problem: Problem, solver: McmSolver) -> None:
        self.evaluator = e = cast("McmEvaluator", problem.evaluator)
        self.n, self.k = e.n, e.k
        self.work: Floats = e.work[0]
        self.ideal = max(float(self.work.sum()) / e.k, float(self.work.max(initial=0.0)), 1e-30)
        self.solver = solver
        words = solver.domains()
        bits = np.uint64(1) << np.arange(e.k, dtype=np.uint64)
        self._allowed = (words[:, None] & bits) != 0
        self.last: Ints = (e.k - 1 - self._allowed[:, ::-1].argmax(axis=1)).astype(np.int32)
        self.barred: Singles = np.where(self._allowed, np.float32(0), FORBIDDEN)
        self.rankings: tuple[Ranking, ...] = rankings(problem)
        self.before, self.after = (
            _averaging(e.pred_ptr, e.pred_idx, e.n), _averaging(e.succ_ptr, e.succ_idx, e.n)
        )  # fmt: skip
        self.ops: Singles = self._ops(problem)
        place = (np.arange(e.k) + 0.5) / e.k
        turn = 2 * math.pi * place
        self._chips = np.stack([place, place**2, np.cos(turn), np.sin(turn)], axis=1).astype(np.float32)

    @cached_property
    def _entering(self) -> tuple[Floats, Floats]:
        """Time to receive all that each op reads, and to send all that it makes (float64[n] each)."""
        e = self.evaluator
        read = np.repeat(np.arange(e.n), np.diff(e.in_ptr))
        read_here = np.diff(e.consumer_ptr) > 0
        received: Floats = np.bincount(read, e.tensor_time[e.in_idx], e.n).astype(np.float64)
        sent: Floats = np.bincount(e.tensor_producer, e.send_time * read_here, e.n).astype(np.float64)
        return received, sent

    def _ops(self, problem: Problem) -> Singles:
        e, target, n, k = self.evaluator, self.evaluator.target, self.n, self.k
        receive, send = self._entering
        degrees = np.diff(e.pred_ptr), np.diff(e.succ_ptr)
        memory = float(e.params.sum()) / max(float(e.capacity.sum()), 1.0) if target.check_memory else 0.0
        whole = float(self.work.sum()) or 1.0
        order = kahn_order(e.succ_ptr, e.succ_idx, np.zeros(n))
        from_start = levels(e.succ_ptr, e.succ_idx, order, np.ones(n))
        from_end = levels(e.pred_ptr, e.pred_idx, np.ascontiguousarray(order[::-1]), np.ones(n))
        longest = max(1.0, float((from_start + from_end).max(initial=0.0)))
        place = self.rankings[0].middle
        jump_out, jump_in = np.zeros(n), np.zeros(n)
        np.maximum.at(jump_out, e.edge_src, place[e.edge_dst] - place[e.edge_src])
        np.maximum.at(jump_in, e.edge_dst, place[e.edge_dst] - place[e.edge_src])
        first, last = self._allowed.argmax(axis=1), self.last
        mine = [
            np.log1p(self.work / self.ideal), np.log1p(receive / self.ideal), np.log1p(send / self.ideal),
            np.log1p(e.params * k / max(float(e.params.sum()), 1.0)), np.log1p(degrees[0]), np.log1p(degrees[1]),
            degrees[0] == 0, degrees[1] == 0,
            *(r.middle for r in self.rankings[:4]),
            *(np.log1p(r.crossing_at_op / self.ideal) for r in self.rankings[:4]),
            first / k, (last + 1) / k, self._allowed.mean(axis=1), from_start / longest, from_end / longest,
            jump_out, jump_in,
        ]  # fmt: skip
        everywhere = [
            math.log(k) / 4, math.log(n) / 8, math.log(n / k) / 4, memory, target.triangle, target.no_skip, target.every_chip,
            math.log1p(float(e.tensor_time.sum()) / whole), math.log1p(float(self.work.max(initial=0.0)) * k / whole),
            *(math.log(direct_pieces(r) / k) / 4 for r in self.rankings[:4]),
            *(math.log1p(float(q) / self.ideal) for r in (self.rankings[0], self.rankings[3]) for q in _quantiles(r)),
        ]  # fmt: skip
        return np.stack([*mine, *(np.full(n, x) for x in everywhere)], axis=1).astype(np.float32)

    # ------------------------------------------------------------------ placements
    def state(self, place: Ints) -> State:
        """What there is to know about a placement, valid or not (int32[n])."""
        e, k = self.evaluator, self.k
        receive, busy, send = (part.sum(axis=1) for part in e.raw(place)[1:4])
        cost = receive + busy + send
        top = max(float(cost.max(initial=0.0)), 1e-30)
        load: Floats = cost / top
        held = (
            np.minimum(e.parameter_bytes(place) / np.maximum(e.capacity, 1.0), 2.0)
            if e.target.check_memory
            else np.zeros(k)
        )
        highest = _extremes(e.pred_ptr, place[e.pred_idx], np.maximum, -1)
        lowest = _extremes(e.succ_ptr, place[e.succ_idx], np.minimum, k)
        wide = np.concatenate([[0.0], load, [0.0]])
        together = (highest == place).astype(np.float64), (lowest == place).astype(np.float64)
        ops = np.stack(
            [
                (place + 0.5) / k, load[place], wide[place], wide[place + 2], (receive / top)[place], (send / top)[place],
                held[place], *together, np.full(self.n, np.log1p(top / self.ideal)),
            ],
            axis=1,
        ).astype(np.float32)  # fmt: skip
        return State(ops, self._pairs(place, load, highest, lowest))

    def _pairs(self, place: Ints, load: Floats, highest: Ints, lowest: Ints) -> Singles:
        k = self.k
        chip = np.arange(k, dtype=np.int32)
        step = chip[None, :] - place[:, None]
        logs = np.log1p(np.arange(k + 1, dtype=np.float32))
        squares = np.log1p(np.arange(k, dtype=np.float32) ** 2)
        beyond = max(int(place.max(initial=0)), 0)
        pairs = np.empty((self.n, k, PAIR_FEATURES), np.float32)
        pairs[..., 0], pairs[..., 1], pairs[..., 2] = step == 0, step == 1, step == -1
        pairs[..., 3] = -squares[np.abs(step)]
        pairs[..., 4] = -logs[np.maximum(highest[:, None] - chip, 0)]
        pairs[..., 5] = -logs[np.maximum(chip - lowest[:, None], 0)]
        pairs[..., 6] = np.where(step == 0, 0.0, load[None, :])
        pairs[..., 7] = -logs[np.maximum(chip - beyond, 0)][None, :]
        pairs[..., 8:] = self._chips
        return pairs


def _quantiles(ranking: Ranking) -> Floats:
    """Of what crosses the places of an order: a tenth, a half and nine tenths of the places have no more (float64[3])."""
    return (
        np.asarray(np.quantile(ranking.crossing[1:], (0.1, 0.5, 0.9)))
        if len(ranking.crossing) > 1
        else np.zeros(3)
    )


def _averaging(ptr: Ints, idx: Ints, n: int) -> Any:
    """A sparse matrix (float32[n, n]) whose rows average over the neighbours of each op."""
    from scipy.sparse import csr_matrix

    degree = np.diff(ptr)
    weight = np.repeat(1.0 / np.maximum(degree, 1), degree).astype(np.float32)
    return csr_matrix((weight, idx, ptr), shape=(n, n))


def _extremes(ptr: Ints, values: Ints, of: np.ufunc, nothing: int) -> Ints:
    """The least or greatest of each group of ``values`` (CSR), ``nothing`` for an empty group (int32[n])."""
    n = len(ptr) - 1
    found = np.full(n, nothing, np.int32)
    some = np.diff(ptr) > 0
    if some.any():
        found[some] = of.reduceat(values, ptr[:-1][some])
    return found
