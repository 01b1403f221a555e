"""From file to first picture, memory at 20,000 ops, and stalls of the event loop while two planners run."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from benchmarks.canvas_bench import renumbered
from benchmarks.models import RESNET, graph_of
from benchmarks.report import Figure
from gui.background.jobs import Jobs
from gui.canvas.graph.view import CanvasView
from gui.document.plan.document import Document
from gui.look.theme import LIGHT
from planner.runs.messages import Order

RUN_SECONDS = 8.0


def model_file(size: int, folder: Path) -> Path:
    """The graph of a size as a file of the device-placement format (177: the sample itself)."""
    if size == 177:
        return RESNET
    graph = graph_of(size)
    tensor = np.repeat(np.arange(graph.tensor_count), np.diff(graph.consumer_ptr))
    nodes = [
        {
            "id": v, "name": graph.op_names[v], "fpgaLatency": float(graph.work[v]), "cpuLatency": float(graph.work_cpu[v]),
            "size": float(graph.memory[v]), "supportedOnFpga": int(graph.supported[v]), "isBackwardNode": int(graph.backward[v]),
            **({"colorClass": int(graph.colour_class[v])} if graph.colour_class[v] >= 0 else {}),
        }
        for v in range(graph.n)
    ]  # fmt: skip
    times = np.nan_to_num(graph.tensor_time)
    edges = [
        {
            "sourceId": int(graph.tensor_producer[t]),
            "destId": int(v),
            "cost": float(times[t]),
            "size": float(graph.tensor_bytes[t]),
        }
        for t, v in zip(tensor.tolist(), graph.consumer_idx.tolist(), strict=True)
    ]
    path = folder / f"model-{size}.json"
    path.write_text(
        json.dumps({"maxFPGAs": 6, "maxCPUs": 1, "maxSizePerFPGA": 1e18, "nodes": nodes, "edges": edges})
    )
    return path


def first_picture(path: Path) -> float:
    """Seconds from a file to a painted canvas in which every op has its place, in this (warmed) process."""
    began = time.perf_counter()
    document = Document()
    document.open_model(path)
    view = CanvasView(document, LIGHT)
    view.resize(1280, 800)
    view.show()
    while view.busy or view.scene is None:
        QApplication.processEvents()
    QApplication.processEvents()
    view.grab()
    seconds = time.perf_counter() - began
    assert document.graph is not None
    assert view.scene.items.count == document.graph.n
    view.close_canvas()
    view.close()
    view.deleteLater()
    document.deleteLater()
    QApplication.processEvents()
    return seconds


def stalls(path: Path, moves_per_second: float = 0.0) -> tuple[np.ndarray, int]:
    """Gaps (wall and CPU ms of this thread) of a 5 ms heartbeat while two planners run and what they find moves on the canvas; plans found.

    ``moves_per_second`` lets another plan in which every op is elsewhere arrive at that rate, as from a busy planner.
    """
    document = Document()
    document.open_model(path)
    view = CanvasView(document, LIGHT)
    view.resize(1280, 800)
    view.show()
    jobs = Jobs(document)
    jobs.warm_up()
    found: list[float] = []
    jobs.incumbent.connect(lambda job, device_of, objective: found.append(objective))
    _wait(1.0)
    beats: list[tuple[float, float]] = []
    heart = QTimer()
    heart.timeout.connect(lambda: beats.append((time.perf_counter(), time.thread_time())))
    heart.start(5)
    assert document.problem is not None
    # From the worst start there is much to find, so that many plans arrive and move on the canvas.
    worst = np.zeros(len(document.device_of), np.int32)
    if not moves_per_second:
        document.set_assignment(worst, "edit", "all on one device")
    for seed, (name, starts) in enumerate((("slice-random", ()), ("local-search", (worst,)))):
        order = Order(name, document.problem, seed=seed, time_limit=RUN_SECONDS, starts=starts)
        jobs.start(order, name)
    mover = QTimer()
    mover.timeout.connect(lambda: document.set_assignment(renumbered(document), "follow", "renumber"))
    if moves_per_second:
        mover.start(int(1000 / moves_per_second))
    _wait(RUN_SECONDS / 2)
    view.set_view("lanes")
    _wait(RUN_SECONDS / 2)
    heart.stop()
    mover.stop()
    jobs.close()
    view.close_canvas()
    view.close()
    view.deleteLater()
    jobs.deleteLater()
    document.deleteLater()
    QApplication.processEvents()
    return 1e3 * np.diff(np.array(beats), axis=0), len(found)


def _wait(seconds: float) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        QApplication.processEvents()
        time.sleep(0.001)


def memory_mb(path: Path) -> float:
    """Peak resident megabytes of a fresh process that opens a file on a canvas and shows both views."""
    program = (
        "import sys\n"
        "from PySide6.QtWidgets import QApplication\n"
        "application = QApplication([])\n"
        "from pathlib import Path\n"
        "from benchmarks.opening_bench import both_views\n"
        "both_views(Path(sys.argv[1]))\n"
        "from benchmarks.opening_bench import peak_mb\n"
        "print(peak_mb())\n"
    )
    # The first process may have to compile kernels, which takes memory that no later one needs.
    peaks = []
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", program, str(path)],
            capture_output=True,
            text=True,
            check=True,
            timeout=300,
        )
        peaks.append(float(done.stdout.split()[-1]))
    return min(peaks)


def peak_mb() -> float:
    """Peak resident megabytes of this process. (``ru_maxrss`` would count what its parent had before it.)"""
    status = Path("/proc/self/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")) / 1024


def both_views(path: Path) -> None:
    """Open a file, paint the flow view and the lanes view."""
    document = Document()
    document.open_model(path)
    view = CanvasView(document, LIGHT)
    view.resize(1280, 800)
    view.show()
    for name in ("flow", "lanes"):
        view.set_view(name)
        while view.busy or view.animating:
            QApplication.processEvents()
        view.grab()
    view.close_canvas()
    view.close()


def run() -> list[Figure]:
    """All figures; needs a QApplication."""
    figures = []
    with tempfile.TemporaryDirectory(prefix="stageboard-bench-") as folder:
        files = {size: model_file(size, Path(folder)) for size in (177, 783, 2012, 20_000)}
        for size, goal in ((177, None), (783, None), (2012, 1.0), (20_000, 3.0)):
            seconds = sorted(first_picture(files[size]) for _ in range(3 if size <= 2012 else 2))
            note = f"best {seconds[0]:.2f}"
            figures.append(
                Figure(f"{size:>6} ops, file to first picture", seconds[len(seconds) // 2], "s", goal, note)
            )
        figures.append(
            Figure(" 20000 ops, peak memory of the process", memory_mb(files[20_000]), "MB", 500.0)
        )
        for size, moves in ((177, 0.0), (2012, 0.0), (2012, 4.0)):
            gaps, plans = stalls(files[size], moves)
            wall, cpu = gaps.T
            note = f"its own CPU {cpu.max():.1f}, 99.9% under {np.percentile(wall, 99.9):.1f} ms, {plans} plans arrived"
            what = "longest stall while two planners run" + (", every op moves 4 x a second" if moves else "")
            figures.append(Figure(f"{size:>6} ops, {what}", float(wall.max()), "ms", 50.0, note))
    return figures
