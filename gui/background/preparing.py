"""Compiling kernels beside the window, by what is needed next, in processes of the lowest priority (docs/window.md, *A first start*)."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from gui.widgets.labels import set_role
from gui.widgets.plain import PlainLabel
from planner.compiling.kernel import compile_wishes, look_again
from planner.processes.question import Answer, Aside, Part

Work = Callable[[Sequence[str], bool], Iterator[str]]
"""``work(tasks, behind)``: does tasks in a process of its own and yields each when it is done."""

POLL_MS = 300
WISH_MS = 3000
"""How often it is asked for forms of kernels that no task thought of."""
BUSY_SECONDS = 30.0
"""Where nothing was compiled for so long, these processes have no processor: the machine is busy, or holds them."""
MOST_AHEAD = 0.9
"""How much of a task counts at most before it is done."""
TIP = (
    "What planners and the picture are computed with is compiled once on a machine, behind everything else: where "
    "the machine is busy, this waits. "
    "All of it works meanwhile; what is not ready yet takes longer."
)


class Preparing(QObject):
    """Has ``work`` do the tasks that ``missing`` says are not done, in so many ``helpers``; ``cost`` says how long a task takes beside the others, and ``made`` what all that is
    compiled by now took, which counts until its task is done: some tasks have dozens of kernels. ``whole`` is what all tasks cost, those that earlier starts did
    among them, so that how far it is goes on where it was.

    ``done(str)`` after each task, and ``changed()`` when ``text`` is another. Does nothing before :meth:`begin` and after
    :meth:`close`.
    """

    done = Signal(str)
    changed = Signal()
    _found = Signal(list)

    def __init__(
        self,
        missing: Callable[[], list[str]],
        work: Work,
        helpers: int,
        wish: Callable[[Callable[[], None]], None],
        cost: Callable[[str], float] = lambda task: 1.0,
        made: Callable[[], float] = lambda: 0.0,
        whole: float = 0.0,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._missing, self._work, self._helpers, self._wish, self._cost = missing, work, helpers, wish, cost
        self._made, self._made_before, self._made_latest = made, 0.0, 0.0
        self._whole = whole
        self._said = ""
        self._open: list[str] = []
        self._moved = time.monotonic()
        self._sides: list[Aside] = []
        self._thread: threading.Thread | None = None
        self._closed = False
        self.total = 0.0
        """What the tasks cost that were not done at the start."""
        self.spent = 0.0
        """What those of them cost that are done by now, and as far as is known what is done of those that run."""
        self._timer = QTimer(self, interval=POLL_MS)
        self._timer.timeout.connect(self._poll)
        self._wishes = QTimer(self, interval=WISH_MS)
        self._wishes.timeout.connect(lambda: self._wish(compile_wishes))
        self._found.connect(self._start, Qt.ConnectionType.QueuedConnection)

    @property
    def running(self) -> bool:
        """Whether there is more to come."""
        return bool(self._sides)

    @property
    def text(self) -> str:
        """How far it is, for a person; empty when there is nothing to do."""
        if not self.running:
            return ""
        busy = time.monotonic() - self._moved >= BUSY_SECONDS
        before = max(0.0, self._whole - self.total)
        return f"Preparing planners: {int(100 * (before + self.spent) / (before + self.total))} %{', the machine is busy' if busy else ''}"

    def begin(self) -> None:
        """Look what is missing, on a thread, and do it. Call when the first picture is there."""
        if self._thread is None and not self._closed:
            self._thread = threading.Thread(target=self._look, name="preparing", daemon=True)
            self._thread.start()

    def _look(self) -> None:
        found = self._missing()
        with suppress(RuntimeError):  # the window may be gone
            self._found.emit(found)

    def _start(self, missing: list[str]) -> None:
        if self._closed:
            return
        self.total = sum(map(self._cost, missing))
        self._open, self._moved = list(missing), time.monotonic()
        self._made_before = self._made_latest = self._made()
        if not missing:
            self._wishes.start()
            return
        self._sides = [Aside(self._work, missing, True) for _ in range(min(self._helpers, len(missing)))]
        self._timer.start()
        self._said = self.text
        self.changed.emit()

    def _poll(self) -> None:
        before, made = self._said, self._made()
        if made > self._made_latest:
            self._made_latest, self._moved = made, time.monotonic()
        for side in list(self._sides):
            while (said := side.poll()) is not None:
                if isinstance(said, Part):
                    self._open.remove(said.value)
                    self._moved = time.monotonic()
                    self._count()
                    look_again()
                    self.done.emit(said.value)
                elif isinstance(said, Answer):  # what it could not do is compiled when it is used
                    side.close()
                    self._sides.remove(side)
                    break
        if not self._sides:
            self._timer.stop()
            self._wishes.start()
        self._count()
        self._said = self.text
        if self._said != before:
            self.changed.emit()

    def _count(self) -> None:
        """What is done by now; never less than it was."""
        done = self.total - sum(map(self._cost, self._open))
        ahead = MOST_AHEAD * sum(map(self._cost, self._open[: self._helpers]))
        self.spent = max(self.spent, done, min(self._made_latest - self._made_before, done + ahead))

    def close(self) -> None:
        """End it, whatever it does; the next start goes on with the task that was not finished."""
        self._closed = True
        self._timer.stop()
        self._wishes.stop()
        for side in self._sides:
            side.close()
        self._sides = []
        if self._thread is not None:
            self._thread.join()


class PreparingLabel(PlainLabel):
    """Says quietly how far it is, and is hidden when there is nothing to say."""

    def __init__(self, preparing: Preparing) -> None:
        super().__init__()
        set_role(self, "muted")
        self.setToolTip(TIP)
        self._preparing = preparing
        preparing.changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Read it anew."""
        self.setText(self._preparing.text)
        self.setVisible(bool(self._preparing.text))
