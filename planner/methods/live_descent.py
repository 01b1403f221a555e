"""Descent by single moves for any objective, by asking the live evaluation; and starts for it.

:mod:`planner.methods.steepest_descent` is compiled for costs that are sums over border tensors. Where they are not (latency,
replication, clusters), each group of ops is tried on every device by the live evaluation itself.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from planner.evaluation import kernels
from planner.methods.filling import fill
from planner.methods.orders import depth_first_order, kahn_order
from planner.methods.units import Units, build_units, chain, forced_units, mirrors
from planner.model.graph import Ints
from planner.problem.problem import Problem
from planner.search.search import Search

MISSES = 20
"""Invalid starts in a row after which no more are made."""


def climb(problem: Problem, start: Ints, search: Search) -> Iterator[int]:
    """Move groups (``problem.groups``) until no single legal move lowers the objective; yields the moves made so far.

    Groups are tried in turn, each goes to its best device at once. ``start`` (int32[n]) must be valid; plans better than
    any that the search found itself are reported. Raises :class:`planner.search.search.Stopped`.
    """
    live = problem.live(start)
    groups = problem.groups
    moves = 0
    group = 0
    idle = 0  # groups tried since the last move
    while idle < groups.count:
        ops = groups.ops(group)
        group = (group + 1) % groups.count
        idle += 1
        now = live.objective
        objective = live.delta(ops).objective
        if (objective < now * (1 - 1e-9)).any():
            objective = np.where(live.check(ops).legal, objective, np.inf)
            device = int(np.argmin(objective))
            if objective[device] < now * (1 - 1e-9):
                live.apply(ops, device)
                moves += 1
                idle = 0
                if live.objective < search.own_objective * (1 - 1e-9):
                    search.incumbent(live.device_of)
        search.check()
        yield moves


def filled(problem: Problem, search: Search) -> Iterator[Ints]:
    """Valid starts (int32[n] each): accelerators filled along orders, depth-first and full to begin with.

    Later ones follow random orders, with random limits below the memory, so that few or many accelerators are used. There
    is no end to them unless many in a row are not valid.
    """
    e = problem.evaluator
    codes = {rule.code for rule in e.rules}
    ordered = bool(codes & {kernels.RULE_CONTIGUOUS, kernels.RULE_SUBGRAPHS})
    cores = e.objective_code == kernels.LATENCY
    choices = [chain(problem, mirror) for mirror in mirrors(problem)] if ordered else [_by_first_op(problem)]
    accelerators = max(1, len(np.unique(e.owner[e.pays])))
    first = True
    misses = 0
    while misses < MISSES:
        for units in choices:
            order = (
                depth_first_order(*units.succs)
                if first
                else kahn_order(*units.succs, search.rng.random(units.count))
            )
            share = float(units.memory.sum()) / (1.0 + (accelerators - 1.0) * search.rng.random())
            limit = None if first else np.full(e.k, max(share, float(units.memory.max(initial=0.0))))
            placed = fill(units, order, ordered, cores=cores, limit=limit)
            search.check()
            if placed is not None and not e.violations(placed[units.unit_of]):
                yield placed[units.unit_of]
                misses = 0
            else:
                misses += 1
        first = False


def _by_first_op(problem: Problem) -> Units:
    """Units that have to stay together, with the edges of the graph among them left out where they close a cycle."""
    unit_of = forced_units(problem)
    count = int(unit_of.max()) + 1 if len(unit_of) else 0
    first = np.full(count, problem.graph.n, np.int64)
    np.minimum.at(first, unit_of[problem.graph.topological_order], np.arange(problem.graph.n))
    src, dst = (unit_of[ops] for ops in problem.graph.edges)
    kept = first[src] < first[dst]
    pairs = np.unique(np.stack([src[kept], dst[kept]], axis=1), axis=0).astype(np.int32)
    return build_units(problem, unit_of, np.ascontiguousarray(pairs[:, 0]), np.ascontiguousarray(pairs[:, 1]))
