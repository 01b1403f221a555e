"""One person's way through the window, with real mouse and key events from opening a model to reopening the plan."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from gui.editors.plan.windows import Parts, make_window
from gui.look.page import PRESETS
from gui.look.theme import DARK
from gui.shell.host import show_editor
from gui.shell.picture_dialog import PictureDialog
from planner.model.graph import Ints
from tests.gui.present.slides import written_in

SAMPLE = Path(__file__).parents[2] / "sample_models" / "resnet50.json"
LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


@pytest.fixture(params=["alone", "tab"])
def parts(request: pytest.FixtureRequest, qapp: QApplication) -> Parts:
    """An empty editor, alone or as the second tab of a window."""
    all_made = [make_window(qapp, theme="light", remember=False) for _ in range(1 + (request.param == "tab"))]
    for before, one in zip([None, *all_made], all_made, strict=False):
        show_editor(one.window, None if before is None else before.window)
    made = all_made[-1]
    window = made.window.window()
    window.resize(1280, 800)
    made.window.set_reduced_motion(True)
    window.activateWindow()
    QTest.qWaitForWindowActive(window)
    yield made
    for one in reversed(all_made):
        one.close()


def middle(parts: Parts, op: int) -> QPoint:
    """The middle of an op's card on the canvas."""
    return parts.window.canvas.op_rect(op).center().toPoint()


def drag(parts: Parts, start: QPoint, end: QPoint) -> None:
    """Press, move in steps, release: on the canvas."""
    canvas = parts.window.canvas
    QTest.mousePress(canvas, LEFT, NONE, start)
    for share in (0.2, 0.6, 1.0):
        QTest.mouseMove(canvas, start + (QPointF(end - start) * share).toPoint())
    assert parts.document.preview is not None
    QTest.mouseRelease(canvas, LEFT, NONE, end)


def lane(parts: Parts, device: int) -> QPoint:
    """A place on a device's lane."""
    return parts.window.canvas.lane_rect(device).center().toPoint()


def opened(parts: Parts, qtbot: QtBot) -> None:
    """Open the sample as a drop on the window would."""
    parts.window.files.open_files([SAMPLE])
    qtbot.waitUntil(lambda: parts.document.graph is not None, timeout=60_000)
    qtbot.waitUntil(lambda: parts.window.canvas.scene is not None, timeout=30_000)


def undo(parts: Parts, qtbot: QtBot) -> None:
    """Ctrl+Z, once the window has taken notice of the last step."""
    qtbot.wait(30)
    QTest.keyClick(parts.window.canvas, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)


def last_of(parts: Parts, device: int) -> int:
    """The op of a device that comes last in topological order."""
    graph = parts.document.graph
    assert graph is not None
    own: Ints = graph.topological_order[parts.document.device_of[graph.topological_order] == device]
    return int(own[-1])


