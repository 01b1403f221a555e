"""Which devices a chain of ideals has used: states, and the moves from one to the next.

Devices of a class are alike but for pins, so the free accelerators of the first class are only counted; their count is what the dynamic
program over ideals minimises. The state holds the rest: how many free CPUs are used, and accelerators of other classes, and which of the devices that
carry pins. A chain is what comes out: which device holds which units, in order.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np

from planner.evaluation import kernels
from planner.methods.units import Units
from planner.model.graph import Bools, Floats, Ints

ACCELERATOR, CPU = 0, 1
"""Cost classes of a pool: the first one of each kind of device. Devices that are not like the first of their kind have classes of their own."""
MOST_TYPES = 60
"""Types of devices are bits of one integer."""


@dataclass(frozen=True, eq=False)
class States:
    """Device types (y), states (s) and moves (x) of a pool.

    ``devices``: the devices of each type; type 0 is the free accelerators of the first class, perhaps none. ``type_class`` int32[y]: the cost
    class; ``type_pays`` bool[y]: whether it pays transfers, as accelerators do. ``sizes``: how many devices of the types 1.. there are. ``move_type``, ``move_from``, ``move_to`` int32[x]:
    one more device of a type other than 0. ``used`` int32[s, y]: how many of each type a state has used (0 for type 0).
    ``pinned``: whether a type is one device that carries pins.
    """

    devices: tuple[tuple[int, ...], ...]
    type_class: Ints
    type_pays: Bools
    move_type: Ints
    move_from: Ints
    move_to: Ints
    used: Ints

    pinned: tuple[bool, ...]

    @property
    def count(self) -> int:
        """How many states there are."""
        return len(self.used)

    @property
    def accelerators(self) -> int:
        """How many free accelerators there are."""
        return len(self.devices[0])

    @cached_property
    def before(self) -> Ints:
        """int32[s, y]: the state before the last device of a type, -1 where it has used none."""
        table = np.full((self.count, len(self.devices)), -1, np.int32)
        table[self.move_to, self.move_type] = self.move_from
        return table

    @cached_property
    def left(self) -> Ints:
        """int32[s, class]: devices of types 1.. not used yet, by class."""
        sizes = np.array([0, *(len(d) for d in self.devices[1:])], np.int32)
        rest = sizes[None, :] - self.used
        classes = range(max(CPU, int(self.type_class.max())) + 1)
        return np.stack([rest[:, self.type_class == c].sum(axis=1) for c in classes], axis=1)

    @cached_property
    def counts_cut(self) -> Bools:
        """bool[s]: whether all that is left then are accelerators of the first class, which pay what crosses a border in the same time as work."""
        found: Bools = self.left[:, ACCELERATOR + 1 :].sum(axis=1) == 0
        return found


def count_states(units: Units) -> int:
    """How many states :func:`pool_states` would make."""
    return math.prod(len(devices) + 1 for devices in _types(units)[0][1:])


def _types(units: Units) -> tuple[list[tuple[int, ...]], list[int]]:
    e = units.problem.evaluator
    special = np.unique(e.pinned[e.pinned >= 0]).tolist()
    free = [d for d in range(e.k) if d not in special]
    devices = [tuple(d for d in free if e.class_of[d] == ACCELERATOR)]
    type_class = [ACCELERATOR]
    for c in np.unique(e.class_of[e.class_of != ACCELERATOR]).tolist():
        members = tuple(d for d in free if e.class_of[d] == c)
        if members:
            devices.append(members)
            type_class.append(c)
    for d in special:
        devices.append((d,))
        type_class.append(int(e.class_of[d]))
    return devices, type_class


def pool_states(units: Units) -> States:
    """The states of the pool of ``units``."""
    devices, type_class = _types(units)
    sizes = [len(d) + 1 for d in devices[1:]]
    used = np.array([(0, *state) for state in product(*(range(size) for size in sizes))], np.int32)
    number = {tuple(row): s for s, row in enumerate(used.tolist())}
    moves = []
    for state, s in number.items():
        for y in range(1, len(devices)):
            if state[y] < len(devices[y]):
                moves.append((y, s, number[(*state[:y], state[y] + 1, *state[y + 1 :])]))
    table = np.array(moves, np.int32).reshape(-1, 3)
    pinned = [bool((units.problem.evaluator.pinned == d[0]).any()) if d else False for d in devices]
    return States(
        devices=tuple(devices),
        type_class=np.array(type_class, np.int32),
        type_pays=np.array([bool(units.problem.evaluator.pays[d[0]]) if d else True for d in devices]),
        move_type=np.ascontiguousarray(table[:, 0]),
        move_from=np.ascontiguousarray(table[:, 1]),
        move_to=np.ascontiguousarray(table[:, 2]),
        used=used.reshape(len(number), len(devices)),
        pinned=tuple(pinned),
    )


def fits_type(units: Units, states: States) -> Bools:
    """bool[m, y]: whether a device of each type may hold each unit; a type without devices holds nothing."""
    columns = [
        units.allowed[:, devices[0]] if devices else np.zeros(units.count, bool) for devices in states.devices
    ]
    return np.stack(columns, axis=1)


def type_capacity(units: Units, states: States) -> Floats:
    """float64[y]: the memory of a device of each type, infinite where no rule asks."""
    e = units.problem.evaluator
    capped = any(rule.code == kernels.RULE_MEMORY for rule in e.rules)
    return np.array(
        [e.capacity[devices[0]] * (1 + 1e-9) if capped and devices else np.inf for devices in states.devices]
    )


def absorbed(units: Units, budget: float, c: int = CPU) -> float:
    """No device of class ``c`` whose work stays below ``budget`` takes more work of the first class of accelerators off these than this.

    The fractional knapsack: units by accelerator work per work on such a device, a CPU by default. Units that cost it nothing are all taken.
    """
    accelerator, cpu = units.work[ACCELERATOR].sum(axis=1), units.work[c].sum(axis=1)
    total = float(accelerator.sum())
    if not math.isfinite(budget):
        return total
    free = float(accelerator[cpu <= 0].sum())
    some = cpu > 0
    order = np.argsort(-accelerator[some] / cpu[some], kind="stable")
    gain, price = accelerator[some][order], np.cumsum(cpu[some][order])
    whole = int(np.searchsorted(price, budget))
    taken = float(gain[:whole].sum())
    if whole < len(gain):
        before = float(price[whole - 1]) if whole else 0.0
        taken += float(gain[whole]) * (budget - before) / float(price[whole] - before)
    return min(total, free + taken)


def taken_off(units: Units, left: Ints, budget: float) -> Floats:
    """float64[s]: what the devices that are ``left`` (int32[s, class]) can take of the work of the first class of accelerators, each below ``budget``."""
    room = np.zeros(len(left))
    for c in range(left.shape[1]):
        some = left[:, c] > 0
        if some.any():
            each = budget if c == ACCELERATOR else absorbed(units, budget, c)
            room[some] += left[some, c] * each
    return room


@dataclass(frozen=True, eq=False)
class Chain:
    """A chain of ideals as a plan of the units: the device of each (int32[m]), its largest cost as the program counts it.

    ``place`` int32[k] is where each device stands in the chain; those without units come after all others. Under
    ``gpipe`` the value is the largest backward cost and ``forward`` the largest forward cost, else zero.
    """

    device_of: Ints
    place: Ints
    value: float
    forward: float = 0.0

    @staticmethod
    def of(
        states: States,
        units: Units,
        segments: Sequence[tuple[int, Bools]],
        value: float,
        forward: float = 0.0,
    ) -> Chain:
        """Give the segments (type of device, its units as bool[m]), in order, devices of their types."""
        device_of = np.zeros(units.count, np.int32)
        place = np.full(units.problem.evaluator.k, len(segments), np.int32)
        taken = [0] * len(states.devices)
        for number, (y, inside) in enumerate(segments):
            device = states.devices[y][taken[y]]
            taken[y] += 1
            device_of[inside] = device
            place[device] = number
        return Chain(device_of, place, value, forward)
