"""Repair: how near its plans are to the nearest ones on small multi-chip problems, and how soon it answers on large ones."""

from __future__ import annotations

import time
from unittest import mock

import numpy as np

from benchmarks.models import ROOT
from planner.formats import read_models
from planner.machines.catalogue import own_planner
from planner.machines.mcm.solver.solver import McmSolver
from planner.machines.mcm.target import McmPackage
from planner.machines.spec import parse_target
from planner.methods.repair.best import Best
from planner.model.graph import Graph, Ints, Op, Tensor
from planner.problem.problem import Problem
from planner.repair import RepairError, repair
from planner.search.run import run
from planner.search.stop import TimeLimit
from tests.planner.machines.mcm.hamming import fewest_moves

SMALL = 300
SECONDS = 0.3
LARGE = (
    ("densenet201.json", "mcm:36,sram=16MiB"),
    ("inception_resnet_v2.json", "mcm:36"),
    ("densenet201.json", "edge-tpu:6,shared_children=true"),
    ("densenet201.json", "pool:6+1"),
)


def random_graph(rng: np.random.Generator) -> Graph:
    """8 to 30 ops: an Erdos-Renyi DAG, a tree with more edges, or layers."""
    n, kind = int(rng.integers(8, 31)), int(rng.integers(3))
    edges: set[tuple[int, int]] = set()
    if kind == 0:
        share = rng.uniform(1, 4) / n
        edges = {(i, j) for i in range(n) for j in range(i + 1, n) if rng.random() < share}
    elif kind == 1:
        edges = {(max(0, i - 1 - int(rng.integers(3))), i) for i in range(1, n)}
        for _ in range(n // 3):
            a, b = sorted(rng.choice(n, 2, replace=False).tolist())
            edges.add((a, b))
    else:
        layer = np.sort(rng.integers(0, max(2, n // 3), n))
        for i in range(n):
            before = rng.permutation(np.flatnonzero(layer == layer[i] - 1))
            edges |= {(j, i) for j in before[: int(rng.integers(1, 3))].tolist()}
    readers: dict[int, list[str]] = {}
    for a, b in sorted(edges):
        readers.setdefault(a, []).append(str(b))
    ops = [Op(str(i), str(i), work=float(rng.integers(1, 9)), work_cpu=1.0) for i in range(n)]
    return Graph.build("random", ops, [Tensor(str(a), tuple(to), 4.0, 0.5) for a, to in readers.items()])


def broken(problem: Problem, rng: np.random.Generator) -> tuple[str, Ints] | None:
    """A plan that breaks a rule: a valid one with 1 to 5 ops dragged elsewhere, or a random one."""
    n, k = problem.graph.n, len(problem.devices)
    if rng.random() < 0.6:
        order = np.empty(n)
        order[problem.graph.topological_order] = (np.arange(n) + 0.5) / n * k - 0.5
        near = np.exp(-2.0 * np.abs(order[:, None] - np.arange(k)))
        plan = McmSolver(problem).sample(near, int(rng.integers(1 << 40)))
        if plan is None:
            return None
        ops = rng.choice(n, int(rng.integers(1, 6)), replace=False)
        plan[ops] = rng.integers(0, k, len(ops))
        kind = "dragged"
    else:
        plan, kind = rng.integers(0, k, n).astype(np.int32), "random"
    return (kind, plan) if problem.evaluator.violations(plan) else None


def small() -> bool:
    """Ratios of distances to CP-SAT's Hamming optimum, what is proven and the CPU time; whether a median ratio is above 2."""
    rng = np.random.default_rng(1)
    ratios: dict[str, list[float]] = {"dragged": [], "random": []}
    proven: dict[str, int] = dict.fromkeys(ratios, 0)
    spent: dict[str, list[float]] = {kind: [] for kind in ratios}
    while sum(map(len, ratios.values())) < SMALL:
        target = McmPackage(int(rng.integers(3, 9)), check_memory=False, every_chip=bool(rng.random() < 0.3))
        problem = Problem(random_graph(rng), target)
        plan = broken(problem, rng)
        best = None if plan is None else fewest_moves(problem, plan[1])
        if plan is None or best is None:
            continue
        began = time.process_time()
        try:
            found = repair(problem, plan[1], seconds=SECONDS)
        except RepairError:
            ratios[plan[0]].append(np.inf)
            continue
        spent[plan[0]].append((time.process_time() - began) * 1e3)
        proven[plan[0]] += found.proven
        ratios[plan[0]].append(len(found.moved) / best[0])
    print("plan      problems  median   p90   max  optimal  proven  CPU ms, median")
    for kind, values in ratios.items():
        at = np.array(values)
        print(
            f"{kind:8}  {len(at):8}  {np.median(at):6.2f}  {np.quantile(at, 0.9):.2f}  {at.max():.2f}"
            f"  {(at == 1).mean():7.1%}  {proven[kind] / len(at):6.1%}  {np.median(spent[kind]):14.1f}"
        )
    print()
    return any(np.median(values) > 2.0 for values in ratios.values())


def first_answer(problem: Problem, plan: Ints) -> str:
    """CPU time to the first valid plan, how many ops it and the last one move, and what is proven."""
    answers: list[tuple[float, int]] = []
    began = time.process_time()
    offer = Best.offer

    def noted(best: Best, device_of: Ints | None) -> bool:
        better = offer(best, device_of)
        if better and device_of is not None:
            answers.append(((time.process_time() - began) * 1e3, int((device_of != plan).sum())))
        return better

    with mock.patch.object(Best, "offer", noted):
        try:
            found = repair(problem, plan, seconds=SECONDS)
        except RepairError as error:
            return str(error)
    (first, ops), last = answers[0], len(found.moved)
    return f"first after {first:5.1f} ms CPU with {ops:3} moves, last {last:3}, at least {found.at_least:3}"


def large() -> None:
    """When repair answers first on models of some 700 ops."""
    for model, spec in LARGE:
        graph = read_models([ROOT / "sample_models" / model])
        problem = Problem(graph, parse_target(spec, graph))
        base = run(own_planner(problem), problem, TimeLimit(8.0)).device_of
        if base is None:
            print(f"{model} on {spec}: no plan to begin with")
            continue
        rng = np.random.default_rng(0)
        k = len(problem.devices)
        print(f"{model} on {spec}, {graph.n} ops")
        for drags in (1, 5, 30, graph.n):
            plan = base.copy()
            ops = rng.choice(graph.n, drags, replace=False)
            plan[ops] = rng.integers(0, k, drags)
            if problem.evaluator.violations(plan):
                first_answer(problem, plan)  # compiles, loads
                print(f"  {drags:3} ops elsewhere: {first_answer(problem, plan)}")


def main() -> bool:
    """Print both tables; true where the goal on small problems is missed."""
    missed = small()
    large()
    return missed
