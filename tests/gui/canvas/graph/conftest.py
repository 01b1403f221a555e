"""A document on a shown canvas, driven by real mouse and key events."""

from __future__ import annotations

from collections.abc import Callable, Generator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from gui.canvas.graph.view import CanvasView
from gui.document.plan.document import Document
from gui.look.theme import LIGHT
from planner.machines.pipeline.target import Pipeline
from planner.model.graph import Graph
from tests.gui.models import chain_graph

LEFT, NO_BUTTON = Qt.MouseButton.LeftButton, Qt.MouseButton.NoButton
PLAIN = Qt.KeyboardModifier.NoModifier


class Hand:
    """A canvas with its document, and the hand on mouse and keyboard."""

    def __init__(self, view: CanvasView, document: Document) -> None:
        self.view, self.document = view, document

    def at(self, op: int) -> QPoint:
        """The middle of an op's card."""
        return self.view.op_rect(op).center().toPoint()

    def lane(self, device: int) -> QPoint:
        """A free place in a lane."""
        rect = self.view.lane_rect(device)
        return QPoint(int(rect.right()) - 4, int(rect.center().y()))

    def move(
        self, to: QPoint, held: Qt.MouseButton = NO_BUTTON, modifiers: Qt.KeyboardModifier = PLAIN
    ) -> None:
        """Move the pointer. QTest's own forgets buttons and modifiers that are held."""
        place = QPointF(to)
        event = QMouseEvent(
            QEvent.Type.MouseMove, place, QPointF(self.view.mapToGlobal(to)), NO_BUTTON, held, modifiers
        )
        QApplication.sendEvent(self.view, event)
        QApplication.processEvents()

    def press(
        self, at: QPoint, modifiers: Qt.KeyboardModifier = PLAIN, button: Qt.MouseButton = LEFT
    ) -> None:
        """Press a button."""
        self.move(at)
        QTest.mousePress(self.view, button, modifiers, at)

    def carry(self, start: QPoint, to: QPoint, modifiers: Qt.KeyboardModifier = PLAIN) -> None:
        """Press and drag without letting go."""
        self.press(start, modifiers)
        self.move(start + QPoint(12, 6), LEFT, modifiers)
        self.move((start + to) / 2, LEFT, modifiers)
        self.move(to, LEFT, modifiers)

    def release(
        self, at: QPoint, modifiers: Qt.KeyboardModifier = PLAIN, button: Qt.MouseButton = LEFT
    ) -> None:
        """Let go."""
        QTest.mouseRelease(self.view, button, modifiers, at)
        self.settle()

    def drag(self, start: QPoint, to: QPoint, modifiers: Qt.KeyboardModifier = PLAIN) -> None:
        """Press, drag and let go."""
        self.carry(start, to, modifiers)
        self.release(to, modifiers)

    def wheel(self, at: QPoint, steps: int, modifiers: Qt.KeyboardModifier = PLAIN) -> None:
        """Turn the wheel by notches."""
        event = QWheelEvent(
            QPointF(at), QPointF(self.view.mapToGlobal(at)), QPoint(), QPoint(0, 120 * steps), NO_BUTTON,
            modifiers, Qt.ScrollPhase.NoScrollPhase, False,
        )  # fmt: skip
        QApplication.sendEvent(self.view, event)
        QApplication.processEvents()

    def key(self, key: Qt.Key, modifiers: Qt.KeyboardModifier = PLAIN) -> None:
        """Press and release a key on what has the focus, the canvas by default."""
        QTest.keyClick(QApplication.focusWidget() or self.view, key, modifiers)
        QApplication.processEvents()

    def settle(self) -> None:
        """Wait until no layout is made and nothing glides."""
        for _ in range(2000):
            QApplication.processEvents()
            if not self.view.busy and not self.view.animating:
                return
            QTest.qWait(1)
        raise AssertionError("the canvas does not come to rest")

    def lanes(self) -> None:
        """Show the lanes view and wait."""
        self.view.set_view("lanes")
        self.settle()

    @property
    def devices(self) -> list[int]:
        """Where the ops are."""
        return self.document.device_of.tolist()

    @property
    def steps(self) -> int:
        """Steps on the undo stack."""
        return self.document.undo_stack.count()


MakeHand = Callable[..., Hand]


@pytest.fixture
def make_hand(qtbot, own_settings: Path) -> Generator[MakeHand]:
    """``make_hand(graph, target, size)``: a canvas on a document. Closed, with its threads and timers, afterwards."""
    made: list[Hand] = []

    def make(graph: Graph | None = None, target: object = None, size: tuple[int, int] = (900, 600)) -> Hand:
        document = Document()
        if graph is not None:
            document.open_graph(graph, target=target)  # type: ignore[arg-type]
        view = CanvasView(document, LIGHT)
        qtbot.addWidget(view)
        view.resize(*size)
        view.show()
        qtbot.waitExposed(view)
        view.setFocus()
        made.append(Hand(view, document))
        made[-1].settle()
        return made[-1]

    yield make
    for hand in made:
        hand.view.close_canvas()
        hand.document.deleteLater()


@pytest.fixture
def hand(make_hand: MakeHand) -> Hand:
    """Twelve ops of a chain with skips on a pipeline of three blocks, four on each."""
    hand = make_hand(chain_graph(12), Pipeline(3))
    hand.document.set_assignment(np.repeat(np.arange(3, dtype=np.int32), 4), "edit", "thirds")
    hand.document.undo_stack.clear()
    hand.settle()
    return hand
