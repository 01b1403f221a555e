"""One person's way through the window, with real mouse and key events from opening a model to reopening the plan."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from gui.editors.plan.windows import Parts, make_window
from gui.shell.host import show_editor
from planner.model.graph import Ints

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
