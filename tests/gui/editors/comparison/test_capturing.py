"""Comparisons that become keyframes: which plans, how they are shown, and what is said where there is nothing to capture."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gui.editors.comparison.canvases.overlay import OverlayPane
from gui.editors.comparison.capturing import captured, shown_comparison
from gui.editors.comparison.windows import open_comparison, open_with_canvas
from gui.look.theme import LIGHT
from gui.present.comparison.overlay import OverlayShot
from gui.present.show import Show
from gui.shell.docks import tab_bars, tabs_of
from gui.tools.story.draft import Draft
from planner.errors import StageboardError
from planner.plan_files.plan_json import write_plan
from planner.problem.provenance import Provenance
from planner.reports.comparison import compare
from tests.gui.editors.comparison.parts import more_plans, rest, two_plans, window_on
from tests.gui.window_parts import make_window, settle


def test_all_that_stand_side_by_side_are_captured(qtbot: QtBot) -> None:
    document = two_plans()
    more_plans(document, 2)
    with window_on(qtbot, document) as window:
        draft = Draft()
        frame = captured(window, draft, "side-by-side")
        assert frame.versus is not None
        names = [one.plan.name for one in (frame.versus, frame.shown, *frame.beside)]
        assert names == [plan.name for plan in window.state.plans]
        assert len(frame.beside) == 2 == len(frame.keyframe.beside)
        draft.add(frame)
        draft.add(captured(window, draft, "schedules"))
        again = draft.frames[1]
        assert again.shown is frame.shown and again.beside == frame.beside, "the draft's own plans"
        assert again.keyframe.caption == frame.keyframe.caption != "", "each says it"
        story = draft.resolved().story
        assert len(story.plans) == 4
        assert [(k.plan, k.versus, k.beside) for k in story.keyframes] == [(0, 1, (2, 3))] * 2


def test_of_several_the_pair_that_lists_are_about_is_overlaid(qtbot: QtBot) -> None:
    document = two_plans()
    more_plans(document, 1)
    with window_on(qtbot, document) as window:
        window.state.set_pair(2, 0)
        window.columns.set_mode("over")
        rest(qtbot, window)
        graph = window.state.plans[0].problem.graph
        moved = compare([window.state.plans[0], window.state.plans[2]]).moved(1)
        stayed = np.setdiff1d(np.arange(graph.n), moved)
        assert len(moved) and len(stayed)
        window.state.select(stayed[:1])
        assert not captured(window, Draft(), "overlay").keyframe.highlight, "what moved stands out"
        window.state.select(np.sort(np.append(moved[:1], stayed[:1])))
        pane = window.columns.current
        assert isinstance(pane, OverlayPane)
        pane.fade.set_share(0.25)
        draft = Draft()
        frame = captured(window, draft, "overlay")
        assert frame.versus is not None and not frame.beside
        assert (frame.versus.plan.name, frame.shown.plan.name) == (
            window.state.plans[0].name,
            window.state.plans[2].name,
        )
        assert frame.keyframe.highlight == (graph.op_ids[moved[0]],)
        assert frame.keyframe.share == 0.25 and frame.keyframe.camera is None
        caption = frame.keyframe.caption
        assert "A has them; in B" in caption and "C" not in caption, "in the keyframe the two are A and B"
        window.linking.zoom_to_ops(np.array([1]))
        assert captured(window, draft, "overlay").keyframe.camera is not None
        draft.add(frame)
        assert Show(draft.resolved(), LIGHT, (320, 200)).image(3.0).width() == 320


def test_what_is_folded_in_the_columns_is_captured(qtbot: QtBot) -> None:
    document = two_plans()
    with window_on(qtbot, document) as window:
        document.fold_all()
        rest(qtbot, window)
        draft = Draft()
        for how, names in (("side-by-side", 4), ("overlay", 4), ("sankey", 0)):
            keyframe = captured(window, draft, how).keyframe
            assert len(keyframe.folded) == names
            draft.add(captured(window, draft, how))
        assert [group.name for group in draft.frames[0].keyframe.folded] == [
            "block0",
            "block1",
            "block2",
            "block3",
        ]
        show = Show(draft.resolved(), LIGHT, (640, 400))
        shot = show.shots.shot(1)
        assert isinstance(shot, OverlayShot) and shot.over.first.items.count == 4


def test_what_is_captured_is_in_front(qtbot: QtBot) -> None:
    with window_on(qtbot, two_plans()) as window:
        window.actions_set["view.focus_flows"].trigger()
        rest(qtbot, window)
        assert shown_comparison(window) == "sankey"
        window.docks.reveal("moved")  # by its tab: the keyboard stays behind it
        rest(qtbot, window)
        assert shown_comparison(window) == "side-by-side"


def test_a_click_on_a_tab_is_as_one_inside_the_panel(qtbot: QtBot) -> None:
    with window_on(qtbot, two_plans()) as window:
        for id, comparison in (("flows", "sankey"), ("schedules", "schedules"), ("figures", "side-by-side")):
            title = window.docks.docks[id].windowTitle()
            bar = next(bar for bar in tab_bars(window) if title in tabs_of(bar) and bar.isVisible())
            at = next(i for i in range(bar.count()) if bar.tabText(i) == title)
            QTest.mouseClick(bar, Qt.MouseButton.LeftButton, pos=bar.tabRect(at).center())
            rest(qtbot, window)
            qtbot.waitUntil(lambda comparison=comparison: shown_comparison(window) == comparison)


def test_nothing_is_captured_where_nothing_is_compared(qtbot: QtBot) -> None:
    with window_on(qtbot, two_plans()) as window:
        assert window.studio is None
        window.capture()  # nobody tells a story of it
        assert not window.actions_set["story.capture"].isEnabled()
        assert not window.actions_set["story.present"].isEnabled()
        window.state.set_sources(window.state.sources[:1])
        with pytest.raises(StageboardError, match="there is nothing to capture: choose two plans"):
            captured(window, Draft(), "overlay")


# ---------------------------------------------------------------------- with the main window
@pytest.fixture(name="windows")
def _windows() -> Generator[list[QWidget]]:
    made: list[QWidget] = []
    yield made
    for window in made:
        window.close()
    settle()


def test_capturing_goes_into_the_story_of_the_main_window(qtbot: QtBot, windows: list[QWidget]) -> None:
    document = two_plans()
    main, close = make_window(qtbot, document)
    later = next(entry for entry in document.plans if entry.name == "later")
    compare = open_comparison(main, [later])
    windows.append(compare)
    rest(qtbot, compare)
    for action, way in (
        ("story.capture", "side-by-side"), ("story.capture.flows", "sankey"), ("story.capture.schedules", "schedules"),
    ):  # fmt: skip
        compare.actions_set[action].trigger()
        frame = main.studio.draft.frame
        assert frame is not None and frame.keyframe.comparison == way
        assert "Captured “" in compare.notice.text
    offered = ("story.present", "story.present_here", "story.present_notes")
    assert all(compare.actions_set[action].isEnabled() for action in offered)
    editor = main.studio.panel.editor
    assert editor.view.currentText() == "Schedules Compared"
    # Another view of the same: on one canvas; then the plan alone.
    for view, shown in (("overlay", "comparison"), ("lanes", "lanes"), ("sankey", "comparison")):
        editor.view.setCurrentIndex(editor.view.findData(view))
        editor.view.activated.emit(editor.view.currentIndex())
        frame = main.studio.draft.frame
        assert frame is not None and frame.versus is not None
        assert (frame.keyframe.view, frame.keyframe.comparison) == (shown, view if shown != view else "")
    assert frame.keyframe.layout == "lanes", "as it was seen before"
    main.studio.draft.undo_stack.undo()
    assert editor.view.currentText() == "Lanes"
    main.studio.draft.undo_stack.setClean()
    close()
    settle()
    windows.clear()


def test_with_plan_files_is_with_the_plan_on_the_canvas(
    qtbot: QtBot, windows: list[QWidget], tmp_path: Path
) -> None:
    document = two_plans()
    main, close = make_window(qtbot, document)
    assert document.problem is not None and document.active is not None
    files = []
    for i in range(5):
        device_of = document.device_of.copy()
        device_of[-1 - i :] = 0
        files.append(
            write_plan(
                tmp_path / f"p{i}.plan.json",
                document.problem.plan(device_of, Provenance("slice"), f"file {i}" if i > 1 else ""),
            )
        )
    compare = open_with_canvas(main, files[:3])
    windows.append(compare)
    rest(qtbot, compare)
    assert [plan.name for plan in compare.state.plans] == [
        document.active.name,
        "p0 (slice)",
        "p1 (slice)",
        "file 2",
    ]
    assert not compare.notice.isVisible()
    again = open_with_canvas(main, files)
    assert again is compare
    rest(qtbot, compare)
    assert len(compare.state.plans) == 4
    assert compare.notice.level == "warning"
    assert compare.notice.text.casefold() == (
        "p3.plan.json and p4.plan.json are left out: at most 4 plans are compared at once, and a is the plan on the canvas,"
        f" “{document.active.name.casefold()}”"
    )
    with pytest.raises(StageboardError):
        open_with_canvas(main, [tmp_path / "none.json"])
    close()
    settle()
    windows.clear()
