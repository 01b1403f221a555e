"""The rules of targets whose decision is an assignment, each with its full check and its check of a move.

``violations`` looks at a whole assignment and says what is broken, in sentences. ``blocked`` looks at a move of some
ops to each device in turn and says which destinations would break the rule through these ops.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Protocol

import numpy as np

from planner.graph import Bools, Ints
from planner.plan import Violation
from planner.targets import kernels

if TYPE_CHECKING:
    from planner.targets.evaluator import AssignmentEvaluator
    from planner.targets.live import LiveEvaluation


class Rule(Protocol):
    """One rule. ``code`` is its bit in the masks of :mod:`planner.targets.kernels`."""

    name: ClassVar[str]
    code: ClassVar[int]

    def violations(self, evaluator: AssignmentEvaluator, device_of: Ints) -> list[Violation]:
        """Every way in which the assignment breaks this rule."""

    def blocked(self, live: LiveEvaluation, ops: Ints) -> Bools:
        """bool[k]: destinations that would break this rule if all ``ops`` moved there."""


def _titles(evaluator: AssignmentEvaluator) -> list[str]:
    return [d.name for d in evaluator.problem.devices]


class OrderRule:
    """block(u) <= block(v) on every edge (MTPP, section 2.2, with numbered blocks)."""

    name: ClassVar[str] = "order"
    code: ClassVar[int] = kernels.RULE_ORDER

    def violations(self, evaluator: AssignmentEvaluator, device_of: Ints) -> list[Violation]:
        """One violation per edge that goes back, named after the producer."""
        names, titles = evaluator.problem.graph.op_names, _titles(evaluator)
        src, dst = evaluator.edge_src, evaluator.edge_dst
        found = []
        for e in np.flatnonzero(device_of[src] > device_of[dst]):
            u, v = int(src[e]), int(dst[e])
            a, b = int(device_of[u]), int(device_of[v])
            sentence = f"{names[u]} sends back from {titles[a]} to {titles[b]}, where {names[v]} needs it"
            found.append(Violation(self.name, (u, v), (a, b), sentence))
        return found

    def blocked(self, live: LiveEvaluation, ops: Ints) -> Bools:
        """Destinations outside the window between outside predecessors and successors."""
        low, high = live.order_window(ops)
        devices = np.arange(live.evaluator.k)
        return (devices < low) | (devices > high)


class ContiguityRule:
    """The devices can be put in order so that no edge of the forward (or backward) part goes back."""

    name: ClassVar[str] = "contiguous"
    code: ClassVar[int] = kernels.RULE_CONTIGUOUS

    def violations(self, evaluator: AssignmentEvaluator, device_of: Ints) -> list[Violation]:
        """One violation per part and cycle of devices found, with an edge for each step of the cycle."""
        e = evaluator
        quotient = kernels.quotient_counts(device_of, e.part, e.edge_src, e.edge_dst, e.k)
        found = []
        for part in range(2):
            for cycle in device_cycles(quotient[part] > 0):
                found.append(self._violation(e, device_of, part, cycle))
        return found

    def _violation(
        self, evaluator: AssignmentEvaluator, device_of: Ints, part: int, cycle: tuple[int, ...]
    ) -> Violation:
        names, titles = evaluator.problem.graph.op_names, _titles(evaluator)
        src, dst = evaluator.edge_src, evaluator.edge_dst
        same = (evaluator.part[src] == part) & (evaluator.part[dst] == part)
        ops: list[int] = []
        steps = []
        for a, b in zip(cycle, (*cycle[1:], cycle[0]), strict=True):
            e = int(np.flatnonzero(same & (device_of[src] == a) & (device_of[dst] == b))[0])
            ops += [int(src[e]), int(dst[e])]
            steps.append(f"{names[src[e]]} feeds {names[dst[e]]} from {titles[a]} to {titles[b]}")
        within = " in the backward pass" if part else ""
        around = " and ".join(titles[d] for d in cycle) if len(cycle) < 4 else f"{len(cycle)} devices"
        shown = steps if len(steps) < 4 else [*steps[:2], "..."]
        sentence = f"{around} wait for each other{within}: {', '.join(shown)}"
        return Violation(self.name, tuple(dict.fromkeys(ops)), cycle, sentence)

    def blocked(self, live: LiveEvaluation, ops: Ints) -> Bools:
        """Destinations after which more devices wait for each other than now."""
        return live.contiguity_after(ops) > live.cyclic_devices()


def device_cycles(adjacent: Bools) -> list[tuple[int, ...]]:
    """One shortest cycle through the smallest device of each strongly connected component (``adjacent`` bool[k, k])."""
    k = len(adjacent)
    reach = adjacent.copy()
    np.fill_diagonal(reach, False)
    direct = reach.copy()
    for d in range(k):
        reach |= np.outer(reach[:, d], reach[d])
    mutual = reach & reach.T
    seen = np.zeros(k, bool)
    cycles = []
    for d in range(k):
        if seen[d] or not mutual[d].any():
            continue
        seen |= mutual[d]
        parent = {d: -1}
        queue = [d]
        closing = -1
        while queue and closing < 0:
            a = queue.pop(0)
            for b in np.flatnonzero(direct[a] & mutual[d]).tolist():
                if b == d:
                    closing = a
                    break
                if b not in parent:
                    parent[b] = a
                    queue.append(b)
        cycle = [closing]
        while parent[cycle[-1]] >= 0:
            cycle.append(parent[cycle[-1]])
        cycles.append(tuple(reversed(cycle)))
    return cycles


class MemoryRule:
    """The ops on a device fit its memory (device placement, section 3)."""

    name: ClassVar[str] = "memory"
    code: ClassVar[int] = kernels.RULE_MEMORY

    def violations(self, evaluator: AssignmentEvaluator, device_of: Ints) -> list[Violation]:
        """One violation per overfull device, naming its largest ops."""
        from planner.quantity import bytes_text

        titles = _titles(evaluator)
        used = np.bincount(device_of, weights=evaluator.memory, minlength=evaluator.k)
        found = []
        for d in np.flatnonzero(overfull(used, evaluator.capacity)).tolist():
            on = np.flatnonzero(device_of == d)
            largest = on[np.argsort(-evaluator.memory[on], kind="stable")[:3]]
            sentence = f"{titles[d]} holds {bytes_text(used[d])}, {bytes_text(used[d] - evaluator.capacity[d])} more than fits"
            found.append(Violation(self.name, tuple(largest.tolist()), (d,), sentence))
        return found

    def blocked(self, live: LiveEvaluation, ops: Ints) -> Bools:
        """Destinations that the ops would overfill."""
        e = live.evaluator
        held = np.bincount(live.device_of[ops], weights=e.memory[ops], minlength=e.k)
        return overfull(live.used - held + e.memory[ops].sum(), e.capacity)


def overfull(used: np.ndarray, capacity: np.ndarray) -> Bools:
    """Which devices hold more than fits; a rounding error of 1e-9 is not more."""
    result: Bools = used > capacity * (1 + 1e-9)
    return result


class SupportRule:
    """Ops run only on devices that support them (device placement, footnote 1)."""

    name: ClassVar[str] = "support"
    code: ClassVar[int] = kernels.RULE_SUPPORT

    def violations(self, evaluator: AssignmentEvaluator, device_of: Ints) -> list[Violation]:
        """One violation per op on a device that cannot run it."""
        names, titles = evaluator.problem.graph.op_names, _titles(evaluator)
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

    def blocked(self, live: LiveEvaluation, ops: Ints) -> Bools:
        """Destinations that do not support one of the ops."""
        e = live.evaluator
        runs_all: Bools = np.asarray(e.supported[:, ops].all(axis=1), bool)
        return ~runs_all[e.class_of]


class PinRule:
    """A pinned op stays on its device (the user's constraint)."""

    name: ClassVar[str] = "pin"
    code: ClassVar[int] = kernels.RULE_PIN

    def violations(self, evaluator: AssignmentEvaluator, device_of: Ints) -> list[Violation]:
        """One violation per pinned op that is elsewhere."""
        names, titles, pinned = evaluator.problem.graph.op_names, _titles(evaluator), evaluator.pinned
        return [
            Violation(
                self.name,
                (v,),
                (int(device_of[v]), int(pinned[v])),
                f"{names[v]} is pinned to {titles[pinned[v]]} but placed on {titles[device_of[v]]}",
            )
            for v in np.flatnonzero((pinned >= 0) & (pinned != device_of)).tolist()
        ]

    def blocked(self, live: LiveEvaluation, ops: Ints) -> Bools:
        """Destinations other than the pins of the ops."""
        pins = live.evaluator.pinned[ops]
        devices = np.arange(live.evaluator.k)
        blocked: Bools = ((pins[:, None] >= 0) & (pins[:, None] != devices[None, :])).any(axis=0)
        return blocked


class TogetherRule:
    """Ops of one colocation group share a device (device placement, appendix B; the user's keep-together)."""

    name: ClassVar[str] = "together"
    code: ClassVar[int] = kernels.RULE_TOGETHER

    def violations(self, evaluator: AssignmentEvaluator, device_of: Ints) -> list[Violation]:
        """One violation per group that is spread over several devices."""
        groups = evaluator.problem.groups
        names, titles = evaluator.problem.graph.op_names, _titles(evaluator)
        first = np.full(groups.count, -1, np.int64)
        first[groups.group_of[::-1]] = np.arange(evaluator.n)[::-1]
        split = np.unique(groups.group_of[device_of != device_of[first[groups.group_of]]])
        found = []
        for g in split.tolist():
            ops = groups.ops(g)
            devices = np.unique(device_of[ops])
            other = next(v for v in ops.tolist() if device_of[v] != device_of[ops[0]])
            sentence = (
                f"{names[ops[0]]} and {names[other]} must share a device but are on"
                f" {titles[device_of[ops[0]]]} and {titles[device_of[other]]}"
            )
            found.append(Violation(self.name, tuple(ops.tolist()), tuple(devices.tolist()), sentence))
        return found

    def blocked(self, live: LiveEvaluation, ops: Ints) -> Bools:
        """Destinations that would leave a group mate of the ops on another device."""
        groups = live.evaluator.problem.groups
        mates = np.setdiff1d(groups.expand(ops), ops)
        elsewhere = np.unique(live.device_of[mates])
        devices = np.arange(live.evaluator.k)
        if len(elsewhere) == 0:
            return np.zeros(live.evaluator.k, bool)
        return np.ones(live.evaluator.k, bool) if len(elsewhere) > 1 else devices != elsewhere[0]
