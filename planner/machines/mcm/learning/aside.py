"""A training run in a process beside a window."""

from __future__ import annotations

import contextlib
import queue
from subprocess import Popen

from planner.machines.mcm.learning.messages import PAUSE, News, Task
from planner.machines.mcm.learning.training import TrainingSettings
from planner.methods.mip.child import Child
from planner.processes.question import ENDED


def begun(settings: TrainingSettings, folder: str, resume: bool) -> TrainingAside:
    """A process that trains in a folder, and goes on with what is there or not."""
    return TrainingAside(Task(settings, folder, resume))


class TrainingAside:
    """Carries out ``task``. Not a Qt object: :meth:`poll` it from a timer, and call :meth:`close` in the end."""

    def __init__(self, task: Task) -> None:
        self._wishes: queue.Queue[bytes] = queue.Queue()
        self._news: queue.Queue[News] = queue.Queue()
        self._wishes.put(task.line)
        self._child = Child("train", "training", self._write, self._read)

    def _write(self, process: Popen[bytes]) -> None:
        assert process.stdin is not None
        # A process that is gone shows in what is read.
        with contextlib.suppress(OSError, ValueError):
            while wish := self._wishes.get():
                process.stdin.write(wish)
                process.stdin.flush()

    def _read(self, process: Popen[bytes]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            news = News.read(line)
            self._news.put(news)
            if news.ended:
                return
        self._news.put(News(ended=True, sentence=ENDED))

    def poll(self) -> News | None:
        """What it said next; None while there is nothing. What says that it ended is the last."""
        with contextlib.suppress(queue.Empty):
            return self._news.get_nowait()
        return None

    def pause(self) -> None:
        """Have it end after the checkpoint at work."""
        self._wishes.put(PAUSE)

    def close(self) -> None:
        """End the process, whatever it does. What it had written stays."""
        self._wishes.put(b"")
        self._child.end()
