"""Open a model in Netron in a web page without a screen, and say what that took. Run by an interpreter that has Netron and Qt's web engine.

PYTHON benchmarks/peer_page.py MODEL
Prints one JSON object: ``cpu`` (processor seconds of all processes from the start to the drawn graph), ``start`` (those until the browser had an
empty page), ``mb`` and ``nodes``; ``gave_up`` in their place where it was not drawn after so many.
"""

from __future__ import annotations

import json
import os
import sys
from importlib.metadata import version
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("QTWEBENGINE_DISABLE_SANDBOX", "1")
os.environ.setdefault("QTWEBENGINE_CHROMIUM_FLAGS", "--disable-gpu")

import netron
from PySide6.QtCore import QTimer, QUrl
from PySide6.QtWebEngineWidgets import QWebEngineView
from PySide6.QtWidgets import QApplication

from benchmarks.process_tree import cpu_seconds, resident_mb

BUTTON = "document.getElementById('message-button').click()"
"""Answers what Netron says of itself before it opens anything."""
DRAWN = "document.body ? document.body.className + ' ' + document.querySelectorAll('#canvas .graph-node').length : ''"
MOST_SECONDS = 60.0
"""Processor seconds after which it is given up."""
MOST_WAITED_MS = 150_000
"""Milliseconds after which it is, too: a page may have stopped without a word."""


def main(model: str) -> None:
    application = QApplication(sys.argv[:1])
    view = QWebEngineView()
    view.resize(1280, 800)
    view.show()
    found: dict[str, object] = {"version": version("netron")}
    timer = QTimer()

    def begin(_: bool) -> None:
        view.loadFinished.disconnect(begin)
        found["start"] = cpu_seconds(os.getpid())
        host, port = netron.start(model, browse=False)
        view.load(QUrl(f"http://{host}:{port}"))
        timer.start(200)

    def give_up() -> None:
        found["gave_up"] = min(MOST_SECONDS, cpu_seconds(os.getpid()))
        timer.stop()
        application.quit()

    def look(state: object) -> None:
        words, _, nodes = str(state).rpartition(" ")
        if "notification" in words:
            view.page().runJavaScript(BUTTON)
        if cpu_seconds(os.getpid()) > MOST_SECONDS:
            give_up()
        if "welcome" in words or "spinner" in words or not nodes.isdigit() or nodes == "0":
            return
        found.update(cpu=cpu_seconds(os.getpid()), mb=resident_mb(os.getpid()), nodes=int(nodes))
        timer.stop()
        application.quit()

    timer.timeout.connect(lambda: view.page().runJavaScript(DRAWN, look))
    QTimer.singleShot(MOST_WAITED_MS, give_up)
    view.loadFinished.connect(begin)
    view.setHtml("<p>.</p>")
    application.exec()
    print(json.dumps(found), flush=True)
    os._exit(0)  # Netron's server keeps a thread


if __name__ == "__main__":
    main(sys.argv[1])
