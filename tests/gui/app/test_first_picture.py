"""What is imported by the first picture of a model, and what waits: all that is there takes time to import before it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]

PROGRAM = """
import sys

from PySide6.QtCore import QTimer

from gui.app.launch import main
from gui.look.application import application

app = application()

def look():
    shown = [one for one in app.allWidgets() if type(one).__name__ == "CanvasView" and one.isVisible()]
    if shown and shown[0].scene is not None and not shown[0].busy:
        timer.stop()
        print(*sorted(sys.modules))
        app.quit()

timer = QTimer()
timer.timeout.connect(look)
timer.start(1)
sys.exit(main(sys.argv[1:]))
"""

LATER = (
    "gui.editors.comparison",
    "multiprocessing.forkserver",
    "planner.export.onnx.source",
    "planner.formats.networks.mtx",
    "planner.formats.onnx",
    "planner.machines.mcm.evaluator",
    "planner.machines.mcm.learning.training",
    "planner.machines.mcm.solver",
    "planner.reports.certificate",
    "planner.runs.measuring.measuring",
    "planner.runs.running.running",
    "scipy.linalg",
    "scipy.sparse",
)
"""Packages and modules that no picture needs."""


def test_what_no_picture_needs_is_not_imported_before_it(tmp_path: Path) -> None:
    places = {f"XDG_{kind}_HOME": str(tmp_path / kind.lower()) for kind in ("CONFIG", "DATA", "STATE")}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, ROOT / "sample_models" / "resnet50.json"],
        capture_output=True, text=True, check=True, cwd=ROOT, timeout=200,
        env={**os.environ, **places, "QT_QPA_PLATFORM": "offscreen"},
    )  # fmt: skip
    modules = done.stdout.split()
    assert "gui.canvas.graph.view" in modules
    assert not [name for name in modules if any(f"{name}.".startswith(f"{later}.") for later in LATER)]
