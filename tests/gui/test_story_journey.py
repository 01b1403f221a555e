"""From three saved plans to a talk, with real mouse and key events: compare, cherry-pick, race, record, present, export, reopen."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
from collections.abc import Callable, Generator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QImageReader
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget
from pytestqt.qtbot import QtBot

from gui.editors.comparison.editor import CompareWindow
from gui.editors.plan.windows import Parts, make_window
from gui.present.window import PresenterWindow
from gui.shell.host import show_editor
from gui.tools.story.frames import Frame
from planner.formats import read_model
from planner.machines.spec import default_target
from planner.plan_files.plan_json import write_plan
from planner.problem.problem import Plan, Problem
from planner.problem.provenance import Provenance
from planner.story.files.json import read_story
from planner.story.story import Story
from tests.gui.models import write_model

LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
CTRL, SHIFT, ALT = (
    Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.AltModifier,
)  # fmt: skip
K = Qt.Key
N = 24
MOVED, OTHERS = 11, (16, 17)
"""The op that ``one moved`` has elsewhere than ``halves`` (its stages also change names); two more in ``three moved``."""
FIELD = {"dpl", "ideals-dp", "local-search", "slice-random"}


def windows(qapp: QApplication) -> Generator[Callable[[], Parts]]:
    """What makes shown windows, which are closed in the end."""
    made: list[Parts] = []

    def one() -> Parts:
        parts = make_window(qapp, theme="light", remember=False)
        made.append(parts)
        show_editor(parts.window)
        parts.window.window().resize(1280, 800)
        parts.window.set_reduced_motion(True)
        activate(parts.window.window())
        return parts

    yield one
    for parts in made:
        parts.window.studio.draft.undo_stack.setClean()
        parts.close()


@pytest.fixture
def make(qapp: QApplication) -> Generator[Callable[[], Parts]]:
    yield from windows(qapp)


def activate(window: QWidget) -> None:
    window.activateWindow()
    assert QTest.qWaitForWindowActive(window)


def focused() -> QWidget:
    """What has the keyboard."""
    focus = QApplication.focusWidget()
    assert focus is not None
    return focus


def press(key: Qt.Key, modifier: Qt.KeyboardModifier = NONE) -> None:
    """A key where the keyboard is."""
    QTest.keyClick(focused(), key, modifier)


def type_in(text: str) -> None:
    """Type over what is there."""
    press(K.Key_A, CTRL)
    QTest.keyClicks(focused(), text)


def tab_to(widget: QWidget, modifier: Qt.KeyboardModifier = NONE) -> None:
    """Press Tab, or Shift+Tab, until a widget has the keyboard."""
    for _ in range(20):
        if widget.hasFocus():
            return
        press(K.Key_Backtab if modifier else K.Key_Tab, modifier)
    raise AssertionError(f"Tab does not reach {widget.accessibleName() or widget}")


def click(widget: QWidget, at: QPoint | None = None, modifier: Qt.KeyboardModifier = NONE) -> None:
    """A click of the left button that can be made: on what is visible and enabled."""
    assert widget.isVisible()
    assert widget.isEnabled()
    QTest.mouseClick(widget, LEFT, modifier, at or widget.rect().center())


def write_plans(model: Path) -> list[Path]:
    """Three saved plans of the model; the last is the worst."""
    problem = Problem(read_model(model), default_target(read_model(model)))
    halves = np.repeat([0, 1, 2], [N // 2, N // 4, N // 4]).astype(np.int32)
    moved = halves.copy()
    moved[MOVED] = 1
    renamed = np.array([1, 0, 2, 3], np.int32)[moved]
    further = moved.copy()
    further[list(OTHERS)] = 2
    written = []
    for name, device_of in (("one moved", renamed), ("three moved", further), ("halves", halves)):
        assert problem.evaluate(device_of).valid, name
        path = model.parent / f"{name.replace(' ', '_')}.plan.json"
        write_plan(path, problem.plan(device_of, Provenance("found"), name), ())
        written.append(path)
    return written


def places(frame: Frame) -> list[int]:
    """The devices of a keyframe's plan."""
    plan = frame.shown.plan
    assert isinstance(plan, Plan)
    return plan.decision.device_of.tolist()


def choose_files(monkeypatch: pytest.MonkeyPatch, *paths: Path) -> None:
    """What the next dialog answers."""
    names = [str(path) for path in paths]
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_: (names, ""))
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (names[0], ""))
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (names[0], ""))


