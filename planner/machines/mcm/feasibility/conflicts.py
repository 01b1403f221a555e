"""Conflicts between the rules of a multi-chip module that can be seen without a search."""

from __future__ import annotations

import numpy as np

from planner.machines.mcm.evaluator import McmEvaluator
from planner.methods.feasibility.confinement import Units, direct_dependencies, fillable, heaviest
from planner.methods.feasibility.conflicts import Conflict
from planner.methods.feasibility.memory import SLACK
from planner.methods.feasibility.requirements import token
from planner.methods.feasibility.wording import listed
from planner.model.graph import Ints
from planner.model.paths import reached
from planner.problem.problem import Pin, Problem
from planner.quantity import bytes_text


def mcm_conflict(problem: Problem) -> Conflict | None:
    """Too few ops for chips that must hold one, or the triangle rule: pins in its way, or too much on two chips."""
    e = problem.evaluator
    units = Units.of(problem) if isinstance(e, McmEvaluator) else None
    if units is None:
        return None
    assert isinstance(e, McmEvaluator)
    found = _too_few(problem, e, units)
    if found is None and e.target.triangle:
        found = _between(problem, e) or _confined(problem, e, units) or _crowded(problem, e, units)
    return found


def _too_few(problem: Problem, e: McmEvaluator, units: Units) -> Conflict | None:
    """Units that share a chip fill one at most, and pins keep units away from some chips."""
    low, high = units.windows()
    if (low > high).any():
        return None
    need = e.k if e.target.every_chip else int(low.max(initial=-1)) + 1 if e.target.no_skip else 0
    if not need:
        return None
    # Units whose window meets the chips x to y: all but those that end before x and those that begin behind y.
    chips = np.arange(need)
    before = (high[:, None] < chips[None, :]).sum(axis=0)
    behind = (low[:, None] > chips[None, :]).sum(axis=0)
    there = units.count - before[:, None] - behind[None, :]
    length = chips[None, :] - chips[:, None] + 1
    short = np.argwhere((length > 0) & (there < length))
    if not len(short):
        return None
    x, y = min(short.tolist(), key=lambda span: (span[1] - span[0], span[0]))
    graph, titles = problem.graph, [d.title for d in problem.devices]
    pins = [c for c in problem.constraints if isinstance(c, Pin)]
    ties = [token(c) for c in problem.constraints if not isinstance(c, Pin)] if units.count < graph.n else []
    able = [v for v in range(graph.n) if low[units.unit_of[v]] <= y and high[units.unit_of[v]] >= x]
    rule = "every_chip" if e.target.every_chip else "no_skip"
    highest = int(np.argmax(e.pinned)) if pins else 0
    reason = (
        "every chip must hold one"
        if rule == "every_chip"
        else f"none may be skipped below {titles[need - 1]}, to which {graph.op_names[highest]} is pinned"
    )
    if x == 0 and y == e.k - 1:
        who = f"{graph.name} has {_ops(graph.n)}"
        if units.count < graph.n:
            who = f"the {_ops(graph.n)} of {graph.name} make {units.count} units that share a chip each"
        sentence = f"{who}, and there are {e.k} chips of which {reason}"
        named = able if graph.n <= 12 else []
    else:
        span = titles[x] if x == y else f"{titles[x]} to {titles[y]}"
        can = "no op can" if not able else f"only {listed([graph.op_names[v] for v in able])} can"
        sentence = f"with these pins {can} be on {span}, and {reason}"
        named = [graph.index[c.op] for c in pins] + able
    names = ("order", rule, *ties, *(token(c) for c in pins))
    return Conflict(tuple(dict.fromkeys(named)), names, sentence, loose=len(pins) + len(ties) > 0)


def _confined(problem: Problem, e: McmEvaluator, units: Units) -> Conflict | None:
    """Direct dependencies confine so many ops that the others cannot fill the chips."""
    if not e.target.every_chip:
        return None
    steps = list(fillable(units, direct_dependencies(units)))
    most = steps[-1][0] if steps else units.count
    if most >= e.k:
        return None
    directs = next(used for count, used in steps if count < e.k)
    graph, unit_of = problem.graph, units.unit_of
    by_feeder: dict[int, list[int]] = {}
    for d in directs:
        at = np.flatnonzero((unit_of[e.edge_src] == d.feeder) & (unit_of[e.edge_dst] == d.reader))
        readers = by_feeder.setdefault(int(e.edge_src[at[0]]), [])
        readers.append(int(e.edge_dst[at[0]]))
    largest = directs[0]
    inner = int(np.isin(unit_of, largest.inner).sum())
    at = np.flatnonzero((unit_of[e.edge_src] == largest.feeder) & (unit_of[e.edge_dst] == largest.reader))
    feeder, reader = int(e.edge_src[at[0]]), int(e.edge_dst[at[0]])
    readers = by_feeder[feeder]
    others = [graph.op_names[f] for f in by_feeder if f != feeder]
    likewise = (
        f", and likewise for what {listed(others)} {'feeds' if len(others) == 1 else 'feed'}"
        if others
        else ""
    )
    sentence = (
        f"{graph.op_names[feeder]} feeds {listed([graph.op_names[v] for v in readers])} directly; the triangle rule forbids any"
        f" way over a third chip beside that, so the {_ops(inner)} between {graph.op_names[feeder]} and {graph.op_names[reader]}"
        f" are on their two chips{likewise}. At most {most} chips can hold an op, but each of the {e.k} must"
    )
    ties = [token(c) for c in problem.constraints if not isinstance(c, Pin)] if units.count < graph.n else []
    ops = [v for f, read in by_feeder.items() for v in (f, *read)]
    return Conflict(
        tuple(dict.fromkeys(ops)),
        ("order", "triangle", "every_chip", *ties),
        sentence,
        loose=len(ties) > 0,
        most_chips=most,
    )


