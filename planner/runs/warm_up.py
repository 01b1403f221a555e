"""Compile what is compiled at first use, on tiny problems, so that no measured search and no first drag waits for it.

Numba compiles a kernel once per signature and machine and keeps it on disk; later processes load it, which also takes a
moment. ``python -m planner.runs.warm_up`` does all of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

import numpy as np

from planner.errors import StageboardError
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.mcm.target import McmPackage
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.machines.two_level_memory.order import ConnectionOrder
from planner.machines.two_level_memory.problem import NetworkProblem
from planner.machines.two_level_memory.target import LEAST, POLICIES, TwoLevelMemory
from planner.model.graph import Graph, Op, Tensor
from planner.model.network import Network, network_of
from planner.problem.base import PlanningProblem
from planner.problem.decision import Assignment
from planner.problem.problem import Problem
from planner.problem.target import Target
from planner.reports.schedule.schedule import kinds_for, schedule
from planner.search.method import BoundMethod, Planner
from planner.search.search import Callbacks, Search
from planner.search.stop import AnyOf, IterationLimit, Never, TimeLimit

SECONDS = 120.0
"""No planner searches a tiny problem longer than this; all end far sooner, but the time to compile counts as well."""


def tiny_graph(*, training: bool = False, time_unit: str | None = "s") -> Graph:
    """Eight ops with a skip connection; with ``training`` also their mirrored backward ops, colocated with them."""
    ops = [
        Op(
            f"f{i}",
            f"f{i}",
            work=1.0 + i % 3,
            work_cpu=4.0 + i % 3,
            param_bytes=4.0,
            colour_class=i if training else None,
        )
        for i in range(8)
    ]
    pairs = [*((f"f{i}", f"f{i + 1}") for i in range(7)), ("f2", "f5")]
    if training:
        ops += [Op(f"b{i}", f"b{i}", work=2.0, work_cpu=8.0, backward=True, colour_class=i) for i in range(8)]
        pairs += [
            ("f7", "b7"),
            *((f"b{i + 1}", f"b{i}") for i in range(7)),
            *((f"f{i}", f"b{i}") for i in range(7)),
        ]
    consumers: dict[str, list[str]] = {}
    for a, b in pairs:
        consumers.setdefault(a, []).append(b)
    tensors = [Tensor(a, tuple(to), 8.0, 0.25) for a, to in consumers.items()]
    return Graph.build("tiny", ops, tensors, time_unit=time_unit)


def tiny_network() -> Network:
    """Three layers with a connection that skips one."""
    pairs = [(0, 2), (0, 3), (1, 3), (1, 4), (2, 5), (3, 5), (4, 5), (1, 5)]
    source, target = zip(*pairs, strict=True)
    return network_of("tiny", source, target, np.ones(len(pairs)))


def crossed_network() -> Network:
    """Every neuron reads all of the layer before, and one also a constant, so that the least memory is far from enough."""
    hidden, last = (4, 5, 6, 7), (8, 9, 10, 11)
    pairs = [(a, b) for b in hidden for a in range(4)] + [(a, b) for b in last for a in hidden] + [(12, 8)]
    source, target = zip(*pairs, strict=True)
    return network_of("crossed", source, target, np.ones(len(pairs)), inputs=range(4))


def like(problem: Any) -> Any:
    """A tiny problem with the target and objective of ``problem``, and backward ops where it has some."""
    if isinstance(problem, NetworkProblem):
        return NetworkProblem(tiny_network(), problem.target.smallest())
    graph = tiny_graph(training=bool(problem.graph.backward.any()), time_unit=problem.graph.time_unit)
    return Problem(graph, problem.target, problem.objective)


def warm_planner(
    planner: Planner, problem: PlanningProblem, options: Mapping[str, Any] | None = None
) -> None:
    """Run ``planner`` for a moment on a tiny problem like ``problem``; what it refuses there is not warmed up."""
    from planner.machines.catalogue import immediate_bound
    from planner.search.run import plan_of, run

    if (method := immediate_bound(problem)) is not None:
        warm_bound(method, problem)
    tiny = like(problem)
    if tiny.target.kind == "mcm":
        warm_chips(tiny)
    if tiny.target.kind == "memory":
        warm_windows()
    if planner.refusal(tiny) is None:
        # An option may only fit the real problem, such as a split file.
        with suppress(StageboardError):
            plan_of(run(planner, tiny, AnyOf([TimeLimit(SECONDS), IterationLimit(2)]), options=options))


def warm_chips(problem: Problem) -> None:
    """The constraint solver's plans and annealed moves, to which searches on a tiny problem may never come."""
    from planner.machines.mcm.search.moves import ChipMoves
    from planner.machines.mcm.search.units import chip_units
    from planner.machines.mcm.solver.solver import ChipSolver

    units = chip_units(problem)
    moves = ChipMoves(units, 0)
    moves.begin(np.zeros(units.count, np.int32))
    moves.run(1, 1, 0.1, 0.01, 1.0, 0.0)
    solver = ChipSolver(problem)
    solver.sample(None, 0)
    solver.fix(np.zeros(problem.graph.n, np.int32), 0)


