"""A soak: for some minutes anything is done at random in every editor, windows are closed and opened, and memory is watched.

``make bench ARGS="soak --seconds 300 --seed 1"``. A round opens a graph, a network, a comparison of plans and one of orders in turn,
acts in it, takes everything back and looks whether the start is there again bit for bit. Reference cycles are taken apart as in the
program, and once more before memory is read: what is in use then is held by something. Modules and kernels are loaded when something
random first needs them, some after many rounds: rounds that load any are counted apart. Exit status 1: something went wrong, or rounds
that load nothing leave more behind than :data:`LEVEL_MB` on average, or one of them :data:`WINDOW_MB`.
"""

from __future__ import annotations

import argparse
import gc
import os
import random
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any
from unittest.mock import patch

import numpy as np
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QFileDialog,
    QInputDialog,
    QMenu,
    QMessageBox,
    QPushButton,
    QToolButton,
)

from benchmarks.heap import Reading, growth, read, resident_mb
from gui.background.collecting import Collecting, give_back
from planner.errors import StageboardError
from tests.gui import random_actions

ROOT = Path(__file__).resolve().parents[1]
NETWORK = ROOT / "sample_models" / "compact_growth_50.npz"
ASKS = (
    *random_actions.ASKS,
    "file",
    "orders.add",
    "order.start",
    "order.race",
    "network.infer",
    "network.generate",
)
UNANSWERED: tuple[tuple[type, str, object], ...] = (
    (QFileDialog, "getOpenFileName", ("", "")), (QFileDialog, "getOpenFileNames", ([], "")), (QFileDialog, "getSaveFileName", ("", "")),
    (QFileDialog, "getExistingDirectory", ""), (QInputDialog, "getInt", (1, False)), (QInputDialog, "getItem", ("", False)), (QInputDialog, "getText", ("", False)),
    (QMenu, "exec", None), (QDialog, "exec", 0), (QToolButton, "showMenu", None), (QPushButton, "showMenu", None),
)  # fmt: skip
"""Questions that would wait for a person, and that nobody answers."""
STEPS = 150
"""Actions of one round in one editor."""
SETTLED_ROUNDS = 5
"""Rounds after which most libraries are there."""
LEVEL_MB = 2.0
"""What a round that loads nothing may leave in use on average."""
WINDOW_MB = 8.0
"""What one such round may leave: a window that stays is some 10 to 18, and would be lost in the average."""
LEAVE_MS = 500
"""How long a menu that waits for somebody may stay open."""


