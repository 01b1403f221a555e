"""A process beside a search in which a solver works: one of :data:`planner.processes.programs.PROGRAMS`, ended without being waited for."""

from __future__ import annotations

import contextlib
import subprocess
import threading
from collections.abc import Callable
from subprocess import Popen

from planner.processes.programs import command_of


class Child:
    """A process with two threads: ``write`` puts into its standard input, ``read`` takes from its standard output.

    ``name`` is that of the threads.
    """

    def __init__(
        self,
        program: str,
        name: str,
        write: Callable[[Popen[bytes]], None],
        read: Callable[[Popen[bytes]], None],
    ) -> None:
        self._name = name
        self._process = Popen(
            command_of(program), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self._threads = [
            threading.Thread(target=work, args=(self._process,), name=f"{name}-{what}", daemon=True)
            for what, work in (("requests", write), ("answers", read))
        ]
        for thread in self._threads:
            thread.start()

    def end(self) -> None:
        """Kill it. A process with much memory takes a moment to be gone; nobody waits for that."""
        self._process.kill()
        threading.Thread(target=self._reap, name=f"{self._name}-end").start()

    def _reap(self) -> None:
        self._process.wait()
        for thread in self._threads:
            thread.join()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            with contextlib.suppress(OSError):
                pipe.close()
