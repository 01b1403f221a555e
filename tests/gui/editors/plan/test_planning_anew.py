"""The journey from machine to machine by the target panel: a plan for each, a notice, one undo step back."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from gui.document.plan.machine_change import KEPT, MachineChange
from gui.document.plan_list import PlanEntry
from gui.editors.plan.editor import MainWindow
from gui.editors.plan.planning_anew import HELP, stands_in_words
from gui.words.explaining import next_step
from planner.errors import StageboardError
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.mcm.target import McmPackage
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.problem.problem import Problem
from planner.problem.target import Target
from planner.runs import start_plan as starting
from planner.runs.start_plan import EVEN_CUT, StartPlan, even_cut
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
    monkeypatch.setattr(starting, "start_plan", lambda problem, *_: asked.append(problem) or made(problem))
    made = lambda problem: StartPlan(even_cut(problem), EVEN_CUT)  # noqa: E731
    document.set_problem(Pipeline(4))
    document.undo_stack.undo()
    qtbot.waitUntil(lambda: not window.planning_anew.busy, timeout=60_000)
    settle()
    assert len(asked) == 1 and len(document.plans) == count
    assert document.open_problem.target == Pipeline(3)


def test_a_plan_that_cannot_be_made_leaves_what_was_carried_over(
    qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(starting, "start_plan", fail)
    window.document.set_problem(Pipeline(4))
    qtbot.waitUntil(lambda: not window.planning_anew.busy, timeout=60_000)
    settle()
    assert window.notice.text.startswith("Carried over to a pipeline of 4 stages: ")


def test_that_a_plan_is_made_is_seen_as_long_as_it_lasts_and_can_be_cancelled(
    qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    document, running = window.document, window.running

    def until_stopped(problem: Problem, stopped: Callable[[], bool], _patience: float) -> object:
        while not stopped():
            time.sleep(0.005)
        return StartPlan(even_cut(problem), EVEN_CUT)

    monkeypatch.setattr(starting, "start_plan", until_stopped)
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


def failing_plan(problem: object, doubtful: bool) -> None:
    """A process finds it by name."""
    raise StageboardError("there is no room for it")


@pytest.fixture
def nothing_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a machine that has compiled no planner yet: what is opened interprets kernels, and planners are in processes."""
    for module in ("gui.document.plan.opening", "gui.background.start_planning"):
        monkeypatch.setattr(f"{module}.interprets", lambda: True)
        monkeypatch.setattr(f"{module}.to_compile", lambda problem: True)


@pytest.mark.usefixtures("nothing_compiled")
def test_a_plan_follows_where_its_planner_was_not_compiled_on_opening(
    qtbot: QtBot, window: MainWindow
) -> None:
    document = window.document
    document.open_graph(tpu_graph(), target=Pipeline(4))
    stand_in = document.active
    assert stand_in is not None and stand_in.planner == EVEN_CUT and stand_in.valid
    assert window.notice.text.startswith("Ops are in equal shares for now: ")
    assert window.planning_anew.errand.title() == "Planning"
    qtbot.waitUntil(lambda: not window.planning_anew.busy, timeout=60_000)
    settle()
    found = document.active
    assert found is not None and found is not stand_in and found.planner == "chain-dp"
    assert found.better_than(stand_in) and document.gap == 0.0 and not document.modified
    assert found.origin == "start" and window.closing.may_close(), "nobody asked for it: no question about it"
    assert window.notice.text.startswith(f"Planned: “{found.name}”, ")
    window.notice._act()  # Undo
    assert document.active is stand_in and document.device_of.tolist() == stand_in.device_of.tolist()


@pytest.mark.usefixtures("nothing_compiled")
def test_a_plan_that_follows_waits_where_somebody_went_on(qtbot: QtBot, window: MainWindow) -> None:
    document = window.document
    document.open_graph(tpu_graph(), target=Pipeline(4))
    last = int(document.device_of.argmax())
    document.move([last], 1)
    by_hand = document.device_of.tolist()
    qtbot.waitUntil(lambda: not window.planning_anew.busy, timeout=60_000)
    settle()
    assert document.device_of.tolist() == by_hand
    assert document.plans[-1].planner == "chain-dp" and document.plans[-1].valid
    assert window.notice.text.startswith("A better plan waits in Plans: “")


