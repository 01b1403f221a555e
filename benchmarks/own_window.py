"""Open a model in the window, and say what that took until every op had its place in the first picture.

``python -m benchmarks.own_window MODEL`` prints one JSON object: ``cpu`` (processor seconds of all processes from the start), ``mb`` and ``nodes``.
"""

from __future__ import annotations

import json
import os
import sys

# As the program's own start does: what has hundreds of modules goes before Qt.
import numba  # noqa: F401
from PySide6.QtCore import QTimer

from benchmarks.process_tree import cpu_seconds, resident_mb
from gui.app.launch import main as stageboard
from gui.canvas.graph.view import CanvasView
from gui.look.application import application


def main(model: str) -> int:
    """Run the window until it has its picture."""
    app = application()
    timer = QTimer()

    def look() -> None:
        for window in app.topLevelWidgets():
            for view in window.findChildren(CanvasView):
                if view.scene is not None and view.scene.items.count and not view.busy and view.isVisible():
                    view.grab()
                    found = {
                        "cpu": cpu_seconds(os.getpid()), "mb": resident_mb(os.getpid()), "nodes": view.scene.items.count,
                    }  # fmt: skip
                    print(json.dumps(found), flush=True)
                    timer.stop()
                    QTimer.singleShot(0, app.quit)
                    return

    timer.timeout.connect(look)
    timer.start(20)
    return stageboard([model])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
