"""Live evaluation: an assignment that is edited, its cost after each edit, and what each possible move would do.

Where a move would break the order of the devices, :func:`take_along` finds the neighbours that must come along.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from planner.evaluation import kernels, live_kernels
from planner.evaluation.summed import Sums, knowing
from planner.model.graph import Bools, Floats, Ints
from planner.problem.decision import Evaluation, Violation
from planner.problem.evaluator import Check, Delta, Evaluator, Live, Move


class LiveEvaluation(Live):
    """The assignment of an :class:`~planner.problem.evaluator.Evaluator` under edit: O(degree x k) per move.

    It begins with ``device_of`` (int32[n]).
    """

    RESYNC_EVERY = 512
    """Moves after which loads are summed afresh, so that rounding errors cannot accumulate."""

    def __init__(self, evaluator: Evaluator, device_of: Ints | Sequence[int]) -> None:
        self.evaluator = evaluator
        self.device_of: Ints = evaluator.checked(np.asarray(device_of)).copy()
        self._stamp = np.zeros(len(evaluator.tensor_producer), np.int32)
        self._mark = 0
        self._moved = np.full(evaluator.n, -1, np.int32)
        self._inside = np.zeros(evaluator.n, bool)
        self._undo: list[tuple[Ints, Ints]] = []
        self._moves = 0
        self._resync()

    # ------------------------------------------------------------------ state
    def _resync(self) -> None:
        e = self.evaluator
        self.counts, self.receive, self.busy, self.send, self.used, self.held = e.raw(self.device_of)
        self.occupied = e.occupied(self.device_of)
        self.quotient = kernels.quotient_counts(self.device_of, e.part, e.edge_src, e.edge_dst, e.k)
        self._moves = 0
        self._changed()
        self._sums: Sums | None = (
            self.receive.copy(),
            self.busy.copy(),
            self.send.copy(),
            self.used.copy(),
            self.held.copy(),
        )

    def _changed(self) -> None:
        self._sums = None
        self._violations: tuple[Violation, ...] | None = None
        self._objective: float | None = None
        self._cyclic: int | None = None

    def _next_mark(self) -> int:
        self._mark += 1
        return self._mark

    @property
    def objective(self) -> float:
        """The objective of the current assignment."""
        if self._objective is None:
            self._objective = self._price(np.empty(self.evaluator.k))
        return self._objective

    @property
    def components(self) -> tuple[float, ...]:
        """All components of the objective of the current assignment, in order."""
        return (self.objective,)

    def _price(self, costs: Floats) -> float:
        """The objective; every device's cost goes to ``costs`` (float64[k])."""
        return self.evaluator.objective_of(
            self.receive, self.busy, self.send, self.held, self.occupied, costs
        )

    @property
    def violations(self) -> tuple[Violation, ...]:
        """Broken rules of the current assignment."""
        if self._violations is None:
            self._violations = self.evaluator.violations(self.device_of)
        return self._violations

    @property
    def evaluation(self) -> Evaluation:
        """The full evaluation of the current assignment, summed afresh: now, or when this took it on."""
        with knowing(self.evaluator, self.device_of, self._sums):
            return self.evaluator.problem.evaluate(self.device_of)

    # ------------------------------------------------------------------ questions
    def check(self, ops: Ints | Sequence[int]) -> Check:
        """Which devices all ``ops`` could move to, and which rules are in the way elsewhere."""
        moved = np.asarray(ops, np.int32)
        codes = np.zeros(self.evaluator.k, np.int32)
        for rule in self.evaluator.rules:
            codes |= np.where(rule.blocked(self, moved), rule.code, 0).astype(np.int32)
        return Check(self, moved, codes)

    def delta(self, ops: Ints | Sequence[int]) -> Delta:
        """The objective and every device's cost for a move of all ``ops`` to each device."""
        k = self.evaluator.k
        objective, cost, memory = np.empty(k), np.empty((k, k)), np.empty((k, k))
        moved = np.asarray(ops, np.int32)
        self._delta_into(moved, objective, cost, memory)
        return Delta(self._components_after(moved, objective, memory), cost, memory)

    def _components_after(self, ops: Ints, objective: Floats, memory: Floats) -> Floats:
        """float64[c, k] from what :meth:`_delta_into` found for a move of ``ops``."""
        return objective[None, :]

    def _delta_into(self, ops: Ints, objective: Floats, cost: Floats, memory: Floats) -> None:
        e = self.evaluator
        live_kernels.delta_ops(
            ops, self.device_of, e.part, e.work, e.class_of, e.memory, e.params, e.tensor_producer, e.tensor_time,
            e.send_time, e.pays, e.pace, e.cluster, e.in_ptr, e.in_idx, e.out_ptr, e.out_idx, self.counts,
            self.receive, self.busy, self.send, self.used, self.held, self.occupied, e.budget, e.streaming_rate,
            e.sync_rate, e.communication, e.objective_code, self._stamp, self._next_mark(), self._more_held(ops), objective, cost, memory,
        )  # fmt: skip

    def _more_held(self, ops: Ints) -> Floats:
        """What each device holds beside parameters once ``ops`` are on each destination, less that of now: here nothing."""
        return np.empty((0, 0))

    def order_window(self, ops: Ints) -> tuple[int, int]:
        """Lowest and highest device that the order rule leaves to ``ops``."""
        e = self.evaluator
        low, high = live_kernels.order_window(
            ops, self._inside, self.device_of, e.succ_ptr, e.succ_idx, e.pred_ptr, e.pred_idx, e.k
        )
        return int(low), int(high)

    def cyclic_devices(self) -> int:
        """How many devices (and clusters) wait for each other now."""
        if self._cyclic is None:
            e = self.evaluator
            self._cyclic = int(kernels.disorder(self.quotient, e.cluster_node, e.cluster_nodes))
        return self._cyclic

    def contiguity_after(self, ops: Ints) -> Ints:
        """How many devices would wait for each other after a move to each device (int32[k])."""
        e = self.evaluator
        result: Ints = live_kernels.contiguity_after(
            ops, self._moved, self.device_of, e.part, e.succ_ptr, e.succ_idx, e.pred_ptr, e.pred_idx,
            self.quotient, e.cluster_node, e.cluster_nodes,
        )  # fmt: skip
        return result

    def closure(self, ops: Ints | Sequence[int], device: int) -> Ints:
        """``ops`` (int32[m]) and the fewest neighbours found that must come along for the order rules to hold (int32[>= m], sorted).

        On a pipeline these are the predecessors on later and the successors on earlier blocks, with their colocated
        mates; under contiguity the same along an order of the devices that the current plan respects. The result is
        a proposal: check it again before applying it.
        """
        return take_along(self, np.asarray(ops, np.int32), device)

    def best_moves(self, limit: int = 5, legal_only: bool = True) -> list[Move]:
        """The single moves (with colocated mates) that lower the objective most, best first; exact.

        See :meth:`improving_moves` for the moves that are looked at.
        """
        moves = [move for found in self.improving_moves(legal_only) for move in found]
        return sorted(moves, key=lambda m: (m.components, m.ops))[:limit]

    def improving_moves(self, legal_only: bool = True) -> Iterator[list[Move]]:
        """All single moves that lower the objective, for one op (with colocated mates) after the other.

        A search by steps for windows that must not stand still: go on only while the assignment stays as it is.
        """
        e = self.evaluator
        groups = e.problem.groups
        now = np.array(self.components)
        names = e.problem.components
        candidates = np.unique(groups.group_of[self._movable()])
        objective, cost, memory = np.empty(e.k), np.empty((e.k, e.k)), np.empty((e.k, e.k))
        for g in candidates.tolist():
            ops = groups.ops(g)
            self._delta_into(ops, objective, cost, memory)
            after = self._components_after(ops, objective, memory)
            first = first_change(after, now)
            better = after[first, np.arange(e.k)] < now[first] * (1 - 1e-9)
            if legal_only and better.any():
                better &= self.check(ops).legal
            yield [
                Move(
                    tuple(ops.tolist()),
                    d,
                    tuple(after[:, d].tolist()),
                    names[first[d]],
                    float(now[first[d]] - after[first[d], d]),
                )
                for d in np.flatnonzero(better).tolist()
            ]

    def _movable(self) -> Bools:
        """bool[n]: ops whose move could lower the objective.

        Where the largest cost counts, those on a device that attains it or next to one; a free device may also come to
        the help of any stage, so replication looks at all, as do sums of costs.
        """
        e = self.evaluator
        if e.objective_code != kernels.MAX_COST or e.sync_rate > 0.0 or len(e.problem.components) > 1:
            return np.ones(e.n, bool)
        costs = np.empty(e.k)
        self._price(costs)
        worst = costs >= costs.max() * (1 - 1e-12)
        near = worst[self.device_of]
        reach: Bools = near.copy()
        reach[e.edge_src[near[e.edge_dst]]] = True
        reach[e.edge_dst[near[e.edge_src]]] = True
        return reach

    # ------------------------------------------------------------------ edits
    def apply(self, ops: Ints | Sequence[int], devices: Ints | Sequence[int] | int) -> None:
        """Move ``ops`` (distinct) to ``devices`` (one for all, or one each). :meth:`undo` takes it back."""
        moved = np.asarray(ops, np.int32)
        targets = np.broadcast_to(np.asarray(devices, np.int32), moved.shape).copy()
        if len(targets) and (targets.min() < 0 or targets.max() >= self.evaluator.k):
            raise ValueError(f"devices are numbered 0 to {self.evaluator.k - 1}")
        self._undo.append((moved.copy(), self.device_of[moved].copy()))
        self._move(moved, targets)

    def undo(self) -> None:
        """Take the last :meth:`apply` back. Raises IndexError when there is none."""
        ops, devices = self._undo.pop()
        self._move(ops, devices)

    def _move(self, ops: Ints, targets: Ints) -> None:
        e = self.evaluator
        live_kernels.apply_quotient(
            ops, targets, self._moved, self.device_of, e.part, e.succ_ptr, e.succ_idx, e.pred_ptr, e.pred_idx,
            self.quotient,
        )  # fmt: skip
        live_kernels.apply_ops(
            ops, targets, self.device_of, e.part, e.work, e.class_of, e.memory, e.params, e.tensor_producer,
            e.tensor_time, e.send_time, e.pays, e.pace, e.in_ptr, e.in_idx, e.out_ptr, e.out_idx,
            self.counts, self.receive, self.busy, self.send, self.used, self.held, self.occupied, self._stamp,
            self._next_mark(),
        )  # fmt: skip
        self._changed()
        self._moves += 1
        if self._moves >= self.RESYNC_EVERY:
            self._resync()


