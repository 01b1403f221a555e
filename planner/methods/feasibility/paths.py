"""Ways through dependencies and ties: which ops force others to come no earlier."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable

import numpy as np

from planner.problem.problem import Problem


class Ways:
    """Shortest ways along dependencies and among ops that share a device; none crosses from one ``part`` (int8[n]) to another."""

    def __init__(self, problem: Problem, part: np.ndarray | None = None) -> None:
        e = problem.evaluator
        self._ptr, self._idx = e.succ_ptr.tolist(), e.succ_idx.tolist()
        self._part = None if part is None else part.tolist()
        groups = problem.groups
        ptr, idx = groups.members
        self._mate_ptr, self._mates = ptr.tolist(), idx.tolist()
        self._group_of = groups.group_of.tolist()

    def next(self, v: int) -> list[int]:
        """Ops that come no earlier than ``v`` because they read from it or share its device."""
        group = self._group_of[v]
        found = [
            w
            for w in self._idx[self._ptr[v] : self._ptr[v + 1]]
            if self._part is None or self._part[v] == self._part[w]
        ]
        if self._mate_ptr[group + 1] - self._mate_ptr[group] > 1:
            found += self._mates[self._mate_ptr[group] : self._mate_ptr[group + 1]]
        return found

    def find(
        self, starts: Iterable[int], wanted: Callable[[int], bool], seen: set[int] | None = None
    ) -> list[int] | None:
        """A shortest way from one of ``starts`` to a ``wanted`` op, both included; None where there is none.

        Ops in ``seen`` are not entered; all that are reached are added to it.
        """
        seen = set() if seen is None else seen
        parent: dict[int, int] = {}
        queue: deque[int] = deque()
        for v in starts:
            if v not in seen:
                seen.add(v)
                parent[v] = -1
                queue.append(v)
        while queue:
            v = queue.popleft()
            if wanted(v):
                way = [v]
                while parent[way[-1]] >= 0:
                    way.append(parent[way[-1]])
                return way[::-1]
            for w in self.next(v):
                if w not in seen:
                    seen.add(w)
                    parent[w] = v
                    queue.append(w)
        return None


def way_text(problem: Problem, way: list[int]) -> str:
    """``a leads to d`` with what lies between."""
    names = problem.graph.op_names
    if len(way) == 2:
        return f"{names[way[0]]} feeds {names[way[1]]}"
    if len(way) <= 5:
        return f"{names[way[0]]} leads to {names[way[-1]]} through {', '.join(names[v] for v in way[1:-1])}"
    return f"{names[way[0]]} leads to {names[way[-1]]} through {len(way) - 2} ops ({names[way[1]]} to {names[way[-2]]})"