def warm_windows() -> None:
    """Greedy orders and the annealing of windows, which a search comes to only where the first orders are not the best."""
    from planner.machines.two_level_memory.planners.order_portfolio import OrderPortfolio
    from planner.machines.two_level_memory.windows.locality import Links, constructed
    from planner.machines.two_level_memory.windows.staying import Allowance, anneal_stays
    from planner.search.run import run

    problem = NetworkProblem(crossed_network(), TwoLevelMemory(LEAST))
    run(OrderPortfolio(), problem, TimeLimit(SECONDS), options={"effort": 0.001, "restarts": 1})
    search = Search(problem, Never(), Callbacks(), 0, {})
    window = next(constructed(problem, search, Links(problem.network)))
    anneal_stays(window, LEAST - 1, search, Allowance(search, 1e-6, 1))


def warm_bound(method: BoundMethod, problem: PlanningProblem) -> None:
    """Run ``method`` for a moment on a tiny problem like ``problem``."""
    from planner.search.run import run_bound

    tiny = like(problem)
    if method.refusal(tiny) is None:
        run_bound(method, tiny, AnyOf([TimeLimit(SECONDS), IterationLimit(2)]))


def warm_target(target: Target, objective: str = "", *, training: bool = False) -> None:
    """Full and live evaluation, every rule and every edit on a tiny problem of ``target``."""
    problem = Problem(tiny_graph(training=training), target, objective)
    live = problem.live(np.zeros(problem.graph.n, np.int32))
    last = len(problem.devices) - 1
    live.check([7]).violations(last)
    live.delta([6, 7])
    live.apply([3], last)
    live.closure([3], 0)
    live.best_moves()
    live.undo()
    # Plans are read-only arrays, and numba compiles for those apart.
    problem.evaluate(live.device_of)
    problem.evaluate(Assignment(live.device_of))
    for kind in kinds_for(problem):
        schedule(problem, live.device_of, kind=kind)


def warm_repair(problem: Problem) -> None:
    """Repair a tiny plan on the target of ``problem``."""
    from planner.repair import RepairError, repair

    tiny = like(problem)
    k = len(tiny.devices)
    with suppress(RepairError):
        repair(tiny, np.arange(tiny.graph.n, dtype=np.int32)[::-1] % k, seconds=SECONDS)


def warm_explain(problem: Problem) -> None:
    """Look for a reason why a tiny problem on the target of ``problem`` has no valid plan."""
    from planner.feasibility import explain

    explain(like(problem), seconds=SECONDS)


TARGETS: tuple[tuple[Target, bool], ...] = (
    (Pipeline(2), False),
    (Pipeline(2, bandwidth=1.0, memory=16.0), False),
    (EdgeTpuPipeline(3, cache=10.0), False),
    (EdgeTpuPipeline(2, shared_children=True), False),
    (McmPackage(3), False),
    (McmPackage(3, sram=20.0, every_chip=True), False),
    (DevicePool(2, 1), False),
    (DevicePool(2, 1, memory=1e6), True),
    (DevicePool(2, 1, memory=1e6, contiguous=False), False),
    (DevicePool(2, 1), True),
    (DevicePool(2, 1, bandwidth=1.0, replication=True), False),
    (DevicePool(4, 1, bandwidth=1.0, clusters=2, cluster_speed=4.0), False),
)
"""Targets that together take every path through the kernels, and whether with backward ops."""


def warm_network(policy: str) -> None:
    """Counts, traces and repair of an order under a policy."""
    from planner.machines.two_level_memory.repair import repair_order

    problem = NetworkProblem(tiny_network(), TwoLevelMemory(LEAST, policy))
    order = np.arange(problem.network.connection_count, dtype=np.int32)
    problem.evaluate(order)
    problem.evaluator.trace(order)
    repair_order(problem, order[::-1])


def warm_execution() -> None:
    """Programs, and the pass over what libraries compute."""
    from planner.machines.two_level_memory.execution.layers import layers_of
    from planner.machines.two_level_memory.execution.program import compile_order
    from planner.machines.two_level_memory.execution.scipy_csr import ScipyCsr

    network = tiny_network()
    order = np.arange(network.connection_count, dtype=np.int32)
    batch = np.zeros((network.features, 1), np.float32)
    # Orders of plans are read-only, those of searches are not.
    for given in (order, ConnectionOrder(order).order):
        compile_order(network, given).run(batch)
    ScipyCsr(layers_of(network)).run(batch)


def warm_targets(stopped: Callable[[], bool] = lambda: False) -> None:
    """Evaluation and editing on every target, until ``stopped``."""
    for policy in POLICIES:
        warm_network(policy)
    for target, training in TARGETS:
        for objective in target.served_objectives():
            if stopped():
                return
            warm_target(target, objective, training=training)
            warm_repair(Problem(tiny_graph(training=training), target, objective))


def warm_up() -> None:
    """Every target, planner and bound method of the catalogue, repair and explanations."""
    from planner.machines.catalogue import bound_methods, planners

    warm_targets()
    for target, training in TARGETS:
        for objective in target.served_objectives():
            problem = Problem(tiny_graph(training=training), target, objective)
            for planner in planners().values():
                warm_planner(planner, problem)
            for method in bound_methods().values():
                warm_bound(method, problem)
            warm_explain(problem)
    for policy in POLICIES:
        network_problem = NetworkProblem(tiny_network(), TwoLevelMemory(LEAST, policy))
        for planner in planners().values():
            warm_planner(planner, network_problem)
        for method in bound_methods().values():
            warm_bound(method, network_problem)
    warm_execution()


if __name__ == "__main__":
    warm_up()
