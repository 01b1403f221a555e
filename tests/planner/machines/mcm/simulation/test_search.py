"""Searches that judge partitions by their simulated execution."""

from __future__ import annotations

import numpy as np
import pytest

from planner.machines.catalogue import planner
from planner.machines.mcm.search.samples import Samples
from planner.machines.mcm.search.trace import trace
from planner.machines.mcm.simulation.simulator import Simulator
from planner.machines.mcm.target import McmPackage
from planner.model.graph import Graph, Op, Tensor
from planner.problem.problem import Problem
from planner.runs.replay import replay
from planner.search.run import plan_of, run
from planner.search.search import Callbacks, Shared
from planner.search.stop import Progress
from tests.planner.machines.mcm.test_search import layered, side_by_side


class Listed(Callbacks):
    """Keeps each better plan, with its objective and its score."""

    def __init__(self) -> None:
        self.found: list[tuple[np.ndarray, float, float | None]] = []

    def on_best(self, device_of: np.ndarray, objective: float, progress: Progress) -> None:
        self.found.append((device_of, objective, progress.score))


@pytest.mark.parametrize("name", ["chip-random", "chip-anneal", "chip-learned"])
@pytest.mark.parametrize("objective", ["chip-latency", "latency"])
def test_partitions_are_judged_by_their_simulated_execution(
    name: str, objective: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem = Problem(side_by_side(), McmPackage(6), objective)
    simulator = Simulator(problem.evaluator)
    scored: list[float] = []
    original = Samples.score

    def score(self: Samples, device_of: np.ndarray) -> float:
        scored.append(original(self, device_of))
        return scored[-1]

    monkeypatch.setattr(Samples, "score", score)
    listed = Listed()
    options = {"samples": 60, "cost": "simulated"}
    result = run(planner(name), problem, None, listed, 3, options)
    assert result.device_of is not None and len(scored) == 60
    found = simulator.run(result.device_of)
    value = found.latency if objective == "latency" else found.interval
    assert value == min(scored) == listed.found[-1][2]
    assert result.objective == pytest.approx(problem.evaluator.objective(result.device_of))
    assert [float(s) for _, _, s in listed.found] == list(dict.fromkeys(np.minimum.accumulate(scored)))
    assert result.message.startswith("simulated: ")
    best = np.minimum.accumulate(scored)
    assert trace(problem, name, 60, 3, {"cost": "simulated"}) == pytest.approx(best)


def test_a_plan_that_the_allocator_has_no_place_for_is_no_better() -> None:
    """Three chips would be the best, but the middle one has no room for two buffers each of what arrives and what leaves."""
    ops = [Op(f"o{i}", f"o{i}", work=1.0, work_cpu=1.0) for i in range(3)]
    graph = Graph.build("chain", ops, [Tensor(f"o{i}", (f"o{i + 1}",), 64.0, 0.0) for i in range(2)])
    problem = Problem(graph, McmPackage(3, sram=200.0, check_memory=False))
    judged = run(planner("chip-random"), problem, options={"samples": 60, "cost": "simulated"})
    plain = run(planner("chip-random"), problem, options={"samples": 60})
    assert plain.objective == 1.0 and plain.device_of is not None
    assert Simulator(problem.evaluator).run(plain.device_of).unplaced is not None
    assert (
        judged.device_of is not None and Simulator(problem.evaluator).run(judged.device_of).unplaced is None
    )


def test_a_plan_that_was_judged_by_a_simulation_is_found_again() -> None:
    """A plan that is better by the objective comes on the way: the run is not to stop there."""
    problem = Problem(layered(12, 4, 1), McmPackage(8))
    listed = Listed()
    result = run(planner("chip-random"), problem, None, listed, 0, {"samples": 60, "cost": "simulated"})
    assert result.objective is not None
    assert min(objective for _, objective, _ in listed.found[:-1]) < result.objective
    assert replay(plan_of(result)).outcome == "identical"


def test_others_plans_are_not_taken_over_where_a_simulation_judges() -> None:
    problem = Problem(layered(), McmPackage(4))
    best = run(planner("chip-local-search"), problem, options={"rounds": 1, "moves": 300, "orders": 5})
    assert best.device_of is not None and best.components is not None
    shared = Shared(best.device_of, best.components, "other")
    for cost, adopted in (("analytical", 1), ("simulated", 0)):
        news = iter([[shared]])
        options = {"samples": 20, "cost": cost}
        result = run(planner("chip-random"), problem, options=options, news=lambda news=news: next(news, []))
        assert len(result.adopted) == adopted
