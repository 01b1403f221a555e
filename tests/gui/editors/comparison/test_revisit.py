"""Back from a keyframe that compares: to its comparison, while the canvas, its plan and its file stay as they are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from gui.editors.comparison.canvases.overlay import OverlayPane
from gui.editors.comparison.editor import CompareWindow
from gui.editors.comparison.windows import comparisons_of, open_comparison, open_with_canvas
from gui.editors.plan.editor import MainWindow
from planner.plan_files.plan_json import write_plan
from planner.problem.problem import Plan
from planner.problem.provenance import Provenance
from tests.gui.editors.comparison.parts import rest, two_plans
from tests.gui.window_parts import make_window, settle


def two_files(main: MainWindow, folder: Path) -> tuple[Plan, Plan]:
    """Plan A in its file and on the canvas, and plan B in another."""
    main.document.save_plan(folder / "tA.plan.json")
    problem = main.document.open_problem
    device_of = main.document.device_of.copy()
    device_of[np.flatnonzero(device_of == 0)[-1]] = 1
    plan = problem.plan(device_of, Provenance("chain-dp", seed=7), "chain-dp")
    write_plan(folder / "tB.plan.json", plan)
    return main.document.current_plan(), plan


def test_a_keyframe_that_compares_brings_its_comparison_back(qtbot: QtBot, tmp_path: Path) -> None:
    document = two_plans()
    main, close = make_window(qtbot, document)
    try:
        first, second = two_files(main, tmp_path)
        shown = open_with_canvas(main, [tmp_path / "tB.plan.json"])
        rest(qtbot, shown)
        shown.capture("overlay")
        shown.capture("sankey")
        before, steps, listed = document.device_of.copy(), document.undo_stack.index(), list(document.plans)
        assert not isinstance(shown.columns.current, OverlayPane)
        main.studio.panel.list.shown.emit(0)
        rest(qtbot, shown)
        assert comparisons_of(document) == [shown] and isinstance(shown.columns.current, OverlayPane)
        main.studio.panel.list.shown.emit(1)
        assert shown.docks.in_front("flows")
        assert (document.device_of == before).all() and document.undo_stack.index() == steps
        assert document.plans == listed and main.document.plan_path == tmp_path / "tA.plan.json"
        shown.close()
        settle()
        main.studio.panel.list.shown.emit(0)
        (again,) = comparisons_of(document)
        assert isinstance(again, CompareWindow)
        rest(qtbot, again)
        assert [(plan.name, plan.provenance.planner) for plan in again.state.plans] == [
            (first.name, first.provenance.planner),
            ("chain-dp", "chain-dp"),
        ]
        assert (document.device_of == before).all() and document.undo_stack.index() == steps
        added = next(entry for entry in document.plans if entry not in listed)
        assert (added.name, added.source.planner, added.source.seed) == ("chain-dp", "chain-dp", 7)
        assert (added.device_of == second.decision.device_of).all()
        again.close()
        settle()
    finally:
        close()


def test_a_plan_of_a_keyframe_comes_on_the_canvas_as_what_it_is(qtbot: QtBot, tmp_path: Path) -> None:
    """And what was captured before keeps its planner, whatever the canvas holds later."""
    document = two_plans()
    main, close = make_window(qtbot, document)
    try:
        _, second = two_files(main, tmp_path)
        document.open_plan(tmp_path / "tB.plan.json")
        main.studio.capture_keyframe()
        document.undo_stack.undo()
        assert document.plan_path == tmp_path / "tA.plan.json"
        document.save_plan(tmp_path / "tA.plan.json")
        before = document.device_of.copy()
        main.focus_panel("story")
        main.studio.panel.list.shown.emit(0)
        active = document.active
        assert active is not None and active.origin == "file" and active.name == "chain-dp"
        assert (active.source.planner, active.source.seed) == ("chain-dp", 7)
        assert document.plan_path is None, "saving asks where to"
        panel = main.studio.panel
        QTest.keySequence(panel, QKeySequence(QKeySequence.StandardKey.Undo))
        assert (document.device_of == before).all(), "what was done last is undone"
        assert document.plan_path == tmp_path / "tA.plan.json" and len(main.studio.draft.frames) == 1
        QTest.keySequence(panel, QKeySequence(QKeySequence.StandardKey.Redo))
        assert (document.device_of == second.decision.device_of).all()
        QTest.keySequence(panel, QKeySequence(QKeySequence.StandardKey.Undo))
        QTest.keySequence(panel, QKeySequence(QKeySequence.StandardKey.Undo))
        assert not main.studio.draft.frames, "then the story's own steps"
    finally:
        close()


def test_equal_plans_by_others_leave_a_captured_one_its_name_and_planner(
    qtbot: QtBot, tmp_path: Path
) -> None:
    document = two_plans()
    main, close = make_window(qtbot, document)
    try:
        _, second = two_files(main, tmp_path)
        shown = open_with_canvas(main, [tmp_path / "tB.plan.json"])
        rest(qtbot, shown)
        shown.capture("side-by-side")
        captured = main.studio.draft.frames[0].shown.plan
        document.move(np.flatnonzero(document.device_of != second.decision.device_of), 1)
        assert (document.device_of == second.decision.device_of).all()
        main.studio.capture_keyframe()
        frames = main.studio.draft.frames
        assert frames[0].shown.plan is captured
        assert [frame.shown.plan.provenance.planner for frame in frames] == ["chain-dp", "hand"]
        told = main.studio.draft.resolved().story.plans
        assert len(told) == 3, "what is equal by two authors is two"
        shown.close()
        settle()
    finally:
        close()


def test_a_list_of_plans_saves_each_to_its_own_file(qtbot: QtBot, tmp_path: Path) -> None:
    document = two_plans()
    main, close = make_window(qtbot, document)
    try:
        two_files(main, tmp_path)
        start = document.active
        assert start is not None
        document.open_plan(tmp_path / "tB.plan.json")
        document.apply_plan(start)
        assert document.plan_path == tmp_path / "tA.plan.json"
        document.undo_stack.undo()
        assert document.plan_path == tmp_path / "tB.plan.json"
        document.move([0], 1)
        assert document.plan_path == tmp_path / "tB.plan.json", "an edit of it goes where it is"
        open_comparison(main, [start])
        settle()
        comparisons_of(document)[0].close()
        settle()
    finally:
        close()
