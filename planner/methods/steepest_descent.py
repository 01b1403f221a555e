"""Steepest descent over single moves of units, incremental and compiled."""

from __future__ import annotations

import numpy as np

from planner.compiling.kernel import njit
from planner.evaluation import kernels
from planner.evaluation.kernels import MAX_COST, cyclic_devices
from planner.methods.unit_moves import (
    CONTIGUOUS,
    FREE,
    ORDERED,
    Sums,
    device_cost,
    fixed_of,
    move_quotient,
    place,
    shift,
)
from planner.methods.units import Units
from planner.model.graph import Ints

MOVES_PER_CALL = 64
TRIALS_PER_CALL = 1_200_000
"""Trials times devices (and a few) between two looks at the stop criteria: some ten milliseconds."""
IMPROVES = 1.0 - 1e-9
TIES = 1.0 - 1e-12
ROUNDING = 2e-14


@njit(cache=True, nogil=True)
def _objective(receive, busy, send, held, budget, rate, communication, objective):
    """The maxima that make the objective (their sum), and the sum of all costs."""
    k = len(held)
    forward, backward, total = 0.0, 0.0, 0.0
    for d in range(k):
        f, g = device_cost(d, receive, busy, send, held, budget, rate, communication, objective)
        forward = max(forward, f)
        backward = max(backward, g)
        total += f + g
    return forward, backward, total


@njit(cache=True, nogil=True)
def _attained(forward, backward, receive, busy, send, held, budget, rate, communication, objective, worst):
    """Mark in ``worst`` (bool[k]) the devices that attain a maximum."""
    for d in range(len(held)):
        f, g = device_cost(d, receive, busy, send, held, budget, rate, communication, objective)
        worst[d] = f >= forward * IMPROVES or (objective != MAX_COST and g >= backward * IMPROVES)


@njit(cache=True, nogil=True)
def _window(u, mode, device_of, succ_ptr, succ_idx, pred_ptr, pred_idx, k):
    """Lowest and highest device that the order rule leaves to unit u."""
    low, high = 0, k - 1
    if mode == ORDERED:
        for x in range(pred_ptr[u], pred_ptr[u + 1]):
            low = max(low, device_of[pred_idx[x]])
        for x in range(succ_ptr[u], succ_ptr[u + 1]):
            high = min(high, device_of[succ_idx[x]])
    return low, high


@njit(cache=True, nogil=True)
def _acyclic(
    u, b, mode, device_of, succ_ptr, succ_idx, pred_ptr, pred_idx,
    succ_forward, succ_backward, pred_forward, pred_backward, quotient, trial,
):  # fmt: skip
    """Whether the devices can still be put in order, where they have to be, once unit u is on device b."""
    if mode != CONTIGUOUS:
        return True
    trial[:] = quotient
    move_quotient(
        u, b, device_of, succ_ptr, succ_idx, pred_ptr, pred_idx,
        succ_forward, succ_backward, pred_forward, pred_backward, trial,
    )  # fmt: skip
    return cyclic_devices(trial[0]) + cyclic_devices(trial[1]) == 0


