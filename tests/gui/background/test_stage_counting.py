"""The search for counts of stages beside the window: started, kept, dropped with its problem, closed."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from gui.background import stage_counting
from gui.background.stage_counting import StageCounting, key_of
from gui.document.plan.document import Document
from planner.machines.mcm.target import McmPackage
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.problem.problem import Pin, Problem
from planner.runs.stage_counts import Found, evaluated, with_count
from tests.gui.models import chain_graph
from tests.gui.stage_models import tpu_problem
from tests.gui.window_parts import opened


@pytest.fixture
def counting(qtbot: QtBot) -> Generator[StageCounting]:
    found = StageCounting(opened())
    yield found
    found.close()
    found._document.deleteLater()


def test_the_key_is_the_problem_without_its_count() -> None:
    problem = tpu_problem()
    assert key_of(problem) == key_of(with_count(problem, 7))
    assert key_of(problem) != key_of(replace(problem, objective="memory-1-3"))
    assert key_of(problem) != key_of(replace(problem, target=replace(problem.target, shared_children=True)))  # type: ignore[type-var]
    assert key_of(problem) != key_of(problem.with_constraints((Pin("net0", "stage 0"),)))


def test_all_counts_are_found_and_remembered(qtbot: QtBot, counting: StageCounting) -> None:
    counting.start()
    assert counting.running
    assert counting.counts == tuple(range(1, 9)) and counting.waiting == (3, 2, 4, 1, 5, 6, 7, 8), (
        "those nearby first"
    )
    qtbot.waitUntil(lambda: counting.complete, timeout=240_000)
    assert not counting.running
    best = [counting.results[count].evaluation for count in counting.counts]
    assert all(e is not None and e.valid for e in best)
    counting.start()
    assert not counting.running, "everything is known"
    # Another count of stages is the same question.
    counting._document.set_problem(Pipeline(count=5))
    assert counting.complete
    counting._document.set_problem(Pipeline(count=5, bandwidth=2.0))
    assert set(counting.results) == {5} and not counting._found, "the plan on the canvas stands in its column"


def test_a_search_ends_with_its_problem(qtbot: QtBot, counting: StageCounting) -> None:
    counting.start()
    counting._document.set_problem(Pipeline(count=5))
    assert counting.running, "only the count changed"
    counting._document.set_problem(Pipeline(count=5, bandwidth=2.0))
    assert not counting.running
    counting.start()
    counting._document.open_graph(chain_graph(9), target=DevicePool(2, 1))
    assert not counting.running
    assert not counting._found
    assert not counting.complete
    counting.start()
    assert counting.running, "accelerators are counted, too"
    counting.close()
    # Beyond eight the counts are doubled; what was asked of them stays while there are fewer.
    counting._document.open_graph(chain_graph(9), target=McmPackage(36))
    assert counting.counts == (*range(1, 9), 16, 32, 35, 36, 37)
    package = counting._document.problem
    assert package is not None
    counting._known[key_of(package)] = {36: evaluated(package, Found(36, "", None, (), None, 0.0))}
    counting._document.set_problem(McmPackage(4))
    assert counting.counts == (*range(1, 9), 36)


def test_the_plan_on_the_canvas_stands_in_its_column_from_the_start(counting: StageCounting) -> None:
    document = counting._document
    document.set_assignment(np.arange(12, dtype=np.int32) * 3 // 12, "edit", "even")
    document.plan_list.entries.clear()
    shown = counting.results
    assert set(shown) == {3} and shown[3].evaluation is not None
    assert (
        shown[3].evaluation.objective == document.evaluation.objective and shown[3].found.planner == "by hand"
    )
    assert 3 in counting.left, "it is planned all the same"
    document.set_assignment(np.arange(12, dtype=np.int32)[::-1] * 3 // 12, "edit", "wrong way round")
    assert not document.evaluation.valid and counting.results == {}


def test_impossible_counts_say_why_and_are_not_planned(counting: StageCounting) -> None:
    graph = replace(chain_graph(12), param_bytes=np.full(12, 50.0))
    counting._document.open_graph(graph, target=McmPackage(4, sram=200.0, every_chip=False))
    assert counting.counts == (*range(2, 11),)
    assert "the 2 devices hold 400 B together" in counting.results[2].found.sentence
    assert counting.left == [4, 3, 5, 6, 7, 8, 9, 10]


def test_of_a_large_model_each_count_is_looked_at_in_a_turn_of_its_own(
    qtbot: QtBot, counting: StageCounting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stage_counting, "AT_ONCE", 0)
    graph = replace(chain_graph(12), param_bytes=np.full(12, 50.0))
    counting._document.open_graph(graph, target=McmPackage(4, sram=200.0, every_chip=False))
    counting.start()
    assert counting.looking and not counting.running and not counting.complete
    assert counting.counts == (4,), "until it is known"
    with qtbot.waitSignal(counting.changed):
        pass
    assert not counting.looking and counting.counts == (*range(2, 11),)
    counting.start()
    assert counting.running
    counting.stop()
    # Nothing is said of a problem that is gone.
    counting._document.set_problem(McmPackage(5, sram=200.0, every_chip=False))
    assert counting.counts == (5,) and counting.looking
    counting._document.set_problem(McmPackage(6, sram=200.0, every_chip=False))
    assert not counting.looking
    qtbot.wait(20)
    assert counting._narrowing is None


def test_nothing_happens_without_a_model(qtbot: QtBot) -> None:
    document = Document()
    counting = StageCounting(document)
    counting.start()
    assert not counting.running
    assert counting.waiting == ()
    document.deleteLater()


def test_pins_are_part_of_the_question() -> None:
    problem = Problem(chain_graph(12), Pipeline(3), "", (Pin("n1", "stage 0"),))
    assert key_of(problem) == key_of(with_count(problem, 2))
    assert key_of(problem) != key_of(problem.with_constraints(()))


def counted(counting: StageCounting, *found: Found) -> None:
    """As if the process had found these for the open problem."""
    problem = counting._document.problem
    assert problem is not None
    counting._problem, counting._key = problem, key_of(problem)
    for one in found:
        counting._take(one)


def test_the_best_plan_of_the_list_stands_for_its_count(counting: StageCounting) -> None:
    document = counting._document
    problem = document.problem
    assert problem is not None
    own = len(problem.devices)
    assert counting.listed(own) is document.plan_list.best(problem), "before anything is planned, too"
    worse = np.zeros(problem.graph.n, np.int32)
    counted(counting, *(Found(c, "slice", worse, (), None, 0.1) for c in (1, own)))
    better = document.add_plan(np.arange(problem.graph.n, dtype=np.int32) * own // problem.graph.n, "better")
    assert counting.listed(own) is document.plan_list.best(problem) and counting.listed(1) is None
    evaluation = counting.results[own].evaluation
    assert evaluation is not None and evaluation.objective <= better.objective
    assert not counting.results[own].proven
    document.add_bounds([problem.bound("bottleneck", evaluation.objective, "test", problem.assumptions)])
    assert counting.results[own].proven
    assert not counting.results[1].proven


def test_a_plan_of_the_list_stands_for_its_count_after_another_was_taken_over(
    counting: StageCounting,
) -> None:
    document = counting._document
    problem = document.open_problem
    n, own = problem.graph.n, len(problem.devices)
    two = with_count(problem, 2)
    counted(counting, *(Found(c, "slice", np.zeros(n, np.int32), (), None, 0.1) for c in (1, 2, own)))
    document.add_plan(np.arange(n, dtype=np.int32) * own // n, "best")
    best = document.plan_list.best(problem)
    assert best is not None
    document.take_over(two, np.arange(n, dtype=np.int32) * 2 // n, "slice", 0.1, ())
    assert document.open_problem.target == two.target and counting.listed(own) is best
    evaluation = counting.results[own].evaluation
    assert evaluation is not None and evaluation.values == best.components


def test_what_is_proven_of_a_count_is_known_when_it_comes_up(counting: StageCounting) -> None:
    problem = counting._document.problem
    assert problem is not None
    two = with_count(problem, 2)
    value = two.evaluate(np.arange(problem.graph.n, dtype=np.int32) * 2 // problem.graph.n).objective
    bound = two.bound("bottleneck", value, "test", two.assumptions)
    counted(counting, Found(2, "test", None, (bound,), None, 0.1))
    counting._document.set_problem(two.target)
    assert counting._document.board.bound == bound


def test_the_plan_on_the_canvas_stands_in_its_column_unless_another_is_seen_to_be_better(
    counting: StageCounting,
) -> None:
    document = counting._document
    document.open_graph(chain_graph(12), target=DevicePool(3, 0))
    problem = document.open_problem
    own, here = 3, document.device_of.copy()
    equal = own - 1 - here  # the same cost on other devices
    assert problem.evaluate(equal).objective == document.evaluation.objective and (equal != here).any()
    counted(counting, Found(own, "auto", equal, (), None, 0.1))
    assert counting.better is None and counting.listed(own) is None
    assert (counting.results[own].found.device_of == here).all()
    document.set_assignment(np.zeros(12, np.int32), "edit", "worse")
    assert (counting.results[own].found.device_of != document.device_of).any()
