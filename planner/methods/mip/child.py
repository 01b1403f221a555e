"""A process beside a search in which a solver works: started from a script of this folder, ended without being waited for."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from subprocess import Popen


class Child:
    """A process with two threads: ``write`` puts into its standard input, ``read`` takes from its standard output.

    ``name`` is that of the threads.
    """

    def __init__(
        self,
        script: str,
        name: str,
        write: Callable[[Popen[bytes]], None],
        read: Callable[[Popen[bytes]], None],
    ) -> None:
        self._name = name
        # -P: the script's folder must not become a place to import from.
        self._process = Popen(
            [sys.executable, "-P", str(Path(__file__).with_name(script))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
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
