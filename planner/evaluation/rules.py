"""The rules of targets whose decision is an assignment, each with its full check and its check of a move.

``violations`` looks at a whole assignment and says what is broken, in sentences. ``blocked`` looks at a move of some
ops to each device in turn and says which destinations would break the rule through these ops.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from planner.evaluation import kernels
from planner.model.graph import Bools, Ints
from planner.problem.decision import Violation
from planner.problem.evaluator import Evaluator, Live, Rule
from planner.quantity import bytes_text


def device_names(evaluator: Evaluator) -> list[str]:
    """What sentences call the devices."""
    return [d.name for d in evaluator.problem.devices]


class OrderRule(Rule):
    """block(u) <= block(v) on every edge (MTPP, section 2.2, with numbered blocks)."""

    name: ClassVar[str] = "order"
    code: ClassVar[int] = kernels.RULE_ORDER

    def violations(self, evaluator: Evaluator, device_of: Ints) -> list[Violation]:
        """One violation per edge that goes back, named after the producer."""
        names, titles = evaluator.problem.graph.op_names, device_names(evaluator)
        src, dst = evaluator.edge_src, evaluator.edge_dst
        found = []
        for e in np.flatnonzero(device_of[src] > device_of[dst]):
            u, v = int(src[e]), int(dst[e])
            a, b = int(device_of[u]), int(device_of[v])
            sentence = f"{names[u]} sends back from {titles[a]} to {titles[b]}, where {names[v]} needs it"
            found.append(Violation(self.name, (u, v), (a, b), sentence))
        return found

    def blocked(self, live: Live, ops: Ints) -> Bools:
        """Destinations outside the window between outside predecessors and successors."""
        low, high = live.order_window(ops)
        devices = np.arange(live.evaluator.k)
        return (devices < low) | (devices > high)


class MemoryRule(Rule):
    """The ops on a device fit its memory (device placement, section 3)."""

    name: ClassVar[str] = "memory"
    code: ClassVar[int] = kernels.RULE_MEMORY

    def violations(self, evaluator: Evaluator, device_of: Ints) -> list[Violation]:
        """One violation per overfull device, naming its largest ops."""
        titles = device_names(evaluator)
        used = evaluator.by_memory(evaluator.held_memory(device_of))
        found = []
        for d in np.flatnonzero(overfull(used, evaluator.capacity)).tolist():
            slots = np.flatnonzero(evaluator.owner == evaluator.owner[d])
            if d != slots[0]:
                continue
            on = np.flatnonzero(evaluator.owner[device_of] == evaluator.owner[d])
            largest = on[np.argsort(-evaluator.memory[on], kind="stable")[:3]]
            name = titles[d] if len(slots) == 1 else f"{titles[d]} to {titles[slots[-1]]} together"
            verb = "holds" if len(slots) == 1 else "hold"
            sentence = f"{name} {verb} {bytes_text(used[d])}, {bytes_text(used[d] - evaluator.capacity[d])} more than fits"
            found.append(Violation(self.name, tuple(largest.tolist()), tuple(slots.tolist()), sentence))
        return found

    def blocked(self, live: Live, ops: Ints) -> Bools:
        """Destinations that the ops would overfill."""
        e = live.evaluator
        held = e.held_memory(live.device_of, ops)
        return overfull(e.by_memory(live.used - held) + e.memory[ops].sum(), e.capacity)


def overfull(used: np.ndarray, capacity: np.ndarray) -> Bools:
    """bool[k]: devices whose ``used`` bytes exceed their ``capacity`` (float64[k] each) by more than a rounding error (1e-9)."""
    result: Bools = used > capacity * (1 + 1e-9)
    return result


class SupportRule(Rule):
    """Ops run only on devices that support them (device placement, footnote 1)."""

    name: ClassVar[str] = "support"
    code: ClassVar[int] = kernels.RULE_SUPPORT

    def violations(self, evaluator: Evaluator, device_of: Ints) -> list[Violation]:
        """One violation per op on a device that cannot run it."""
        names, titles = evaluator.problem.graph.op_names, device_names(evaluator)
        fine = evaluator.supported[evaluator.class_of[device_of], np.arange(evaluator.n)]
        return [
            Violation(
                self.name,
                (v,),
                (int(device_of[v]),),
                f"{names[v]} is not supported on {titles[device_of[v]]}",
            )
            for v in np.flatnonzero(~fine).tolist()
        ]

    def blocked(self, live: Live, ops: Ints) -> Bools:
        """Destinations that do not support one of the ops."""
        e = live.evaluator
        runs_all: Bools = np.asarray(e.supported[:, ops].all(axis=1), bool)
        return ~runs_all[e.class_of]


class PinRule(Rule):
    """A pinned op stays on its device (the user's constraint)."""

    name: ClassVar[str] = "pin"
    code: ClassVar[int] = kernels.RULE_PIN

    def violations(self, evaluator: Evaluator, device_of: Ints) -> list[Violation]:
        """One violation per pinned op that is elsewhere."""
        names, titles, pinned = evaluator.problem.graph.op_names, device_names(evaluator), evaluator.pinned
        return [
            Violation(
                self.name,
                (v,),
                (int(device_of[v]), int(pinned[v])),
                f"{names[v]} is pinned to {titles[pinned[v]]} but placed on {titles[device_of[v]]}",
            )
            for v in np.flatnonzero((pinned >= 0) & (pinned != device_of)).tolist()
        ]

    def blocked(self, live: Live, ops: Ints) -> Bools:
        """Destinations other than the pins of the ops."""
        pins = live.evaluator.pinned[ops]
        devices = np.arange(live.evaluator.k)
        blocked: Bools = ((pins[:, None] >= 0) & (pins[:, None] != devices[None, :])).any(axis=0)
        return blocked


class TogetherRule(Rule):
    """Ops of one colocation group share a device (device placement, appendix B; the user's keep-together).

    Subgraphs of one accelerator count as one device here, and so do CPUs whose cores do not run out (section 4.1).
    """

    name: ClassVar[str] = "together"
    code: ClassVar[int] = kernels.RULE_TOGETHER

    def violations(self, evaluator: Evaluator, device_of: Ints) -> list[Violation]:
        """One violation per group that is spread over several devices."""
        groups = evaluator.problem.colocated
        names, titles = evaluator.problem.graph.op_names, device_names(evaluator)
        first = np.full(groups.count, -1, np.int64)
        first[groups.group_of[::-1]] = np.arange(evaluator.n)[::-1]
        owner_of = evaluator.owner[device_of]
        split = np.unique(groups.group_of[owner_of != owner_of[first[groups.group_of]]])
        found = []
        for g in split.tolist():
            ops = groups.ops(g)
            devices = np.unique(device_of[ops])
            other = next(v for v in ops.tolist() if owner_of[v] != owner_of[ops[0]])
            sentence = (
                f"{names[ops[0]]} and {names[other]} must share a device but are on"
                f" {titles[device_of[ops[0]]]} and {titles[device_of[other]]}"
            )
            found.append(Violation(self.name, tuple(ops.tolist()), tuple(devices.tolist()), sentence))
        return found

    def blocked(self, live: Live, ops: Ints) -> Bools:
        """Destinations that would leave a group mate of the ops on another device."""
        e = live.evaluator
        groups = e.problem.colocated
        moved = np.zeros(len(live.device_of), bool)
        moved[ops] = True
        mates = groups.expand(ops)
        mates = mates[~moved[mates]]
        elsewhere = np.unique(e.owner[live.device_of[mates]])
        if len(elsewhere) == 0:
            return np.zeros(e.k, bool)
        return np.ones(e.k, bool) if len(elsewhere) > 1 else e.owner != elsewhere[0]
