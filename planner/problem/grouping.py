"""Planning at a coarser granularity than ops: whole layers, name scopes or colour classes stay together.

Also which colour classes of a file nothing keeps together, on a machine without a rule for them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from planner.errors import ConstraintError
from planner.lifetime import while_it_lives
from planner.model.graph import Graph, Ints
from planner.model.groups import GroupView, by_layer, by_scope, colour_classes
from planner.problem.problem import Together

if TYPE_CHECKING:
    from planner.problem.problem import Problem


@while_it_lives
def unkept_classes(problem: Problem) -> tuple[tuple[int, ...], ...]:
    """Colocation classes that nothing holds together here: neither a rule of the target nor the `Together` constraints.

    A window asks whenever it looks which of its commands make sense, so the last answers are kept.
    """
    classes = [ops for ops in colour_classes(problem.graph) if len(ops) > 1]
    if not classes or "colocation" in problem.target.rules(problem.graph):
        return ()
    group_of = problem.colocated.group_of
    return tuple(tuple(ops) for ops in classes if len(np.unique(group_of[ops])) > 1)


def unkept_words(problem: Problem, remedy: str) -> str:
    """A warning that colocation classes do not hold, which names the first, and ``remedy``; empty where all do."""
    classes = unkept_classes(problem)
    if not classes:
        return ""
    names = problem.graph.op_names
    first, second = classes[0][:2]
    count = "one colour class is" if len(classes) == 1 else f"{len(classes):,} colour classes are"
    return (
        f"{count} not kept on one device: {problem.target.in_words} has no such rule, so {names[first]} and"
        f" {names[second]}{' and others' if len(classes) > 1 or len(classes[0]) > 2 else ''} may be parted; {remedy}"
    )


GRANULARITIES = ("op", "layer", "scope", "class")


def kept_together(graph: Graph, granularity: str) -> tuple[Together, ...]:
    """One constraint per layer or name scope (device placement, section 6.2) or colour class of several ops; none for ``op``.

    A layer with ops of other layers between its own (an embedding whose weights the last layer uses again) could not be
    contiguous without them and all that lies between; its ops are left free. Colour classes are demands of the file: all
    of them are kept, whatever lies between. Raises :class:`ConstraintError` where the file has no layers or classes, or its names no
    scopes.
    """
    if granularity == "op":
        return ()
    if granularity == "class":
        classes = [ops for ops in colour_classes(graph) if len(ops) > 1]
        if not classes:
            raise ConstraintError(
                f"{graph.name} has no colour classes of several ops; plan at the granularity of ops"
            )
        return tuple(Together(tuple(graph.op_ids[v] for v in ops)) for ops in classes)
    view = by_layer(graph) if granularity == "layer" else by_scope(graph)
    if view is None:
        what = "names no layers" if granularity == "layer" else "has no name scopes of several ops"
        raise ConstraintError(f"{graph.name} {what}; plan at the granularity of ops")
    size = np.bincount(view.group_of, minlength=view.count)
    loose = torn(graph, view)
    groups = (view.ops(g) for g in range(view.count) if size[g] > 1 and g not in loose)
    return tuple(Together(tuple(graph.op_ids[v] for v in ops.tolist())) for ops in groups)


def torn(graph: Graph, view: GroupView) -> set[int]:
    """Groups with an op of another group of several ops on a path between their own, in the forward or backward part."""
    size = np.bincount(view.group_of, minlength=view.count)
    group = np.where(size[view.group_of] > 1, view.group_of, -1)
    order = graph.topological_order
    before = _groups_met(graph, group, order, *graph.preds)
    after = _groups_met(graph, group, order[::-1], *graph.succs)
    found = 0
    for v in np.flatnonzero(group >= 0).tolist():
        found |= before[v] & after[v] & ~(1 << int(group[v]))
    return {g for g in range(view.count) if found >> g & 1}


def _groups_met(graph: Graph, group: Ints, order: Ints, ptr: Ints, idx: Ints) -> list[int]:
    """For each op the groups met on the way along ``ptr``, ``idx`` without leaving its part, as bits of an integer."""
    met = [0] * graph.n
    backward, label = graph.backward.tolist(), group.tolist()
    ends, targets = ptr.tolist(), idx.tolist()
    for v in order.tolist():
        bits = 0
        for w in targets[ends[v] : ends[v + 1]]:
            if backward[w] == backward[v]:
                bits |= met[w] | (1 << label[w] if label[w] >= 0 else 0)
        met[v] = bits
    return met
