"""A function in a process of its own: a broken model may end a runtime's process, and must not end the caller's."""

from __future__ import annotations

import contextlib
import multiprocessing
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any, TypeVar

from planner.errors import StageboardError

LOOK_SECONDS = 0.05
"""How often it is asked whether to stop."""

Given = TypeVar("Given")
Found = TypeVar("Found")


class Cancelled(StageboardError):
    """Someone asked to stop."""


def in_child(
    function: Callable[[Given], Found],
    given: Given,
    *,
    crashed: Callable[[int | None], StageboardError],
    stopped: Callable[[], bool] | None = None,
) -> Found:
    """``function(given)``, both importable and picklable, run in a spawned process that ends with this call.

    Raises what the function raises where that is a :class:`StageboardError`, ``crashed(exit code)`` where the process ends without
    an answer, and :class:`Cancelled` soon after ``stopped`` says so.
    """
    context = multiprocessing.get_context("spawn")
    pipe, far = context.Pipe(duplex=False)
    process = context.Process(target=_serve, args=(far, function, given), daemon=True)
    process.start()
    far.close()
    try:
        while not pipe.poll(LOOK_SECONDS):
            if stopped is not None and stopped():
                raise Cancelled("the export was cancelled; nothing was written")
        answer, error = pipe.recv()
    except (EOFError, OSError):
        process.join(5.0)
        raise crashed(process.exitcode) from None
    finally:
        pipe.close()
        process.kill()  # it has nothing left to do
        process.join()
        process.close()
    if error is not None:
        raise error
    return answer  # type: ignore[no-any-return]


def _serve(pipe: Connection, function: Callable[[Any], Any], given: Any) -> None:
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends this process
    answer, error = None, None
    try:
        answer = function(given)
    except StageboardError as problem:
        error = problem
    except MemoryError:
        error = StageboardError("the check needs more memory than there is; close other programs")
    except Exception as problem:  # the parent must hear of every failure
        reason = " ".join(str(problem).split())[:200]
        error = StageboardError(f"the check failed unexpectedly ({type(problem).__name__}: {reason})")
    with contextlib.suppress(OSError):
        pipe.send((answer, error))
