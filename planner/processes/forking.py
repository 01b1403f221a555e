"""Processes forked from Python's own server (:mod:`multiprocessing.forkserver`), none of which anybody waits for.

Used by :mod:`planner.processes.start` alone, where there is such a server. It differs from Python's use of it in four things: a
request does not wait for a server that is still importing; the program's main module is not imported again; only the
program keeps the server alive, not its processes, which the program's end leaves with nobody to hold them; and the
environment is the one of now, not the one of the server's start.
"""

from __future__ import annotations

import contextlib
import io
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from multiprocessing import context, forkserver, popen_forkserver, reduction, spawn, util
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from planner.temporary import note_for_life

PRELOADED = "planner.runs.preloaded"
"""The module that the server imports before it forks."""

Changes = Mapping[str, str | None]
"""Variables of an environment that are to be set, or (None) taken away."""


def _change(changes: Changes) -> None:
    for name, value in changes.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


@contextlib.contextmanager
def _changed(changes: Changes) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in changes}
    _change(changes)
    try:
        yield
    finally:
        _change(before)


_STATE: Any = forkserver._forkserver
"""What Python knows of its server. Read here for what it has no public name for: the two functions below, and nothing else."""


def server_id() -> int | None:
    """The server's process id; None where none was started here."""
    pid: int | None = _STATE._forkserver_pid
    return pid


def _leave_server() -> None:
    """Not to keep the server alive, in a process of it: to whoever holds this pipe it lives."""
    if _STATE._forkserver_alive_fd is not None:
        os.close(_STATE._forkserver_alive_fd)
        _STATE._forkserver_alive_fd = None


class _Server:
    """The one server of this program."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pid: int | None = None
        self._environment: dict[str, str] = {}

    def run(self) -> Changes:
        """See that it runs; returns what to change in its environment to have ours of now."""
        paths = [str(Path(__file__).resolve().parents[2]), *filter(None, [os.environ.get("PYTHONPATH")])]
        changes = {
            # It must import this very package, not one of that name in the folder where the program was started.
            "PYTHONPATH": os.pathsep.join(paths), "PYTHONSAFEPATH": "1",
            # A library that keeps threads for its sums would have them in a process that forks.
            "OPENBLAS_NUM_THREADS": os.environ.get("OPENBLAS_NUM_THREADS", "1"),
        }  # fmt: skip
        with self._lock:
            multiprocessing.set_forkserver_preload([PRELOADED])
            with _changed(changes):
                forkserver.ensure_running()
                if self._pid != (pid := server_id()):
                    if self._pid is None:
                        note_for_life(Path(util.get_temp_dir()))  # where its socket is
                    self._pid, self._environment = pid, dict(os.environ)
            now, then = os.environ, self._environment
            return {name: now.get(name) for name in {*now, *then} if now.get(name) != then.get(name)}

    def end(self) -> None:
        """End it, and wait until it is gone."""
        with self._lock:
            if (pid := server_id()) is not None:
                # It would end by itself, but only once it has imported everything.
                with contextlib.suppress(OSError):
                    os.kill(pid, signal.SIGKILL)
                # Not taken note of, only waited for: whoever asks for the next server finds that this one is gone.
                with contextlib.suppress(OSError):
                    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)


_SERVER = _Server()
run_server, end_server = _SERVER.run, _SERVER.end
# After Python has ended the daemonic processes.
util.Finalize(None, end_server, exitpriority=-100)


def _main(target: Callable[..., object], arguments: tuple[Any, ...], environment: Changes) -> None:
    """What a forked process runs."""
    _leave_server()
    parent = multiprocessing.parent_process()
    if parent is not None and wait([parent.sentinel], 0.0):
        return  # nobody wants it any more, or nobody is there
    _change(environment)
    if any(name.startswith("NUMBA_") for name in environment):
        from numba.core import config

        config.reload_config()  # type: ignore[no-untyped-call]
    target(*arguments)


class _Popen(popen_forkserver.Popen):
    """The server answers a request on ``sentinel``: with the process's id when it has forked, then with its exit code."""

    def __init__(self, process_obj: BaseProcess) -> None:
        self._handed: list[int] = []
        self._pid: int | None = None
        super().__init__(process_obj)

    def duplicate_for_child(self, fd: int) -> int:
        """Hand a file on; its place among those that the process gets."""
        self._handed.append(fd)
        return len(self._handed) - 1

    def _launch(self, process_obj: BaseProcess) -> None:
        data = io.BytesIO()
        prepared = spawn.get_preparation_data(process_obj.name)
        # What runs there is found by its module; a program's main may be slow, or a test's.
        prepared.pop("init_main_from_name", None)
        prepared.pop("init_main_from_path", None)
        context.set_spawning_popen(self)
        try:
            reduction.dump(prepared, data)
            reduction.dump(process_obj, data)
        finally:
            context.set_spawning_popen(None)
        self.sentinel, writing = forkserver.connect_to_new_process(self._handed)
        # As long as this is open the process knows that somebody wants it.
        kept = os.dup(writing)
        self.finalizer = util.Finalize(self, _close, (kept, self.sentinel))
        with contextlib.suppress(BrokenPipeError), open(writing, "wb", closefd=True) as file:
            file.write(data.getbuffer())

    @property
    def pid(self) -> int | None:  # type: ignore[override]
        """The process's id; None while it is not there yet."""
        if self._pid is None and self.returncode is None and wait([self.sentinel], 0.0):
            try:
                self._pid = forkserver.read_signed(self.sentinel)
            except (OSError, EOFError):
                self.returncode = 255  # the server is gone
        return self._pid

    def poll(self, flag: int = os.WNOHANG) -> int | None:
        return self.wait(0.0 if flag == os.WNOHANG else None)

    def wait(self, timeout: float | None = None) -> int | None:
        until = None if timeout is None else time.monotonic() + timeout
        while self.returncode is None:
            if not wait([self.sentinel], None if until is None else max(0.0, until - time.monotonic())):
                return None
            if self._pid is not None:
                return super().poll()
            _ = self.pid
        return self.returncode

    def terminate(self) -> None:
        if not self._given_up(signal.SIGTERM):
            super().terminate()

    def kill(self) -> None:
        if not self._given_up(signal.SIGKILL):
            super().kill()

    def _given_up(self, number: int) -> bool:
        """Give it up where it is not there yet: when it is, it finds that nobody wants it."""
        if self.pid is None and self.returncode is None:
            self.returncode = -number
            self.close()
        return self.returncode is not None


def _close(*fds: int) -> None:
    for fd in fds:
        os.close(fd)


class Forked(context.ForkServerProcess):
    """A daemonic process of the server that calls ``target(*arguments)``."""

    def __init__(self, target: Callable[..., object], arguments: tuple[Any, ...]) -> None:
        super().__init__(target=_main, args=(target, arguments, _SERVER.run()), daemon=True)

    @staticmethod
    def _Popen(process_obj: BaseProcess) -> _Popen:
        return _Popen(process_obj)