def test_journey(parts: Parts, qtbot: QtBot, tmp_path: Path) -> None:
    window, document, canvas = parts.window, parts.document, parts.window.canvas
    opened(parts, qtbot)
    assert document.graph is not None
    assert document.evaluation.valid
    assert not document.modified

    # Look at the lanes, select an op with a click.
    QTest.keyClick(canvas, Qt.Key.Key_L)
    assert canvas.view == "lanes"
    op = last_of(parts, 0)
    QTest.mouseClick(canvas, LEFT, NONE, middle(parts, op))
    assert document.selection.tolist() == [op]

    # Drag it to the next lane: legal, one undo step.
    start = document.device_of.copy()
    drag(parts, middle(parts, op), lane(parts, 1))
    assert document.device_of[op] == 1
    assert document.evaluation.valid
    assert document.modified

    # Drag an early op to the last lane: it asks; move anyway and see the violation.
    early = int(document.graph.topological_order[3])
    drag(parts, middle(parts, early), lane(parts, 3))
    choice = canvas.findChild(QPushButton, "moveAnyway")
    assert choice is not None
    assert choice.isVisible()
    QTest.mouseClick(choice, LEFT)
    assert document.device_of[early] == 3
    assert not document.evaluation.valid
    assert "sends back" in document.evaluation.violations[0].sentence
    assert "violation" in document.status_text

    # Undo both.
    undo(parts, qtbot)
    assert document.evaluation.valid
    undo(parts, qtbot)
    assert np.array_equal(document.device_of, start)

    # Pin an op where it is; it can no longer be dragged away.
    QTest.mouseClick(canvas, LEFT, NONE, middle(parts, op))
    qtbot.wait(30)
    QTest.keyClick(canvas, Qt.Key.Key_P)
    assert document.problem is not None
    assert len(document.problem.constraints) == 1
    assert document.check([op]).legal.tolist() == [True, False, False, False]

    # Plan in the background, watch the incumbents, and end with the best on the canvas.
    window.planners.choose("slice-random")
    job = window.planners.start()
    assert job is not None
    qtbot.waitUntil(lambda: job.state in ("done", "failed", "cancelled"), timeout=120_000)
    assert job.state == "done", job.text
    assert document.evaluation.valid
    entry = min((e for e in document.plans if e.valid), key=lambda e: e.objective)
    document.apply_plan(entry)
    assert document.evaluation.objective == pytest.approx(entry.objective, rel=1e-12)
    assert document.evaluation.objective <= job.objective * (1 + 1e-12)
    assert document.device_of[op] == 0

    # Save, reopen, same state.
    saved = tmp_path / "journey.json"
    document.save_plan(saved)
    assert not document.modified
    device_of, constraints = document.device_of.copy(), document.problem.constraints
    objective = document.evaluation.objective
    opened(parts, qtbot)
    window.files.open_files([saved])
    qtbot.waitUntil(lambda: document.plan_path is not None, timeout=30_000)
    assert np.array_equal(document.device_of, device_of)
    assert document.problem.constraints == constraints
    assert document.evaluation.objective == pytest.approx(objective, rel=1e-9)


def test_taking_neighbours_along_is_one_step(parts: Parts, qtbot: QtBot) -> None:
    """A drop that breaks the order can take the violating neighbours along."""
    opened(parts, qtbot)
    document, canvas = parts.document, parts.window.canvas
    QTest.keyClick(canvas, Qt.Key.Key_L)
    graph = document.graph
    assert graph is not None
    own = graph.topological_order[document.device_of[graph.topological_order] == 0]
    op = int(own[-4])
    before = document.device_of.copy()
    drag(parts, middle(parts, op), lane(parts, 1))
    along = canvas.findChild(QPushButton, "takeAlong")
    assert along is not None
    assert along.isVisible()
    QTest.mouseClick(along, LEFT)
    assert document.device_of[op] == 1
    assert document.evaluation.valid
    assert (document.device_of != before).sum() > 1
    undo(parts, qtbot)
    assert np.array_equal(document.device_of, before)


def focused() -> QWidget:
    """What has the keyboard."""
    widget = QApplication.focusWidget()
    assert widget is not None
    return widget


def press(qtbot: QtBot, key: Qt.Key, held: Qt.KeyboardModifier = NONE) -> None:
    """A key where the keyboard is, and a moment for the window to take notice."""
    QTest.keyClick(focused(), key, held)
    qtbot.wait(30)