class EditorHand:
    """Acts at random in any editor: its commands, panels, canvas and keys."""

    def __init__(self, window: Any, rng: random.Random) -> None:
        self.window, self.rng = window, rng
        self.acts: list[Callable[[], None]] = [
            self.command, self.command, self.panel, self.click, self.drag, self.key, self.undo, self.redo, self.rest, self.look,
        ]  # fmt: skip

    def command(self) -> None:
        """An entry of the menus that asks for nothing and leaves the editor open."""
        actions = [
            action
            for id, action in self.window.actions_set.actions.items()
            if action.isEnabled() and not id.startswith(ASKS)
        ]
        if actions:
            self.rng.choice(actions).trigger()

    def panel(self) -> None:
        """A panel comes to the front, or goes."""
        id = self.rng.choice(list(self.window.docks.titles))
        self.rng.choice((self.window.focus_panel, self.window.docks.toggle))(id)

    def _canvas(self) -> Any:
        return getattr(self.window, "canvas", None) or self.window

    def _point(self) -> QPoint:
        canvas = self._canvas()
        return QPoint(self.rng.randrange(max(1, canvas.width())), self.rng.randrange(max(1, canvas.height())))

    def click(self) -> None:
        """On the middle of the window."""
        QTest.mouseClick(
            self._canvas(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, self._point()
        )

    def drag(self) -> None:
        """Press, move, drop."""
        canvas, start, end = self._canvas(), self._point(), self._point()
        QTest.mousePress(canvas, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, start)
        QTest.mouseMove(canvas, end)
        QTest.mouseRelease(canvas, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, end)

    def key(self) -> None:
        """For whatever has the keyboard."""
        keys = (
            Qt.Key.Key_Down,
            Qt.Key.Key_Up,
            Qt.Key.Key_Right,
            Qt.Key.Key_Left,
            Qt.Key.Key_Escape,
            Qt.Key.Key_Return,
        )
        QTest.keyClick(self.window.focusWidget() or self.window, self.rng.choice(keys))

    def undo(self) -> None:
        """One step back."""
        self.window.document.undo_stack.undo()

    def redo(self) -> None:
        """One step on again."""
        self.window.document.undo_stack.redo()

    def rest(self) -> None:
        """What is due happens."""
        QTest.qWait(self.rng.choice((1, 10, 40)))

    def look(self) -> None:
        """Everything is painted."""
        self.window.grab()


def leave_menus() -> None:
    """Close a menu that waits for somebody: Return on its button opened it."""
    if (popup := QApplication.activePopupWidget()) is not None:
        popup.close()


class Soak:
    """Rounds, what went wrong in them, and memory after each."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.done = self.rounds = self.undone = 0
        self.wrong: list[str] = []
        self.memory: list[Reading] = []
        self.menus: list[int] = []
        self.places: list[Callable[[], None]] = [self.network, self.comparison, self.orders, self.graph]

    def run(self, seconds: float) -> None:
        """Round after round until so many seconds are over, or something went wrong."""
        until = time.monotonic() + seconds
        before, sys.excepthook = sys.excepthook, self._caught
        leaving = QTimer(interval=LEAVE_MS)
        leaving.timeout.connect(leave_menus)
        leaving.start()
        try:
            with ExitStack() as unasked:
                for kind, name, answer in UNANSWERED:
                    unasked.enter_context(patch.object(kind, name, lambda *_, answer=answer, **__: answer))
                self._rounds(until)
        finally:
            leaving.stop()
            sys.excepthook = before

    def _rounds(self, until: float) -> None:
        while time.monotonic() < until and not self.wrong:
            self.places[self.rounds % len(self.places)]()
            self.rounds += 1
            settle()
            gc.collect()
            settle()
            self.memory.append(read())
            self.menus.append(sum(isinstance(one, QMenu) for one in QApplication.topLevelWidgets()))
            print(
                f"  round {self.rounds}: {self.done} actions, {self.memory[-1]}, {self.menus[-1]} menus",
                flush=True,
            )

    def _caught(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        self.wrong.append("".join(traceback.format_exception(kind, error, trace)))

    # ------------------------------------------------------------------ the editors
    def graph(self) -> None:
        """As the tests do, for longer."""
        with graph_window() as parts:
            hand = random_actions.Hand(parts, self.rng.randrange(1 << 30))
            hand.run(STEPS)
            self.done += len(hand.done)
            self.wrong += hand.went_wrong
            if not hand.went_wrong and (differs := hand.undo_all()):
                self.wrong.append(differs)
            self.undone += 1

    def network(self) -> None:
        """A network's window."""
        with network_window() as window:
            self._act(window, window.document.order.copy)

    def comparison(self) -> None:
        """Two plans of a graph."""
        from gui.editors.comparison import windows as comparisons
        from planner.machines.spec import parse_target
        from tests.gui.models import chain_graph

        with graph_window() as parts:
            document = parts.document
            graph = chain_graph(self.rng.choice((12, 60, 300)), "compared", self.rng.randrange(5))
            document.open_graph(graph, target=parse_target("pipeline:4", graph))
            document.add_plan(np.zeros(graph.n, np.int32), "all on one")
            compared = comparisons.open_comparison(parts.window, [document.plans[0], document.plans[-1]])
            try:
                self._act(compared, document.device_of.copy)
            finally:
                compared.close()

    def orders(self) -> None:
        """Two orders of a network."""
        from gui.editors.comparison import windows as comparisons

        with network_window() as window:
            document = window.document
            order = document.order.copy()
            plan = document.open_problem.plan(order, document.active.source)
            compared = comparisons.open_orders(window, document.list_order(plan, [], "again", "file"))
            try:
                self._act(compared, document.order.copy)
            finally:
                compared.close()

    def _act(self, window: Any, state: Callable[[], np.ndarray]) -> None:
        """Act, and take everything back."""
        hand, stack = EditorHand(window, self.rng), window.document.undo_stack
        settle()
        while stack.canUndo():
            stack.undo()
        first = state()
        for _ in range(STEPS):
            self.done += 1
            try:
                self.rng.choice(hand.acts)()
            except StageboardError:
                pass  # a sentence for the person
            except Exception:
                self.wrong.append(traceback.format_exc())
            settle(0.0)
            for dialog in QApplication.topLevelWidgets():
                if isinstance(dialog, (QDialog, QMessageBox)) and dialog.isVisible():
                    dialog.close()
            if self.wrong or window.closed:
                break
        if window.closed:  # and its document gone with it: there is nothing to take back
            return
        while stack.canUndo():
            stack.undo()
        self.undone += 1
        if not np.array_equal(state(), first):
            self.wrong.append(f"{type(window).__name__}: not as at the start after undoing everything")


@contextmanager
def graph_window() -> Iterator[Any]:
    """A window of graphs, closed in the end with all that it opened."""
    from gui.editors.plan.windows import close_all, make_window

    app = QApplication.instance()
    assert isinstance(app, QApplication)
    parts = make_window(app, theme="light", remember=False)
    parts.window.resize(1280, 800)
    parts.window.show()
    try:
        yield parts
    finally:
        close_comparisons()
        parts.close()
        close_all()
        settle()


@contextmanager
def network_window() -> Iterator[Any]:
    """A window of a network that is read, closed in the end."""
    from gui.editors.network.windows import close_all, open_order_window
    from gui.look.theme import ThemeController

    app = QApplication.instance()
    assert isinstance(app, QApplication)
    window = open_order_window(ThemeController(app, "light"), None, [NETWORK])
    until = time.monotonic() + 120
    while window.document.problem is None and time.monotonic() < until:
        settle(0.01)
    try:
        yield window
    finally:
        close_comparisons()
        window.document.undo_stack.setClean()
        window.studio.draft.undo_stack.setClean()
        window.close()
        close_all()
        settle()


def close_comparisons() -> None:
    """Close comparisons that a command opened, as the window does that they are of: they are about its document."""
    from gui.editors.comparison import windows as comparisons

    for window in list(comparisons._windows):
        window.close()
    comparisons.close_all()


def settle(seconds: float = 0.2) -> None:
    """Let what is due happen, deletions too."""
    until = time.monotonic() + seconds
    while True:
        QApplication.processEvents()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        if time.monotonic() >= until:
            return
        time.sleep(0.002)


def summary(memory: Sequence[Reading]) -> tuple[list[str], bool]:
    """What is said of memory in the end, and whether it is level."""
    settled = memory[SETTLED_ROUNDS - 1 :] or memory
    first, last = settled[0], settled[-1]
    loading, others = growth(settled)
    each, most = sum(others) / max(1, len(others)), max(others, default=0.0)
    give_back()
    lines = [
        f"in use: {first.used:.1f} MB after the first rounds, {last.used:.1f} at the end, at most {max(one.used for one in settled):.1f}",
        f"  {sum(loading):+.1f} MB in {len(loading)} rounds that loaded {last.modules - first.modules} modules and"
        f" {last.kernels - first.kernels} kernels, {sum(others):+.1f} MB in the {len(others)} others, {each:+.2f} each, {most:+.1f} at most",
        f"resident: {first.resident:.0f} MB after the first rounds, {last.resident:.0f} at the end, {last.free:.0f} of the heap are free;"
        f" {resident_mb():.0f} once that is given back",
    ]
    return lines, each <= LEVEL_MB and most <= WINDOW_MB


def main(arguments: Sequence[str] = ()) -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=300.0)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(list(arguments))
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    application = QApplication.instance() or QApplication(["soak"])
    random_actions.slow_layouts()
    collecting = Collecting()
    collecting.keep()
    soak = Soak(given.seed)
    soak.run(given.seconds)
    collecting.close()
    lines, level = summary(soak.memory)
    print(
        f"{soak.done} actions in {soak.rounds} rounds, {soak.undone} times undone; menus at most {max(soak.menus)}; {len(soak.wrong)} things went wrong"
    )
    print(
        *lines,
        *([] if level else [f"memory is not level: {LEVEL_MB} MB a round would be, and {WINDOW_MB} in one"]),
        sep="\n",
    )
    print(*soak.wrong, sep="\n")
    del application
    return int(bool(soak.wrong) or not level)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
