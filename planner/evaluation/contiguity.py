"""Contiguity: devices, clusters or subgraphs can be put in order along the graph."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from planner.evaluation import kernels
from planner.evaluation.pieces import group_order
from planner.evaluation.rules import device_names
from planner.model.graph import Bools, Ints, csr
from planner.problem.decision import Violation
from planner.problem.evaluator import Evaluator, Live, Rule


class ContiguityRule(Rule):
    """The devices can be put in order so that no edge of the forward (or backward) part goes back.

    Where accelerators form several clusters, so can the clusters of each level, every CPU on its own.
    """

    name: ClassVar[str] = "contiguous"
    code: ClassVar[int] = kernels.RULE_CONTIGUOUS

    def violations(self, evaluator: Evaluator, device_of: Ints) -> list[Violation]:
        """One violation per part and cycle of devices (or clusters) found, with an edge for each step of the cycle."""
        e = evaluator
        names = device_names(e)
        found = []
        for part in range(2):
            same = (e.part[e.edge_src] == part) & (e.part[e.edge_dst] == part)
            arcs = Arcs(e, device_of, e.edge_src[same], e.edge_dst[same], part)
            found += arcs.violations(np.arange(e.k, dtype=np.int32), names)
            cpus = [names[d] for d in np.flatnonzero(e.cluster < 0)]
            for level, (node, nodes) in enumerate(zip(e.cluster_node, e.cluster_nodes.tolist(), strict=True)):
                within = f" of level {level + 1}" if len(e.clusters) > 1 else ""
                clusters = [f"cluster {c}{within}" for c in range(nodes - len(cpus))]
                found += arcs.violations(node, [*clusters, *cpus])
        return found

    def blocked(self, live: Live, ops: Ints) -> Bools:
        """Destinations after which more devices wait for each other than now."""
        return live.contiguity_after(ops) > live.cyclic_devices()


class Arcs:
    """The edges of one part of the graph between the devices of an assignment, and the cycles they close.

    ``device_of`` int32[n]; ``src``, ``dst`` int32[e]: the edges; ``part`` is theirs.
    """

    def __init__(self, evaluator: Evaluator, device_of: Ints, src: Ints, dst: Ints, part: int) -> None:
        self._evaluator = evaluator
        self._device_of = device_of
        self._src, self._dst = src, dst
        self._part = part

    def violations(self, node_of: Ints, titles: list[str]) -> list[Violation]:
        """One violation for each cycle found among nodes: ``node_of`` int32[k] of a device, ``titles`` of a node."""
        a, b = node_of[self._device_of[self._src]], node_of[self._device_of[self._dst]]
        adjacent = np.zeros((len(titles), len(titles)), bool)
        adjacent[a, b] = True
        return [self._violation(a, b, cycle, titles) for cycle in device_cycles(adjacent)]

    def _violation(self, a: Ints, b: Ints, cycle: tuple[int, ...], titles: list[str]) -> Violation:
        names, devices = self._evaluator.problem.graph.op_names, device_names(self._evaluator)
        ops: list[int] = []
        steps = []
        for x, y in zip(cycle, (*cycle[1:], cycle[0]), strict=True):
            e = int(np.flatnonzero((a == x) & (b == y))[0])
            u, v = int(self._src[e]), int(self._dst[e])
            ops += [u, v]
            steps.append(
                f"{names[u]} feeds {names[v]} from {devices[self._device_of[u]]} to {devices[self._device_of[v]]}"
            )
        within = " in the backward pass" if self._part else ""
        around = " and ".join(titles[x] for x in cycle) if len(cycle) < 4 else f"{len(cycle)} devices"
        shown = steps if len(steps) < 4 else [*steps[:2], "..."]
        sentence = f"{around} wait for each other{within}: {', '.join(shown)}"
        involved = dict.fromkeys(int(self._device_of[v]) for v in ops)
        return Violation(ContiguityRule.name, tuple(dict.fromkeys(ops)), tuple(involved), sentence)


class SubgraphRule(ContiguityRule):
    """Every slot of an accelerator can run its forward ops in one go, and its backward ops (sections 4 to 4.2).

    The graph stays acyclic when each of these is one node, slots of one accelerator follow one another and CPU ops stand on
    their own.
    """

    code: ClassVar[int] = kernels.RULE_SUBGRAPHS

    def violations(self, evaluator: Evaluator, device_of: Ints) -> list[Violation]:
        """At most one violation: a cycle among subgraphs and CPU ops, with an edge for each step between devices."""
        e = evaluator
        node = np.where(e.pays[device_of], device_of + e.k * e.part, 2 * e.k + np.arange(e.n))
        src, dst = node[e.edge_src], node[e.edge_dst]
        kept = np.flatnonzero(src != dst)
        size = np.bincount(node[e.pays[device_of]], minlength=2 * e.k).astype(np.int32)
        before = group_order(e.owner, e.pays, size)
        turn = np.flatnonzero(before >= 0)
        tail = np.concatenate([src[kept], before[turn]])
        head = np.concatenate([dst[kept], turn])
        cycle = arc_cycle(tail, head, 2 * e.k + e.n)
        if not cycle:
            return []
        # Read on from an edge: whose turn it is explains the end of the sentence better than its beginning.
        begin = next((i for i in range(len(cycle)) if cycle[i - 1] >= len(kept) > cycle[i]), 0)
        cycle = cycle[begin:] + cycle[:begin]
        names, titles = e.problem.graph.op_names, device_names(e)
        ops: list[int] = []
        devices: list[int] = []
        steps = []
        for arc in cycle:
            if arc < len(kept):
                u, v = int(e.edge_src[kept[arc]]), int(e.edge_dst[kept[arc]])
                ops += [u, v]
                devices += [int(device_of[u]), int(device_of[v])]
                steps.append(
                    f"{names[u]} feeds {names[v]} from {titles[device_of[u]]} to {titles[device_of[v]]}"
                )
            else:
                first, then = (int(x) % e.k for x in (tail[arc], head[arc]))
                devices += [first, then]
                steps.append(f"{self._turn(titles, first, then)}")
        shown = steps if len(steps) < 4 else [*steps[:2], "..."]
        slots = list(dict.fromkeys(d for d in devices if e.pays[d]))
        who = " and ".join(titles[d] for d in slots) if len(slots) < 4 else f"{len(slots)} subgraphs"
        wait = "has to wait for itself" if len(slots) == 1 else "wait for each other"
        sentence = f"{who} {wait}: {', '.join(shown)}"
        return [Violation(self.name, tuple(dict.fromkeys(ops)), tuple(dict.fromkeys(devices)), sentence)]

    @staticmethod
    def _turn(titles: list[str], first: int, then: int) -> str:
        if first == then:
            return f"the backward ops of {titles[then]} come after its forward ops"
        return f"{titles[then]} comes after {titles[first]}"


def arc_cycle(tail: NDArray[np.int64], head: NDArray[np.int64], nodes: int) -> list[int]:
    """The arcs of one cycle in order (numbers into ``tail`` and ``head``, int64[arcs]), or nothing where there is none."""
    ptr, arcs = csr(tail.astype(np.int32), np.arange(len(tail), dtype=np.int32), nodes)
    waits = np.bincount(head, minlength=nodes)
    queue = np.flatnonzero(waits == 0).tolist()
    while queue:
        a = queue.pop()
        for arc in arcs[ptr[a] : ptr[a + 1]].tolist():
            waits[head[arc]] -= 1
            if waits[head[arc]] == 0:
                queue.append(int(head[arc]))
    # Every node that is left waits for one that is left: going back along such arcs closes a cycle.
    stuck = np.flatnonzero((waits[tail] > 0) & (waits[head] > 0))
    if not len(stuck):
        return []
    enter = {int(head[arc]): int(arc) for arc in stuck[::-1].tolist()}
    path: list[int] = []
    place: dict[int, int] = {}
    at = min(enter)
    while at not in place:
        place[at] = len(path)
        path.append(enter[at])
        at = int(tail[enter[at]])
    return path[place[at] :][::-1]


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