def first_change(after: Floats, now: Floats) -> Ints:
    """For each destination the first component of ``after`` (float64[c, k]) that differs from ``now`` (float64[c]).

    Differences by rounding (1e-9 relative) do not count; 0 where nothing differs. int64[k].
    """
    differs = np.abs(after - now[:, None]) > 1e-9 * np.abs(now)[:, None]
    first: Ints = differs.argmax(axis=0)
    return first


def device_order(quotient: np.ndarray) -> Ints:
    """Position of each device in an order that ``quotient`` (int32[k, k]) respects; cycles keep index order."""
    k = len(quotient)
    adjacent = quotient > 0
    position = np.full(k, -1, np.int32)
    left = list(range(k))
    for place in range(k):
        free = [d for d in left if not any(adjacent[o, d] for o in left if o != d)]
        d = free[0] if free else left[0]
        position[d] = place
        left.remove(d)
    return position


def take_along(live: Live, ops: Ints, device: int) -> Ints:
    """``ops`` (int32[m]) and what must come along to ``device`` (int32[>= m], sorted): :meth:`LiveEvaluation.closure`."""
    e = live.evaluator
    codes = {rule.code for rule in e.rules}
    groups = e.problem.groups
    if kernels.RULE_ORDER in codes:
        position = np.tile(np.arange(e.k, dtype=np.int32), (2, 1))
    elif kernels.RULE_CONTIGUOUS in codes:
        position = np.stack([device_order(live.quotient[part]) for part in range(2)])
    elif kernels.RULE_SUBGRAPHS in codes:
        return between(live, groups.expand(ops), device)
    else:
        return groups.expand(ops)
    inside = live_kernels.come_along(
        groups.expand(ops), device, position, live.device_of, e.part, e.succ_ptr, e.succ_idx, e.pred_ptr, e.pred_idx,
        groups.group_of, *groups.members,
    )  # fmt: skip
    return np.flatnonzero(inside).astype(np.int32)


