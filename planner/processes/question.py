"""One question in a process of its own: it may load what does not get along with this one, and can be ended at once."""

from __future__ import annotations

import contextlib
import inspect
import multiprocessing
import os
import threading
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.reduction import ForkingPickler
from typing import Any

from planner.errors import StageboardError
from planner.processes.start import hang_up, start_process

NICE = 10
ENDED = "the process that worked on it ended unexpectedly"
"""The sentence of an answer that never came."""


@dataclass(frozen=True, eq=False)
class Answer:
    """What a function returned; or ``sentence`` on why it did not, with ``detail`` for a log."""

    value: Any = None
    sentence: str = ""
    detail: str = ""


@dataclass(frozen=True, eq=False)
class Part:
    """One of several things that a generator yields before its answer, which then has no value."""

    value: Any


def _serve(pipe: Connection) -> None:
    """The process's main: one call, one answer, with all parts before it where the call yields some."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(os, "nice"):
        os.nice(NICE)
    with contextlib.suppress(EOFError, OSError):
        function, arguments, named = pipe.recv()
        try:
            found = function(*arguments, **named)
            if inspect.isgenerator(found):
                for value in found:
                    pipe.send(Part(value))
                found = None
            answer = Answer(found)
        except StageboardError as error:
            answer = Answer(sentence=str(error))
        except Exception as error:  # the last line of defence: whoever waits must hear of every failure
            import traceback

            answer = Answer(
                sentence=f"it failed unexpectedly ({type(error).__name__}: {error})",
                detail=traceback.format_exc(),
            )
        pipe.send(answer)


class Aside:
    """A process that calls ``function(*arguments, **named)``. Not a Qt object: poll it from a timer.

    ``function`` is one that a module defines, for the process finds it by name. Call :meth:`close` in the end.
    """

    def __init__(self, function: Callable[..., Any], *arguments: Any, **named: Any) -> None:
        # Made here, since pickling imports, and two threads that import beside a window may wait for each other.
        data = ForkingPickler.dumps((function, arguments, named))
        self._connection, far = multiprocessing.Pipe()
        self._process = start_process(_serve, far)
        far.close()

        def send() -> None:
            # A process that is gone shows at the other end of the pipe, in poll().
            with contextlib.suppress(OSError):
                self._connection.send_bytes(data)

        self._sender = threading.Thread(target=send, name="question to a process", daemon=True)
        self._sender.start()

    def poll(self) -> Answer | Part | None:
        """The next part, or the answer once it is there; None while nothing is."""
        # Asked first: what a process that is gone has sent is in the pipe by now. Its end may be open still in a process that was forked meanwhile.
        gone = not self._process.is_alive()
        try:
            if self._connection.poll():
                answer: Answer | Part = self._connection.recv()
                return answer
            if gone:
                return Answer(sentence=ENDED)
        except (EOFError, OSError):
            return Answer(sentence=ENDED)
        return None

    def close(self) -> None:
        """End the process, whatever it does."""
        if self._process.is_alive():
            self._process.kill()
        self._process.join()
        hang_up(self._connection)
        self._sender.join()
        self._connection.close()
        self._process.close()
