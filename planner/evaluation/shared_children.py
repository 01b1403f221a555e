"""The rule that all consumers of an op share a stage (Edge TPU paper, section IV-A4, equation 14)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from planner.evaluation import kernels
from planner.evaluation.rules import device_names
from planner.model.graph import Bools, Ints
from planner.model.groups import families
from planner.problem.decision import Violation
from planner.problem.evaluator import Evaluator, Live, Rule


class SharedChildrenRule(Rule):
    """Ops that read from the same op are on the same stage.

    Models that are deployed together have no op in common here, so the artificial source that the paper puts before
    them does not exist and needs no exemption.
    """

    name: ClassVar[str] = "shared_children"
    code: ClassVar[int] = kernels.RULE_SHARED_CHILDREN

    def violations(self, evaluator: Evaluator, device_of: Ints) -> list[Violation]:
        """One violation per op whose consumers are on several stages."""
        graph = evaluator.problem.graph
        names, titles = graph.op_names, device_names(evaluator)
        found = []
        for parent, children in families(graph):
            stages = device_of[children]
            if (stages == stages[0]).all():
                continue
            other = int(np.flatnonzero(stages != stages[0])[0])
            a, b = children[0], children[other]
            sentence = (
                f"{names[a]} and {names[b]} both read from {names[parent]} and must share a stage but are on"
                f" {titles[device_of[a]]} and {titles[device_of[b]]}"
            )
            found.append(
                Violation(self.name, (parent, *children), tuple(np.unique(stages).tolist()), sentence)
            )
        return found

    def blocked(self, live: Live, ops: Ints) -> Bools:
        """Destinations that would leave a sibling of the ops elsewhere."""
        e = live.evaluator
        moved = np.zeros(e.n, bool)
        moved[ops] = True
        blocked = np.zeros(e.k, bool)
        for parent in np.unique(np.concatenate([_parents(e, v) for v in ops.tolist()] or [ops])).tolist():
            children = e.succ_idx[e.succ_ptr[parent] : e.succ_ptr[parent + 1]]
            rest = children[~moved[children]]
            if len(rest) and len(rest) < len(children):
                blocked |= np.arange(e.k) != live.device_of[rest[0]]
                if (live.device_of[rest] != live.device_of[rest[0]]).any():
                    blocked[:] = True
        return blocked


def _parents(evaluator: Evaluator, v: int) -> Ints:
    parents: Ints = evaluator.pred_idx[evaluator.pred_ptr[v] : evaluator.pred_ptr[v + 1]]
    return parents
