"""A whole window for tests, and a stand-in for the canvas where its drawing does not matter."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager

import numpy as np
from PySide6.QtCore import QEvent, QPoint, Signal
from PySide6.QtWidgets import QApplication, QMessageBox, QWidget
from pytestqt.qtbot import QtBot

from gui.background.jobs import Jobs
from gui.document.plan.document import Document
from gui.document.proven_here import PROVEN
from gui.editors.plan.body import CanvasFactory
from gui.editors.plan.editor import MainWindow
from gui.look.theme import LIGHT, Theme, ThemeController
from gui.panels.base import Panel
from gui.shell.session import Session
from gui.shell.window import EditorWindow
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.pipeline.target import Pipeline
from tests.gui.models import chain_graph, tpu_graph


class PlainCanvas(QWidget):
    """What the window asks of a canvas; remembers what it was asked."""

    view_changed = Signal(str)
    colouring_changed = Signal(str)
    scene_changed = Signal()
    viewport_changed = Signal()
    earlier_changed = Signal()
    earlier = None
    busy = False
    context_menu = Signal(QPoint, int)
    card_clicked = Signal()
    left_alone = Signal()

    def __init__(self, document: Document, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.view, self.colouring = "flow", "stage"
        self.scene: object | None = None
        self.theme = theme
        self.asked: list[tuple[str, object]] = []
        self.highlight: np.ndarray | None = None
        self.drop_targets: list[object] = []
        self.setFocusPolicy(self.focusPolicy().StrongFocus)

    def set_view(self, view: str) -> None:
        self.view = view
        self.view_changed.emit(view)

    def set_colouring(self, colouring: str) -> None:
        self.colouring = colouring
        self.colouring_changed.emit(colouring)

    def set_theme(self, theme: Theme) -> None:
        self.theme = theme

    def set_highlight(self, mask: np.ndarray | None, fade_all: bool = False) -> None:
        self.highlight = mask

    def in_sight(self) -> None:
        """All of the graph is in sight."""

    def set_reduced_motion(self, reduced: bool) -> None:
        self.asked.append(("reduced", reduced))

    def set_repairing(self, repairing: object) -> None:
        self.asked.append(("repairing", None))

    def add_drop_target(self, target: object) -> None:
        self.drop_targets.append(target)

    def fit(self) -> None:
        self.asked.append(("fit", None))

    def zoom_by(self, factor: float) -> None:
        self.asked.append(("zoom", factor))

    def zoom_to_ops(self, ops: np.ndarray) -> None:
        self.asked.append(("ops", np.asarray(ops).tolist()))

    def go_back(self) -> None:
        self.asked.append(("back", None))

    def reveal(self, op: int) -> None:
        self.asked.append(("reveal", op))

    def reveal_lane(self, device: int) -> None:
        self.asked.append(("lane", device))

    def close_canvas(self) -> None:
        self.asked.append(("close", None))


def know_little(document: Document) -> None:
    """Forget what was proven when a small model was opened, but for the simple bound, so that something is left to prove."""
    board = document.board
    PROVEN.forget()
    simple = [bound for bound in board.bounds if bound.method == "simple"]
    board.bounds = []
    board.add_bounds(simple)
    document.readouts_changed.emit()


def opened(n: int = 12, count: int = 3) -> Document:
    """A document with a small pipeline open, ops cut evenly, of which little is known."""
    document = Document()
    document.open_graph(chain_graph(n), target=Pipeline(count=count))
    know_little(document)
    document.set_assignment(np.arange(n) * count // n, "edit", "even")
    document.undo_stack.setClean()
    return document


def opened_on_tpus(objective: str = "memory-1-2-3", cache: float = 2 * 2**20) -> Document:
    """A document with a small Edge TPU pipeline open: two ops on the first two stages each, the rest on the last."""
    document = Document()
    document.open_graph(tpu_graph(), target=EdgeTpuPipeline(3, cache=cache))
    document.set_problem(EdgeTpuPipeline(3, cache=cache), objective)
    know_little(document)
    document.set_assignment(np.array([0, 0, 1, 2, 2, 2], np.int32), "edit", "uneven")
    document.undo_stack.setClean()
    return document


@contextmanager
def shown(qtbot: QtBot, widget: QWidget, width: int = 300, height: int = 500) -> Generator[None]:
    """A panel on screen until the block ends."""
    qtbot.addWidget(widget)
    widget.resize(width, height)
    widget.show()
    qtbot.waitExposed(widget)
    settle()
    yield


def answer(window: EditorWindow, button: QMessageBox.StandardButton) -> None:
    """Answer what is asked about unsaved work."""
    question = window.closing.question
    assert question is not None, "nothing is asked"
    question.button(button).click()
    settle()


def settle() -> None:
    """Deliver what is queued, panels' own refreshes included."""
    for _ in range(3):
        QApplication.processEvents()
    for _ in range(200):  # panels that take long are refreshed one in a turn
        windows = QApplication.topLevelWidgets()
        if not any(one._later.waiting for window in windows for one in window.findChildren(Panel)):
            break
        QApplication.processEvents()


def make_window(
    qtbot: QtBot,
    document: Document | None = None,
    session: Session | None = None,
    size: tuple[int, int] = (1280, 800),
    canvas_factory: CanvasFactory = PlainCanvas,
) -> tuple[MainWindow, Callable[[], None]]:
    """A window with a plain canvas, unless another is asked for, and a function that closes it and frees everything."""
    document = document or Document()
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    themes = ThemeController(app, "light")
    jobs = Jobs(document, document)
    window = MainWindow(document, jobs, themes, session, canvas_factory=canvas_factory)
    window.resize(*size)
    window.show()
    qtbot.waitExposed(window)
    settle()

    def close() -> None:
        document.undo_stack.setClean()
        window.closing.surely = True
        window.close()
        window.deleteLater()
        document.deleteLater()
        themes.deleteLater()
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)

    return window, close


__all__ = ["LIGHT", "PlainCanvas", "answer", "make_window", "opened", "opened_on_tpus", "settle", "shown"]
