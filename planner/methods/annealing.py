"""Simulated annealing over placements of units: single moves, moves of connected clusters, and swaps, compiled.

The energy is a smooth stand-in for the largest load: the p-norm of the device costs (for ``gpipe`` that of the forward costs plus
that of the backward costs). A step costs what the moved units' own tensors cost; only steps that keep every rule are made.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from planner.compiling.kernel import njit
from planner.evaluation.kernels import MAX_COST, cyclic_devices
from planner.methods.mip.model import unchecked
from planner.methods.random_streams import seeded, uniform
from planner.methods.steepest_descent import Descent
from planner.methods.unit_moves import CONTIGUOUS, device_cost, place
from planner.methods.units import Units
from planner.model.graph import Ints

STEPS_PER_CALL = 20_000
STEPS_PER_SLICE = 1_000
"""Steps between two looks at the stop criteria: some ten milliseconds."""
MOST_MOVED = 24
"""Units in one step."""


@njit(cache=True, nogil=True)
def energy(receive, busy, send, held, budget, rate, communication, objective, power, unit):
    """(p-norm of the costs, in multiples of ``unit``; the objective itself)."""
    forward, backward = 0.0, 0.0
    most_forward, most_backward = 0.0, 0.0
    for d in range(len(held)):
        f, g = device_cost(d, receive, busy, send, held, budget, rate, communication, objective)
        most_forward = max(most_forward, f)
        most_backward = max(most_backward, g)
        forward += (max(f, 0.0) / unit) ** power
        backward += (max(g, 0.0) / unit) ** power
    norm = forward ** (1.0 / power)
    if objective != MAX_COST:
        norm += backward ** (1.0 / power)
    return norm, most_forward + most_backward


@njit(cache=True, nogil=True)
def anneal(
    steps, random, hot, cold, power, unit, best_of, best_value, mode, device_of, fixed, sums, user_ptr, users, chosen
):  # fmt: skip
    """Make ``steps`` steps while the temperature (relative to the objective) falls from ``hot`` to ``cold``.

    Everything is changed in place; ``best_of`` int32[m] and ``best_value`` float64[1] keep the best placement seen.
    ``user_ptr``, ``users``: the units that touch each tensor. ``chosen`` bool[m] is scratch holding False.
    """
    # Unpacked once: a tuple that is handed on counts references to all its arrays at every call.
    (
        work, memory, params, allowed, entry_ptr, entry_tensor, entry_forward, entry_backward, entry_produces, tensor_time,
        send_time, tensor_part, tensor_total, class_of, pays, budget, rate, communication, objective, capacity,
        succ_ptr, succ_idx, pred_ptr, pred_idx, succ_forward, succ_backward, pred_forward, pred_backward,
    ) = fixed  # fmt: skip
    counts, home, receive, busy, send, used, held, quotient = sums
    m, k = len(device_of), len(pays)
    moved = np.empty(MOST_MOVED, np.int32)
    origin = np.empty(MOST_MOVED, np.int32)
    receive0, busy0, send0 = receive.copy(), busy.copy(), send.copy()
    used0, held0 = used.copy(), held.copy()
    now, _ = energy(receive, busy, send, held, budget, rate, communication, objective, power, unit)
    cooling = (cold / hot) ** (1.0 / max(steps, 1))
    temperature = hot
    for _ in range(steps):
        temperature *= cooling
        u = min(int(uniform(random) * m), m - 1)
        a = device_of[u]
        b = -1
        kind = uniform(random)
        first, last = entry_ptr[u], entry_ptr[u + 1]
        if last > first and uniform(random) < 0.6:
            # The device of a unit that shares a tensor with u.
            t = entry_tensor[first + int(uniform(random) * (last - first))]
            w = users[user_ptr[t] + int(uniform(random) * (user_ptr[t + 1] - user_ptr[t]))]
            b = device_of[w]
        if b < 0 or b == a:
            b = min(int(uniform(random) * k), k - 1)
        if b == a or not allowed[u, b]:
            continue
        moved[0] = u
        count = 1
        swap = -1
        if kind < 0.35:
            wanted = 2
            while wanted < MOST_MOVED and uniform(random) < 0.75:
                wanted += 1
            chosen[u] = True
            for _ in range(2 * wanted):
                if count >= wanted:
                    break
                v = moved[int(uniform(random) * count)]
                first, last = entry_ptr[v], entry_ptr[v + 1]
                if last == first:
                    continue
                t = entry_tensor[first + int(uniform(random) * (last - first))]
                other = entry_tensor[first + int(uniform(random) * (last - first))]
                if tensor_time[other] > tensor_time[t]:
                    t = other
                w = users[user_ptr[t] + int(uniform(random) * (user_ptr[t + 1] - user_ptr[t]))]
                if not chosen[w] and device_of[w] == a and allowed[w, b]:
                    chosen[w] = True
                    moved[count] = w
                    count += 1
            for i in range(count):
                chosen[moved[i]] = False
        elif kind < 0.5:
            w = min(int(uniform(random) * m), m - 1)
            if device_of[w] == b and allowed[w, a]:
                swap = w
                moved[1] = w
                count = 2
        for i in range(count):
            origin[i] = device_of[moved[i]]
        receive0[:], busy0[:], send0[:] = receive, busy, send
        used0[:], held0[:] = used, held
        for i in range(count):
            to = a if moved[i] == swap else b
            place(
                moved[i], to, mode, device_of, work, memory, params, entry_ptr, entry_tensor, entry_forward,
                entry_backward, entry_produces, tensor_time, send_time, tensor_part, tensor_total, class_of, pays,
                succ_ptr, succ_idx, pred_ptr, pred_idx, succ_forward, succ_backward, pred_forward, pred_backward,
                counts, home, receive, busy, send, used, held, quotient,
            )  # fmt: skip
        after, value = energy(receive, busy, send, held, budget, rate, communication, objective, power, unit)
        rise = after - now
        keep = used[a] <= capacity[a] and used[b] <= capacity[b]
        keep = keep and (rise <= 0.0 or uniform(random) < math.exp(-rise / temperature))
        if keep and mode == CONTIGUOUS:
            keep = cyclic_devices(quotient[0]) + cyclic_devices(quotient[1]) == 0
        if keep:
            now = after
            if value < best_value[0]:
                best_value[0] = value
                best_of[:] = device_of
            continue
        for i in range(count - 1, -1, -1):
            place(
                moved[i], origin[i], mode, device_of, work, memory, params, entry_ptr, entry_tensor, entry_forward,
                entry_backward, entry_produces, tensor_time, send_time, tensor_part, tensor_total, class_of, pays,
                succ_ptr, succ_idx, pred_ptr, pred_idx, succ_forward, succ_backward, pred_forward, pred_backward,
                counts, home, receive, busy, send, used, held, quotient,
            )  # fmt: skip
        # Exactly as before: rounding must not add up over rejected steps.
        receive[:], busy[:], send[:] = receive0, busy0, send0
        used[:], held[:] = used0, held0


class Annealing(Descent):
    """Anneals placements of ``units`` that keep every rule: :meth:`begin`, then :meth:`step` until it is done."""

    def __init__(self, units: Units, seed: int) -> None:
        super().__init__(units)
        self._random = seeded(seed)
        unit_of_entry = np.repeat(np.arange(units.count, dtype=np.int32), np.diff(units.entry_ptr))
        order = np.argsort(units.entry_tensor, kind="stable")
        self._users = unit_of_entry[order]
        self._user_ptr = np.zeros(len(units.tensor_time) + 1, np.int32)
        np.cumsum(np.bincount(units.entry_tensor, minlength=len(units.tensor_time)), out=self._user_ptr[1:])
        self._chosen = np.zeros(units.count, bool)
        self.best_of: Ints = self.device_of.copy()
        self.best = math.inf

    def begin(self, device_of: Ints) -> None:
        """Start from a placement (int32[m], units), which must keep every rule."""
        super().begin(device_of)
        self.best_of, self.best = self.device_of.copy(), self.objective

    def step(
        self,
        hot: float,
        cold: float,
        power: float,
        steps: int = STEPS_PER_CALL,
        check: Callable[[], None] = unchecked,
    ) -> None:
        """Anneal from temperature ``hot`` to ``cold`` (relative to the objective) in so many steps.

        ``check`` is called every some ten milliseconds and may raise to end it. :attr:`best_of` (int32[m]) is the best placement since :meth:`begin`, :attr:`best` its objective.
        """
        unit = self.objective if self.objective > 0 else 1.0
        value = np.array([self.best])
        for done in range(0, steps, STEPS_PER_SLICE):
            check()
            count = min(STEPS_PER_SLICE, steps - done)
            begin, end = (hot * (cold / hot) ** (at / steps) for at in (done, done + count))
            anneal(
                count, self._random, begin, end, power, unit, self.best_of, value, self._mode, self.device_of, self._fixed,
                self._sums, self._user_ptr, self._users, self._chosen,
            )  # fmt: skip
            self.best = float(value[0])
        self._sum()  # afresh, so that rounding errors do not add up