@njit(cache=True, nogil=True)
def descend(most_moves, most_trials, slack, sweep, mode, device_of, fixed, sums):
    """Make best moves in place until none improves; returns (done, moves made, objective).

    A move helps only if it changes every device that attains the maximum, so units elsewhere are tried on those
    devices alone. Ties go to the least sum of all costs. Where no move lowers the objective, those that keep it and
    lower that sum are made in a sweep over all units: they clear the way for further moves. ``sweep`` int32[3] says across
    calls whether one is under way, where it goes on and how many moves it has made.
    """
    # Unpacked once: a tuple that is handed on counts references to all its arrays at every call.
    (
        work, memory, params, allowed, entry_ptr, entry_tensor, entry_forward, entry_backward, entry_produces, tensor_time,
        send_time, tensor_part, tensor_total, class_of, pays, budget, rate, communication, objective, capacity,
        succ_ptr, succ_idx, pred_ptr, pred_idx, succ_forward, succ_backward, pred_forward, pred_backward,
    ) = fixed  # fmt: skip
    counts, home, receive, busy, send, used, held, quotient = sums
    m, k = len(device_of), len(pays)
    trial = np.empty_like(quotient)
    worst = np.zeros(k, np.bool_)
    r = np.empty_like(receive)
    s = np.empty_like(send)
    made = 0
    trials = 0
    while True:
        everywhere = sweep[0] == 1
        forward, backward, total = _objective(
            receive, busy, send, held, budget, rate, communication, objective
        )
        _attained(forward, backward, receive, busy, send, held, budget, rate, communication, objective, worst)
        now = forward + backward
        if made >= most_moves or trials >= most_trials:
            return False, made, now
        # Until a move is found, its objective must be lower; after that, ties are decided by the sum of all costs.
        best, best_total = min(now * IMPROVES, now - slack), -np.inf
        if everywhere:
            best, best_total = now, min(total * IMPROVES, total - slack)
        stopped_at = m
        best_unit, best_device = -1, -1
        for u in range(sweep[1] if everywhere else 0, m):
            if everywhere and trials >= most_trials:
                stopped_at = u
                break
            a = device_of[u]
            low, high = _window(u, mode, device_of, succ_ptr, succ_idx, pred_ptr, pred_idx, k)
            for b in range(low, high + 1):
                if b == a or not allowed[u, b] or not (everywhere or worst[a] or worst[b]):
                    continue
                if used[b] + memory[u] > capacity[b]:
                    continue
                trials += 1
                r[:] = receive
                s[:] = send
                shift(
                    u, a, b, False, entry_ptr, entry_tensor, entry_forward, entry_backward, entry_produces,
                    tensor_time, send_time, tensor_part, tensor_total, pays, counts, home, r, s,
                )  # fmt: skip
                a0, a1, b0, b1 = busy[a, 0], busy[a, 1], busy[b, 0], busy[b, 1]
                held_a, held_b = held[a], held[b]
                busy[a, 0] -= work[class_of[a], u, 0]
                busy[a, 1] -= work[class_of[a], u, 1]
                busy[b, 0] += work[class_of[b], u, 0]
                busy[b, 1] += work[class_of[b], u, 1]
                held[a] -= params[u]
                held[b] += params[u]
                forward, backward, total = _objective(
                    r, busy, s, held, budget, rate, communication, objective
                )
                value = forward + backward
                busy[a, 0], busy[a, 1], busy[b, 0], busy[b, 1] = a0, a1, b0, b1
                held[a], held[b] = held_a, held_b
                lower = value < best * TIES and not everywhere
                if (lower or (value <= best / TIES and total < best_total)) and _acyclic(
                    u, b, mode, device_of, succ_ptr, succ_idx, pred_ptr, pred_idx,
                    succ_forward, succ_backward, pred_forward, pred_backward, quotient, trial,
                ):  # fmt: skip
                    best, best_total, best_unit, best_device = min(value, best), total, u, b
            if everywhere and best_unit >= 0:
                place(
                    best_unit, best_device, mode, device_of, work, memory, params, entry_ptr, entry_tensor, entry_forward,
                    entry_backward, entry_produces, tensor_time, send_time, tensor_part, tensor_total, class_of, pays,
                    succ_ptr, succ_idx, pred_ptr, pred_idx, succ_forward, succ_backward, pred_forward, pred_backward,
                    counts, home, receive, busy, send, used, held, quotient,
                )  # fmt: skip
                made += 1
                sweep[2] += 1
                best_total, best_unit = min(best_total * IMPROVES, best_total - slack), -1
        if everywhere and stopped_at < m:
            sweep[1] = stopped_at
        elif everywhere:
            if sweep[2] == 0:
                return True, made, now
            sweep[0] = 0
        elif best_unit < 0:
            sweep[0], sweep[1], sweep[2] = 1, 0, 0
        else:
            place(
                    best_unit, best_device, mode, device_of, work, memory, params, entry_ptr, entry_tensor, entry_forward,
                    entry_backward, entry_produces, tensor_time, send_time, tensor_part, tensor_total, class_of, pays,
                    succ_ptr, succ_idx, pred_ptr, pred_idx, succ_forward, succ_backward, pred_forward, pred_backward,
                    counts, home, receive, busy, send, used, held, quotient,
                )  # fmt: skip
            made += 1


class Descent:
    """Descent from given placements of ``units`` (device of each unit, int32[m]); legal moves only."""

    def __init__(self, units: Units) -> None:
        e = units.problem.evaluator
        self.units = units
        codes = {rule.code for rule in e.rules}
        self._mode = FREE
        if kernels.RULE_ORDER in codes:
            self._mode = ORDERED
        elif kernels.RULE_CONTIGUOUS in codes:
            self._mode = CONTIGUOUS
        capacity = e.capacity * (1 + 1e-9) if kernels.RULE_MEMORY in codes else np.full(e.k, np.inf)
        self._fixed = fixed_of(units, capacity)
        # What rounding errors of sums may feign is no improvement.
        most = np.maximum(units.tensor_time, units.send_time)
        self._slack = ROUNDING * float(units.work.max(axis=0, initial=0.0).sum() + most.sum())
        self.device_of: Ints = np.zeros(units.count, np.int32)
        self.objective = np.inf
        self.moves = 0

    def begin(self, device_of: Ints) -> None:
        """Start from a placement (int32[m], units), which must keep every rule."""
        self.device_of = np.array(device_of, np.int32)
        self.moves = 0
        self._sweep = np.zeros(3, np.int32)
        self._sum()

    def _sum(self) -> None:
        e, units = self.units.problem.evaluator, self.units
        of_op = self.device_of[units.unit_of]
        _, receive, busy, send, used, held = e.raw(of_op)
        k = e.k
        counts = np.zeros((len(units.tensor_time), k, 2), np.int32)
        unit_of_entry = np.repeat(np.arange(units.count), np.diff(units.entry_ptr))
        where = self.device_of[unit_of_entry]
        at = units.entry_tensor.astype(np.int64) * k + where
        for part, consumers in enumerate((units.entry_forward, units.entry_backward)):
            summed = np.bincount(at, weights=consumers, minlength=len(units.tensor_time) * k)
            counts[:, :, part] = summed.reshape(-1, k)
        home = self.device_of[units.tensor_producer].copy()
        quotient = kernels.quotient_counts(of_op, e.part, e.edge_src, e.edge_dst, k)
        self._sums = Sums(counts, home, receive, busy, send, used, held, quotient)
        self.objective = e.objective(of_op)

    def run(self) -> bool:
        """Make some of the best moves; returns whether a local optimum is reached. Takes some ten milliseconds."""
        units = self.units
        # What a unit touches is looked at in every trial.
        touched = len(units.entry_tensor) // max(units.count, 1)
        trials = max(1, TRIALS_PER_CALL // ((units.problem.evaluator.k + 8) * (1 + touched // 4)))
        done, made, _ = descend(
            MOVES_PER_CALL,
            trials,
            self._slack,
            self._sweep,
            self._mode,
            self.device_of,
            self._fixed,
            self._sums,
        )
        self.moves += made
        self._sum()  # afresh, so that rounding errors do not add up
        return bool(done)