@pytest.mark.usefixtures("nothing_compiled")
def test_a_plan_that_follows_can_be_cancelled(qtbot: QtBot, window: MainWindow) -> None:
    document = window.document
    document.open_graph(chain_graph(24), target=Pipeline(3))
    window.planning_anew.cancel()
    assert not window.planning_anew.busy
    qtbot.wait(300)
    assert len(document.plans) == 1 and document.plans[0].planner == EVEN_CUT


@pytest.mark.usefixtures("nothing_compiled")
def test_no_plan_follows_once_another_is_proven_to_be_the_best(qtbot: QtBot, window: MainWindow) -> None:
    document = window.document
    document.open_graph(chain_graph(24), target=Pipeline(3))
    problem, value = document.open_problem, document.evaluation.objective
    document.add_bounds([problem.bound("bottleneck", value, "test", problem.assumptions)])
    assert document.gap == 0.0 and not window.planning_anew.busy


@pytest.mark.usefixtures("nothing_compiled")
def test_a_plan_that_follows_leaves_what_else_is_said(qtbot: QtBot, window: MainWindow) -> None:
    document = window.document
    document.open_graph(chain_graph(24), target=Pipeline(3))
    window.notice.show_message("info", "Your last plan: a.plan.json.", stays=True)
    qtbot.waitUntil(lambda: not window.planning_anew.busy, timeout=60_000)
    settle()
    assert document.active is not None and document.active.planner == "chain-dp"
    assert window.notice.text == "Your last plan: a.plan.json."


@pytest.mark.usefixtures("nothing_compiled")
def test_what_a_plan_that_follows_suggests_is_said_with_it(qtbot: QtBot, window: MainWindow) -> None:
    document = window.document
    document.open_graph(tpu_graph(), target=EdgeTpuPipeline(3))
    qtbot.waitUntil(lambda: not window.planning_anew.busy, timeout=60_000)
    settle()
    assert window.notice.text.startswith(
        "Planned: nothing better was found at once. All parameters fit the caches"
    )
    assert window.notice.text.endswith("plans for speed instead.")


@pytest.mark.usefixtures("nothing_compiled")
def test_that_no_planner_could_be_run_is_said(
    qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gui.background.start_planning.first_plan_or_conflict", failing_plan, raising=True)
    window.document.open_graph(chain_graph(24), target=Pipeline(3))
    qtbot.waitUntil(lambda: not window.planning_anew.busy, timeout=60_000)
    settle()
    assert window.notice.text == "No planner could be run: there is no room for it"
    assert len(window.document.plans) == 1


@pytest.mark.usefixtures("nothing_compiled")
def test_that_no_plan_can_be_valid_follows_too(qtbot: QtBot, window: MainWindow) -> None:
    document = window.document
    document.open_graph(chain_graph(24), target=DevicePool(3, 0, memory=0.5))
    qtbot.waitUntil(lambda: not window.planning_anew.busy, timeout=60_000)
    settle()
    assert document.board.infeasible and window.notice.text.startswith("No plan can be valid: ")


@pytest.mark.usefixtures("nothing_compiled")
def test_another_machine_is_planned_for_in_a_process_where_nothing_is_compiled(
    qtbot: QtBot, window: MainWindow
) -> None:
    window.document.set_problem(Pipeline(4))
    qtbot.waitUntil(lambda: not window.planning_anew.busy, timeout=60_000)
    settle()
    assert window.document.active is not None and window.document.active.planner == "chain-dp"
    assert window.notice.text.startswith("Planned anew for a pipeline of 4 stages: ")


def test_what_stands_in_is_named() -> None:
    shares, one = (
        PlanEntry("", np.zeros(1, np.int32), "start", planner=EVEN_CUT),
        PlanEntry("", np.zeros(1, np.int32), "start"),
    )
    assert stands_in_words(shares).startswith("Ops are in equal shares") and stands_in_words(one).startswith(
        "All ops are on one"
    )