def between(live: Live, ops: Ints, device: int) -> Ints:
    """``ops`` (int32[m]) and what lies on a path between two ops of ``device`` once they are there (int32[>= m], sorted).

    A subgraph runs in one go when no path leaves it and comes back; on a CPU every op is on its own. Forward and
    backward ops are subgraphs of their own; group mates come along.
    """
    e = live.evaluator
    groups = e.problem.groups
    if not e.pays[device]:
        return ops
    taken = np.zeros(e.n, bool)
    taken[ops] = True
    while True:
        before = taken.copy()
        for part in range(2):
            inside = (taken | (live.device_of == device)) & (e.part == part)
            below = _reached(inside, e.succ_ptr, e.succ_idx)
            above = _reached(inside, e.pred_ptr, e.pred_idx)
            taken |= below & above & ~inside
        taken[groups.expand(np.flatnonzero(taken).astype(np.int32))] = True
        if (taken == before).all():
            return np.flatnonzero(taken).astype(np.int32)


def _reached(start: Bools, ptr: Ints, idx: Ints) -> Bools:
    """Nodes that a path of at least one edge leads to from ``start`` (bool[n])."""
    found = np.zeros(len(start), bool)
    queue = np.flatnonzero(start).tolist()
    while queue:
        v = queue.pop()
        for w in idx[ptr[v] : ptr[v + 1]].tolist():
            if not found[w]:
                found[w] = True
                if not start[w]:
                    queue.append(w)
    return found
