"""Processes for work in the background that are there at once: forked from a server that has imported what they need.

The server is a process of this program that starts when the first one is asked for, has no threads, no Qt and no solver,
and ends with the program, however that ends. A process asked for while the server still starts comes when it is ready;
nobody here waits for it. Where there is no such server, processes are spawned.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import socket
import sys
from collections.abc import Callable
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any


def has_server() -> bool:
    """Whether there is a server to fork from: not on macOS, whose libraries do not bear a fork, and not on Windows."""
    return sys.platform.startswith("linux")


def start_server() -> None:
    """Start the server, where there is one and it does not run yet: processes asked for later are there at once."""
    if has_server():
        from planner.processes.forking import run_server

        run_server()


def start_process(target: Callable[..., object], *arguments: Any) -> BaseProcess:
    """A daemonic process, started, that calls ``target(*arguments)``: a function of a module, and what can be pickled.

    Does not wait for it: until it is there its ``pid`` may be None. Raises OSError where none can be started.
    """
    process: BaseProcess
    if has_server():
        from planner.processes.forking import Forked

        process = Forked(target, arguments)
    else:
        process = multiprocessing.get_context("spawn").Process(target=target, args=arguments, daemon=True)
    process.start()
    return process


def hang_up(connection: Connection) -> None:
    """Break a pipe to a process off, so that whoever writes into it here ends, also where the process is not there yet."""
    if has_server():
        with contextlib.suppress(OSError), socket.socket(fileno=os.dup(connection.fileno())) as pipe:
            pipe.shutdown(socket.SHUT_RDWR)


def go_on_without_parent() -> None:
    """Have the system let this process go on, should it be held when the process ends that started it (Linux).

    A held process hears of nothing, also not of its parent's end; and who only just began to be held is not yet held
    to the system, which ends held groups without a parent, but not those (POSIX, "Orphaned Process Group").
    """
    if sys.platform.startswith("linux"):
        import ctypes

        set_parent_death_signal = 1
        ctypes.CDLL(None).prctl(set_parent_death_signal, int(signal.SIGCONT), 0, 0, 0)


def end_server() -> None:
    """End the server, should there be one, and wait until it is gone; the next process starts another."""
    if has_server():
        from planner.processes.forking import end_server as end

        end()
