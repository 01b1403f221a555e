"""The rules of multi-chip modules beyond the order of the chips (MCM paper, section 3)."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, Protocol, cast

import numpy as np

from planner.evaluation import kernels
from planner.evaluation.rules import device_names, overfull
from planner.machines.mcm import kernels as mcm_kernels
from planner.model.graph import Bools, Floats, Ints
from planner.problem.decision import Violation
from planner.problem.evaluator import EvaluatedProblem, Evaluator, Live, Rule
from planner.quantity import bytes_text


@dataclass(frozen=True, eq=False)
class MemorySchedule:
    """The ops of a chip in the order they run (int32[s]) and the bytes of activations held then (float64[s]).

    They run depth-first, the smallest index of the graph's first: the model file's order, in a device-placement file that of
    ascending node ids. ``parameters`` are bytes that are there all the time.
    """

    ops: Ints
    live: Floats
    parameters: float


class RuleEvaluator(Protocol):
    """What the rules ask of the evaluator (:class:`planner.machines.mcm.evaluator.McmEvaluator`)."""

    problem: EvaluatedProblem
    params: Floats
    capacity: Floats
    edge_src: Ints
    edge_dst: Ints

    def parameter_bytes(self, device_of: Ints) -> Floats:
        """Bytes of parameters on each chip (float64[k])."""

    def peaks(self, device_of: Ints) -> Floats:
        """Peak bytes of activations on each chip (float64[k])."""

    def memory_schedule(self, device_of: Ints, chip: int) -> MemorySchedule:
        """What a chip runs in order, and what it holds then, under an assignment (int32[n])."""

    def arcs(self, device_of: Ints) -> np.ndarray:
        """Which chip feeds which: uint64[k], bit b of entry a."""


class RuleLive(Protocol):
    """What the rules ask of the live evaluation (:class:`planner.machines.mcm.evaluator.McmLive`)."""

    def occupied_after(self, ops: Ints) -> Ints:
        """How many ops each chip holds once ``ops`` are on each destination (int32[k, k], axis 0 = destination)."""

    def memory_after(self, ops: Ints) -> Floats:
        """Bytes on each chip once ``ops`` are on each destination (float64[k, k], axis 0 = destination)."""

    def newly_broken(self, ops: Ints) -> Bools:
        """bool[k]: destinations of ``ops`` where the triangle rule breaks for a pair of chips that keeps it now."""


class NoSkipRule(Rule):
    """No chip below the highest used one is empty (equation 3)."""

    name: ClassVar[str] = "no_skip"
    code: ClassVar[int] = kernels.RULE_NO_SKIP

    def violations(self, evaluator: Evaluator, device_of: Ints) -> list[Violation]:
        """One violation per run of skipped chips, with the ops on the next chip that is used."""
        names, titles = evaluator.problem.graph.op_names, device_names(evaluator)
        used = np.flatnonzero(evaluator.occupied(device_of)).tolist()
        found = []
        for before, after in zip([-1, *used], used, strict=False):
            skipped = list(range(before + 1, after))
            if not skipped:
                continue
            on = np.flatnonzero(device_of == after)
            who = (
                titles[skipped[0]] if len(skipped) == 1 else f"{titles[skipped[0]]} to {titles[skipped[-1]]}"
            )
            verb = "is" if len(skipped) == 1 else "are"
            more = f" and {len(on) - 1} more" if len(on) > 1 else ""
            sentence = (
                f"{who} {verb} skipped: empty, though {titles[after]} after it holds {names[on[0]]}{more}"
            )
            found.append(Violation(self.name, tuple(on[:3].tolist()), (*skipped, after), sentence))
        return found

    def blocked(self, live: Live, ops: Ints) -> Bools:
        """Destinations after which a chip is skipped that is not skipped now."""
        now = mcm_kernels.skipped_chips(live.occupied)
        after = cast(RuleLive, live).occupied_after(ops)
        return np.array([bool(mcm_kernels.skipped_chips(row) & ~now) for row in after], bool)


class EveryChipRule(Rule):
    """Every chip holds an op."""

    name: ClassVar[str] = "every_chip"
    code: ClassVar[int] = kernels.RULE_EVERY_CHIP

    def violations(self, evaluator: Evaluator, device_of: Ints) -> list[Violation]:
        """One violation per empty chip."""
        titles = device_names(evaluator)
        return [
            Violation(self.name, (), (d,), f"{titles[d]} holds no op, and every chip must be used")
            for d in np.flatnonzero(evaluator.occupied(device_of) == 0).tolist()
        ]

    def blocked(self, live: Live, ops: Ints) -> Bools:
        """Destinations after which a chip is empty that is not empty now."""
        after = cast(RuleLive, live).occupied_after(ops)
        emptied: Bools = ((after == 0) & (live.occupied > 0)[None, :]).any(axis=1)
        return emptied


class ChipMemoryRule(Rule):
    """Parameters and the peak of the activations fit a chip's memory."""

    name: ClassVar[str] = "memory"
    code: ClassVar[int] = kernels.RULE_MEMORY

    def violations(self, evaluator: Evaluator, device_of: Ints) -> list[Violation]:
        """One violation per overfull chip, with the op that runs at the peak and those with most parameters."""
        e = cast(RuleEvaluator, evaluator)
        names, titles = e.problem.graph.op_names, device_names(evaluator)
        held, peaks = e.parameter_bytes(device_of), e.peaks(device_of)
        found = []
        for d in np.flatnonzero(overfull(held + peaks, e.capacity)).tolist():
            schedule = e.memory_schedule(device_of, d)
            on = np.flatnonzero(device_of == d)
            largest = on[np.argsort(-e.params[on], kind="stable")[:2]].tolist()
            at_peak = schedule.ops[np.argmax(schedule.live) : np.argmax(schedule.live) + 1].tolist()
            ops = tuple(dict.fromkeys([*at_peak, *largest]))
            total = float(held[d] + peaks[d])
            at = f", most while {names[ops[0]]} runs" if ops else ""
            sentence = (
                f"{titles[d]} needs {bytes_text(total)} ({bytes_text(held[d])} parameters, {bytes_text(peaks[d])}"
                f" activations{at}), {bytes_text(total - e.capacity[d])} more than fits"
            )
            found.append(Violation(self.name, ops, (d,), sentence))
        return found

    def blocked(self, live: Live, ops: Ints) -> Bools:
        """Destinations after which a chip is overfull that needs no less now."""
        e = cast(RuleEvaluator, live.evaluator)
        after = cast(RuleLive, live).memory_after(ops)
        now = e.parameter_bytes(live.device_of) + e.peaks(live.device_of)
        worse = overfull(after, e.capacity[None, :]) & (after > now[None, :])
        return np.asarray(worse.any(axis=1), bool)


