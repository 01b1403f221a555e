"""How long the window's thread is busy without a look at its events, by what a person does, while two planners run.

``python -m benchmarks stalls --sizes 2000 --works compare find`` does those alone whose words contain one of these, at these sizes.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

import numpy as np
from PySide6.QtCore import QEvent, QTimer
from PySide6.QtWidgets import QApplication, QFileDialog

from benchmarks.models import layered
from benchmarks.report import Figure, table
from gui.app.kernels import load_here
from gui.app.warm_up import warm_up
from gui.background.collecting import Collecting
from gui.background.importing import Importing
from gui.background.warming import warming
from gui.editors.comparison import windows as comparisons
from gui.editors.plan.windows import Parts, make_window
from gui.layout import warm_up as warm_up_layout
from gui.raster import engine as raster
from gui.shell.kinds import AHEAD
from gui.shell.picture_dialog import PictureDialog
from planner.formats.graphs import stageboard_json
from planner.machines.spec import parse_target
from planner.runs.messages import Order

SIZES = (2_000, 20_000, 100_000)
GOAL_MS = 50.0
"""CPU milliseconds of the window's thread that no turn of its loop should take."""
BEAT_MS = 2
SETTLED_SECONDS = 1.0
"""How long nothing may be under way for a work to be over; it is watched that long after its end."""


class Watch:
    """A heartbeat in the window's thread: between two beats lies at most one turn of its loop and a wait."""

    def __init__(self) -> None:
        self.beats: list[float] = []
        self._timer = QTimer()
        self._timer.timeout.connect(lambda: self.beats.append(time.thread_time()))
        self._timer.start(BEAT_MS)

    def worst(self, work: Callable[[], object], busy: Callable[[], bool]) -> tuple[float, float]:
        """CPU milliseconds of the longest turn and of all, from ``work`` until it and what it began is over."""
        self.beats = [time.thread_time()]
        QTimer.singleShot(0, work)
        rested = time.monotonic() + SETTLED_SECONDS
        while time.monotonic() < rested:
            QApplication.processEvents()
            QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
            time.sleep(0.0005)
            if busy():
                rested = time.monotonic() + SETTLED_SECONDS
        beats = np.array([*self.beats, time.thread_time()])
        return 1e3 * float(np.diff(beats).max()), 1e3 * float(beats[-1] - beats[0])

    def stop(self) -> None:
        """No beat any more."""
        self._timer.stop()


@contextmanager
def _searching(parts: Parts) -> Iterator[None]:
    """Two planners run, and what they find moves on the canvas."""
    document = parts.document
    assert document.problem is not None
    worst = np.zeros(len(document.device_of), np.int32)
    for seed, (name, starts) in enumerate((("slice-random", ()), ("local-search", (worst,)))):
        parts.jobs.start(Order(name, document.problem, seed=seed, time_limit=3600.0, starts=starts), name)
    try:
        yield
    finally:
        parts.jobs.cancel_all()


