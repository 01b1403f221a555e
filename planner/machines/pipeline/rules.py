"""The rule of pipelines whose blocks are wired to their neighbours only."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from planner.evaluation import kernels
from planner.evaluation.rules import device_names
from planner.model.graph import Bools, Ints
from planner.problem.decision import Violation
from planner.problem.evaluator import Evaluator, Live, Rule


class PathRule(Rule):
    """No edge leads past a block: |block(u) - block(v)| <= 1, so that the quotient is a path (MTPP, section 6, of PipeDream)."""

    name: ClassVar[str] = "path"
    code: ClassVar[int] = kernels.RULE_PATH

    def violations(self, evaluator: Evaluator, device_of: Ints) -> list[Violation]:
        """One violation per edge that leads past a block, named after the producer."""
        names, titles = evaluator.problem.graph.op_names, device_names(evaluator)
        src, dst = evaluator.edge_src, evaluator.edge_dst
        found = []
        for e in np.flatnonzero(np.abs(device_of[src] - device_of[dst]) > 1):
            u, v = int(src[e]), int(dst[e])
            a, b = int(device_of[u]), int(device_of[v])
            sentence = (
                f"{names[u]} on {titles[a]} sends to {names[v]} on {titles[b]}, which is not next to it"
            )
            found.append(Violation(self.name, (u, v), (a, b), sentence))
        return found

    def blocked(self, live: Live, ops: Ints) -> Bools:
        """Destinations that are not next to a neighbour of the ops that stays where it is."""
        e = live.evaluator
        moved = np.zeros(e.n, bool)
        moved[ops] = True
        leaves, enters = moved[e.edge_src] & ~moved[e.edge_dst], ~moved[e.edge_src] & moved[e.edge_dst]
        stay = live.device_of[np.concatenate([e.edge_dst[leaves], e.edge_src[enters]])]
        if not len(stay):
            return np.zeros(e.k, bool)
        devices = np.arange(e.k)
        blocked: Bools = (devices < stay.max() - 1) | (devices > stay.min() + 1)
        return blocked
