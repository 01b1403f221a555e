"""The journey from machine to machine by the target panel: a plan for each, a notice, one undo step back."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from dataclasses import replace
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from gui.document.plan import opening
from gui.document.plan.machine_change import KEPT, MachineChange
from gui.editors.plan.editor import MainWindow
from gui.editors.plan.planning_anew import HELP
from gui.words.explaining import next_step
from planner.errors import StageboardError
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.mcm.target import McmPackage
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.problem.problem import Problem
from planner.problem.target import Target
from tests.gui.models import chain_graph, tpu_graph
from tests.gui.window_parts import make_window, opened, settle


@pytest.fixture
def window(qtbot: QtBot) -> Generator[MainWindow]:
    window, close = make_window(qtbot, opened())
    yield window
    close()


def choose(qtbot: QtBot, window: MainWindow, kind: str) -> None:
    """Choose a kind of machine in the target panel and apply it."""
    window.focus_panel("target")
    settle()
    panel = window.target
    panel.refresh_now()
    panel.kind.setCurrentIndex(panel.kind.findData(kind))
    panel.apply_button.click()
    qtbot.waitUntil(lambda: not window.planning_anew.busy, timeout=60_000)
    settle()


def test_from_a_pipeline_to_a_pool_to_edge_tpus_and_back(qtbot: QtBot, window: MainWindow) -> None:
    document = window.document
    document.open_graph(tpu_graph(), target=Pipeline(3))
    first = document.active
    assert first is not None
    start = document.device_of.tolist()
    choose(qtbot, window, "pool")
    assert isinstance(document.open_problem.target, DevicePool) and document.evaluation.valid
    pool = document.active
    assert pool is not None and pool.valid and pool.planner
    assert window.notice.text.startswith("Planned anew for a device pool of ")
    assert f"The plan for a pipeline of 3 stages, “{first.name}”, stays in Plans." in window.notice.text
    choose(qtbot, window, "edge-tpu")
    assert isinstance(document.open_problem.target, EdgeTpuPipeline) and document.evaluation.valid
    assert document.plans[:2] == [first, pool]
    rows = [window.plans.model.machine(entry) for entry in document.plans]
    assert rows == ["pipeline:3", pool.problem.target.spec_head()[1] if pool.problem else "", ""]
    assert first.valid and pool.valid
    window.notice._act()  # Undo
    settle()
    assert document.active is pool and isinstance(document.open_problem.target, DevicePool)
    document.undo_stack.undo()
    settle()
    assert document.active is first and document.device_of.tolist() == start
    assert document.open_problem.target == Pipeline(3)
    assert not document.modified


def test_a_plan_for_a_machine_that_is_undone_meanwhile_goes_nowhere(
    qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    document, asked = window.document, []
    count = len(document.plans)
    monkeypatch.setattr(
        opening, "start_plan", lambda problem, stopped: asked.append(problem) or made(problem)
    )
    made = lambda problem: (opening.even_cut(problem), "even cut", ())  # noqa: E731
    document.set_problem(Pipeline(4))
    document.undo_stack.undo()
    qtbot.waitUntil(lambda: not window.planning_anew.busy, timeout=60_000)
    settle()
    assert len(asked) == 1 and len(document.plans) == count
    assert document.open_problem.target == Pipeline(3)


def test_a_plan_that_cannot_be_made_leaves_what_was_carried_over(
    qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(problem: object, stopped: object) -> None:
        raise MemoryError

    monkeypatch.setattr(opening, "start_plan", fail)
    window.document.set_problem(Pipeline(4))
    qtbot.waitUntil(lambda: not window.planning_anew.busy, timeout=60_000)
    settle()
    assert window.notice.text.startswith("Carried over to a pipeline of 4 stages: ")


def test_that_a_plan_is_made_is_seen_as_long_as_it_lasts_and_can_be_cancelled(
    qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    document, running = window.document, window.running

    def until_stopped(problem: Problem, stopped: Callable[[], bool]) -> object:
        while not stopped():
            time.sleep(0.005)
        return opening.even_cut(problem), "even cut", ()

    monkeypatch.setattr(opening, "start_plan", until_stopped)
    count = len(document.plans)
    document.set_problem(Pipeline(4))
    qtbot.waitUntil(
        lambda: running.isVisible() and window.notice.text.startswith("Planning for"), timeout=30_000
    )
    assert running.words.text().startswith("Planning anew  ·  ") and running.stop_button.text() == "Cancel"
    window.notice.dismiss()  # a notice may go: the header stays
    qtbot.wait(2 * running.TICK_MS)
    assert running.isVisible() and window.actions_set["plan.cancel"].isEnabled()
    running.stop_button.click()
    settle()
    assert not window.planning_anew.busy and not running.isVisible()
    assert window.notice.text.startswith("Carried over to a pipeline of 4 stages: ")
    assert len(document.plans) == count + 1 and len(document.open_problem.devices) == 4
    # So does the notice, which can cancel it as well.
    document.set_problem(Pipeline(5))
    qtbot.waitUntil(lambda: window.notice.text.startswith("Planning for"), timeout=30_000)
    window.notice._act()
    settle()
    assert not window.planning_anew.busy and window.notice.text.startswith("Carried over to a pipeline of 5 ")
    assert not window.actions_set["plan.cancel"].isEnabled()


def test_the_stepper_plans_anew(qtbot: QtBot, window: MainWindow) -> None:
    document = window.document
    window.actions_set["plan.stage_more"].trigger()
    qtbot.waitUntil(lambda: not window.planning_anew.busy, timeout=60_000)
    settle()
    assert len(document.open_problem.devices) == 4
    assert document.active is not None and document.active.name.endswith(", 4 stages")
    assert window.notice.text.startswith("Planned anew for a pipeline of 4 stages: ")


def test_where_everything_fits_speed_is_offered_and_planned_for(qtbot: QtBot, window: MainWindow) -> None:
    document = window.document
    document.open_graph(tpu_graph(), target=EdgeTpuPipeline(3))
    settle()
    assert window.notice.text.startswith("All parameters fit the caches") and document.active is not None
    left, rate = document.active, document.evaluation.figures["throughput"]
    assert "plan for inference time instead" in next_step(
        document.open_problem, document.evaluation, document.device_of, document.gap
    )
    # The notice goes; the offer stays beside the figure that it is about.
    window.notice.dismiss()
    speed = window.readouts.speed
    assert speed.isVisible() and speed.faster.isVisible() and "fit the caches" in speed.faster.toolTip()
    speed.faster.click()
    qtbot.waitUntil(lambda: not window.planning_anew.busy, timeout=60_000)
    settle()
    assert not speed.faster.isVisible()
    assert document.open_problem.objective == "inference-time" and left in document.plans
    assert document.evaluation.figures["throughput"] >= rate
    assert f"The plan “{left.name}” stays in Plans." in window.notice.text
    with pytest.raises(StageboardError, match="no other objective"):
        window.planning_anew.take_suggestion()
    document.undo_stack.undo()
    assert document.active is left and document.open_problem.objective == "memory-1-2-3"
    # More than the caches hold: nothing is offered.
    document.open_graph(tpu_graph(), target=EdgeTpuPipeline(2, cache=2.0**20))
    settle()
    assert document.suggested_objective == ("", "")
    assert speed.isVisible() and not speed.faster.isVisible()
    assert "fit the caches" not in window.notice.text or window.notice.isHidden()


@pytest.mark.parametrize(
    ("target", "smaller"),
    [
        (McmPackage(3, check_memory=True, sram=64.0 * 2**20), {"sram": 2.0**20}),
        (DevicePool(2, 0, memory=64.0), {"memory": 4.0}),
    ],
)
def test_less_memory_than_one_op_needs_is_said_with_the_change(
    window: MainWindow, target: Target, smaller: dict[str, Any]
) -> None:
    document = window.document
    document.open_graph(tpu_graph() if isinstance(target, McmPackage) else chain_graph(), target=target)
    assert not document.board.infeasible
    document.set_problem(replace(target, **smaller))  # type: ignore[type-var]
    # At once: no search was waited for.
    assert document.board.infeasible
    assert "No plan can be valid: " in window.notice.text and window.notice._action.text() == HELP
    document.undo_stack.undo()
    settle()
    assert not document.board.infeasible and window.notice.isHidden()
    document.undo_stack.redo()
    assert "No plan can be valid: " in window.notice.text


def test_on_the_same_devices_a_plan_made_anew_is_offered_until_there_is_one(
    qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    document, target = window.document, EdgeTpuPipeline(3, cache=4.0 * 2**20)
    document.open_graph(tpu_graph(), target=target)
    before = document.device_of.tolist()
    document.set_problem(replace(target, cache=2.0**20))
    settle()
    notice = window.notice
    assert notice.text == "This plan was made for another cache: there may be a better one now."
    assert document.device_of.tolist() == before
    assert not notice._later.waiting  # it stays
    started: list[bool] = []
    monkeypatch.setattr(window.planners, "start", lambda: started.append(True))
    notice._act()
    assert started == [True]
    # What is proven best needs no other plan: the offer goes, whatever proved it, and is not made.
    document.set_problem(replace(target, cache=3 * 2.0**19))
    settle()
    assert not notice.isHidden() and notice.text.startswith("This plan was made for another cache")
    for name in document.open_problem.components:
        value = document.evaluation.components[name]
        given = tuple(
            (c, document.evaluation.components[c])
            for c in document.open_problem.components[: document.open_problem.components.index(name)]
        )
        document.add_bounds(
            [replace(document.open_problem.bound(name, value, "ilp", frozenset()), given=given)]
        )
    assert document.gap == 0.0
    settle()
    assert notice.isHidden()
    window.planning_anew._changed(
        MachineChange(
            document.active, document.active, document.open_problem, document.open_problem, KEPT, ""
        )  # type: ignore[arg-type]
    )
    assert notice.isHidden()
