"""Putting the window together, and its life from the first frame to the last."""

from __future__ import annotations

import signal
import socket
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QSocketNotifier, QTimer, Signal
from PySide6.QtWidgets import QApplication

from gui.collecting import Collecting
from gui.crash_log import CrashLog
from gui.values import Message

if TYPE_CHECKING:
    from gui.document import Document
    from gui.jobs import Jobs
    from gui.journal import Journal
    from gui.order.window import OrderWindow
    from gui.session import Session
    from gui.theme import ThemeController
    from gui.window import MainWindow

PREFERRED = (1440, 900)
"""Width and height of a first window on a screen that has room for it."""


@dataclass
class Parts:
    """A window and what belongs to it."""

    document: Document
    jobs: Jobs
    themes: ThemeController
    window: MainWindow
    session: Session | None
    journal: Journal | None

    def close(self) -> None:
        """Close the window without asking and end every process and thread of it."""
        from PySide6.QtCore import QEvent

        self.document.undo_stack.setClean()
        self.window.handlers.files.loading.drop()
        self.jobs.close()
        self.window.race.close_race()
        self.window.mending.close()
        self.window.studio.close()
        self.window.canvas.close_canvas()
        if self.journal is not None:
            self.journal.close()
        self.window.hide()
        for part in (self.window, self.document, self.themes):
            part.deleteLater()
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def make_window(app: QApplication, *, theme: str = "", remember: bool = True) -> Parts:
    """A window on an empty document. Unless ``remember`` is set it reads and changes nothing of the user's."""
    from gui.document import Document
    from gui.jobs import Jobs
    from gui.journal import Journal
    from gui.session import Session
    from gui.theme import ThemeController
    from gui.window import MainWindow

    session = Session() if remember else None
    preference = theme or (session.theme if session is not None else "system")
    themes = ThemeController(app, preference)
    document = Document()
    jobs = Jobs(document, document)
    window = MainWindow(document, jobs, themes, session)
    return Parts(document, jobs, themes, window, session, Journal(document) if remember else None)


class Notices(QObject):
    """Carries messages from any thread to the document's signal."""

    said = Signal(object)

    def say(self, sentence: str, detail: str) -> None:
        """An error from any thread."""
        self.said.emit(Message("error", sentence, detail))


def open_window(
    models: Sequence[Path], plan: Path | None, *, tour: bool = False, density: float | None = None,
    story: Path | None = None, compared: Sequence[Path] = (),
) -> int:  # fmt: skip
    """Open the window on model files and a plan, on a story or on the tour, and stay until it is closed.

    Plans to be ``compared`` are shown in a window of their own, those of a network beside each other in its window.

    Sparse networks, and dense models pruned to a ``density``, have windows of their own.
    """
    from gui.compare.launch import close_all as close_comparisons
    from gui.order.launch import close_all, network_files

    networks = network_files(models, density)
    graphs = [model for model in models if not any(model in paths for paths in networks)]
    QApplication.setApplicationName("stageboard")
    QApplication.setApplicationDisplayName("Stageboard")
    QApplication.setDesktopFileName("stageboard")
    app = QApplication.instance() or QApplication(["stageboard"])
    assert isinstance(app, QApplication)
    notices = Notices()
    log = CrashLog(notices.say)
    log.install()
    collecting = Collecting()
    try:
        with quit_on_signals(app):
            if networks and not graphs:
                _open_networks(app, notices, networks, plan, density, compared)
                return int(app.exec())
            parts = make_window(app, remember=not tour)
            notices.said.connect(parts.document.message)
            try:
                show_first(parts)
                # What follows waits for the first frame: the window is there at once, its contents a moment later.
                QTimer.singleShot(0, parts.window, lambda: _begin(parts, models, plan, tour, story, compared))
                return int(app.exec())
            finally:
                parts.jobs.close()
                if parts.journal is not None and not parts.window.isVisible():
                    parts.journal.close()
    finally:
        close_comparisons()
        close_all()
        _enough.set()
        for thread in _warming:
            thread.join(LAST_PART)
        collecting.close()
        log.uninstall()


def _open_networks(
    app: QApplication,
    notices: Notices,
    networks: Sequence[Sequence[Path]],
    plan: Path | None,
    density: float | None,
    compared: Sequence[Path] = (),
) -> None:
    """A window for each network; a plan, and plans to be compared, are the first one's."""
    from gui.order.launch import open_order_window
    from gui.session import Session
    from gui.theme import ThemeController

    session = Session(parent=app)
    themes = ThemeController(app, session.theme)
    for i, paths in enumerate(networks):
        window = open_order_window(themes, session, paths, plan if i == 0 else None, density)
        if i == 0:
            _offer_order(window, session)
            if compared:
                from gui.compare.orders import compare_orders_once

                compare_orders_once(window, compared)
        notices.said.connect(window.document.message)


