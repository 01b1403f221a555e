"""Conflicts that can be seen without a search: each is a proof that no plan is valid."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from planner.evaluation import kernels
from planner.methods.feasibility.paths import Ways, way_text
from planner.methods.feasibility.requirements import token
from planner.problem.problem import Pin, Problem, Together


@dataclass(frozen=True)
class Conflict:
    """A proof that no plan is valid: the ``ops`` and ``rules`` that it needs, and the ``sentence`` that says it.

    ``rules`` are names as in :class:`planner.feasibility.Explanation`. ``memory`` is the least memory per device (bytes) with which
    this proof would fail, 0 where it is not about memory; ``devices`` likewise the least number of devices.
    """

    ops: tuple[int, ...]
    rules: tuple[str, ...]
    sentence: str
    memory: float = 0.0
    devices: int = 0
    most_chips: int = 0
    """How many chips of a multi-chip module a plan can fill at most, where the proof is about that; else 0."""
    loose: bool = False
    """Whether some of the constraints named may not be needed."""
    alone: bool = False
    """Whether ops that share a device are too large for each, whatever else is there."""


def placement_conflict(problem: Problem) -> Conflict | None:
    """Ops that share a device have none in common, or an op has none at all."""
    e = problem.evaluator
    groups = problem.groups
    # Subgraphs of one accelerator, and CPUs whose cores do not run out, are one device to ops that share it.
    here = np.zeros((e.n, e.k), bool)
    for d, owner in enumerate(e.owner.tolist()):
        here[:, owner] |= e.allowed[:, d]
    nowhere = np.flatnonzero(~e.allowed.any(axis=1))
    if len(nowhere):
        v = int(nowhere[0])
        return Conflict(
            (v,),
            ("support", *_pins(problem, [v])),
            f"{problem.graph.op_names[v]} {_where(problem, v)} but is not supported there"
            if e.pinned[v] >= 0
            else f"{problem.graph.op_names[v]} is supported on none of the devices",
        )
    forbidden = np.zeros((groups.count, e.k), bool)
    for d in range(e.k):
        forbidden[groups.group_of[~here[:, d]], d] = True
    stuck = np.flatnonzero(forbidden.all(axis=1))
    if not len(stuck):
        return None
    ops = groups.ops(int(stuck[0])).tolist()
    a, b = next((v, w) for v in ops for w in ops if v < w and not (here[v] & here[w]).any())
    names = problem.graph.op_names
    chain, ties = _tie(problem, a, b)
    through = f" (through {', '.join(names[v] for v in chain[1:-1])})" if len(chain) > 2 else ""
    sentence = (
        f"{names[a]} and {names[b]} must share a device{through}, but {names[a]} {_where(problem, a)} and {names[b]}"
        f" {_where(problem, b)}"
    )
    support = ("support",) if not (e.pinned[[a, b]] >= 0).all() else ()
    return Conflict(tuple(chain), (*support, *ties, *_pins(problem, [a, b])), sentence)


def order_conflict(problem: Problem) -> Conflict | None:
    """An op that is pinned to a later device comes before one that is pinned to an earlier device."""
    e = problem.evaluator
    if not _has(problem, kernels.RULE_ORDER):
        return None
    ways = Ways(problem)
    seen: set[int] = set()
    # From the last device on: what a later pin reaches need not be gone through again for an earlier one.
    for d in np.unique(e.pinned[e.pinned >= 0])[::-1].tolist():
        starts = np.flatnonzero(e.pinned == d).tolist()
        way = ways.find(starts, lambda v, d=d: 0 <= e.pinned[v] < d, seen)  # type: ignore[misc]
        if way is not None:
            names, devices = problem.graph.op_names, problem.devices
            u, v = way[0], way[-1]
            sentence = (
                f"{way_text(problem, way)}, so {names[v]} can be on no device before that of {names[u]}; but {names[u]} is"
                f" pinned to {devices[d].title} and {names[v]} to {devices[e.pinned[v]].title}"
            )
            return Conflict(tuple(way), ("order", *_ties(problem, way), *_pins(problem, [u, v])), sentence)
    return None


def contiguity_conflict(problem: Problem) -> Conflict | None:
    """Pins make two devices wait for each other, where devices must be contiguous (one part, one subgraph each)."""
    e = problem.evaluator
    if not _has(problem, kernels.RULE_CONTIGUOUS) or e.objective_code == kernels.LATENCY:
        return None
    ways = Ways(problem, e.part)
    pinned = np.unique(e.pinned[e.pinned >= 0]).tolist()
    for part in (0, 1):
        ahead: dict[tuple[int, int], list[int]] = {}
        for d in pinned:
            starts = np.flatnonzero((e.pinned == d) & (e.part == part)).tolist()
            for other in pinned:
                if other != d:
                    way = ways.find(starts, lambda v, o=other, p=part: e.pinned[v] == o and e.part[v] == p)  # type: ignore[misc]
                    if way is not None:
                        ahead[d, other] = way
        for (a, b), way in ahead.items():
            if a < b and (b, a) in ahead:
                back = ahead[b, a]
                first, second = problem.devices[a].title, problem.devices[b].title
                sentence = (
                    f"{way_text(problem, way)} from {first} to {second}, and {way_text(problem, back)} from {second} back to"
                    f" {first}: with these pins the two cannot be put in order"
                )
                ops = tuple(dict.fromkeys([*way, *back]))
                ends = [way[0], way[-1], back[0], back[-1]]
                rules = ("contiguous", *_ties(problem, [*way, *back]), *_pins(problem, ends))
                return Conflict(ops, rules, sentence)
    return None


# ---------------------------------------------------------------------------------------------------------- wording
def _has(problem: Problem, code: int) -> bool:
    return any(rule.code == code for rule in problem.evaluator.rules)


def _where(problem: Problem, v: int) -> str:
    e = problem.evaluator
    if e.pinned[v] >= 0:
        return f"is pinned to {problem.devices[e.pinned[v]].title}"
    kinds = {problem.devices[d].kind for d in np.flatnonzero(e.allowed[v]).tolist()}
    return "runs only on CPUs" if kinds == {"cpu"} else "runs only on some devices"


def _pins(problem: Problem, ops: list[int]) -> tuple[str, ...]:
    ids = {problem.graph.op_ids[v] for v in ops}
    return tuple(dict.fromkeys(token(c) for c in problem.constraints if isinstance(c, Pin) and c.op in ids))


def _tie_sets(problem: Problem) -> list[tuple[str, set[int]]]:
    """Every set of ops that must share a device, with the name of what demands it."""
    graph = problem.graph
    sets = [
        (token(c), {graph.index[op] for op in c.ops}) for c in problem.constraints if isinstance(c, Together)
    ]
    if "colocation" in problem.target.rules(graph):
        classes: dict[int, set[int]] = {}
        for v in np.flatnonzero(graph.colour_class >= 0).tolist():
            classes.setdefault(int(graph.colour_class[v]), set()).add(v)
        sets += [("colocation", members) for members in classes.values()]
    return sets + [("shared_children", set(members)) for members in problem.target.together(graph)]


def _tie(problem: Problem, a: int, b: int) -> tuple[list[int], tuple[str, ...]]:
    """A shortest chain of ops from ``a`` to ``b`` in which each must share a device with the next, and what demands it."""
    sets = _tie_sets(problem)
    parent: dict[int, tuple[int, str]] = {a: (-1, "")}
    queue = [a]
    for v in queue:
        for name, members in sets:
            if v in members:
                for w in sorted(members - parent.keys()):
                    parent[w] = (v, name)
                    queue.append(w)
    chain, ties = [b], []
    while parent[chain[-1]][0] >= 0:
        before, name = parent[chain[-1]]
        ties.append(name)
        chain.append(before)
    return chain[::-1], tuple(dict.fromkeys(ties[::-1]))


def _ties(problem: Problem, way: list[int]) -> tuple[str, ...]:
    """What demands that neighbours on a way share a device, where no dependency leads from one to the next."""
    e = problem.evaluator
    found: list[str] = []
    for v, w in pairwise(way):
        if (
            w not in e.succ_idx[e.succ_ptr[v] : e.succ_ptr[v + 1]]
            and problem.groups.group_of[v] == problem.groups.group_of[w]
        ):
            found += _tie(problem, v, w)[1]
    return tuple(dict.fromkeys(found))
