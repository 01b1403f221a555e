"""Every planner and bound method of the catalogue: a cancel at any look ends it within a few looks, with its best plan."""

from __future__ import annotations

import numpy as np
import pytest

from planner.machines.catalogue import bound_method, bound_methods, planner, planners
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.mcm.target import McmPackage
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.machines.two_level_memory.problem import NetworkProblem
from planner.machines.two_level_memory.target import TwoLevelMemory
from planner.model.graph import Graph, Ints, Op, Tensor
from planner.model.network import Network
from planner.model.network_building import network_of
from planner.problem.problem import Problem
from planner.search.run import run, run_bound
from planner.search.search import Callbacks, Search
from planner.search.stop import Cancel, Progress

LOOKS = (1, 3, 12)
"""The looks at the stop criteria at which a cancel is raised."""
FURTHER = 3
"""Looks that a method may take after the one that said no: each level of its loops may ask once more."""


def layered(training: bool) -> Graph:
    """Seven layers of three ops that feed one another at random, and with ``training`` their backward ops."""
    rng = np.random.default_rng(5)
    n = 21
    ops = [
        Op(f"f{i}", f"f{i}", work=float(rng.integers(2, 20)), work_cpu=60.0, memory=1.0, param_bytes=float(i))
        for i in range(n)
    ]
    pairs = [(i, j) for i in range(n) for j in range(i + 1, n) if j // 3 == i // 3 + 1 and rng.random() < 0.6]
    edges = [(f"f{i}", f"f{j}") for i, j in pairs]
    if training:
        ops += [Op(f"b{i}", f"b{i}", work=7.0, work_cpu=90.0, backward=True) for i in range(n)]
        edges += [(f"b{j}", f"b{i}") for i, j in pairs] + [(f"f{i}", f"b{i}") for i in range(n)]
    consumers: dict[str, list[str]] = {}
    for a, b in edges:
        consumers.setdefault(a, []).append(b)
    tensors = [Tensor(a, tuple(to), 8.0, float(rng.integers(1, 5))) for a, to in consumers.items()]
    return Graph.build("layered", ops, tensors, time_unit="s")


def small_network() -> Network:
    """Layers of twelve neurons, each read by half of the next."""
    rng = np.random.default_rng(5)
    pairs = np.array([(a, b) for a in range(48) for b in range(12, 60) if b // 12 == a // 12 + 1])
    pairs = pairs[rng.random(len(pairs)) < 0.5]
    return network_of("layers", pairs[:, 0], pairs[:, 1], np.ones(len(pairs)))


PROBLEMS: dict[str, Problem | NetworkProblem] = {
    "network, MIN": NetworkProblem(small_network(), TwoLevelMemory(10)),
    "network, LRU": NetworkProblem(small_network(), TwoLevelMemory(10, "lru")),
    "network, RR": NetworkProblem(small_network(), TwoLevelMemory(10, "rr")),
    "pipeline": Problem(layered(False), Pipeline(4)),
    "contiguous": Problem(layered(True), DevicePool(3, 1)),
    "in any shape": Problem(layered(False), DevicePool(3, 1, contiguous=False)),
    "overlap": Problem(layered(False), DevicePool(3, 1, communication="overlap")),
    "replication": Problem(layered(False), DevicePool(3, 1, replication=True, bandwidth=4.0)),
    "gpipe": Problem(layered(True), DevicePool(3, 1), "gpipe"),
    "latency": Problem(layered(False), DevicePool(3, 1), "latency"),
    "inference time": Problem(layered(False), EdgeTpuPipeline(3), "inference-time"),
    "stage time": Problem(layered(False), EdgeTpuPipeline(4), "stage-time"),
    "bytes": Problem(layered(False), EdgeTpuPipeline(4, cache=20.0), "memory-1-2-3"),
    "bytes, off chip first": Problem(layered(False), EdgeTpuPipeline(4, cache=60.0), "memory-2-3"),
    "chips": Problem(layered(False), McmPackage(4)),
    "chips, one sample": Problem(layered(False), McmPackage(4, sram=100.0), "latency"),
    "subgraphs": Problem(layered(True), DevicePool(2, 1, subgraphs=2), "latency"),
}
# An expert's split comes from a file, and is read at once.
PLANNERS = [
    (name, kind)
    for name, p in planners().items()
    for kind, problem in PROBLEMS.items()
    if name != "expert" and p.refusal(problem) is None
]
BOUNDS = [
    (name, kind)
    for name, m in bound_methods().items()
    for kind, problem in PROBLEMS.items()
    if m.refusal(problem) is None
]
SOONER: dict[str, dict[str, float]] = {
    "mtpp-mip": {"split": 0.05},
    "mtpp-cp-sat": {"split": 0.05},
    "max-load-ip": {"workers": 1},
}
"""Options that let a solver begin before the last look."""


PROGRAM = {"route": "ilp"}
"""Options of the exact methods on Edge TPUs that leave out the quick way."""


class Kept(Callbacks):
    """The best plan that was told."""

    def __init__(self) -> None:
        self.plan: Ints | None = None
        self.objective = np.inf

    def on_best(self, device_of: Ints, objective: float, progress: Progress) -> None:
        self.plan, self.objective = device_of.copy(), objective


class Looks:
    """Counts the looks at the stop criteria, and says no from a certain one on."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, at: int) -> None:
        self.taken = 0
        self.at = at
        stopped = Search.stopped

        def counted(search: Search) -> bool:
            self.taken += 1
            return stopped(search)

        monkeypatch.setattr(Search, "stopped", counted)

    @property
    def cancel(self) -> Cancel:
        return Cancel(lambda: self.taken >= self.at)


@pytest.mark.parametrize("at", LOOKS)
@pytest.mark.parametrize(("name", "kind"), PLANNERS)
def test_a_cancelled_planner_ends_within_a_few_looks_and_keeps_its_best_plan(
    name: str, kind: str, at: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem, kept, looks = PROBLEMS[kind], Kept(), Looks(monkeypatch, at)
    result = run(planner(name), problem, looks.cancel, kept, options=SOONER.get(name))
    # Whoever lets others search looks when they do.
    assert looks.taken <= at + FURTHER * (2 if name == "auto" else 1)
    assert result.stop_reason == ("cancelled" if looks.taken >= at else "finished")
    if kept.plan is None:
        assert result.device_of is None
    else:
        assert result.device_of is not None
        assert (result.device_of == kept.plan).all() and result.objective == kept.objective
        assert problem.evaluate(kept.plan).valid


@pytest.mark.parametrize("at", (1, 3, 12, 40, 60))
def test_the_program_on_edge_tpus_is_cancelled_as_soon(at: int, monkeypatch: pytest.MonkeyPatch) -> None:
    problem, looks = PROBLEMS["bytes"], Looks(monkeypatch, at)
    result = run(planner("edge-tpu-ilp"), problem, looks.cancel, options=PROGRAM)
    assert looks.taken <= at + FURTHER
    assert result.stop_reason == ("cancelled" if looks.taken >= at else "finished")
    looks.taken = 0
    run_bound(bound_method("ilp"), problem, looks.cancel, options=PROGRAM)
    assert looks.taken <= at + FURTHER


@pytest.mark.parametrize("at", LOOKS)
@pytest.mark.parametrize(("name", "kind"), BOUNDS)
def test_a_cancelled_bound_method_ends_within_a_few_looks(
    name: str, kind: str, at: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = Looks(monkeypatch, at)
    result = run_bound(bound_method(name), PROBLEMS[kind], looks.cancel)
    assert looks.taken <= at + FURTHER
    assert result.stop_reason == ("cancelled" if looks.taken >= at else "finished")
