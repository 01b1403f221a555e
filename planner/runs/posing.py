"""From models and words to a problem: a target by its specification, pins by name, ops kept together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from planner.errors import ConstraintError
from planner.machines.spec import parse_target, with_named
from planner.machines.two_level_memory.problem import NetworkProblem, check_memory
from planner.model.graph import Graph
from planner.model.named_machines import NO_MACHINES, Machines
from planner.model.network import Network
from planner.problem.device_times import on_devices
from planner.problem.grouping import kept_together
from planner.problem.problem import Pin, Problem
from planner.problem.target import Target

Pins = Mapping[str, str | int]
"""The device of an op, by its name or number; ops by id, or by a name that only one op has."""


def problem_on(
    graph: Graph,
    target: str | Target,
    objective: str = "",
    pins: Pins | None = None,
    granularity: str = "op",
    named: Machines = NO_MACHINES,
    places: Iterable[str] = (),
) -> Problem:
    """What is to be planned: ``graph`` on a target or its specification, with the target's first objective where none is named.

    ``named`` machines give rates of the target, ``places`` are devices that times were measured on. Raises :class:`StageboardError`.
    """
    machine = parse_target(target, graph, named) if isinstance(target, str) else with_named(target, named)
    graph = on_devices(graph, machine, places)
    problem = Problem(graph, machine, objective, kept_together(graph, granularity))
    if not pins:
        return problem
    # Only now: the pins need the problem's devices to be understood.
    return problem.with_constraints(
        (*problem.constraints, *(pin(problem, op, device) for op, device in pins.items()))
    )


def pin(problem: Problem, op: str, device: str | int) -> Pin:
    """A pin by words. Raises :class:`StageboardError` where there is no such op or device."""
    index = problem.device_index(str(device).strip())
    return Pin(problem.graph.op_ids[problem.graph.find(op)], problem.devices[index].name)


def network_problem_on(
    network: Network, target: str | Target, objective: str = "", pins: Pins | None = None
) -> NetworkProblem:
    """A network on a two-level memory. Raises :class:`StageboardError`."""
    if pins:
        raise ConstraintError(f"pins are about ops of a graph; leave them out for {network.name}")
    machine = parse_target(target) if isinstance(target, str) else target
    return NetworkProblem(network, check_memory(network, machine), objective)
