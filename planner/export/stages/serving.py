"""An export as the work of a process of its own: one order, word of how far it is, one answer."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

from planner.errors import StageboardError

Progress = Callable[[int, int], None]
"""Told how much is done, and of how much."""

Write = Callable[[Any, Progress, Callable[[], bool]], object]
"""``write(order, progress, stopped)``: writes what ``order`` says and returns what was written; a function of a module."""


def serve(pipe: Connection, write: Write, what: str = "export") -> None:
    """The process: one order; ("progress", done, of) as it goes on; at the end ("done", result, error) with one of the two.

    ``what`` is what sentences call it.

    Whatever else comes through the pipe, its end too, says stop.
    """
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with contextlib.suppress(EOFError, OSError):
        order = pipe.recv()
        stop = threading.Event()

        def listen() -> None:
            with contextlib.suppress(EOFError, OSError):
                pipe.recv()
            stop.set()

        threading.Thread(target=listen, daemon=True).start()
        result, error = None, None
        try:
            result = write(order, lambda done, of: pipe.send(("progress", done, of)), stop.is_set)
        except StageboardError as problem:
            error = problem
        except Exception as problem:  # the window must hear of every failure
            reason = " ".join(str(problem).split())[:200]
            error = StageboardError(f"the {what} failed unexpectedly ({type(problem).__name__}: {reason})")
        pipe.send(("done", result, error))