def test_finding_and_walking_by_keyboard(parts: Parts, qtbot: QtBot) -> None:
    """What is typed lights up on the canvas; Return and F3 go through it, round and round; Esc ends it and gives the keyboard back."""
    window, document, canvas = parts.window, parts.document, parts.window.canvas
    opened(parts, qtbot)
    graph = document.graph
    assert graph is not None and canvas.scene is not None
    canvas.setFocus()
    press(qtbot, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    assert focused() is window.ops.find_box
    QTest.keyClicks(focused(), "kind:Conv* /block3/")
    qtbot.waitUntil(lambda: bool(canvas.scene is not None and canvas.scene.highlighted.any()))
    convolutions = [
        op for op in range(graph.n)
        if graph.kinds[op].startswith("Conv") and "block3" in graph.op_names[op]
    ]  # fmt: skip
    assert len(convolutions) > 6
    assert np.flatnonzero(canvas.scene.highlighted).tolist() == convolutions
    assert document.selection.tolist() == [], "nothing is selected while one types"

    walked = []
    for _ in convolutions:
        press(qtbot, Qt.Key.Key_Return)
        (op,) = document.selection.tolist()
        walked.append(op)
        qtbot.waitUntil(lambda: canvas.rect().intersects(canvas.op_rect(document.selection[0]).toRect()))
        assert f"{len(walked)} of {len(convolutions)}" in window.ops.count.text()
    assert sorted(walked) == convolutions
    press(qtbot, Qt.Key.Key_F3)
    assert document.selection.tolist() == walked[:1], "round and round"
    press(qtbot, Qt.Key.Key_F3, Qt.KeyboardModifier.ShiftModifier)
    assert document.selection.tolist() == walked[-1:]
    press(qtbot, Qt.Key.Key_Return, Qt.KeyboardModifier.AltModifier)
    assert sorted(document.selection.tolist()) == convolutions

    press(qtbot, Qt.Key.Key_Escape)
    assert focused() is canvas and window.ops.find_box.text() == ""
    qtbot.waitUntil(lambda: bool(canvas.scene is not None and not canvas.scene.highlighted.any()))
    press(qtbot, Qt.Key.Key_F3)
    assert window.ops.find_box.text() == "kind:Conv* /block3/", "of what was asked for last"
    assert len(document.selection) == 1 and document.selection[0] in convolutions
    press(qtbot, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    press(qtbot, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClicks(focused(), "conv1_conv -> conv2_block1_out")
    qtbot.waitUntil(lambda: bool(canvas.scene is not None and canvas.scene.faded.all()))
    assert ".*" in window.ops.trouble.text(), "paths are asked for in another way, and that is said"


@pytest.mark.parametrize(("preset", "down"), [("slide", 0), ("column", 1), ("poster", 2)])
def test_exporting_a_picture_with_a_preset(
    parts: Parts, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, preset: str, down: int
) -> None:
    """Ctrl+E, page and colours by keys, Return: the file has the size, the theme and the legend that were asked for."""
    window, document, canvas = parts.window, parts.document, parts.window.canvas
    opened(parts, qtbot)
    for suffix in (".png", ".svg"):
        window.window().activateWindow()  # as a window manager does when a dialog is gone
        QTest.qWaitForWindowActive(window.window())
        canvas.setFocus()
        press(qtbot, Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier)
        dialog = window.findChild(PictureDialog)
        assert isinstance(dialog, PictureDialog) and dialog.isVisible()
        assert dialog.view.currentText() == "Flow" and dialog.page.currentText() == "Slide, 16:9"
        for _ in range(down):
            QTest.keyClick(dialog.page, Qt.Key.Key_Down)
        QTest.keyClick(dialog.colours, Qt.Key.Key_Down)
        file = tmp_path / f"{preset}{suffix}"
        monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_, file=file: (str(file), ""))
        QTest.keyClick(dialog, Qt.Key.Key_Return)
        qtbot.waitUntil(file.exists)
        assert f"Wrote {file.name}" in window.notice.text
        qtbot.waitUntil(lambda: window.findChild(PictureDialog) is None)
    page, image = PRESETS[preset], QImage(str(tmp_path / f"{preset}.png"))
    assert image.width() == page.pixels[0]
    assert image.height() == page.pixels[1] or (page.crop and image.height() < page.pixels[1])
    assert image.pixelColor(2, 2).name() == DARK.panel
    assert image.pixelColor(image.width() - 3, image.height() - 3).name() == DARK.canvas
    words = [line.words for line in written_in((tmp_path / f"{preset}.svg").read_bytes())]
    assert {"Stage 0", "Stage 1", "Stage 2", "Stage 3", "bottleneck"} <= set(words)
    assert document.title in " ".join(words)