def show_first(parts: Parts) -> None:
    """Show the window where it was last; the first time at a good size, or as large as a small screen allows."""
    window = parts.window
    if parts.session is not None and not parts.session.geometry.isEmpty():
        window.show()
        return
    room = window.screen().availableSize()
    if room.width() < PREFERRED[0] * 1.1 or room.height() < PREFERRED[1] * 1.1:
        window.showMaximized()
        return
    window.resize(*PREFERRED)
    window.show()


def _begin(
    parts: Parts, models: Sequence[Path], plan: Path | None, tour: bool, story: Path | None = None,
    compared: Sequence[Path] = (),
) -> None:  # fmt: skip
    if tour:
        from gui.tour_bar import begin_tour

        begin_tour(parts.window)
    elif story is not None:
        parts.window.studio.open_file(story)
    elif compared:
        from gui.compare.launch import open_files

        open_files(parts.window, models, compared)
    elif models:
        parts.window.handlers.files.open_files([*models, *([plan] if plan is not None else [])])
    if parts.journal is not None:
        _offer_recovery(parts)
    parts.document.graph_changed.connect(lambda: _warm_up_once(parts))
    QTimer.singleShot(1500, parts.window, lambda: _warm_up_once(parts))


_warm = threading.Event()
_warming: list[threading.Thread] = []
_enough = threading.Event()
LAST_PART = 5.0
"""Seconds that the end of the program waits for what is being loaded: a thread in compiled code must not outlive it."""


def _warm_up_once(parts: Parts) -> None:
    """Load or compile what the first drag and the first planner need, in a thread; keep a process ready for the planner."""
    if _warm.is_set():
        return
    _warm.set()

    def work() -> None:
        from gui.warm_up import warm_up

        warm_up(_enough.is_set)

    _warming.append(threading.Thread(target=work, name="warm-up", daemon=True))
    _warming[0].start()
    parts.jobs.warm_up()


# ---------------------------------------------------------------------- recovery
def _offer_order(window: OrderWindow, session: Session) -> None:
    """Offer what crashed windows had not saved, once the window's own network is there: opening it clears the notice."""
    from gui.recovering import Recovery

    recovery = Recovery(window.notice, window.handlers.files.loading, window.themes, session)

    def offer() -> None:
        window.document.network_changed.disconnect(offer)
        QTimer.singleShot(0, window, recovery.offer)

    window.document.network_changed.connect(offer)


def _offer_recovery(parts: Parts) -> None:
    """Offer what crashed windows had not saved."""
    from gui.recovering import Recovery

    window = parts.window
    Recovery(window.notice, window.handlers.files.loading, parts.themes, parts.session, parts).offer()


# ---------------------------------------------------------------------- signals
class quit_on_signals:  # noqa: N801 - used like a function, in a with statement
    """Ctrl-C in the terminal and SIGTERM end the event loop; the journal then keeps what was not saved.

    Python runs its signal handlers only when it gets the interpreter, which the event loop does not give it; a byte
    written to a socket by the signal wakes both.
    """

    def __init__(self, app: QApplication) -> None:
        self._app = app
        self._before: dict[int, object] = {}
        self._notifier: QSocketNotifier | None = None

    def __enter__(self) -> None:
        if threading.current_thread() is not threading.main_thread() or sys.platform == "win32":
            return
        self._read, self._write = socket.socketpair()
        for end in (self._read, self._write):
            end.setblocking(False)
        self._wakeup = signal.set_wakeup_fd(self._write.fileno(), warn_on_full_buffer=False)
        self._notifier = QSocketNotifier(self._read.fileno(), QSocketNotifier.Type.Read)
        self._notifier.activated.connect(self._woken)
        for number in (signal.SIGINT, signal.SIGTERM):
            self._before[number] = signal.signal(number, self._asked)

    def _asked(self, number: int, frame: object) -> None:
        self._app.exit(128 + number)

    def _woken(self, *_: object) -> None:
        self._read.recv(64)

    def __exit__(self, *_: object) -> None:
        if self._notifier is None:
            return
        self._notifier.setEnabled(False)
        self._notifier.deleteLater()
        signal.set_wakeup_fd(self._wakeup)
        for number, handler in self._before.items():
            signal.signal(number, handler)  # type: ignore[arg-type]
        self._read.close()
        self._write.close()
