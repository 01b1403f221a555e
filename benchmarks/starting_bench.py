"""From launch to the first picture, in processor seconds: on a machine that has compiled nothing, and on one that has.

``python -m benchmarks.starting_bench MODEL`` is what is measured: the window opens the model, says what it took, and closes.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.models import RESNET
from benchmarks.report import Figure
from planner.compiling.store import FOLDER
from planner.runs.preparing import ROOMS

SAMPLES = RESNET.parent
GENERATED = 20_000
RUNS = 3
LIMIT = 600.0


def of_children() -> float:
    """Processor seconds of the processes that this one started, and of theirs, as long as they run."""
    ticks, parents = {}, {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue  # it has ended meanwhile
            parents[int(entry.name)], ticks[int(entry.name)] = int(fields[1]), sum(map(int, fields[11:15]))
    found, total = {os.getpid()}, 0
    while more := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= more
        total += sum(ticks[pid] for pid in more)
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return total / os.sysconf("SC_CLK_TCK") + ended.ru_utime + ended.ru_stime


def measured(model: str) -> int:
    """Open the window on a model as the command does; print what it took, and close it."""
    from gui.app.launch import main
    from gui.look.application import application

    app = application()
    from PySide6.QtCore import QTimer
    from PySide6.QtWidgets import QApplication

    seen: dict[str, float] = {}
    views: list[Any] = []

    def look() -> None:
        # To look at every widget takes milliseconds, which would be counted: the canvas is looked for until there is one.
        if not views:
            if not any(widget.isVisible() for widget in app.topLevelWidgets()):
                return
            seen.setdefault("window", time.process_time())
            # Where the command imports it: what else is imported before, or after, takes another time.
            from gui.canvas.graph.view import CanvasView

            views.extend(view for view in QApplication.allWidgets() if isinstance(view, CanvasView))
        for view in views:
            if view.isVisible() and view.scene is not None and not view.busy:
                view.repaint()
                seen["picture"], seen["children"] = time.process_time(), of_children()
                timer.stop()
                print(json.dumps(seen), flush=True)
                app.quit()
                return

    timer = QTimer()
    timer.timeout.connect(look)
    timer.start(10)
    return main([model])


def start(model: Path, kernels: Path | None) -> dict[str, float]:
    """What a start takes with the kernels of a folder (None: the user's own): ``window``, ``picture``, ``children``."""
    with tempfile.TemporaryDirectory(prefix="stageboard-bench-") as folder:
        environment = {**os.environ, "XDG_CONFIG_HOME": folder, "XDG_STATE_HOME": folder}
        if kernels is not None:
            environment[FOLDER] = str(kernels)
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.starting_bench", str(model)],
            capture_output=True, text=True, check=True, timeout=LIMIT, env=environment,
        )  # fmt: skip
    said: dict[str, float] = json.loads(done.stdout.strip().splitlines()[-1])
    return said


def generated(folder: Path) -> Path:
    """A model of 20,000 ops as a file."""
    from benchmarks.opening_bench import model_file

    return model_file(GENERATED, folder)


def figure(name: str, goal: float | None, runs: list[dict[str, float]]) -> Figure:
    """The median start of several."""
    run = sorted(runs, key=lambda one: one["picture"])[len(runs) // 2]
    note = f"window {run['window']:.1f}, in other processes {run['children']:.1f} more"
    return Figure(name, run["picture"], "s", goal, note)


def run() -> list[Figure]:
    """All figures."""
    import compileall  # here: a start that is measured is not to count it

    figures = []
    for room in (*ROOMS, "benchmarks"):  # as an installation has them
        compileall.compile_dir(SAMPLES.parent / room, quiet=1)
    with tempfile.TemporaryDirectory(prefix="stageboard-bench-") as folder:
        models = {
            177: (RESNET, 2.4),
            424: (SAMPLES / "transformer_encoder.onnx", 2.0),
            2112: (SAMPLES / "bert_large.json", 2.2),
            GENERATED: (generated(Path(folder)), 4.0),
        }
        for size, (model, _) in models.items():
            runs = [start(model, Path(folder) / f"kernels-{size}")]
            figures.append(figure(f"{size:>6} ops, nothing compiled", 15.0, runs))
        for size, (model, goal) in models.items():
            runs = [start(model, None) for _ in range(RUNS)]
            figures.append(figure(f"{size:>6} ops, all compiled", goal, runs))
    return figures


if __name__ == "__main__":
    sys.exit(measured(sys.argv[1]))
