"""What is compiled is loaded in a thread, once, and not before the window is up."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from gui.background.warming import Warming
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.pipeline.target import Pipeline
from planner.methods.tiny import tiny_graph
from planner.problem.base import PlanningProblem
from planner.problem.problem import Problem


@pytest.fixture
def warming() -> Iterator[Warming]:
    one = Warming()
    yield one
    one.close()


def wait(warming: Warming) -> None:
    """Until all that was asked for is loaded."""
    reached = threading.Event()
    warming.load(reached.set)
    assert reached.wait(60)


def test_parts_are_loaded_once_in_another_thread_and_in_their_order(warming: Warming) -> None:
    seen: list[str] = []

    def first() -> None:
        seen.append(threading.current_thread().name)

    def second() -> None:
        seen.append("second")

    warming.load(first)
    warming.begin()
    warming.begin()
    assert not seen, "nothing is remembered from before"
    warming.load(first, second)
    warming.load(second, first)
    wait(warming)
    assert seen == ["warm-up", "second"]


def test_a_machine_is_loaded_once_for_each_target_and_objective(
    warming: Warming, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded: list[PlanningProblem] = []
    monkeypatch.setattr("planner.runs.warm_up.warm_editing", loaded.append)
    graph = tiny_graph(training=True)
    warming.begin()
    for target in (Pipeline(2), EdgeTpuPipeline(2), Pipeline(2)):
        warming.load_editing(Problem(graph, target))
    wait(warming)
    assert [type(problem.target) for problem in loaded] == [Pipeline, EdgeTpuPipeline]
    assert all(problem.graph.backward.any() for problem in loaded), "as the open graph"


def test_after_the_end_nothing_is_loaded(warming: Warming) -> None:
    seen: list[int] = []
    warming.begin()
    warming.close()
    warming.load(lambda: seen.append(1))
    warming.begin()
    assert not seen and not any(thread.name == "warm-up" for thread in threading.enumerate())
