"""The fewest ops that must move on a multi-chip module, as a CP-SAT model of the rules as the paper states them."""

from __future__ import annotations

from typing import Any

import numpy as np

from planner.model.graph import Ints
from planner.problem.problem import Problem


def fewest_moves(problem: Problem, given: Ints, seconds: float = 20.0) -> tuple[int, Ints] | None:
    """``(moves, plan)`` of a nearest plan under all static rules, or None where there is none. Raises on a time-out."""
    from ortools.sat.python import cp_model

    e = problem.evaluator
    rules = {rule.name for rule in e.rules}
    n, k = e.n, e.k
    model = cp_model.CpModel()
    on: list[list[Any]] = [[model.new_bool_var(f"x{v},{c}") for c in range(k)] for v in range(n)]
    for v in range(n):
        model.add_exactly_one(on[v])
        for c in range(k):
            if not e.allowed[v, c]:
                model.add(on[v][c] == 0)
    for ops in problem.groups.sets():
        for v in ops[1:]:
            for c in range(k):
                model.add(on[v][c] == on[ops[0]][c])
    place = [sum(c * on[v][c] for c in range(k)) for v in range(n)]
    edges = list(zip(e.edge_src.tolist(), e.edge_dst.tolist(), strict=True))
    for u, v in edges:
        model.add(place[u] <= place[v])
    if "every_chip" in rules:
        for c in range(k):
            model.add_bool_or([on[v][c] for v in range(n)])
    if "no_skip" in rules:
        for v in range(n):
            for c in range(k):
                for lower in range(c):
                    model.add_bool_or([on[v][c].negated(), *(on[w][lower] for w in range(n))])
    if "triangle" in rules:
        _triangle(model, on, edges, k)
    model.maximize(sum(on[v][int(given[v])] for v in range(n)))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.max_time_in_seconds = seconds
    status = solver.solve(model)
    if status == cp_model.INFEASIBLE:
        return None
    if status != cp_model.OPTIMAL:
        raise TimeoutError("no optimum in time")
    plan = np.array([[solver.value(x) for x in row] for row in on]).argmax(axis=1).astype(np.int32)
    return n - round(solver.objective_value), plan


def _triangle(model: Any, on: list[list[Any]], edges: list[tuple[int, int]], k: int) -> None:
    """Direct dependencies between chips exclude indirect ones (equation 4)."""
    arc = {(a, b): model.new_bool_var(f"a{a},{b}") for a in range(k) for b in range(a + 1, k)}
    path = {(a, b): model.new_bool_var(f"p{a},{b}") for a, b in arc}
    for u, v in edges:
        for (a, b), direct in arc.items():
            model.add_bool_or([on[u][a].negated(), on[v][b].negated(), direct])
    for (a, b), direct in arc.items():
        model.add_implication(direct, path[a, b])
        for c in range(a + 1, b):
            # From a to c directly, on to b somehow: a longer way beside which a direct dependency must not be.
            both = [arc[a, c].negated(), path[c, b].negated()]
            model.add_bool_or([*both, path[a, b]])
            model.add_bool_or([*both, direct.negated()])
