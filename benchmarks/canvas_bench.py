"""GUI-thread CPU per frame of the canvas widget: pan, drag a hub, recolour all, move all (``-m benchmarks canvas``).

A shown CanvasView of 1280 x 800 gets real mouse events and paints through Qt's backing store, text and antialiasing as
shipped. A frame is everything from the event to the end of the paint.
"""

from __future__ import annotations

import sys

import numpy as np
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication

from benchmarks.models import graph_of
from benchmarks.report import Figure, Timing, timed
from gui.canvas.graph.minimap import Minimap
from gui.canvas.graph.view import CanvasView
from gui.document.plan.document import Document
from gui.look.theme import LIGHT
from planner.model.graph import Ints

SIZES = (177, 783, 2012, 20_000)
WIDTH, HEIGHT = 1280, 800


def goal_ms(size: int) -> float:
    """Milliseconds of CPU that a frame may take."""
    return 16.0 if size <= 2012 else 33.0


def renumbered(document: Document) -> Ints:
    """The plan with accelerators renumbered: every op on one changes its device, and every rule still holds."""
    problem = document.problem
    assert problem is not None
    moving = np.array(
        [d for d, device in enumerate(problem.devices) if device.kind == problem.devices[0].kind]
    )
    place = np.arange(len(problem.devices), dtype=np.int32)
    place[moving] = np.roll(moving, -1)
    return place[document.device_of]


class Bench:
    """One document on one canvas, driven by events."""

    def __init__(self, size: int) -> None:
        self.document = Document()
        self.document.open_graph(graph_of(size))
        self.view = CanvasView(self.document, LIGHT)
        self.minimap = Minimap(self.view)
        self.view.resize(WIDTH, HEIGHT)
        self.view.show()
        self.settle()

    def settle(self) -> None:
        """Wait for a layout that is being made and paint."""
        while self.view.busy:
            QApplication.processEvents()
        QApplication.processEvents()
        QApplication.processEvents()

    def show(self, view: str) -> None:
        """Change the view without a glide."""
        self.view.set_reduced_motion(True)
        self.view.set_view(view)
        self.settle()
        self.view.fit()
        self.settle()

    def mouse(self, kind: QEvent.Type, at: QPointF, button: Qt.MouseButton, held: Qt.MouseButton) -> None:
        """One mouse event, then whatever it made necessary, the paint included."""
        everywhere = self.view.mapToGlobal(at)
        event = QMouseEvent(kind, at, everywhere, button, held, Qt.KeyboardModifier.NoModifier)
        QApplication.sendEvent(self.view, event)
        QApplication.processEvents()

    # ------------------------------------------------------------------ what is measured
    def pan(self, frames: int) -> Timing:
        """Dragging the picture with the middle button."""
        at, middle = QPointF(640, 400), Qt.MouseButton.MiddleButton
        self.mouse(QEvent.Type.MouseButtonPress, at, middle, middle)

        def frame(i: int) -> None:
            to = at + QPointF(3 * (i % 40), 2 * (i % 40))
            self.mouse(QEvent.Type.MouseMove, to, Qt.MouseButton.NoButton, middle)

        timing = timed(frame, frames)
        self.mouse(QEvent.Type.MouseButtonRelease, at, middle, Qt.MouseButton.NoButton)
        return timing

    def hub(self) -> int:
        """The op with the most edges."""
        graph = self.document.graph
        assert graph is not None
        return int(np.argmax(np.diff(graph.succs[0]) + np.diff(graph.preds[0])))

    def drag(self, frames: int) -> tuple[Timing, Timing]:
        """Dragging the hub: the first frame, with what every device would make of it, and the following ones."""
        hub = self.hub()
        left, none = Qt.MouseButton.LeftButton, Qt.MouseButton.NoButton

        def begin(_: int) -> None:
            self.mouse(QEvent.Type.MouseMove, start + QPointF(14, 14), none, left)

        def follow(i: int) -> None:
            at = start + QPointF(14 + 5 * (i % 60), 14 + 7 * (i % 60))
            self.mouse(QEvent.Type.MouseMove, at, none, left)

        cpu, wall = [], []
        for again in range(7):
            self.document.select([])
            start = self.view.op_rect(hub).center()
            self.mouse(QEvent.Type.MouseMove, start, none, none)
            self.mouse(QEvent.Type.MouseButtonPress, start, left, left)
            first = timed(begin, 1, warm=0)
            if again:  # the first drag ever loads what is loaded on first use
                cpu.append(first.cpu[0])
                wall.append(first.wall[0])
            following = timed(follow, frames if again == 6 else 2)
            self.view.stop_gesture("measured")
            QApplication.processEvents()
        assert len(self.document.selection), "the hub was not under the pointer"
        self.document.select([])
        return Timing(np.array(cpu), np.array(wall)), following

    def recolour(self, frames: int) -> tuple[Timing, Timing]:
        """A plan in which every op is elsewhere: the document's part (undo step, evaluation, layout), and all with the paint."""
        edits, paints = [], []
        self.view.set_reduced_motion(True)
        for _ in range(frames):
            after = renumbered(self.document)
            edits.append(
                timed(lambda _, after=after: self.document.set_assignment(after, "apply", "renumber"), 1, 0)
            )
            while self.view.busy:
                QApplication.processEvents()
            paints.append(timed(lambda _: QApplication.processEvents(), 1, 0))
        cpu, wall = (
            [[t.__dict__[kind][0] for t in part[1:]] for part in (edits, paints)] for kind in ("cpu", "wall")
        )
        return Timing(np.array(cpu[0]), np.array(wall[0])), Timing(np.sum(cpu, axis=0), np.sum(wall, axis=0))

    def move_all(self, view: str, frames: int) -> Timing:
        """Frames of the glide into a view, every op on the move."""
        self.show("flow" if view == "lanes" else "lanes")
        self.view.set_reduced_motion(False)
        self.view.set_view(view)
        while self.view.busy:
            QApplication.processEvents()
        self.view.stop_animation()
        return self.glide(frames)

    def glide(self, frames: int) -> Timing:
        """Frames in which every op moves to its place from somewhere else."""
        scene = self.view.scene
        assert scene is not None
        target = (scene.layout.x.copy(), scene.layout.y.copy())
        rng = np.random.default_rng(1)
        start = tuple(at + rng.uniform(50, 300, len(at)) for at in target)

        def frame(i: int) -> None:
            share = (i % 20) / 20
            self.view.show_places(*(a + (b - a) * share for a, b in zip(start, target, strict=True)))
            QApplication.processEvents()

        timing = timed(frame, frames)
        self.view.show_places(*target)
        self.settle()
        return timing

    def close(self) -> None:
        """Leave nothing behind."""
        self.view.close_canvas()
        self.view.close()
        self.view.deleteLater()
        self.document.deleteLater()
        QApplication.processEvents()


