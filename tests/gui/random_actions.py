"""Whatever a person may do in the graph's window, in any order, from a seed: what could go wrong in between goes wrong here.

A longer run than the tests': ``python -m tests.gui.random_actions --seed 1 --steps 5000``.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import traceback
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton

from gui.canvas.graph import layout_worker
from gui.document.values import DecisionChange
from planner.errors import StageboardError
from planner.machines.spec import parse_target
from tests.gui.models import chain_graph

if TYPE_CHECKING:
    from gui.editors.plan.windows import Parts
    from planner.model.graph import Ints
    from planner.problem.problem import Problem

SAMPLES = Path(__file__).parents[2] / "sample_models"
LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
SIZES = (3, 12, 12, 60, 200, 500)
TARGETS = ("pipeline:2", "pipeline:4", "pipeline:7", "mcm:4", "mcm:36", "pool:2+1", "edge-tpu:3")
FILES = ("resnet50.json", "unet.onnx", "bert_3.json")
ASKS = (
    "file.", "help.", "compare.", "plan.start", "plan.race", "plan.feasible", "story.",
    "view.theme", "plan.counts",
)  # fmt: skip
"""Actions that ask for files, open other windows or begin a process."""
PANELS = (
    "devices", "ops", "inspector", "planners", "plans", "target", "help", "why", "violations", "schedule", "convergence",
    "package", "story",
)  # fmt: skip
ON_A_THREAD_FROM = 150
"""Items from which layouts are made on a thread, so that small models are as slow to draw as large ones."""


class Hand:
    """Does things at random in a window; ``went_wrong`` has every exception that nobody handled."""

    def __init__(self, parts: Parts, seed: int) -> None:
        self.parts, self.window, self.document = parts, parts.window, parts.document
        self.rng = random.Random(seed)
        self.went_wrong: list[str] = []
        self.done: list[str] = []
        self._first: tuple[Problem, Ints] | None = None
        self.document.decision_changed.connect(self._remember)
        self._acts: list[tuple[Callable[[], None], int]] = [
            (self.open_graph, 4), (self.open_file, 1), (self.target, 6), (self.view, 6), (self.panel, 10), (self.select, 12),
            (self.move, 12), (self.pin, 3), (self.undo, 8), (self.redo, 4), (self.command, 14), (self.palette, 6),
            (self.story, 6), (self.hover, 8), (self.click, 6), (self.drag, 8), (self.key, 6), (self.plan, 4),
            (self.rest, 10), (self.look, 8), (self.resize, 2), (self.link, 4), (self.find, 3),
        ]  # fmt: skip

    # ------------------------------------------------------------------ the run
    def run(self, steps: int) -> None:
        """So many steps, each with whatever events are due by then; ends where something went wrong."""
        before, sys.excepthook = sys.excepthook, self._caught
        try:
            self.open_graph()
            for _ in range(steps):
                act = self.rng.choices([a for a, _ in self._acts], [w for _, w in self._acts])[0]
                self.done.append(act.__name__)
                try:
                    act()
                except StageboardError:
                    pass  # a sentence for the person
                except Exception:
                    self.went_wrong.append(traceback.format_exc())
                if self.rng.random() < 0.6:
                    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
                    QApplication.processEvents()
                if self.went_wrong:
                    return
            QTest.qWait(50)
        finally:
            sys.excepthook = before

    def undo_all(self) -> str:
        """What is another after undoing every step than when the model was opened, or after doing them again; empty: nothing."""
        stack, document = self.document.undo_stack, self.document
        assert self._first is not None
        index, last = stack.index(), (document.problem, document.device_of.copy())
        while stack.canUndo():
            stack.undo()
        undone = self._differs(self._first)
        stack.setIndex(index)
        redone = self._differs(last)
        return f"undone: {undone}" if undone else f"redone: {redone}" if redone else ""

    def _differs(self, wanted: tuple[Problem | None, Ints]) -> str:
        document = self.document
        if document.problem != wanted[0]:
            return f"{document.problem} instead of {wanted[0]}"
        moved = np.flatnonzero(document.device_of != wanted[1])
        return f"ops {moved.tolist()} are elsewhere" if len(moved) else ""

    def _caught(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        self.went_wrong.append("".join(traceback.format_exception(kind, error, trace)))

    def _remember(self, change: DecisionChange) -> None:
        if change.ops is None and self.document.problem is not None:
            self._first = self.document.problem, self.document.device_of.copy()

    def _ops(self, most: int = 4) -> np.ndarray:
        graph = self.document.graph
        n = 0 if graph is None else graph.n
        return np.array(
            [self.rng.randrange(n) for _ in range(self.rng.randint(1, most))] if n else [], np.int32
        )

    def _device(self) -> int:
        problem = self.document.problem
        return 0 if problem is None else self.rng.randrange(len(problem.devices))

    # ------------------------------------------------------------------ models and machines
    def open_graph(self) -> None:
        """Another model takes the place of this one."""
        self.document.undo_stack.setClean()
        n = self.rng.choice(SIZES)
        graph = replace(chain_graph(n, f"chain {n}", self.rng.randrange(5)), time_unit="s")
        self.document.open_graph(graph, target=parse_target(self.rng.choice(TARGETS), graph))

    def open_file(self) -> None:
        """The same, read beside the window: it comes some steps later."""
        self.document.undo_stack.setClean()
        self.window.files.open_files([SAMPLES / self.rng.choice(FILES)])

    def target(self) -> None:
        """Another machine."""
        graph = self.document.graph
        if graph is not None:
            self.document.set_problem(parse_target(self.rng.choice(TARGETS), graph))

    # ------------------------------------------------------------------ looking
    def view(self) -> None:
        self.window.canvas.set_view(self.rng.choice(("flow", "lanes", "stages")))

    def panel(self) -> None:
        self.window.focus_panel(self.rng.choice(PANELS))

    def look(self) -> None:
        """Everything is painted before anything else happens."""
        self.window.grab()

    def resize(self) -> None:
        self.window.resize(self.rng.randint(900, 1300), self.rng.randint(640, 820))

    def rest(self) -> None:
        QTest.qWait(self.rng.choice((1, 10, 40, 160)))

    def find(self) -> None:
        self.window.ops.find_box.setText(self.rng.choice(("", "conv", "device:“stage 1”", "kind:Relu", "(")))

    # ------------------------------------------------------------------ editing
    def select(self) -> None:
        self.document.select(self._ops())

    def move(self) -> None:
        self.document.move(self._ops(), self._device(), along=self.rng.random() < 0.4)

    def pin(self) -> None:
        self.document.pin(self._ops(), self.rng.choice((None, self._device())))

    def undo(self) -> None:
        for _ in range(self.rng.randint(1, 3)):
            self.document.undo_stack.undo()

    def redo(self) -> None:
        for _ in range(self.rng.randint(1, 3)):
            self.document.undo_stack.redo()

    def command(self) -> None:
        """An entry of the menus, where it can be given."""
        actions = [
            a
            for id, a in self.window.actions_set.actions.items()
            if a.isEnabled() and not id.startswith(ASKS)
        ]
        self.rng.choice(actions).trigger()

    def palette(self) -> None:
        """Ask for an op or a device, look around, and choose or leave it."""
        palette = self.window.palette_window
        if not palette.isVisible():
            self.rng.choice((self.window.pickers.pick_op, lambda: self.window.pickers.pick_device(False)))()
            return
        if self.rng.random() < 0.3:
            palette.dismiss()
        else:
            QTest.keyClick(palette.line, self.rng.choice((Qt.Key.Key_Down, Qt.Key.Key_B, Qt.Key.Key_Return)))

    def plan(self) -> None:
        """Plans come, are looked at, applied and removed."""
        document, plans = self.document, self.window.plans
        if document.problem is None:
            return
        choice = self.rng.randrange(4)
        if choice < 2:
            n, k = document.problem.graph.n, len(document.problem.devices)
            document.add_plan(np.sort(np.array([self.rng.randrange(k) for _ in range(n)], np.int32)), "found")
        elif choice == 2:
            plans.make_current(self.rng.choice(document.plans))
            plans.apply_current()
        else:
            plans.make_current(self.rng.choice(document.plans))
            plans.remove_current()

    def story(self) -> None:
        """Keyframes are taken, shown, undone; another story begins."""
        studio = self.window.studio
        choice = self.rng.randrange(6)
        if choice < 2:
            studio.capture_keyframe()
        elif choice == 2:
            studio.toggle_recording()
        elif choice == 3:
            studio.draft.undo_stack.undo()
        elif choice == 4:
            studio.draft.clear()
        elif studio.draft.frames:
            studio._show_on_canvas(self.rng.randrange(len(studio.draft.frames)))

    def link(self) -> None:
        """Something in the inspector, which may be about to change."""
        from PySide6.QtCore import QUrl

        what = self.rng.choice(("op", "tensor", "device", "move", "along", "pin", "unpin"))
        self.window.inspector._follow(QUrl(f"{what}:{self.rng.randrange(12)}"))

    # ------------------------------------------------------------------ hand and keys
    def _point(self) -> QPoint:
        canvas = self.window.canvas
        return QPoint(self.rng.randrange(canvas.width()), self.rng.randrange(canvas.height()))

    def _place(self) -> QPoint:
        """On a card, where there is one."""
        scene, canvas = self.window.canvas.scene, self.window.canvas
        if scene is None or not scene.items.count or self.rng.random() < 0.2:
            return self._point()
        return canvas.op_rect(self.rng.randrange(scene.items.graph.n)).center().toPoint()

    def hover(self) -> None:
        QTest.mouseMove(self.window.canvas, self._place())

    def click(self) -> None:
        QTest.mouseClick(self.window.canvas, LEFT, NONE, self._place())

    def drag(self) -> None:
        """Press, move in steps, drop; answer where there is a question."""
        canvas, start, end = self.window.canvas, self._place(), self._point()
        QTest.mousePress(canvas, LEFT, NONE, start)
        for share in (0.3, 1.0):
            QTest.mouseMove(canvas, start + (end - start) * share)
            if self.rng.random() < 0.2:
                self.rng.choice((self.undo, self.target, self.rest, self.look))()
        QTest.mouseRelease(canvas, LEFT, NONE, end)
        if canvas.drops.choice.isVisible():
            if self.rng.random() < 0.5:
                self.rng.choice((self.rest, self.look, self.target, self.open_graph, self.undo))()
            buttons = [
                b for b in canvas.drops.choice.findChildren(QPushButton) if b.isVisible() and b.isEnabled()
            ]
            if buttons:
                self.rng.choice(buttons).click()

    def key(self) -> None:
        """A key for whatever has the keyboard."""
        widget = self.window.focusWidget() or self.window
        keys = (
            Qt.Key.Key_Down,
            Qt.Key.Key_Up,
            Qt.Key.Key_Right,
            Qt.Key.Key_Return,
            Qt.Key.Key_Escape,
            Qt.Key.Key_L,
            Qt.Key.Key_F,
        )
        QTest.keyClick(widget, self.rng.choice(keys))


def slow_layouts() -> None:
    """Let small models be as slow to draw as large ones."""
    layout_worker.AT_ONCE_UP_TO = ON_A_THREAD_FROM


def main() -> int:
    """Run from the command line."""
    from gui.editors.plan.windows import make_window

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--steps", type=int, default=2000)
    given = parser.parse_args()
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    application = QApplication(["random"])
    slow_layouts()
    parts = make_window(application, theme="light", remember=False)
    parts.window.resize(1280, 800)
    parts.window.show()
    hand = Hand(parts, given.seed)
    hand.run(given.steps)
    wrong = "" if hand.went_wrong else hand.undo_all()
    print(f"{len(hand.done)} steps, seed {given.seed}: {wrong[:600]}; the last: {' '.join(hand.done[-12:])}")
    print(*hand.went_wrong, sep="\n")
    parts.close()
    return int(bool(hand.went_wrong or wrong))


if __name__ == "__main__":
    sys.exit(main())
