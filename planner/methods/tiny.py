"""Tiny problems: on them kernels are compiled before anybody waits for them, and tests run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np

from planner.model.graph import Graph
from planner.model.network import Network
from planner.model.network_building import network_of
from planner.model.ops import Op, Tensor
from planner.problem.base import PlanningProblem
from planner.problem.problem import Problem
from planner.problem.target import Target

SECONDS = 120.0
"""No planner searches a tiny problem longer than this; all end far sooner, but the time to compile counts as well."""


class Warm:
    """The tiny problems of a machine, which together take every path through its kernels."""

    targets: ClassVar[tuple[tuple[Target, bool], ...]] = ()
    """Targets, and whether with backward ops."""

    def problems(self) -> Iterator[PlanningProblem]:
        """Every target with each of its objectives."""
        for target, training in self.targets:
            for objective in target.served_objectives():
                yield Problem(tiny_graph(training=training), target, objective)

    def like(self, problem: Any) -> Any:
        """A tiny problem with the target and objective of ``problem``, and backward ops where it has some."""
        graph = tiny_graph(training=bool(problem.graph.backward.any()), time_unit=problem.graph.time_unit)
        return Problem(graph, problem.target, problem.objective)

    def evaluate(self, problem: Any) -> None:
        """Evaluation of a tiny problem beyond what problems of graphs share."""

    def search(self, problem: Any) -> None:
        """Compile what searches on a tiny problem may never come to."""

    def prove(self, problem: Any) -> None:
        """Compile what bound methods on a tiny problem may never come to."""

    def rest(self) -> None:
        """Compile what belongs to no problem."""


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