def measure(size: int, frames: int = 30) -> list[Figure]:
    """All figures of one size."""
    bench, goal, figures = Bench(size), goal_ms(size), []
    for view in ("flow", "lanes"):
        bench.show(view)
        where = f"{size:>6} ops, {view:<5}"
        figures.append(bench.pan(frames).figure(f"{where}  pan", goal))
        bench.view.zoom_by(4.0)
        bench.settle()
        figures.append(bench.pan(frames).figure(f"{where}  pan, 4 x nearer", goal))
        bench.view.zoom_to_ops(np.array([bench.hub()]))
        bench.settle()
        figures.append(bench.pan(frames).figure(f"{where}  pan, cards", goal))
        bench.show(view)
        first, following = bench.drag(frames)
        figures.append(first.figure(f"{where}  drag a hub, first frame", goal))
        figures.append(following.figure(f"{where}  drag a hub", goal))
        figures.append(Figure(f"{where}  drag a hub, worst frame", float(following.cpu.max()), "ms", goal))
        edit, whole = bench.recolour(max(6, frames // 3))
        figures.append(whole.figure(f"{where}  recolour all", goal))
        figures.append(edit.figure(f"{where}  (of which undo step, evaluation, layout)"))
        figures.append(bench.move_all(view, frames).figure(f"{where}  move all", goal))
        if (
            size > 2012
        ):  # so far out ops are cells of their stage's ground; near enough to be blocks they cost more
            bench.view.zoom_by(2.4 / 44 / bench.view.scale)
            figures.append(bench.glide(frames).figure(f"{where}  move all, as blocks with edges", goal))
    bench.close()
    return figures


def run(sizes: tuple[int, ...] = SIZES) -> list[Figure]:
    """The figures of all sizes; needs a QApplication."""
    figures = []
    for size in sizes:
        print(f"  {size} ops ...", file=sys.stderr)
        figures += measure(size)
    return figures
