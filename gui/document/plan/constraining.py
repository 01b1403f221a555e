"""Which constraints result from pinning ops, keeping them together, and taking that back."""

from __future__ import annotations

from collections.abc import Sequence

from gui.document.plan.retargeting import namesakes
from planner.errors import ConstraintError
from planner.model.graph import Graph, Ints
from planner.problem.grouping import kept_together
from planner.problem.problem import Constraint, Pin, Problem, Together
from planner.problem.target import Target


def with_pins(problem: Problem, ops: Ints, devices: Ints) -> tuple[Constraint, ...]:
    """The constraints with each of ``ops`` pinned to its entry of ``devices``; older pins of them are replaced."""
    names = [d.name for d in problem.devices]
    pins = [
        Pin(problem.graph.op_ids[v], names[d]) for v, d in zip(ops.tolist(), devices.tolist(), strict=True)
    ]
    return (*without_pins(problem, ops), *pins)


def without_pins(problem: Problem, ops: Ints) -> tuple[Constraint, ...]:
    """The constraints without the pins of ``ops``."""
    ids = {problem.graph.op_ids[v] for v in ops.tolist()}
    return tuple(c for c in problem.constraints if not (isinstance(c, Pin) and c.op in ids))


def with_together(problem: Problem, ops: Ints) -> tuple[Constraint, ...]:
    """The constraints with ``ops`` in one group; groups that they belonged to become part of it."""
    ids = {problem.graph.op_ids[v] for v in ops.tolist()}
    kept: list[Constraint] = []
    for constraint in problem.constraints:
        if isinstance(constraint, Together) and ids & set(constraint.ops):
            ids |= set(constraint.ops)
        else:
            kept.append(constraint)
    ordered = sorted(ids, key=problem.graph.index.__getitem__)
    return (*kept, Together(tuple(ordered)))


def without_together(problem: Problem, ops: Ints) -> tuple[Constraint, ...]:
    """The constraints with ``ops`` out of every keep-together group; a group of one is no group."""
    ids = {problem.graph.op_ids[v] for v in ops.tolist()}
    kept: list[Constraint] = []
    for constraint in problem.constraints:
        if isinstance(constraint, Together) and ids & set(constraint.ops):
            left = tuple(op for op in constraint.ops if op not in ids)
            if len(left) > 1:
                kept.append(Together(left))
        else:
            kept.append(constraint)
    return tuple(kept)


KEEP_CLASSES = "Edit, Keep Together By, Colour Classes keeps each on one device"
"""What the window says beside a warning that colour classes do not hold."""
GRANULARITY_WORDS = {
    "layer": ("layer", "layers"),
    "scope": ("scope", "scopes"),
    "class": ("colour class", "colour classes"),
}
"""What one and several groups of a granularity are called."""


def with_granularity(problem: Problem, granularity: str) -> tuple[Constraint, ...]:
    """The constraints with each layer, name scope or colour class in one group. Raises :class:`ConstraintError` where there are none."""
    known = set(problem.constraints)
    try:
        found = kept_together(problem.graph, granularity)
    except ConstraintError:
        what = {
            "layer": "does not say which layers its ops belong to",
            "scope": "has no name scopes of several ops",
            "class": "has no colour classes of several ops",
        }[granularity]
        raise ConstraintError(
            f"{problem.graph.name} {what}; select ops and keep those together instead"
        ) from None
    return (*problem.constraints, *(group for group in found if group not in known))


def split_count(problem: Problem, constraints: Sequence[Constraint], device_of: Ints) -> int:
    """How many keep-together groups an assignment spreads over several devices."""
    index = problem.graph.index
    return sum(
        isinstance(c, Together) and len({int(device_of[index[op]]) for op in c.ops}) > 1 for c in constraints
    )


def carried_over(problem: Problem, target: Target) -> tuple[tuple[Constraint, ...], list[str]]:
    """The constraints that make sense on another target, and the ids of ops whose pins do not."""
    after = target.devices(problem.graph)
    same = namesakes(problem.devices, after).tolist()
    name_of = {d.name: after[i].name for d, i in zip(problem.devices, same, strict=True) if i >= 0}
    kept: list[Constraint] = []
    lost: list[str] = []
    for constraint in problem.constraints:
        if not isinstance(constraint, Pin):
            kept.append(constraint)
        elif constraint.device in name_of:
            kept.append(Pin(constraint.op, name_of[constraint.device]))
        else:
            lost.append(constraint.op)
    return tuple(kept), lost


def lost_words(graph: Graph, lost: Sequence[str]) -> list[str]:
    """One sentence on the pins of these ops, which :func:`carried_over` dropped; none where there are none."""
    if not lost:
        return []
    if len(lost) == 1:
        what = f"the pin of {graph.op_names[graph.index[lost[0]]]} names a device"
        return [f"{what} that the new target does not have and was dropped; undo brings it back"]
    return [
        f"{len(lost)} pins name devices that the new target does not have and were dropped; undo brings them back"
    ]
