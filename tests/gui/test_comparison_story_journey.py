"""From two plans in order to a talk that compares them, with mouse and keys: compare, capture all four, present, save, reopen."""

from __future__ import annotations

from collections.abc import Callable, Generator
from pathlib import Path

import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gui.editors.comparison.canvases.overlay import OverlayPane
from gui.editors.comparison.editor import CompareWindow
from gui.editors.plan.windows import Parts
from gui.present.window import PresenterWindow
from planner.problem.problem import Plan
from planner.story.files.json import read_story
from planner.story.files.plans import resolve
from tests.gui.models import write_model
from tests.gui.test_story_journey import (
    ALT,
    CTRL,
    SHIFT,
    K,
    N,
    activate,
    choose_files,
    click,
    press,
    windows,
    write_plans,
)


@pytest.fixture
def make(qapp: QApplication) -> Generator[Callable[[], Parts]]:
    yield from windows(qapp)


def compare_in_order(
    parts: Parts, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, folder: Path
) -> CompareWindow:
    """Ctrl+O the model, Ctrl+Shift+O a plan; compare it with a plan file: the plan on the canvas is A."""
    model = write_model(folder, N)
    plans = write_plans(model)
    choose_files(monkeypatch, model)
    QTest.keyClick(parts.window, K.Key_O, CTRL)
    qtbot.waitUntil(lambda: parts.window.canvas.scene is not None, timeout=60_000)
    choose_files(monkeypatch, plans[2])
    press(K.Key_O, CTRL | SHIFT)
    assert parts.document.active is not None and parts.document.active.name == "halves"
    choose_files(monkeypatch, plans[1])
    parts.window.actions_set["compare.files"].trigger()
    compare = next(one for one in QApplication.allWidgets() if isinstance(one, CompareWindow))
    qtbot.waitUntil(compare.isVisible)
    activate(compare.window())
    qtbot.waitUntil(lambda: compare.settled, timeout=20_000)
    assert [plan.name for plan in compare.state.plans] == ["halves", "three moved"]
    assert compare.strip.count.text() == f"A and B differ in 3 ops of {N}"
    return compare


def test_journey(
    make: Callable[[], Parts], qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = make()
    studio = parts.window.studio
    compare = compare_in_order(parts, qtbot, monkeypatch, tmp_path)

    def rest() -> None:
        qtbot.waitUntil(lambda: compare.settled, timeout=20_000)

    # Side by side, by key.
    press(K.Key_K, CTRL | SHIFT)
    assert "Captured “three moved against halves” (Side by Side) as keyframe 1 of 1" in compare.notice.text
    # Overlaid in lanes: A alone, then both, by the buttons at the slider.
    press(K.Key_O)
    press(K.Key_L)
    rest()
    pane, bar = compare.columns.current, compare.columns.fade_bar
    assert isinstance(pane, OverlayPane) and bar is not None
    for button, share in ((bar.first, 0.0), (bar.second, 1.0), (bar.both, 0.5)):
        qtbot.waitUntil(button.isVisible, timeout=5_000)
        click(button)
        qtbot.waitUntil(lambda share=share: pane.fade.share == share, timeout=5_000)
        press(K.Key_K, CTRL | SHIFT)
    # Flows and schedules, which have the keyboard.
    for key, panel in ((K.Key_3, "flows"), (K.Key_4, "schedules")):
        press(key, CTRL)
        qtbot.waitUntil(lambda panel=panel: compare.docks.docks[panel].isVisible(), timeout=5_000)
        rest()
        press(K.Key_K, CTRL | SHIFT)
    frames = [frame.keyframe for frame in studio.draft.frames]
    assert [k.comparison for k in frames] == ["side-by-side", *["overlay"] * 3, "sankey", "schedules"]
    assert [(k.layout, k.share) for k in frames[:4]] == [
        ("flow", 1.0), ("lanes", 0.0), ("lanes", 1.0), ("lanes", 0.5),
    ]  # fmt: skip
    assert all(k.view == "comparison" for k in frames)
    assert [k.title for k in frames] == [
        "three moved against halves", "halves", "three moved", "Both on one canvas", "What goes from device to device",
        "On one time axis",
    ]  # fmt: skip
    assert frames[0].caption.endswith(f"; 3 of {N} ops are elsewhere.")
    assert len({id(one) for f in studio.draft.frames for one in (f.shown, f.versus)}) == 2

    # F5 from the comparison, and the keys of somebody who speaks.
    press(K.Key_F5)
    show = next(one for one in QApplication.topLevelWidgets() if isinstance(one, PresenterWindow))
    activate(show)
    for at in (1, 2, 3, 4, 5):
        QTest.keyClick(show, K.Key_Right)
        qtbot.waitUntil(lambda: show.course.resting, timeout=10_000)
        assert show.accessibleName().startswith(f"{at + 1} of 6: {frames[at].title}")
    with qtbot.waitSignal(show.closed):
        QTest.keyClick(show, K.Key_Escape)

    # Save with Ctrl+Alt+S, from the comparison; what was said is said there.
    activate(compare.window())
    compare.focus_canvas()
    saved = tmp_path / "compared.story.json"
    choose_files(monkeypatch, saved)
    press(K.Key_S, CTRL | ALT)
    assert not studio.unsaved and "saved as compared.story.json" in compare.notice.text
    story = read_story(saved)
    assert len(story.plans) == 2 and len(story.keyframes) == 6
    resolved = resolve(story, tmp_path)
    assert [plan.name for plan in resolved.plans] == ["three moved", "halves"]

    # "Show the story" brings the window of the plans forward.
    compare.actions_set["story.panel"].trigger()
    qtbot.waitUntil(studio.panel.isVisible, timeout=5_000)
    activate(compare.window())
    compare.close()

    # Reopen in another window: the panel says what each shows, and its first plan is on the canvas.
    again = make()
    choose_files(monkeypatch, saved)
    again.window.actions_set["story.open"].trigger()
    qtbot.waitUntil(lambda: len(again.window.studio.draft.frames) == 6, timeout=60_000)
    editor = again.window.studio.panel.editor
    qtbot.waitUntil(editor.isVisible, timeout=10_000)
    assert editor.view.currentText() == "Side by Side"
    first = again.window.studio.draft.frames[0]
    assert isinstance(first.shown.plan, Plan) and first.versus is not None
    assert (first.shown.plan.name, first.versus.plan.name) == ("three moved", "halves")
