"""Problems to race on, and a worker that does what a test tells it."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.mcm.target import McmPackage
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.machines.two_level_memory.problem import NetworkProblem
from planner.machines.two_level_memory.target import TwoLevelMemory
from planner.model.graph import Graph, Ints, Op, Tensor
from planner.model.network_building import network_of
from planner.problem.problem import Problem
from planner.runs.messages import Message, Order


def layered(layers: int = 7, seed: int = 5) -> Graph:
    """Layers of three ops that feed one another at random."""
    rng = np.random.default_rng(seed)
    n = 3 * layers
    ops = [
        Op(
            str(i),
            f"op {i}",
            work=float(rng.integers(2, 20)),
            work_cpu=60.0,
            memory=1.0,
            param_bytes=float(i),
        )
        for i in range(n)
    ]
    consumers: dict[str, list[str]] = {}
    for i in range(n):
        for j in range(i + 1, n):
            if j // 3 == i // 3 + 1 and rng.random() < 0.6:
                consumers.setdefault(str(i), []).append(str(j))
    tensors = [Tensor(a, tuple(to), 8.0, float(rng.integers(1, 5))) for a, to in consumers.items()]
    return Graph.build("layered", ops, tensors, time_unit="s")


def network_problem(policy: str = "min") -> NetworkProblem:
    """Layers of twelve neurons, each read by half of the next."""
    rng = np.random.default_rng(5)
    pairs = np.array([(a, b) for a in range(48) for b in range(12, 60) if b // 12 == a // 12 + 1])
    pairs = pairs[rng.random(len(pairs)) < 0.5]
    network = network_of("layers", pairs[:, 0], pairs[:, 1], np.ones(len(pairs)))
    return NetworkProblem(network, TwoLevelMemory(10, policy))


def pipeline() -> Problem:
    return Problem(layered(), Pipeline(4))


PROBLEMS: dict[str, Problem | NetworkProblem] = {
    "pipeline": pipeline(),
    "contiguous": Problem(layered(), DevicePool(3, 1)),
    "in any shape": Problem(layered(), DevicePool(3, 1, contiguous=False)),
    "latency": Problem(layered(), DevicePool(3, 1), "latency"),
    "bytes": Problem(layered(), EdgeTpuPipeline(4, cache=20.0), "memory-1-2-3"),
    "stage time": Problem(layered(), EdgeTpuPipeline(4), "stage-time"),
    "inference time": Problem(layered(), EdgeTpuPipeline(3), "inference-time"),
    "chips": Problem(layered(), McmPackage(4)),
    "network": network_problem(),
}


class FakeWorker:
    """Answers what :attr:`script` has for a method, one list of messages a poll; keeps what it was told."""

    script: ClassVar[dict[str, list[list[Message]]]] = {}
    made: ClassVar[list[FakeWorker]] = []
    holds: ClassVar[bool] = True

    def __init__(self, pausable: bool = False, grace: float = 0.0) -> None:
        self.pausable = pausable and FakeWorker.holds
        self.paused = self.finished = self.cancelled = False
        self.told: list[Any] = []
        self.order: Order | None = None
        self.connection = _Ready()
        FakeWorker.made.append(self)

    def start(self, order: Order) -> None:
        self.order = order
        self.left = list(FakeWorker.script.get(order.method, []))

    def tell(self, news: Any) -> None:
        self.told.append(news)

    def cancel(self) -> None:
        self.paused, self.cancelled = False, True

    def pause(self) -> bool:
        self.paused = self.pausable
        return self.paused

    def resume(self) -> None:
        self.paused = False

    def poll(self, timeout: float = 0.0, limit: int = 64) -> list[Message]:
        if self.paused or self.finished:
            return []
        if self.cancelled:
            self.finished = True
            return [ended(self.order, "cancelled")]
        return self.left.pop(0) if self.left else []

    def close(self, grace: float = 0.5) -> None:
        self.finished = True


class _Ready:
    """A connection on which something has always arrived."""

    def fileno(self) -> int:
        raise AssertionError("nobody waits on a fake")


def ended(order: Order | None, reason: str = "finished") -> Message:
    """The end of a run with nothing more to tell."""
    from planner.runs.messages import Ended
    from planner.search.result import Result

    assert order is not None
    return Ended(
        Result(
            order.method, order.problem, None, None, (), "no_plan", reason, 0.0, order.seed, order.options, 7
        )
    )


def chain_plan(problem: Problem, ends: tuple[int, ...]) -> Ints:
    """Ops cut at ``ends`` along their numbers: (3, 6, 9) is three ops on each of the first three devices."""
    return np.searchsorted(np.array(ends), np.arange(problem.graph.n), side="right").astype(np.int32)
