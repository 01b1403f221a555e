"""Every valid plan of a small Edge TPU problem, and the least components among them."""

from __future__ import annotations

import itertools

import numpy as np

from planner.problem.problem import Pin, Problem
from tests.planner.machines.edge_tpu import reference as edge_reference
from tests.planner.reference import tensors


def valid_plans(problem: Problem) -> np.ndarray:
    """All valid assignments (int64[., n])."""
    n, k = problem.graph.n, problem.target.count
    plans = np.array(list(itertools.product(range(k), repeat=n)), np.int64).reshape(-1, n)
    fine = np.ones(len(plans), bool)
    children: dict[int, set[int]] = {}
    for u, readers, _, _ in tensors(problem.graph):
        children.setdefault(u, set()).update(readers)
        for v in readers:
            fine &= plans[:, u] <= plans[:, v]
    together = [set(ops) for ops in children.values()] if problem.target.shared_children else []
    for constraint in problem.constraints:
        if isinstance(constraint, Pin):
            fine &= plans[:, problem.graph.index[constraint.op]] == problem.device_index(constraint.device)
        else:
            together.append({problem.graph.index[op] for op in constraint.ops})
    for ops in together:
        for u, v in itertools.pairwise(sorted(ops)):
            fine &= plans[:, u] == plans[:, v]
    found: np.ndarray = plans[fine]
    return found


def components(problem: Problem, plans: np.ndarray) -> np.ndarray:
    """The components of each plan, in the order of the objective (float64[., c])."""
    k = problem.target.count
    size = edge_reference.sizes(problem)
    held = np.zeros((len(plans), k))
    entering = np.zeros((len(plans), k))
    for d in range(k):
        for v in range(problem.graph.n):
            held[:, d] += edge_reference.params(problem, v) * (plans[:, v] == d)
        for t, (u, readers, _, _) in enumerate(tensors(problem.graph)):
            here = (plans[:, sorted(readers)] == d).any(axis=1)
            entering[:, d] += size[t] * (here & (plans[:, u] != d))
    values = {
        "max-memory": held.max(axis=1),
        "dram": np.maximum(held - problem.target.cache, 0).sum(axis=1),
        "max-communication": entering.max(axis=1),
    }
    return np.stack([values[name] for name in problem.components], axis=1)


def least(problem: Problem) -> tuple[float, ...] | None:
    """The least components of all valid plans, compared in order; None without any."""
    plans = valid_plans(problem)
    return min(map(tuple, components(problem, plans).tolist()), default=None)
