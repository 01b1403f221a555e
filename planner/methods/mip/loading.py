"""Libraries that take long to load, loaded so that a search can be stopped meanwhile."""

from __future__ import annotations

import importlib
import threading
from collections.abc import Callable
from types import ModuleType
from typing import TypeVar

from planner.methods.mip.outcome import WATCH_SECONDS

T = TypeVar("T")


def load(loader: Callable[[], T], check: Callable[[], None]) -> T:
    """What ``loader`` returns, from a thread of its own while ``check`` is called again and again.

    When ``check`` raises, the thread is left to finish by itself, so that nothing is half loaded.
    """
    found: list[T] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            found.append(loader())
        except BaseException as error:  # handed to the caller's thread
            errors.append(error)

    thread = threading.Thread(target=run, name="loading")
    thread.start()
    while thread.is_alive():
        check()
        thread.join(WATCH_SECONDS)
    if errors:
        raise errors[0]
    return found[0]


def load_cp_model(check: Callable[[], None]) -> ModuleType:
    """The module ``ortools.sat.python.cp_model``; see :func:`load`."""
    return load(lambda: importlib.import_module("ortools.sat.python.cp_model"), check)
