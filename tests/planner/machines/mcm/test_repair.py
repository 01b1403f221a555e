"""Repair on multi-chip modules against the fewest moves that CP-SAT proves."""

from __future__ import annotations

import numpy as np

from planner.machines.mcm.target import McmPackage
from planner.model.graph import Graph, Op, Tensor
from planner.problem.problem import Problem
from planner.repair import repair
from tests.planner.machines.mcm import reference as mcm_reference
from tests.planner.machines.mcm.hamming import fewest_moves


def random_graph(rng: np.random.Generator) -> Graph:
    """8 to 12 ops, a tree with some more edges."""
    n = int(rng.integers(8, 13))
    edges = {(int(max(0, i - 1 - rng.integers(0, 3))), i) for i in range(1, n)}
    for _ in range(n // 3):
        a, b = sorted(rng.choice(n, 2, replace=False).tolist())
        edges.add((a, b))
    readers: dict[int, list[str]] = {}
    for a, b in sorted(edges):
        readers.setdefault(a, []).append(str(b))
    ops = [Op(str(i), str(i), work=1.0, work_cpu=1.0) for i in range(n)]
    return Graph.build("random", ops, [Tensor(str(a), tuple(to), 4.0, 0.5) for a, to in readers.items()])


def test_repair_moves_at_most_twice_as_many_ops_in_the_median() -> None:
    rng = np.random.default_rng(7)
    ratios = []
    while len(ratios) < 8:
        problem = Problem(random_graph(rng), McmPackage(int(rng.integers(3, 6)), check_memory=False))
        given = rng.integers(0, problem.target.count, problem.graph.n).astype(np.int32)
        best = fewest_moves(problem, given)
        assert best is not None
        moves, plan = best
        assert not mcm_reference.violations(problem, plan.tolist())
        if not moves:
            continue
        found = repair(problem, given, seconds=1.0)
        assert not mcm_reference.violations(problem, found.device_of.tolist())
        assert found.at_least <= moves <= len(found.moved)
        ratios.append(len(found.moved) / moves)
    assert np.median(ratios) <= 2.0 and max(ratios) < 3.0