class TriangleRule(Rule):
    """Where a chip sends to another directly, no way over further chips leads there (equation 4)."""

    name: ClassVar[str] = "triangle"
    code: ClassVar[int] = kernels.RULE_TRIANGLE

    def violations(self, evaluator: Evaluator, device_of: Ints) -> list[Violation]:
        """One violation per pair of chips: the two ops of a direct dependency, then those along an indirect way.

        Devices are the chips along the indirect way in order, which begins and ends with the pair; an op may come twice where
        it receives from one chip and sends to the next.
        """
        e = cast(RuleEvaluator, evaluator)
        names, titles = e.problem.graph.op_names, device_names(evaluator)
        arcs = e.arcs(device_of)
        found = []
        for a, _, b in mcm_kernels.triangles(arcs).tolist():
            chips = indirect_way(arcs, a, b)
            u, v = self._dependency(e, device_of, a, b)
            ops = [u, v]
            for x, y in pairwise(chips):
                ops += self._dependency(e, device_of, x, y)
            over = ", ".join(titles[c] for c in chips[1:-1])
            sentence = (
                f"{names[u]} on {titles[a]} feeds {names[v]} on {titles[b]} directly, while {names[ops[2]]} leads there"
                f" over {over}"
            )
            found.append(Violation(self.name, tuple(ops), tuple(chips), sentence))
        return found

    @staticmethod
    def _dependency(evaluator: RuleEvaluator, device_of: Ints, a: int, b: int) -> tuple[int, int]:
        src, dst = evaluator.edge_src, evaluator.edge_dst
        e = int(np.flatnonzero((device_of[src] == a) & (device_of[dst] == b))[0])
        return int(src[e]), int(dst[e])

    def blocked(self, live: Live, ops: Ints) -> Bools:
        """Destinations after which a pair of chips breaks the rule that does not break it now."""
        return cast(RuleLive, live).newly_broken(ops)


def indirect_way(arcs: np.ndarray, a: int, b: int) -> list[int]:
    """The chips of a shortest path of two or more arcs from ``a`` to ``b``, both included (``arcs`` uint64[k])."""
    parent = {a: -1}
    queue = deque([a])
    while queue:
        x = queue.popleft()
        for y in range(x + 1, b + 1):
            if y in parent or not int(arcs[x]) >> y & 1 or (x == a and y == b):
                continue
            parent[y] = x
            if y == b:
                way = [b]
                while parent[way[-1]] >= 0:
                    way.append(parent[way[-1]])
                return way[::-1]
            queue.append(y)
    raise ValueError(f"no indirect way leads from chip {a} to chip {b}")