def test_journey(
    make: Callable[[], Parts], qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = write_model(tmp_path, N)
    plans = write_plans(model)
    parts = make()
    open_three_plans(parts, qtbot, monkeypatch, model, plans)
    compare_and_pick(parts, qtbot)
    race(parts, qtbot)
    record(parts, qtbot)
    present(parts, qtbot)
    saved = tmp_path / "talk.story.json"
    choose_files(monkeypatch, saved)
    press(K.Key_S, CTRL | ALT)
    assert not parts.window.studio.unsaved
    export(parts, qtbot, monkeypatch, tmp_path, read_story(saved))
    reopen(make(), qtbot, monkeypatch, saved, parts)


# ---------------------------------------------------------------------- the steps
def open_three_plans(
    parts: Parts, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, model: Path, plans: list[Path]
) -> None:
    """Ctrl+O the model, Ctrl+Shift+O three plans: the list has them all."""
    document, window = parts.document, parts.window
    choose_files(monkeypatch, model)
    QTest.keyClick(window, K.Key_O, CTRL)
    qtbot.waitUntil(lambda: document.graph is not None and window.canvas.scene is not None, timeout=60_000)
    choose_files(monkeypatch, *plans)
    press(K.Key_O, CTRL | SHIFT)
    assert [entry.name for entry in document.plans][-3:] == ["one moved", "three moved", "halves"]
    assert document.active is document.plans[-1]


def compare_and_pick(parts: Parts, qtbot: QtBot) -> None:
    """Three rows of the list by mouse, Compare; the op that moved by key and in the list; into A, and back."""
    window, document = parts.window, parts.document
    window.docks.docks["plans"].raise_()
    rows = window.plans.list
    qtbot.waitUntil(lambda: rows.isVisible() and window.plans.model.rowCount() == len(document.plans))
    for i, name in enumerate(("one moved", "halves", "three moved")):
        row = next(
            row for row in range(window.plans.model.rowCount())
            if window.plans.model.index(row, 0).data() == name
        )  # fmt: skip
        place = rows.visualRect(window.plans.model.index(row, 0)).center()
        assert rows.viewport().rect().contains(place)
        click(rows.viewport(), place, CTRL if i else NONE)
    click(window.plans.compare_button)
    compare = next(one for one in QApplication.allWidgets() if isinstance(one, CompareWindow))
    qtbot.waitUntil(compare.isVisible)
    activate(compare.window())
    state = compare.state

    def rest() -> None:
        qtbot.waitUntil(lambda: compare.settled, timeout=20_000)

    rest()
    assert [plan.name for plan in state.plans] == ["halves", "one moved", "three moved"], (
        "what is on the canvas comes first"
    )
    assert compare.strip.count.text() == f"A and B differ in 1 op of {N}", (
        "a stage that is called otherwise is no difference"
    )

    # The op that moved: by the key of the next difference, and as the only row of the list.
    press(K.Key_N)
    rest()
    assert state.selection.tolist() == [MOVED]
    press(K.Key_1, CTRL)
    assert compare.moved.table.hasFocus() or compare.moved.find_box.hasFocus()
    assert compare.moved.model.rowCount() == 1
    assert compare.moved.model.op(0) == MOVED

    # Into A: the bar says before what it gives, the button does it.
    assert state.comparison is not None
    before, steps = document.device_of.copy(), document.undo_stack.index()
    a, b = (state.comparison.figures(i).objective for i in (0, 1))
    assert b < a
    assert compare.pick_bar.rules.text() == "rules hold"
    click(compare.pick_bar.take)
    rest()
    assert document.undo_stack.index() == steps + 1
    assert document.evaluation.valid
    assert document.evaluation.objective == pytest.approx(b, rel=1e-12)
    assert compare.strip.count.text() == "A and B are the same plan"
    assert "rules hold" in compare.notice.text or "Took" in compare.notice.text

    # One step back.
    press(K.Key_Z, CTRL)
    rest()
    assert document.undo_stack.index() == steps
    assert np.array_equal(document.device_of, before)
    assert compare.strip.count.text().startswith("Difference 1 of 1: 1 op, "), "it is selected still"

    # All that the third plan has elsewhere, by keys alone; and back again.
    third = compare.columns.panes[2]
    for _ in range(4):
        if not third.hasFocus():
            press(K.Key_F6)
    assert third.hasFocus()
    press(K.Key_A, CTRL)
    rest()
    assert state.shown == (2, 0)
    assert state.selection.tolist() == [MOVED, *OTHERS]
    press(K.Key_T)
    rest()
    assert document.evaluation.objective == pytest.approx(state.comparison.figures(2).objective, rel=1e-12)
    assert compare.strip.count.text() == "A and C are the same plan"
    press(K.Key_Z, CTRL)
    rest()
    assert document.undo_stack.index() == steps
    assert np.array_equal(document.device_of, before)
    press(K.Key_W, CTRL)
    assert not compare.isVisible()
    qtbot.waitUntil(window.isVisible)  # its tab is in front again


def race(parts: Parts, qtbot: QtBot) -> None:
    """Four planners, chosen by keys, to 5 %; the winner's plan is on the canvas as one undo step."""
    window, document = parts.window, parts.document
    activate(window.window())
    before, steps = document.device_of.copy(), document.undo_stack.index()
    QTest.keyClick(window.canvas, K.Key_R, CTRL | SHIFT)
    panel = window.race
    assert panel.go.hasFocus()
    tab_to(panel.setup_button)
    press(K.Key_Space)
    methods = panel.setup.methods
    tab_to(methods)
    press(K.Key_Home)
    for row in range(methods.count()):
        item = methods.item(row)
        if not item.flags() & Qt.ItemFlag.ItemIsUserCheckable:
            continue
        for _ in range(methods.count()):
            if methods.currentRow() == row:
                break
            press(K.Key_Down)
        assert methods.currentRow() == row, "every method is reached by Down"
        name, is_bound = item.data(Qt.ItemDataRole.UserRole)
        if (item.checkState() == Qt.CheckState.Checked) != (name in FIELD and not is_bound):
            press(K.Key_Space)
    assert {name for name, _ in methods.chosen()} == FIELD
    tab_to(panel.setup.limits.fields["gap"])
    type_in("5")
    tab_to(panel.setup_button, SHIFT)
    press(K.Key_Space)
    tab_to(panel.go, SHIFT)
    assert "4 planners" in panel.go.toolTip()
    assert "to a gap of 5 %" in panel.go.toolTip()
    press(K.Key_Space)
    assert panel.racing.running
    qtbot.waitUntil(lambda: panel.racing.settled, timeout=120_000)
    assert panel.course is not None
    assert panel.course.outcome in ("gap", "proven"), panel.says.text()
    winner = panel.course.leader
    assert winner is not None
    assert document.active is winner.entry
    assert document.evaluation.valid
    assert document.gap is not None
    assert document.gap <= 0.05
    assert not np.array_equal(document.device_of, before)
    assert document.undo_stack.index() == steps + 1
    qtbot.waitUntil(lambda: winner.title in panel.says.text(), timeout=5_000)
    press(K.Key_Z, CTRL)
    assert np.array_equal(document.device_of, before)
    press(K.Key_Y, CTRL)
    assert document.active is winner.entry


def record(parts: Parts, qtbot: QtBot) -> None:
    """Record; an op is dragged to another lane; the other view; stop: three keyframes."""
    window, document, studio = parts.window, parts.document, parts.window.studio
    canvas = window.canvas
    canvas.setFocus()
    press(K.Key_L)
    qtbot.waitUntil(lambda: canvas.view == "lanes" and not canvas.animating, timeout=10_000)
    press(K.Key_R, CTRL | ALT)
    qtbot.waitUntil(studio.panel.record.isVisible)
    assert studio.recorder.recording
    assert canvas.hasFocus(), "the keyboard stays where the work is"
    frames = studio.draft

    graph = document.graph
    assert graph is not None
    first = int(document.device_of[graph.topological_order[0]])
    own = graph.topological_order[document.device_of[graph.topological_order] == first]
    op = int(own[-1])
    to = int(document.device_of[graph.topological_order[len(own)]])
    start, end = canvas.op_rect(op).center().toPoint(), canvas.lane_rect(to).center().toPoint()
    QTest.mousePress(canvas, LEFT, NONE, start)
    for share in (0.2, 0.6, 1.0):
        QTest.mouseMove(canvas, start + (QPointF(end - start) * share).toPoint())
    QTest.mouseRelease(canvas, LEFT, NONE, end)
    assert document.device_of[op] == to
    qtbot.waitUntil(lambda: len(frames.frames) == 2, timeout=20_000)
    press(K.Key_F)
    qtbot.waitUntil(lambda: len(frames.frames) == 3, timeout=20_000)
    click(studio.panel.record)
    assert not studio.recorder.recording
    assert [frame.keyframe.view for frame in frames.frames] == ["lanes", "lanes", "flow"]
    assert all(frame.keyframe.title and frame.keyframe.caption for frame in frames.frames)
    objectives = [frame.shown.plan.evaluation.objective for frame in frames.frames]
    assert objectives[0] != objectives[1] == objectives[2] == document.evaluation.objective

    # Less time for each than usual, by keys; then the story's name.
    studio.panel.list.setFocus()
    press(K.Key_Home)
    for i in range(3):
        assert frames.current == i
        tab_to(studio.panel.editor.hold)
        type_in("1")
        tab_to(studio.panel.list, SHIFT)
        press(K.Key_Down)
    assert [frame.keyframe.hold for frame in frames.frames] == [1.0, 1.0, 1.0]
    click(studio.panel.name)
    type_in("From 142 to the best")
    assert frames.state.title == "From 142 to the best"


def present(parts: Parts, qtbot: QtBot) -> None:
    """F5, and the keys of somebody who speaks."""
    window = parts.window
    press(K.Key_F5)
    shows = [one for one in QApplication.topLevelWidgets() if isinstance(one, PresenterWindow)]
    assert len(shows) == 1
    show = shows[0]
    activate(show)
    assert show.isFullScreen()
    assert show.windowTitle().startswith("From 142 to the best")
    for key, at in ((K.Key_Right, 1), (K.Key_Right, 2), (K.Key_Left, 1), (K.Key_Home, 0)):
        QTest.keyClick(show, key)
        assert show.course.destination == at
        qtbot.waitUntil(lambda: show.course.resting, timeout=5_000)
        assert show.accessibleName().startswith(f"{at + 1} of 3: ")
    QTest.keyClick(show, K.Key_N)
    assert show.notes_shown
    with qtbot.waitSignal(show.closed):
        QTest.keyClick(show, K.Key_Escape)
    activate(window)


def export(parts: Parts, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, folder: Path, story: Story) -> None:
    """Every format by Ctrl+Alt+E; each file is what its name says."""
    has_ffmpeg = shutil.which("ffmpeg") is not None or importlib.util.find_spec("imageio_ffmpeg") is not None
    made = {}
    for suffix in (".pdf", ".html", ".gif", *((".mp4",) if has_ffmpeg else ())):
        path = made[suffix] = folder / f"talk{suffix}"
        choose_files(monkeypatch, path)
        qtbot.waitUntil(parts.window.actions_set["story.export"].isEnabled)
        press(K.Key_E, CTRL | ALT)
        qtbot.waitUntil(lambda: not parts.window.studio.exporting, timeout=120_000)
        assert path.is_file(), parts.window.notice.text
        assert str(path) in parts.window.notice.text or path.name in parts.window.notice.text
    slides = made[".pdf"].read_bytes()
    assert slides.startswith(b"%PDF-")
    assert len(re.findall(rb"/Type /Page\b", slides)) == len(story.keyframes) + 1, "and the certificate"
    page = made[".html"].read_text(encoding="utf-8")
    assert page.lower().startswith("<!doctype html>")
    assert '"theme":""' in page, "a page follows its reader's theme, whatever the window's is"
    assert all(keyframe.title in page for keyframe in story.keyframes)
    assert not re.search(r"""(?:src|href)\s*=\s*["']?(?:https?:)?//""", page), (
        "nothing is asked of another machine"
    )
    reader = QImageReader(str(made[".gif"]))
    assert reader.format().data() == b"gif"
    assert reader.imageCount() >= len(story.keyframes)
    if not has_ffmpeg:
        pytest.skip("neither ffmpeg nor imageio-ffmpeg (the extra 'video') is installed: no MP4 was made")
    from gui.present.export.video import ffmpeg

    said = subprocess.run(
        [ffmpeg(), "-hide_banner", "-i", str(made[".mp4"]), "-f", "null", "-"],
        check=False,
        capture_output=True,
        text=True,
    )
    assert said.returncode == 0, said.stderr
    assert "Video: h264" in said.stderr
    assert "1920x1080" in said.stderr
    found = re.search(r"Duration: (\d+):(\d+):(\d+\.\d+)", said.stderr)
    assert found is not None
    seconds = sum(float(part) * unit for part, unit in zip(found.groups(), (3600, 60, 1), strict=True))
    assert seconds == pytest.approx(story.duration, abs=0.1)


def reopen(parts: Parts, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, saved: Path, old: Parts) -> None:
    """A fresh window, the story alone: the same keyframes, plans and figures, and the first is on the canvas."""
    choose_files(monkeypatch, saved)
    window, draft = parts.window, parts.window.studio.draft
    QTest.keyClick(window, K.Key_P, CTRL | SHIFT)
    qtbot.waitUntil(window.palette_window.isVisible)
    QTest.keyClicks(focused(), "open story")
    press(K.Key_Return)
    qtbot.waitUntil(lambda: not window.studio.loading.busy and bool(draft.frames), timeout=60_000)
    before = old.window.studio.draft
    assert not window.studio.unsaved
    assert draft.state.title == before.state.title
    assert len(draft.frames) == len(before.frames)
    for one, other in zip(draft.frames, before.frames, strict=True):
        assert replace(one.keyframe, plan=0) == replace(other.keyframe, plan=0)
        assert places(one) == places(other)
        assert one.shown.plan.evaluation.objective == other.shown.plan.evaluation.objective
        assert {b.value for b in one.shown.bounds} == {b.value for b in other.shown.bounds}
    first = draft.frames[0].shown.plan
    assert parts.document.evaluation.objective == first.evaluation.objective
    assert parts.document.device_of.tolist() == places(draft.frames[0])
    qtbot.waitUntil(lambda: window.studio.panel.list.frames.rowCount() == 3, timeout=5_000)
