"""GUI-thread CPU per frame of two linked canvases: pan, zoom, hover, select, blink, and every op on the move (``-m benchmarks compare``).

A shown compare window of 1600 x 900 gets real mouse events; both canvases paint through Qt's backing store, text and
antialiasing as shipped. A frame is everything from the event to the end of both paints.
"""

from __future__ import annotations

import sys
import time

import numpy as np
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QApplication

from benchmarks.canvas_bench import renumbered
from benchmarks.models import graph_of
from benchmarks.report import Figure, Timing, timed
from gui.document.plan.document import Document
from gui.editors.comparison.canvases.overlay import OverlayPane
from gui.editors.comparison.canvases.pane import PlanPane
from gui.editors.comparison.editor import CompareWindow
from gui.editors.comparison.state import entry_sources
from gui.look.theme import ThemeController
from planner.model.graph import Ints

SIZES = (177, 2012)
WIDTH, HEIGHT = 1600, 900
GOAL = 16.0
PATIENCE = 60.0
"""Wall seconds that a layout may take, however busy the machine is."""
NO_BUTTON, NO_KEYS = Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier


def shifted(document: Document) -> Ints:
    """The plan with a tenth of its ops on the next device."""
    problem = document.problem
    assert problem is not None
    after = document.device_of.copy()
    some = np.random.default_rng(2).choice(problem.graph.n, max(1, problem.graph.n // 10), replace=False)
    after[some] = (after[some] + 1) % len(problem.devices)
    return after


class Bench:
    """Two plans of one graph in a compare window, driven by events."""

    def __init__(self, size: int) -> None:
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        self.themes = ThemeController(app, "light")
        self.document = Document()
        self.document.open_graph(graph_of(size))
        self.document.add_plan(shifted(self.document), "shifted")
        self.window = CompareWindow(self.document, self.themes)
        self.window.resize(WIDTH, HEIGHT)
        self.window.compare(entry_sources(self.document.plans))
        self.window.set_reduced_motion(True)
        self.window.show()
        self.settle()

    def settle(self) -> None:
        """Wait for layouts, which others make beside the window, and paint. Raises :class:`TimeoutError` where none comes."""
        until = time.monotonic() + PATIENCE
        QApplication.processEvents()
        while not self.window.settled:
            if time.monotonic() > until:
                raise TimeoutError(f"no layout in {PATIENCE:.0f} s")
            time.sleep(0.001)
            QApplication.processEvents()
        QApplication.processEvents()

    @property
    def pane(self) -> PlanPane:
        """The first canvas."""
        return self.window.columns.panes[0]

    def mouse(self, kind: QEvent.Type, at: QPointF, button: Qt.MouseButton, held: Qt.MouseButton) -> None:
        """One mouse event on the first canvas, then whatever it made necessary."""
        event = QMouseEvent(kind, at, self.pane.mapToGlobal(at), button, held, NO_KEYS)
        QApplication.sendEvent(self.pane, event)
        QApplication.processEvents()

    # ------------------------------------------------------------------ what is measured
    def pan(self, frames: int) -> Timing:
        """Dragging both pictures with the middle button."""
        at, middle = QPointF(200, 200), Qt.MouseButton.MiddleButton
        self.mouse(QEvent.Type.MouseButtonPress, at, middle, middle)

        def frame(i: int) -> None:
            self.mouse(QEvent.Type.MouseMove, at + QPointF(3 * (i % 40), 2 * (i % 40)), NO_BUTTON, middle)

        timing = timed(frame, frames)
        self.mouse(QEvent.Type.MouseButtonRelease, at, middle, NO_BUTTON)
        return timing

    def zoom(self, frames: int) -> Timing:
        """Turning the wheel, in and out again."""
        at = QPointF(300, 220)

        def frame(i: int) -> None:
            step = 120 if i % 20 < 10 else -120
            event = QWheelEvent(
                at, self.pane.mapToGlobal(at), QPoint(), QPoint(0, step), NO_BUTTON, NO_KEYS,
                Qt.ScrollPhase.NoScrollPhase, False,
            )  # fmt: skip
            QApplication.sendEvent(self.pane, event)
            QApplication.processEvents()

        return timed(frame, frames)

    def hover(self, frames: int) -> Timing:
        """The pointer goes from op to op: both canvases show its edges."""
        graph = self.document.graph
        assert graph is not None
        ops = np.linspace(0, graph.n - 1, frames + 2).astype(int)
        places = [self.pane.op_rect(int(op)).center() for op in ops]
        return timed(lambda i: self.mouse(QEvent.Type.MouseMove, places[i], NO_BUTTON, NO_BUTTON), frames)

    def step(self, frames: int) -> Timing:
        """The next difference: another op is selected in both, and all lists follow."""

        def frame(_: int) -> None:
            self.window.step(1)
            QApplication.processEvents()

        return timed(frame, frames)

    def blink(self, frames: int) -> Timing:
        """Frames of the fade from one plan to the other on one canvas."""
        self.window.columns.set_mode("over")
        self.settle()
        pane = self.pane
        assert isinstance(pane, OverlayPane)

        def frame(i: int) -> None:
            pane.fade.set_share(0.02 + 0.96 * ((i % 20) / 19))
            QApplication.processEvents()

        timing = timed(frame, frames)
        self.window.columns.set_mode("side")
        self.settle()
        return timing

    def move_all(self, frames: int) -> Timing:
        """Frames of a transition in which every op of both canvases is on its way."""
        panes = self.window.columns.panes
        ends = []
        rng = np.random.default_rng(1)
        for pane in panes:
            assert pane.scene is not None
            to = (pane.scene.layout.x.copy(), pane.scene.layout.y.copy())
            ends.append((tuple(at + rng.uniform(50, 300, len(at)) for at in to), to))

        def frame(i: int) -> None:
            share = (i % 20) / 20
            for pane, (start, to) in zip(panes, ends, strict=True):
                pane.show_places(*(a + (b - a) * share for a, b in zip(start, to, strict=True)))
            QApplication.processEvents()

        timing = timed(frame, frames)
        for pane, (_, to) in zip(panes, ends, strict=True):
            pane.show_places(*to)
        self.settle()
        return timing

    def recompare(self, frames: int) -> Timing:
        """An edit that moves every op of the live plan: it is compared, laid out and painted again."""

        def frame(_: int) -> None:
            self.document.set_assignment(renumbered(self.document), "edit", "renumber")
            self.settle()

        return timed(frame, frames, warm=1)

    def close(self) -> None:
        """Leave nothing behind."""
        self.window.close()
        self.window.deleteLater()
        self.document.deleteLater()
        self.themes.deleteLater()
        QApplication.processEvents()


def figure(timing: Timing, name: str, goal: float | None = GOAL) -> Figure:
    """Median CPU milliseconds, with the 95th percentile beside it."""
    note = f"p95 {np.percentile(timing.cpu, 95):.1f}, wall {np.median(timing.wall):.1f}"
    return Figure(name, timing.median, "ms", goal, note)


def measure(size: int, frames: int = 40) -> list[Figure]:
    """All figures of one size."""
    bench, figures = Bench(size), []
    for view in ("flow", "lanes"):
        bench.window.state.set_view(view)
        bench.settle()
        bench.window.linking.fit()
        bench.settle()
        where = f"{size:>5} ops, {view:<5}"
        figures.append(figure(bench.pan(frames), f"{where}  pan both"))
        bench.window.linking.fit()
        figures.append(figure(bench.zoom(frames), f"{where}  zoom both"))
        bench.window.linking.fit()
        bench.settle()
        figures.append(figure(bench.hover(frames), f"{where}  hover, both"))
        figures.append(figure(bench.step(frames), f"{where}  next difference, lists included", None))
        bench.window.linking.fit()
        figures.append(figure(bench.blink(frames), f"{where}  blink"))
        figures.append(figure(bench.move_all(frames), f"{where}  every op of both on the move"))
        figures.append(figure(bench.recompare(6), f"{where}  an edit of every op, compared again", None))
    bench.close()
    return figures


def run(sizes: tuple[int, ...] = SIZES) -> list[Figure]:
    """The figures of all sizes; needs a QApplication."""
    figures = []
    for size in sizes:
        print(f"  {size} ops ...", file=sys.stderr)
        figures += measure(size)
    return figures