def _crowded(problem: Problem, e: McmEvaluator, units: Units) -> Conflict | None:
    """A direct dependency keeps ops on two chips whose parameters these cannot hold."""
    if not e.target.check_memory:
        return None
    held = heaviest(units, e.params)
    room = 2 * e.target.sram
    if held is None or held.total <= room * (1 + SLACK):
        return None
    sentence = (
        f"{held.text(problem.graph.op_names)}, which hold {bytes_text(room)} together; their parameters alone need"
        f" {bytes_text(held.total)}"
    )
    ties = [token(c) for c in problem.constraints if not isinstance(c, Pin)] if units.count < e.n else []
    return Conflict(
        (held.feeder, *held.readers), ("order", "triangle", "memory", *ties), sentence, memory=held.total / 2,
        loose=len(ties) > 0,
    )  # fmt: skip


def _ops(count: int) -> str:
    return f"{count} op{'s' if count != 1 else ''}"


def _between(problem: Problem, e: McmEvaluator) -> Conflict | None:
    """u feeds v directly, w lies between them, and pins keep the three on three chips one after the other."""
    if not (e.pinned >= 0).any():
        return None
    low, low_by = _windows(problem, e, forward=True)
    high, high_by = _windows(problem, e, forward=False)
    # Ops whose window begins because of a pin before them, and ends because of one behind.
    for u, v in zip(e.edge_src.tolist(), e.edge_dst.tolist(), strict=True):
        if low[v] - high[u] < 2:
            continue
        below = reached([u], (e.succ_ptr, e.succ_idx))
        for w in np.flatnonzero(below & (low > high[u]) & (high < low[v])).tolist():
            if w != v and reached([w], (e.succ_ptr, e.succ_idx))[v]:
                return _three(problem, e, (u, w, v), (high_by[u], low_by[w], high_by[w], low_by[v]))
    return None


def _three(
    problem: Problem, e: McmEvaluator, ops: tuple[int, int, int], causes: tuple[int, int, int, int]
) -> Conflict:
    names, titles = problem.graph.op_names, [d.title for d in problem.devices]
    u, w, v = ops
    pinned = list(dict.fromkeys(c for c in causes if c >= 0))
    where = ", ".join(f"{names[c]} is pinned to {titles[e.pinned[c]]}" for c in pinned)
    sentence = (
        f"{names[u]} feeds {names[v]} directly and also through {names[w]}; with these pins ({where}) the three are on"
        " three chips, where the triangle rule forbids the direct way beside the indirect one"
    )
    ids = {problem.graph.op_ids[c] for c in pinned}
    pins = [token(c) for c in problem.constraints if isinstance(c, Pin) and c.op in ids]
    return Conflict(tuple(dict.fromkeys([u, w, v, *pinned])), ("order", "triangle", *pins), sentence)


def _windows(problem: Problem, e: McmEvaluator, *, forward: bool) -> tuple[Ints, Ints]:
    """First (or last) possible chip of each op by pins along dependencies, and the pinned op that says so (-1 = none)."""
    limit = np.zeros(e.n, np.int32) if forward else np.full(e.n, e.k - 1, np.int32)
    cause = np.full(e.n, -1, np.int32)
    rows = (e.succ_ptr, e.succ_idx) if forward else (e.pred_ptr, e.pred_idx)
    order = np.unique(e.pinned[e.pinned >= 0])
    # From the strictest pin on: what it reaches is settled.
    for d in order[::-1].tolist() if forward else order.tolist():
        for p in np.flatnonzero(e.pinned == d).tolist():
            for v in [p, *np.flatnonzero(reached([p], rows)).tolist()]:
                if cause[v] < 0:
                    limit[v], cause[v] = d, p
    return limit, cause