def _works(parts: Parts, folder: Path) -> Iterator[tuple[str, Callable[[], object]]]:
    """What a person does, in words, and what does it."""
    window, document = parts.window, parts.document
    n = document.open_problem.graph.n

    def export(name: str, ask: Callable[[], object]) -> Callable[[], object]:
        def exported() -> None:
            with patch.object(QFileDialog, "getSaveFileName", lambda *_: (str(folder / name), "")):
                ask()

        return exported

    def picture(name: str) -> Callable[[], object]:
        def exported() -> None:
            window.files.export_picture()
            accept(window.findChild(PictureDialog))

        def accept(dialog: PictureDialog) -> None:
            if dialog.shown.pixmap().isNull():  # who exports looks at the preview first
                QTimer.singleShot(BEAT_MS, lambda: accept(dialog))
                return
            with patch.object(QFileDialog, "getSaveFileName", lambda *_: (str(folder / name), "")):
                dialog.accept()

        return exported

    def start_two() -> None:
        worst = np.zeros(n, np.int32)
        for seed, (name, starts) in enumerate((("slice-random", ()), ("local-search", (worst,)))):
            parts.jobs.start(
                Order(name, document.open_problem, seed=seed, time_limit=5.0, starts=starts), name
            )

    def run(action: str) -> Callable[[], object]:
        return window.actions_set.actions[action].trigger

    yield "two planners for 5 s", start_two
    yield "select all", run("edit.select_all")
    yield "select none", run("edit.select_none")
    yield "drag a hundred ops", lambda: document.move(np.arange(100, dtype=np.int32) * (n // 100), 1)
    yield "undo", run("edit.undo")
    yield (
        "move all ops",
        lambda: document.set_assignment(
            np.sort(np.arange(n) % len(document.open_problem.devices)).astype(np.int32), "edit", "all"
        ),
    )
    yield "lanes", lambda: window.canvas.set_view("lanes")
    yield "stages", lambda: window.canvas.set_view("stages")
    yield "flow", lambda: window.canvas.set_view("flow")
    yield "find", lambda: window.ops.find_box.setText("layer1")
    yield "find nothing", lambda: window.ops.find_box.setText("")
    yield "another machine", lambda: document.set_problem(parse_target("pipeline:6", document.graph))
    for suffix in ("png", "svg", "pdf"):
        yield f"picture, {suffix}", picture(f"a.{suffix}")
    yield "CSV", export("a.csv", window.files.export_csv)
    yield "DOT", export("a.dot", window.files.export_dot)
    yield "save the plan", export("a.plan.json", run("file.save"))

    def compare() -> None:
        document.add_plan(np.zeros(n, np.int32), "all on one")
        comparisons.open_comparison(window, [document.plans[0], document.plans[-1]])

    yield "compare", compare
    yield "compare: lanes", lambda: comparisons._windows[-1].state.set_view("lanes")
    yield "compare: move a hundred", lambda: document.move(np.arange(100, dtype=np.int32) * (n // 100), 2)


def comparing() -> bool:
    """Whether a comparison is about to be shown, or does not show yet what was asked for."""
    return any(not one.closed and not one.settled for one in comparisons._windows)


def measure(size: int, folder: Path, words: Sequence[str] = ("",)) -> Iterator[tuple[str, float, float]]:
    """(what, CPU milliseconds of its longest turn, of all of it) at a size, of what contains one of the ``words``."""
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    model = folder / f"layered-{size}.json"
    if not model.exists():
        stageboard_json.write(layered(size), model, "made up")
    parts = make_window(app, theme="light", remember=False)
    window, document, watch = parts.window, parts.document, Watch()
    window.resize(1280, 800)
    window.show()
    importing = Importing(AHEAD["plan"], window)
    warming.begin()
    warming.load(raster.warm_up, warm_up_layout)
    warm = threading.Event()
    warming.run(warm.set)
    while not warm.is_set():
        QApplication.processEvents()
        time.sleep(0.01)

    def busy() -> bool:
        return (
            window.files.loading.busy
            or window.canvas.busy
            or window.files.is_writing
            or window.findChild(PictureDialog) is not None
            or comparing()
            or importing.busy
        )

    def opening() -> bool:
        return document.problem is None or busy()

    def short() -> bool:
        return busy() or any(
            job.order.time_limit is not None and job.order.time_limit < 60 for job in parts.jobs.running
        )

    def wanted(what: str) -> bool:
        return any(word in what for word in words)

    try:
        yield "open", *watch.worst(lambda: window.files.open_files([model]), opening)
        works = _works(parts, folder)
        first, work = next(works)
        if wanted(first):
            yield first, *watch.worst(work, short)
        with _searching(parts):
            for what, work in works:
                if wanted(what):
                    yield what, *watch.worst(work, busy)
    finally:
        watch.stop()
        for one in list(comparisons._windows):
            one.close()
        parts.close()


def run(sizes: Sequence[int] = SIZES, words: Sequence[str] = ("",)) -> list[Figure]:
    """The longest turn of each work at each size, of those whose names contain one of the ``words``."""
    found: list[Figure] = []
    # As the program has it (gui.app.app): cycles are collected by a timer, what comparisons need is imported ahead, and
    # a window that is up has loaded what it draws with before somebody opens a file.
    collecting = Collecting()
    collecting.keep()
    try:
        with tempfile.TemporaryDirectory(prefix="stageboard-stalls-") as folder:
            for size in sizes:
                for what, worst, whole in measure(size, Path(folder), words):
                    found.append(Figure(f"{size:,} ops: {what}", worst, "ms", GOAL_MS, f"in all {whole:.0f}"))
                    print(f"  {found[-1].name}: {worst:.0f} ms, {found[-1].note}", flush=True)
    finally:
        collecting.close()
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Some works, or some sizes. Returns 0 when every goal is met, else 1."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks stalls")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="ops of the models")
    parser.add_argument("--works", nargs="+", default=("",), metavar="WORD", help="of the names of works")
    chosen = parser.parse_args(arguments)
    if not os.environ.get("DISPLAY"):
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    application = QApplication.instance() or QApplication(["stalls"])
    warm_up()
    load_here()
    figures = run(chosen.sizes, chosen.works)
    del application
    print(table("Stalls: CPU of the GUI thread in the longest turn of its loop", figures))
    return int(any(figure.met is False for figure in figures))


if __name__ == "__main__":
    sys.exit(main())
