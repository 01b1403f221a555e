"""Small stories for the presenter's tests, resolved without any file."""

from __future__ import annotations

import numpy as np

from planner.generate.catalogue import generate_network
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.mcm.target import McmPackage
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.machines.two_level_memory.planners.theorem_1 import Theorem1Order
from planner.machines.two_level_memory.problem import NetworkProblem, OrderPlan
from planner.machines.two_level_memory.target import TwoLevelMemory
from planner.problem.bound import Bound
from planner.problem.problem import Plan, Problem
from planner.problem.provenance import Provenance
from planner.problem.target import Target
from planner.search.run import run
from planner.story.files.plans import pack
from planner.story.keyframe import Keyframe
from planner.story.story import Resolved, Story
from planner.story.subject import StoryModel
from tests.gui.mcm_models import row_graph
from tests.gui.models import tpu_graph

TARGETS: dict[str, Target] = {
    "pipeline": Pipeline(3),
    "pool": DevicePool(2, 1, contiguous=False),
    "edge-tpu": EdgeTpuPipeline(3),
    "mcm": McmPackage(4),
}
Member = tuple[Plan | OrderPlan, tuple[Bound, ...]]


def even(n: int, k: int, shift: int = 0) -> np.ndarray:
    return np.minimum((np.arange(n) + shift) * k // n, k - 1).astype(np.int32)


def graph_members(kind: str = "pipeline", n: int = 12) -> list[Member]:
    """Two plans of one problem; the second is bounded from below by its own objective."""
    graph = tpu_graph() if kind == "edge-tpu" else row_graph(n)
    problem = Problem(graph, TARGETS[kind])
    k = len(problem.devices)
    a = problem.plan(even(graph.n, k), Provenance("first", seed=1), "even")
    b = problem.plan(even(graph.n, k, 2), Provenance("second", {"moves": 3}, seed=2, seconds=0.5), "shifted")
    bound = problem.bound(problem.components[0], 0.9 * b.objective, "simple", frozenset())
    return [(a, ()), (b, (bound,))]


def network_members() -> list[Member]:
    """Two orders of a small network."""
    network = generate_network("mlp", {"width": 8, "depth": 2, "density": 0.5}, seed=1)
    problem = NetworkProblem(network, TwoLevelMemory(size=6))
    result = run(Theorem1Order(), problem)
    assert result.order is not None
    a = problem.plan(result.order, Provenance("theorem-1"), "by Theorem 1")
    natural = problem.plan(
        np.argsort(network.rank[network.target], kind="stable").astype(np.int32),
        Provenance("natural"),
        "natural",
    )
    return [(a, result.bounds), (natural, ())]


def resolved(members: list[Member], *keyframes: Keyframe, theme: str = "light") -> Resolved:
    """A story of these plans, all of one model."""
    problem = members[0][0].problem
    model = problem.network if isinstance(problem, NetworkProblem) else problem.graph
    story = Story(
        "A talk", "", (StoryModel(("model.json",), model.fingerprint),),
        tuple(pack(plan, bounds) for plan, bounds in members), keyframes, theme,
    )  # fmt: skip
    return Resolved(
        story, (model,), tuple(plan for plan, _ in members), tuple(tuple(bounds) for _, bounds in members)
    )


def talk(kind: str = "pipeline", n: int = 12) -> Resolved:
    """Flow, lanes, another plan, a part of it, all panels, and the certificate."""
    return resolved(
        graph_members(kind, n),
        Keyframe("First", "The graph as it is.", 0),
        Keyframe("Costs", "What each device pays.", 0, panel="costs"),
        Keyframe("Lanes", "The same by device.", 0, "lanes", panel="memory"),
        Keyframe("Moved", "Another plan.", 1, "lanes", panel="difference", versus=0),
        Keyframe("Convergence", "", 1, highlight=("n1", "n2"), panel="convergence"),
        Keyframe("Schedule", "", 1, panel="schedule"),
        Keyframe("Proof", "", 1, "certificate"),
    )


def network_talk() -> Resolved:
    """An order at two moments, another order, and its certificate."""
    return resolved(
        network_members(),
        Keyframe("Before", "", 0, "network"),
        Keyframe("Running", "", 0, "network", at=20, panel="costs", transition=2.0),
        Keyframe("Memory", "", 0, "network", at=30, panel="costs", highlight=("3",)),
        Keyframe("Other", "", 1, "network", at=30, panel="memory"),
        Keyframe("Lines", "", 1, "network", at=30, panel="convergence"),
        Keyframe("Proof", "", 1, "certificate"),
    )
