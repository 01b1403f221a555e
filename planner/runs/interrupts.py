"""Ctrl-C during a search: the first asks it to stop, the second ends it at once."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


def _nothing() -> None:
    """Says nothing."""


@contextmanager
def soft_interrupt(
    told: Callable[[], None] = _nothing, signals: tuple[signal.Signals, ...] = (signal.SIGINT,)
) -> Iterator[Callable[[], bool]]:
    """Yield a flag that the ``signals`` raise, and ``told`` is called then; after the first they are a :class:`KeyboardInterrupt`.

    In another thread than the main one, which alone hears of signals, the flag stays down.
    """
    asked = threading.Event()

    def handle(number: int, frame: FrameType | None) -> None:
        if asked.is_set():
            raise KeyboardInterrupt
        asked.set()
        told()

    with _handled(handle, signals):
        yield asked.is_set


@contextmanager
def uninterrupted(
    signals: tuple[signal.Signals, ...] = (signal.SIGINT,),
) -> Iterator[None]:
    """Let the ``signals`` pass by: for the moment in which what was found is evaluated and written."""
    with _handled(lambda number, frame: None, signals):
        yield


@contextmanager
def _handled(
    handle: Callable[[int, FrameType | None], None], signals: tuple[signal.Signals, ...]
) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, handle) for number in signals}
    try:
        yield
    finally:
        for number, handler in before.items():
            # None: it was installed by something other than Python, which cannot be put back.
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
